// SPDX-License-Identifier: MIT
// Whether a request was complete as somebody began to listen to it.
#include "timeline/i915/listening.h"
#include "timeline/losses.h"
#include "timeline/i915/world.h"

/* The most requests that are looked at behind one, or ahead of it, in its ring. */
#define MOST_BEHIND 64

/* The number of events of this CPU so far; 0: the CPU has no number. */
static uint64_t events_here(const struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);

	return cpu ? cpu->events : 0;
}

/*
 * Handing over a request that has a listener asks for the breadcrumbs' work, on that CPU
 * (insert_breadcrumb() of gt/intel_breadcrumbs.c, 6.1). The listener sets its bit before its event
 * (__dma_fence_enable_signaling()), so the handing over may see a listener whose event comes later.
 */
void timeline_listening_handed_over(struct lane_timeline *tl, const struct lane_rq *rq)
{
	struct lane_cpu *cpu = timeline_cpu_at(tl, rq->handed.cpu);

	if (rq->listen.ns && cpu)
		cpu->asked_ns = timeline_not_before(rq->handed.execute_ns, cpu->asked_ns);
}

bool timeline_listening_is_past(const struct lane_timeline *tl, const struct lane_rq *rq,
				int32_t cpu)
{
	return rq->listen.event && rq->listen.cpu == cpu &&
	       tl->cpus[cpu].on_event > rq->listen.event;
}

/* Since when, ns, the breadcrumbs' work has been at work on the event's CPU without anything else
 * there. */
static uint64_t work_since(const struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);

	return cpu ? cpu->work_ns : event->wire.ts_ns;
}

/* The last dequeue of this CPU may have asked for the breadcrumbs' work. */
static bool has_asked(const struct lane_cpu *cpu)
{
	return cpu->asked_ns >= cpu->dequeue.lo;
}

/*
 * Somebody began to listen to rq while the event's CPU had interrupts off in a dequeue, and the
 * breadcrumbs' work came there straight after that dequeue. A dequeue that hands over requests with
 * listeners asks for the work (insert_breadcrumb() of gt/intel_breadcrumbs.c, 6.1). So the work may
 * have found rq complete at the listening.
 */
static bool is_held_up(const struct lane_timeline *tl, const struct lane_rq *rq,
		       const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);

	if (!cpu || event->cpu == rq->listen.cpu)
		return false;
	return has_asked(cpu) && cpu->dequeue.lo <= rq->listen.ns + LANE_SELF_INTERRUPT_NS &&
	       cpu->dequeue.hi > rq->listen.ns &&
	       cpu->work_ns <= cpu->dequeue.hi + LANE_SELF_INTERRUPT_NS;
}

/*
 * R2. The listener had looked at rq before the end of a GuC dequeue on another CPU. That CPU
 * signals rq now. Had rq been complete at the look, the work was asked for on the listener's CPU,
 * or was already due on this one (irq_work_queue() of kernel/irq_work.c, 6.1). Work that was due
 * before the dequeue runs before it, and this dequeue asked for none. So rq was incomplete at the
 * look.
 */
static bool is_behind_dequeue(const struct lane_timeline *tl, const struct lane_rq *rq,
			      const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu),
			      *listener = timeline_cpu_at(tl, rq->listen.cpu);

	if (!cpu || !listener || cpu == listener)
		return false;
	return !has_asked(cpu) && rq->listen.ns < listener->looked_by_ns &&
	       listener->looked_by_ns < cpu->dequeue.hi &&
	       !timeline_loss_between(
		       tl, cpu->dequeue.lo < rq->listen.ns ? cpu->dequeue.lo : rq->listen.ns,
		       event->wire.ts_ns);
}

/* One CPU began to listen to `first` and then to `second` in one go: no other event of that CPU
 * came between. So the breadcrumbs' work did not run there in between, either. */
