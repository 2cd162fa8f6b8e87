/* SPDX-License-Identifier: MIT */
/* The requests of a recording one by one, for programs (docs/report.md). */
#ifndef LANE_SHOW_REQUESTS_H
#define LANE_SHOW_REQUESTS_H

#include <stdio.h>

#include "latency/latency.h"

struct lane_request_list;

/*
 * A list that writes to `to`, as CSV or with json as an object a line; info says what the recording
 * has of events and outlives the list. *list is the caller's.
 */
struct lane_error *lane_request_list_create(FILE *to, bool json, const struct lane_trace_info *info,
					    struct lane_request_list **list) LANE_MUST_CHECK;

/* The hooks `preemption` and `request`; arg is the list. */
void lane_request_list_preemption(void *arg, const struct lane_preemption *preemption);
void lane_request_list_add(void *arg, const struct lane_request *request);

/* False: there was no memory for a preemption, and its request's line lacks it. */
bool lane_request_list_is_whole(const struct lane_request_list *list);

/* Frees the list; NULL is allowed. */
void lane_request_list_destroy(struct lane_request_list *list);

#endif
