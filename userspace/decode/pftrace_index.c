// SPDX-License-Identifier: MIT
// The first reading of a Perfetto trace: where the bundles of ftrace events are, and the facts.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/sort.h"
#include "base/stop.h"
#include "base/vector.h"
#include "decode/bytes.h"
#include "decode/pftrace.h"

#define MIB (1024ull * 1024)

/* Fields of TracePacket (trace_packet.proto) */
enum {
	PACKET_FTRACE = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCKS = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_CONFIG = 33,
	PACKET_FTRACE_STATS = 34,
	PACKET_DROPPED_BEFORE = 42,
	PACKET_SYSTEM = 45,
	PACKET_ZLIB = 50,
	PACKET_CLOCK = 58,
	PACKET_FIRST = 87,
	PACKET_MACHINE = 98,
	PACKET_ZSTD = 133,
};

/* FtraceEventBundle (ftrace_event_bundle.proto) */
enum {
	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST = 3,
	BUNDLE_SCHED = 4,
	BUNDLE_CLOCK = 5,
	BUNDLE_CLOCK_NS = 6,
	BUNDLE_BOOT_NS = 7,
	BUNDLE_ERROR = 8,
	BUNDLE_BEFORE = 10,
	BUNDLE_DESCRIPTOR = 11,
	SCHED_SWITCH_NS = 1,
	SCHED_WAKING_NS = 7,
	EVENT_TIMESTAMP = 1,
};

enum {
	CLOCK_REALTIME_ID = 1,
	CLOCK_BOOTTIME_ID = 6,
	STATS_BEGIN = 1,
	STATS_END = 2,
};

enum {
	PACKET_BYTES = 16 << 20, /* a larger one is none of ftrace's, and passed over */
	BUNDLE_BYTES = 4 << 20,	 /* Perfetto's have some pages */
	MAX_BUNDLES = 1 << 24, /* and no more than a quarter of the file's bytes and SOME_BUNDLES */
	SOME_BUNDLES = 1 << 17,
	MAX_CHUNKS = 1 << 22,
	MAX_THREADS = 1 << 20,
	MAX_ASKED = 1 << 16, /* names of events; what comes behind is not looked up */
	MAX_SOURCES = 64,    /* what comes behind is taken for the last one's */
	MAX_PARTS = 1 << 14, /* CPUs of all data sources */
	UNPACKED_MIB = 16,   /* what is unpacked in all, besides UNPACKED_RATIO times the file */
	UNPACKED_RATIO = 64,
};

/* A data source of ftrace's: its packets have one sequence. */
struct ftrace_source {
	uint32_t sequence;
	uint64_t drops;	 /* how often packets of it were dropped, or any that cannot be read */
	uint32_t *parts; /* by CPU: the number of its part and 1, or 0 */
	uint32_t cap_parts;
};

struct packet_reader {
	struct lane_pf_index *index;
	uint64_t packet_at;  /* in the file: for messages */
	uint32_t chunk;	     /* that the packet is in; 0: none */
	const uint8_t *base; /* of the chunk's bytes, or of the packet's */
	uint64_t base_at;    /* where these are in the file or in the chunk */
	struct ftrace_source sources[MAX_SOURCES];
	uint32_t cap_cpus;
	bool has_clocks, has_shift, has_tree;
	int64_t shift;	    /* add to CLOCK_BOOTTIME for ftrace's clock */
	bool has_asked_all; /* what was asked for is not known by name */
	uint8_t asked[LANE_KIND_COUNT];
	bool has_asked;
	uint32_t n_asked;
};

/* The first error is told; what comes behind it is counted as lost. */
static void pftrace_index_damaged(struct packet_reader *r, const char *why)
{
	if (!r->index->err)
		r->index->err = lane_error("%s: byte %" PRIu64 ": %s (further ones are not told)",
					   r->index->path, r->packet_at, why);
}

