/* SPDX-License-Identifier: MIT */
/*
 * The timeline's objects: found by key, made when an event first names them. A function that makes
 * one returns NULL if there is no memory, or if the trace has more of them than any machine
 * (tl->no_memory, tl->too_many).
 */
#ifndef LANE_TIMELINE_OBJECTS_H
#define LANE_TIMELINE_OBJECTS_H

#include "timeline/state.h"

/* The request that an event of a request names; NULL: it is not known yet, or was freed. */
struct lane_rq *timeline_request_find(const struct lane_timeline *tl,
				      const struct lane_event *event);
/* Makes the request that an event names. NULL: it was told already, it is out of reach of its
 * context's open requests, or there is no memory. */
struct lane_rq *timeline_request_new(struct lane_timeline *tl, const struct lane_event *event);
/* The request that an event of a fence names; NULL: it is not known, or was freed. */
struct lane_rq *timeline_request_by_fence(const struct lane_timeline *tl,
					  const struct lane_event *event);
/* The request whose fence this is; NULL: likewise. */
struct lane_rq *timeline_request_of_fence(const struct lane_timeline *tl, uint64_t context,
					  uint64_t seqno);
/* Takes rq out of its context and the tables, and frees it. */
void timeline_request_free(struct lane_timeline *tl, struct lane_rq *rq);
/* For timeline_engine_get() only: the engine, if it is not the one that was asked for last. */
struct lane_eng *timeline_engine_find(struct lane_timeline *tl, uint32_t dev, uint16_t class,
				      uint16_t instance);
/* The engine of this device, class and instance, made if needed. */
static inline struct lane_eng *timeline_engine_get(struct lane_timeline *tl, uint32_t dev,
						   uint16_t class, uint16_t instance)
{
	struct lane_eng *eng = tl->last_eng;

	return eng && eng->pub.instance == instance && eng->pub.class == class &&
			       eng->pub.dev == dev
		       ? eng
		       : timeline_engine_find(tl, dev, class, instance);
}

/* The engine that an event of a request names, made if needed; NULL: no memory. */
static inline struct lane_eng *timeline_engine_of(struct lane_timeline *tl,
						  const struct lane_event *event)
{
	return timeline_engine_get(tl, event->u.rq.dev, event->u.rq.class, event->u.rq.instance);
}

/* The context of this number on a device; NULL: it is not known. */
static inline struct lane_ctx *timeline_context_find(const struct lane_timeline *tl, uint32_t dev,
						     uint64_t context)
{
	struct lane_ctx *ctx = tl->near_contexts[context % LANE_NEAR];

	return ctx && ctx->pub.ctx == context && ctx->pub.dev == dev
		       ? ctx
		       : lane_table_get(&tl->contexts, context, dev);
}

/* The context of a fence, which does not say the device; NULL: it is not known. */
static inline struct lane_ctx *timeline_context_by_fence(const struct lane_timeline *tl,
							 uint64_t context)
{
	struct lane_ctx *ctx = tl->near_by_fence[context % LANE_NEAR];

	return ctx && ctx->pub.ctx == context ? ctx : lane_table_get(&tl->by_fence, context, 0);
}

/* The thread with this number; NULL: it is not known. */
static inline struct lane_thr *timeline_thread_find(const struct lane_timeline *tl, int32_t tid)
{
	struct lane_thr *thr = tl->near_threads[(uint32_t)tid % LANE_NEAR];

	return thr && thr->pub.tid == tid ? thr : lane_table_get(&tl->threads, (uint32_t)tid, 0);
}

/* For timeline_thread_get() only: the thread, if it is not among those named last. */
struct lane_thr *timeline_thread_seek(struct lane_timeline *tl, int32_t tid);
/* The thread with this number, made if needed; NULL also for tid 0 and below. May forget threads
 * that nothing refers to (timeline_thread_make_room()). */
static inline struct lane_thr *timeline_thread_get(struct lane_timeline *tl, int32_t tid)
{
	struct lane_thr *thr = tl->near_threads[(uint32_t)tid % LANE_NEAR];

	return thr && thr->pub.tid == tid ? thr : timeline_thread_seek(tl, tid);
}

/* How long the thread has run up to now_ns, at least and at most; {0, now_ns}: it is not known. */
struct lane_span timeline_thread_ran(const struct lane_timeline *tl, int32_t tid, uint64_t now_ns);
/* Frees thr. Nothing may refer to it. */
void timeline_thread_forget(struct lane_timeline *tl, struct lane_thr *thr);
/* Forgets the threads that have ended or have no part in anything, except keep (may be NULL). */
void timeline_thread_make_room(struct lane_timeline *tl, const struct lane_thr *keep);
/* The client of this process, made if needed; pid -1: the client of all contexts whose owner is not
 * known. */
struct lane_client *timeline_client_get(struct lane_timeline *tl, int32_t pid);
/* For timeline_cpu_get() only: makes a CPU that has not been named yet. NULL: it has no number, or
 * there is no memory. */
struct lane_cpu *timeline_cpu_new(struct lane_timeline *tl, int32_t cpu);

/* The CPU with this number, made if needed. It may move when another one is made. */
static inline struct lane_cpu *timeline_cpu_get(struct lane_timeline *tl, int32_t cpu)
{
	return (uint32_t)cpu < tl->n_cpus ? &tl->cpus[cpu] : timeline_cpu_new(tl, cpu);
}

#endif
