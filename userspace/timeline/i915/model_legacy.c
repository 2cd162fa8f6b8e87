// SPDX-License-Identifier: MIT
/* Execlists up to Linux 5.3: each request has its `in`, and the last request of a port its `out`.
 * The engine is idled before requests are taken back (preempt to idle). */
#include "timeline/i915/chain.h"
#include "timeline/i915/ports.h"
#include "timeline/i915/handover.h"
#include "timeline/i915/order.h"
#include "timeline/i915/port_back.h"
#include "timeline/state.h"

/* A preemption idles the engine, and all requests of the order are taken back. */
static void take_back_all(struct lane_eng *eng)
{
	struct lane_rq *next;

	for (struct lane_rq *rq = eng->order.first; rq; rq = next) {
		next = rq->dev_next;
		timeline_order_remove(eng, rq);
		rq->handed.is_back_unseen = true;
	}
	eng->ports.set++;
}

/* A port holds requests of one context: an `in` of the last port's context, in the same set, joins
 * that port. */
static void put_on_port(struct lane_timeline *tl, struct lane_eng *eng,
			const struct lane_entry *entry, uint32_t port)
{
	struct lane_entry *tail = eng->ports.n ? timeline_ports_entry(eng, eng->ports.n - 1) : NULL;
	struct lane_entry given = *entry;

	(void)port;
	given.set = eng->ports.set;
	if (tail && tail->ctx == given.ctx && tail->set == given.set)
		tail->seqno = given.seqno;
	else
		timeline_handover_give(tl, eng, given);
}

/* R12, R18. A port is given back, its request incomplete: the engine has been idled. */
static void leave_port(struct lane_timeline *tl, struct lane_eng *eng,
		       const struct lane_entry *port, uint64_t now_ns)
{
	struct lane_rq *rq = eng->running;

	take_back_all(eng);
	eng->leaver = rq;
	if (rq)
		eng->run.is_unsure =
			!eng->run.is_reported && rq->now.since.hi > eng->dequeue.wrote_before_ns;
	timeline_port_back_changes_over(tl, eng, port, false, now_ns);
}

const struct lane_model lane_model_legacy = {
	.is_known = true,
	.has_tasklet = true,
	.has_ports = true,
	.is_idled = true,
	.put_on_port = put_on_port,
	.leave_port = leave_port,
};
