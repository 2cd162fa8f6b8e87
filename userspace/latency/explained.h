/* SPDX-License-Identifier: MIT */
/* What is told of a request that is explained: times, with the events and rules that show them. */
#ifndef LANE_LATENCY_EXPLAINED_H
#define LANE_LATENCY_EXPLAINED_H

#include "base/table.h"
#include "latency/ahead.h"
#include "latency/stages.h"

/* An event of the recording. */
struct lane_explain_event {
	uint64_t at_ns, ctx;
	uint32_t seqno;
	int32_t cpu;
	uint16_t kind;
	bool by_request; /* it names the request ctx:seqno */
};

/* What shows a bound: an event, and a rule. */
struct lane_evidence {
	enum lane_rule rule; /* NONE: no single event shows it */
	struct lane_explain_event of;
};

enum lane_moment_what {
	LANE_MOMENT_QUEUED,
	LANE_MOMENT_ADDED,
	LANE_MOMENT_SUBMITTED,
	LANE_MOMENT_EXECUTED,
	LANE_MOMENT_STARTED,
	LANE_MOMENT_PREEMPTED,
	LANE_MOMENT_RESUMED,
	LANE_MOMENT_COMPLETE,
	LANE_MOMENT_SIGNALLED,
	LANE_MOMENT_RETIRED,
	LANE_MOMENT_COUNT
};

extern const char *const lane_moment_names[LANE_MOMENT_COUNT];

/* A time in a request's life. */
struct lane_moment {
	enum lane_moment_what what;
	struct lane_span at;
	struct lane_evidence lo, hi; /* not before, not after; where both are one, hi is it */
	/* PREEMPTED */
	bool has_culprit;
	uint64_t culprit_ctx;
	uint32_t culprit_seqno;
	uint64_t unless_ns; /* of a preemption: as lane_preemption's */
	enum lane_preemption_why why;
	struct lane_span lasted;
};

/* Whose requests had the engine while it was queued. */
struct lane_behind {
	uint64_t ctx;
	const struct lane_client *client; /* NULL: the context's */
	char process[32];
	struct lane_span host, device; /* in host_queue, in device_queue */
};

#define LANE_EXPLAIN_MOMENTS 256
#define LANE_EXPLAIN_BEHIND  16
#define LANE_EXPLAIN_LOSSES  8
#define LANE_EXPLAIN_TOLD    8

/* What a driver told of the request itself, or of its engine while it was there. */
struct lane_told {
	uint8_t cause;		/* enum lane_fault_cause */
	bool is_own;		/* of this request */
	bool has_job;		/* of the job ctx:seqno */
	uint32_t kind;		/* of the event */
	uint32_t engine, seqno; /* engine: its id, UINT32_MAX: not known */
	uint64_t ctx, at_ns, until_ns;
};

struct lane_explained {
	struct lane_request request; /* its pointers are to the copies below, or NULL */
	struct lane_context context;
	struct lane_client client;
	struct lane_engine engine;
	struct lane_context behind, after;
	char comm[16]; /* of the thread that submitted it, "" when not known */
	struct lane_stages stages;
	struct lane_moment *moments; /* in the order of its life */
	uint32_t n_moments, cap_moments;
	uint32_t left_out; /* moments beyond these */
	struct lane_behind stood_behind[LANE_EXPLAIN_BEHIND];
	uint32_t n_stood_behind;
	struct lane_span others_behind; /* of contexts beyond these, both queues */
	/* In host_queue, in device_queue: so long it is not known who had the engine, nor that it
	 * was idle. */
	uint64_t unknown_host_ns, unknown_device_ns;
	struct lane_loss losses[LANE_EXPLAIN_LOSSES]; /* that overlap its life */
	uint32_t n_losses, more_losses;
	struct lane_told told[LANE_EXPLAIN_TOLD];
	uint32_t n_told, more_told;
	uint64_t from_ns, to_ns; /* of its life, as far as it is known */
};

struct lane_explain {
	struct lane_table names; /* (ctx, seqno) of the requests to explain */
	struct lane_trace_info info;
	struct lane_explained *of; /* in the order in which they were told */
	size_t n, cap;
	bool no_memory;
	struct lane_ahead ahead;	    /* who had the engines */
	struct lane_preemption_note *notes; /* runs and preemptions of open ones, in order */
	size_t n_notes, cap_notes;
	struct lane_told *told; /* what drivers told, in order */
	size_t n_told, cap_told;
	struct lane_table open; /* (ctx, seqno) of those that are there, and not told yet */
	bool may_be_open;	/* a driver's own event, which names no fence, told of a job */
	/* The last events while one was or may have been there; `number` is that of the last one.
	 */
	struct lane_explain_event *events;
	size_t n_events, cap_events;
	uint64_t number;
};

#endif
