/* SPDX-License-Identifier: MIT */
/* What is held of a run of the submission tasklet, item by item. */
#ifndef LANE_TIMELINE_TASKLET_HELD_H
#define LANE_TIMELINE_TASKLET_HELD_H

#include "timeline/state.h"

#define MOST_HELD 4096

/* A run of the tasklet that has no event for this time is over. */
#define MOST_QUIET_NS LANE_INTERRUPT_NS

enum what_is_held {
	HELD_EVENT,  /* an event of the tasklet */
	HELD_END,    /* rq ended at a time in `span` */
	HELD_RETIRE, /* rq was retired */
	HELD_VOID,   /* its request has been freed */
};

struct lane_held {
	enum what_is_held what;
	bool is_foreign; /* another CPU told it */
	bool is_gone;	 /* it has been read, or is void */
	struct lane_event event;
	uint64_t number;    /* of the event, or of the one that told it */
	uint64_t before_ns; /* time of the CPU's event before it */
	struct lane_rq *rq;
	struct lane_bounds span;
	uint64_t told_ns; /* when it was told, if it is no event */
};

/* What the items are, so that nobody has to look through them. */
struct lane_held_sum {
	uint32_t room;		/* for so many items */
	uint32_t facts;		/* so many have a request of their own */
	uint32_t outs, ins;	/* so many are events of these kinds */
	uint32_t dequeues;	/* `execute`, `unsubmit` and `in` */
	uint32_t last_event;	/* the last item that is an event */
	uint32_t last_own;	/* the last item that the run's own CPU told */
	uint32_t first, second; /* 1 + the first `execute`, and the first of another context; 0:
				 * there is none */
};

/* The item is an `out`. */
static inline bool timeline_held_is_out(const struct lane_held *held)
{
	return held->what == HELD_EVENT && held->event.wire.kind == LANE_RQ_OUT;
}

/* The item is an `execute`, `unsubmit` or `in`. */
static inline bool timeline_held_is_dequeue(const struct lane_held *held)
{
	return held->what == HELD_EVENT && held->event.wire.kind != LANE_RQ_OUT;
}

/* The tasklet's own CPU has told an end: in the tasklet, or in an interrupt. */
static inline bool timeline_held_is_own_end(const struct lane_held *held)
{
	return held->what == HELD_END && !held->is_foreign;
}

static inline bool timeline_held_same_context(const struct lane_event *a,
					      const struct lane_event *b)
{
	return a->u.rq.ctx == b->u.rq.ctx && a->u.rq.dev == b->u.rq.dev;
}

static inline bool timeline_held_same_request(const struct lane_event *a,
					      const struct lane_event *b)
{
	return a->u.rq.seqno == b->u.rq.seqno && timeline_held_same_context(a, b);
}

/* The event names rq. */
static inline bool timeline_held_is_of(const struct lane_event *event, const struct lane_rq *rq)
{
	return event->u.rq.seqno == rq->pub.seqno && event->u.rq.ctx == rq->pub.context->ctx &&
	       event->u.rq.dev == rq->pub.context->dev;
}

/* The last event that is held; something is held. */
static inline const struct lane_event *timeline_held_last(const struct lane_eng *eng)
{
	return &eng->tasklet.held[eng->tasklet.sum->last_event].event;
}

/* Kinds of events of a dequeue, a bit each. */
enum held_kinds {
	HELD_HANDING = 1u << LANE_RQ_EXECUTE | 1u << LANE_RQ_UNSUBMIT,
	HELD_DEQUEUE = 1u << LANE_RQ_EXECUTE | 1u << LANE_RQ_UNSUBMIT | 1u << LANE_RQ_IN,
};

/* Among the first n items is an event of these kinds (bits) of rq; NULL: of any request. */
static inline bool timeline_held_has(const struct lane_eng *eng, uint32_t kinds,
				     const struct lane_rq *rq, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct lane_held *held = &eng->tasklet.held[i];

		if (held->what == HELD_EVENT && (kinds >> held->event.wire.kind & 1) &&
		    (!rq || timeline_held_is_of(&held->event, rq)))
			return true;
	}
	return false;
}

/* Among the first n items the dequeue takes rq back or hands it over. */
static inline bool timeline_held_dequeues(const struct lane_eng *eng, const struct lane_rq *rq,
					  uint32_t n)
{
	return timeline_held_has(eng, HELD_HANDING, rq, n);
}

/* The number of items up to the last `out`, that included; 0: there is no `out`. */
static inline uint32_t timeline_held_upto_out(const struct lane_eng *eng)
{
	uint32_t n = eng->tasklet.n;

	while (n && !timeline_held_is_out(&eng->tasklet.held[n - 1]))
		n--;
	return n;
}

/* The i-th item is an event of this kind. */
static inline bool timeline_held_is(const struct lane_eng *eng, uint32_t i, enum lane_kind kind)
{
	return eng->tasklet.held[i].what == HELD_EVENT &&
	       eng->tasklet.held[i].event.wire.kind == kind;
}

#endif
