/* SPDX-License-Identifier: MIT */
/* perf's perf.data: what is found in its head, and the parts of its reader. */
#ifndef LANE_DECODE_PERF_DATA_H
#define LANE_DECODE_PERF_DATA_H

#include "base/table.h"
#include "decode/bytes.h"
#include "decode/decode.h"
#include "decode/perf_maps.h"
#include "decode/tracepoint.h"

/* One event that was asked for: struct perf_event_attr, as far as it is needed. */
struct lane_perf_attr {
	uint32_t type;
	uint64_t config;
	uint64_t sample_type;
	uint64_t read_format;
	bool has_sample_id_all;
	const struct lane_tracepoint *plan; /* NULL: no tracepoint of the table */
	bool is_clock;			    /* it looks at what a CPU runs from time to time */
};

struct lane_perf_head {
	const char *path;
	int fd;
	uint64_t bytes; /* of the file */
	bool is_pipe;
	uint64_t data_at, data_end;
	struct lane_perf_attr *attrs;
	uint32_t n_attrs;
	struct lane_table ids; /* of each the number of its attr, from 1 */
	struct lane_tracepoints tracepoints;
	struct lane_perf_maps maps;
	bool has_formats;
	bool has_chains;
	/* Of one program's threads: perf record without -a. Only then an event begins with a
	 * program (evsel__config() of tools/perf/util/evsel.c). */
	bool is_of_one;
	bool is_overwriting; /* a full buffer drops its oldest records, and tells nothing of that */
	struct lane_trace_info info;
};

/* What sample_type's bits say is in a sample, in the order of perf_event.h. */
enum {
	LANE_PERF_IP = 1 << 0,
	LANE_PERF_TID = 1 << 1,
	LANE_PERF_TIME = 1 << 2,
	LANE_PERF_ADDR = 1 << 3,
	LANE_PERF_READ = 1 << 4,
	LANE_PERF_CALLCHAIN = 1 << 5,
	LANE_PERF_ID = 1 << 6,
	LANE_PERF_CPU = 1 << 7,
	LANE_PERF_PERIOD = 1 << 8,
	LANE_PERF_STREAM_ID = 1 << 9,
	LANE_PERF_RAW = 1 << 10,
	LANE_PERF_IDENTIFIER = 1 << 16,
};

enum {
	LANE_PERF_RECORD_HEAD = 8,
	LANE_PERF_TYPE_TRACEPOINT = 2,
};

/* Reads the head of the file at path, open as fd; of what came through a pipe only the first bytes.
 * *head is zeroed, and the caller's whatever happens. */
struct lane_error *decode_perf_head_read(const char *path, int fd, const struct lane_names *names,
					 struct lane_perf_head *head) LANE_MUST_CHECK;

/* Takes an event that was asked for, and its ids: struct perf_event_attr and what is behind it. */
struct lane_error *decode_perf_head_attr(struct lane_perf_head *head, const void *attr,
					 size_t bytes, const void *ids,
					 size_t n_ids) LANE_MUST_CHECK;

/* Takes the formats of events: the bytes of a file from its place on. */
struct lane_error *decode_perf_head_formats(struct lane_perf_head *head, uint64_t at,
					    uint64_t end) LANE_MUST_CHECK;

/* Takes a file's build id: what is behind the head of PERF_RECORD_HEADER_BUILD_ID. */
struct lane_error *decode_perf_head_build(struct lane_perf_head *head, uint16_t misc,
					  const uint8_t *data, size_t bytes) LANE_MUST_CHECK;

/* Takes a feature: perf's HEADER_*. */
void decode_perf_head_feature(struct lane_perf_head *head, uint64_t feature, const uint8_t *data,
			      size_t bytes);

/* Everything of the head was taken: finds the plans. */
struct lane_error *decode_perf_head_done(struct lane_perf_head *head) LANE_MUST_CHECK;

/* The event of a sample's id, NULL when there is none. */
const struct lane_perf_attr *decode_perf_head_find(const struct lane_perf_head *head, uint64_t id);

void decode_perf_head_deinit(struct lane_perf_head *head);

/* What a sample says. */
struct lane_perf_sample {
	uint64_t ns;
	int32_t pid, tid, cpu; /* -1: not said */
	uint64_t period;
	const uint8_t *chain; /* n_chain addresses and PERF_CONTEXT_*, not aligned */
	uint64_t n_chain;
	const uint8_t *raw; /* the tracepoint's record, NULL: none */
	size_t raw_bytes;
};

/* Takes a sample's record apart, behind its head; false: it is cut off. */
bool decode_perf_sample_read(const struct lane_perf_attr *attr, const uint8_t *data, size_t bytes,
			     struct lane_perf_sample *sample);

/* The same of what stands at the end of any other record. */
bool decode_perf_trailer_read(const struct lane_perf_attr *attr, const uint8_t *data, size_t bytes,
			      struct lane_perf_sample *sample);

/* The id of a sample whose events have that sample_type; false: it has none. */
bool decode_perf_sample_id(uint64_t sample_type, const uint8_t *data, size_t bytes, uint64_t *id);

/* Events that wait until their order is known. */
struct lane_perf_order;

struct lane_perf_order *decode_perf_order_create(void);
void decode_perf_order_destroy(struct lane_perf_order *order);

/* The kind of what waits and is no event. */
#define LANE_PERF_NO_EVENT LANE_KIND_COUNT

/* Adds an event, and the bytes that go with it; a time of 0 is before all others. False: no
 * memory. */
bool decode_perf_order_add(struct lane_perf_order *order, const struct lane_event *event,
			   const void *more, size_t n_more);

/* True when so many events wait that some must be given out. */
bool decode_perf_order_is_full(const struct lane_perf_order *order);

/* Every CPU's buffer was read once more: gives out what cannot be overtaken. False: no memory. */
bool decode_perf_order_round(struct lane_perf_order *order);

/* Gives out the older half, or everything. */
bool decode_perf_order_flush(struct lane_perf_order *order, bool all);

/* The latest time of all events. */
uint64_t decode_perf_order_last(const struct lane_perf_order *order);

/* The next event that was given out, and what goes with it, valid until something is added or given
 * out; false: there is none. */
bool decode_perf_order_next(struct lane_perf_order *order, struct lane_event *event,
			    const uint8_t **more, size_t *n_more);

/* Records, one after the other, compressed or not. */
struct lane_perf_records;

struct lane_perf_record {
	uint32_t type;
	uint16_t misc;
	const uint8_t *data; /* behind the head, valid until the next call */
	size_t bytes;
	uint64_t at; /* its place in the file; of a compressed one, of what holds it */
};

struct lane_perf_records *decode_perf_records_create(const char *path, int fd, uint64_t at,
						     uint64_t end, uint64_t file_bytes);
void decode_perf_records_destroy(struct lane_perf_records *records);

/* The next record; false at the end. */
struct lane_error *decode_perf_records_next(struct lane_perf_records *records,
					    struct lane_perf_record *record,
					    bool *more) LANE_MUST_CHECK;

/* The place behind the record given last. */
uint64_t decode_perf_records_place(const struct lane_perf_records *records);

/* Passes over bytes that lie behind a record and are none. False: there are not as many. */
bool decode_perf_records_skip(struct lane_perf_records *records, uint64_t bytes);

#endif
