/* SPDX-License-Identifier: MIT */
/*
 * One request's life with its evidence: for each bound of each time the event that shows it and the
 * rule of docs/analysis.md by which it does; for what is unknown, why; and whom it stood behind.
 *
 * The timeline tells each bound with its rule and the number of its event. The events are kept
 * while a request to explain is there.
 */
#ifndef LANE_LATENCY_EXPLAIN_H
#define LANE_LATENCY_EXPLAIN_H

#include "latency/explained.h"

/* Request ctx:seqno of every device is to be explained, too; before the reading. explain is
 * zeroed before the first call. */
struct lane_error *latency_explain_add(struct lane_explain *explain, uint64_t ctx,
				       uint32_t seqno) LANE_MUST_CHECK;

/* Reading begins (again); what an earlier one told is void. */
void latency_explain_begin(struct lane_explain *explain, const struct lane_trace_info *info);

/* The subscriber. */
struct lane_hooks latency_explain_hooks(struct lane_explain *explain);

/* Each event, before the timeline has it. */
struct lane_error *latency_explain_event(struct lane_explain *explain,
					 const struct lane_event *event) LANE_MUST_CHECK;

/* All has been read by this timeline. */
struct lane_error *latency_explain_end(struct lane_explain *explain,
				       const struct lane_timeline *timeline) LANE_MUST_CHECK;

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
