// SPDX-License-Identifier: MIT
// Reads the head of a perf.data: the events that were asked for, their formats, the features.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "decode/perf_data.h"
#include "decode/tracing_data.h"

/* perf's HEADER_* */
enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCK_DATA = 29,
	FEATURES = 256,
};

enum {
	FILE_HEAD = 104, /* of a file; what comes through a pipe has PIPE_HEAD */
	PIPE_HEAD = 16,
	ATTR_MIN = 64, /* PERF_ATTR_SIZE_VER0 */
	ATTR_MAX = 4096,
	ATTRS = 1 << 16,
	IDS = 1 << 20,
	FEATURE_BYTES = 4096, /* of one that is read */
	ENABLE_ON_EXEC_BIT = 12,
	SAMPLE_ID_ALL_BIT = 18,
	WRITE_BACKWARD_BIT = 27,
	BUILD_ID_SIZE_BIT = 15,
	COMPRESSED_ZSTD = 1,
	FORMAT_MAGIC = 10,
};

struct file_section {
	uint64_t at, bytes;
};

struct file_head {
	char magic[8];
	uint64_t size, attr_size;
	struct file_section attrs, data, event_types;
	uint64_t features[FEATURES / 64];
};

_Static_assert(sizeof(struct file_head) == FILE_HEAD, "as in the file");

static struct lane_error *perf_head_bad(const struct lane_perf_head *head, uint64_t at,
					const char *why)
{
	return lane_error("%s: byte %" PRIu64 ": %s", head->path, at, why);
}

static bool perf_head_lies_in(const struct lane_perf_head *head, const struct file_section *section)
{
	return section->at <= head->bytes && section->bytes <= head->bytes - section->at;
}

const struct lane_perf_attr *decode_perf_head_find(const struct lane_perf_head *head, uint64_t id)
{
	uintptr_t attr = (uintptr_t)lane_table_get(&head->ids, id, 0);

	return attr ? &head->attrs[attr - 1] : NULL;
}

static struct lane_error *add_ids(struct lane_perf_head *head, const uint8_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t id;

		memcpy(&id, ids + 8 * i, sizeof(id));
		if (head->ids.used == IDS)
			return lane_error("%s: more ids of events than there can be", head->path);
		lane_table_del(&head->ids, id, 0); /* the last event that has it counts */
		if (!lane_table_put(&head->ids, id, 0, (void *)(uintptr_t)head->n_attrs))
			return &lane_enomem;
	}
	return NULL;
}

struct lane_error *decode_perf_head_attr(struct lane_perf_head *head, const void *attr,
					 size_t bytes, const void *ids, size_t n_ids)
{
	const uint8_t *from = attr;
	struct lane_perf_attr *to;
	uint64_t flags;

	if (bytes < ATTR_MIN)
		return lane_error("%s: what is said of an event is damaged", head->path);
	if (head->n_attrs == ATTRS)
		return lane_error("%s: more events than there can be", head->path);
	if (!LANE_GROW_BY_ONE(head->attrs, head->n_attrs))
		return &lane_enomem;
	/* struct perf_event_attr: type, size, config, sample_period, sample_type, read_format,
	 * flags
	 */
	to = &head->attrs[head->n_attrs++];
	*to = (struct lane_perf_attr){ 0 };
	memcpy(&to->type, from, 4);
	memcpy(&to->config, from + 8, 8);
	memcpy(&to->sample_type, from + 24, 8);
	memcpy(&to->read_format, from + 32, 8);
	memcpy(&flags, from + 40, 8);
	head->has_chains |= to->sample_type & LANE_PERF_CALLCHAIN;
	to->has_sample_id_all = flags >> SAMPLE_ID_ALL_BIT & 1;
	/* PERF_TYPE_HARDWARE, a processor's own in the upper half of config; PERF_TYPE_SOFTWARE:
	 * cpu-clock, task-clock */
	to->is_clock =
		(to->type == 0 && !(to->config & UINT32_MAX)) || (to->type == 1 && to->config <= 1);
	head->is_overwriting |= flags >> WRITE_BACKWARD_BIT & 1;
	head->is_of_one |= to->type == LANE_PERF_TYPE_TRACEPOINT && flags >> ENABLE_ON_EXEC_BIT & 1;
	return add_ids(head, ids, n_ids);
}

