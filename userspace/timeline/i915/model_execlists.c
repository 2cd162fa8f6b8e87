// SPDX-License-Identifier: MIT
/* Execlists from Linux 5.4 on, with `in` and `out`: a dequeue writes a set of ports while another
 * set is active, and the hardware takes the written set later (preempt to busy). */
#include "timeline/i915/chain.h"
#include "timeline/i915/ports.h"
#include "timeline/i915/handover.h"
#include "timeline/i915/order.h"
#include "timeline/i915/port_back.h"
#include "timeline/i915/rules.h"
#include "timeline/i915/tasklet.h"

#define MOST_PORTS 8

/* The `in`s of a set come in descending port order, port 0 last. */
static void put_on_port(struct lane_timeline *tl, struct lane_eng *eng,
			const struct lane_entry *entry, uint32_t port)
{
	struct lane_entry given = *entry;

	if (port >= MOST_PORTS || (eng->ports.coming && port != eng->ports.coming - 1)) {
		timeline_chain_contradiction(tl, eng); /* those that came are forgotten */
		if (port >= MOST_PORTS)
			return;
	}
	if (!eng->ports.coming)
		eng->ports.set++;
	given.set = eng->ports.set;
	given.is_again &= !port;
	timeline_handover_give(tl, eng, given);
	eng->ports.coming = port;
	eng->dequeue.has_written |= !port;
}

/* A dequeue that wrote no set left the ports as they are: what it executed again is on its port
 * still. */
static void dequeued(const struct lane_timeline *tl, struct lane_eng *eng, struct lane_bound now)
{
	(void)tl;
	(void)now;
	if (eng->dequeue.has_written)
		return;
	for (struct lane_rq *rq = eng->order.last; rq && rq->order > eng->dequeue.stood;
	     rq = rq->dev_prev)
		rq->handed.is_on_port |= rq->handed.in.hi != 0;
}

/* R12, R18. A port is given back, its request incomplete: its set has been replaced. */
static void leave_port(struct lane_timeline *tl, struct lane_eng *eng,
		       const struct lane_entry *port)
{
	timeline_port_back_changes_over(tl, eng, port);
}

/*
 * When the driver read that the port was left, a newer set may have been taken. Then the hardware
 * may have left the port for that set, and its request may have been complete before (the promotion
 * in process_csb(), gt/intel_execlists_submission.c of 6.1). i915_engine_ports at the end of the
 * run tells that it has not been: the hardware has none of the newer set's ports, and none of them
 * has been given back.
 */
static bool may_be_replaced(const struct lane_timeline *tl, const struct lane_eng *eng,
			    const struct lane_entry *port)
{
	const struct lane_p_i915_engine_ports *on = timeline_tasklet_closing(tl, eng);
	bool is_older = port->set != eng->ports.set, writes = timeline_tasklet_writes(eng);
	uint32_t newer = is_older ? timeline_ports_first_of(eng, eng->ports.set) : eng->ports.n;

	if (!is_older && !writes)
		return false;
	if (!on || (is_older && writes) || timeline_tasklet_outs_left(eng) > newer)
		return true;
	return is_older ? newer == eng->ports.n || timeline_ports_are_from(eng, newer, on)
			: timeline_tasklet_writes_these(eng, on);
}

/*
 * A set may begin with the request that has had the engine all along. If that request was complete
 * as the hardware took the set, the hardware loads its context, finds nothing left to do and goes
 * on. Then the `out`, which comes soon after the changeover, does not tell the end.
 */
static bool may_have_been_over(const struct lane_eng *eng, const struct lane_entry *port,
			       const struct lane_rq *rq)
{
	return port->is_again && rq->alive.ns < eng->ports.taken_ns;
}

/* R3. A port from before what has been seen may have been left for a newer set, too. So may one of
 * an older set with the same request. */
static struct lane_bounds end_by_port(const struct lane_timeline *tl, const struct lane_eng *eng,
				      const struct lane_entry *port, const struct lane_rq *rq,
				      bool is_unproven)
{
	struct lane_bound out = timeline_r03_out(tl);

	if (!port || timeline_request_is_shown_complete(rq) || may_be_replaced(tl, eng, port) ||
	    may_have_been_over(eng, port, rq) ||
	    (is_unproven && (!port->is_fresh || port->is_again)))
		return timeline_bounds(timeline_request_executed(rq), out);
	return timeline_bounds_exact(out);
}

const struct lane_model lane_model_execlists = {
	.is_known = true,
	.has_tasklet = true,
	.has_ports = true,
	.has_sets = true,
	.put_on_port = put_on_port,
	.leave_port = leave_port,
	.end_by_port = end_by_port,
	.dequeued = dequeued,
};
