// SPDX-License-Identifier: MIT
/*
 * The jobs of drm_sched: what each event says of a job, and of the ring that runs it
 * (docs/analysis.md, drm_sched). The scheduler's source is drivers/gpu/drm/scheduler of
 * Linux 6.1, 6.12 and 6.17.
 */
#include "timeline/drm.h"
#include "timeline/engine.h"
#include "timeline/idle.h"
#include "timeline/losses.h"
#include "timeline/objects.h"
#include "timeline/opencl.h"
#include "timeline/tell.h"
#include "timeline/thread.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES 256
#define MAX_OPEN    4096 /* open jobs of one entity */
#define SIGNALS	    16384
/* A firmware is not done with a job so soon: its queue was banned, and the job was never run
 * (xe_guc_submit.c). */
#define REFUSAL_NS 20000
#define GUESSES	   2 /* until which fences are a ring's is believed */

/* A fence that has been signalled. */
struct signal {
	uint64_t context, seqno, at_ns;
	bool is_sound; /* an interrupt of the idle task told so: not of what was cancelled */
};

struct lane_drm_jobs {
	struct lane_table jobs;	   /* by thread: the job that it has given to its ring last */
	struct lane_table rings;   /* by the context of their fences */
	struct lane_table hw;	   /* by fence: the job that it is the ring's fence of */
	struct lane_table signals; /* by fence: struct signal */
	struct lane_pool job_pool, ring_pool;
	struct lane_event key; /* of the request that is looked for */
	char devices[MAX_DEVICES][32];
	uint32_t n_devices;
	uint64_t next_signal;  /* the oldest makes room */
	uint64_t forgotten_ns; /* the last one that did */
	struct signal signal[SIGNALS];
};

/*
 * Who runs one job at a time, in the order in which the scheduler gave them to the ring, and
 * signals by an interrupt. All others have a firmware that schedules, or rings that share an engine
 * (msm). A driver that is not here is not known to do either.
 */
static enum lane_discipline discipline_of(const char *driver, const char *ring)
{
	static const char *const serial[] = { "amdgpu",	 "v3d",	   "lima",  "panfrost",
					      "etnaviv", "rocket", "ethosu" };
	static const char *const firmware[] = { "xe",	   "panthor", "nouveau", "pvr",
						"powervr", "msm",     "msm_dpu", "amdxdna" };

	/* Two rings of software on one of hardware: amdgpu_ring_mux.c, Linux 6.3 on. */
	if (!strcmp(driver, "amdgpu") && (!strcmp(ring, "gfx_low") || !strcmp(ring, "gfx_high")))
		return LANE_RING_FIRMWARE;
	for (size_t i = 0; i < sizeof(serial) / sizeof(serial[0]); i++)
		if (!strcmp(driver, serial[i]))
			return LANE_RING_SERIAL;
	for (size_t i = 0; i < sizeof(firmware) / sizeof(firmware[0]); i++)
		if (!strcmp(driver, firmware[i]))
			return LANE_RING_FIRMWARE;
	return LANE_RING_UNKNOWN;
}

static struct lane_drm_jobs *jobs_of(struct lane_timeline *tl)
{
	struct lane_drm_jobs *all = tl->jobs;

	if (all)
		return all;
	all = calloc(1, sizeof(*all));
	if (!all) {
		tl->no_memory = true;
		return NULL;
	}
	all->job_pool.size = sizeof(struct lane_job);
	all->ring_pool.size = sizeof(struct lane_ring);
	tl->jobs = all;
	return all;
}

void lane_jobs_free(struct lane_timeline *tl)
{
	struct lane_drm_jobs *all = tl->jobs;

	if (!all)
		return;
	lane_table_free(&all->jobs);
	lane_table_free(&all->hw);
	lane_table_free(&all->rings);
	lane_table_free(&all->signals);
	lane_pool_free(&all->job_pool);
	lane_pool_free(&all->ring_pool);
	free(all);
	tl->jobs = NULL;
}

static bool sees(const struct lane_timeline *tl, enum lane_kind kind)
{
	return tl->info.presence[kind] != LANE_PRESENCE_ABSENT;
}

/* The signals of fences are recorded, and some have come. */
static bool hears_fences(const struct lane_timeline *tl)
{
	return sees(tl, LANE_FENCE_SIGNALED) &&
	       (tl->figures.by_kind[LANE_FENCE_SIGNALED] ||
		tl->info.presence[LANE_FENCE_SIGNALED] == LANE_PRESENCE_RECORDED);
}

static bool is_lossy(const struct lane_timeline *tl, uint64_t begin_ns, uint64_t end_ns)
{
	return tl->n_losses && lane_loss_between(tl, begin_ns, end_ns);
}

/* ---- rings ---- */

static void copy(char *to, size_t size, const char *from, size_t most)
{
	size_t n = strnlen(from, most);

	if (n >= size)
		n = size - 1;
	memcpy(to, from, n);
	memset(to + n, 0, size - n);
}

/* The number of a device; 0 is i915's first. */
static int device_of(struct lane_timeline *tl, const char dev[32])
{
	struct lane_drm_jobs *all = tl->jobs;

	for (uint32_t i = 0; i < all->n_devices; i++)
		if (!memcmp(all->devices[i], dev, 32))
			return (int)(LANE_DEVICE_NAMED + i);
	if (all->n_devices == MAX_DEVICES) {
		tl->too_many = "devices";
		return -1;
	}
	memcpy(all->devices[all->n_devices], dev, 32);
	return (int)(LANE_DEVICE_NAMED + all->n_devices++);
}

/* Engines have a device's name in theirs where there are several devices. */
static void count_devices(struct lane_timeline *tl, const struct lane_engine *fresh)
{
	for (uint32_t i = 0; i < tl->n_engines && !tl->has_devices; i++)
		tl->has_devices = tl->engine_by_id[i]->pub.dev != fresh->dev;
	if (!tl->has_devices)
		return;
	for (uint32_t i = 0; i < tl->n_engines; i++)
		tl->engine_by_id[i]->pub.is_one_of_several = true;
}

