/* SPDX-License-Identifier: MIT */
/*
 * What the models share: the client, the breadcrumbs and their interrupt work
 * (Linux 6.1), time, and the truth.  Functions are those of
 * drivers/gpu/drm/i915/i915_request.c, gt/intel_breadcrumbs.c,
 * drivers/dma-buf/dma-fence.c.
 */
#include <string.h>
#include "enumerate.h"

/* __i915_request_is_complete(): the seqno in the status page */
bool complete(const struct state *s, int r)
{
	return s->done[CTX(r)] >= SEQ(r);
}

/* i915_request_completed(): the same, or already signaled */
bool completed(const struct state *s, int r)
{
	return (s->f[r] & F_SIGNALED) || complete(s, r);
}

bool drop_req(uint8_t *list, uint8_t *n, int r)
{
	int i;

	for (i = 0; i < *n && list[i] != r; i++)
		;
	if (i == *n)
		return false;
	for (; i + 1 < *n; i++)
		list[i] = list[i + 1];
	list[--*n] = 0;
	return true;
}

void add_tail(uint8_t *list, uint8_t *n, int r)
{
	list[(*n)++] = (uint8_t)r;
}

static void queue_at(struct state *s, int r, int at)
{
	memmove(s->q + at + 1, s->q + at, (size_t)(s->nq - at));
	s->q[at] = (uint8_t)r;
	s->nq++;
}

/* list_add_tail() on the list which i915_sched_lookup_priolist() finds */
void queue_tail(struct state *s, int r)
{
	int at = 0;

	while (at < s->nq && s->prio[CTX(s->q[at])] >= s->prio[CTX(r)])
		at++;
	queue_at(s, r, at);
}

/* list_move() to the head of that list */
void queue_head(struct state *s, int r)
{
	int at = 0;

	while (at < s->nq && s->prio[CTX(s->q[at])] > s->prio[CTX(r)])
		at++;
	queue_at(s, r, at);
}

/* tasklet_hi_schedule() */
void kick(struct state *s, int cpu)
{
	if (!s->sched)
		s->sched = (uint8_t)(cpu + 1);
}

bool lock_held(const struct state *s)
{
	if (s->tpc >= T_SLICE && s->tpc <= T_DONE)
		return true;
	if (s->tpc >= G_EXEC)
		return true;
	return s->cpc == C_GIN;
}

bool irqs_on(const struct state *s, int cpu)
{
	if (s->tpc != T_REST && s->tcpu == cpu) {
		if (s->tpc >= T_SLICE && s->tpc <= T_IN)
			return false;
		if (s->tpc >= G_EXEC)
			return false;
	}
	if (cpu == 1 && (s->cpc == C_ATTACH || s->cpc == C_GIN))
		return false;
	return true;
}

/* The hardware begins or goes on with a request. */
void hw_start(struct state *s, int r)
{
	int i;

	s->hs = HW_RUN;
	s->hctx = (uint8_t)CTX(r);
	if (s->start[r] == NEVER)
		s->start[r] = s->t;
	s->preopen[r] = 0;
	for (i = 0; i < NR; i++)
		if (s->preopen[i] == 1 && CTX(i) != CTX(r)) {
			s->preopen[i] = 2;
			s->culprit[i] |= (uint8_t)(1 << r);
		}
}

/* The hardware leaves the request it runs, incomplete. */
void hw_stop(struct state *s, int why)
{
	int r = REQ(s->hctx, s->done[s->hctx] + 1);

	s->npre[r]++;
	s->whys[r] |= (uint8_t)why;
	s->preopen[r] = 1;
	s->hs = HW_STOP;
}

/* With nobody to listen, the work that signals finds nothing to do: it is not walked. */
static bool unmasked_walked(void)
{
	return opt.free && opt.listeners;
}

/* The seqno is written; MI_USER_INTERRUPT is raised where it is unmasked. */
void hw_complete(struct state *s)
{
	s->done[s->hctx]++;
	s->end[REQ(s->hctx, s->done[s->hctx])] = s->t;
	s->hs = HW_STOP;
	/* gen11_gt_irq_postinstall(): where there is a GuC it is always unmasked */
	if (s->armed || opt.model == M_GUC || (unmasked_walked() && opt.model != M_RING))
		s->uirq = 1;
}

