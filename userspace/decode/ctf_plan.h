/* SPDX-License-Identifier: MIT */
/*
 * How the events of one CTF event class become events of the table: worked out once per class, then
 * followed for each event without looking at a name.
 */
#ifndef LANE_DECODE_CTF_PLAN_H
#define LANE_DECODE_CTF_PLAN_H

#include <babeltrace2/babeltrace.h>

#include "decode/known_names.h"

enum {
	LANE_PLAN_STEPS = 24
};

/* How a field is read. */
enum lane_read {
	LANE_READ_UNSIGNED,
	LANE_READ_SIGNED,
	LANE_READ_STRING,
	LANE_READ_ARRAY, /* of integers: the characters of a text */
};

/* Member `index` of the structure goes to `slot`. */
struct lane_plan_step {
	uint32_t index;
	enum lane_read read;
	struct lane_field_slot slot;
};

struct lane_plan {
	int kind; /* -1: the table does not have it */
	bool is_narrow;
	bool is_engine_notify;
	bool tells_loss; /* an event that only says what the packets say */
	/* Of packets of TCP: their fields are in structures in variants, found by name for each. */
	bool is_deep;
	const struct lane_names *names;
	uint8_t n_context; /* the first steps read the stream's event context */
	uint8_t n_steps;
	struct lane_plan_step steps[LANE_PLAN_STEPS];
};

/* Works out the plan of an event class; is_perf: perf data convert has written it. */
void decode_plan_init(struct lane_plan *plan, const bt_event_class *event_class,
		      const struct lane_names *names, bool is_perf);

/* Fills everything but time and CPU of an event. */
void decode_plan_read(const struct lane_plan *plan, const bt_event *from, struct lane_event *to);

/* True when a field of this class is an unsigned integer, plain or an enumeration's. */
bool decode_plan_is_unsigned(const bt_field_class *field_class);

#endif
