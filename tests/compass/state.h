/* SPDX-License-Identifier: MIT */
/* A state system as Trace Compass has them: a tree of attributes, each with a value over time. */
#ifndef LANE_TESTS_COMPASS_STATE_H
#define LANE_TESTS_COMPASS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum state_type {
	STATE_NULL,
	STATE_NUMBER,
	STATE_TEXT
};

struct state_value {
	enum state_type type;
	int64_t number;
	char text[72];
};

struct state_interval {
	uint64_t begin_ns, end_ns; /* the end is not part of it */
	struct state_value value;
};

struct state_attribute {
	char *name;
	struct state_attribute *parent;
	struct state_attribute **children; /* by name, numbers by their values */
	size_t n_children;
	struct state_value value;
	uint64_t since_ns;
	struct state_interval *intervals; /* closed ones that are not null */
	size_t n_intervals;
};

struct state_system {
	struct state_attribute root;
	uint64_t begin_ns, end_ns;
};

/* The child of this name; create: made when it is not there. Exits when there is no memory. */
struct state_attribute *state_child(struct state_attribute *parent, const char *name, bool create);

/*
 * From at_ns on the attribute has this value: as Trace Compass does it, what it had for no time at
 * all is forgotten, and a value that it has already changes nothing. Exits when time goes back.
 */
void state_modify(struct state_attribute *attribute, uint64_t at_ns,
		  const struct state_value *value);

/* Ends the history: what is open lasts until end_ns. */
void state_close(struct state_system *system, uint64_t end_ns);

/* Every interval, a line each: PATH, begin, end, value, separated by tabs. */
void state_print(const struct state_system *system);

void state_free(struct state_system *system);

#endif
