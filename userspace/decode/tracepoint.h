/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tracepoints as ftrace and perf record them: a record is laid out as the `format`
 * file of its event says, which the trace carries along. The formats become plans once, by
 * libtraceevent; a record is read by its plan, without a name.
 */
#ifndef LANE_DECODE_TRACEPOINT_H
#define LANE_DECODE_TRACEPOINT_H

#include "decode/known_names.h"

enum {
	LANE_TRACEPOINT_STEPS = 20,
	LANE_FORMAT_BYTES = 64 << 10, /* no format file is longer */
	LANE_FORMATS = 1024,	      /* plans at most */
};

/* How a field of a record is read. */
enum lane_load {
	LANE_LOAD_UNSIGNED,
	LANE_LOAD_SIGNED,
	LANE_LOAD_ARRAY,    /* characters in the record */
	LANE_LOAD_DYNAMIC,  /* a word says where in the record the characters are */
	LANE_LOAD_RELATIVE, /* a word says how far behind it they are */
};

struct lane_tracepoint_step {
	enum lane_load load;
	uint16_t offset; /* in the record */
	uint16_t size;
	struct lane_field_slot slot;
};

/* How the records of one event become events of the table. */
struct lane_tracepoint {
	uint32_t id; /* what records say in common_type */
	int kind;    /* -1: the table does not have it */
	bool is_narrow;
	bool is_engine_notify;
	uint8_t n_steps;
	uint16_t fixed_bytes; /* a record that is shorter is cut off */
	uint16_t pid_offset;  /* of common_pid; 0: it has none */
	struct lane_tracepoint_step steps[LANE_TRACEPOINT_STEPS];
};

struct lane_tracepoints {
	const struct lane_names *names;
	struct lane_tracepoint *plans; /* by id, rising */
	size_t n_plans, cap_plans;
	struct lane_tracepoint **by_id; /* of the small numbers; NULL: not of the table */
};

/* *tracepoints is the caller's; decode_tracepoints_deinit frees what it comes to hold. */
void decode_tracepoints_init(struct lane_tracepoints *tracepoints, const struct lane_names *names);

/*
 * Takes the text of a format file. The formats of events that are not in the table are passed over.
 * Returns NULL, or the reason why it cannot be one.
 */
const char *decode_tracepoints_add(struct lane_tracepoints *tracepoints, const char *text,
				   size_t bytes);

/* All formats were added: what is found is final. */
struct lane_error *decode_tracepoints_done(struct lane_tracepoints *tracepoints) LANE_MUST_CHECK;

/* The plan of the records with this common_type, NULL when they are of no event of the table. */
const struct lane_tracepoint *decode_tracepoints_find(const struct lane_tracepoints *tracepoints,
						      uint32_t id);

/* Says of each kind whether the trace has its format: the others cannot have been recorded. */
void decode_tracepoints_presence(const struct lane_tracepoints *tracepoints, uint8_t *presence);

/* Says of the kind of one event that it was recorded. */
void decode_tracepoint_presence(const struct lane_tracepoint *plan, uint8_t *presence);

void decode_tracepoints_deinit(struct lane_tracepoints *tracepoints);

/* Every record begins with as many bytes: common_type, flags, preempt_count. */
#define LANE_RECORD_BYTES 4

/* What a record says in common_type; it has at least LANE_RECORD_BYTES. */
static inline uint32_t decode_tracepoint_id(const void *record)
{
	const uint8_t *from = record;

	return from[0] | (uint32_t)from[1] << 8;
}

/*
 * Fills everything but time, CPU and process of an event from a record; false when it is cut off.
 * The thread is the record's common_pid.
 */
bool decode_tracepoint_read(const struct lane_tracepoint *plan, const void *record, size_t bytes,
			    struct lane_event *to);

#endif
