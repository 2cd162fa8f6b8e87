/* SPDX-License-Identifier: MIT */
/* Threads of the kernel that have to act for a request: for how long they had no CPU, and who had
 * it. */
#ifndef LANE_TIMELINE_ACTOR_H
#define LANE_TIMELINE_ACTOR_H

#include "timeline/state.h"

/* The thread has this name now. */
void timeline_actor_name(struct lane_thr *thr, const char *comm);
/* The thread is woken by the event: perhaps for a job that was queued just before it. */
void timeline_actor_woken(const struct lane_timeline *tl, struct lane_thr *thr,
			  const struct lane_event *event);
/* The thread gives jobs to a ring. */
void timeline_actor_learn(struct lane_timeline *tl, int32_t tid);
/* A task had the CPU on which the actor was runnable. */
void timeline_actor_starved(struct lane_timeline *tl, struct lane_thr *thr,
			    const struct lane_starvation *slice);
/* For how long the thread tid, which acts now, was runnable and had no CPU from from_ns on. */
void timeline_actor_waited(const struct lane_timeline *tl, int32_t tid, uint64_t from_ns,
			   struct lane_actor_wait *wait);
/* Likewise, of a thread that need not act now, up to to_ns. */
void timeline_actor_waited_until(const struct lane_thr *thr, uint64_t from_ns, uint64_t to_ns,
				 struct lane_actor_wait *wait);
/* Calls fn for each part of that time in which it had no CPU and it is known who had it, oldest
 * first. */
void timeline_actor_parts(const struct lane_thr *thr, uint64_t from_ns, uint64_t to_ns,
			  void (*fn)(void *arg, const struct lane_actor_slice *part), void *arg);
/* R40. An interrupt's thread has been at work since it was woken then; ns 0: tid is none, or it is
 * not known. */
struct lane_bound timeline_actor_irq_since(const struct lane_timeline *tl, int32_t tid);

#endif
