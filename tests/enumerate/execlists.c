/* SPDX-License-Identifier: MIT */
/*
 * execlists, Linux 6.1: drivers/gpu/drm/i915/gt/intel_execlists_submission.c.
 * The steps are written from that file; the function each one stands for is
 * named at the step.  No code is taken from it.
 */
#include <string.h>
#include "enumerate.h"

enum {
	CSB_PROMOTE = 1,
	CSB_COMPLETE
};

static void hw_csb(struct state *s, int what)
{
	if (s->ncsb < sizeof(s->csb))
		s->csb[s->ncsb++] = (uint8_t)what;
	else
		s->dead = 2;
	s->csirq = 1;
}

/*
 * The hardware loads the context of the set's first entry.  It reads the tail
 * from the context image now (execlists_update_context() wrote it), so it may
 * see a tail of a set which it has not taken yet.
 */
static void hw_load(struct state *s)
{
	int c = CTX(s->act[0] - 1);

	s->hctx = (uint8_t)c;
	s->htail = s->memtail[c];
	if (s->done[c] == s->passed[c] && s->done[c] < s->htail)
		hw_start(s, REQ(c, s->done[c] + 1));
	else
		s->hs = HW_STOP;
}

/*
 * The hardware, with what gen8_engine_cs.c, gen8_emit_fini_breadcrumb_tail()
 * and emit_preempt_busywait() put at a request's end: the seqno, the user
 * interrupt, then a semaphore which waits while HWS_PREEMPT is set.
 */
void execlists_hw(const struct state *s, bool *prompt)
{
	struct state n;
	int c = s->hctx;

	if (s->hs == HW_RUN) {
		n = *s;
		hw_complete(&n);
		hidden(&n);
	}
	if (s->hs == HW_STOP && (s->done[c] == s->passed[c] || !s->pause)) {
		n = *s;
		n.passed[c] = n.done[c];
		if (n.done[c] < n.htail) {
			hw_start(&n, REQ(c, n.done[c] + 1));
		} else {
			hw_csb(&n, CSB_COMPLETE);
			n.act[0] = n.act[1];
			n.act[1] = 0;
			if (n.act[0]) {
				hw_load(&n);
			} else {
				n.hs = HW_IDLE;
				n.hctx = n.htail = 0;
			}
		}
		hidden(&n);
		*prompt = true;
	}
	if (s->elsp[0]) {
		int to = CTX(s->elsp[0] - 1);

		n = *s;
		memcpy(n.act, n.elsp, sizeof(n.act));
		memset(n.elsp, 0, sizeof(n.elsp));
		n.elsp_why = 0;
		hw_csb(&n, CSB_PROMOTE);
		if (s->hs != HW_IDLE && to == c) {
			n.htail = n.memtail[c]; /* lite restore */
		} else {
			if (s->hs == HW_RUN)
				hw_stop(&n, s->elsp_why);
			hw_load(&n);
		}
		hidden(&n);
		if (s->hs != HW_RUN)
			*prompt = true;
	}
}

/* process_csb(), with cancel_timer() from new_timeslice() */
static void process_csb(struct state *s)
{
	int i;

	if (!s->ncsb)
		return;
	for (i = 0; i < s->ncsb; i++) {
		if (s->csb[i] == CSB_PROMOTE) {
			if (!s->pend[0]) {
				s->dead = 2;
				return;
			}
			s->pause = 0;
			if (s->al[0])
				s->post[s->npost++] = s->al[0];
			if (s->al[1])
				s->post[s->npost++] = s->al[1];
			memcpy(s->al, s->pend, sizeof(s->al));
			memset(s->pend, 0, sizeof(s->pend));
		} else {
			if (!s->al[0]) {
				s->dead = 2;
				return;
			}
			s->post[s->npost++] = s->al[0];
			s->al[0] = s->al[1];
			s->al[1] = 0;
		}
	}
	memset(s->csb, 0, sizeof(s->csb));
	s->ncsb = 0;
	if ((s->npost ? s->post[0] : 0) != s->al[0])
		s->timer = 0;
}

