// SPDX-License-Identifier: MIT
// Whether a request was complete as somebody began to listen to it.
#include "timeline/i915/listening.h"

/* The number of events of this CPU so far; 0: the CPU has no number. */
static uint64_t events_here(const struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);

	return cpu ? cpu->events : 0;
}

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

void timeline_listening_begins(const struct lane_timeline *tl, struct lane_rq *rq,
			       const struct lane_event *event, bool is_active, bool is_look)
{
	rq->listen = (struct lane_listener){ .ns = event->wire.ts_ns,
					     .number = tl->event,
					     .event = events_here(tl, event),
					     .tid = event->wire.tid,
					     .cpu = event->cpu,
					     .is_active = is_active,
					     .is_look = is_look };
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
	return rq->listen.ns && rq->listen.is_active && rq->listen.cpu == event->cpu &&
	       rq->listen.tid == event->wire.tid && events_here(tl, event) == rq->listen.event;
}
