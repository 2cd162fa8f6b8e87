// SPDX-License-Identifier: MIT
// The scheduler: drivers/gpu/drm/scheduler/sched_main.c. In Linux 6.1 a thread per scheduler, from
// 6.8 on work items of a queue per scheduler, in any worker.
#include <string.h>

#include "drmsched.h"

/* ---- workers ---- */

uint32_t sched_workers(const struct sim_scenario *sc)
{
	return sc->n_engines + 2; /* those of the last two run what has no thread of its own */
}

static bool is_old(const struct world *w)
{
	return w->sc->kernel == SIM_LINUX_6_1;
}

void sched_begin(struct world *w)
{
	struct sched *s = world_alloc(w, sizeof(*s));

	w->sched = s;
	s->n_rings = w->sc->n_engines;
	s->rings = world_alloc(w, (s->n_rings + 1) * sizeof(*s->rings));
	s->n_workers = sched_workers(w->sc);
	s->workers = world_alloc(w, s->n_workers * sizeof(*s->workers));
	s->next_context = 10 + world_below(w, 100);
	s->next_fence = 0xffff888104a00000;
	s->next_entity = 0xffff888107000000;
	s->foreign_context = s->next_context++;
	for (uint32_t i = 0; i < s->n_rings; i++) {
		s->rings[i].sc = &w->sc->engines[i].ring;
		s->rings[i].index = i;
		s->rings[i].fence_context = s->next_context++;
	}
	s->entities = world_alloc(w, (w->sc->n_contexts + 1) * sizeof(struct sentity *));
	for (uint32_t i = 0; i < w->sc->n_contexts; i++) {
		s->entities[i] = sentity_create(w, &w->sc->contexts[i], i);
		vec_push(w, s->last_of) = NULL;
	}
}

/* A thread is that worker. */
void sched_bind(struct world *w, uint32_t worker, struct thread *t)
{
	struct worker *k = &w->sched->workers[worker];

	k->thread = t;
	k->is_idle = true;
	if (!is_old(w) || worker >= w->sched->n_rings)
		return;
	k->own = &w->sched->rings[worker];
	k->own->thread = t;
}

static void wake_worker(struct world *w, struct worker *k, int cpu)
{
	if (!k->is_idle)
		return;
	k->is_idle = false;
	cpu_wake(w, k->thread, cpu);
}

static bool is_of_thread(const struct world *w, enum item_kind kind)
{
	return is_old(w) && kind != ITEM_TIMEOUT;
}

/* queue_work() */
void sched_queue(struct world *w, struct sring *ring, enum item_kind kind, int cpu)
{
	struct sched *s = w->sched;
	uint32_t first;

	if (is_of_thread(w, kind)) {
		wake_worker(w, &s->workers[ring->index], cpu);
		return;
	}
	if (!ring->queued[kind])
		vec_push(w, s->items) = (struct item){ ring, kind };
	ring->queued[kind] = true;
	first = (uint32_t)world_below(w, s->n_workers);
	for (uint32_t i = 0; i < s->n_workers; i++) {
		struct worker *k = &s->workers[(first + i) % s->n_workers];

		if (k->own || !k->is_idle)
			continue;
		wake_worker(w, k, cpu);
		return;
	}
}

/* drm_sched_wakeup() */
void sched_wakeup(struct world *w, struct sring *ring, int cpu)
{
	if (is_old(w) ? ring->credits < ring->sc->depth : !ring->is_paused)
		sched_queue(w, ring, ITEM_RUN, cpu);
}

/* ---- which entity ---- */

static struct sentity *select_fifo(struct sring *ring, int prio)
{
	struct sentity *oldest = NULL;

	for (uint32_t i = 0; i < ring->entities[prio].n; i++) {
		struct sentity *entity = ring->entities[prio].v[i];

		if (sentity_is_ready(entity) && (!oldest || entity->oldest < oldest->oldest))
			oldest = entity;
	}
	return oldest;
}

static struct sentity *select_rr(struct sring *ring, int prio)
{
	uint32_t n = ring->entities[prio].n;
	uint32_t at = vec_find(ring->entities[prio], ring->current[prio]);

	for (uint32_t i = 0; i < n; i++) {
		struct sentity *entity =
			ring->entities[prio].v[(at == SIM_NO ? i : at + 1 + i) % n];

		if (sentity_is_ready(entity))
			return ring->current[prio] = entity;
	}
	return NULL;
}

