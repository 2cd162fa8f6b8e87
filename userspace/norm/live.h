/* SPDX-License-Identifier: MIT */
/*
 * Events that are being recorded, in the order of time: records are put in as they are drained, CPU
 * after CPU, and come out when nothing older can come any more.
 *
 * Memory is bounded: beyond LANE_LIVE_BYTES the oldest come out at once; should an older one come
 * then, it gets the time of the one before it and is counted.
 */
#ifndef LANE_NORM_LIVE_H
#define LANE_NORM_LIVE_H

#include "norm/norm.h"

#define LANE_LIVE_BYTES (32u << 20)

struct lane_live;

/* info is what is known of the tracer and its kernel (copied). *live is the caller's. */
struct lane_error *norm_live_create(const struct lane_trace_info *info,
				    struct lane_live **live) LANE_MUST_CHECK;

const struct lane_trace_info *norm_live_info(const struct lane_live *live);

/* Adds a record of a CPU (as on the wire, copied). */
struct lane_error *norm_live_record(struct lane_live *live, unsigned int cpu,
				    const struct lane_wire *record) LANE_MUST_CHECK;

/*
 * Tells how many events a CPU has lost in all up to at_ns: more than before become a LANE_LOST from
 * the last time it was told to this one.
 */
struct lane_error *norm_live_lost(struct lane_live *live, unsigned int cpu, uint64_t total,
				  uint64_t at_ns) LANE_MUST_CHECK;

/*
 * The next event not newer than upto_ns, NULL when there is none. upto_ns is a time before which
 * nothing is to come of any CPU. Owned by live, valid until the next call of any of these.
 */
struct lane_error *norm_live_next(struct lane_live *live, uint64_t upto_ns,
				  const struct lane_event **event) LANE_MUST_CHECK;

/* Events lost so far; events that came too late, and were moved. */
void norm_live_counts(const struct lane_live *live, uint64_t *lost, uint64_t *moved);

void norm_live_destroy(struct lane_live *live);

#endif
