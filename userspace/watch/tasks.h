/* SPDX-License-Identifier: MIT */
/*
 * The threads that there are, and their names: what a recording that begins in the middle has to be
 * told first. Those that are gone are kept for as long as the ring may tell of them.
 */
#ifndef LANE_WATCH_TASKS_H
#define LANE_WATCH_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/event.h"

#define LANE_TASKS_MAX (1u << 17)

struct lane_tasks;

/* *tasks is the caller's. */
struct lane_error *watch_tasks_create(struct lane_tasks **tasks) LANE_MUST_CHECK;

/* Takes any record; those that tell of threads' beginnings, ends and names count. */
void watch_tasks_record(struct lane_tasks *tasks, const struct lane_wire *record);

/* Forgets the threads that were gone at that time, when there are many. */
void watch_tasks_forget(struct lane_tasks *tasks, uint64_t before_ns);

/* Who there was at from_ns, as the records of a recording's beginning. */
struct lane_tasks_list {
	const struct lane_wire **records;
	size_t n;
	void *memory;
};

struct lane_error *watch_tasks_at(const struct lane_tasks *tasks, uint64_t from_ns,
				  struct lane_tasks_list *list) LANE_MUST_CHECK;

void watch_tasks_list_deinit(struct lane_tasks_list *list);

/* Frees; NULL is allowed. */
void watch_tasks_destroy(struct lane_tasks *tasks);

#endif
