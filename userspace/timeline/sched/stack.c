// SPDX-License-Identifier: MIT
// Where threads are as they submit, and as they go to sleep: stacks, by their numbers.
#include "timeline/sched/stack.h"
#include <string.h>

#include "timeline/objects.h"
#include "timeline/sched/idle.h"

/* From a stack to the event that it is of: one program writes both, and may be interrupted. */
#define STRAIGHT_NS 1000000

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
	if (event->wire.kind == LANE_LOCK_WAIT) {
		thr->lock.owner.tid = event->u.gpulane_lock_wait.owner;
		memcpy(thr->lock.owner.comm, event->u.gpulane_lock_wait.owner_comm,
		       sizeof(thr->lock.owner.comm));
		thr->lock.ns = event->wire.ts_ns;
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
	thr->at.id = id;
	thr->at.why = stack->why;
	thr->at.ns = event->wire.ts_ns;
}

struct lane_stack_id timeline_stack_take(struct lane_thr *thr, enum lane_stack_why why,
					 uint64_t now_ns)
{
	struct lane_stack_id id = { 0 };

	if (thr->at.ns && thr->at.why == why && now_ns - thr->at.ns < STRAIGHT_NS)
		id = thr->at.id;
	thr->at.ns = 0;
	return id;
}

struct lane_lock_owner timeline_lock_take(struct lane_thr *thr, uint64_t now_ns)
{
	struct lane_lock_owner owner = { 0 };

	if (thr->lock.ns && now_ns - thr->lock.ns < STRAIGHT_NS)
		owner = thr->lock.owner;
	thr->lock.ns = 0;
	return owner;
}