/* The events that were asked for, each with the place of its ids. */
static struct lane_error *read_attrs(struct lane_perf_head *head, const struct file_head *file)
{
	LANE_CLEANUP(lane_free) uint8_t *ids = NULL;
	uint8_t attr[ATTR_MAX + sizeof(struct file_section)];
	struct lane_error *err = NULL;
	uint64_t n, listed = 0;

	if (file->attr_size < ATTR_MIN + sizeof(struct file_section) ||
	    file->attr_size > sizeof(attr) || !perf_head_lies_in(head, &file->attrs))
		return perf_head_bad(head, 16,
				     "the list of events is not there (is the file damaged?)");
	n = file->attrs.bytes / file->attr_size;
	for (uint64_t i = 0; !err && i < n; i++) {
		size_t bytes = (size_t)file->attr_size - sizeof(struct file_section);
		uint64_t at = file->attrs.at + i * file->attr_size;
		struct file_section section;
		uint8_t *more;

		if (!decode_read_at(head->fd, at, attr, (size_t)file->attr_size))
			return perf_head_bad(head, at, "it is cut off");
		memcpy(&section, attr + bytes, sizeof(section));
		listed += section.bytes;
		if (!perf_head_lies_in(head, &section) || section.bytes / 8 > IDS ||
		    listed > head->bytes)
			return perf_head_bad(head, at, "the ids of an event are not there");
		more = realloc(ids, (size_t)section.bytes + 1);
		if (!more)
			return &lane_enomem;
		ids = more;
		if (!decode_read_at(head->fd, section.at, ids, (size_t)section.bytes))
			return perf_head_bad(head, section.at, "it is cut off");
		err = decode_perf_head_attr(head, attr, bytes, ids, (size_t)section.bytes / 8);
	}
	return err;
}

struct lane_error *decode_perf_head_formats(struct lane_perf_head *head, uint64_t at, uint64_t end)
{
	static const char magic[] = "\x17\x08\x44tracing";
	LANE_CLEANUP(lane_free) struct lane_bytes *bytes = malloc(sizeof(*bytes));
	struct lane_tracing_data data = {
		head->path, "the formats of events: ", bytes, &head->tracepoints, 8, 0
	};
	char is[FORMAT_MAGIC], version[16];
	struct lane_error *err;
	uint8_t order, words;

	if (!bytes)
		return &lane_enomem;
	if (head->has_formats)
		return perf_head_bad(head, at, "the formats of events are there twice");
	head->has_formats = true;
	decode_bytes_of_file(bytes, head->fd, at, end);
	if (!decode_bytes_get(bytes, is, sizeof(is)) || memcmp(is, magic, sizeof(is)) != 0 ||
	    !decode_bytes_text(bytes, version, sizeof(version)) ||
	    !decode_bytes_get(bytes, &order, 1) || !decode_bytes_get(bytes, &words, 1) ||
	    !decode_bytes_skip(bytes, 4) || order)
		return perf_head_bad(head, at,
				     "the formats of events are not there (is the file damaged?)");
	err = decode_tracing_pages(&data);
	if (!err)
		err = decode_tracing_own(&data);
	return err ? err : decode_tracing_formats(&data);
}

struct lane_error *decode_perf_head_build(struct lane_perf_head *head, uint16_t misc,
					  const uint8_t *data, size_t bytes)
{
	/* pid, 20 bytes of the id, how many of them where misc says that they are said, 3 to align
	 */
	size_t n = 20, path = 28;

	if (bytes <= path)
		return NULL;
	if (misc >> BUILD_ID_SIZE_BIT & 1 && data[24] < n)
		n = data[24];
	return decode_perf_maps_build(&head->maps, (const char *)data + path, bytes - path,
				      data + 4, n)
		       ? NULL
		       : &lane_enomem;
}

