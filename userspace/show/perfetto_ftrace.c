// SPDX-License-Identifier: MIT
// Bundles of ftrace events and trees of processes, encoded as they come: base/ftrace.def has the
// numbers.
//
// Most events are switches and wake-ups. CompactSched has columns for them, which say of a switch
// only what comes: a switch whose thread is not the one that came last is written whole, so that
// whoever reads it notices.
#include "show/perfetto_ftrace.h"

#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/table.h"
#include "base/vector.h"

/* FtraceEventBundle, FtraceEvent, ProcessTree and TracePacket */
enum {
	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST = 3,
	BUNDLE_SCHED = 4,
	EVENT_TIMESTAMP = 1,
	EVENT_PID = 2,
	TREE_PROCESS = 1,
	TREE_THREAD = 2,
	PACKET_FTRACE = 1,
	PACKET_TREE = 2,
};

/* The columns of a CompactSched, by their numbers; NAMES is no column. */
enum column {
	SWITCH_NS = 1,
	SWITCH_STATE,
	SWITCH_TID,
	SWITCH_PRIO,
	NAMES,
	SWITCH_NAME,
	WAKING_NS,
	WAKING_TID,
	WAKING_CPU,
	WAKING_PRIO,
	WAKING_NAME,
	COLUMNS
};

enum {
	VARINT = 10,	   /* bytes, at most */
	MOST_EVENTS = 128, /* in a bundle */
	EVENT_BYTES = 512, /* of one event, at most */
	BUNDLE_BYTES = 8 << 10,
	TREE_BYTES = 8 << 10,
	MOST_FIELDS = 8,
	MOST_CPUS = 4096, /* that Perfetto tells apart */
	CACHED_NAMES = 64,
};

struct ftrace_field {
	const struct lane_field *is;
	unsigned int number;
};

/* How an event is written; id 0: it is not. */
struct ftrace_plan {
	uint32_t id;
	unsigned int n;
	struct ftrace_field fields[MOST_FIELDS];
};

/* What is held of a CPU. */
struct bundle {
	uint32_t cpu;
	bool is_lost;	   /* events before the first one were */
	int32_t tid, prio; /* who runs, as the last switch says; -1: not known */
	char comm[16];
	uint64_t last_ns[2];		/* of the columns of switches, of wake-ups */
	unsigned int n_events, n_sched; /* written whole; in columns */
	size_t n_bytes;
	uint8_t bytes[BUNDLE_BYTES]; /* whole events */
	size_t n_column[COLUMNS];
	uint8_t columns[COLUMNS][MOST_EVENTS * VARINT];
	uint32_t n_names;
	uint8_t names[MOST_EVENTS * 20];
	/* Which place in the names the last ones have, by the thread's number. */
	struct {
		uint32_t number; /* + 1 */
		char comm[16];
	} cached[CACHED_NAMES];
	size_t name_bytes;
};

struct lane_ftrace {
	struct lane_packets *to;
	struct ftrace_plan plans[LANE_KIND_COUNT];
	struct bundle **cpus;
	size_t n_cpus;
	struct lane_table threads; /* tid -> its process + 1, as it was told */
	size_t n_tree;
	uint8_t tree[TREE_BYTES];
	bool has_old_states; /* the states' bits are those of kernels before 4.14 */
};

/* --- protobuf's wire format --- */

static uint8_t *perfetto_ftrace_put_number(uint8_t *at, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at++ = (uint8_t)value;
	return at;
}

static uint8_t *put_field(uint8_t *at, unsigned int number, uint64_t value)
{
	return perfetto_ftrace_put_number(perfetto_ftrace_put_number(at, number << 3), value);
}

static uint8_t *put_bytes(uint8_t *at, unsigned int number, const void *bytes, size_t n)
{
	at = perfetto_ftrace_put_number(perfetto_ftrace_put_number(at, number << 3 | 2), n);
	return (uint8_t *)memcpy(at, bytes, n) + n;
}

/* A field of the kernel's text, which need not be clean. */
static uint8_t *perfetto_ftrace_put_text(uint8_t *at, unsigned int number, const char *text,
					 size_t size)
{
	char clean[LANE_RING_BYTES + 1] = "";

	memcpy(clean, text, size < LANE_RING_BYTES ? size : LANE_RING_BYTES);
	lane_clean(clean, LANE_CLEAN_LINE);
	return put_bytes(at, number, clean, strlen(clean));
}

