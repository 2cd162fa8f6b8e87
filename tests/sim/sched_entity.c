// SPDX-License-Identifier: MIT
// Entities and their jobs: drivers/gpu/drm/scheduler/sched_entity.c, sched_main.c, sched_fence.c.
#include <string.h>

#include "drmsched.h"

#define REUSED_AT_ONCE 70 /* per cent: the memory of a closed entity is the next one's */

static uint64_t entity_address(struct world *w)
{
	struct sched *s = w->sched;

	if (s->free_entities.n && schance(w, REUSED_AT_ONCE))
		return s->free_entities.v[--s->free_entities.n];
	return s->next_entity += 256;
}

/* drm_sched_entity_init(): two fence contexts, that follow each other. */
struct sentity *sentity_create(struct world *w, const struct sc_context *sc, uint32_t index)
{
	struct sched *s = w->sched;
	struct sentity *entity = world_alloc(w, sizeof(*entity));
	struct sring *ring = &s->rings[sc->engine];

	entity->ring = entity->choice[0] = ring;
	entity->n_choice = 1;
	for (uint32_t i = 0; sc->may_move && i < s->n_rings && entity->n_choice < 4; i++)
		if (&s->rings[i] != ring && ring->sc->kind == s->rings[i].sc->kind &&
		    !memcmp(ring->sc->device, s->rings[i].sc->device, sizeof(ring->sc->device)))
			entity->choice[entity->n_choice++] = &s->rings[i];
	entity->prio = sc->prio >= 512 ? 0 : sc->prio > 0 ? 1 : sc->prio == 0 ? 2 : 3;
	entity->context = s->next_context;
	s->next_context += 2;
	entity->address = entity_address(w);
	entity->client = 3 + index;
	return entity;
}

/* drm_sched_rq_add_entity() */
static void list(struct world *w, struct sentity *entity)
{
	if (!entity->is_listed)
		vec_push(w, entity->ring->entities[entity->prio]) = entity;
	entity->is_listed = true;
}

/* drm_sched_rq_remove_entity() */
void sentity_unlist(struct sentity *entity)
{
	struct sring *ring = entity->ring;

	if (!entity->is_listed)
		return;
	vec_drop(ring->entities[entity->prio], entity);
	if (ring->current[entity->prio] == entity)
		ring->current[entity->prio] = NULL;
	entity->is_listed = false;
}

static uint32_t load_of(const struct sring *ring)
{
	uint32_t n = ring->pending.n;

	for (int i = 0; i < SCHED_PRIORITIES; i++)
		for (uint32_t e = 0; e < ring->entities[i].n; e++)
			n += 1 + ring->entities[i].v[e]->jobs.n;
	return n;
}

/* drm_sched_entity_select_rq() */
static void select_ring(struct sentity *entity)
{
	struct sring *best = entity->choice[0];

	if (entity->n_choice < 2 || entity->jobs.n)
		return;
	if (entity->last && !entity->last->finished.is_signalled)
		return;
	for (uint32_t i = 1; i < entity->n_choice; i++)
		if (load_of(entity->choice[i]) < load_of(best))
			best = entity->choice[i];
	if (best == entity->ring)
		return;
	sentity_unlist(entity);
	entity->ring = best;
}

static struct sim_request *new_truth(struct world *w, const struct sjob *job,
				     const struct thread *by)
{
	struct sim_request *t = &vec_push(w, w->requests);

	memset(t, 0, sizeof(*t));
	t->ctx = job->finished.context;
	t->seqno = (uint32_t)job->finished.seqno;
	t->tid = by->tid;
	t->pid = by->pid;
	t->engine = job->ring->index;
	t->ran_on = t->executed_on = SIM_NO;
	t->queue = t->add = t->submit = t->execute = t->start = t->end = SIM_NONE;
	t->enable_signal = t->signaled = t->retire = t->hw_end = t->skipped = SIM_NONE;
	t->hw_start = SIM_NONE;
	return t;
}

/* drm_sched_job_init(), drm_sched_job_arm(), drm_sched_fence_init() */
struct sjob *sjob_arm(struct world *w, struct sentity *entity, const struct thread *by,
		      uint64_t length_ns)
{
	struct sjob *job = world_alloc(w, sizeof(*job));

	job->address = saddress_take(w);
	job->holders = 1;
	job->entity = entity;
	job->length_ns = length_ns;
	job->client = entity->client;
	select_ring(entity);
	job->ring = entity->ring;
	job->id = ++job->ring->ids;
	job->hw_begin = job->hw_end = SIM_NONE;
	job->is_long = job->ring->sc->is_long;
	job->hangs = job->ring->sc->timeout_ns && schance(w, job->ring->sc->hangs);
	entity->seqno++;
	job->scheduled = (struct sfence){ .context = entity->context,
					  .seqno = entity->seqno,
					  .driver = "drm_sched",
					  .timeline = job->ring->sc->name,
					  .job = job };
	job->finished = job->scheduled;
	job->finished.context++;
	sring_prepare(w, job, by->cpu);
	sfence_init(w, &job->scheduled, by->cpu);
	sfence_init(w, &job->finished, by->cpu);
	new_truth(w, job, by);
	job->index = w->requests.n - 1;
	job->rq = world_alloc(w, sizeof(*job->rq));
	job->rq->index = job->index;
	job->rq->first_engine = job->ring->index;
	vec_push(w, w->rqs) = job->rq;
	vec_push(w, w->sched->jobs) = job;
	return job;
}

