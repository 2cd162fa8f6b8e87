// SPDX-License-Identifier: MIT
// Fences: drivers/dma-buf/dma-fence.c; the memory of the scheduler's own: sched_fence.c.
#include <string.h>

#include "drmsched.h"

/* dma_fence_init() */
void sfence_init(struct world *w, struct sfence *fence, int cpu)
{
	struct lane_p_dma_fence_init *p;

	fence->at = SIM_NONE;
	p = &strace_fence(w, LANE_FENCE_INIT, fence, cpu)->u.dma_fence_init;
	strncpy(p->driver, fence->driver, sizeof(p->driver) - 1);
	strncpy(p->timeline, fence->timeline, sizeof(p->timeline) - 1);
}

static void call_back(struct world *w, const struct scb *cb, int cpu)
{
	switch (cb->kind) {
	case SCB_DONE:
		sjob_done(w, cb->job, cpu);
		break;
	case SCB_ENTITY:
		cb->entity->dependency = NULL;
		if (!cb->entity->is_stopped)
			sched_wakeup(w, cb->entity->ring, cpu);
		break;
	case SCB_KILL:
		sjob_kill(w, cb->job, cpu);
		break;
	case SCB_WAKE:
		cpu_wake(w, cb->thread, cpu);
		break;
	}
}

/* dma_fence_signal_timestamp_locked(): the call-backs come out of it, behind the event. */
void sfence_signal(struct world *w, struct sfence *fence, int cpu)
{
	uint32_t n = fence->cbs.n;

	if (fence->is_signalled)
		return;
	fence->is_signalled = true;
	strace_fence(w, LANE_FENCE_SIGNALED, fence, cpu);
	fence->at = w->now;
	if (fence->job && fence == &fence->job->finished)
		w->requests.v[fence->job->index].signaled = w->now;
	for (uint32_t i = 0; i < n; i++) {
		struct scb cb = fence->cbs.v[i];

		call_back(w, &cb, cpu);
	}
	fence->cbs.n = 0;
}

/* dma_fence_add_callback(): false where it is signalled already. */
bool sfence_listen(struct world *w, struct sfence *fence, struct scb cb, int cpu)
{
	if (fence->is_signalled)
		return false;
	vec_push(w, fence->cbs) = cb;
	if (!fence->is_drivers || fence->is_enabled)
		return true;
	fence->is_enabled = true;
	strace_fence(w, LANE_FENCE_ENABLE_SIGNAL, fence, cpu);
	sring_enabled(w, fence, cpu);
	return true;
}

/* dma_fence_remove_callback() */
bool sfence_remove(struct sfence *fence, const struct sjob *job)
{
	for (uint32_t i = 0; i < fence->cbs.n; i++) {
		if (fence->cbs.v[i].kind != SCB_DONE || fence->cbs.v[i].job != job)
			continue;
		vec_remove_at(fence->cbs, i);
		return true;
	}
	return false;
}

/* A slab: what was freed last comes first. */
uint64_t saddress_take(struct world *w)
{
	struct sched *s = w->sched;

	if (s->free_fences.n)
		return s->free_fences.v[--s->free_fences.n];
	return s->next_fence += 192;
}

/* Somebody holds its fences no more. */
void sjob_put(struct world *w, struct sjob *job)
{
	if (!--job->holders)
		vec_push(w, w->sched->free_fences) = job->address;
}

static void foreign_over(struct world *w, void *arg, uint64_t gen)
{
	sfence_signal(w, arg, (int)gen);
}

/* Another driver's fence, which its interrupt will signal. */
struct sfence *sfence_foreign(struct world *w, int cpu)
{
	struct sfence *fence = world_alloc(w, sizeof(*fence));

	*fence = (struct sfence){ .context = w->sched->foreign_context,
				  .seqno = ++w->sched->foreign_seqno,
				  .driver = "vkms",
				  .timeline = "crtc-0" };
	sfence_init(w, fence, cpu);
	world_after(w, 1000 + world_below(w, 400000), foreign_over, fence,
		    world_below(w, w->sc->cpus));
	return fence;
}
