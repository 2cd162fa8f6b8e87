/* SPDX-License-Identifier: MIT */
/* Threads and CPUs, and waits for requests. */
#ifndef LANE_TIMELINE_THREAD_H
#define LANE_TIMELINE_THREAD_H

#include "timeline/state.h"

/* Each reads the scheduler's events of a kind: switches, wake-ups of all kinds, migrations, a CPU's
 * sleeps, its clock. */
void timeline_thread_switch(struct lane_timeline *tl, const struct lane_event *event);
void timeline_thread_wakeup(struct lane_timeline *tl, const struct lane_event *event);
void timeline_thread_migrate(struct lane_timeline *tl, const struct lane_event *event);
void timeline_cpu_sleeps(struct lane_timeline *tl, const struct lane_event *event);
void timeline_cpu_clock(struct lane_timeline *tl, const struct lane_event *event);
/* A softirq begins or ends on a CPU: the thread that had it could run meanwhile. */
void timeline_cpu_softirq(struct lane_timeline *tl, const struct lane_event *event);
/* An event came in a thread that is not the one which is taken to have the event's CPU. */
void timeline_thread_turns_up(struct lane_timeline *tl, const struct lane_event *event);
/* Reads a fork, exec, exit or state dump. */
void timeline_process_event(struct lane_timeline *tl, const struct lane_event *event);
/* thr submits or waits: what it does is told from now on. */
void timeline_thread_interesting(struct lane_timeline *tl, struct lane_thr *thr);
/* The event is one of the thread's own: tells what the thread did until then. NULL: no memory. */
struct lane_thr *timeline_thread_divide(struct lane_timeline *tl, const struct lane_event *event);
/* Where thr is runnable, and it is known on which CPU: tells who has had that CPU up to now. */
void timeline_thread_tell_starved(struct lane_timeline *tl, struct lane_thr *thr);
/* The trace ends at now_ns: tells thr's last interval. */
void timeline_thread_flush(struct lane_timeline *tl, struct lane_thr *thr, uint64_t now_ns);
/* The trace ends: the task that has each CPU has had it until now_ns. */
void timeline_cpus_flush(struct lane_timeline *tl, uint64_t now_ns);
/* Since when, ns, the worker tid has had work; it may have begun with what it does now later.
 * 0: not known. */
uint64_t timeline_thread_works_since(const struct lane_timeline *tl, int32_t tid);
/* The thread may be one of the kernel's workers. */
bool timeline_thread_may_be_worker(const struct lane_timeline *tl, int32_t tid);
/* True if the worker tid may still be at what it did at since_ns: it was not idle since. */
bool timeline_thread_may_be_at(const struct lane_timeline *tl, int32_t tid, uint64_t since_ns);
/* The event's thread begins to wait for rq. */
void timeline_wait_begin(struct lane_timeline *tl, struct lane_rq *rq,
			 const struct lane_event *event);
/* The wait ends. True: nobody waits for rq any more. */
bool timeline_wait_end(struct lane_timeline *tl, struct lane_rq *rq,
		       const struct lane_event *event);
/* The thread begins to wait, and may be in a wait already, whose end was not seen. Ends that wait,
 * and returns its request, which has one waiter less; NULL: there is none. */
struct lane_rq *timeline_wait_missed(struct lane_timeline *tl, int32_t tid);
/* rq is signalled at now_ns: notes that for its waiters. */
void timeline_wait_signalled(struct lane_timeline *tl, struct lane_rq *rq, uint64_t now_ns);
/* The waiting thread has had its CPU since the wait began: it polls the request all the time. */
bool timeline_wait_looks(const struct lane_timeline *tl, const struct lane_waiter *waiter);
/* Ends all waits for rq without telling them. True if there was one. */
bool timeline_wait_cut(struct lane_timeline *tl, struct lane_rq *rq);
/* The thread in which an event of rq came, NULL: not known. Notes whose request rq is. */
struct lane_thr *timeline_thread_submits(struct lane_timeline *tl, struct lane_rq *rq,
					 const struct lane_event *event);

#endif