static struct lane_eng *ring_of(struct lane_timeline *tl,
				const struct lane_p_drm_sched_job_queue *job)
{
	int dev = device_of(tl, job->dev);
	struct lane_ring *ring;
	struct lane_eng *eng;
	uint16_t instance = 0;

	for (uint32_t i = 0; i < tl->n_engines; i++) {
		eng = tl->engine_by_id[i];
		if (!eng->ring || (int)eng->pub.dev != dev)
			continue;
		if (!memcmp(eng->ring->raw_name, job->name, 32))
			return eng;
		instance++;
	}
	if (dev < 0)
		return NULL;
	eng = lane_eng_get(tl, (uint32_t)dev, LANE_CLASS_NAMED, instance);
	ring = lane_pool_get(&tl->jobs->ring_pool);
	if (!eng || !ring) {
		tl->no_memory |= !ring;
		return NULL;
	}
	eng->ring = ring;
	eng->mode = LANE_MODE_SCHED;
	eng->pub.submission = LANE_SUBMISSION_UNKNOWN;
	memcpy(ring->raw_name, job->name, 32);
	copy(ring->name, sizeof(ring->name), job->name, sizeof(job->name));
	copy(ring->device, sizeof(ring->device), job->dev, sizeof(job->dev));
	eng->pub.name = ring->name;
	eng->pub.device = ring->device;
	eng->pub.driver = ring->driver;
	count_devices(tl, &eng->pub);
	return eng;
}

/*
 * What the driver's rings do. Up to Linux 6.16 jobs do not name their device: that a name is one
 * ring's only the making of the ring's fences shows (see_maker()). Where neither is there, the ring
 * may be two.
 */
static void learn_driver(const struct lane_timeline *tl, struct lane_eng *eng,
			 const struct lane_p_drm_sched_job_queue *job)
{
	struct lane_ring *ring = eng->ring;

	if (*ring->driver || !*job->driver)
		return;
	copy(ring->driver, sizeof(ring->driver), job->driver, sizeof(job->driver));
	if (*ring->device || tl->figures.by_kind[LANE_FENCE_INIT])
		ring->discipline = discipline_of(ring->driver, ring->name);
}

/* ---- jobs ---- */

static struct lane_ring *ring_for(const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return eng ? eng->ring : NULL;
}

/* Given to the ring, and not over: in that order. */
static void link_job(struct lane_ring *ring, struct lane_rq *rq)
{
	struct lane_job *job = rq->job;

	job->before = ring->last;
	job->behind = NULL;
	*(ring->last ? &ring->last->job->behind : &ring->first) = rq;
	ring->last = rq;
	job->is_given = true;
}

static void unlink_job(struct lane_ring *ring, struct lane_rq *rq)
{
	struct lane_job *job = rq->job;

	if (!job->is_given)
		return;
	*(job->before ? &job->before->job->behind : &ring->first) = job->behind;
	*(job->behind ? &job->behind->job->before : &ring->last) = job->before;
	job->is_given = false;
}

static void forget(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_drm_jobs *all = tl->jobs;
	struct lane_job *job = rq->job;

	if (job->is_given)
		unlink_job(ring_for(rq), rq);
	if (job->run_tid >= 0 && lane_table_get(&all->jobs, (uint32_t)job->run_tid, 1) == rq)
		lane_table_del(&all->jobs, (uint32_t)job->run_tid, 1);
	if (job->hw_context && lane_table_get(&all->hw, job->hw_context, job->hw_seqno) == rq)
		lane_table_del(&all->hw, job->hw_context, job->hw_seqno);
	lane_pool_put(&all->job_pool, job);
	rq->job = NULL;
}

void lane_job_done(struct lane_timeline *tl, struct lane_rq *rq)
{
	const uint8_t doubts = LANE_DOUBT_EXECUTE | LANE_DOUBT_DEVICE | LANE_DOUBT_END;
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;

	if (!rq->ended && rq->pub.state == LANE_RQ_STATE_HOST)
		lane_queue_changes(tl, rq->pub.host_engine, LANE_QUEUE_HOST, rq, -1, tl->now_ns);
	if (eng && eng->running == rq)
		eng->running = NULL;
	if (!rq->pub.executes) /* what it waited for nobody knows */
		rq->pub.seen &= (uint8_t)~LANE_SEEN_SUBMIT;
	if (!rq->ended) {
		rq->pub.doubt |= LANE_DOUBT_END;
		/* where its end may have been lost, it may never have been run */
		if (!rq->pub.started || rq->pub.start.hi == LANE_NEVER ||
		    is_lossy(tl, rq->pub.execute_ns, tl->now_ns))
			rq->pub.doubt |= LANE_DOUBT_DEVICE;
	}
	rq->pub.wake_known =
		(rq->pub.seen & LANE_SEEN_SIGNAL) && !rq->wait_cut && !lane_loss_hides(tl, rq);
	if ((rq->pub.doubt & doubts) || !(rq->pub.seen & LANE_SEEN_EXECUTE))
		rq->pub.behind = NULL;
	forget(tl, rq);
	if (tl->hooks.request)
		tl->hooks.request(tl->hooks.arg, &rq->pub);
	lane_command_request(tl, &rq->pub);
	lane_rq_free(tl, rq);
}

/* The job's story is told; who waits for it may keep it. */
static void over(struct lane_timeline *tl, struct lane_rq *rq)
{
	rq->over = true;
	if (!rq->waiters)
		lane_job_done(tl, rq);
}

/* It is given up: what has not been seen of it will not come, or is not believed. */
static void give_up(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;

	if (!rq->ended) {
		rq->pub.doubt |= LANE_DOUBT_DEVICE | LANE_DOUBT_END | LANE_DOUBT_GONE;
		if (eng && rq->pub.state == LANE_RQ_STATE_DEVICE)
			lane_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, -1, tl->now_ns);
		if (eng && eng->running == rq)
			eng->running = NULL;
	}
	rq->wait_cut |= rq->waiters != NULL;
	while (rq->waiters)
		lane_wait_drop(tl, rq->waiters);
	lane_job_done(tl, rq);
}

