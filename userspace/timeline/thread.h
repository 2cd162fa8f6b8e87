/* SPDX-License-Identifier: MIT */
/* Threads and CPUs, and waits for requests. */
#ifndef LANE_TIMELINE_THREAD_H
#define LANE_TIMELINE_THREAD_H

#include "timeline/state.h"

void timeline_sched_event(struct lane_timeline *tl, const struct lane_event *event);
void timeline_process_event(struct lane_timeline *tl, const struct lane_event *event);
void timeline_thread_interesting(struct lane_timeline *tl, struct lane_thr *thr);
void timeline_thread_flush(struct lane_timeline *tl, struct lane_thr *thr, uint64_t now_ns);
/* The trace ends: who has each CPU then had it up to now. */
void timeline_cpus_flush(struct lane_timeline *tl, uint64_t now_ns);
/* Something of this CPU was lost until now_ns: whoever has come to its queue at that time may have
 * had the CPU and left it. */
void timeline_thread_doubt(struct lane_timeline *tl, int32_t cpu, uint64_t now_ns);
void timeline_wait_begin(struct lane_timeline *tl, struct lane_rq *rq,
			 const struct lane_event *event);
/* True when nobody waits for rq any more. */
bool timeline_wait_end(struct lane_timeline *tl, struct lane_rq *rq,
		       const struct lane_event *event);
/* The thread begins to wait, and is in a wait already: that one's end was not seen. The request it
 * was for, which has one waiter less; NULL: there is none. */
struct lane_rq *timeline_wait_missed(struct lane_timeline *tl, int32_t tid);
void timeline_wait_signalled(struct lane_timeline *tl, struct lane_rq *rq, uint64_t now_ns);
/* The thread that waits has had its CPU since it began to: it looks at the request all the time. */
bool timeline_wait_looks(const struct lane_timeline *tl, const struct lane_waiter *waiter);
void timeline_wait_drop(struct lane_timeline *tl, struct lane_waiter *waiter);
/* The thread that an event of a request happened in, and what it says of the request's client.
 * NULL: not known. */
struct lane_thr *timeline_thread_submits(struct lane_timeline *tl, struct lane_rq *rq,
					 const struct lane_event *event);

#endif
