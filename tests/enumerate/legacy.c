/* SPDX-License-Identifier: MIT */
/*
 * legacy, Linux 5.0: drivers/gpu/drm/i915/intel_lrc.c, i915_request.c,
 * intel_breadcrumbs.c, i915_irq.c.  The ports are in struct state.al.
 */
#include <string.h>
#include "enumerate.h"

enum {
	CSB_IDLE_ACTIVE = 1,
	CSB_SWITCH,
	CSB_IDLE,
	CSB_LITE,
	CSB_PREEMPTED,
	CSB_PREEMPT_DONE
};
/* Where the signaler's thread is, in struct state.iw[1].pc */
enum {
	S_COLLECTED = 3,
	S_FIRES_ON /* and the CPU: --free, amid its signals, softirqs off */
};
#define F_WAITING 128 /* in b->waiters, so perhaps b->irq_wait */

static void hw_csb(struct state *s, int what)
{
	if (s->ncsb < sizeof(s->csb))
		s->csb[s->ncsb++] = (uint8_t)what;
	else
		s->dead = 2;
	s->csirq = 1;
}

static void hw_load(struct state *s)
{
	int c = CTX(s->act[0] - 1);

	s->hctx = (uint8_t)c;
	s->htail = s->memtail[c];
	if (s->done[c] < s->htail)
		hw_start(s, REQ(c, s->done[c] + 1));
	else
		s->hs = HW_STOP;
}

