// SPDX-License-Identifier: MIT
// Reads the head of a trace.dat, versions 6 and 7: formats, options, where each CPU's pages are.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "decode/trace_dat.h"
#include "decode/tracing_data.h"

/* trace-cmd's numbers of options, and of sections. */
enum {
	OPTION_DONE = 0,
	OPTION_DATE = 1,
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_VERSION = 9,
	OPTION_TSC2NSEC = 14,
	OPTION_HEADER_INFO = 16,
	OPTION_EVENT_FORMATS = 18,
	OPTION_KALLSYMS = 19,
	OPTION_BUFFER_TEXT = 22,
};

enum {
	MAGIC_BYTES = 10,
	UNPACKED_BYTES = 64 << 20, /* all sections of the head together, unpacked */
	SYMBOLS_BYTES = 32 << 20,  /* no kernel has as many */
	OPTION_BYTES = 64 << 10, /* no option that is read is larger; a buffer's grows with CPUs */
	ASKED_SYSTEMS = 16,	 /* nobody names more of them */
	PACKED = 1,
	CHUNK_COUNT_BYTES = 4, /* before the chunks, not counted in their size */
};

/* What a head is read with. */
struct head_reader {
	struct lane_dat_head *head;
	struct lane_bytes file;
	struct lane_bytes *in; /* the file, or a section that was unpacked */
	const char *part;
	uint8_t *option;
	uint64_t opened,
		unpacked; /* bytes of sections so far, whatever was opened before included */
};

static struct lane_error *trace_dat_head_bad(const struct head_reader *r, const char *why)
{
	return lane_error("%s: %sbyte %" PRIu64 ": %s", r->head->path, r->part, r->in->at, why);
}

static struct lane_error *cut_off(const struct head_reader *r)
{
	return trace_dat_head_bad(r, "it is cut off (was the recording completed?)");
}

static struct lane_error *add_part(struct head_reader *r, const struct lane_dat_part *part)
{
	struct lane_dat_head *head = r->head;

	if (part->cpu < 0 || part->cpu >= LANE_DAT_CPUS || head->n_parts == LANE_DAT_CPUS)
		return trace_dat_head_bad(r, "more CPUs than can be");
	if (part->at > part->end || part->end > head->bytes)
		return lane_error("%s: the events of CPU %d are to be at byte %" PRIu64
				  ", which is behind the file's end (is it cut off?)",
				  head->path, part->cpu,
				  part->at > part->end ? part->at : part->end);
	if (!LANE_GROW_BY_ONE(head->parts, head->n_parts))
		return &lane_enomem;
	head->parts[head->n_parts++] = *part;
	return NULL;
}

static struct lane_error *add_buffer(struct head_reader *r, const char *name)
{
	struct lane_dat_head *head = r->head;

	if (head->n_buffers == LANE_DAT_BUFFERS)
		return trace_dat_head_bad(r, "more buffers than can be");
	if (!LANE_GROW_BY_ONE(head->buffers, head->n_buffers))
		return &lane_enomem;
	snprintf(head->buffers[head->n_buffers++].name, sizeof(head->buffers->name), "%s", name);
	return NULL;
}

/* Version 6: by CPU, the place and the size of its pages. */
static struct lane_error *read_flyrecord(struct head_reader *r, uint32_t cpus, const char *name)
{
	struct lane_error *err = add_buffer(r, name);

	for (uint32_t i = 0; !err && i < cpus; i++) {
		struct lane_dat_part part = { .cpu = (int32_t)(i & INT32_MAX),
					      .buffer = r->head->n_buffers - 1,
					      .page_bytes = r->head->page_bytes };
		uint64_t bytes;

		if (!decode_bytes_u64(r->in, &part.at) || !decode_bytes_u64(r->in, &bytes))
			return cut_off(r);
		if (bytes > UINT64_MAX - part.at)
			return trace_dat_head_bad(r, "the size of a CPU's events is damaged");
		part.end = part.at + bytes;
		err = add_part(r, &part);
	}
	return err;
}

/* The word in brackets: `local [mono] boot`; or the only one. */
static void trace_dat_head_take_clock(struct lane_dat_head *head, const char *text)
{
	const char *at = strchr(text, '[');
	size_t n = at ? strcspn(at + 1, "] \n") : strcspn(text, " \n");

	if (at)
		text = at + 1;
	if (n < sizeof(head->clock)) {
		memcpy(head->clock, text, n);
		head->clock[n] = '\0';
	}
}

