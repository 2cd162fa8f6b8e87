/* SPDX-License-Identifier: MIT */
/*
 * Shared definitions: the state of the small machine, its events, and the
 * interface between the walker (enumerate.c) and the models (model_*.c).
 */
#ifndef ENUMERATE_H
#define ENUMERATE_H

#include <stdbool.h>
#include <stdint.h>

/* Requests: 0 = A1, 1 = A2, 2 = B1, 3 = B2.  A set entry is index + 1. */
#define NR	      4
#define NEVER	      0xff
#define CTX(r)	      ((r) >> 1)
#define SEQ(r)	      (((r)&1) + 1)
#define REQ(ctx, seq) (((ctx) << 1) + (seq)-1)

enum kind {
	EV_SUBMIT,
	EV_EXECUTE,
	EV_UNSUBMIT,
	EV_IN,
	EV_OUT,
	EV_ENABLE,
	EV_SIGNAL,
	EV_RETIRE,
	EV_KINDS
};

enum model {
	M_EXECLISTS,
	M_RING,
	M_GUC
};
enum why {
	WHY_NONE,
	WHY_PRIORITY = 1,
	WHY_TIMESLICE = 2
};
enum hw {
	HW_IDLE,
	HW_RUN,
	HW_STOP
};

/* Per request flags, in struct state.f[] */
enum {
	F_SUBMITTED = 1, /* i915_request_submit fired */
	F_ACTIVE = 2,	 /* I915_FENCE_FLAG_ACTIVE */
	F_ENABLE = 4,	 /* DMA_FENCE_FLAG_ENABLE_SIGNAL_BIT */
	F_ATTACHED = 8,	 /* I915_FENCE_FLAG_SIGNAL: on a breadcrumb list */
	F_SIGNALED = 16, /* DMA_FENCE_FLAG_SIGNALED_BIT */
	F_RETIRED = 32,	 /* i915_request_retire fired */
	F_ENTERED = 64	 /* has reached the backend's queue or ring */
};

/* What the client's CPU is in the middle of, in struct state.cpc */
enum {
	C_REST,
	C_QUEUE,
	C_ATTACH,
	C_RSIG,
	C_RREM,
	C_GIN,
	C_SUBMIT
};

/* Where the tasklet is, in struct state.tpc */
enum {
	T_REST,
	T_SCAN,
	T_SLICE,
	T_PAUSE,
	T_UNWIND,
	T_UNWIND2,
	T_QUEUE,
	T_DONE,
	T_IN,
	T_END,
	T_POST,
	G_EXEC,
	G_IN
};

struct irqwork {    /* one run of the signalling work on a CPU */
	uint8_t pc; /* 0: not running, 1: start, 2: collect, 3: fire */
	uint8_t n;
	uint8_t list[NR]; /* to be signalled, first first */
	uint8_t left[2];  /* contexts still to look at (+1) */
};

struct state {
	uint8_t t;
	uint8_t dead; /* outside the bounds: not a history */
	uint8_t prio[2];
	/* hardware */
	uint8_t hs, hctx, htail;
	uint8_t done[2];    /* last seqno written, by context */
	uint8_t passed[2];  /* last closing semaphore gone past, by context */
	uint8_t memtail[2]; /* RING_TAIL in the context image */
	uint8_t act[2];	    /* the set the hardware has */
	uint8_t elsp[2];    /* the set written and not yet taken */
	uint8_t elsp_why, elsp_preempt;
	uint8_t pause;
	uint8_t ncsb, csb[6];
	uint8_t nring, ring[NR], ringpos;
	/* scheduler */
	uint8_t nq, q[NR];
	uint8_t nrl, rl[NR];
	uint8_t pend[2], al[2];
	uint8_t npost, post[NR];
	int8_t hint;
	uint8_t f[NR];
	uint8_t timer; /* 0 off, 1 running, 2 expired */
	uint8_t sched; /* tasklet scheduled: 0 no, else CPU + 1 */
	uint8_t tpc, tcpu, last, port, submit, skip, ui, why, unwound, rem;
	uint8_t switches;
	uint8_t mapped[2];
	/* interrupts and breadcrumbs */
	uint8_t uirq, csirq, armed;
	uint8_t nsig, sig[2]; /* contexts with listeners, newest first */
	uint8_t nsr, sr[NR];  /* signaled_requests, newest first */
	uint8_t iwpend;	      /* irq work queued: 0 no, else CPU + 1 */
	struct irqwork iw[2];
	/* client */
	uint8_t cpc, creq, polls, woken;
	/* truth */
	uint8_t start[NR], end[NR], run[NR], pre[NR], npre[NR];
	uint8_t preopen[NR], whys[NR], culprit[NR];
	/* loss of one event */
	uint8_t lost, lcpu, lbefore, lafter, lastt[2];
};

struct options {
	enum model model;
	int size, ticks, nreq[2], listeners, polls, switches;
	bool lose, count, fine, free, kick_client, calm, at_once;
	int absent; /* bit mask of kinds */
	uint64_t sample_k, sample_n, part_k, part_n;
};
extern struct options opt;

/* The walker's sinks: a hidden step and an event, each with what follows. */
void hidden(const struct state *next);
void event(const struct state *next, int cpu, enum kind k, int r, int arg);

/* model.c: what all models share */
bool complete(const struct state *s, int r);
bool completed(const struct state *s, int r);
bool lock_held(const struct state *s);
bool irqs_on(const struct state *s, int cpu);
bool drop_req(uint8_t *list, uint8_t *n, int r);
void add_tail(uint8_t *list, uint8_t *n, int r);
void queue_tail(struct state *s, int r);
void queue_head(struct state *s, int r);
void kick(struct state *s, int cpu);
void enable_breadcrumb(struct state *s, int r, int cpu);
void cancel_breadcrumb(struct state *s, int r, int cpu);
void hw_start(struct state *s, int r);
void hw_stop(struct state *s, int why);
void hw_complete(struct state *s);
void initial(void (*put)(const struct state *));
void steps(const struct state *s);
bool stuck(const struct state *s);

/* the models */
void execlists_tasklet(const struct state *s, int cpu);
void execlists_hw(const struct state *s, bool *prompt);
void guc_tasklet(const struct state *s, int cpu);
void guc_hw(const struct state *s, bool *prompt);
void ring_hw(const struct state *s, bool *prompt);

#endif
