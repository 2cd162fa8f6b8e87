// SPDX-License-Identifier: MIT
// Where threads are as they submit, and as they go to sleep: stacks, by their numbers.
#include "timeline/sched/stack.h"
#include <stdlib.h>
#include <string.h>

#include "timeline/losses.h"
#include "timeline/objects.h"
#include "timeline/sched/idle.h"

/* From a stack to the event that it is of: one program writes both, and may be interrupted. */
#define STRAIGHT_NS 1000000
/* From the begin of the wait for a mutex to the sleep for it, in recordings that have no ends. */
#define LOCK_NS 100000

void timeline_stack_event(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_stack *stack = &event->u.gpulane_stack;
	struct lane_stack_id id;
	struct lane_thr *thr;

	if (event->wire.kind == LANE_STACK_FRAME) {
		if (tl->hooks.stack_frame)
			tl->hooks.stack_frame(tl->hooks.arg, event);
		return;
	}
	thr = timeline_thread_get(tl, event->wire.tid);
	if (!thr)
		return;
	if (!thr->place)
		thr->place = calloc(1, sizeof(*thr->place));
	if (!thr->place) {
		tl->no_memory = true;
		return;
	}
	if (event->wire.kind == LANE_LOCK_WAIT) {
		thr->place->owner.tid = event->u.gpulane_lock_wait.owner;
		memcpy(thr->place->owner.comm, event->u.gpulane_lock_wait.owner_comm,
		       sizeof(thr->place->owner.comm));
		thr->place->lock_ns = thr->place->owner.tid ? event->wire.ts_ns : 0;
		tl->has_lock_ends |= event->u.gpulane_lock_wait.over;
		return;
	}
	id = (struct lane_stack_id){
		.kernel = stack->kernel == LANE_STACK_LOST ? 0 : stack->kernel,
		.user = stack->user == LANE_STACK_LOST ? 0 : stack->user,
	};
	/* It may come between the stack of another event and that event. */
	if (stack->why == LANE_STACK_RUNS) {
		timeline_idle_sample(tl, thr, id, event->wire.ts_ns);
		return;
	}
	thr->place->id = id;
	thr->place->why = stack->why;
	thr->place->ns = event->wire.ts_ns;
}

struct lane_stack_id timeline_stack_take(struct lane_thr *thr, enum lane_stack_why why,
					 uint64_t now_ns)
{
	struct lane_thr_place *place = thr->place;
	struct lane_stack_id id = { 0 };

	if (place && place->ns && place->why == why && now_ns - place->ns < STRAIGHT_NS)
		id = place->id;
	if (place)
		place->ns = 0;
	return id;
}

void timeline_stack_sleeps(const struct lane_timeline *tl, struct lane_thr *thr, uint64_t now_ns)
{
	struct lane_thr_place *place = thr->place;

	if (!place)
		return;
	place->sleeps_at = timeline_stack_take(thr, LANE_STACK_SLEEPS, now_ns);
	place->sleeps_behind = (struct lane_lock_owner){ 0 };
	/* The end may have been lost, or nobody tells it. */
	if (place->lock_ns && ((!tl->has_lock_ends && now_ns - place->lock_ns >= LOCK_NS) ||
			       (tl->n_losses && timeline_loss_between(tl, place->lock_ns, now_ns))))
		place->lock_ns = 0;
	if (place->lock_ns)
		place->sleeps_behind = place->owner;
	if (!tl->has_lock_ends)
		place->lock_ns = 0;
}
