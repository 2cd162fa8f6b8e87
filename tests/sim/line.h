/* SPDX-License-Identifier: MIT */
/*
 * A line of a scenario file while it is read: its words, and what they can be.
 */
#ifndef SIM_LINE_H
#define SIM_LINE_H

#include "internal.h"

#define MAX_WORDS 64
#define MAX_COUNT 1000000
#define MAX_LOOPS 8

/* A line being read. */
struct line {
	const char *name;
	unsigned int number;
	char *words[MAX_WORDS];
	unsigned int n;
	unsigned int at;
	struct sim_scenario *sc;
	uint32_t loops[MAX_LOOPS]; /* open loops of the thread being read */
	uint32_t n_loops;
	bool in_thread;
	uint32_t thread; /* being read */
};

#define line_fail(l, ...)                                                                          \
	lane_error_context(lane_error(__VA_ARGS__), "%s: line %u", (l)->name, (l)->number)

/* The next word, NULL if there is none; true if it is the expected one, which then is taken. */
const char *line_word(struct line *l);
bool line_take(struct line *l, const char *expected);

/* Adds a zeroed element to the array at *array, whose length is *n; NULL for want of memory. */
void *line_add(void *array, uint32_t *n, size_t size);

/* What the next word can be. */
struct lane_error *line_number(struct line *l, uint64_t limit, uint64_t *value) LANE_MUST_CHECK;
struct lane_error *line_range(struct line *l, struct range *range) LANE_MUST_CHECK;
struct lane_error *line_duration(struct line *l, uint64_t *ns) LANE_MUST_CHECK;
struct lane_error *line_name(struct line *l, char to[16]) LANE_MUST_CHECK;
struct lane_error *line_engine(struct line *l, uint32_t *index) LANE_MUST_CHECK;
struct lane_error *line_context(struct line *l, uint32_t *index) LANE_MUST_CHECK;
struct lane_error *line_lock(struct line *l, uint32_t *index) LANE_MUST_CHECK;
struct lane_error *line_thread(struct line *l, uint32_t *index) LANE_MUST_CHECK;

/* Text as device/class:instance. */
bool line_engine_id(const char *text, struct sim_engine *id);

/* scenario_sched.c: what only drm_sched's scenarios have. */
struct lane_error *line_ring(struct line *l) LANE_MUST_CHECK;
/* *is_taken: it was one of these settings. */
void scenario_write_ring(const struct sc_engine *engine, FILE *to);
void scenario_write_sched(const struct sim_scenario *sc, FILE *to);
struct lane_error *line_sched_setting(struct line *l, bool *is_taken) LANE_MUST_CHECK;

/* scenario_ops.c: reads an operation of the thread, or the end of a loop or of the thread. */
struct lane_error *line_operation(struct line *l) LANE_MUST_CHECK;

#endif