static void make_room(struct lane_timeline *tl, const struct lane_rq *newest)
{
	struct lane_ctx *ctx = (struct lane_ctx *)newest->pub.context;

	while (ctx->open > MAX_OPEN && ctx->first != newest) {
		ctx->forgot = true;
		ctx->forgot_seqno = ctx->first->pub.seqno;
		give_up(tl, ctx->first);
	}
}

/* The job of that name; where create says so it is made. NULL: there is none. */
static struct lane_rq *job_of(struct lane_timeline *tl, uint32_t dev,
			      const struct lane_event *event, bool create)
{
	struct lane_event *key = &tl->jobs->key;
	struct lane_rq *rq;

	if (!create)
		return lane_rq_by_fence(tl, event);
	key->wire.kind = LANE_RQ_ADD;
	key->u.rq.ctx = event->u.drm.fence_context;
	key->u.rq.dev = dev;
	key->u.rq.seqno = (uint32_t)event->u.drm.fence_seqno;
	rq = lane_rq_find(tl, key);
	if (rq)
		return rq->job ? rq : NULL;
	rq = lane_rq_new(tl, key);
	if (!rq)
		return NULL;
	rq->job = lane_pool_get(&tl->jobs->job_pool);
	if (!rq->job) {
		tl->no_memory = true;
		return NULL;
	}
	rq->job->run_tid = -1;
	((struct lane_ctx *)rq->pub.context)->pub.is_drm = true;
	make_room(tl, rq);
	return rq;
}

/* It is of that ring: its scheduler was chosen when it was armed. */
static void settle(struct lane_rq *rq, struct lane_eng *eng)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;

	rq->pub.engine = rq->pub.host_engine = &eng->pub;
	ctx->is_moved |= ctx->engine && ctx->engine != &eng->pub;
	ctx->engine = &eng->pub;
}

static void on_queue(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_eng *eng = ring_of(tl, &event->u.drm_sched_job_queue);
	uint64_t now_ns = event->wire.ts_ns;
	struct lane_thr *thr;
	struct lane_rq *rq;

	rq = eng ? job_of(tl, eng->pub.dev, event, true) : NULL;
	if (!rq || rq->pub.seen)
		return;
	learn_driver(tl, eng, &event->u.drm_sched_job_queue);
	rq->pub.seen = LANE_SEEN_ADD | LANE_SEEN_SUBMIT;
	rq->pub.add_ns = rq->pub.submit_ns = now_ns;
	rq->pub.drm_client = event->u.drm_sched_job_queue.client_id;
	settle(rq, eng);
	thr = lane_thr_submits(tl, rq, event);
	if (thr && tl->idle_mask)
		lane_idle_note(tl, rq, thr, now_ns);
	lane_rq_state(tl, rq, LANE_RQ_STATE_DEPENDENCY, now_ns);
	lane_rq_state(tl, rq, LANE_RQ_STATE_HOST, now_ns);
	lane_queue_changes(tl, &eng->pub, LANE_QUEUE_HOST, rq, 1, now_ns);
}

/* ---- dependencies ---- */

static struct lane_ctx *context_of(const struct lane_timeline *tl, uint64_t context)
{
	struct lane_ctx *ctx = lane_table_get(&tl->by_fence, context, 0);

	return ctx && ctx->pub.is_drm ? ctx : NULL;
}

/* The ring that is to signal the fence of a dependency, if it is a job's. */
static void place(const struct lane_timeline *tl, struct lane_dep *dep)
{
	const struct lane_ctx *ctx = context_of(tl, dep->context);
	const struct lane_rq *rq;

	if (!ctx)
		return;
	rq = lane_table_get(&tl->requests, ctx->pub.id, (uint32_t)dep->seqno);
	dep->engine = rq ? rq->pub.engine : ctx->engine;
	dep->is_vague = !rq && ctx->is_moved;
}

static void on_dependency(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_drm_sched_job_add_dep *dep = &event->u.drm_sched_job_add_dep;
	struct lane_rq *rq = job_of(tl, 0, event, false);
	struct lane_job *job = rq ? rq->job : NULL;

	if (!job || (rq->pub.seen & LANE_SEEN_EXECUTE))
		return;
	for (uint32_t i = 0; i < job->n_deps; i++)
		if (job->deps[i].context == dep->ctx && job->deps[i].seqno == dep->seqno)
			return;
	if (job->n_deps == LANE_JOB_DEPS) {
		job->has_more_deps = true;
		return;
	}
	job->deps[job->n_deps] =
		(struct lane_dep){ .context = dep->ctx,
				   .seqno = dep->seqno,
				   .is_awaited = event->wire.kind == LANE_DRM_UNSCHEDULABLE };
	place(tl, &job->deps[job->n_deps++]);
}

static const struct signal *signal_of(const struct lane_drm_jobs *all, uint64_t context,
				      uint64_t seqno)
{
	return lane_table_get(&all->signals, context, seqno);
}

static void note_signal(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_drm_jobs *all = tl->jobs;
	struct signal *signal = &all->signal[all->next_signal++ % SIGNALS];

	if (signal->at_ns) {
		all->forgotten_ns = signal->at_ns;
		if (signal_of(all, signal->context, signal->seqno) == signal)
			lane_table_del(&all->signals, signal->context, signal->seqno);
	}
	*signal = (struct signal){ event->u.fence.context, event->u.fence.seqno, event->wire.ts_ns,
				   !event->wire.tid };
	if (signal_of(all, signal->context, signal->seqno))
		lane_table_del(&all->signals, signal->context, signal->seqno);
	if (!lane_table_put(&all->signals, signal->context, signal->seqno, signal))
		tl->no_memory = true;
}