/* The build ids of files, a record each. */
static struct lane_error *read_builds(struct lane_perf_head *head, const struct file_section *is)
{
	uint8_t data[FEATURE_BYTES];
	struct lane_error *err = NULL;
	struct {
		uint32_t type;
		uint16_t misc, size;
	} record;

	for (uint64_t at = is->at, end = is->at + is->bytes; !err && end - at > sizeof(record);
	     at += record.size) {
		if (!decode_read_at(head->fd, at, &record, sizeof(record)) ||
		    record.size < sizeof(record) || record.size > end - at ||
		    record.size > sizeof(data) ||
		    !decode_read_at(head->fd, at + sizeof(record), data,
				    record.size - sizeof(record)))
			break; /* names are told without */
		err = decode_perf_head_build(head, record.misc, data, record.size - sizeof(record));
	}
	return err;
}

/* Text behind its length. */
static void perf_head_take_text(const uint8_t *data, size_t bytes, char *to, size_t size)
{
	if (bytes > 4)
		snprintf(to, size, "%.*s", (int)strnlen((const char *)data + 4, bytes - 4),
			 (const char *)data + 4);
}

void decode_perf_head_feature(struct lane_perf_head *head, uint64_t feature, const uint8_t *data,
			      size_t bytes)
{
	struct lane_trace_info *info = &head->info;
	uint64_t wall_ns, clock_ns;

	switch (feature) {
	case FEATURE_HOSTNAME:
		perf_head_take_text(data, bytes, info->host, sizeof(info->host));
		break;
	case FEATURE_OSRELEASE:
		perf_head_take_text(data, bytes, info->release, sizeof(info->release));
		break;
	case FEATURE_VERSION:
		perf_head_take_text(data, bytes, info->tracer_version,
				    sizeof(info->tracer_version));
		break;
	case FEATURE_CLOCK_DATA:
		/* version, clockid, the time of day and the clock's at one moment */
		if (bytes < 24)
			break;
		memcpy(&wall_ns, data + 8, 8);
		memcpy(&clock_ns, data + 16, 8);
		info->epoch_offset_ns = (int64_t)(wall_ns - clock_ns);
		break;
	default:
		break;
	}
}

static struct lane_error *read_features(struct lane_perf_head *head, const struct file_head *file)
{
	uint64_t at = file->data.at + file->data.bytes;
	uint8_t data[FEATURE_BYTES];
	struct lane_error *err;

	for (unsigned int i = 0; i < FEATURES; i++) {
		struct file_section section;
		size_t n;

		if (!(file->features[i / 64] >> (i % 64) & 1))
			continue;
		if (!decode_read_at(head->fd, at, &section, sizeof(section)) ||
		    !perf_head_lies_in(head, &section))
			return perf_head_bad(
				head, at, "what follows the events is not there (is it cut off?)");
		at += sizeof(section);
		if (i == FEATURE_DIR_FORMAT)
			return lane_error("%s: its events are in a folder (perf record --threads), "
					  "which cannot be read",
					  head->path);
		if (i == FEATURE_TRACING_DATA) {
			err = decode_perf_head_formats(head, section.at,
						       section.at + section.bytes);
			if (err)
				return err;
			continue;
		}
		if (i == FEATURE_BUILD_ID) {
			err = read_builds(head, &section);
			if (err)
				return err;
			continue;
		}
		n = section.bytes < sizeof(data) ? (size_t)section.bytes : sizeof(data);
		if (decode_read_at(head->fd, section.at, data, n))
			decode_perf_head_feature(head, i, data, n);
	}
	return NULL;
}