/* It ends there. */
static void pftrace_index_cut(struct packet_reader *r, const char *why)
{
	r->index->is_cut = true;
	if (!r->index->err)
		r->index->err =
			lane_error("%s: byte %" PRIu64 ": %s", r->index->path, r->packet_at, why);
}

/* --- facts --- */

static void take_system(struct packet_reader *r, struct lane_proto message)
{
	enum {
		UTSNAME = 1,
		RELEASE = 3,
		VERSION = 4
	};
	static const char own[] = "Perfetto ";
	struct lane_trace_info *info = &r->index->info;
	struct lane_proto_field field, part;

	while (decode_proto_next(&message, &field)) {
		struct lane_proto names = decode_proto_in(&field);

		if (!field.is_bytes)
			continue;
		if (field.number == UTSNAME) {
			while (decode_proto_next(&names, &part))
				if (part.number == RELEASE && part.is_bytes)
					decode_pf_text(&part, info->release,
						       sizeof(info->release) - 1);
		} else if (field.number == VERSION && field.n > sizeof(own) - 1 &&
			   !memcmp(field.bytes, own, sizeof(own) - 1)) {
			const uint8_t *space;

			field.bytes += sizeof(own) - 1;
			field.n -= sizeof(own) - 1;
			space = memchr(field.bytes, ' ', field.n);
			if (space)
				field.n = (size_t)(space - field.bytes);
			decode_pf_text(&field, info->tracer_version,
				       sizeof(info->tracer_version) - 1);
		}
	}
}

/* Two clocks at one time: how far 1970 is from the clock since the boot. */
static void take_clocks(struct packet_reader *r, struct lane_proto message)
{
	enum {
		CLOCK = 1,
		ID = 1,
		NS = 2
	};
	struct lane_proto_field field, part;
	uint64_t realtime = 0, boottime = 0;

	while (decode_proto_next(&message, &field)) {
		struct lane_proto clock = decode_proto_in(&field);
		uint64_t id = 0, ns = 0;

		if (field.number != CLOCK || !field.is_bytes)
			continue;
		while (decode_proto_next(&clock, &part)) {
			if (part.number == ID)
				id = part.value;
			else if (part.number == NS)
				ns = part.value;
		}
		if (id == CLOCK_REALTIME_ID)
			realtime = ns;
		else if (id == CLOCK_BOOTTIME_ID)
			boottime = ns;
	}
	if (r->has_clocks || !realtime || !boottime)
		return;
	r->has_clocks = true;
	r->index->info.epoch_offset_ns = (int64_t)(realtime - boottime);
}

/* The kind of `sched/sched_switch` or `sched_switch`; -1: none. */
static int asked_kind(struct packet_reader *r, const struct lane_proto_field *name)
{
	const char *text = (const char *)name->bytes;
	const char *slash = memchr(text, '/', name->n);
	size_t skip = slash ? (size_t)(slash - text) + 1 : 0;

	if (r->n_asked == MAX_ASKED)
		return -1;
	r->n_asked++;
	return decode_names_kind(r->index->plans.names, text + skip, name->n - skip);
}

/* `sched/sched_switch`, `sched/` and a star for all of a system, `sched_switch`. */
static void take_asked(struct packet_reader *r, const struct lane_proto_field *name)
{
	const char *text = (const char *)name->bytes;
	int kind;

	r->has_asked = true;
	if (text[name->n - 1] == '*' && (name->n == 1 || text[name->n - 2] == '/')) {
		r->has_asked_all = true;
		return;
	}
	kind = asked_kind(r, name);
	if (kind >= 0)
		r->asked[kind] = true;
}