static uint64_t after_queue(const struct lane_rq *rq, const struct signal *signal)
{
	return signal->at_ns > rq->pub.add_ns ? signal->at_ns : 0;
}

/*
 * Of a job of the same scheduler it waits for no more than that the ring has it: for that job's
 * other fence, whose context is one less (drm_sched_entity_add_dependency_cb(), sched_entity.c).
 * But for the whole job where that has failed (from Linux 6.12 on), or its driver wants so
 * (DRM_SCHED_FENCE_DONT_PIPELINE).
 */
static uint64_t fulfilled_by_ring(const struct lane_timeline *tl, const struct lane_rq *rq,
				  const struct lane_dep *dep, uint64_t now_ns)
{
	const struct signal *given = signal_of(tl->jobs, dep->context - 1, dep->seqno);
	const struct signal *over = signal_of(tl->jobs, dep->context, dep->seqno);

	if (over && after_queue(rq, over) && over->at_ns < now_ns && !over->is_sound)
		return LANE_NEVER;
	if (given)
		return after_queue(rq, given);
	return tl->jobs->forgotten_ns >= rq->pub.add_ns ? LANE_NEVER : 0;
}

/*
 * When the fence was signalled for which the job had to wait: 0: before it was queued, or never for
 * it; LANE_NEVER: not known. Fences of its own entity are ignored.
 */
static uint64_t fulfilled_at(const struct lane_timeline *tl, const struct lane_rq *rq,
			     const struct lane_dep *dep, uint64_t now_ns)
{
	uint64_t own = rq->pub.context->ctx;
	const struct signal *signal;

	if (dep->context == own || dep->context + 1 == own)
		return 0;
	if (!hears_fences(tl) || (dep->is_vague && !dep->is_awaited))
		return LANE_NEVER;
	/* Queues that a firmware schedules may have a scheduler each, or one together. */
	if (dep->engine && dep->engine == rq->pub.engine && !dep->is_awaited)
		return ring_for(rq)->discipline == LANE_RING_SERIAL
			       ? fulfilled_by_ring(tl, rq, dep, now_ns)
			       : LANE_NEVER;
	signal = signal_of(tl->jobs, dep->context, dep->seqno);
	if (signal)
		return after_queue(rq, signal);
	return tl->jobs->forgotten_ns >= rq->pub.add_ns ? LANE_NEVER : 0;
}

/* What freed the job, at submit_ns. */
static void note_culprit(const struct lane_timeline *tl, struct lane_rq *rq,
			 const struct lane_dep *dep)
{
	struct lane_ctx *ctx = context_of(tl, dep->context);

	rq->pub.waited_ctx = dep->context;
	rq->pub.waited_seqno = dep->seqno;
	if (!ctx && dep->is_awaited)
		ctx = context_of(tl, dep->context + 1);
	if (!ctx)
		ctx = lane_table_get(&tl->by_fence, dep->context, 0);
	rq->pub.after = ctx ? &ctx->pub : NULL;
	rq->pub.after_seqno = (uint32_t)dep->seqno;
}

/* Its ring is about to get it: all that it waited for is known by now, or will not be. */
static void decide_submit(struct lane_timeline *tl, struct lane_rq *rq, uint64_t now_ns)
{
	struct lane_job *job = rq->job;
	const struct lane_dep *last = NULL;
	uint64_t submit_ns = rq->pub.add_ns;
	bool known = !job->has_more_deps && sees(tl, LANE_DRM_ADD_DEP) &&
		     !is_lossy(tl, rq->pub.add_ns, now_ns);

	for (uint32_t i = 0; i < job->n_deps && known; i++) {
		uint64_t at_ns = fulfilled_at(tl, rq, &job->deps[i], now_ns);

		/* Its own entity's do not count, and which those are is not known. */
		if (at_ns && rq->pub.context->ctx >= LANE_OWN_CONTEXT)
			at_ns = LANE_NEVER;
		known = at_ns != LANE_NEVER && at_ns <= now_ns;
		if (at_ns > submit_ns) {
			submit_ns = at_ns;
			last = &job->deps[i];
		}
	}
	if (!known) {
		rq->pub.seen &= (uint8_t)~LANE_SEEN_SUBMIT;
		return;
	}
	if (!last)
		return;
	note_culprit(tl, rq, last);
	lane_queue_changes(tl, rq->pub.host_engine, LANE_QUEUE_HOST, rq, -1, rq->pub.add_ns);
	lane_rq_state(tl, rq, LANE_RQ_STATE_DEPENDENCY, rq->pub.add_ns);
	rq->pub.submit_ns = submit_ns;
	lane_rq_state(tl, rq, LANE_RQ_STATE_HOST, submit_ns);
	lane_queue_changes(tl, rq->pub.host_engine, LANE_QUEUE_HOST, rq, 1, submit_ns);
}

/* ---- what runs ---- */

/* The first job of the ring runs, since a time in `free`, when the one before it was over, or since
 * it was given. */
static void start(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	struct lane_ring *ring = eng->ring;
	struct lane_job *job = rq->job;
	struct lane_span at = { rq->pub.execute_ns, rq->pub.execute_ns };
	bool waited = job->is_linked && ring->free.hi > at.lo;

	if (waited) {
		at.lo = lane_not_before(at.lo, ring->free.lo);
		at.hi = ring->free.hi;
	}
	if (eng->idle.is_known)
		lane_idle_end(tl, eng, rq, at.lo, !job->is_linked || lane_eng_unproven(eng));
	if (!job->is_linked || ring->discipline != LANE_RING_SERIAL)
		at.hi = LANE_NEVER; /* something unseen may run before it, or a firmware decides */
	if (ring->discipline == LANE_RING_UNKNOWN)
		at.lo = rq->pub.execute_ns;
	job->follows = waited && at.lo == ring->free.lo && at.hi == ring->free.hi;
	if (waited && rq->pub.execute_ns < ring->free.lo && ring->free_by)
		rq->pub.behind = &ring->free_by->pub;
	rq->pub.started = true;
	rq->pub.start = at;
	rq->since = at;
	eng->running = rq;
	lane_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, -1,
			   lane_not_before(at.lo, rq->pub.execute_ns));
	lane_rq_state(tl, rq, LANE_RQ_STATE_RUNNING, lane_not_before(at.lo, rq->pub.execute_ns));
}