/* `Linux host 6.1.0 x86_64` */
static void take_uname(struct lane_trace_info *info, const char *text)
{
	sscanf(text, "%*s %64s %64s", info->host, info->release);
}

static uint64_t stat_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* A clock of nanoseconds is told as `now ts:     7.721357`, rounded; another one by its ticks. */
static uint64_t now_of(const char *text)
{
	static const char key[] = "\nnow ts: ";
	const char *at = strstr(text, key);
	char *rest;
	uint64_t now = at ? strtoull(at + sizeof(key) - 1, &rest, 10) : 0;

	return at && *rest == '.' ? now * 1000000000 + strtoull(rest + 1, NULL, 10) * 1000 + 500
				  : now;
}

/* `CPU: 0` and what the kernel counts of its buffer, a line each. */
static struct lane_error *trace_dat_head_take_stats(struct lane_dat_head *head, const char *text)
{
	uint64_t cpu = stat_of(text, "CPU: ");

	if (!head->stats) {
		head->stats = calloc(LANE_DAT_CPUS, sizeof(*head->stats));
		if (!head->stats)
			return &lane_enomem;
	}
	if (cpu < LANE_DAT_CPUS)
		head->stats[cpu] = (struct lane_dat_stats){
			.lost = stat_of(text, "\noverrun: ") + stat_of(text, "\ndropped events: "),
			.until = now_of(text),
		};
	return NULL;
}

static struct lane_error *take_option(struct head_reader *r, unsigned int id, size_t bytes)
{
	struct lane_dat_head *head = r->head;
	const char *text = (const char *)r->option; /* a NUL was put behind it */

	switch (id) {
	case OPTION_DATE:
		/* microseconds */
		head->info.epoch_offset_ns = (int64_t)((uint64_t)strtoll(text, NULL, 0) * 1000u);
		break;
	case OPTION_CPUSTAT:
		return trace_dat_head_take_stats(head, text);
	case OPTION_TRACECLOCK:
		trace_dat_head_take_clock(head, text);
		break;
	case OPTION_UNAME:
		take_uname(&head->info, text);
		break;
	case OPTION_VERSION:
		snprintf(head->info.tracer_version, sizeof(head->info.tracer_version), "%.*s",
			 (int)strcspn(text, " \n"), text);
		break;
	case OPTION_TSC2NSEC:
		if (bytes < 16)
			break;
		memcpy(&head->tsc_mult, text, 4);
		memcpy(&head->tsc_shift, text + 4, 4);
		memcpy(&head->tsc_offset, text + 8, 8);
		break;
	default:
		break;
	}
	return NULL;
}

/* The next option: its number, and its data with a NUL behind it. */
static struct lane_error *get_option(struct head_reader *r, uint16_t *id, uint32_t *bytes)
{
	*bytes = 0;
	if (!decode_bytes_u16(r->in, id))
		return cut_off(r);
	if (*id == OPTION_DONE && r->head->version == 6)
		return NULL;
	if (!decode_bytes_u32(r->in, bytes) || *bytes > decode_bytes_left(r->in))
		return cut_off(r);
	if (*bytes > OPTION_BYTES) {
		/* Of those that are read only a buffer's can be as large. */
		if (*id == OPTION_BUFFER)
			return trace_dat_head_bad(r, "an option is too large");
		*id = UINT16_MAX;
		if (!decode_bytes_skip(r->in, *bytes))
			return cut_off(r);
		*bytes = 0;
		return NULL;
	}
	if (!decode_bytes_get(r->in, r->option, *bytes))
		return cut_off(r);
	r->option[*bytes] = '\0';
	return NULL;
}

/* Version 6: a buffer beside the top one lies at a place of its own. */
static struct lane_error *find_buffer_6(struct head_reader *r, uint64_t at)
{
	char word[MAGIC_BYTES];

	decode_bytes_of_file(r->in, r->head->fd, at, r->head->bytes);
	if (!decode_bytes_get(r->in, word, sizeof(word)))
		return cut_off(r);
	if (memcmp(word, "flyrecord", sizeof(word)) != 0)
		return trace_dat_head_bad(r, "a buffer's events are not there");
	return NULL;
}

struct part_place {
	uint64_t at;
	char name[LANE_DAT_NAME];
};