/* Which events ftrace was asked for. */
static void take_config(struct packet_reader *r, struct lane_proto message)
{
	enum {
		SOURCE = 2,
		SOURCE_CONFIG = 1,
		FTRACE = 100,
		EVENTS = 1,
		CATEGORIES = 2
	};
	struct lane_proto_field source, config, ftrace, name;

	while (decode_proto_next(&message, &source)) {
		struct lane_proto configs = decode_proto_in(&source);

		if (source.number != SOURCE || !source.is_bytes)
			continue;
		while (decode_proto_next(&configs, &config)) {
			struct lane_proto parts = decode_proto_in(&config);

			if (config.number != SOURCE_CONFIG || !config.is_bytes)
				continue;
			while (decode_proto_next(&parts, &ftrace)) {
				struct lane_proto names = decode_proto_in(&ftrace);

				if (ftrace.number != FTRACE || !ftrace.is_bytes)
					continue;
				while (decode_proto_next(&names, &name)) {
					if (name.number == EVENTS && name.is_bytes && name.n)
						take_asked(r, &name);
					else if (name.number == CATEGORIES)
						r->has_asked_all = true;
				}
			}
		}
	}
}

static struct lane_pf_cpu *pftrace_index_cpu_of(struct packet_reader *r, uint64_t number)
{
	struct lane_pf_index *index = r->index;

	return number < LANE_PF_CPUS ? LANE_REACH(index->cpus, index->n_cpus, r->cap_cpus, number)
				     : NULL;
}

/* What the kernel counts as lost of each CPU, when recording began and when it ended. */
static void take_stats(struct packet_reader *r, struct lane_proto message)
{
	enum {
		PHASE = 1,
		CPU_STATS = 2,
		UNKNOWN_EVENT = 6,
		FAILED_EVENT = 7
	};
	enum {
		CPU = 1,
		OVERRUN = 3,
		COMMIT_OVERRUN = 4,
		DROPPED = 8
	};
	struct lane_proto parts = message;
	struct lane_proto_field field, part;
	uint64_t phase = 0;

	while (decode_proto_next(&parts, &field))
		if (field.number == PHASE)
			phase = field.value;
	while (decode_proto_next(&message, &field)) {
		struct lane_proto stats = decode_proto_in(&field);
		uint64_t number = 0, lost = 0;
		struct lane_pf_cpu *cpu;

		if (!field.is_bytes)
			continue;
		if (field.number == UNKNOWN_EVENT || field.number == FAILED_EVENT) {
			int kind = asked_kind(r, &field);

			if (kind >= 0)
				r->asked[kind] = false;
		}
		if (field.number != CPU_STATS)
			continue;
		while (decode_proto_next(&stats, &part)) {
			if (part.number == CPU)
				number = part.value;
			else if (part.number == OVERRUN || part.number == COMMIT_OVERRUN ||
				 part.number == DROPPED)
				lost += part.value;
		}
		cpu = pftrace_index_cpu_of(r, number);
		if (!cpu)
			continue;
		if (phase == STATS_BEGIN && !cpu->has_begin) {
			cpu->lost_begin = lost;
			cpu->has_begin = true;
		} else if (phase == STATS_END) {
			cpu->lost_end = lost;
			cpu->has_end = true;
		}
	}
}

static struct lane_pf_thread *add_thread(struct packet_reader *r)
{
	struct lane_pf_index *index = r->index;

	if (index->n_threads == MAX_THREADS ||
	    !LANE_GROW(index->threads, index->cap_threads, index->n_threads + 1))
		return NULL;
	index->threads[index->n_threads] =
		(struct lane_pf_thread){ .tid = -1, .pid = -1, .ppid = -1 };
	return &index->threads[index->n_threads++];
}

/* A process's name: that of its program, without the way to it. */
static void take_program(const struct lane_proto_field *field, char *name)
{
	struct lane_proto_field program = *field;
	const uint8_t *slash;

	while (program.n && (slash = memchr(program.bytes, '/', program.n)) != NULL) {
		program.n -= (size_t)(slash + 1 - program.bytes);
		program.bytes = slash + 1;
	}
	decode_pf_text(&program, name, LANE_PF_COMM - 1);
}

