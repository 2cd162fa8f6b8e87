// SPDX-License-Identifier: MIT
// The driver's pause of the ring: what ends behind it, and what begins after it.
#include "timeline/i915/pause.h"
#include "timeline/i915/ports.h"
#include "timeline/i915/tasklet.h"

/* From the driver's pause of the ring to the first request that it takes back are a few
 * instructions, with interrupts off. */
#define PAUSE_NS 1000

/* From the driver's pause of the ring to the first request that it hands over, it takes all
 * incomplete requests back. A preemption that is certain but for this time is told. */
#define NEARLY_NS 5000

void timeline_pause_begin(struct lane_eng *eng, uint64_t at_ns)
{
	eng->dequeue.pause_ns = timeline_not_before(eng->dequeue.before_ns,
						    at_ns > PAUSE_NS ? at_ns - PAUSE_NS : 1);
}

void timeline_pause_over(struct lane_eng *eng)
{
	if (!eng->dequeue.pause_ns || timeline_ports_taken(eng))
		eng->dequeue.goes_on_no = eng->dequeue.no;
}

bool timeline_pause_holds(const struct lane_eng *eng, const struct lane_ctx *ctx)
{
	return ctx->pause_no > eng->dequeue.goes_on_no;
}

/* The number of the dequeue behind whose pause what ended by end_ns may have ended: the last one,
 * or the next, which has not been read yet. 0: none. */
static uint64_t pause_before(const struct lane_eng *eng, uint64_t end_ns)
{
	const struct lane_dequeue *last = &eng->dequeue;
	uint64_t dequeued_ns = timeline_tasklet_dequeued_before(eng);

	if (dequeued_ns && end_ns + PAUSE_NS > dequeued_ns)
		return last->no + 1;
	return last->pause_ns && end_ns > last->pause_ns && last->no > last->goes_on_no ? last->no
											: 0;
}

/*
 * rq, the first of the set that was written last, has ended behind the pause, and no event shows a
 * run of the tasklet that has found the set taken. rq's ring waits for such a run, and the next
 * port waits for the ring.
 */
static bool holds_next_port(const struct lane_eng *eng, const struct lane_rq *rq)
{
	const struct lane_p_i915_engine_ports *on = &eng->seen_ports.on;

	return eng->model->is_hooked && rq->handed.no == eng->dequeue.no &&
	       (on->ctx0 != eng->dequeue.first_ctx || on->seqno0 != eng->dequeue.first_seqno);
}

/*
 * What was to leave may have ended behind the pause: what is next waits for the changeover, and for
 * the pause's end. The same holds for a dequeue that wrote no set: the driver ends the pause as it
 * leaves the dequeue (skip_submit of execlists_dequeue()).
 */
static bool holds_engine(const struct lane_eng *eng, const struct lane_bounds *end, bool was_leaver)
{
	const struct lane_dequeue *dequeue = &eng->dequeue;
	bool is_kept = eng->model->has_sets && !dequeue->has_written && dequeue->pause_ns;

	return (was_leaver || is_kept) && !timeline_bounds_are_exact(end) &&
	       end->hi > dequeue->pause_ns && !timeline_tasklet_tells_end(eng);
}

void timeline_pause_note_end(struct lane_eng *eng, const struct lane_rq *rq,
			     const struct lane_bounds *end, bool was_leaver)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;

	ctx->pause_no = pause_before(eng, end->hi);
	eng->free.is_paused = holds_engine(eng, end, was_leaver) ||
			      (ctx->pause_no && !was_leaver && holds_next_port(eng, rq));
}

/*
 * rq's port is the first that the hardware has yet to give back of the set from before this
 * dequeue. The driver dequeues only if the hardware has that set (R20), and nothing that is
 * complete is to be loaded before rq.
 */
static bool is_first_on_ports(const struct lane_eng *eng, const struct lane_rq *rq)
{
	uint32_t i = timeline_ports_first_of(eng, eng->ports.set - eng->dequeue.has_written);

	return i < eng->ports.n && &timeline_ports_entry(eng, i)->ctx->pub == rq->pub.context &&
	       !timeline_pause_holds(eng, timeline_ports_entry(eng, i)->ctx);
}

bool timeline_pause_had_begun(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return eng->run.is_reported || !eng->dequeue.pause_ns ||
	       (rq->now.since.hi <= eng->dequeue.pause_ns &&
		(eng->run.has_set || is_first_on_ports(eng, rq)));
}

uint64_t timeline_pause_unless(const struct lane_eng *eng, const struct lane_rq *rq)
{
	uint64_t pause_ns = eng->dequeue.pause_ns;

	return eng->run.is_unsure && rq->now.since.lo < pause_ns && rq->now.since.hi > pause_ns &&
			       rq->now.since.hi <= pause_ns + NEARLY_NS
		       ? rq->now.since.hi - pause_ns
		       : 0;
}