static void start_next(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (eng->ring->first && !eng->ring->first->pub.started)
		start(tl, eng, eng->ring->first);
}

static void on_run(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_drm_sched_job_run *run = &event->u.drm_sched_job_run;
	struct lane_eng *eng = ring_of(tl, (const struct lane_p_drm_sched_job_queue *)run);
	uint64_t now_ns = event->wire.ts_ns;
	struct lane_ring *ring;
	struct lane_rq *rq;

	rq = eng ? job_of(tl, eng->pub.dev, event, true) : NULL;
	if (!rq || rq->ended || (rq->pub.seen & LANE_SEEN_EXECUTE))
		return;
	learn_driver(tl, eng, (const struct lane_p_drm_sched_job_queue *)run);
	ring = eng->ring;
	settle(rq, eng);
	if (rq->pub.seen & LANE_SEEN_ADD)
		decide_submit(tl, rq, now_ns);
	rq->pub.seen |= LANE_SEEN_EXECUTE;
	rq->pub.execute_ns = now_ns;
	rq->pub.executes = 1;
	rq->job->run_tid = event->wire.tid;
	rq->job->run_cpu = event->cpu;
	if (event->wire.tid >= 0) {
		lane_table_del(&tl->jobs->jobs, (uint32_t)event->wire.tid, 1);
		if (!lane_table_put(&tl->jobs->jobs, (uint32_t)event->wire.tid, 1, rq))
			tl->no_memory = true;
	}
	/* The count has this one in it already: 1 is nothing else (sched_main.c). */
	if (run->hw_job_count == 1)
		eng->proof.proven_epoch = eng->proof.epoch;
	rq->job->is_linked =
		run->hw_job_count == 1 || (ring->run_ns && !is_lossy(tl, ring->run_ns, now_ns));
	ring->run_ns = now_ns;
	if (rq->pub.state == LANE_RQ_STATE_HOST)
		lane_queue_changes(tl, rq->pub.host_engine, LANE_QUEUE_HOST, rq, -1, now_ns);
	lane_rq_state(tl, rq, LANE_RQ_STATE_DEVICE, now_ns);
	lane_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, 1, now_ns);
	link_job(ring, rq);
	start_next(tl, eng);
}

/* ---- ends ---- */

/* What the end of a job is told by. */
struct ending {
	struct lane_span at;
	bool is_known;	/* it was in the hardware, and ended in `at` */
	bool is_seen;	/* its ring's fence was seen to be signalled */
	bool is_breath; /* together with another one of the ring */
};

/* The job's interval on the ring is told. */
static void tell_run(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		     const struct ending *ending)
{
	struct lane_ring *ring = eng->ring;
	struct lane_span whole = lane_span_between(rq->pub.start, ending->at);
	struct lane_run run = { .engine = &eng->pub,
				.request = &rq->pub,
				.begin = rq->pub.start,
				.end = ending->at,
				.doubtful = lane_eng_unproven(eng) ||
					    (rq->pub.doubt & LANE_DOUBT_DEVICE),
				.follows = rq->job->follows,
				.sure_until_ns = ending->at.lo };

	if (ring->discipline == LANE_RING_SERIAL) {
		rq->pub.running = whole;
	} else {
		rq->pub.running = (struct lane_span){ 0, whole.hi };
		rq->pub.preempted = (struct lane_span){ 0, whole.hi };
	}
	if (tl->hooks.run)
		tl->hooks.run(tl->hooks.arg, &run);
}

/* The end and the start of rq are made consistent. */
static void fit(struct lane_rq *rq, struct ending *ending)
{
	ending->is_known &= rq->pub.started;
	if (!ending->is_known)
		rq->pub.doubt |= LANE_DOUBT_DEVICE | LANE_DOUBT_END;
	if (!rq->pub.started)
		return;
	/* Interrupts are late: what is bounded is so by what was done. */
	if (!ending->is_seen)
		rq->pub.start.lo = rq->pub.execute_ns;
	ending->at.lo = lane_not_before(ending->at.lo, rq->pub.start.lo);
	ending->at.hi = lane_not_before(ending->at.hi, ending->at.lo);
	if (rq->pub.start.hi > ending->at.hi)
		rq->pub.start.hi = ending->at.hi;
}

/* rq leaves the ring's list. */
static void leave_ring(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		       const struct ending *ending)
{
	if (rq->job->is_given) {
		unlink_job(eng->ring, rq);
		if (rq->pub.state == LANE_RQ_STATE_DEVICE)
			lane_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, -1, ending->at.hi);
		if (ending->is_known)
			tell_run(tl, eng, rq, ending);
	}
	if (eng->running == rq)
		eng->running = NULL;
}

/* What was ahead of rq is over, since rq is: nothing unseen is. */
static void prove(const struct lane_timeline *tl, struct lane_eng *eng, const struct lane_rq *rq)
{
	if (rq->pub.executes && eng->ring->discipline != LANE_RING_UNKNOWN &&
	    !is_lossy(tl, rq->pub.execute_ns, tl->now_ns))
		eng->proof.proven_epoch = eng->proof.epoch;
}

