/* SPDX-License-Identifier: MIT */
/* What is told of a request that is explained: times, with the events and rules that show them. */
#ifndef LANE_LATENCY_EXPLAINED_H
#define LANE_LATENCY_EXPLAINED_H

#include "base/table.h"
#include "latency/ahead.h"
#include "latency/stages.h"

enum lane_rule {
	LANE_RULE_NONE,
#define RULE(number, name, sentence, ...) LANE_RULE_##name = number,
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

/* A run on an engine, and whose it was. */
struct lane_explain_run {
	uint64_t ctx;
	uint32_t dev, seqno;
	struct lane_span begin, end;
};

#define LANE_EXPLAIN_AHEAD 8

/* A run of the request, and the runs next to it. At a GuC these are those of its context. */
struct lane_explain_turn {
	struct lane_explain_run own;
	struct lane_explain_run ahead[LANE_EXPLAIN_AHEAD]; /* before it, the last one first */
	uint32_t n_ahead;
	bool has_after;
	struct lane_explain_run after;
};

/* A time in a request's life. */
struct lane_moment {
	enum lane_moment_what what;
	struct lane_span at;
	uint32_t turn; /* of the run that it is about: so many are up to that; 0: not known */
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
	struct lane_explain_turn *turns; /* its runs, in order */
	uint32_t n_turns, cap_turns;
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
	/* What has been read of it in the second reading: */
	struct lane_explained *same_name; /* the next one, of another device */
	int32_t handed_cpu;		  /* the CPU that handed it over last; -1: none has */
	bool is_back;			  /* it was taken back since */
};

struct lane_explain {
	struct lane_table names; /* (ctx, seqno) of the requests to explain */
	struct lane_trace_info info;
	struct lane_explained *of; /* in the order in which they were told */
	size_t n, cap;
	bool no_memory;
	struct lane_ahead ahead;	 /* who had the engines */
	struct lane_table contexts;	 /* (ctx, 0) of the requests to explain */
	struct lane_explain_line *lines; /* the last runs of each engine, by its number */
	size_t n_lines;
	struct lane_table firmware_lines;   /* of each of those contexts at a GuC, (ctx, dev) */
	struct lane_preemption_note *notes; /* runs and preemptions of open ones, in order */
	size_t n_notes, cap_notes;
	struct lane_told *told; /* what drivers told, in order */
	size_t n_told, cap_told;
	struct lane_table by_name;  /* (ctx, seqno): the first of that name in `of` */
	struct lane_wanted *wanted; /* bounds that evidence is looked for, by time */
	size_t n_wanted;
	struct lane_explain_cpu {
		uint64_t at_ns, before_ns;
	} * cpus;
	uint32_t n_cpus;
};

#endif
