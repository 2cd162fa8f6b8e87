/* SPDX-License-Identifier: MIT */
/*
 * ring and guc, Linux 6.1: drivers/gpu/drm/i915/gt/intel_ring_submission.c,
 * gt/uc/intel_guc_submission.c.  The client's half of each is in model.c.
 */
#include <string.h>
#include "enumerate.h"

/* i9xx_submit_request(): one ring, in the order of submission */
void ring_hw(const struct state *s, bool *prompt)
{
	struct state n = *s;

	if (s->hs == HW_RUN) {
		hw_complete(&n);
		hidden(&n);
	} else if (s->ringpos < s->nring) {
		hw_start(&n, s->ring[s->ringpos]);
		n.ringpos++;
		hidden(&n);
		*prompt = true;
	}
}

/*
 * The firmware: guc_set_lrc_tail() and guc_add_request() tell it of a tail;
 * which context it runs, and when it changes, it decides.
 */
void guc_hw(const struct state *s, bool *prompt)
{
	struct state n;
	int c, x;

	if (s->hs == HW_RUN) {
		n = *s;
		hw_complete(&n);
		hidden(&n);
		c = s->hctx;
		x = !c;
		if (s->done[x] < s->memtail[x] && s->switches < opt.switches) {
			n = *s;
			n.switches++;
			hw_stop(&n, s->prio[x] > s->prio[c] ? WHY_PRIORITY : WHY_TIMESLICE);
			hw_start(&n, REQ(x, n.done[x] + 1));
			hidden(&n);
		}
		return;
	}
	for (c = 0; c < 2; c++)
		if (s->done[c] < s->memtail[c]) {
			n = *s;
			hw_start(&n, REQ(c, n.done[c] + 1));
			hidden(&n);
			*prompt = true;
		}
}

/* guc_submission_tasklet(), guc_dequeue_one_context() */
void guc_tasklet(const struct state *s, int cpu)
{
	struct state n = *s;
	int r;

	switch (s->tpc) {
	case T_REST:
		n.sched = 0;
		n.tcpu = (uint8_t)cpu;
		n.tpc = G_EXEC;
		hidden(&n);
		return;
	case G_EXEC:
		if (s->last && (!s->nq || CTX(s->q[0]) != CTX(s->last - 1))) {
			/* register the context, set its tail, tell the firmware */
			n.mapped[CTX(s->last - 1)] = 1;
			n.memtail[CTX(s->last - 1)] = (uint8_t)SEQ(s->last - 1);
			n.last = 0;
			hidden(&n);
			return;
		}
		if (!s->nq) {
			n.tpc = T_REST;
			n.tcpu = 0;
			hidden(&n);
			return;
		}
		r = s->q[0];
		drop_req(n.q, &n.nq, r);
		n.f[r] |= F_ACTIVE;
		if (n.f[r] & F_ENABLE)
			enable_breadcrumb(&n, r, cpu);
		n.last = (uint8_t)(r + 1);
		n.tpc = G_IN;
		event(&n, cpu, EV_EXECUTE, r, 0);
		return;
	case G_IN:
		n.tpc = G_EXEC;
		event(&n, cpu, EV_IN, s->last - 1, 0);
		return;
	default:
		return;
	}
}
