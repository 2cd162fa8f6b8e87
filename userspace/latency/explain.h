/* SPDX-License-Identifier: MIT */
/*
 * One request's life with its evidence: for each bound of each time the event that shows it and the
 * rule of docs/analysis.md by which it does; for what is unknown, why; and whom it stood behind.
 *
 * A recording is read twice. The first reading tells the request's times (latency_explain_hooks());
 * then latency_explain_search() says what to look for, and the second reading finds it
 * (latency_explain_event(), latency_explain_run()).
 */
#ifndef LANE_LATENCY_EXPLAIN_H
#define LANE_LATENCY_EXPLAIN_H

#include "base/table.h"
#include "latency/stages.h"

enum lane_rule {
	LANE_RULE_NONE,
#define RULE(number, name, sentence) LANE_RULE_##name = number,
#include "latency/rules.def"
#undef RULE
	LANE_RULE_COUNT
};

/* The rule's sentence, "" for LANE_RULE_NONE. */
extern const char *const lane_rule_sentences[LANE_RULE_COUNT];

/* What shows a bound: an event, and a rule. */
struct lane_evidence {
	enum lane_rule rule; /* NONE: no event of that time was found */
	uint32_t kind;	     /* of the event */
	int32_t cpu;
	uint64_t at_ns;
	bool by_request; /* it names a request: */
	uint64_t ctx;
	uint32_t seqno;
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
	enum lane_preemption_why why;
	struct lane_span lasted;
};

/* Whose requests had the engine while it was queued. */
struct lane_behind {
	uint64_t ctx;
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
	struct lane_span others_behind;		      /* of contexts beyond these, both queues */
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
	struct lane_preemption_note *notes; /* runs and preemptions of open ones, in order */
	size_t n_notes, cap_notes;
	struct lane_told *told; /* what drivers told, in order */
	size_t n_told, cap_told;
	struct lane_wanted *wanted; /* bounds that evidence is looked for, by time */
	size_t n_wanted;
	struct lane_explain_cpu {
		uint64_t at_ns, before_ns;
	} * cpus;
	uint32_t n_cpus;
};

/* Request ctx:seqno of every device is to be explained, too; before the first reading. explain is
 * zeroed before the first call. */
struct lane_error *latency_explain_add(struct lane_explain *explain, uint64_t ctx,
				       uint32_t seqno) LANE_MUST_CHECK;

/* First reading: begins (again); what an earlier one told is void. */
void latency_explain_begin(struct lane_explain *explain, const struct lane_trace_info *info);

/* First reading: the subscriber. */
struct lane_hooks latency_explain_hooks(struct lane_explain *explain);

/* Between the readings; timeline: that of the first, which is over. */
struct lane_error *latency_explain_search(struct lane_explain *explain,
					  const struct lane_timeline *timeline) LANE_MUST_CHECK;

/* Second reading: begins (again); what was found before is void. */
void latency_explain_begin_search(struct lane_explain *explain);

/* Second reading: an event, in order of time. */
struct lane_error *latency_explain_event(struct lane_explain *explain,
					 const struct lane_event *event) LANE_MUST_CHECK;

/* Second reading: the hook `run`; arg is the explain. */
void latency_explain_run(void *explain, const struct lane_run *run);

/* Why stages of the request up to its signal are not known, a part of a sentence; "" when they
 * are. */
const char *latency_explain_unknown(const struct lane_explain *explain,
				    const struct lane_explained *of, char *buffer, size_t size);

/* The same of its stages behind that. */
const char *latency_explain_unknown_after(const struct lane_explain *explain,
					  const struct lane_explained *of);

/* The explained request ctx:seqno, the first from the i-th on; NULL: none. */
const struct lane_explained *latency_explain_find(const struct lane_explain *explain, uint64_t ctx,
						  uint32_t seqno, size_t *i);

/* Frees what it holds. */
void latency_explain_deinit(struct lane_explain *explain);

#endif