static bool is_in_one_go(const struct lane_rq *first, const struct lane_rq *second)
{
	return first->listen.event && first->listen.cpu == second->listen.cpu &&
	       first->listen.event < second->listen.event &&
	       first->listen.event - first->listen.nth == second->listen.event - second->listen.nth;
}

/* rq was listened to in one go with others, and that go is the last of its CPU with several. */
static bool is_one_of_several(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	return rq->listen.event &&
	       tl->cpus[rq->listen.cpu].several == rq->listen.event - rq->listen.nth;
}

/* The first request behind rq in its ring; if rq has left the order, the first of the order. */
static struct lane_rq *behind(const struct lane_rq *rq)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;

	return rq->order ? rq->dev_next : eng->order.first;
}

static bool is_on_ring(const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return eng && eng->model->is_one_ring;
}

/* For each request behind rq that was listened to before rq in one go: rq is one more that is ahead
 * of it. */
static void note_ahead(struct lane_rq *rq)
{
	uint32_t most = MOST_BEHIND;

	if (!rq->listen.nth || !rq->order || !is_on_ring(rq))
		return;
	for (struct lane_rq *other = behind(rq); other && most--; other = other->dev_next)
		if (is_in_one_go(other, rq) && other->listen.n_ahead < UINT16_MAX)
			other->listen.n_ahead++;
}

/*
 * R2, R11. Whoever listens to a complete request puts the request first on a list of its engine.
 * One run of the breadcrumbs' work takes the whole list, and signals in the order of the list
 * (irq_signal_request(), signal_irq_work() of gt/intel_breadcrumbs.c, 5.10 on; in 5.4 the listening
 * itself signals the request). No run came on that CPU between two listenings of one go. Now that
 * CPU signals rq. Had both rq and one that was listened to after it been complete, the other would
 * have been signalled there before rq. If the other is not signalled yet, one of both was
 * incomplete:
 * - The other stands ahead of rq in the ring. It is complete if rq is. So rq was incomplete as it
 *   was listened to.
 * - The other stands behind rq. So the other was incomplete when rq was listened to.
 */
static void signaled_on_ring(struct lane_timeline *tl, struct lane_rq *rq)
{
	uint32_t most = MOST_BEHIND;

	rq->listen.is_sure |= rq->listen.n_ahead > 0;
	for (struct lane_rq *other = behind(rq); other && most--; other = other->dev_next) {
		if (is_in_one_go(other, rq) && other->listen.n_ahead)
			other->listen.n_ahead--;
		else if (rq->order && !(other->pub.seen & LANE_SEEN_SIGNAL) &&
			 is_in_one_go(rq, other))
			timeline_world_was_alive(tl, other,
						 timeline_bound(rq->listen.ns, LANE_RULE_LISTENED,
								rq->listen.number));
	}
}

/*
 * One thread retired `second`, and then rq, before rq was signalled. The retiring signals a request
 * that is not marked as signalled (i915_request_retire(), 6.1). If it did not signal `second`,
 * `second` had been marked before.
 */
static bool is_signaled_behind(const struct lane_rq *rq, const struct lane_rq *second)
{
	return is_in_one_go(rq, second) && rq->listen.retire_tid > 0 &&
	       second->listen.retire_tid == rq->listen.retire_tid &&
	       second->pub.retire_ns < rq->pub.retire_ns && rq->pub.retire_ns < rq->pub.signal_ns;
}

bool timeline_listening_awaits(const struct lane_rq *rq)
{
	uint32_t most = MOST_BEHIND;

	if (!timeline_listening_is_elsewhere(rq) || rq->listen.is_sure || !rq->order ||
	    !(rq->pub.seen & LANE_SEEN_RETIRE) || !is_on_ring(rq))
		return false;
	for (const struct lane_rq *other = rq->dev_next; other && most--; other = other->dev_next)
		if (!(other->pub.seen & LANE_SEEN_SIGNAL) && is_signaled_behind(rq, other))
			return true;
	return false;
}

