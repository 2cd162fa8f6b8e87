/* SPDX-License-Identifier: MIT */
/*
 * What a report answers: who was late, by how much of what, and whose doing it was. An answer is
 * data; its English is made by show/sentence.c from the table causes.def.
 */
#ifndef LANE_VERDICT_VERDICT_H
#define LANE_VERDICT_VERDICT_H

#include "latency/latency.h"

/* What kind of an answer a cause is. */
enum lane_cause_kind {
	LANE_CAUSE_FAULT,   /* something failed */
	LANE_CAUSE_LATE,    /* something waited, or took longer */
	LANE_CAUSE_UNKNOWN, /* something is not known */
	LANE_CAUSE_NOTE,    /* neither good nor bad: what is in the recording */
	LANE_CAUSE_FINE,    /* this is as it should be */
};

enum lane_cause {
#define CAUSE(id, name, kind, sentence, advice) LANE_CAUSE_IS_##id,
#include "verdict/causes.def"
#undef CAUSE
	LANE_CAUSE_COUNT,
	LANE_CAUSE_IS_NONE = LANE_CAUSE_COUNT,
};

struct lane_cause_info {
	const char *name;
	enum lane_cause_kind kind;
	/* With words in braces, which show/sentence.c replaces. advice: NULL, nothing is known to
	 * help. */
	const char *sentence, *advice;
};

extern const struct lane_cause_info lane_causes[LANE_CAUSE_COUNT];

/* Who was held up, or held up others. */
enum lane_party_kind {
	LANE_PARTY_NONE,    /* nobody that is known */
	LANE_PARTY_CLIENT,  /* of the GPU; client NULL: not known */
	LANE_PARTY_CONTEXT, /* who submits to it; one of several, if client says which */
	LANE_PARTY_PROCESS, /* id: its number */
	LANE_PARTY_TASK,    /* a thread: id, and name if it is known */
	LANE_PARTY_THREADS, /* of a name, which are gone: thread */
	LANE_PARTY_ENGINE,
	LANE_PARTY_COMMAND, /* id: as in struct lane_behind_sum */
};

struct lane_party {
	enum lane_party_kind kind;
	int32_t id;
	const char *name; /* of a task: 16 bytes */
	const struct lane_client *client;
	const struct lane_context *context;
	const struct lane_engine *engine;
	const struct lane_cpu_thread *thread;
};

/* How sure it is for how long it was their doing. */
enum lane_answer_by {
	LANE_BY_SOME, /* they had a part of it, others may have had more */
	LANE_BY_ONE,  /* it was nobody else's, but how long each time is not sure */
	LANE_BY_MOST, /* they had more than half */
};

#define LANE_ANSWER_KINDS    64
#define LANE_ANSWER_EVIDENCE 4

struct lane_answer {
	enum lane_cause cause;
	enum lane_cause advice; /* whose advice fits; LANE_CAUSE_IS_NONE: none does */
	int32_t pid;		/* whose time it cost; -1: nobody's that is known */
	uint64_t cost_ns; /* so much of the recording's time, certainly; 0: that is not known */
	uint8_t part;	  /* of the order (rank.c) */
	bool is_named_first;
	bool is_aside;	       /* a fault of another program than is asked about, and of it alone */
	bool is_of_launches;   /* of commands: it says why the program did not launch */
	bool is_seen;	       /* on a screen: it comes before what takes more time */
	struct lane_party who; /* was held up */
	struct lane_party by;  /* whose doing it was */
	bool is_by_several;    /* and others of that name */
	bool is_of_api;	       /* of failed calls: of OpenCL or Level Zero, not of the driver */
	bool is_by_many;       /* in turn; `by` for longest */
	enum lane_answer_by how;
	bool is_one_context;	  /* of `by`: one context had more than half */
	struct lane_party thread; /* the thread of `who` that was held up */
	bool is_of_several;	  /* `thread` is one of those */
	int stage;		  /* enum lane_stage; -1: none */
	const char *what; /* what was late: a submission, a kernel; NULL: the cause says it */
	char place[80];	  /* the device, the driver, the idle state; "": none */
	const struct lane_engine *engine;
	struct lane_stack_place where; /* its thread was then, mostly; n 0: not known */
	/* So long, of so long; of n things together, of_n of them there were. */
	struct lane_span ns, of;
	uint64_t n, of_n;
	uint64_t times, nearly; /* how often; and as often more, which is nearly certain */
	/* Than `times`, perhaps: how long in all has bounds. Of what is open: than of_n. */
	bool is_more_often;
	uint64_t counted_ns;	/* that engines were busy, by their counters, at most */
	uint64_t longest_ns;	/* 0: not known */
	uint64_t longest_at_ns; /* when that began; 0: not known */
	/* Of the times that a request was preempted, by reason. */
	enum lane_preemption_why why;
	uint64_t why_times[LANE_PREEMPTION_WHY_COUNT];
	/* Events that are missing, or, of drivers' events alone, that are there. */
	uint16_t kinds[LANE_ANSWER_KINDS];
	uint16_t n_kinds;
	const struct lane_counter_sum *holder; /* who had most of the GPU's memory; NULL */
	const struct lane_gap_sum *gap;	       /* of a device between commands; NULL */
	bool has_dump;			       /* of a fault: the driver may have left one */
	uint32_t untold;		       /* of the last fault: so many more have no answer */
	struct lane_request_key evidence[LANE_ANSWER_EVIDENCE]; /* the requests that show it best */
	uint8_t n_evidence;
	/* The figures that it was found in. Which one it is follows from the cause. */
	union {
		const struct lane_client_stats *client;
		const struct lane_idle_sum *idle;
		const struct lane_cl_device_stats *device;
		const struct lane_cl_program *program;
		const struct lane_launches *launches;
		const struct lane_kernel_stats *kernel;
		const struct lane_behind_sum *behind;
		const struct lane_fault_sum *fault;
		const struct lane_open *open;
		const struct lane_open_call *open_call;
		const struct lane_longest *longest;
		const struct lane_late *late;
		const struct lane_slow *slow;
		const struct lane_steady *steady;
		const struct lane_miss_sum *miss;
		const struct lane_late_frames *frames;
		const struct lane_stall_sum *stall;
		const struct lane_cl_failure *failure;
		const struct lane_cpu_process *process;
		const struct lane_cpu_thread *thread;
	} in;
};

#define LANE_ANSWERS 96

struct lane_answers {
	const struct lane_latency *latency;
	struct lane_answer all[LANE_ANSWERS + 1]; /* the last one is room for what is left out */
	uint32_t n;
	uint32_t most; /* so many are kept */
};

/* The answers to a report, the first one first, so many at most. latency is finished. */
void verdict_find(const struct lane_latency *latency, unsigned int most,
		  struct lane_answers *answers);

/* Why the one request was late that is selected: what took most of its time, and whose doing that
 * was. No answers: it is not one request, or nothing but running took a part of it. Where a picture
 * is selected: why it missed refreshes. */
void verdict_find_of_request(const struct lane_latency *latency, struct lane_answers *answers);

#endif