/* rq's time on its ring is over; what is behind it goes on. */
static void end_job(struct lane_timeline *tl, struct lane_rq *rq, struct ending ending)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_ring *ring = eng->ring;
	bool was_first = ring->first == rq, was_last = ring->last == rq;

	fit(rq, &ending);
	leave_ring(tl, eng, rq, &ending);
	rq->ended = true;
	rq->pub.end = ending.at;
	lane_rq_state(tl, rq, LANE_RQ_STATE_ENDED, ending.at.hi);
	while (ctx->live && ctx->live->ended)
		ctx->live = ctx->live->next;
	ring->free = ending.at;
	ring->free_by = ending.is_known ? ctx : NULL;
	if (was_first)
		prove(tl, eng, rq);
	start_next(tl, eng);
	if (was_last && was_first && (ending.is_known || ring->discipline == LANE_RING_SERIAL) &&
	    !lane_eng_unproven(eng) && !eng->idle.is_known)
		lane_idle_begin(tl, eng, ending.at.hi);
}

/* What was given to a serial ring before rq is over, since rq is. */
static void end_those_before(struct lane_timeline *tl, struct lane_rq *rq, uint64_t by_ns)
{
	struct lane_ring *ring = ring_for(rq);

	if (!rq->job->is_given || ring->discipline != LANE_RING_SERIAL)
		return;
	while (ring->first != rq) {
		struct lane_rq *before = ring->first;
		bool known = !is_lossy(tl, before->pub.execute_ns, tl->now_ns);

		end_job(tl, before,
			(struct ending){ .at = { before->pub.execute_ns, by_ns },
					 .is_known = known });
	}
}

/* The CPU's own record of its last signal of a ring's fence. */
static const struct lane_cpu *cpu_of(const struct lane_timeline *tl, const struct lane_event *event)
{
	return event->cpu >= 0 && (uint32_t)event->cpu < tl->n_cpus ? &tl->cpus[event->cpu] : NULL;
}

/*
 * The ring's fence calls the scheduler back straight out of its signal (drm_sched_job_done_cb(),
 * sched_main.c): the signal that came last on that CPU, in the same thread, is that of the job's
 * fence. But it may be another's where somebody else tells that the job is done (drm_sched_start(),
 * drm_sched_run_job_work()). So it has to be of the fences' context that the ring is known by, and
 * no other job's.
 */
static uint64_t signalled_before(const struct lane_timeline *tl, const struct lane_rq *rq,
				 const struct lane_event *event)
{
	const struct lane_cpu *cpu = cpu_of(tl, event);
	const struct lane_ring *ring = ring_for(rq);
	const struct lane_rq *of;

	if (!cpu || !cpu->fence_ns || cpu->fence_tid != event->wire.tid || !cpu->work_ns ||
	    cpu->fence_ns < cpu->work_ns || cpu->fence_ctx != ring->fence_ctx ||
	    is_lossy(tl, cpu->fence_ns, event->wire.ts_ns))
		return 0;
	of = lane_table_get(&tl->jobs->hw, cpu->fence_ctx, cpu->fence_seqno);
	return of == rq || (!of && !rq->job->hw_context) ? cpu->fence_ns : 0;
}

/* The fences of that context are the ring's. */
static void is_of_ring(struct lane_timeline *tl, struct lane_eng *eng, uint64_t context)
{
	struct lane_table *rings = &tl->jobs->rings;

	if (eng->ring->fence_ctx == context)
		return;
	if (lane_table_get(rings, eng->ring->fence_ctx, 0) == eng)
		lane_table_del(rings, eng->ring->fence_ctx, 0);
	lane_table_del(rings, context, 0);
	eng->ring->fence_ctx = context;
	if (!lane_table_put(rings, context, 0, eng))
		tl->no_memory = true;
}

/*
 * Where no event tells which fences are a ring's (xe makes them when the job is armed), those are
 * that are signalled straight before its jobs are done, time and again.
 */
static void learn_fences(struct lane_timeline *tl, struct lane_eng *eng,
			 const struct lane_event *event)
{
	const struct lane_cpu *cpu = cpu_of(tl, event);
	struct lane_ring *ring = eng->ring;

	if (!cpu || !cpu->work_ns || cpu->fence_ns < cpu->work_ns ||
	    cpu->fence_ctx == ring->fence_ctx || cpu->fence_tid != event->wire.tid ||
	    context_of(tl, cpu->fence_ctx) || context_of(tl, cpu->fence_ctx + 1))
		return;
	ring->guesses = ring->guess_ctx == cpu->fence_ctx ? ring->guesses + 1 : 1;
	ring->guess_ctx = cpu->fence_ctx;
	ring->signal_ns = cpu->fence_ns;
	ring->signal_cpu = event->cpu;
	if (ring->guesses >= GUESSES)
		is_of_ring(tl, eng, ring->guess_ctx);
}

/* Another fence of the ring was signalled by the same work. */
static bool is_breath(const struct lane_timeline *tl, const struct lane_ring *ring,
		      const struct lane_event *event)
{
	const struct lane_cpu *cpu = cpu_of(tl, event);

	return cpu && cpu->work_ns && ring->signal_cpu == event->cpu &&
	       ring->signal_ns >= cpu->work_ns && ring->signal_ns;
}

/*
 * The signal of rq's fence, at signal_ns, does not say that it ran. Who adds the call-back may find
 * that the fence is complete, or never was to be (drm_sched_run_job_work()). And a firmware is not
 * done so soon: its queue was banned.
 */
static bool is_refusal(const struct lane_rq *rq, const struct lane_event *event, uint64_t signal_ns)
{
	const struct lane_job *job = rq->job;
	uint64_t given_ns = lane_not_before(job->scheduled_ns, rq->pub.execute_ns);

	if (job->run_tid == event->wire.tid && job->run_cpu == event->cpu && job->scheduled_ns &&
	    signal_ns > job->scheduled_ns)
		return true;
	return ring_for(rq)->discipline != LANE_RING_SERIAL && signal_ns < given_ns + REFUSAL_NS;
}