static struct lane_error *read_options_6(struct head_reader *r, uint32_t cpus)
{
	LANE_CLEANUP(lane_free) struct part_place *places = NULL;
	struct lane_error *err;
	uint32_t n = 0, bytes;
	char word[MAGIC_BYTES];
	uint16_t id;

	for (;;) {
		err = get_option(r, &id, &bytes);
		if (err || id == OPTION_DONE)
			break;
		if (id == OPTION_BUFFER && bytes >= 9) {
			if (n == LANE_DAT_BUFFERS)
				return trace_dat_head_bad(r, "more buffers than can be");
			if (!LANE_GROW_BY_ONE(places, n))
				return &lane_enomem;
			memcpy(&places[n].at, r->option, 8);
			snprintf(places[n++].name, LANE_DAT_NAME, "%s",
				 (const char *)r->option + 8);
		}
		err = take_option(r, id, bytes);
		if (err)
			return err;
	}
	if (err)
		return err;
	if (!decode_bytes_get(r->in, word, sizeof(word)))
		return cut_off(r);
	if (!memcmp(word, "latency  ", sizeof(word)))
		r->head->has_text = true;
	else if (!memcmp(word, "flyrecord", sizeof(word)))
		err = read_flyrecord(r, cpus, "");
	else
		err = trace_dat_head_bad(r, "neither `flyrecord' nor `latency' is there");
	for (uint32_t i = 0; !err && i < n; i++) {
		err = find_buffer_6(r, places[i].at);
		if (!err)
			err = read_flyrecord(r, cpus, places[i].name);
	}
	return err;
}

/* Sizes and texts: of the kernel's symbols, of its printk formats, of names. */
static struct lane_error *skip_texts(struct head_reader *r)
{
	uint32_t small;
	uint64_t large;

	r->head->symbols_at = r->in->at;
	for (int i = 0; i < 2; i++)
		if (!decode_bytes_u32(r->in, &small) || !decode_bytes_skip(r->in, small))
			return cut_off(r);
	if (!decode_bytes_u64(r->in, &large) || !decode_bytes_skip(r->in, large))
		return cut_off(r);
	return NULL;
}

static struct lane_error *read_6(struct head_reader *r)
{
	struct lane_tracing_data data = {
		r->head->path, r->part, r->in, &r->head->tracepoints, 8, 0
	};
	char word[MAGIC_BYTES];
	struct lane_error *err;
	uint32_t cpus;

	err = decode_tracing_pages(&data);
	if (!err)
		err = decode_tracing_own(&data);
	if (!err)
		err = decode_tracing_formats(&data);
	if (!err)
		err = skip_texts(r);
	if (err)
		return err;
	r->head->long_bytes = data.long_bytes;
	r->head->n_systems = data.n_systems;
	r->head->has_formats = true;
	if (!decode_bytes_u32(r->in, &cpus) || !decode_bytes_get(r->in, word, sizeof(word)))
		return cut_off(r);
	if (cpus > LANE_DAT_CPUS)
		return trace_dat_head_bad(r, "more CPUs than can be");
	if (!memcmp(word, "options  ", sizeof(word)))
		return read_options_6(r, cpus);
	if (!memcmp(word, "flyrecord", sizeof(word)))
		return read_flyrecord(r, cpus, "");
	if (memcmp(word, "latency  ", sizeof(word)) != 0)
		return trace_dat_head_bad(r,
					  "neither `options', `flyrecord' nor `latency' is there");
	r->head->has_text = true;
	return NULL;
}

/* A section of version 7: its bytes as they are in the file, or unpacked into memory. */
struct dat_section {
	uint16_t id, flags;
	struct lane_bytes bytes;
	uint8_t *memory;
};

static void free_section(struct dat_section *section)
{
	free(section->memory);
}

static struct lane_error *unpack_section(struct head_reader *r, struct dat_section *section,
					 uint64_t size)
{
	LANE_CLEANUP(lane_free) uint8_t *packed = NULL;
	struct lane_bytes *in = &section->bytes;
	uint32_t n, unpacked;

	if (size < 8 || !decode_bytes_u32(in, &n) || !decode_bytes_u32(in, &unpacked) ||
	    n > size - 8)
		return lane_error("%s: byte %" PRIu64 ": a section is cut off", r->head->path,
				  in->at);
	r->unpacked += unpacked;
	if (r->unpacked > UNPACKED_BYTES)
		return lane_error("%s: byte %" PRIu64 ": its sections unpack to more than %d MiB",
				  r->head->path, in->at, UNPACKED_BYTES >> 20);
	packed = malloc((size_t)n + 1);
	section->memory = malloc((size_t)unpacked + 1);
	if (!packed || !section->memory)
		return &lane_enomem;
	if (!decode_bytes_get(in, packed, n) ||
	    !decode_unpack(r->head->packing, packed, n, section->memory, unpacked))
		return lane_error("%s: byte %" PRIu64 ": a compressed section is damaged",
				  r->head->path, in->at);
	decode_bytes_of_memory(in, section->memory, unpacked);
	return NULL;
}