static void truth_tick(struct state *s)
{
	int i;

	if (s->hs == HW_RUN)
		s->run[REQ(s->hctx, s->done[s->hctx] + 1)]++;
	for (i = 0; i < NR; i++)
		if (s->preopen[i])
			s->pre[i]++;
	s->t++;
}

/*
 * A context of before the window has a request with the GuC's firmware, and fires no event in the
 * window. The firmware runs that request for the tick, and comes back to the one it ran.
 */
static void ghost_tick(struct state *s)
{
	int r = REQ(s->hctx, s->done[s->hctx] + 1);

	hw_stop(s, WHY_PRIORITY | WHY_TIMESLICE);
	s->npre[r] = 1; /* how often makes no hull wider */
	truth_tick(s);
	hw_start(s, r);
}

/* irq_work_queue(): nothing if it is queued already, on whichever CPU */
static void irqwork_queue(struct state *s, int cpu)
{
	if (!s->iwpend)
		s->iwpend = (uint8_t)(cpu + 1);
}

/* irq_signal_request(): the bit now, the tracepoint in the irq work */
static void irq_signal_request(struct state *s, int r, int cpu)
{
	if (s->f[r] & F_SIGNALED)
		return;
	s->f[r] |= F_SIGNALED;
	memmove(s->sr + 1, s->sr, s->nsr);
	s->sr[0] = (uint8_t)r;
	if (!s->nsr++)
		irqwork_queue(s, cpu);
}

static void signalers_drop(struct state *s, int c)
{
	if (!((s->f[REQ(c, 1)] | s->f[REQ(c, 2)]) & F_ATTACHED))
		drop_req(s->sig, &s->nsig, c);
}

/* i915_request_enable_breadcrumb(), insert_breadcrumb(), add_signaling_context() */
void enable_breadcrumb(struct state *s, int r, int cpu)
{
	int c = CTX(r);

	if ((s->f[r] & (F_SIGNALED | F_ATTACHED)) || !(s->f[r] & F_ACTIVE))
		return;
	if (complete(s, r)) {
		irq_signal_request(s, r, cpu);
		return;
	}
	if (!((s->f[REQ(c, 1)] | s->f[REQ(c, 2)]) & F_ATTACHED)) {
		memmove(s->sig + 1, s->sig, s->nsig);
		s->sig[0] = (uint8_t)c;
		s->nsig++;
	}
	s->f[r] |= F_ATTACHED;
	if (!s->armed)
		irqwork_queue(s, cpu);
}

/* i915_request_cancel_breadcrumb() */
void cancel_breadcrumb(struct state *s, int r, int cpu)
{
	if (!(s->f[r] & F_ATTACHED))
		return;
	s->f[r] &= (uint8_t)~F_ATTACHED;
	signalers_drop(s, CTX(r));
	if (complete(s, r))
		irq_signal_request(s, r, cpu);
}

/* One step of signal_irq_work() on a CPU. */
static void irqwork_step(const struct state *s, int cpu)
{
	struct state n = *s;
	struct irqwork *w = &n.iw[cpu];
	int r, c, i;

	switch (w->pc) {
	case 0: /* its beginning: signaled_requests, disarming */
		n.iwpend = 0;
		w->n = n.nsr;
		memcpy(w->list, n.sr, sizeof(w->list));
		memset(n.sr, 0, sizeof(n.sr));
		n.nsr = 0;
		if (!w->n && n.armed && !n.nsig) {
			n.armed = 0;
			if (!opt.free) /* one which was raised before the mask may still come */
				n.uirq = 0;
		}
		for (i = 0; i < n.nsig; i++)
			w->left[i] = (uint8_t)(n.sig[i] + 1);
		w->pc = w->left[0] ? 2 : 3;
		hidden(&n);
		return;
	case 2: /* one context of b->signalers */
		c = w->left[0] - 1;
		for (r = REQ(c, 1); r <= REQ(c, 2); r++) {
			if (!(n.f[r] & F_ATTACHED))
				continue;
			if (!complete(&n, r))
				break;
			n.f[r] &= (uint8_t)~F_ATTACHED;
			signalers_drop(&n, c);
			if (n.f[r] & F_SIGNALED)
				continue;
			n.f[r] |= F_SIGNALED;
			memmove(w->list + 1, w->list, w->n);
			w->list[0] = (uint8_t)r;
			w->n++;
		}
		w->left[0] = w->left[1];
		w->left[1] = 0;
		if (!w->left[0])
			w->pc = 3;
		hidden(&n);
		return;
	default: /* __dma_fence_signal__timestamp(), then arming */
		if (w->n) {
			r = w->list[0];
			memmove(w->list, w->list + 1, sizeof(w->list) - 1);
			w->list[NR - 1] = 0;
			w->n--;
			event(&n, cpu, EV_SIGNAL, r, 0);
			return;
		}
		memset(w, 0, sizeof(*w));
		if (!n.armed && n.nsig) {
			n.armed = 1;
			irqwork_queue(&n, cpu);
		}
		hidden(&n);
		return;
	}
}

