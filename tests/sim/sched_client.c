// SPDX-License-Identifier: MIT
// What threads do with the scheduler: they submit jobs that depend on others, wait for fences,
// close entities.
#include <string.h>

#include "drmsched.h"

static void depend_on_last(struct world *w, struct sjob *job, uint32_t context)
{
	struct sjob *on = w->sched->last_of.v[context];

	if (!on || on == job)
		return;
	/* AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES */
	sjob_depend(w, job, schance(w, 6) ? &on->scheduled : &on->finished);
}

static void add_dependencies(struct world *w, struct sjob *job, const struct op *op, int cpu)
{
	if (op->after != SIM_NO)
		depend_on_last(w, job, op->after);
	while (schance(w, w->sc->dependencies))
		depend_on_last(w, job, (uint32_t)world_below(w, w->sc->n_contexts));
	if (schance(w, w->sc->foreign))
		sjob_depend(w, job, sfence_foreign(w, cpu));
}

static void hold_last(struct world *w, uint32_t context, struct sjob *job)
{
	struct sjob **last = &w->sched->last_of.v[context];

	if (*last)
		sjob_put(w, *last);
	*last = job;
	job->holders++;
}

/* The second half of an execbuf. Some arm several jobs before they push them: amdgpu's gangs. */
void sclient_submit(struct world *w, struct thread *t, const struct op *op)
{
	struct sched *s = w->sched;
	uint32_t other = (uint32_t)world_below(w, w->sc->n_contexts);
	bool is_gang = schance(w, w->sc->gangs) && other != op->target && !w->contexts[other].mutex;
	struct sjob *job, *member = NULL;

	if (is_gang)
		member = sjob_arm(w, s->entities[other], t, world_draw(w, op->time));
	job = sjob_arm(w, s->entities[op->target], t, world_draw(w, op->time));
	add_dependencies(w, job, op, t->cpu);
	if (is_gang) {
		sjob_depend(w, job, &member->scheduled);
		sjob_push(w, member, t->cpu);
		hold_last(w, other, member);
	}
	sjob_push(w, job, t->cpu);
	hold_last(w, op->target, job);
}

/* dma_fence_wait(), or without its events as drm_syncobj does. True if the thread goes on at once.
 */
bool sclient_wait(struct world *w, struct thread *t, const struct op *op)
{
	struct sjob *job = w->sched->last_of.v[op->target];
	struct scb cb = { .kind = SCB_WAKE, .thread = t };
	struct sim_wait *wait;

	if (!job)
		return true;
	if (!op->fence) {
		if (!sfence_listen(w, &job->finished, cb, t->cpu))
			return true;
		cpu_block(w, t, SIM_BLOCK_LOCK, NULL);
		return false;
	}
	strace_fence(w, LANE_FENCE_WAIT_START, &job->finished, t->cpu);
	wait = &vec_push(w, w->waits);
	memset(wait, 0, sizeof(*wait));
	wait->request = job->index;
	wait->tid = t->tid;
	wait->pid = t->pid;
	wait->begin = w->now;
	wait->end = SIM_NONE;
	t->wait = w->waits.n - 1;
	t->rq = job->rq;
	if (!sfence_listen(w, &job->finished, cb, t->cpu)) {
		strace_fence(w, LANE_FENCE_WAIT_END, &job->finished, t->cpu);
		w->waits.v[t->wait].end = w->now;
		return true;
	}
	w->waits.v[t->wait].slept = true;
	job->holders++;
	t->phase = PH_WAITED;
	cpu_block(w, t, SIM_BLOCK_REQUEST, job->rq);
	return false;
}

void sclient_waited(struct world *w, struct thread *t)
{
	struct sjob *job = w->sched->jobs.v[t->rq->index];

	strace_fence(w, LANE_FENCE_WAIT_END, &job->finished, t->cpu);
	w->waits.v[t->wait].end = w->now;
	sjob_put(w, job);
	t->phase = PH_NEXT;
}

/* A process goes away, another one comes: an entity is closed, a new one takes its place. */
void sclient_close(struct world *w, struct thread *t, uint32_t context)
{
	struct sched *s = w->sched;
	struct sentity *old = s->entities[context];

	if (old->dependency || w->contexts[context].mutex)
		return; /* not now */
	sentity_kill(w, old, t->cpu);
	s->entities[context] = sentity_create(w, &w->sc->contexts[context], context);
	s->entities[context]->client = old->client + 100;
}