/* Opens the section at that place, which has to be of that number. */
static struct lane_error *open_section(struct head_reader *r, uint64_t at, uint16_t id,
				       struct dat_section *section)
{
	uint32_t name;
	uint64_t size;

	section->memory = NULL;
	if (at > r->head->bytes)
		return lane_error("%s: a section is to be at byte %" PRIu64
				  ", which is behind the file's end (is it cut off?)",
				  r->head->path, at);
	decode_bytes_of_file(&section->bytes, r->head->fd, at, r->head->bytes);
	if (!decode_bytes_u16(&section->bytes, &section->id) ||
	    !decode_bytes_u16(&section->bytes, &section->flags) ||
	    !decode_bytes_u32(&section->bytes, &name) ||
	    !decode_bytes_u64(&section->bytes, &size) || section->id != id ||
	    size > decode_bytes_left(&section->bytes))
		return lane_error("%s: byte %" PRIu64
				  ": section %u is not there, or cut off (is the file damaged?)",
				  r->head->path, at, id);
	section->bytes.end = section->bytes.at + size;
	r->opened += size;
	if (r->opened > r->head->bytes)
		return lane_error("%s: byte %" PRIu64
				  ": its sections lie in each other, or go round in a circle",
				  r->head->path, at);
	return section->flags & PACKED ? unpack_section(r, section, size) : NULL;
}

static struct lane_error *read_formats_7(struct head_reader *r, uint16_t id)
{
	LANE_CLEANUP(free_section) struct dat_section section = { 0 };
	struct lane_tracing_data data = { r->head->path,
					  id == OPTION_HEADER_INFO ? "the head of the pages: "
								   : "the formats of events: ",
					  &section.bytes,
					  &r->head->tracepoints,
					  8,
					  0 };
	struct lane_error *err;
	uint64_t at;

	memcpy(&at, r->option, sizeof(at));
	err = open_section(r, at, id, &section);
	if (err)
		return err;
	if (id == OPTION_HEADER_INFO) {
		err = decode_tracing_pages(&data);
		r->head->long_bytes = data.long_bytes;
		return err;
	}
	if (r->head->has_formats)
		return trace_dat_head_bad(r, "there are two sections with the formats of events");
	r->head->has_formats = true;
	err = decode_tracing_formats(&data);
	r->head->n_systems = data.n_systems;
	return err;
}

/* A buffer of version 7: its section's place, name, clock, page size, and each CPU's pages. */
static struct lane_error *read_buffer_7(struct head_reader *r, size_t bytes)
{
	LANE_CLEANUP(free_section) struct dat_section section = { 0 };
	struct lane_bytes in;
	uint32_t page_bytes, cpus, cpu;
	char name[256], clock[64];
	struct lane_error *err;
	uint64_t at, size;

	decode_bytes_of_memory(&in, r->option, bytes);
	if (!decode_bytes_u64(&in, &at) || !decode_bytes_text(&in, name, sizeof(name)) ||
	    !decode_bytes_text(&in, clock, sizeof(clock)) || !decode_bytes_u32(&in, &page_bytes) ||
	    !decode_bytes_u32(&in, &cpus))
		return trace_dat_head_bad(r, "what is said of a buffer is damaged");
	if (page_bytes < 64 || page_bytes > LANE_DAT_PAGE)
		return trace_dat_head_bad(r, "the size of a buffer's pages is damaged");
	if (*clock)
		trace_dat_head_take_clock(r->head, clock);
	/* The section's head says whether it is compressed; its data are in chunks then. */
	decode_bytes_of_file(&section.bytes, r->head->fd, at, r->head->bytes);
	if (at > r->head->bytes || !decode_bytes_u16(&section.bytes, &section.id) ||
	    !decode_bytes_u16(&section.bytes, &section.flags) || section.id != OPTION_BUFFER)
		return lane_error("%s: byte %" PRIu64
				  ": a buffer is not there (is the file cut off?)",
				  r->head->path, at);
	err = add_buffer(r, name);
	for (uint32_t i = 0; !err && i < cpus; i++) {
		struct lane_dat_part part = { .buffer = r->head->n_buffers - 1,
					      .page_bytes = page_bytes,
					      .is_packed = section.flags & PACKED };

		if (!decode_bytes_u32(&in, &cpu) || !decode_bytes_u64(&in, &part.at) ||
		    !decode_bytes_u64(&in, &size))
			return trace_dat_head_bad(r, "what is said of a buffer is cut off");
		if (size > UINT64_MAX - CHUNK_COUNT_BYTES - part.at)
			return trace_dat_head_bad(r, "the size of a CPU's events is damaged");
		part.cpu = (int32_t)(cpu & INT32_MAX);
		part.end = part.at + size + (part.is_packed ? CHUNK_COUNT_BYTES : 0);
		if (size)
			err = add_part(r, &part);
	}
	return err;
}