static void take_tree(struct packet_reader *r, struct lane_proto message, uint64_t ns)
{
	enum {
		PROCESS = 1,
		THREAD = 2
	};
	enum {
		PID = 1,
		PPID = 2,
		COMMAND = 3
	};
	enum {
		TID = 1,
		NAME = 2,
		TGID = 3
	};
	struct lane_proto_field field, part;

	while (decode_proto_next(&message, &field)) {
		struct lane_proto parts = decode_proto_in(&field);
		struct lane_pf_thread *thread;

		if (!field.is_bytes || (field.number != PROCESS && field.number != THREAD))
			continue;
		thread = add_thread(r);
		if (!thread)
			return;
		thread->ns = ns;
		while (decode_proto_next(&parts, &part)) {
			if (field.number == PROCESS && part.number == PID)
				thread->tid = thread->pid = (int32_t)part.value;
			else if (field.number == PROCESS && part.number == PPID)
				thread->ppid = (int32_t)part.value;
			else if (field.number == PROCESS && part.number == COMMAND &&
				 part.is_bytes && !*thread->name)
				take_program(&part, thread->name);
			else if (field.number == THREAD && part.number == TID)
				thread->tid = (int32_t)part.value;
			else if (field.number == THREAD && part.number == TGID)
				thread->pid = (int32_t)part.value;
			else if (field.number == THREAD && part.number == NAME && part.is_bytes)
				decode_pf_text(&part, thread->name, LANE_PF_COMM - 1);
		}
		if (thread->tid < 0 || thread->pid < 0)
			r->index->n_threads--;
	}
}

/* --- bundles --- */

/* The time that an event has; false: it is damaged before it. */
static bool event_ns(struct lane_proto message, uint64_t *ns)
{
	struct lane_proto_field field;

	*ns = 0;
	while (decode_proto_next(&message, &field)) {
		if (field.number != EVENT_TIMESTAMP || field.is_bytes)
			continue;
		*ns = field.value;
		return true;
	}
	return !message.is_damaged;
}

static void earlier(uint64_t *first_ns, uint64_t ns)
{
	if (ns < *first_ns)
		*first_ns = ns;
}

/* The first times of the two lists of a CompactSched. */
static bool sched_ns(struct lane_proto message, uint64_t *first_ns)
{
	bool has[2] = { false, false };
	struct lane_proto_field field;
	uint64_t ns;

	while (decode_proto_next(&message, &field)) {
		struct lane_proto times = decode_proto_in(&field);
		bool *seen = field.number == SCHED_SWITCH_NS   ? &has[0]
			     : field.number == SCHED_WAKING_NS ? &has[1]
							       : NULL;

		if (!seen || *seen)
			continue;
		ns = field.value;
		if (field.is_bytes && !decode_proto_number(&times, &ns))
			continue;
		*seen = true;
		earlier(first_ns, ns);
	}
	return !message.is_damaged;
}

/* The data source whose packets have this sequence; *is_known: it had packets before. */
static uint32_t source_of(struct packet_reader *r, uint64_t sequence, bool *is_known)
{
	uint32_t i;

	for (i = 0; i < r->index->n_sources; i++)
		if (r->sources[i].sequence == sequence)
			break;
	*is_known = i < r->index->n_sources;
	if (i == MAX_SOURCES)
		return i - 1;
	if (!*is_known) {
		r->sources[i].sequence = (uint32_t)sequence;
		r->index->n_sources++;
	}
	return i;
}