/* The end where no fence of the ring was seen to be signalled. */
static struct ending ending_by_done(const struct lane_timeline *tl, const struct lane_rq *rq,
				    const struct lane_event *event)
{
	uint64_t now_ns = event->wire.ts_ns, from_ns = rq->pub.execute_ns;
	struct ending ending = { .at = { from_ns, now_ns } };

	/* It may have been cancelled, or have no end (xe's long-running jobs). */
	if (hears_fences(tl) || rq->job->run_tid == event->wire.tid ||
	    ring_for(rq)->discipline != LANE_RING_SERIAL)
		return ending;
	/* A reset ends all that the ring was given, in a thread, and some time after. */
	ending.is_breath = is_breath(tl, ring_for(rq), event);
	if (event->wire.tid && (ending.is_breath || rq->job->behind))
		return ending;
	if (!event->wire.tid && now_ns - from_ns > LANE_INTERRUPT_NS)
		ending.at.lo = now_ns - LANE_INTERRUPT_NS;
	ending.is_known = true;
	return ending;
}

/* The end of rq, told by its `done` or, where that is missing, by its fence's signal. */
static struct ending ending_of(const struct lane_timeline *tl, const struct lane_rq *rq,
			       const struct lane_event *event)
{
	const struct lane_job *job = rq->job;
	uint64_t from_ns = rq->pub.execute_ns;
	uint64_t signal_ns = signalled_before(tl, rq, event);
	struct ending ending = { .at = { from_ns, event->wire.ts_ns } };

	/* Where the job's other fence is not known, its signal may be taken for the ring's. */
	if (job->run_tid == event->wire.tid && !job->scheduled_ns && !job->hw_ns)
		return ending;
	if (!rq->pub.executes || (signal_ns && is_refusal(rq, event, signal_ns)))
		return ending;
	if (signal_ns) {
		ending.is_breath = tl->cpus[event->cpu].fence_breath;
	} else if (job->hw_ns && !is_lossy(tl, from_ns, job->hw_ns)) {
		signal_ns = job->hw_ns;
		ending.is_breath = job->is_breath;
	} else {
		return ending_by_done(tl, rq, event);
	}
	ending.at = lane_span_exact(signal_ns);
	ending.is_known = ending.is_seen = true;
	return ending;
}

/*
 * rq's fence was signalled in a thread's time: perhaps by a reset, which ends what was never begun.
 * That it was if others of the ring are signalled by the same work; or may have been, unseen.
 */
static bool may_be_cancelled(const struct lane_timeline *tl, const struct lane_rq *rq,
			     const struct lane_event *event, const struct ending *ending)
{
	if (!event->wire.tid)
		return false;
	return ending->is_breath || ((ring_for(rq)->first != rq || !rq->job->is_linked) &&
				     is_lossy(tl, rq->pub.execute_ns, event->wire.ts_ns));
}

static void conclude(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	struct ending ending;

	if (rq->ended || !ring_for(rq))
		return;
	ending = ending_of(tl, rq, event);
	if (hears_fences(tl)) {
		if (rq->job->run_tid != event->wire.tid)
			learn_fences(tl, (struct lane_eng *)rq->pub.engine, event);
	} else {
		ring_for(rq)->signal_ns = event->wire.ts_ns;
		ring_for(rq)->signal_cpu = event->cpu;
	}
	if (ending.is_seen) {
		ending.is_known = !may_be_cancelled(tl, rq, event, &ending);
		/* What was before it is over, too (two CPUs at one ring's interrupt). */
		end_those_before(tl, rq, ending.at.hi);
		/* The interrupt was late for the one before: that one may have been over earlier.
		 */
		if (ending.is_breath && rq->pub.started)
			rq->pub.start.lo = rq->pub.execute_ns;
	}
	end_job(tl, rq, ending);
}

static void on_done(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_rq *rq = job_of(tl, 0, event, false);

	if (!rq || !rq->job)
		return;
	conclude(tl, rq, event);
	if (!sees(tl, LANE_FENCE_SIGNALED) || !hears_fences(tl) ||
	    (rq->pub.seen & LANE_SEEN_SIGNAL))
		over(tl, rq);
}

/* The fence that says that the job is over is signalled. */
static void on_signaled(struct lane_timeline *tl, struct lane_rq *rq,
			const struct lane_event *event)
{
	if (rq->pub.seen & LANE_SEEN_SIGNAL)
		return;
	rq->pub.seen |= LANE_SEEN_SIGNAL;
	rq->pub.signal_ns = event->wire.ts_ns;
	lane_wait_signalled(tl, rq, event->wire.ts_ns);
	if (!rq->ended && rq->pub.executes) {
		conclude(tl, rq, event);
	} else if (!rq->ended && rq->pub.state == LANE_RQ_STATE_HOST) {
		/* Its process was killed before its turn: drm_sched_entity_kill(). Or its `run` is
		 * missing. */
		lane_queue_changes(tl, rq->pub.host_engine, LANE_QUEUE_HOST, rq, -1,
				   event->wire.ts_ns);
		lane_rq_state(tl, rq, LANE_RQ_STATE_ENDED, event->wire.ts_ns);
		rq->pub.end = (struct lane_span){ 0, LANE_NEVER };
		rq->pub.doubt |= LANE_DOUBT_END | LANE_DOUBT_DEVICE;
		rq->pub.seen &= (uint8_t)~LANE_SEEN_SUBMIT;
		rq->ended = true;
	}
	over(tl, rq);
}

/* ---- fences ---- */

/*
 * A ring makes its fences in one context. Up to Linux 6.16 no event names the device: rings of two
 * devices that have one name, as of two cards of one driver, look like one. Then nobody knows whom
 * a job stands behind.
 */
static void see_maker(struct lane_ring *ring, uint64_t context)
{
	if (ring->made_ctx && ring->made_ctx != context && ring->discipline == LANE_RING_SERIAL)
		ring->discipline = LANE_RING_UNKNOWN;
	ring->made_ctx = context;
}

/* run_job() makes the ring's fence, the last one that it makes, in the thread that has just told of
 * the job. */