static int8_t queue_prio(const struct state *s)
{
	return s->nq ? (int8_t)s->prio[CTX(s->q[0])] : -1;
}

static int list_next(const struct state *s, int r)
{
	int i;

	for (i = 0; i + 1 < s->nrl; i++)
		if (s->rl[i] == r)
			return s->rl[i + 1];
	return -1;
}

/* need_preempt() */
static bool need_preempt(const struct state *s, int last)
{
	int lp = s->prio[CTX(last)], next;

	if (s->hint <= lp)
		return false;
	next = list_next(s, last);
	if (next >= 0 && s->prio[CTX(next)] > lp)
		return true;
	return queue_prio(s) > lp;
}

/* needs_timeslice() */
static bool needs_timeslice(const struct state *s, int rq)
{
	if (!rq || complete(s, rq - 1) || s->pend[0])
		return false;
	return list_next(s, rq - 1) >= 0 || s->nq;
}

static void scratch(struct state *s)
{
	s->last = s->port = s->submit = s->skip = s->ui = 0;
	s->why = s->unwound = s->tcpu = 0;
}

/* execlists_submission_tasklet(): after post_process_csb()'s last out */
static void post(struct state *s)
{
	if (s->npost) {
		s->tpc = T_POST;
	} else {
		s->tpc = T_REST;
		scratch(s);
	}
}

/* defer_request(): behind its own priority, then its ready waiters */
static void defer(struct state *s, int r)
{
	int w;

	drop_req(s->q, &s->nq, r);
	queue_tail(s, r);
	for (w = r + 1; CTX(w) == CTX(r) && w < NR; w++)
		if (drop_req(s->q, &s->nq, w))
			queue_tail(s, w);
}

