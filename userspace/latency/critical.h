/* SPDX-License-Identifier: MIT */
/*
 * The critical path of an interval: what the thread or request at its end waited for, followed back
 * to the interval's begin (docs/analysis.md). The path leads through waits, wake-ups, fences and
 * queues, on CPUs and engines. While the recording is read, the hooks keep what lies in the
 * interval. latency_critical_solve finds the path afterwards.
 */
#ifndef LANE_LATENCY_CRITICAL_H
#define LANE_LATENCY_CRITICAL_H

#include "timeline/timeline.h"

/* Kinds of pieces of the path. */
enum lane_critical_kind {
	LANE_CRITICAL_COMPUTING,    /* a thread ran */
	LANE_CRITICAL_RUNQUEUE,	    /* a thread was runnable, another thread had its CPU */
	LANE_CRITICAL_BLOCKED,	    /* a thread was blocked, its waker is not followed */
	LANE_CRITICAL_WAKE,	    /* the fence was signalled, the waiting thread not woken yet */
	LANE_CRITICAL_PREPARE,	    /* a thread built a request, its own state is not known */
	LANE_CRITICAL_DEPENDENCY,   /* a request waited for a fence */
	LANE_CRITICAL_HOST_QUEUE,   /* a request was in the driver's queue */
	LANE_CRITICAL_DEVICE_QUEUE, /* a request was handed over, did not run yet */
	LANE_CRITICAL_RUNNING,	    /* a request ran */
	LANE_CRITICAL_PREEMPTED,    /* a request was preempted */
	LANE_CRITICAL_ON_AND_OFF,   /* running or preempted: not known which of them when */
	LANE_CRITICAL_SIGNAL,	    /* a request was complete, its fence not signalled yet */
	LANE_CRITICAL_REFRESH,	    /* the hardware had a picture, the refresh had not begun */
	LANE_CRITICAL_UNKNOWN,
	LANE_CRITICAL_KIND_COUNT
};

extern const char *const lane_critical_kind_names[LANE_CRITICAL_KIND_COUNT];

#define LANE_CRITICAL_NONE UINT32_MAX

/*
 * A piece of the path. begin_ns and end_ns are the latest possible times, so the pieces follow each
 * other without gaps. lasted has the bounds of the length: begin_ns and end_ns may be equal though
 * the piece may have lasted longer.
 */
struct lane_critical_segment {
	uint64_t begin_ns, end_ns;
	struct lane_span begin, end; /* bounds of both times */
	struct lane_span lasted;
	enum lane_critical_kind kind;
	int32_t tid; /* the thread on the path, -1: a request is */
	/* runqueue: the thread that had the CPU; 0 nobody, -1 not known. host_queue, signal: who
	 * had that of the thread that had to act for half of the piece or longer; -1: nobody is
	 * known. */
	int32_t by_tid;
	uint32_t context; /* id: context of the request on the path, NONE: a thread is */
	uint32_t seqno;
	uint32_t engine;     /* id, NONE: the piece is on no engine */
	uint32_t by_context; /* id: context of the request that ran meanwhile, NONE: none */
	uint32_t by_seqno;
	uint32_t client;  /* id of the process to blame, NONE: a process without a context */
	char comm[16];	  /* name of thread tid at that time */
	char by_comm[16]; /* name of thread by_tid */
};

/* The thread or request at which the path ends. */
struct lane_critical_end {
	int32_t tid; /* the thread, -1: the path ends at request ctx:seqno of dev */
	uint64_t ctx;
	uint32_t dev, seqno; /* dev LANE_CRITICAL_NONE: a kernel gives ctx to one device */
};

struct lane_critical_path {
	uint64_t from_ns, to_ns;
	struct lane_critical_end end;
	const struct lane_flip *flip; /* it ends at the refresh that shows it; NULL: it does not */
	struct lane_critical_segment *segments; /* in order of time, without gaps */
	size_t n_segments;
	/* Time by kind. A stage that lies wholly on the path adds its length as reported
	 * (latency_stages_of). ON_AND_OFF adds to the upper bounds of RUNNING and PREEMPTED. */
	struct lane_span kinds[LANE_CRITICAL_KIND_COUNT];
};

struct lane_critical;

/* Prepares to keep what lies in [from_ns, to_ns], up to so many things of a kind. info: which
 * events the trace has, copied. The caller owns *critical. */
struct lane_error *latency_critical_create(const struct lane_trace_info *info, uint64_t from_ns,
					   uint64_t to_ns, size_t most,
					   struct lane_critical **critical) LANE_MUST_CHECK;

/* The hooks that keep what lies in the interval. */
struct lane_hooks latency_critical_hooks(struct lane_critical *critical);

/*
 * Finds the path that ends at `end` at to_ns, back to from_ns. To be called after timeline_finish;
 * may be called again. from_ns and to_ns lie in the interval of latency_critical_create. The
 * segments add up to the interval, to the nanosecond. The caller frees *path with
 * latency_critical_path_free. Fails without memory, if the interval holds too many events, or if
 * `end` is not in the interval.
 */
struct lane_error *latency_critical_solve(struct lane_critical *critical,
					  const struct lane_timeline *timeline, uint64_t from_ns,
					  uint64_t to_ns, const struct lane_critical_end *end,
					  struct lane_critical_path *path) LANE_MUST_CHECK;

/*
 * The path of a picture that was shown, from its refresh back to the last one before it was asked
 * for; where that is long ago, to the asking. That time lies in the interval of
 * latency_critical_create. A part of which nothing is recorded is one piece. Otherwise as
 * latency_critical_solve; *flip outlives the path.
 */
struct lane_error *latency_critical_flip(struct lane_critical *critical,
					 const struct lane_timeline *timeline,
					 const struct lane_flip *flip,
					 struct lane_critical_path *path) LANE_MUST_CHECK;
uint64_t latency_critical_flip_from(const struct lane_flip *flip);

/* Frees the segments. Safe on a zeroed path. */
void latency_critical_path_free(struct lane_critical_path *path);

/* NULL is allowed. */
void latency_critical_destroy(struct lane_critical *critical);

#endif
