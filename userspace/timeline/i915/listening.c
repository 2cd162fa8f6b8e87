// SPDX-License-Identifier: MIT
// Whether a request was complete as somebody began to listen to it.
#include "timeline/i915/listening.h"

/*
 * Somebody began to listen to rq while this CPU had interrupts off in a dequeue, and the
 * breadcrumbs' work came there straight after that dequeue. A dequeue that hands over requests with
 * listeners asks for the work (insert_breadcrumb() of gt/intel_breadcrumbs.c, 6.1). So the work may
 * have found rq complete at the listening.
 */
static bool is_held_up(const struct lane_rq *rq, const struct lane_cpu *cpu)
{
	return cpu->dequeue.lo <= rq->listen.ns + LANE_SELF_INTERRUPT_NS &&
	       cpu->dequeue.hi > rq->listen.ns &&
	       cpu->work_ns <= cpu->dequeue.hi + LANE_SELF_INTERRUPT_NS;
}

void timeline_listening_signaled(const struct lane_timeline *tl, struct lane_rq *rq,
				 const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);

	rq->listen.work_ns = cpu ? cpu->work_ns : event->wire.ts_ns;
	if (cpu && event->cpu != rq->listen.cpu && is_held_up(rq, cpu))
		rq->listen.work_ns = rq->listen.ns;
}

/* The signal comes straight after the listening on its CPU, in the same thread. */
bool timeline_listening_signals(const struct lane_timeline *tl, const struct lane_rq *rq,
				const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);

	return rq->listen.ns && rq->listen.how != LANE_LISTENING_EARLY &&
	       rq->listen.cpu == event->cpu && rq->listen.tid == event->wire.tid &&
	       (!cpu || cpu->event == rq->listen.event);
}
