// SPDX-License-Identifier: MIT
// A port is given back: what its `out` tells.
#include "timeline/i915/port_back.h"
#include "timeline/i915/chain.h"
#include "timeline/i915/finish.h"
#include "timeline/i915/ports.h"
#include "timeline/objects.h"
#include "timeline/i915/order.h"
#include "timeline/i915/rules.h"
#include "timeline/i915/tasklet.h"
#include "timeline/i915/world.h"

void timeline_port_back_changes_over(struct lane_timeline *tl, struct lane_eng *eng,
				     const struct lane_entry *port)
{
	if (eng->leaver && eng->leaver->pub.context == &port->ctx->pub)
		timeline_chain_change_over(tl, eng, timeline_bounds_exact(timeline_r12_left(tl)));
}

/* Returns when rq ended, from the `out`, completed = 1, of its port, which is being read (model.h).
 */
static struct lane_bounds port_back_end_by_port(const struct lane_timeline *tl,
						const struct lane_eng *eng,
						const struct lane_entry *port,
						const struct lane_rq *rq, bool is_unproven)
{
	return eng->model->end_by_port ? eng->model->end_by_port(tl, eng, port, rq, is_unproven)
				       : timeline_bounds_exact(timeline_r03_out(tl));
}

/* An `out` that is not of the FIFO's first port: it is of a port from before what has been seen, or
 * events are missing. */
static void stray_out(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (!timeline_engine_unproven(eng)) {
		timeline_chain_contradiction(tl, eng);
		return;
	}
	/* An unseen request had the engine until now. */
	eng->proof.hidden_ns = tl->now.ns;
	timeline_finish_doubt_order(eng, 0);
	timeline_finish_doubt_unplaced(eng);
}

/* An `out` of an engine without ports: it comes only where `in` is not recorded. */
static void out_without_ports(struct lane_timeline *tl, struct lane_rq *rq, bool complete)
{
	if (rq && complete &&
	    (tl->has_half_ports || tl->info.submission == LANE_SUBMISSION_EXECLISTS))
		timeline_chain_end(tl, rq, timeline_bounds_exact(timeline_r03_out(tl)));
}

/* The place, from 0, of the port that an `out` gives back; -1: it can be of none. */
static int place_given_back(const struct lane_eng *eng, const struct lane_event *event)
{
	int place = timeline_ports_place(eng, event);

	if (place > 0 && (!timeline_engine_unproven(eng) ||
			  !timeline_ports_entry(eng, (uint32_t)place)->is_fresh))
		return -1;
	return place;
}

/* Takes the port of that place out of the FIFO, and those before it, whose `out`s are missing. */
static struct lane_entry take_port(struct lane_timeline *tl, struct lane_eng *eng, int place)
{
	bool is_first = !place, is_unproven = timeline_engine_unproven(eng);
	struct lane_entry port;

	while (place--)
		timeline_chain_drop_port(tl, eng);
	port = *timeline_ports_entry(eng, 0);
	timeline_chain_drop_port(tl, eng);
	if (port.set != eng->ports.set && eng->ports.n &&
	    timeline_ports_entry(eng, 0)->set == eng->ports.set) {
		eng->ports.taken_ns = tl->now.ns;
	}
	if (is_unproven && port.is_fresh && is_first)
		timeline_engine_prove(eng, true);
	return port;
}

/* The hardware reported the end of what ran, and has gone on to the next port: what runs now has
 * begun, whatever pause the driver has set meanwhile. */
static void note_reported(const struct lane_timeline *tl, struct lane_eng *eng)
{
	const struct lane_p_i915_engine_ports *on = timeline_tasklet_closing(tl, eng);

	if (!on || !eng->running || eng->running->pub.context->ctx != on->ctx0 ||
	    eng->running->now.since.lo != tl->now.ns || eng->running->now.since.hi != tl->now.ns)
		return;
	eng->run.is_reported = true;
	eng->run.is_unsure = false;
}

/* R3. A port is given back, its request complete. unproven: the order was not certain before. */
static void out_complete(struct lane_timeline *tl, struct lane_eng *eng,
			 const struct lane_entry *port, struct lane_rq *rq, bool unproven)
{
	struct lane_bounds end;

	/* By what has been seen, its end did not free the engine. It may have been free only
	 * now. */
	if ((rq ? timeline_request_is_detached(rq) || rq->doubt.is_hidden
		: unproven && !timeline_engine_lost_nothing(eng)) &&
	    !eng->running)
		timeline_bounds_widen(&eng->free.at, timeline_r03_out(tl));
	if (!rq)
		return;
	end = port_back_end_by_port(tl, eng, port, rq, unproven);
	eng->tasklet.reading->is_end = true;
	timeline_chain_end(tl, rq, end);
	eng->tasklet.reading->is_end = false;
	if (timeline_bounds_are_exact(&end))
		note_reported(tl, eng);
}

static void out_incomplete(struct lane_timeline *tl, struct lane_eng *eng,
			   const struct lane_entry *port, bool unproven)
{
	/* The `out` may be of a set from before what has been seen. Then the leaver's port is still
	 * given. */
	if (unproven && !port->is_fresh && eng->leaver &&
	    eng->leaver->pub.context == &port->ctx->pub)
		stray_out(tl, eng);
	eng->model->leave_port(tl, eng, port);
}

/* The port of that place is given back, as the `out` that is being read says. */
static void give_back(struct lane_timeline *tl, struct lane_eng *eng, uint32_t place,
		      struct lane_rq *rq, bool complete, bool unproven)
{
	struct lane_entry port = take_port(tl, eng, (int)place);

	if (rq && !complete)
		timeline_world_alive(rq, timeline_r12_left(tl));
	if (complete)
		out_complete(tl, eng, &port, rq, unproven);
	else
		out_incomplete(tl, eng, &port, unproven);
}

void timeline_engine_out(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			 const struct lane_event *event)
{
	bool complete = event->u.i915_request_out.completed,
	     unproven = timeline_engine_unproven(eng);
	int place;

	if (!eng->model->is_known || eng->model->is_one_ring)
		timeline_chain_becomes_ported(tl, eng);
	/* Its signal may have come before the recording. */
	if (rq && complete && !rq->listen.ns && !(rq->pub.seen & LANE_SEEN_EXECUTE))
		rq->pub.doubt |= LANE_DOUBT_END;
	if (!eng->model->has_ports) {
		out_without_ports(tl, rq, complete);
		return;
	}
	place = place_given_back(eng, event);
	if (place < 0) {
		stray_out(tl, eng);
		if (rq && complete)
			timeline_chain_end(tl, rq, port_back_end_by_port(tl, eng, NULL, rq, true));
		else if (rq && !timeline_request_has_ended(rq))
			timeline_world_alive(rq, timeline_r12_left(tl));
		return;
	}
	give_back(tl, eng, (uint32_t)place, rq, complete, unproven);
}

void timeline_engine_ports(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_i915_engine_ports *ports = &event->u.i915_engine_ports;
	struct lane_eng *eng = timeline_engine_get(tl, ports->dev, ports->class, ports->instance);

	if (!eng)
		return;
	timeline_tasklet_end_by(tl, eng, event);
	if (eng->model->see_ports)
		eng->model->see_ports(tl, eng, event);
}