/* --- plans --- */

static void make_plan(struct ftrace_plan *plan, const struct lane_kind_info *kind, uint32_t id,
		      const char *fields)
{
	plan->id = id;
	for (unsigned int number = 1; *fields; number++) {
		size_t length = strcspn(fields, " ");

		for (unsigned int i = 0; i < kind->n_fields && plan->n < MOST_FIELDS; i++)
			if (!strncmp(kind->fields[i].name, fields, length) &&
			    !kind->fields[i].name[length])
				plan->fields[plan->n++] =
					(struct ftrace_field){ &kind->fields[i], number };
		fields += length + (fields[length] == ' ');
	}
}

static void make_plans(struct lane_ftrace *f)
{
	static const struct {
		uint32_t id;
		const char *name, *fields;
	} written[] = {
#define FTRACE(id, name, fields) { id, name, fields },
#define FTRACE_READ(id, name, fields)
#include "base/ftrace.def"
#undef FTRACE
#undef FTRACE_READ
	};

	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
		int kind = lane_kind_by_name(written[i].name);

		make_plan(&f->plans[kind], &lane_kinds[kind], written[i].id, written[i].fields);
	}
}

/* --- what is held --- */

static void write_tree(struct lane_ftrace *f)
{
	if (f->n_tree)
		show_packet_pieces(f->to, PACKET_TREE, &(struct lane_piece){ f->tree, f->n_tree },
				   1);
	f->n_tree = 0;
}

/* The columns of a bundle behind each other, as one message. */
static size_t pack_columns(const struct bundle *b, struct lane_piece *pieces,
			   uint8_t heads[COLUMNS][2 * VARINT], unsigned int *n)
{
	size_t bytes = b->name_bytes;

	pieces[(*n)++] = (struct lane_piece){ b->names, b->name_bytes };
	for (unsigned int i = SWITCH_NS; i < COLUMNS; i++) {
		uint8_t *end;

		if (!b->n_column[i])
			continue;
		end = perfetto_ftrace_put_number(perfetto_ftrace_put_number(heads[i], i << 3 | 2),
						 b->n_column[i]);
		pieces[(*n)++] = (struct lane_piece){ heads[i], (size_t)(end - heads[i]) };
		pieces[(*n)++] = (struct lane_piece){ b->columns[i], b->n_column[i] };
		bytes += (size_t)(end - heads[i]) + b->n_column[i];
	}
	return bytes;
}

static void write_bundle(struct lane_ftrace *f, struct bundle *b)
{
	struct lane_piece pieces[3 + 2 * COLUMNS];
	uint8_t head[4 * VARINT], sched[2 * VARINT], heads[COLUMNS][2 * VARINT];
	uint8_t *end = put_field(head, BUNDLE_CPU, b->cpu);
	unsigned int n = 3;
	size_t bytes;

	if (!b->n_events && !b->n_sched)
		return;
	write_tree(f);
	if (b->is_lost)
		end = put_field(end, BUNDLE_LOST, 1);
	pieces[0] = (struct lane_piece){ head, (size_t)(end - head) };
	pieces[1] = (struct lane_piece){ b->bytes, b->n_bytes };
	bytes = pack_columns(b, pieces, heads, &n);
	end = perfetto_ftrace_put_number(perfetto_ftrace_put_number(sched, BUNDLE_SCHED << 3 | 2),
					 bytes);
	pieces[2] = (struct lane_piece){ sched, (size_t)(end - sched) };
	show_packet_pieces(f->to, PACKET_FTRACE, pieces, b->n_sched ? n : 2);
	b->is_lost = false;
	b->n_events = b->n_sched = b->n_names = 0;
	b->n_bytes = b->name_bytes = 0;
	memset(b->n_column, 0, sizeof(b->n_column));
	memset(b->last_ns, 0, sizeof(b->last_ns));
	memset(b->cached, 0, sizeof(b->cached));
}

/* NULL: no memory. */
static struct bundle *bundle_of(struct lane_ftrace *f, uint32_t cpu)
{
	if (!LANE_GROW(f->cpus, f->n_cpus, (size_t)cpu + 1))
		return NULL;
	if (!f->cpus[cpu]) {
		f->cpus[cpu] = calloc(1, sizeof(*f->cpus[cpu]));
		if (f->cpus[cpu]) {
			f->cpus[cpu]->cpu = cpu;
			f->cpus[cpu]->tid = -1;
		}
	}
	return f->cpus[cpu];
}