/* The options of one section; *next is the place of the section behind it, 0: there is none. */
static struct lane_error *read_options_7(struct head_reader *r, uint64_t at, uint64_t *next)
{
	LANE_CLEANUP(free_section) struct dat_section section = { 0 };
	struct lane_error *err = open_section(r, at, OPTION_DONE, &section);
	uint32_t bytes;
	uint16_t id;

	*next = 0;
	if (err)
		return err;
	r->in = &section.bytes;
	r->part = "options: ";
	while (!err) {
		err = get_option(r, &id, &bytes);
		if (err)
			break;
		if (id == OPTION_DONE) {
			if (bytes >= sizeof(*next))
				memcpy(next, r->option, sizeof(*next));
			break;
		}
		if ((id == OPTION_HEADER_INFO || id == OPTION_EVENT_FORMATS) && bytes >= 8)
			err = read_formats_7(r, id);
		else if (id == OPTION_KALLSYMS && bytes >= sizeof(r->head->symbols_at))
			memcpy(&r->head->symbols_at, r->option, sizeof(r->head->symbols_at));
		else if (id == OPTION_BUFFER)
			err = read_buffer_7(r, bytes);
		else if (id == OPTION_BUFFER_TEXT)
			r->head->has_text = true;
		else
			err = take_option(r, id, bytes);
	}
	r->in = &r->file;
	r->part = "";
	return err;
}

static struct lane_error *read_7(struct head_reader *r)
{
	struct lane_error *err = NULL;
	char name[32], version[32];
	uint64_t at;

	if (!decode_bytes_text(r->in, name, sizeof(name)) ||
	    !decode_bytes_text(r->in, version, sizeof(version)) || !decode_bytes_u64(r->in, &at))
		return cut_off(r);
	if (!strcmp(name, "zstd"))
		r->head->packing = LANE_PACKING_ZSTD;
	else if (!strcmp(name, "zlib"))
		r->head->packing = LANE_PACKING_ZLIB;
	else if (strcmp(name, "none") != 0)
		return lane_error("%s: compressed by `%s', which is not known (record with "
				  "`trace-cmd record --compression zstd')",
				  r->head->path, name);
	while (!err && at)
		err = read_options_7(r, at, &at);
	return err;
}

/* What is before the version's own part. */
static struct lane_error *read_begin(struct head_reader *r)
{
	struct lane_dat_head *head = r->head;
	char magic[MAGIC_BYTES], version[16];
	uint8_t order, word_bytes;

	if (!decode_bytes_get(r->in, magic, sizeof(magic)) ||
	    !decode_bytes_text(r->in, version, sizeof(version)) ||
	    !decode_bytes_get(r->in, &order, 1) || !decode_bytes_get(r->in, &word_bytes, 1) ||
	    !decode_bytes_u32(r->in, &head->page_bytes))
		return cut_off(r);
	head->version = (unsigned int)strtoul(version, NULL, 10);
	if (head->version != 6 && head->version != 7)
		return lane_error("%s: a trace.dat of version `%s'; only 6 and 7 can be read",
				  head->path, version);
	if (order)
		return lane_error("%s: a trace.dat of a big-endian machine, which cannot be read",
				  head->path);
	if (head->page_bytes < 64 || head->page_bytes > LANE_DAT_PAGE)
		return trace_dat_head_bad(r, "the size of its pages is damaged");
	return NULL;
}

