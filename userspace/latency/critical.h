/* SPDX-License-Identifier: MIT */
/*
 * The critical path: what an interval that ends in one place was spent on, followed back through
 * waits, wake-ups, fences and queues, on CPUs and engines (docs/analysis.md). It is told everything
 * while the recording is read, keeps what lies in the interval, and is solved when all is read.
 */
#ifndef LANE_LATENCY_CRITICAL_H
#define LANE_LATENCY_CRITICAL_H

#include "timeline/timeline.h"

/* What a piece of the path is. */
enum lane_critical_kind {
	LANE_CRITICAL_COMPUTING,    /* a thread ran */
	LANE_CRITICAL_RUNQUEUE,	    /* it could run, another had its CPU */
	LANE_CRITICAL_BLOCKED,	    /* it was blocked, and who ended that is not followed */
	LANE_CRITICAL_WAKE,	    /* what it waited for was there, it was not woken yet */
	LANE_CRITICAL_PREPARE,	    /* it built a request, what it did is not known */
	LANE_CRITICAL_DEPENDENCY,   /* a request waited for a fence that is not known */
	LANE_CRITICAL_HOST_QUEUE,   /* a request in the driver's queue, behind what ran */
	LANE_CRITICAL_DEVICE_QUEUE, /* given to the engine, behind what ran */
	LANE_CRITICAL_RUNNING,	    /* a request ran */
	LANE_CRITICAL_PREEMPTED,    /* it was off the engine, for what ran */
	LANE_CRITICAL_ON_AND_OFF,   /* running or preempted: when which is not known */
	LANE_CRITICAL_SIGNAL,	    /* over, its fence not signalled yet */
	LANE_CRITICAL_UNKNOWN,
	LANE_CRITICAL_KIND_COUNT
};

extern const char *const lane_critical_kind_names[LANE_CRITICAL_KIND_COUNT];

#define LANE_CRITICAL_NONE UINT32_MAX

/*
 * A piece of the path. Where its begin or its end is known within bounds only, begin_ns and end_ns
 * are the latest possible times, so that the pieces follow each other; lasted has the bounds, and a
 * piece may begin and end at one time if it may have lasted longer.
 */
struct lane_critical_segment {
	uint64_t begin_ns, end_ns;
	struct lane_span begin, end; /* with their bounds */
	struct lane_span lasted;
	enum lane_critical_kind kind;
	int32_t tid;	  /* the thread, -1: a request is on the path */
	int32_t by_tid;	  /* runqueue: who had the CPU; 0 nobody, -1 not known */
	uint32_t context; /* id of the request's context, NONE: a thread is on the path */
	uint32_t seqno;
	uint32_t engine;     /* id, NONE: not on an engine */
	uint32_t by_context; /* id: whose request ran meanwhile, NONE: nothing did */
	uint32_t by_seqno;
	uint32_t client;  /* id of the process that is to blame, NONE: none that has a context */
	char comm[16];	  /* of the thread tid, as it was called then */
	char by_comm[16]; /* of by_tid */
};

/* Where the path ends. */
struct lane_critical_end {
	int32_t tid; /* a thread, or -1 and a request */
	uint64_t ctx;
	uint32_t dev, seqno;
};

struct lane_critical_path {
	uint64_t from_ns, to_ns;
	struct lane_critical_end end;
	struct lane_critical_segment *segments; /* in order of time, without gaps */
	size_t n_segments;
	/* By kind. A stage of a request that lies wholly on the path adds what the report says of
	 * it (latency_stages_of); on_and_off is divided in running and preempted. */
	struct lane_span kinds[LANE_CRITICAL_KIND_COUNT];
};

struct lane_critical;

/* Keeps what lies in [from_ns, to_ns]. info: what the trace has of events, copied. *critical is the
 * caller's. */
struct lane_error *latency_critical_create(const struct lane_trace_info *info, uint64_t from_ns,
					   uint64_t to_ns,
					   struct lane_critical **critical) LANE_MUST_CHECK;

/* The subscriber. */
struct lane_hooks latency_critical_hooks(struct lane_critical *critical);

/*
 * After timeline_finish: the path that ends at `end` at to_ns, back to from_ns; both lie in
 * what was kept. The segments add up to the interval, to the nanosecond. May be called again. *path
 * is the caller's, to be freed with latency_critical_path_free. Fails for want of memory, if the
 * interval holds too much, or if it has no such end.
 */
struct lane_error *latency_critical_solve(struct lane_critical *critical,
					  const struct lane_timeline *timeline, uint64_t from_ns,
					  uint64_t to_ns, const struct lane_critical_end *end,
					  struct lane_critical_path *path) LANE_MUST_CHECK;

/* Frees the segments; safe on a zeroed path. */
void latency_critical_path_free(struct lane_critical_path *path);

/* NULL is allowed. */
void latency_critical_destroy(struct lane_critical *critical);

#endif
