// SPDX-License-Identifier: MIT
/* Execlists up to Linux 5.3: each request has its `in`, and the last request of a port its `out`.
 * The engine is idled before requests are taken back (preempt to idle); no event tells which are.
 */
#include "timeline/i915/chain.h"
#include "timeline/i915/ports.h"
#include "timeline/i915/handover.h"
#include "timeline/i915/rules.h"

/* A port holds requests of one context: an `in` of the last port's context, in the same set, joins
 * that port. */
static void model_legacy_put_on_port(struct lane_timeline *tl, struct lane_eng *eng,
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

/* R12. A port is given back, its request incomplete: the engine has been idled, and all that it had
 * is taken back. */
static void model_legacy_leave_port(struct lane_timeline *tl, struct lane_eng *eng,
				    const struct lane_entry *port)
{
	(void)port;
	eng->ports.set++;
	eng->pub.idled++;
	/* What has the engine may have come to it only as it was being idled. */
	eng->run.is_unsure = eng->running != NULL;
	timeline_chain_take_back_unseen(tl, eng, tl->now.ns);
	eng->free.at = timeline_bounds_exact(timeline_r18_changeover(timeline_r12_left(tl)));
}

const struct lane_model lane_model_legacy = {
	.is_known = true,
	.has_tasklet = true,
	.has_ports = true,
	.put_on_port = model_legacy_put_on_port,
	.leave_port = model_legacy_leave_port,
};