/* drm_sched_select_entity() */
static struct sentity *select_entity(const struct world *w, struct sring *ring)
{
	struct sentity *entity = NULL;

	if (ring->credits >= ring->sc->depth)
		return NULL;
	for (int prio = 0; prio < SCHED_PRIORITIES && !entity; prio++)
		entity = w->sc->is_fifo ? select_fifo(ring, prio) : select_rr(ring, prio);
	return entity;
}

/* ---- timeouts ---- */

static void timed_out(struct world *w, void *arg, uint64_t gen)
{
	struct sring *ring = arg;

	if (gen != ring->timeout_gen || !ring->is_timed)
		return;
	ring->is_timed = false;
	sched_queue(w, ring, ITEM_TIMEOUT, (int)w->sc->irq_cpu);
}

/* drm_sched_start_timeout(): queue_delayed_work() in 6.1, mod_delayed_work() later. */
static void start_timeout(struct world *w, struct sring *ring)
{
	if (!ring->sc->timeout_ns || !ring->pending.n || (is_old(w) && ring->is_timed))
		return;
	ring->is_timed = true;
	world_after(w, ring->sc->timeout_ns, timed_out, ring, ++ring->timeout_gen);
}

/* ---- jobs ---- */

/* drm_sched_job_done() */
void sjob_done(struct world *w, struct sjob *job, int cpu)
{
	struct sring *ring = job->ring;

	ring->credits--;
	job->has_callback = false;
	strace_done(w, job, cpu);
	job->done_at = w->now;
	sfence_signal(w, &job->finished, cpu);
	if (is_old(w) || !ring->is_paused)
		sched_queue(w, ring, ITEM_FREE, cpu);
}

static void free_job(struct world *w, struct sjob *job)
{
	for (uint32_t i = 0; i < job->n_deps; i++)
		if (job->deps[i]->job)
			sjob_put(w, job->deps[i]->job);
	sjob_put(w, job);
}

/* drm_sched_get_cleanup_job(), drm_sched_get_finished_job() */
static bool free_finished(struct world *w, struct sring *ring)
{
	struct sjob *job = ring->pending.n ? ring->pending.v[0] : NULL;

	if (!job || !job->finished.is_signalled)
		return false;
	vec_remove_at(ring->pending, 0);
	ring->is_timed = false;
	start_timeout(w, ring);
	free_job(w, job);
	return true;
}

/* drm_sched_main() behind its wait, drm_sched_run_job_work(): up to the event. */
static bool run_next(struct world *w, struct worker *k)
{
	struct sring *ring = k->ring;
	struct sentity *entity = select_entity(w, ring);
	struct sjob *job;

	if (!entity)
		return false;
	job = sentity_pop(w, entity, k->thread->cpu);
	if (!job) {
		sched_queue(w, ring, ITEM_RUN, k->thread->cpu);
		return is_old(w);
	}
	ring->credits++;
	vec_push(w, ring->pending) = job;
	start_timeout(w, ring);
	strace_run(w, job, k->thread->cpu);
	w->requests.v[job->index].execute = w->now;
	k->job = job;
	k->step = STEP_RUN;
	return true;
}

static void call_back(struct world *w, struct worker *k)
{
	struct sjob *job = k->job;
	int cpu = k->thread->cpu;

	job->has_callback = job->hw != NULL;
	if (!job->hw ||
	    !sfence_listen(w, job->hw, (struct scb){ .kind = SCB_DONE, .job = job }, cpu))
		sjob_done(w, job, cpu);
	k->ring->is_busy = false;
	sched_queue(w, k->ring, ITEM_RUN, cpu);
}

/* drm_sched_stop() */
void sched_stop(struct world *w, struct sring *ring, struct sjob *bad, int cpu)
{
	(void)cpu;
	vec_insert_at(w, ring->pending, 0, bad);
	for (uint32_t i = ring->pending.n; i--;) {
		struct sjob *job = ring->pending.v[i];

		if (job->parent && sfence_remove(job->parent, job)) {
			job->parent = NULL;
			job->has_callback = false;
			ring->credits--;
			continue;
		}
		vec_remove_at(ring->pending, i);
		free_job(w, job);
	}
	ring->is_timed = false;
}