/* __i915_request_submit() of the ring and GuC models: no unwinding there */
static void submit_effects(struct state *s, int r, int cpu)
{
	s->f[r] |= F_ACTIVE;
	if (s->f[r] & F_ENABLE)
		enable_breadcrumb(s, r, cpu);
}

static int count_listeners(const struct state *s)
{
	int r, n = 0;

	for (r = 0; r < NR; r++)
		n += !!(s->f[r] & F_ENABLE);
	return n;
}

/* dma_fence_array_enable_signaling() listens to one after the other, interrupts off */
static void listens_on(const struct state *s)
{
	struct state n;
	int r;

	if (opt.calm || count_listeners(s) >= opt.listeners)
		return;
	for (r = 0; r < NR; r++) {
		if (SEQ(r) > opt.nreq[CTX(r)] || (s->f[r] & (F_ENABLE | F_SIGNALED)))
			continue;
		n = *s;
		n.f[r] |= F_ENABLE;
		n.cpc = C_ATTACH;
		n.creq = (uint8_t)r;
		event(&n, 1, EV_ENABLE, r, 0);
	}
}

/* What the client's CPU goes on with. */
static void client_goes_on(const struct state *s)
{
	struct state n = *s;
	int r = s->creq;

	switch (s->cpc) {
	case C_QUEUE: /* execlists_submit_request() and its siblings */
		if (lock_held(s))
			return;
		n.f[r] |= F_ENTERED;
		n.cpc = C_REST;
		n.creq = 0;
		if (opt.model == M_EXECLISTS) {
			queue_tail(&n, r);
			if (n.prio[CTX(r)] > n.hint) {
				n.hint = (int8_t)n.prio[CTX(r)];
				kick(&n, opt.kick_client);
			}
		} else if (opt.model == M_GUC) {
			if (n.nq || !n.mapped[CTX(r)]) {
				queue_tail(&n, r);
				kick(&n, opt.kick_client);
			} else {
				submit_effects(&n, r, 1);
				n.cpc = C_GIN;
				n.creq = (uint8_t)r;
				event(&n, 1, EV_EXECUTE, r, 0);
				return;
			}
		} else {
			submit_effects(&n, r, 1);
			n.ring[n.nring++] = (uint8_t)r;
			event(&n, 1, EV_EXECUTE, r, 0);
			return;
		}
		hidden(&n);
		return;
	case C_GIN: /* guc_bypass_tasklet_submit() */
		n.memtail[CTX(r)] = (uint8_t)SEQ(r);
		n.cpc = C_REST;
		n.creq = 0;
		event(&n, 1, EV_IN, r, 0);
		return;
	case C_ATTACH: /* i915_fence_enable_signaling() */
		n.cpc = opt.calm ? C_SUBMIT : C_REST;
		n.creq = opt.calm ? (uint8_t)r : 0;
		enable_breadcrumb(&n, r, 1);
		hidden(&n);
		listens_on(&n);
		return;
	case C_SUBMIT: /* --calm: listened to, and at once submitted */
		n.f[r] |= F_SUBMITTED;
		n.cpc = C_QUEUE;
		event(&n, 1, EV_SUBMIT, r, 0);
		return;
	case C_RSIG: /* i915_request_retire(): if not signaled */
		n.cpc = C_RREM;
		if (s->f[r] & F_SIGNALED) {
			hidden(&n);
			return;
		}
		n.f[r] |= F_SIGNALED;
		event(&n, 1, EV_SIGNAL, r, 0);
		return;
	case C_RREM: /* remove_from_engine(); GuC: remove_from_context() */
		if (opt.model != M_GUC && lock_held(s))
			return;
		drop_req(n.rl, &n.nrl, r);
		drop_req(n.q, &n.nq, r);
		n.f[r] |= F_ACTIVE;
		n.cpc = C_REST;
		n.creq = 0;
		hidden(&n);
		return;
	default:
		return;
	}
}