/* What a data source has of a CPU; NULL: there is no such CPU, or no memory. */
static struct lane_pf_part *pftrace_index_part_of(struct packet_reader *r, uint32_t number,
						  uint64_t cpu)
{
	struct ftrace_source *source = &r->sources[number];
	struct lane_pf_index *index = r->index;

	if (!pftrace_index_cpu_of(r, cpu) || !LANE_GROW(source->parts, source->cap_parts, cpu + 1))
		return NULL;
	if (!source->parts[cpu]) {
		if (index->n_parts == MAX_PARTS ||
		    !LANE_GROW(index->parts, index->cap_parts, index->n_parts + 1))
			return NULL;
		index->parts[index->n_parts++] =
			(struct lane_pf_part){ .cpu = (uint32_t)cpu, .source = number };
		index->cpus[cpu].n_parts++;
		source->parts[cpu] = (uint32_t)index->n_parts;
	}
	return &index->parts[source->parts[cpu] - 1];
}

/* Packets are missing, of whatever data source. */
static void count_drop(struct packet_reader *r)
{
	for (uint32_t i = 0; i < MAX_SOURCES; i++)
		r->sources[i].drops++;
}

/* How far ftrace's clock is from CLOCK_BOOTTIME, where it is another. */
static void take_shift(struct packet_reader *r, uint64_t clock, uint64_t clock_ns, uint64_t boot_ns)
{
	if (r->has_shift || !clock || !clock_ns || !boot_ns)
		return;
	r->has_shift = true;
	r->shift = (int64_t)(clock_ns - boot_ns);
}

static bool take_bundle(struct packet_reader *r, uint32_t source,
			const struct lane_proto_field *packet)
{
	struct lane_pf_index *index = r->index;
	struct lane_pf_bundle bundle = { .first_ns = UINT64_MAX, .chunk = r->chunk };
	const uint64_t drops = r->sources[source].drops;
	struct lane_proto message = decode_proto_in(packet);
	uint64_t number = 0, clock = 0, clock_ns = 0, boot_ns = 0, ns;
	bool is_whole = true, has_events = false, has_error = false;
	struct lane_proto_field field;
	struct lane_pf_part *whose;

	while (is_whole && decode_proto_next(&message, &field)) {
		struct lane_proto part = decode_proto_in(&field);

		if (field.number == BUNDLE_CPU) {
			number = field.value;
		} else if (field.number == BUNDLE_EVENT && field.is_bytes) {
			if (!has_events) {
				is_whole = event_ns(part, &ns);
				earlier(&bundle.first_ns, ns);
			}
			has_events = true;
		} else if (field.number == BUNDLE_LOST) {
			bundle.is_lost = field.value;
		} else if (field.number == BUNDLE_SCHED && field.is_bytes) {
			is_whole = sched_ns(part, &bundle.first_ns);
		} else if (field.number == BUNDLE_CLOCK) {
			clock = field.value;
		} else if (field.number == BUNDLE_CLOCK_NS) {
			clock_ns = field.value;
		} else if (field.number == BUNDLE_BOOT_NS) {
			boot_ns = field.value;
		} else if (field.number == BUNDLE_ERROR) {
			has_error = true;
		} else if (field.number == BUNDLE_BEFORE) {
			bundle.before_ns = field.value;
		} else if (field.number == BUNDLE_DESCRIPTOR && field.is_bytes) {
			if (!decode_pf_plans_add(&index->plans, part))
				return false;
		}
	}
	take_shift(r, clock, clock_ns, boot_ns);
	whose = pftrace_index_part_of(r, source, number);
	if (!is_whole || message.is_damaged || !whose || packet->n > BUNDLE_BYTES) {
		pftrace_index_damaged(
			r, number >= LANE_PF_CPUS     ? "events of a CPU with an impossible number"
			   : !whose		      ? "the data sources have too many CPUs"
			   : packet->n > BUNDLE_BYTES ? "a bundle of events is larger than any"
						      : "a bundle of events is damaged");
		if (whose)
			whose->is_lost = true;
		else
			count_drop(r);
		return true;
	}
	bundle.is_lost |= whose->is_lost || whose->drops != drops;
	whose->is_lost = has_error;
	whose->drops = drops;
	if (bundle.first_ns == UINT64_MAX) {
		whose->is_lost |= bundle.is_lost;
		return true;
	}
	if (index->n_bundles == SOME_BUNDLES + index->bytes / 4 ||
	    index->n_bundles == MAX_BUNDLES ||
	    !LANE_GROW(index->bundles, index->cap_bundles, index->n_bundles + 1))
		return false;
	bundle.cpu = (uint16_t)number;
	bundle.source = (uint16_t)source;
	bundle.at = r->base_at + (uint64_t)(packet->bytes - r->base);
	bundle.bytes = (uint32_t)packet->n;
	bundle.order = index->n_bundles;
	index->bundles[index->n_bundles++] = bundle;
	return true;
}

