/* SPDX-License-Identifier: MIT */
/*
 * One request's life with its evidence: for each bound of each time the event that shows it and the
 * rule of docs/analysis.md by which it does; for what is unknown, why; and whom it stood behind.
 *
 * A recording is read twice. The first reading tells the request's times and whom it stood behind
 * (latency_explain_hooks()); then latency_explain_search() says what to look for, and the second
 * reading finds it (latency_explain_event()).
 */
#ifndef LANE_LATENCY_EXPLAIN_H
#define LANE_LATENCY_EXPLAIN_H

#include "latency/explained.h"

/* Request ctx:seqno of every device is to be explained, too; before the first reading. explain is
 * zeroed before the first call. */
struct lane_error *latency_explain_add(struct lane_explain *explain, uint64_t ctx,
				       uint32_t seqno) LANE_MUST_CHECK;

/* First reading: begins (again); what an earlier one told is void. */
void latency_explain_begin(struct lane_explain *explain, const struct lane_trace_info *info);

/* First reading: the subscriber. */
struct lane_hooks latency_explain_hooks(struct lane_explain *explain);

/* Between the readings; timeline: that of the first, which is over. */
struct lane_error *latency_explain_search(struct lane_explain *explain,
					  const struct lane_timeline *timeline) LANE_MUST_CHECK;

/* Second reading: begins (again); what was found before is void. */
void latency_explain_begin_search(struct lane_explain *explain);

/* Second reading: an event, in order of time. */
struct lane_error *latency_explain_event(struct lane_explain *explain,
					 const struct lane_event *event) LANE_MUST_CHECK;

/* Why stages of the request up to its signal are not known, a part of a sentence; "" when they
 * are. */
const char *latency_explain_unknown(const struct lane_explain *explain,
				    const struct lane_explained *of, char *buffer, size_t size);

/* The same of its stages behind that. */
const char *latency_explain_unknown_after(const struct lane_explain *explain,
					  const struct lane_explained *of);

/* The explained request ctx:seqno, the first from the i-th on; NULL: none. */
const struct lane_explained *latency_explain_find(const struct lane_explain *explain, uint64_t ctx,
						  uint32_t seqno, size_t *i);

/* Frees what it holds. */
void latency_explain_deinit(struct lane_explain *explain);

#endif
