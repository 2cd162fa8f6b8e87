// SPDX-License-Identifier: MIT
// Threads of the kernel that have to act for a request, while they have no CPU.
#include "timeline/sched/actor.h"
#include "timeline/losses.h"
#include "timeline/objects.h"

#include <stdlib.h>
#include <string.h>

#define SLICES 128 /* the last ones of an actor that are kept */

const char *const lane_actor_names[LANE_ACTORS] = {
	[LANE_ACTOR_HAND_OVER] = "hand_over",
	[LANE_ACTOR_ITEM] = "earlier_item",
	[LANE_ACTOR_SIGNAL] = "signal",
};

/* kernel/irq/manage.c: setup_irq_thread() */
static bool is_irq_thread(const char *comm)
{
	return !strncmp(comm, "irq/", 4);
}

void timeline_actor_name(struct lane_thr *thr, const char *comm)
{
	thr->is_actor |= is_irq_thread(comm) || !strncmp(comm, "kworker/", 8);
}

/* drm_sched_entity_push_job() tells of the job, and wakes who gives it to the ring. */
void timeline_actor_woken(const struct lane_timeline *tl, struct lane_thr *thr,
			  const struct lane_event *event)
{
	thr->is_actor |= tl->queues_tid > 0 && tl->queues_tid == event->wire.tid;
	thr->woken = timeline_bound(event->wire.ts_ns, LANE_RULE_IRQ_WOKEN, tl->now.event);
}

void timeline_actor_learn(struct lane_timeline *tl, int32_t tid)
{
	struct lane_thr *thr = timeline_thread_get(tl, tid);

	if (thr)
		thr->is_actor = true;
}

void timeline_actor_starved(struct lane_timeline *tl, struct lane_thr *thr,
			    const struct lane_starvation *slice)
{
	struct lane_actor_slice *to;

	if (!thr->actor)
		thr->actor = calloc(SLICES, sizeof(*thr->actor));
	if (!thr->actor) {
		tl->no_memory = true;
		return;
	}
	to = &thr->actor[thr->n_actor++ % SLICES];
	to->begin_ns = slice->begin_ns;
	to->end_ns = slice->end_ns;
	to->tid = slice->tid;
	to->cpu = slice->cpu;
	memcpy(to->comm, slice->comm, sizeof(to->comm));
}

/* Adds a part of the wait to who had the CPU. Returns how many there are. */
static uint32_t actor_blame(struct lane_cpu_culprit *culprits, uint32_t n,
			    const struct lane_actor_slice *slice, uint64_t ns)
{
	struct lane_cpu_culprit *to = culprits;

	while (to < culprits + n && to->tid != slice->tid)
		to++;
	if (to == culprits + n) {
		*to = (struct lane_cpu_culprit){ .tid = slice->tid, .cpu = slice->cpu };
		memcpy(to->comm, slice->comm, sizeof(to->comm));
		n++;
	}
	to->ns += ns;
	if (to->cpu != slice->cpu)
		to->cpu = -1;
	return n;
}

void timeline_actor_waited_until(const struct lane_thr *thr, uint64_t from_ns, uint64_t to_ns,
				 struct lane_actor_wait *wait)
{
	struct lane_cpu_culprit culprits[SLICES];
	uint32_t n = 0;

	for (uint32_t i = thr->actor ? thr->n_actor : 0; i && thr->n_actor - i < SLICES; i--) {
		const struct lane_actor_slice *slice = &thr->actor[(i - 1) % SLICES];
		uint64_t ns = timeline_overlap(slice->begin_ns, slice->end_ns, from_ns, to_ns);

		if (slice->end_ns <= from_ns) /* so do those before it */
			break;
		if (slice->tid < 0 || !ns)
			continue;
		n = actor_blame(culprits, n, slice, ns);
		wait->ns += ns;
		if (ns > wait->longest_ns) {
			wait->longest_ns = ns;
			wait->at_ns = timeline_later(slice->begin_ns, from_ns);
		}
	}
	for (uint32_t i = 0; i < n; i++)
		if (culprits[i].ns > wait->by.ns)
			wait->by = culprits[i];
	wait->tid = thr->pub.tid;
	memcpy(wait->comm, thr->pub.comm, sizeof(wait->comm));
}

void timeline_actor_parts(const struct lane_thr *thr, uint64_t from_ns, uint64_t to_ns,
			  void (*fn)(void *arg, const struct lane_actor_slice *part), void *arg)
{
	uint32_t i = thr->n_actor < SLICES ? 0 : thr->n_actor - SLICES + 1;

	for (; thr->actor && i < thr->n_actor; i++) {
		struct lane_actor_slice part = thr->actor[i % SLICES];

		part.begin_ns = timeline_later(part.begin_ns, from_ns);
		part.end_ns = timeline_sooner(part.end_ns, to_ns);
		if (part.tid >= 0 && part.begin_ns < part.end_ns)
			fn(arg, &part);
	}
}

void timeline_actor_waited(const struct lane_timeline *tl, int32_t tid, uint64_t from_ns,
			   struct lane_actor_wait *wait)
{
	const struct lane_thr *thr = timeline_thread_find(tl, tid);

	/* It acts, and is taken to be runnable yet: its switches are not recorded. */
	if (thr && thr->actor && thr->queued_on < 0)
		timeline_actor_waited_until(thr, from_ns, LANE_NEVER, wait);
}

struct lane_bound timeline_actor_irq_since(const struct lane_timeline *tl, int32_t tid)
{
	const struct lane_thr *thr = timeline_thread_find(tl, tid);

	if (!thr || !thr->woken.ns || !is_irq_thread(thr->pub.comm) ||
	    (tl->n_losses && timeline_loss_between(tl, thr->woken.ns, tl->now.ns)))
		return timeline_bound_bare(0);
	return thr->woken;
}