/* --- packets --- */

static bool take_packets(struct packet_reader *r, struct lane_proto packets);

/* A packet full of packets. */
static bool take_packed(struct packet_reader *r, const struct lane_proto_field *field,
			enum lane_packing packing)
{
	struct lane_pf_index *index = r->index;
	LANE_CLEANUP(lane_free) uint8_t *bytes = NULL;
	const uint8_t *base = r->base;
	uint64_t base_at = r->base_at;
	size_t n = 0;
	bool is_fine;

	if (r->chunk) {
		pftrace_index_damaged(r, "compressed packets lie in compressed packets");
		return true;
	}
	is_fine = decode_unpack_unsized(packing, field->bytes, field->n, LANE_PF_CHUNK, &bytes, &n);
	index->unpacked += n;
	if (!is_fine || index->unpacked > UNPACKED_MIB * MIB + UNPACKED_RATIO * index->bytes) {
		pftrace_index_damaged(r, "compressed packets are damaged");
		count_drop(r);
		return true;
	}
	if (index->n_chunks == MAX_CHUNKS ||
	    !LANE_GROW(index->chunks, index->cap_chunks, index->n_chunks + 1))
		return false;
	index->chunks[index->n_chunks++] =
		(struct lane_pf_chunk){ .at = r->base_at + (uint64_t)(field->bytes - r->base),
					.packed = (uint32_t)field->n,
					.bytes = (uint32_t)n,
					.packing = packing };
	r->chunk = (uint32_t)index->n_chunks;
	r->base = bytes;
	r->base_at = 0;
	is_fine = take_packets(r, decode_proto_of(bytes, n));
	r->chunk = 0;
	r->base = base;
	r->base_at = base_at;
	return is_fine;
}

/* What else of a packet says something of its data. */
struct about {
	uint64_t ns, clock, sequence, machine;
	bool was_dropped, is_first;
};

static struct about about_packet(struct lane_proto packet)
{
	struct about about = { .clock = CLOCK_BOOTTIME_ID };
	struct lane_proto_field field;

	while (decode_proto_next(&packet, &field)) {
		switch (field.number) {
		case PACKET_TIMESTAMP:
			about.ns = field.value;
			break;
		case PACKET_CLOCK:
			about.clock = field.value;
			break;
		case PACKET_SEQUENCE:
			about.sequence = field.value;
			break;
		case PACKET_MACHINE:
			about.machine = field.value;
			break;
		case PACKET_DROPPED_BEFORE:
			about.was_dropped = field.value;
			break;
		case PACKET_FIRST:
			about.is_first = field.value;
			break;
		default:
			break;
		}
	}
	return about;
}