/* --calm: nothing is left to do but to retire, the older context first. */
static bool quiet(const struct state *s)
{
	int r;

	for (r = 0; r < NR; r++)
		if (s->f[r] & F_ATTACHED)
			return false;
	return !s->sched && !s->csirq && !s->uirq && !s->ncsb && !s->woken && !s->elsp[0] &&
	       (s->hs != HW_STOP || opt.model == M_GUC || opt.model == M_RING);
}

/* What the client may begin. */
static void client_begins(const struct state *s)
{
	struct state n;
	int c, q, r, listeners = count_listeners(s);
	bool calm = !opt.calm || (s->tpc == T_REST && !s->iw[0].pc && !s->iwpend);
	bool all = true;

	for (r = 0; r < NR; r++) {
		if (SEQ(r) <= opt.nreq[CTX(r)] && !complete(s, r))
			all = false;
	}
	if (!calm)
		return;
	for (c = 0; c < 2; c++) {
		for (q = 1; q <= opt.nreq[c]; q++) {
			r = REQ(c, q);
			/* __i915_request_ensure_ordering(): in the context's order */
			if (!(s->f[r] & F_SUBMITTED) && (q == 1 || (s->f[r - 1] & F_SUBMITTED))) {
				n = *s;
				n.f[r] |= F_SUBMITTED;
				n.cpc = C_QUEUE;
				n.creq = (uint8_t)r;
				event(&n, 1, EV_SUBMIT, r, 0);
			}
			/* __dma_fence_enable_signaling() */
			if (!(s->f[r] & (F_ENABLE | F_SIGNALED)) && listeners < opt.listeners &&
			    (!opt.calm || (!(s->f[r] & F_SUBMITTED) &&
					   (q == 1 || (s->f[r - 1] & F_SUBMITTED))))) {
				n = *s;
				n.f[r] |= F_ENABLE;
				n.cpc = C_ATTACH;
				n.creq = (uint8_t)r;
				event(&n, 1, EV_ENABLE, r, 0);
			}
			if (!complete(s, r) || (s->f[r] & F_RETIRED))
				continue;
			/* dma_fence_is_signaled() */
			if (!(s->f[r] & F_SIGNALED) && s->polls < opt.polls) {
				n = *s;
				n.f[r] |= F_SIGNALED;
				n.polls++;
				event(&n, 1, EV_SIGNAL, r, 0);
			}
			/* i915_request_retire(), in the timeline's order */
			if ((!opt.calm || (all && quiet(s))) &&
			    (q == 1 || (s->f[r - 1] & F_RETIRED))) {
				n = *s;
				n.f[r] |= F_RETIRED;
				n.cpc = C_RSIG;
				n.creq = (uint8_t)r;
				event(&n, 1, EV_RETIRE, r, 0);
				if (opt.calm)
					return;
			}
		}
	}
}

static void tasklet(const struct state *s, int cpu)
{
	if (opt.model == M_EXECLISTS)
		execlists_tasklet(s, cpu);
	else
		guc_tasklet(s, cpu);
}

/* What one CPU may do next. */
static void cpu_steps(const struct state *s, int cpu)
{
	struct state n;

	if (s->iw[cpu].pc || (s->iwpend == cpu + 1 && irqs_on(s, cpu))) {
		irqwork_step(s, cpu);
		return;
	}
	if (cpu == 0 && irqs_on(s, 0)) {
		/* execlists_irq_handler(), cs_irq_handler() */
		if (s->uirq) {
			n = *s;
			n.uirq = 0;
			irqwork_queue(&n, 0);
			hidden(&n);
		}
		if (s->csirq) {
			n = *s;
			n.csirq = 0;
			kick(&n, 0);
			hidden(&n);
		}
		/* execlists_timeslice() */
		if (s->timer == 1 && s->switches < opt.switches) {
			n = *s;
			n.timer = 2;
			kick(&n, 0);
			hidden(&n);
		}
	}
	if (s->tpc != T_REST && s->tcpu == cpu) {
		tasklet(s, cpu);
		return;
	}
	if (cpu == 1 && s->cpc != C_REST) {
		client_goes_on(s);
		return;
	}
	if (s->tpc == T_REST && s->sched == cpu + 1 && !lock_held(s)) {
		tasklet(s, cpu);
		if (cpu == 1) /* local_bh_enable(): before the client goes on */
			return;
	}
	if (cpu == 1)
		client_begins(s);
}