/* --- events --- */

static uint64_t number_in(const struct lane_event *event, const struct lane_field *field)
{
	const char *at = (const char *)&event->u + field->offset;
	uint32_t number = 0;
	uint64_t wide;

	if (field->size == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&number, at, field->size);
	return field->type == LANE_TYPE_s32 ? (uint64_t)(int64_t)(int32_t)number : number;
}

/* Fields that say that they are not known are left out. */
static bool is_unknown(const struct lane_field *field, uint64_t value)
{
	switch (field->type) {
	case LANE_TYPE_u32:
		return value == LANE_CPU_UNKNOWN;
	case LANE_TYPE_s32:
		return (int64_t)value == -1 && strstr(field->name, "tid");
	default:
		return value == (uint64_t)LANE_STATE_UNKNOWN || value == UINT64_MAX;
	}
}

/* A state as the release's kernel told it that the trace names; norm/ has made all alike. */
static uint64_t perfetto_ftrace_state_of(const struct lane_ftrace *f, uint64_t state)
{
	enum {
		PARKED = 0x40,
		IDLE = 0x80,
		OLD_PARKED = 0x200,
		OLD_IDLE = 0x402, /* UNINTERRUPTIBLE and NOLOAD */
	};

	if (f->has_old_states && (state == PARKED || state == IDLE))
		return state == IDLE ? OLD_IDLE : OLD_PARKED;
	return state;
}

static void write_whole(struct lane_ftrace *f, struct bundle *b, const struct ftrace_plan *plan,
			const struct lane_event *event)
{
	uint8_t fields[EVENT_BYTES], body[EVENT_BYTES + 6 * VARINT], *at = fields;
	int32_t tid = event->wire.tid >= 0 ? event->wire.tid : b->tid;

	for (unsigned int i = 0; i < plan->n; i++) {
		const struct lane_field *field = plan->fields[i].is;
		uint64_t value;

		if (lane_type_is_text(field->type)) {
			const char *text = (const char *)&event->u + field->offset;

			if (*text)
				at = perfetto_ftrace_put_text(at, plan->fields[i].number, text,
							      field->size);
			continue;
		}
		value = number_in(event, field);
		if (event->wire.kind == LANE_SWITCH &&
		    field->offset == offsetof(struct lane_p_sched_switch, prev_state))
			value = perfetto_ftrace_state_of(f, value);
		if (!is_unknown(field, value))
			at = put_field(at, plan->fields[i].number, value);
	}
	at = put_bytes(put_field(put_field(body, EVENT_TIMESTAMP, event->wire.ts_ns), EVENT_PID,
				 tid > 0 ? (uint32_t)tid : 0),
		       plan->id, fields, (size_t)(at - fields));
	at = put_bytes(b->bytes + b->n_bytes, BUNDLE_EVENT, body, (size_t)(at - body));
	b->n_bytes = (size_t)(at - b->bytes);
	b->n_events++;
}

static void perfetto_ftrace_add(struct bundle *b, enum column column, uint64_t value)
{
	uint8_t *at = b->columns[column] + b->n_column[column];

	b->n_column[column] += (size_t)(perfetto_ftrace_put_number(at, value) - at);
}

/* The place of a thread's name in the bundle's names. */
static uint32_t name_in(struct bundle *b, int32_t tid, const char *comm)
{
	uint32_t slot = (uint32_t)tid % CACHED_NAMES;

	if (b->cached[slot].number && !memcmp(b->cached[slot].comm, comm, 16))
		return b->cached[slot].number - 1;
	memcpy(b->cached[slot].comm, comm, 16);
	b->name_bytes =
		(size_t)(perfetto_ftrace_put_text(b->names + b->name_bytes, NAMES, comm, 16) -
			 b->names);
	b->cached[slot].number = ++b->n_names;
	return b->n_names - 1;
}

static void perfetto_ftrace_add_time(struct bundle *b, enum column column, uint64_t *last_ns,
				     uint64_t at_ns)
{
	perfetto_ftrace_add(b, column, at_ns - *last_ns);
	*last_ns = at_ns;
	b->n_sched++;
}