/* One step of the tasklet on the CPU that runs it, or its beginning. */
void execlists_tasklet(const struct state *s, int cpu)
{
	struct state n = *s;
	int r, i;

	switch (s->tpc) {
	case T_REST: /* execlists_submission_tasklet() */
		n.sched = 0;
		n.tcpu = (uint8_t)cpu;
		process_csb(&n);
		if (n.pend[0])
			post(&n);
		else
			n.tpc = T_SCAN;
		hidden(&n);
		return;
	case T_SCAN: /* execlists_dequeue(): the first active, incomplete */
		for (i = 0; i < 2 && s->al[i] && complete(s, s->al[i] - 1); i++)
			;
		n.skip = (uint8_t)i;
		n.last = i < 2 ? s->al[i] : 0;
		if (!n.last) {
			n.tpc = T_QUEUE;
		} else if (need_preempt(s, n.last - 1)) {
			n.why = WHY_PRIORITY;
			n.tpc = T_PAUSE;
			if (n.switches++ == opt.switches)
				n.dead = 1;
		} else {
			n.tpc = T_SLICE;
		}
		hidden(&n);
		return;
	case T_SLICE: /* timeslice_expired(), else active[1] */
		if (needs_timeslice(s, s->last) && s->timer == 2) {
			n.timer = 0;
			n.why = WHY_TIMESLICE;
			n.tpc = T_PAUSE;
			if (n.switches++ == opt.switches)
				n.dead = 1;
		} else if (s->skip == 0 && s->al[1]) {
			n.tpc = T_END;
			n.last = n.skip = 0;
		} else {
			n.tpc = T_QUEUE;
		}
		hidden(&n);
		return;
	case T_PAUSE: /* ring_set_paused(engine, 1) */
		n.pause = 1;
		n.last = 0;
		n.ui = s->nrl;
		n.tpc = T_UNWIND;
		hidden(&n);
		return;
	case T_UNWIND: /* __unwind_incomplete_requests() */
		if (!s->ui) {
			if (s->unwound && s->why == WHY_TIMESLICE)
				defer(&n, s->unwound - 1);
			n.unwound = 0;
			n.tpc = T_QUEUE;
			hidden(&n);
			return;
		}
		r = s->rl[s->ui - 1];
		if (complete(s, r)) {
			n.ui--;
			drop_req(n.rl, &n.nrl, r);
			hidden(&n);
			return;
		}
		n.tpc = T_UNWIND2;
		event(&n, cpu, EV_UNSUBMIT, r, 0);
		return;
	case T_UNWIND2: /* __i915_request_unsubmit(): after its entry */
		r = s->rl[s->ui - 1];
		n.ui--;
		n.f[r] &= (uint8_t)~F_ACTIVE;
		if (n.f[r] & F_ENABLE)
			cancel_breadcrumb(&n, r, cpu);
		drop_req(n.rl, &n.nrl, r);
		queue_head(&n, r);
		n.unwound = (uint8_t)(r + 1);
		n.tpc = T_UNWIND;
		hidden(&n);
		return;
	case T_QUEUE: /* execlists_dequeue(): the queue's walk */
		if (!s->nq) {
			n.tpc = T_DONE;
			hidden(&n);
			return;
		}
		r = s->q[0];
		if (complete(s, r)) { /* __i915_request_submit() is false */
			drop_req(n.q, &n.nq, r);
			n.f[r] |= F_ACTIVE;
			if (n.f[r] & F_ENABLE)
				enable_breadcrumb(&n, r, cpu);
			hidden(&n);
			return;
		}
		if (s->last && CTX(s->last - 1) != CTX(r)) {
			if (s->port == 1) {
				n.tpc = T_DONE;
				hidden(&n);
				return;
			}
			n.pend[n.port++] = s->last;
		}
		drop_req(n.q, &n.nq, r);
		add_tail(n.rl, &n.nrl, r);
		n.f[r] |= F_ACTIVE;
		if (n.f[r] & F_ENABLE)
			enable_breadcrumb(&n, r, cpu);
		n.submit = 1;
		n.last = (uint8_t)(r + 1);
		event(&n, cpu, EV_EXECUTE, r, 0);
		return;
	case T_DONE: /* execlists_dequeue(): done, and the unlock */
		n.pend[n.port++] = s->last;
		n.hint = queue_prio(s);
		for (i = 0; i < n.port; i++)
			if (n.pend[i] != (s->skip + i < 2 ? s->al[s->skip + i] : 0))
				break;
		if (s->submit && i < n.port) {
			n.tpc = T_IN;
			n.ui = n.port;
		} else {
			n.pause = 0;
			memset(n.pend, 0, sizeof(n.pend));
			n.tpc = T_END;
		}
		n.last = n.port = n.submit = n.skip = 0;
		hidden(&n);
		return;
	case T_IN: /* execlists_schedule_in(), execlists_submit_ports() */
		i = --n.ui;
		r = s->pend[i] - 1;
		if (!i) {
			memcpy(n.elsp, n.pend, sizeof(n.elsp));
			for (i = 0; i < 2 && n.pend[i]; i++)
				n.memtail[CTX(n.pend[i] - 1)] = (uint8_t)SEQ(n.pend[i] - 1);
			n.elsp_why = s->why;
			n.why = 0;
			n.tpc = T_END;
		}
		event(&n, cpu, EV_IN, r, s->ui - 1);
		return;
	case T_END: /* start_timeslice(), interrupts on again */
		n.why = 0;
		if (s->switches >= opt.switches || !needs_timeslice(s, s->al[0]))
			n.timer = 0; /* off, or never to expire */
		else if (s->timer == 2)
			kick(&n, cpu);
		else
			n.timer = 1;
		post(&n);
		hidden(&n);
		return;
	case T_POST: /* post_process_csb(): execlists_schedule_out() */
		r = s->post[0] - 1;
		memmove(n.post, n.post + 1, sizeof(n.post) - 1);
		n.post[NR - 1] = 0;
		n.npost--;
		post(&n);
		event(&n, cpu, EV_OUT, r, completed(s, r));
		return;
	default:
		return;
	}
}