static void on_init(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_dma_fence_init *init = &event->u.dma_fence_init;
	struct lane_drm_jobs *all = tl->jobs;
	struct lane_rq *rq = event->wire.tid < 0
				     ? NULL
				     : lane_table_get(&all->jobs, (uint32_t)event->wire.tid, 1);
	struct lane_job *job = rq ? rq->job : NULL;

	if (!job || job->is_scheduled || rq->ended || !strcmp(init->driver, "drm_sched") ||
	    is_lossy(tl, rq->pub.execute_ns, event->wire.ts_ns))
		return;
	if (job->hw_context && lane_table_get(&all->hw, job->hw_context, job->hw_seqno) == rq)
		lane_table_del(&all->hw, job->hw_context, job->hw_seqno);
	job->hw_context = init->context;
	job->hw_seqno = init->seqno;
	see_maker(ring_for(rq), init->context);
	is_of_ring(tl, (struct lane_eng *)rq->pub.engine, init->context);
	lane_table_del(&all->hw, init->context, init->seqno);
	if (!lane_table_put(&all->hw, init->context, init->seqno, rq))
		tl->no_memory = true;
}

/* A fence of the ring was signalled before, and called nobody back: a reset has taken the
 * call-backs off. */
static bool is_unanswered(const struct lane_rq *rq)
{
	const struct lane_rq *first = ring_for(rq)->first;

	return first && first != rq && first->job->hw_ns;
}

static bool on_any_signal(struct lane_timeline *tl, const struct lane_event *event)
{
	uint64_t context = event->u.fence.context, seqno = event->u.fence.seqno;
	struct lane_ctx *ctx = context_of(tl, context + 1);
	const struct lane_eng *eng = lane_table_get(&tl->jobs->rings, context, 0);
	bool breath = false;
	struct lane_rq *rq = lane_table_get(&tl->jobs->hw, context, seqno);

	note_signal(tl, event);
	if (eng) {
		breath = is_breath(tl, eng->ring, event);
		eng->ring->signal_ns = event->wire.ts_ns;
		eng->ring->signal_cpu = event->cpu;
	}
	if (rq && rq->job && !rq->job->hw_ns) {
		rq->job->hw_ns = event->wire.ts_ns;
		rq->job->is_breath = breath || is_unanswered(rq);
	}
	/* The other fence of a job: its ring has it, run_job() is over. */
	rq = ctx ? lane_table_get(&tl->requests, ctx->pub.id, (uint32_t)seqno) : NULL;
	if (rq && rq->job) {
		rq->job->is_scheduled = true;
		rq->job->scheduled_ns = event->wire.ts_ns;
	}
	return breath;
}

/* Remembers the last signal of each CPU. */
static void note_cpu(struct lane_timeline *tl, const struct lane_event *event, bool breath)
{
	struct lane_cpu *cpu =
		event->cpu >= 0 && (uint32_t)event->cpu < tl->n_cpus ? &tl->cpus[event->cpu] : NULL;

	if (!cpu)
		return;
	cpu->fence_ns = event->wire.ts_ns;
	cpu->fence_tid = event->wire.tid;
	cpu->fence_ctx = event->u.fence.context;
	cpu->fence_seqno = event->u.fence.seqno;
	cpu->fence_breath = breath;
}

static void on_wait(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	struct lane_rq *before;

	if (event->wire.kind == LANE_FENCE_WAIT_END) {
		if (lane_wait_end(tl, rq, event) && rq->over)
			lane_job_done(tl, rq);
		return;
	}
	before = lane_wait_missed(tl, event->wire.tid);
	if (before && before->job && before->over && before != rq && !before->waiters)
		lane_job_done(tl, before);
	lane_wait_begin(tl, rq, event);
}

bool lane_job_fence_event(struct lane_timeline *tl, const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;
	bool breath = false;
	struct lane_rq *rq;

	if (kind == LANE_FENCE_INIT) {
		on_init(tl, event);
		return false;
	}
	if (kind == LANE_FENCE_SIGNALED)
		breath = on_any_signal(tl, event);
	rq = lane_rq_by_fence(tl, event);
	if (rq && !rq->job)
		rq = NULL;
	if (rq && kind == LANE_FENCE_SIGNALED)
		on_signaled(tl, rq, event);
	else if (rq && kind != LANE_FENCE_ENABLE_SIGNAL)
		on_wait(tl, rq, event);
	if (kind == LANE_FENCE_SIGNALED)
		note_cpu(tl, event, breath);
	return rq || context_of(tl, event->u.fence.context);
}

void lane_ring_doubt(struct lane_eng *eng, uint64_t until_ns)
{
	eng->proof.epoch++;
	eng->proof.doubt_until_ns = lane_not_before(until_ns, eng->proof.doubt_until_ns);
}

/* Whom it names hangs on something that may have been lost. */
static bool is_doubtful(const struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_raw *raw = &event->raw;

	return (raw->named_since_ns && is_lossy(tl, raw->named_since_ns, raw->named_by_ns)) ||
	       (raw->known_ns && is_lossy(tl, raw->known_ns, event->wire.ts_ns));
}

/* The ring was given a job, nobody knows which. */
static void miss_run(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_eng *eng = ring_of(tl, &event->u.drm_sched_job_queue);

	if (!eng)
		return;
	eng->ring->run_ns = 0;
	lane_idle_cut(tl, eng, event->wire.ts_ns);
	lane_ring_doubt(eng, event->wire.ts_ns);
}

void lane_job_event(struct lane_timeline *tl, const struct lane_event *event)
{
	if (!jobs_of(tl))
		return;
	if (is_doubtful(tl, event)) {
		if (event->wire.kind == LANE_DRM_RUN)
			miss_run(tl, event);
		return;
	}
	switch (event->wire.kind) {
	case LANE_DRM_QUEUE:
		on_queue(tl, event);
		break;
	case LANE_DRM_ADD_DEP:
	case LANE_DRM_UNSCHEDULABLE:
		on_dependency(tl, event);
		break;
	case LANE_DRM_RUN:
		on_run(tl, event);
		break;
	default:
		on_done(tl, event);
		break;
	}
}