/*
 * A hidden step of the CPU which runs the tasklet or the interrupt work, which
 * nothing else can see or hinder: it is taken at once, alone.  That leaves out
 * no sequence of events and no truth, only orders of steps which are the same.
 */
static bool unseen(const struct state *s)
{
	if (opt.model == M_GUC)
		return s->tpc == G_EXEC && !s->nq && !s->last;
	if (opt.model != M_EXECLISTS)
		return false;
	return (s->tpc == T_UNWIND && !s->ui) || (s->tpc == T_QUEUE && !s->nq) ||
	       (s->tpc == T_DONE && !s->pause);
}

static bool finished(const struct state *s)
{
	int c, q;

	for (c = 0; c < 2; c++)
		for (q = 1; q <= opt.nreq[c]; q++)
			if (!(s->f[REQ(c, q)] & F_RETIRED))
				return false;
	return true;
}

/* Nobody is in the middle of anything: a moment which may last. */
static bool at_rest(const struct state *s)
{
	return s->tpc == T_REST && s->cpc == C_REST && !s->iw[0].pc && !s->iw[1].pc && !s->iwpend;
}

/* All that may happen next: hidden steps, events, time. */
void steps(const struct state *s)
{
	struct state n;
	bool prompt = false;

	if (s->t == opt.ticks || s->dead)
		return;
	if (unseen(s) && !s->iw[s->tcpu].pc && !(s->iwpend == s->tcpu + 1 && irqs_on(s, s->tcpu))) {
		tasklet(s, s->tcpu);
		return;
	}
	switch (opt.model) {
	case M_EXECLISTS:
		execlists_hw(s, &prompt);
		break;
	case M_RING:
		ring_hw(s, &prompt);
		break;
	case M_GUC:
		guc_hw(s, &prompt);
		break;
	}
	if (opt.at_once && prompt)
		return;
	cpu_steps(s, 0);
	cpu_steps(s, 1);
	if (finished(s) && at_rest(s))
		return;
	if ((opt.fine || at_rest(s)) && (opt.free || !prompt) &&
	    !(opt.at_once && (s->uirq || s->csirq || s->sched))) {
		n = *s;
		truth_tick(&n);
		hidden(&n);
		if (opt.free && opt.model == M_GUC && s->hs == HW_RUN) {
			n = *s;
			ghost_tick(&n);
			hidden(&n);
		}
	}
}

/* A history may not end here: nothing can happen, yet something is undone. */
bool stuck(const struct state *s)
{
	return s->t != opt.ticks && !(finished(s) && at_rest(s));
}

/* The initial states with the interrupt on, or off. */
static void initial_with(bool armed, void (*put)(const struct state *))
{
	struct state s;
	int i, b, m;

	memset(&s, 0, sizeof(s));
	s.hint = -1;
	s.armed = armed;
	for (i = 0; i < NR; i++)
		s.start[i] = s.end[i] = NEVER;
	for (b = 0; b < 2; b++)
		for (m = 0; m < 2; m++) {
			if (m && opt.model != M_GUC)
				continue;
			if (b && opt.model == M_RING)
				continue;
			s.prio[1] = (uint8_t)b;
			if (opt.model == M_GUC)
				s.mapped[0] = s.mapped[1] = (uint8_t)m;
			put(&s);
		}
}

/*
 * Somebody may have listened before: the interrupt stays on until the next that comes with nobody
 * listening, or the engine's parking.
 */
void initial(void (*put)(const struct state *))
{
	initial_with(false, put);
	if (opt.model == M_RING || opt.model == M_GUC || unmasked_walked())
		initial_with(true, put);
}