/* Takes a packet; false: there is no memory, or more in the trace than can be. */
static bool take_packet(struct packet_reader *r, struct lane_proto packet)
{
	struct about about = about_packet(packet);
	struct lane_proto_field field;
	uint32_t source;
	bool is_known;

	if (about.machine)
		return true; /* another machine's, with another clock */
	while (decode_proto_next(&packet, &field)) {
		if (!field.is_bytes)
			continue;
		switch (field.number) {
		case PACKET_FTRACE:
			source = source_of(r, about.sequence, &is_known);
			if (is_known && about.was_dropped && !about.is_first)
				r->sources[source].drops++;
			if (!take_bundle(r, source, &field))
				return false;
			break;
		case PACKET_PROCESS_TREE:
			take_tree(r, decode_proto_in(&field),
				  r->has_tree && about.clock == CLOCK_BOOTTIME_ID ? about.ns : 0);
			r->has_tree = true;
			break;
		case PACKET_CLOCKS:
			take_clocks(r, decode_proto_in(&field));
			break;
		case PACKET_CONFIG:
			take_config(r, decode_proto_in(&field));
			break;
		case PACKET_FTRACE_STATS:
			take_stats(r, decode_proto_in(&field));
			break;
		case PACKET_SYSTEM:
			take_system(r, decode_proto_in(&field));
			break;
		case PACKET_ZLIB:
			if (!take_packed(r, &field, LANE_PACKING_ZLIB))
				return false;
			break;
		case PACKET_ZSTD:
			if (!take_packed(r, &field, LANE_PACKING_ZSTD))
				return false;
			break;
		default:
			break;
		}
	}
	if (packet.is_damaged) {
		pftrace_index_damaged(r, "a packet is damaged");
		count_drop(r);
	}
	return true;
}

static bool take_packets(struct packet_reader *r, struct lane_proto packets)
{
	struct lane_proto_field field;

	while (decode_proto_next(&packets, &field))
		if (field.number == 1 && field.is_bytes && !take_packet(r, decode_proto_in(&field)))
			return false;
	if (packets.is_damaged) {
		pftrace_index_damaged(r, "compressed packets are damaged");
		count_drop(r);
	}
	return true;
}