/* drm_sched_start() */
void sched_start(struct world *w, struct sring *ring, int cpu)
{
	for (uint32_t i = 0; i < ring->pending.n; i++) {
		struct sjob *job = ring->pending.v[i];
		struct scb cb = { .kind = SCB_DONE, .job = job };

		if (job->finished.is_signalled || job->has_callback)
			continue;
		ring->credits++;
		job->has_callback = job->parent != NULL;
		if (!job->parent || !sfence_listen(w, job->parent, cb, cpu))
			sjob_done(w, job, cpu);
	}
	start_timeout(w, ring);
	ring->is_paused = false;
	sched_queue(w, ring, ITEM_RUN, cpu);
	sched_queue(w, ring, ITEM_FREE, cpu);
}

/* ---- what a worker does ---- */

/* The next item that may run; an ordered queue runs one at a time. */
static bool take_item(struct world *w, struct worker *k)
{
	struct sched *s = w->sched;

	if (k->own) {
		if (k->own->is_paused)
			return false;
		k->ring = k->own;
		k->kind = ITEM_RUN;
		return true;
	}
	for (uint32_t i = 0; i < s->items.n; i++) {
		struct item item = s->items.v[i];
		bool is_timeout = item.kind == ITEM_TIMEOUT;

		if (is_timeout ? item.ring->is_timing_out
			       : item.ring->is_busy || item.ring->is_paused)
			continue;
		vec_remove_at(s->items, i);
		item.ring->queued[item.kind] = false;
		k->ring = item.ring;
		k->kind = item.kind;
		return true;
	}
	return false;
}

static bool begin_timeout(struct worker *k)
{
	struct sring *ring = k->ring;

	if (!ring->pending.n)
		return false;
	k->job = ring->pending.v[0];
	vec_remove_at(ring->pending, 0);
	ring->is_timing_out = ring->is_paused = true;
	k->step = STEP_TIMEOUT;
	return true;
}

/* True if there was something to do. */
static bool begin_item(struct world *w, struct worker *k)
{
	if (k->kind == ITEM_TIMEOUT)
		return begin_timeout(k);
	if (k->kind == ITEM_FREE) {
		if (free_finished(w, k->ring)) {
			sched_queue(w, k->ring, ITEM_FREE, k->thread->cpu);
			sched_queue(w, k->ring, ITEM_RUN, k->thread->cpu);
		}
		return true;
	}
	if (k->own && free_finished(w, k->ring))
		return true;
	if (!run_next(w, k))
		return !k->own; /* an item is over; a thread goes to sleep */
	k->ring->is_busy = k->step == STEP_RUN;
	return true;
}

static void go_on(struct world *w, struct worker *k)
{
	int cpu = k->thread->cpu;

	switch (k->step) {
	case STEP_RUN:
		sring_run_job(w, k->job, cpu);
		k->step = STEP_SCHEDULED;
		break;
	case STEP_SCHEDULED:
		k->job->parent = k->job->hw;
		sfence_signal(w, &k->job->scheduled, cpu);
		k->step = STEP_CALLBACK;
		break;
	case STEP_CALLBACK:
		k->step = STEP_NONE;
		call_back(w, k);
		break;
	case STEP_TIMEOUT:
		if (k->ring->is_busy) /* cancel_work_sync(), kthread_park() */
			break;
		sring_timeout(w, k->ring, k->job, cpu);
		k->step = STEP_RESTART;
		break;
	case STEP_RESTART:
		k->step = STEP_NONE;
		k->ring->is_timing_out = false;
		sring_restart(w, k->ring, k->job, cpu);
		break;
	case STEP_NONE:
		break;
	}
}

static uint64_t pace(struct world *w, const struct worker *k)
{
	if (k->step == STEP_RESTART)
		return 2000 + world_below(w, 20000);
	if (k->step == STEP_TIMEOUT)
		return 500 + world_below(w, 2000);
	return 30 + world_below(w, schance(w, 80) ? 400 : 3000);
}

void sched_work(struct world *w, struct thread *t)
{
	struct worker *k = &w->sched->workers[t->dev];

	if (k->step != STEP_NONE) {
		go_on(w, k);
	} else if (!take_item(w, k) || (!begin_item(w, k) && k->own)) {
		k->is_idle = true;
		cpu_block(w, t, SIM_BLOCK_IDLE, NULL);
		return;
	}
	program_compute(w, t, pace(w, k));
}
