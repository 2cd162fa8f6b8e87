/* SPDX-License-Identifier: MIT */
/* The timeline's objects: found by key, made when they are first named. */
#ifndef LANE_TIMELINE_OBJECTS_H
#define LANE_TIMELINE_OBJECTS_H

#include "timeline/state.h"

/* The request that an event names, NULL: it has not been met, or is over. */
struct lane_rq *timeline_request_find(struct lane_timeline *tl, const struct lane_event *event);
/* One that has not been met; NULL: it has been told of, is out of reach, or there is no memory. */
struct lane_rq *timeline_request_new(struct lane_timeline *tl, const struct lane_event *event);
struct lane_rq *timeline_request_by_fence(struct lane_timeline *tl, const struct lane_event *event);
void timeline_request_free(struct lane_timeline *tl, struct lane_rq *rq);
/* The engine that has not been asked for last; timeline_engine_get() is for its callers. */
struct lane_eng *timeline_engine_find(struct lane_timeline *tl, uint32_t dev, uint16_t class,
				      uint16_t instance);
static inline struct lane_eng *timeline_engine_get(struct lane_timeline *tl, uint32_t dev,
						   uint16_t class, uint16_t instance)
{
	struct lane_eng *eng = tl->last_eng;

	return eng && eng->pub.instance == instance && eng->pub.class == class &&
			       eng->pub.dev == dev
		       ? eng
		       : timeline_engine_find(tl, dev, class, instance);
}

/* May forget threads that nothing refers to (timeline_thread_make_room()). */
struct lane_thr *timeline_thread_get(struct lane_timeline *tl, int32_t tid);
void timeline_thread_forget(struct lane_timeline *tl, struct lane_thr *thr);
/* Forgets the threads that have ended or have no part in anything, but for keep (may be NULL). */
void timeline_thread_make_room(struct lane_timeline *tl, const struct lane_thr *keep);
struct lane_client *timeline_client_get(struct lane_timeline *tl, int32_t pid);
/* A CPU that has not been met; timeline_cpu_get() is for its callers. */
struct lane_cpu *timeline_cpu_new(struct lane_timeline *tl, int32_t cpu);

static inline struct lane_cpu *timeline_cpu_get(struct lane_timeline *tl, int32_t cpu)
{
	return (uint32_t)cpu < tl->n_cpus ? &tl->cpus[cpu] : timeline_cpu_new(tl, cpu);
}

#endif