static struct lane_error *perf_head_read_file(struct lane_perf_head *head,
					      const struct file_head *file)
{
	struct lane_error *err = read_attrs(head, file);

	if (err)
		return err;
	if (!file->data.bytes)
		return lane_error(
			"%s: perf record was not ended properly: the formats of events are "
			"not in the file",
			head->path);
	if (!perf_head_lies_in(head, &file->data))
		return perf_head_bad(head, 40, "the events are not there (is the file cut off?)");
	head->data_at = file->data.at;
	head->data_end = file->data.at + file->data.bytes;
	return read_features(head, file);
}

struct lane_error *decode_perf_head_read(const char *path, int fd, const struct lane_names *names,
					 struct lane_perf_head *head)
{
	struct file_head file = { 0 };
	struct stat st;

	if (fstat(fd, &st))
		return lane_error("%s: it cannot be read", path);
	head->path = path;
	head->fd = fd;
	head->bytes = (uint64_t)st.st_size;
	strcpy(head->info.tracer, "perf");
	decode_tracepoints_init(&head->tracepoints, names);
	if (!decode_read_at(fd, 0, &file, PIPE_HEAD))
		return perf_head_bad(head, 0, "it is cut off");
	if (!memcmp(file.magic, "2ELIFREP", sizeof(file.magic)))
		return lane_error("%s: a perf.data of a big-endian machine, which cannot be read",
				  path);
	if (memcmp(file.magic, "PERFILE2", sizeof(file.magic)) != 0)
		return lane_error("%s: a perf.data of before Linux 3.1, which cannot be read",
				  path);
	head->is_pipe = file.size == PIPE_HEAD;
	if (head->is_pipe) {
		head->data_at = PIPE_HEAD;
		head->data_end = head->bytes;
		return NULL;
	}
	if (file.size != FILE_HEAD || !decode_read_at(fd, 0, &file, sizeof(file)))
		return perf_head_bad(head, 8, "its head is damaged or cut off");
	return perf_head_read_file(head, &file);
}

/* What has no event cannot have been recorded. */
static void find_presence(struct lane_perf_head *head)
{
	uint8_t *presence = head->info.presence;

	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (!lane_is_derived((unsigned int)kind))
			presence[kind] = LANE_PRESENCE_ABSENT;
	presence[LANE_STATEDUMP] = LANE_PRESENCE_RECORDED;
	for (uint32_t i = 0; i < head->n_attrs; i++) {
		if (head->attrs[i].plan)
			decode_tracepoint_presence(head->attrs[i].plan, presence);
		if (head->attrs[i].sample_type & LANE_PERF_CALLCHAIN)
			presence[LANE_STACK] = presence[LANE_STACK_FRAME] = LANE_PRESENCE_RECORDED;
	}
}

struct lane_error *decode_perf_head_done(struct lane_perf_head *head)
{
	bool has_tracepoints = false;
	struct lane_error *err;

	err = decode_tracepoints_done(&head->tracepoints);
	if (err)
		return err;
	for (uint32_t i = 0; i < head->n_attrs; i++) {
		struct lane_perf_attr *attr = &head->attrs[i];

		if (attr->type != LANE_PERF_TYPE_TRACEPOINT)
			continue;
		has_tracepoints = true;
		attr->plan = decode_tracepoints_find(&head->tracepoints,
						     (uint32_t)(attr->config & UINT32_MAX));
		if (attr->plan && (~attr->sample_type & (LANE_PERF_TIME | LANE_PERF_RAW)))
			return lane_error("%s: its events have no %s (record with `perf record -R "
					  "-T')",
					  head->path,
					  attr->sample_type & LANE_PERF_TIME ? "fields" : "times");
	}
	if (!has_tracepoints)
		return lane_error("%s: no tracepoints are in it (record with `perf record -a -e "
				  "sched:sched_switch ...')",
				  head->path);
	if (!head->has_formats)
		return lane_error("%s: the formats of events are not in it (is it damaged?)",
				  head->path);
	find_presence(head);
	return NULL;
}

void decode_perf_head_deinit(struct lane_perf_head *head)
{
	decode_tracepoints_deinit(&head->tracepoints);
	free(head->attrs);
	lane_table_free(&head->ids);
	decode_perf_maps_free(&head->maps);
}
