/* SPDX-License-Identifier: MIT */
/*
 * What is told of when it is over, put in the order in which it began: OpenCL commands, each of
 * which comes with its times when it is complete. Whoever is to come takes a ticket when its call
 * is entered; it comes back with a key, its time on one device's clock. A command that was
 * enqueued after another had come back cannot have begun before that one did; so one that is back
 * may go as soon as all those are back that were enqueued before it came (CLUST 4.4.3). What is
 * held is bounded by what is in flight, and by a limit: beyond that the oldest is not waited for.
 */
#ifndef LANE_TIMELINE_COMMAND_ORDER_H
#define LANE_TIMELINE_COMMAND_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct lane_order;

struct lane_order_figures {
	uint64_t given_out;
	uint64_t given_up; /* not waited for any more: the limit was reached */
	uint64_t late;	   /* given out after one with a larger key */
	uint32_t max_in_flight, max_held;
};

/* An order that waits for at most limit commands. *order is the caller's. */
struct lane_error *timeline_order_create(uint32_t limit, struct lane_order **order) LANE_MUST_CHECK;

/* One more is on its way: its ticket. */
uint64_t timeline_order_ticket(struct lane_order *order);

/* The owner of that ticket will not come. */
void timeline_order_drop(struct lane_order *order, uint64_t ticket);

/* The owner of that ticket is back. item is not NULL and the caller's. False: no memory. */
bool timeline_order_give(struct lane_order *order, uint64_t ticket, uint64_t key, void *item);

/* The next item in order, NULL when another may still come before it; all: whatever may come. */
void *timeline_order_next(struct lane_order *order, bool all);

const struct lane_order_figures *timeline_order_figures(const struct lane_order *order);

/* Frees the order, not the items in it; NULL is allowed. */
void timeline_order_destroy(struct lane_order *order);

#endif