/* The hardware: no semaphore at a request's end, no pause. */
void legacy_hw(const struct state *s, bool *prompt)
{
	struct state n;
	int c = s->hctx;

	if (s->hs == HW_RUN) {
		n = *s;
		hw_complete(&n);
		hidden(&n);
	}
	if (s->hs == HW_STOP) {
		n = *s;
		if (n.done[c] < n.htail) {
			hw_start(&n, REQ(c, n.done[c] + 1));
		} else {
			hw_csb(&n, n.act[1] ? CSB_SWITCH : CSB_IDLE);
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
	if (s->elsp_preempt) { /* inject_preempt_context() taken, and over */
		n = *s;
		n.elsp_preempt = 0;
		hw_csb(&n, s->hs == HW_IDLE ? CSB_IDLE_ACTIVE : CSB_PREEMPTED);
		if (s->hs == HW_RUN)
			hw_stop(&n, WHY_PRIORITY);
		hw_csb(&n, CSB_PREEMPT_DONE);
		memset(n.act, 0, sizeof(n.act));
		n.hs = HW_IDLE;
		n.hctx = n.htail = 0;
		hidden(&n);
		if (s->hs != HW_RUN)
			*prompt = true;
	} else if (s->elsp[0]) {
		n = *s;
		memcpy(n.act, n.elsp, sizeof(n.act));
		memset(n.elsp, 0, sizeof(n.elsp));
		if (s->hs == HW_IDLE) {
			hw_csb(&n, CSB_IDLE_ACTIVE);
			hw_load(&n);
		} else if (CTX(s->elsp[0] - 1) == c) {
			hw_csb(&n, CSB_LITE);
			n.htail = n.memtail[c];
		} else {
			n.dead = 2;
		}
		hidden(&n);
		if (s->hs != HW_RUN)
			*prompt = true;
	}
}

static int first_wait(const struct state *s)
{
	int i, best = -1;

	for (i = 0; i < NR; i++)
		if ((s->f[i] & F_WAITING) && (best < 0 || s->gs[i] < s->gs[best]))
			best = i;
	return best;
}

/* 5.0 __intel_engine_remove_wait() */
static void remove_wait(struct state *s, int r)
{
	bool was = first_wait(s) == r;

	if (!(s->f[r] & F_WAITING))
		return;
	s->f[r] &= (uint8_t)~F_WAITING;
	if (was && first_wait(s) >= 0)
		s->woken = 1;
}

/* 5.0 intel_engine_enable_signaling(), __intel_engine_add_wait() */
bool legacy_attach(struct state *s, int r, bool wakeup)
{
	int i;
	bool wake = false;

	if (!(s->f[r] & F_ACTIVE) || (s->f[r] & (F_ATTACHED | F_SIGNALED)))
		return false;
	s->f[r] |= F_ATTACHED;
	if (complete(s, r)) {
		wake = true;
	} else {
		for (i = 0; i < NR; i++)
			if ((s->f[i] & F_WAITING) && s->gs[i] < s->gs[r] && complete(s, i)) {
				s->f[i] &= (uint8_t)~F_WAITING;
				s->woken = 1;
			}
		s->f[r] |= F_WAITING;
		if (first_wait(s) == r && !s->armed) {
			s->armed = 1;
			wake = true;
		}
	}
	if (wakeup && wake)
		s->woken = 1;
	return wake;
}

/* 5.0 intel_engine_cancel_signaling() */
void legacy_cancel(struct state *s, int r)
{
	if (!(s->f[r] & F_ATTACHED))
		return;
	remove_wait(s, r);
	s->f[r] &= (uint8_t)~F_ATTACHED;
}

/* 5.0 intel_breadcrumbs_signaler(): the requests to signal, oldest first */
static void signaler_collect(struct state *s)
{
	struct irqwork *w = &s->iw[1];
	int i, g;

	s->woken = 0;
	for (g = 1; g <= s->gseq; g++)
		for (i = 0; i < NR; i++) {
			if (s->gs[i] != g || !(s->f[i] & F_ATTACHED) || !complete(s, i))
				continue;
			remove_wait(s, i);
			s->f[i] &= (uint8_t)~F_ATTACHED;
			if (!(s->f[i] & F_SIGNALED))
				w->list[w->n++] = (uint8_t)i;
		}
	if (w->n) {
		w->pc = S_COLLECTED;
		s->woken = 1; /* it looks again before it sleeps */
	}
}

/* 5.0 intel_breadcrumbs_signaler(): dma_fence_signal() of the first that was collected */
static void signaler_fire(const struct state *s, int cpu)
{
	struct state n = *s;
	struct irqwork *w = &n.iw[1];
	int r = w->list[0];

	memmove(w->list, w->list + 1, sizeof(w->list) - 1);
	w->list[NR - 1] = 0;
	w->n--;
	w->pc = !w->n ? 0 : opt.free ? (uint8_t)(S_FIRES_ON + cpu) : S_COLLECTED;
	if (s->f[r] & F_SIGNALED) {
		hidden(&n);
	} else {
		n.f[r] |= F_SIGNALED;
		event(&n, cpu, EV_SIGNAL, r, 0);
	}
}

/*
 * What the signaler's thread may do on a CPU. It is CPU 1's and goes on until it sleeps. With
 * --free it is bound to no CPU (5.0 intel_engine_init_breadcrumbs(): kthread_run()) and may be
 * preempted until local_bh_disable(), which is ahead of the first signal.
 * True: the CPU does nothing else.
 */
static bool signaler_runs(const struct state *s, int cpu)
{
	const struct irqwork *w = &s->iw[1];
	bool idle = !(s->tpc != T_REST && s->tcpu == cpu) && !(cpu == 1 && s->cpc != C_REST);
	struct state n = *s;

	if (!opt.free && cpu == 0)
		return false;
	if (!w->pc) {
		if (s->woken && idle) {
			signaler_collect(&n);
			hidden(&n);
		}
		return false;
	}
	if (w->pc >= S_FIRES_ON) {
		if (w->pc != S_FIRES_ON + cpu)
			return false;
		signaler_fire(s, cpu);
		return true;
	}
	if (!opt.free) {
		signaler_fire(s, cpu);
		return true;
	}
	if (idle)
		signaler_fire(s, cpu);
	return false;
}

/*
 * Breadcrumbs of 5.0: notify_ring() in the interrupt on CPU 0 signals at most
 * the oldest waiter; the signaler's thread, on CPU 1 here, the others.
 * True: the CPU is in the middle of it.
 */
bool legacy_signals(const struct state *s, int cpu)
{
	struct state n = *s;
	int r;

	if (cpu == 0 && s->uirq && irqs_on(s, 0)) {
		n.uirq = 0;
		r = first_wait(s);
		if (r < 0) {
			n.armed = 0;
			hidden(&n);
		} else if (complete(s, r)) {
			n.woken = 1;
			if (s->f[r] & F_SIGNALED) {
				hidden(&n);
			} else {
				n.f[r] |= F_SIGNALED;
				event(&n, 0, EV_SIGNAL, r, 0);
			}
		} else {
			hidden(&n);
		}
	}
	return signaler_runs(s, cpu);
}

/* 5.0 __execlists_submission_tasklet(): the lock is held until its end */
void legacy_begin(struct state *s, int cpu)
{
	s->tcpu = (uint8_t)cpu;
	s->rem = s->ncsb;
	s->tpc = L_CSB;
}

static void ended(struct state *s)
{
	s->tpc = T_REST;
	s->tcpu = s->last = s->port = s->submit = s->rem = 0;
}

static void port_shift(struct state *s)
{
	s->al[0] = s->al[1];
	s->cnt[0] = s->cnt[1];
	s->al[1] = s->cnt[1] = 0;
}

/* 5.0 execlists_dequeue() after its walk, execlists_submit_ports() */
static void submit_ports(struct state *s)
{
	int i;

	s->hint = s->port ? (int8_t)s->prio[CTX(s->last - 1)] : -1;
	if (s->submit) {
		s->al[s->port] = s->last;
		for (i = 0; i < 2 && s->al[i]; i++) {
			s->cnt[i]++;
			s->memtail[CTX(s->al[i] - 1)] = (uint8_t)SEQ(s->al[i] - 1);
		}
		memcpy(s->elsp, s->al, sizeof(s->elsp));
		s->hwack = 0;
	}
	ended(s);
}

void legacy_tasklet(const struct state *s, int cpu)
{
	struct state n = *s;
	int r, e;

	switch (s->tpc) {
	case T_REST:
		n.sched = 0;
		legacy_begin(&n, cpu);
		hidden(&n);
		return;
	case L_CSB: /* process_csb() */
		if (!s->rem) {
			if (s->preempt)
				ended(&n);
			else
				n.tpc = L_DEQ;
			hidden(&n);
			return;
		}
		e = s->csb[0];
		memmove(n.csb, n.csb + 1, sizeof(n.csb) - 1);
		n.csb[sizeof(n.csb) - 1] = 0;
		n.ncsb--;
		n.rem--;
		if (e == CSB_IDLE_ACTIVE || e == CSB_LITE || e == CSB_PREEMPTED)
			n.hwack = 1;
		if (e == CSB_IDLE)
			n.hwack = 0;
		if (e == CSB_PREEMPT_DONE) {
			n.tpc = L_CANCEL;
		} else if (e == CSB_SWITCH || e == CSB_IDLE || e == CSB_LITE) {
			if (!s->al[0]) {
				n.dead = 2;
			} else if (!--n.cnt[0]) {
				port_shift(&n);
				event(&n, cpu, EV_OUT, s->al[0] - 1, completed(s, s->al[0] - 1));
				return;
			}
		}
		hidden(&n);
		return;
	case L_CANCEL: /* execlists_cancel_port_requests() */
		if (s->al[0]) {
			port_shift(&n);
			event(&n, cpu, EV_OUT, s->al[0] - 1, completed(s, s->al[0] - 1));
			return;
		}
		n.preempt = n.hwack = 0;
		n.tpc = L_UNWIND;
		hidden(&n);
		return;
	case L_UNWIND: /* __unwind_incomplete_requests() */
		if (!s->nrl || complete(s, s->rl[s->nrl - 1])) {
			n.tpc = L_CSB;
			hidden(&n);
			return;
		}
		r = s->rl[s->nrl - 1];
		drop_req(n.rl, &n.nrl, r);
		queue_head(&n, r);
		if (n.f[r] & F_ENABLE)
			legacy_cancel(&n, r);
		n.f[r] &= (uint8_t)~F_ACTIVE;
		n.gs[r] = 0;
		n.gseq--;
		event(&n, cpu, EV_UNSUBMIT, r, 0);
		return;
	case L_DEQ: /* execlists_dequeue(): its beginning */
		n.last = s->al[0];
		n.tpc = L_QUEUE;
		if (n.last) {
			int lp = s->prio[CTX(n.last - 1)];

			if (!s->hwack) {
				ended(&n);
			} else if (s->hint > lp && !completed(s, n.last - 1)) {
				if (n.switches++ == opt.switches)
					n.dead = 1;
				n.elsp_preempt = 1;
				n.preempt = 1;
				n.hwack = 0;
				ended(&n);
			} else if (s->al[1]) {
				ended(&n);
			}
		}
		hidden(&n);
		return;
	case L_QUEUE: /* execlists_dequeue(): the queue's walk */
		if (!s->nq) {
			submit_ports(&n);
			hidden(&n);
			return;
		}
		r = s->q[0];
		if (s->last && CTX(s->last - 1) != CTX(r)) {
			if (s->port == 1 || s->single) {
				submit_ports(&n);
				hidden(&n);
				return;
			}
			if (s->submit)
				n.al[0] = s->last;
			n.port = 1;
		}
		drop_req(n.q, &n.nq, r);
		add_tail(n.rl, &n.nrl, r);
		n.gs[r] = ++n.gseq;
		n.f[r] |= F_ACTIVE;
		if (n.f[r] & F_ENABLE)
			legacy_attach(&n, r, false);
		n.last = (uint8_t)(r + 1);
		n.submit = 1;
		n.tpc = L_QIN;
		event(&n, cpu, EV_EXECUTE, r, 0);
		return;
	case L_QIN:
		n.tpc = L_QUEUE;
		event(&n, cpu, EV_IN, s->last - 1, s->port);
		return;
	default:
		return;
	}
}