/* A number of the file, as take_varint of proto.c. */
static bool file_number(struct lane_bytes *in, uint64_t *value)
{
	uint8_t byte;

	*value = 0;
	for (unsigned int shift = 0; shift < 64; shift += 7) {
		if (!decode_bytes_get(in, &byte, 1))
			return false;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* The file is a message whose only field, number 1, is the packets. */
static struct lane_error *pftrace_index_read_file(struct packet_reader *r)
{
	LANE_CLEANUP(lane_free) uint8_t *packet = NULL;
	struct lane_pf_index *index = r->index;
	struct lane_bytes in;
	uint64_t key, n, cap = 0;

	decode_bytes_of_file(&in, index->fd, 0, index->bytes);
	while (decode_bytes_left(&in)) {
		if (lane_stop_signal)
			return lane_error("interrupted");
		r->packet_at = in.at;
		if (!file_number(&in, &key) || key != (1 << 3 | 2) || !file_number(&in, &n)) {
			pftrace_index_cut(r, "no packet begins here");
			return NULL;
		}
		if (n > decode_bytes_left(&in)) {
			pftrace_index_cut(r, "the packet is cut off");
			return NULL;
		}
		if (n > PACKET_BYTES) {
			if (!decode_bytes_skip(&in, n))
				return lane_error("%s: it cannot be read", index->path);
			continue;
		}
		if (n > cap || !packet) {
			uint8_t *larger = realloc(packet, (size_t)n + 1);

			if (!larger)
				return &lane_enomem;
			packet = larger;
			cap = n;
		}
		r->base = packet;
		r->base_at = in.at;
		if (!decode_bytes_get(&in, packet, (size_t)n))
			return lane_error("%s: it cannot be read", index->path);
		if (!take_packet(r, decode_proto_of(packet, (size_t)n)))
			return lane_error("%s: more packets than there is memory for", index->path);
	}
	return NULL;
}

/* --- the end --- */

LANE_ORDER(compare_bundles, struct lane_pf_bundle,
	   LANE_UP(cpu) ?: LANE_UP(source) ?: LANE_UP(first_ns) ?: LANE_UP(order))

LANE_ORDER(compare_parts, struct lane_pf_part, LANE_UP(cpu) ?: LANE_UP(source))

LANE_ORDER(compare_threads, struct lane_pf_thread, LANE_UP(ns) ?: LANE_UP(tid))

/* False: no memory. */
static bool sort_bundles(struct packet_reader *r)
{
	struct lane_pf_index *index = r->index;
	size_t at = 0;

	/* A CPU of which only the kernel's counts are there may have had events. */
	for (uint32_t i = 0; i < index->n_cpus; i++)
		if (!index->cpus[i].n_parts && index->n_parts < MAX_PARTS &&
		    !pftrace_index_part_of(r, 0, i))
			return false;
	LANE_SORT(index->bundles, index->n_bundles, compare_bundles);
	LANE_SORT(index->parts, index->n_parts, compare_parts);
	for (size_t i = 0; i < index->n_parts; i++) {
		struct lane_pf_part *part = &index->parts[i];

		part->first = at;
		while (at < index->n_bundles && index->bundles[at].cpu == part->cpu &&
		       index->bundles[at].source == part->source)
			at++;
		part->n = at - part->first;
		part->is_lost |= part->n && part->drops != r->sources[part->source].drops;
	}
	index->first_ns = UINT64_MAX;
	for (size_t i = 0; i < index->n_bundles; i++)
		earlier(&index->first_ns, index->bundles[i].first_ns);
	return true;
}

/* Threads that were there before are told at the beginning; all on ftrace's clock. */
static void sort_threads(struct packet_reader *r)
{
	struct lane_pf_index *index = r->index;

	for (size_t i = 0; i < index->n_threads; i++) {
		struct lane_pf_thread *thread = &index->threads[i];

		thread->ns += (uint64_t)r->shift;
		if (thread->ns < index->first_ns || thread->ns > INT64_MAX)
			thread->ns = index->first_ns;
	}
	LANE_SORT(index->threads, index->n_threads, compare_threads);
}

/* Which kinds can be there: those that ftrace was asked for by their names. */
static void set_presence(struct packet_reader *r)
{
	uint8_t *presence = r->index->info.presence;

	if (!r->has_asked || r->has_asked_all)
		return;
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (!lane_is_derived((unsigned int)kind) && kind != LANE_STATEDUMP)
			presence[kind] =
				r->asked[kind] ? LANE_PRESENCE_RECORDED : LANE_PRESENCE_ABSENT;
}

struct lane_error *decode_pf_index_read(const char *path, int fd, const struct lane_names *names,
					struct lane_pf_index *index)
{
	struct packet_reader r = { .index = index };
	struct lane_error *err;
	struct stat st;

	index->path = path;
	index->fd = fd;
	if (fstat(fd, &st))
		return lane_error("%s: %s", path, strerror(errno));
	index->bytes = (uint64_t)st.st_size;
	strcpy(index->info.tracer, "perfetto");
	err = decode_pf_plans_init(&index->plans, names);
	if (!err)
		err = pftrace_index_read_file(&r);
	if (!err) {
		decode_pf_plans_done(&index->plans);
		index->info.epoch_offset_ns -= r.has_clocks ? r.shift : 0;
		if (!sort_bundles(&r))
			err = &lane_enomem;
		sort_threads(&r);
		set_presence(&r);
	}
	for (unsigned int i = 0; i < MAX_SOURCES; i++)
		free(r.sources[i].parts);
	if (err || index->n_bundles)
		return err;
	if (index->err)
		return LANE_TAKE(index->err);
	return lane_error("%s: it has no events of ftrace (Perfetto's data source linux.ftrace "
			  "records them)",
			  path);
}

void decode_pf_index_deinit(struct lane_pf_index *index)
{
	decode_pf_plans_deinit(&index->plans);
	lane_error_free(index->err);
	free(index->bundles);
	free(index->chunks);
	free(index->threads);
	free(index->cpus);
	free(index->parts);
}
