/* SPDX-License-Identifier: MIT */
/*
 * Up to Linux 5.0 an engine's interrupt says how far its global seqno has come, and each request
 * that is handed to the hardware says the global seqno it got: from both, which requests have
 * ended.
 */
#ifndef LANE_NORM_GLOBAL_SEQNO_H
#define LANE_NORM_GLOBAL_SEQNO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/event.h"

struct lane_globals;

/* NULL when there is no memory. norm_globals_destroy frees it (NULL is allowed). */
struct lane_globals *norm_globals_create(void);
void norm_globals_destroy(struct lane_globals *globals);

/* A request's event: takes note of its global seqno; of a retire, says what the interrupts before
 * it told of that. */
void norm_globals_request(struct lane_globals *globals, struct lane_event *event);

/* An engine's interrupt; globals may be NULL. */
void norm_globals_notify(struct lane_globals *globals, const struct lane_event *event);

/* Overwrites the event with the next fence signal of the last interrupt; false: none left. */
bool norm_globals_next(struct lane_globals *globals, struct lane_event *event);

/* Requests that could not be taken note of; globals may be NULL. */
uint64_t norm_globals_untracked(const struct lane_globals *globals);

#endif