/* Times must be times; what a cycle lasts is told beside other clocks, too. */
static struct lane_error *check_clock(const struct lane_dat_head *head)
{
	const char *clock = head->clock;

	if (!strcmp(clock, "counter") || !strcmp(clock, "uptime"))
		return lane_error("%s: it was recorded with the clock `%s', which tells no times "
				  "(record with `trace-cmd record -C mono')",
				  head->path, clock);
	if (head->tsc_shift >= 64)
		return lane_error("%s: no cycle lasts as short as it says (is it damaged?)",
				  head->path);
	if (!head->tsc_mult && (!strcmp(clock, "x86-tsc") || !strcmp(clock, "tsc2nsec")))
		return lane_error("%s: it was recorded with the clock `%s', and does not say how "
				  "long a cycle lasts (record with `trace-cmd record -C mono')",
				  head->path, clock);
	return NULL;
}

/*
 * trace-cmd extract copies the formats of all events of the kernel, whichever were recorded
 * (trace_extract() of tracecmd/trace-record.c): an event is known to be recorded when one comes.
 */
static void forget_recorded(struct lane_dat_head *head)
{
	uint8_t *presence = head->info.presence;

	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (presence[kind] == LANE_PRESENCE_RECORDED)
			presence[kind] = LANE_PRESENCE_UNKNOWN;
}

struct lane_error *decode_dat_head_read(const char *path, int fd, const struct lane_names *names,
					struct lane_dat_head *head)
{
	LANE_CLEANUP(lane_free) uint8_t *option = malloc(OPTION_BYTES + 1);
	LANE_CLEANUP(lane_free) struct head_reader *r = calloc(1, sizeof(*r));
	struct lane_error *err;
	struct stat st;

	if (!option || !r)
		return &lane_enomem;
	if (fstat(fd, &st))
		return lane_error("%s: it cannot be read", path);
	head->path = path;
	head->fd = fd;
	head->bytes = (uint64_t)st.st_size;
	head->long_bytes = 8;
	decode_tracepoints_init(&head->tracepoints, names);
	*r = (struct head_reader){ .head = head, .part = "", .option = option };
	r->in = &r->file;
	decode_bytes_of_file(r->in, fd, 0, head->bytes);
	err = read_begin(r);
	if (!err)
		err = head->version == 6 ? read_6(r) : read_7(r);
	if (!err)
		err = check_clock(head);
	if (err)
		return err;
	if (!head->has_formats)
		return lane_error("%s: it has no formats of events (is it damaged?)", path);
	if (!head->n_parts && head->has_text)
		return lane_error("%s: it holds a latency tracer's text and no events", path);
	strcpy(head->info.tracer, "trace-cmd");
	decode_tracepoints_presence(&head->tracepoints, head->info.presence);
	/* Whether stacks were asked for is not said. */
	head->info.presence[LANE_STACK] = head->info.presence[LANE_STACK_FRAME] =
		LANE_PRESENCE_UNKNOWN;
	if (head->n_systems > ASKED_SYSTEMS)
		forget_recorded(head);
	return decode_tracepoints_done(&head->tracepoints);
}

void decode_dat_functions(const struct lane_dat_head *head, struct lane_kernel_functions *functions)
{
	LANE_CLEANUP(free_section) struct dat_section section = { 0 };
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_dat_head reread = *head;
	struct head_reader r = { .head = &reread };
	struct lane_error *err = NULL;
	FILE *lines = NULL;
	uint32_t n;

	if (!head->symbols_at || head->symbols_at > head->bytes)
		return;
	if (head->version == 6)
		decode_bytes_of_file(&section.bytes, head->fd, head->symbols_at, head->bytes);
	else
		err = open_section(&r, head->symbols_at, OPTION_KALLSYMS, &section);
	if (!err && decode_bytes_u32(&section.bytes, &n) && n && n <= SYMBOLS_BYTES &&
	    n <= decode_bytes_left(&section.bytes))
		text = malloc(n);
	if (text && decode_bytes_get(&section.bytes, text, n))
		lines = fmemopen(text, n, "r");
	if (lines) {
		err = lane_kernel_functions_read(lines, functions);
		fclose(lines);
	}
	if (err) /* addresses are told without names then */
		lane_kernel_functions_free(functions);
	lane_error_free(err);
}

void decode_dat_head_deinit(struct lane_dat_head *head)
{
	decode_tracepoints_deinit(&head->tracepoints);
	free(head->buffers);
	free(head->parts);
	free(head->stats);
}
