// SPDX-License-Identifier: MIT
// The timeline's objects: found by key, made when an event first names them, recycled.
#include "timeline/sched/thread_time.h"
#include "timeline/objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "timeline/i915/order.h"

/* A trace with more of them at once is no trace of a real machine. It is refused before it takes
 * all memory. */
#define MAX_OPEN     (1u << 18)
#define MAX_CONTEXTS (1u << 18)
#define MAX_CLIENTS  (1u << 16)
#define MAX_ENGINES  (1u << 10)
#define MAX_THREADS  (1u << 19)

/* A request that was not seen before may come so far from the oldest and the newest open request of
 * its context: at the beginning of a trace, or after a loss, some are in flight. */
#define MAX_REACH 256

static bool in_order(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* Appends object to the array *by_id, which grows. False: no memory. */
static bool objects_number(void ***by_id, uint32_t *n, uint32_t *cap, void *object)
{
	if (!LANE_GROW(*by_id, *cap, *n + 1))
		return false;
	(*by_id)[(*n)++] = object;
	return true;
}

void timeline_group_by(struct lane_timeline *tl, const struct lane_cgroup_list *groups)
{
	tl->groups = groups;
}

/* The client of another process of the same cgroup, which is this one's now, too; NULL: there is
 * none. */
static struct lane_client *client_of_group(struct lane_timeline *tl, int32_t pid, const char *group)
{
	for (uint32_t i = 0; i < tl->n_clients; i++) {
		struct lane_client *client = tl->client_by_id[i];

		if (!client->group || strcmp(client->group, group) != 0)
			continue;
		if (!lane_table_put(&tl->clients, (uint32_t)pid, 0, client))
			tl->no_memory = true;
		return client;
	}
	return NULL;
}

struct lane_client *timeline_client_get(struct lane_timeline *tl, int32_t pid)
{
	struct lane_client *client = lane_table_get(&tl->clients, (uint32_t)pid, 0);
	const char *group;
	struct lane_thr *thr;

	if (client)
		return client;
	group = tl->groups ? lane_cgroups_find(tl->groups, pid) : NULL;
	client = group ? client_of_group(tl, pid, group) : NULL;
	if (client)
		return client;
	if (tl->n_clients == MAX_CLIENTS) {
		tl->too_many = "processes with contexts";
		return NULL;
	}
	client = lane_pool_get(&tl->client_pool);
	if (!client || !lane_table_put(&tl->clients, (uint32_t)pid, 0, client) ||
	    !objects_number((void ***)&tl->client_by_id, &tl->n_clients, &tl->cap_clients,
			    client)) {
		tl->no_memory = true;
		return NULL;
	}
	client->id = tl->n_clients - 1;
	client->pid = pid;
	client->group = group;
	thr = timeline_thread_find(tl, pid);
	if (thr)
		memcpy(client->comm, thr->pub.comm, sizeof(client->comm));
	return client;
}

static struct lane_ctx *ctx_new(struct lane_timeline *tl, uint32_t dev, uint64_t number_)
{
	struct lane_ctx *ctx;

	if (tl->n_contexts == MAX_CONTEXTS) {
		tl->too_many = "contexts";
		return NULL;
	}
	ctx = lane_pool_get(&tl->ctx_pool);
	if (!ctx || !lane_table_put(&tl->contexts, number_, dev, ctx) ||
	    !objects_number((void ***)&tl->context_by_id, &tl->n_contexts, &tl->cap_contexts,
			    ctx)) {
		tl->no_memory = true;
		return NULL;
	}
	ctx->pub.id = tl->n_contexts - 1;
	ctx->pub.dev = dev;
	ctx->pub.ctx = number_;
	ctx->pub.client = timeline_client_get(tl, -1);
	tl->near_contexts[number_ % LANE_NEAR] = ctx;
	if (!timeline_context_by_fence(tl, number_)) {
		tl->near_by_fence[number_ % LANE_NEAR] = ctx;
		if (!lane_table_put(&tl->by_fence, number_, 0, ctx))
			tl->no_memory = true;
	}
	return ctx->pub.client ? ctx : NULL;
}

static inline struct lane_ctx *ctx_get(struct lane_timeline *tl, uint32_t dev, uint64_t number_)
{
	struct lane_ctx *ctx = timeline_context_find(tl, dev, number_);

	return ctx ? ctx : ctx_new(tl, dev, number_);
}

/* Finds the open request of its context that seqno comes after; *after NULL: none. False: seqno
 * cannot come any more, as it is too old or its place is out of reach. */
static bool find_place(const struct lane_ctx *ctx, uint32_t seqno, struct lane_rq **after)
{
	struct lane_rq *old = ctx->first, *young = ctx->last;

	for (unsigned int i = 0; i < MAX_REACH; i++, old = old->next, young = young->prev) {
		if (!young || !in_order(seqno, young->pub.seqno)) {
			*after = young;
			return true;
		}
		if (in_order(seqno, old->pub.seqno)) {
			*after = old->prev;
			return old->prev || ctx->open < LANE_MAX_UNRETIRED;
		}
	}
	return false;
}

/* Links rq behind `after` (NULL: first) among the open requests of its context. */
static void link_after(struct lane_ctx *ctx, struct lane_rq *rq, struct lane_rq *after)
{
	rq->prev = after;
	rq->next = after ? after->next : ctx->first;
	*(after ? &after->next : &ctx->first) = rq;
	*(rq->next ? &rq->next->prev : &ctx->last) = rq;
	if (!ctx->live || in_order(rq->pub.seqno, ctx->live->pub.seqno))
		ctx->live = rq;
	ctx->open++;
}

static struct lane_rq *rq_create(struct lane_timeline *tl, struct lane_ctx *ctx, uint32_t seqno)
{
	struct lane_rq *rq, *after;

	if (!find_place(ctx, seqno, &after)) {
		tl->figures.contradictions++;
		return NULL;
	}
	if (tl->figures.open_requests == MAX_OPEN) {
		tl->too_many = "open requests";
		return NULL;
	}
	rq = lane_pool_get(&tl->rq_pool);
	if (!rq || !lane_table_put(&tl->requests, ctx->pub.id, seqno, rq)) {
		tl->no_memory = true;
		return NULL;
	}
	rq->pub.context = &ctx->pub;
	rq->pub.seqno = seqno;
	rq->pub.prio = INT32_MIN;
	rq->pub.tid = -1;
	rq->pub.pid = -1;
	rq->doubt.since = timeline_bound_bare(LANE_NEVER);
	link_after(ctx, rq, after);
	tl->figures.by_state[rq->pub.state]++;
	if (++tl->figures.open_requests > tl->figures.max_open_requests)
		tl->figures.max_open_requests = tl->figures.open_requests;
	return rq;
}

/* The event's request was told already, for want of room (make_room()). */
static bool objects_is_told(const struct lane_ctx *ctx, const struct lane_event *event)
{
	return ctx->has_forgotten && !in_order(ctx->forgot_seqno, event->u.rq.seqno);
}

/*
 * A wait for a request that is complete and gone: i915_request_wait() (i915_request.c) looks at the
 * fence before it fires the event. The thread may be preempted between the two; since Linux 7.3 in
 * the tracepoint itself, too.
 */
static bool waits_in_vain(const struct lane_ctx *ctx, const struct lane_event *event)
{
	return event->wire.kind == LANE_RQ_WAIT_BEGIN && ctx->has_complete &&
	       !in_order(ctx->complete_seqno, event->u.rq.seqno);
}

struct lane_rq *timeline_request_find(const struct lane_timeline *tl,
				      const struct lane_event *event)
{
	struct lane_rq *rq = tl->last_rq;
	const struct lane_ctx *ctx;

	if (rq && rq->pub.seqno == event->u.rq.seqno && rq->pub.context->ctx == event->u.rq.ctx &&
	    rq->pub.context->dev == event->u.rq.dev)
		return rq;
	ctx = timeline_context_find(tl, event->u.rq.dev, event->u.rq.ctx);
	return ctx ? lane_table_get(&tl->requests, ctx->pub.id, event->u.rq.seqno) : NULL;
}

struct lane_rq *timeline_request_new(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_ctx *ctx = ctx_get(tl, event->u.rq.dev, event->u.rq.ctx);
	struct lane_rq *rq = NULL;

	if (ctx && waits_in_vain(ctx, event))
		return NULL;
	if (ctx && !objects_is_told(ctx, event))
		rq = rq_create(tl, ctx, event->u.rq.seqno);
	else if (ctx && event->wire.kind != LANE_RQ_RETIRE &&
		 event->wire.kind != LANE_RQ_WAIT_BEGIN)
		tl->figures.contradictions++; /* these may still come of it, nothing else */
	return rq;
}

struct lane_rq *timeline_request_of_fence(const struct lane_timeline *tl, uint64_t context,
					  uint64_t seqno)
{
	const struct lane_ctx *ctx = context ? timeline_context_by_fence(tl, context) : NULL;

	return ctx ? lane_table_get(&tl->requests, ctx->pub.id, (uint32_t)seqno) : NULL;
}

struct lane_rq *timeline_request_by_fence(const struct lane_timeline *tl,
					  const struct lane_event *event)
{
	struct lane_rq *rq = tl->last_rq;

	if (rq && rq->pub.seqno == (uint32_t)event->u.fence.seqno &&
	    rq->pub.context->ctx == event->u.fence.context)
		return rq;
	return timeline_request_of_fence(tl, event->u.fence.context, event->u.fence.seqno);
}

void timeline_request_free(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;

	if (ctx->live == rq)
		ctx->live = rq->next;
	if (ctx->back == rq)
		ctx->back = rq->next;
	*(rq->prev ? &rq->prev->next : &ctx->first) = rq->next;
	*(rq->next ? &rq->next->prev : &ctx->last) = rq->prev;
	ctx->open--;
	lane_table_del(&tl->requests, ctx->pub.id, rq->pub.seqno);
	if (rq->pub.spins_on)
		rq->pub.spins_on->spinner = NULL;
	if (rq->pub.spinner)
		rq->pub.spinner->spins_on = NULL;
	if (rq->note)
		lane_pool_put(&tl->note_pool, rq->note);
	if (tl->last_rq == rq)
		tl->last_rq = NULL;
	tl->figures.by_state[rq->pub.state]--;
	tl->figures.open_requests--;
	lane_pool_put(&tl->rq_pool, rq);
}

/* The model of an engine, as far as the trace says beforehand. */
static enum lane_mode first_mode(const struct lane_timeline *tl)
{
	switch (tl->info.submission) {
	case LANE_SUBMISSION_EXECLISTS:
		return tl->has_in ? LANE_MODE_EXECLISTS : LANE_MODE_HOOKS;
	case LANE_SUBMISSION_PER_REQUEST:
		return tl->has_in ? LANE_MODE_LEGACY : LANE_MODE_HOOKS;
	case LANE_SUBMISSION_GUC:
		return LANE_MODE_GUC;
	case LANE_SUBMISSION_RING:
		return LANE_MODE_RING;
	default:
		return LANE_MODE_UNKNOWN;
	}
}

struct lane_eng *timeline_engine_find(struct lane_timeline *tl, uint32_t dev, uint16_t class,
				      uint16_t instance)
{
	uint64_t which = (uint64_t) class << 16 | instance;
	struct lane_eng *eng = lane_table_get(&tl->engines, dev, which);

	if (eng) {
		tl->last_eng = eng;
		return eng;
	}
	if (tl->n_engines == MAX_ENGINES) {
		tl->too_many = "engines";
		return NULL;
	}
	eng = lane_pool_get(&tl->eng_pool);
	if (!eng || !lane_table_put(&tl->engines, dev, which, eng) ||
	    !objects_number((void ***)&tl->engine_by_id, &tl->n_engines, &tl->cap_engines, eng)) {
		tl->no_memory = true;
		return NULL;
	}
	eng->pub.id = tl->n_engines - 1;
	eng->pub.dev = dev;
	eng->pub.class = class;
	eng->pub.instance = instance;
	eng->pub.submission = tl->info.submission;
	timeline_engine_becomes(tl, eng, first_mode(tl));
	eng->proof.epoch = LANE_EPOCH_WHOLE + !!tl->next_loss;
	eng->proof.doubt_until_ns =
		tl->loss_end > tl->figures.begin_ns ? tl->loss_end : tl->figures.begin_ns;
	if (tl->info.follows_some) { /* unseen requests of other processes may be ahead at any
				      * time */
		eng->proof.epoch = LANE_EPOCH_WHOLE + 1;
		eng->proof.doubt_until_ns = LANE_NEVER;
	}
	return eng;
}

static struct lane_thr *thread_new(struct lane_timeline *tl, int32_t tid)
{
	struct lane_thr *thr;

	if (tl->threads.used >= MAX_THREADS) {
		timeline_thread_make_room(tl, NULL);
		if (tl->threads.used > MAX_THREADS / 4 * 3) {
			tl->too_many = "threads";
			return NULL;
		}
	}
	thr = lane_pool_get(&tl->thr_pool);
	if (!thr || !lane_table_put(&tl->threads, (uint32_t)tid, 0, thr)) {
		tl->no_memory = true;
		return NULL;
	}
	thr->pub.tid = tid;
	thr->pub.pid = -1;
	thr->is_followed = tid == tl->info.followed_pid; /* its process's first thread */
	thr->pub.cpu = -1;
	thr->pub.since_ns = tl->now.ns;
	thr->queued_on = -1;
	thr->waker = -1;
	thr->pub.is_interesting = tl->follows_all;
	tl->n_interesting += tl->follows_all;
	return thr;
}

struct lane_thr *timeline_thread_seek(struct lane_timeline *tl, int32_t tid)
{
	struct lane_thr *thr;

	if (tid <= 0)
		return NULL;
	thr = lane_table_get(&tl->threads, (uint32_t)tid, 0);
	if (!thr)
		thr = thread_new(tl, tid);
	tl->near_threads[(uint32_t)tid % LANE_NEAR] = thr;
	return thr;
}

struct lane_cpu *timeline_cpu_new(struct lane_timeline *tl, int32_t cpu)
{
	if (cpu < 0 || cpu >= 65536)
		return NULL;
	if (!LANE_GROW(tl->cpus, tl->cpus_room, (size_t)cpu + 1)) {
		tl->no_memory = true;
		return NULL;
	}
	while (tl->n_cpus <= (uint32_t)cpu)
		tl->cpus[tl->n_cpus++].tid = -1;
	return &tl->cpus[cpu];
}

const struct lane_engine *timeline_engine(const struct lane_timeline *tl, uint32_t id)
{
	return id < tl->n_engines ? &tl->engine_by_id[id]->pub : NULL;
}

const struct lane_context *timeline_context(const struct lane_timeline *tl, uint32_t id)
{
	return id < tl->n_contexts ? &tl->context_by_id[id]->pub : NULL;
}

const struct lane_client *timeline_client(const struct lane_timeline *tl, uint32_t id)
{
	return id < tl->n_clients ? tl->client_by_id[id] : NULL;
}

const struct lane_thread *timeline_thread(const struct lane_timeline *tl, int32_t tid)
{
	const struct lane_thr *thr = timeline_thread_find(tl, tid);

	return thr ? &thr->pub : NULL;
}

struct lane_span timeline_thread_ran(const struct lane_timeline *tl, int32_t tid, uint64_t now_ns)
{
	const struct lane_thr *thr = timeline_thread_find(tl, tid);
	struct lane_span ran = { 0, now_ns };
	uint64_t clock[LANE_DOING_COUNT];

	if (!thr)
		return ran;
	memcpy(clock, thr->clock, sizeof(clock));
	clock[timeline_thread_is_unknown(tl, thr, now_ns) ? LANE_DOING_UNKNOWN
							  : timeline_thread_doing(thr)] +=
		now_ns - thr->pub.since_ns;
	ran.lo = clock[LANE_DOING_RUNNING];
	ran.hi = ran.lo + clock[LANE_DOING_UNKNOWN];
	return ran;
}

void timeline_thread_forget(struct lane_timeline *tl, struct lane_thr *thr)
{
	tl->n_interesting -= thr->pub.is_interesting;
	lane_table_del(&tl->threads, (uint32_t)thr->pub.tid, 0);
	if (tl->near_threads[(uint32_t)thr->pub.tid % LANE_NEAR] == thr)
		tl->near_threads[(uint32_t)thr->pub.tid % LANE_NEAR] = NULL;
	free(thr->waiting);
	free(thr->slots);
	free(thr->stacks);
	free(thr->place);
	free(thr->actor);
	free(thr->worker);
	if (thr->kernel_wait)
		lane_pool_put(&tl->kernel_wait_pool, thr->kernel_wait);
	lane_pool_put(&tl->thr_pool, thr);
}

/* No event that matters can follow of thr, or nothing of it is told to anyone. */
static bool is_out(const struct lane_timeline *tl, const struct lane_thr *thr)
{
	if (thr->wait || thr->kernel_wait || thr->queued_on >= 0)
		return false;
	return thr->is_dying || !tl->figures.by_kind[LANE_SWITCH] ||
	       (!thr->pub.is_interesting && !thr->pub.client);
}

void timeline_thread_make_room(struct lane_timeline *tl, const struct lane_thr *keep)
{
	for (size_t i = 0; i <= tl->threads.mask; i++) {
		struct lane_thr *thr;

		/* Another thread may move into the freed slot: it is looked at, too. */
		while ((thr = tl->threads.slots[i].value) && thr != keep && is_out(tl, thr))
			timeline_thread_forget(tl, thr);
	}
}
