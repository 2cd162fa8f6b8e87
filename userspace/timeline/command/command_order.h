/* SPDX-License-Identifier: MIT */
/*
 * Puts OpenCL commands into the order in which they began, though each comes with its times only
 * when it is complete. A command takes a ticket when its call is entered. It comes back with a key:
 * the time of its start on the device's clock. A command that was enqueued after another had come
 * back cannot have begun before that one. So a command that is back may be given out as soon as all
 * those are back that were enqueued before it came back (CLUST 4.4.3). What is held is bounded by
 * what is in flight, and by a limit: beyond that the oldest ticket is not waited for.
 */
#ifndef LANE_TIMELINE_COMMAND_ORDER_H
#define LANE_TIMELINE_COMMAND_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct lane_order;

struct lane_order_figures {
	uint64_t given_out;
	uint64_t given_up; /* not waited for any more, as the limit was reached */
	uint64_t late;	   /* given out behind one with a larger key */
	uint32_t max_in_flight, max_held;
};

/* Makes an order that waits for `limit` commands at most. *order is the caller's. Returns NULL or
 * an error. */
struct lane_error *timeline_command_order_create(uint32_t limit,
						 struct lane_order **order) LANE_MUST_CHECK;

/* One more command is on its way. Returns its ticket. */
uint64_t timeline_command_order_ticket(struct lane_order *order);

/* The command with that ticket will not come back. */
void timeline_command_order_drop(struct lane_order *order, uint64_t ticket);

/* The command with that ticket is back. item is not NULL, and stays the caller's. False: no
 * memory. */
bool timeline_command_order_give(struct lane_order *order, uint64_t ticket, uint64_t key,
				 void *item);

/* Takes the next item in order; NULL: there is none, or another may still come before it. all: do
 * not wait for others. *is_sure: none can come before it any more. */
void *timeline_command_order_next(struct lane_order *order, bool all, bool *is_sure);

/* The figures so far. Owned by the order. */
const struct lane_order_figures *timeline_command_order_figures(const struct lane_order *order);

/* Frees the order, not the items in it; NULL is allowed. */
void timeline_command_order_destroy(struct lane_order *order);

#endif