static void write_switch(struct lane_ftrace *f, struct bundle *b, const struct lane_event *event)
{
	const struct lane_p_sched_switch *sw = &event->u.sched_switch;

	if (sw->prev_tid < 0 || sw->next_tid < 0) {
		b->tid = -1;
		return;
	}
	if (sw->prev_tid != b->tid || sw->prev_prio != b->prio || sw->prev_state < 0 ||
	    (*sw->prev_comm && memcmp(sw->prev_comm, b->comm, sizeof(b->comm)))) {
		write_whole(f, b, &f->plans[LANE_SWITCH], event);
	} else {
		perfetto_ftrace_add_time(b, SWITCH_NS, &b->last_ns[0], event->wire.ts_ns);
		perfetto_ftrace_add(b, SWITCH_STATE,
				    perfetto_ftrace_state_of(f, (uint64_t)sw->prev_state));
		perfetto_ftrace_add(b, SWITCH_TID, (uint64_t)(int64_t)sw->next_tid);
		perfetto_ftrace_add(b, SWITCH_PRIO, (uint64_t)(int64_t)sw->next_prio);
		perfetto_ftrace_add(b, SWITCH_NAME, name_in(b, sw->next_tid, sw->next_comm));
	}
	b->tid = sw->next_tid;
	b->prio = sw->next_prio;
	memcpy(b->comm, sw->next_comm, sizeof(b->comm));
}

static void write_waking(struct lane_ftrace *f, struct bundle *b, const struct lane_event *event)
{
	const struct lane_p_sched_waking *waking = &event->u.sched_waking;

	if (waking->tid < 0)
		return;
	if (event->wire.tid < 0 || event->wire.tid != b->tid ||
	    waking->target_cpu == LANE_CPU_UNKNOWN) {
		write_whole(f, b, &f->plans[LANE_WAKING], event);
		return;
	}
	perfetto_ftrace_add_time(b, WAKING_NS, &b->last_ns[1], event->wire.ts_ns);
	perfetto_ftrace_add(b, WAKING_TID, (uint64_t)(int64_t)waking->tid);
	perfetto_ftrace_add(b, WAKING_CPU, waking->target_cpu);
	perfetto_ftrace_add(b, WAKING_PRIO, (uint64_t)(int64_t)waking->prio);
	perfetto_ftrace_add(b, WAKING_NAME, name_in(b, waking->tid, waking->comm));
}

/* --- threads and processes --- */

static void add_to_tree(struct lane_ftrace *f, unsigned int what, const uint8_t *message,
			const uint8_t *end)
{
	if (f->n_tree + EVENT_BYTES > sizeof(f->tree))
		write_tree(f);
	f->n_tree =
		(size_t)(put_bytes(f->tree + f->n_tree, what, message, (size_t)(end - message)) -
			 f->tree);
}

/* A thread and, where it is the first of its process, that. A name of its own is all that is known
 * of a process. */
static bool add_thread(struct lane_ftrace *f, int32_t tid, int32_t pid, const char *comm,
		       int32_t parent)
{
	enum {
		PID = 1,
		PARENT = 2,
		CMDLINE = 3,
		IS_COMM = 9,
		TID = 1,
		NAME = 2,
		TGID = 3,
	};
	uint8_t message[EVENT_BYTES], *at;

	if (tid <= 0 || pid <= 0)
		return true;
	if (tid == pid) {
		at = put_field(message, PID, (uint32_t)pid);
		if (parent >= 0)
			at = put_field(at, PARENT, (uint32_t)parent);
		if (*comm)
			at = put_field(perfetto_ftrace_put_text(at, CMDLINE, comm, 16), IS_COMM, 1);
		add_to_tree(f, TREE_PROCESS, message, at);
	} else {
		at = put_field(message, TID, (uint32_t)tid);
		if (*comm)
			at = perfetto_ftrace_put_text(at, NAME, comm, 16);
		add_to_tree(f, TREE_THREAD, message, put_field(at, TGID, (uint32_t)pid));
	}
	lane_table_del(&f->threads, (uint32_t)tid, 0);
	return lane_table_put(&f->threads, (uint32_t)tid, 0, (void *)((uintptr_t)pid + 1));
}