/*
 * R2, R11. One CPU listened to `other` and then to rq in one go. Another CPU signals both, `other`
 * first. Suppose that `other` was complete as it was listened to: then it was on the list
 * (signaled_on_ring()). rq was on the list or not:
 * - It was. A run of the work that took both would have signalled rq first. If a run had taken
 *   `other` before, the listening to rq asked for the next run on the listener's CPU: while a run
 *   is at work, only its own call-backs ask for a run on its CPU.
 * - It was not. A run found rq, and marked it before it signalled anything. rq was marked before
 *   `other` was signalled. So the same run signalled both, and would have signalled rq first.
 * So `other` was incomplete as it was listened to.
 */
static void signaled_elsewhere(struct lane_timeline *tl, const struct lane_rq *rq, uint64_t now_ns)
{
	const struct lane_cpu *cpu = &tl->cpus[rq->listen.signal_cpu];
	uint32_t most = MOST_BEHIND;

	for (struct lane_rq *other = rq->order ? rq->dev_prev : NULL; other && most--;
	     other = other->dev_prev)
		if ((other->pub.seen & LANE_SEEN_SIGNAL) &&
		    other->listen.signal_cpu == rq->listen.signal_cpu &&
		    is_signaled_behind(other, rq) && cpu->asked_ns < other->listen.ns &&
		    cpu->looked_by_ns <= other->listen.ns &&
		    !timeline_loss_between(tl, other->listen.ns, now_ns))
			other->listen.is_sure = true;
}

void timeline_listening_begins(struct lane_timeline *tl, struct lane_rq *rq,
			       const struct lane_event *event, bool is_active)
{
	rq->listen = (struct lane_listener){ .ns = event->wire.ts_ns,
					     .event = events_here(tl, event),
					     .number = tl->event,
					     .tid = event->wire.tid,
					     .cpu = event->cpu,
					     .signal_cpu = event->cpu,
					     .is_active = is_active };
	if (rq->listen.event)
		rq->listen.nth = tl->cpus[event->cpu].nth_listening;
	note_ahead(rq);
	timeline_listening_handed_over(tl, rq);
}

void timeline_listening_signaled(struct lane_timeline *tl, struct lane_rq *rq,
				 const struct lane_event *event)
{
	rq->listen.work_ns = work_since(tl, event);
	rq->listen.signal_cpu = event->cpu;
	/* Had rq been complete, its listener's CPU would have signalled it before. */
	rq->listen.is_sure = (timeline_listening_is_past(tl, rq, event->cpu) &&
			      !timeline_loss_between(tl, rq->listen.ns, event->wire.ts_ns)) ||
			     is_behind_dequeue(tl, rq, event);
	if (is_held_up(tl, rq, event)) {
		rq->listen.work_ns = rq->listen.ns;
		rq->listen.is_sure = false;
	}
	/* Where not all is recorded, an unseen event may lie between two listenings. */
	if (!is_one_of_several(tl, rq) || !is_on_ring(rq) || !tl->is_newest_first ||
	    tl->info.follows_some || timeline_loss_between(tl, rq->listen.ns, event->wire.ts_ns))
		return;
	if (!timeline_listening_is_elsewhere(rq))
		signaled_on_ring(tl, rq);
	else if ((rq->pub.seen & LANE_SEEN_RETIRE) && timeline_cpu_at(tl, event->cpu))
		signaled_elsewhere(tl, rq, event->wire.ts_ns);
}

/* The signal comes straight after the listening on its CPU, in the same thread. */
bool timeline_listening_signals(const struct lane_timeline *tl, const struct lane_rq *rq,
				const struct lane_event *event)
{
	return rq->listen.ns && rq->listen.is_active && rq->listen.cpu == event->cpu &&
	       rq->listen.tid == event->wire.tid && events_here(tl, event) == rq->listen.event;
}
