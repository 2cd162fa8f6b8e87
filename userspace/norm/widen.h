/* SPDX-License-Identifier: MIT */
/*
 * Fences that say only the low 32 bits of their context: the rest comes from the contexts that
 * other events of the machine, of whatever tracer, say in full. No allocation after set-up.
 */
#ifndef LANE_NORM_WIDEN_H
#define LANE_NORM_WIDEN_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/decode.h"

struct lane_widen;

/* For one machine's events, in time order. *widen is the caller's; norm_widen_destroy frees it. */
struct lane_error *norm_widen_create(struct lane_widen **widen) LANE_MUST_CHECK;

/*
 * Learns the context of an event that says it in full, and completes the context of a fence that
 * does not. A fence that may be of several contexts is counted. Where it is one whose missing
 * matters to the analyses (its signal, a listener), it becomes the loss of one event at its time.
 * Returns false when it is to be left out.
 */
bool norm_widen_event(struct lane_widen *widen, struct lane_event *event);

/* Fences that may be of several contexts, up to now. */
uint64_t norm_widen_ambiguous(const struct lane_widen *widen);

/* Frees it; NULL is allowed. */
void norm_widen_destroy(struct lane_widen *widen);

#endif