/* drm_sched_job_add_dependency(): of one context the latest only. */
void sjob_depend(struct world *w, struct sjob *job, struct sfence *fence)
{
	for (uint32_t i = 0; i < job->n_deps; i++) {
		if (job->deps[i]->context != fence->context)
			continue;
		if (fence->seqno <= job->deps[i]->seqno)
			return;
		if (fence->job)
			fence->job->holders++;
		if (job->deps[i]->job)
			sjob_put(w, job->deps[i]->job);
		job->deps[i] = fence;
		return;
	}
	if (job->n_deps == SCHED_DEPS)
		return;
	if (fence->job)
		fence->job->holders++;
	job->deps[job->n_deps++] = fence;
}

/* drm_sched_entity_push_job() */
void sjob_push(struct world *w, struct sjob *job, int cpu)
{
	struct sentity *entity = job->entity;

	strace_queue(w, job, cpu);
	w->requests.v[job->index].add = w->now;
	job->is_pushed = true;
	for (uint32_t i = 0; w->sc->kernel == SIM_LINUX_6_17 && i < job->n_deps; i++)
		strace_dep(w, LANE_DRM_ADD_DEP, job, job->deps[i], cpu);
	job->submitted = w->now;
	vec_push(w, entity->jobs) = job;
	if (entity->jobs.n > 1)
		return;
	if (entity->is_stopped)
		return;
	entity->oldest = job->submitted;
	list(w, entity);
	sched_wakeup(w, entity->ring, cpu);
}

bool sentity_is_ready(const struct sentity *entity)
{
	return entity->jobs.n && !entity->dependency;
}

/* drm_sched_entity_add_dependency_cb(): true where the job has to wait. */
static bool await(struct world *w, struct sentity *entity, struct sjob *job, uint32_t dep, int cpu)
{
	struct sfence *fence = job->deps[dep];
	bool new = w->sc->kernel == SIM_LINUX_6_17;

	if (fence->context == entity->context || fence->context == entity->context + 1)
		return false;
	if (fence->job && fence->job->ring == entity->ring &&
	    !(w->sc->kernel != SIM_LINUX_6_1 && fence->has_error))
		fence = &fence->job->scheduled;
	job->awaited[dep] = fence;
	if (new && !fence->is_signalled)
		strace_dep(w, LANE_DRM_UNSCHEDULABLE, job, fence, cpu);
	entity->dependency = fence;
	if (sfence_listen(w, fence, (struct scb){ .kind = SCB_ENTITY, .entity = entity }, cpu))
		return true;
	entity->dependency = NULL;
	return false;
}

/* drm_sched_entity_pop_job() */
struct sjob *sentity_pop(struct world *w, struct sentity *entity, int cpu)
{
	struct sjob *job = entity->jobs.n ? entity->jobs.v[0] : NULL;

	if (!job)
		return NULL;
	while (job->next_dep < job->n_deps) {
		if (w->sc->kernel != SIM_LINUX_6_17)
			strace_dep(w, LANE_DRM_ADD_DEP, job, job->deps[job->next_dep], cpu);
		if (await(w, entity, job, job->next_dep++, cpu))
			return NULL;
	}
	if (entity->is_guilty)
		job->finished.has_error = true;
	if (entity->last)
		sjob_put(w, entity->last);
	entity->last = job;
	job->holders++;
	vec_remove_at(entity->jobs, 0);
	if (entity->jobs.n)
		entity->oldest = entity->jobs.v[0]->submitted;
	return job;
}

/* drm_sched_entity_kill_jobs_cb(): all dependencies first, then the fences. */
void sjob_kill(struct world *w, struct sjob *job, int cpu)
{
	struct scb cb = { .kind = SCB_KILL, .job = job };

	while (job->kill_dep < job->n_deps)
		if (sfence_listen(w, job->deps[job->kill_dep++], cb, cpu))
			return;
	job->finished.has_error = true;
	sfence_signal(w, &job->scheduled, cpu);
	sfence_signal(w, &job->finished, cpu);
	sjob_put(w, job);
}

/* drm_sched_entity_fini(): what was pushed and not popped is never run. */
void sentity_kill(struct world *w, struct sentity *entity, int cpu)
{
	struct sfence *before = entity->last ? &entity->last->finished : NULL;

	sentity_unlist(entity);
	entity->is_stopped = true;
	for (uint32_t i = 0; i < entity->jobs.n; i++) {
		struct sjob *job = entity->jobs.v[i];
		struct scb cb = { .kind = SCB_KILL, .job = job };

		job->is_killed = true;
		if (!before || !sfence_listen(w, before, cb, cpu))
			sjob_kill(w, job, cpu);
		before = &job->finished;
	}
	entity->jobs.n = 0;
	vec_push(w, w->sched->free_entities) = entity->address;
}