/* The process is another program from now on, which the kernel calls by its file's name. */
static bool add_program(struct lane_ftrace *f, const struct lane_p_sched_process_exec *exec)
{
	char path[sizeof(exec->filename) + 1] = "", comm[16] = "";
	const char *name;

	memcpy(path, exec->filename, sizeof(exec->filename));
	name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	memcpy(comm, name, strnlen(name, sizeof(comm) - 1));
	return add_thread(f, exec->tid, exec->tid, comm, -1);
}

/* False: no memory. */
static bool learn_thread(struct lane_ftrace *f, const struct lane_event *event)
{
	const struct lane_p_lttng_statedump_process_state *was =
		&event->u.lttng_statedump_process_state;
	const struct lane_p_sched_process_fork *fork = &event->u.sched_process_fork;
	uintptr_t known;

	if (event->wire.kind == LANE_STATEDUMP)
		return add_thread(f, was->tid, was->pid, was->name, was->ppid);
	if (event->wire.kind == LANE_FORK)
		return add_thread(f, fork->child_tid, fork->child_pid, fork->child_comm,
				  fork->parent_pid);
	if (event->wire.kind == LANE_EXEC)
		return add_program(f, &event->u.sched_process_exec);
	if (event->wire.tid <= 0 || event->wire.pid <= 0)
		return true;
	known = (uintptr_t)lane_table_get(&f->threads, (uint32_t)event->wire.tid, 0);
	return known == (uintptr_t)event->wire.pid + 1 ||
	       add_thread(f, event->wire.tid, event->wire.pid, "", -1);
}

/* --- the whole --- */

struct lane_error *show_ftrace_create(struct lane_packets *to, const struct lane_trace_info *info,
				      struct lane_ftrace **ftrace)
{
	struct lane_ftrace *f = *ftrace = calloc(1, sizeof(*f));
	unsigned int major = 0, minor = 0;

	if (!f)
		return &lane_enomem;
	f->to = to;
	f->has_old_states = sscanf(info->release, "%u.%u", &major, &minor) != 2 || major < 4 ||
			    (major == 4 && minor < 14);
	make_plans(f);
	return NULL;
}

static void lose(struct lane_ftrace *f, int32_t cpu)
{
	for (size_t i = 0; i < f->n_cpus; i++)
		if (f->cpus[i] && (cpu < 0 || (size_t)cpu == i)) {
			write_bundle(f, f->cpus[i]);
			f->cpus[i]->is_lost = true;
			f->cpus[i]->tid = -1;
		}
}

/* User space submits to a long-running queue past the kernel: its jobs are no runs of the ring. */
static bool is_burst(const struct lane_event *event)
{
	return event->wire.kind == LANE_DRM_RUN &&
	       event->u.drm_sched_job_run.queue_flags & LANE_QUEUE_LONG_RUNNING;
}

struct lane_error *show_ftrace_event(struct lane_ftrace *f, const struct lane_event *event)
{
	const struct ftrace_plan *plan = &f->plans[event->wire.kind];
	struct bundle *b;

	if (event->wire.kind == LANE_LOST)
		lose(f, event->u.gpulane_lost.lost_cpu);
	if (!learn_thread(f, event))
		return &lane_enomem;
	if (!plan->id || event->cpu < 0 || event->cpu >= MOST_CPUS || is_burst(event))
		return NULL;
	b = bundle_of(f, (uint32_t)event->cpu);
	if (!b)
		return &lane_enomem;
	if (event->wire.kind == LANE_SWITCH)
		write_switch(f, b, event);
	else if (event->wire.kind == LANE_WAKING)
		write_waking(f, b, event);
	else
		write_whole(f, b, plan, event);
	if (b->n_events + b->n_sched == MOST_EVENTS ||
	    b->n_bytes + EVENT_BYTES + 8 * VARINT > sizeof(b->bytes))
		write_bundle(f, b);
	return NULL;
}

void show_ftrace_finish(struct lane_ftrace *f)
{
	write_tree(f);
	for (size_t i = 0; i < f->n_cpus; i++)
		if (f->cpus[i])
			write_bundle(f, f->cpus[i]);
}

void show_ftrace_destroy(struct lane_ftrace *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_cpus; i++)
		free(f->cpus[i]);
	free(f->cpus);
	lane_table_free(&f->threads);
	free(f);
}
