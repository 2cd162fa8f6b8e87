/* SPDX-License-Identifier: MIT */
/* What of requests', submissions' and commands' time memory and the waking of devices and CPUs
 * took, and whether that is why some were late. */
#ifndef LANE_LATENCY_MEMORY_H
#define LANE_LATENCY_MEMORY_H

#include "base/table.h"
#include "timeline/timeline.h"

/* What a stall lengthened. */
enum lane_lengthened {
	LANE_LENGTHENED_HOST,	    /* the thread's time from its last submission to this one */
	LANE_LENGTHENED_PREPARE,    /* the stage */
	LANE_LENGTHENED_DEPENDENCY, /* the stage: it waited for the job that copies */
	LANE_LENGTHENED_DEVICE,	    /* the stage: the device was woken for it */
	LANE_LENGTHENED_COMMAND,    /* a command on the GPU */
	LANE_LENGTHENED_WAITED,	    /* a command's wait for the GPU */
	LANE_LENGTHENED_CALL,	    /* a command's call */
	LANE_LENGTHENED_START,	    /* a command's time from its call to its start */
	LANE_LENGTHENED_WAKE,	    /* the stage, of a thread that waited; host has it, too */
	LANE_LENGTHENED_KINDS
};

extern const char *const lane_lengthened_names[LANE_LENGTHENED_KINDS];

/* All stalls of a cause in one process; of moves: from one place to another; of resumes: of a
 * device; of sleeps: in an idle state. */
struct lane_stall_sum {
	uint8_t cause;
	int32_t pid; /* whom it holds up; of moves: who moves; -1: not known */
	char comm[16];
	char from[32], to[16];
	uint64_t count, unsure; /* unsure: of these, no length is told */
	uint64_t ns, max_ns, bytes, first_ns;
	/* There was one of them or more for so long, at least, up to then. */
	uint64_t any_ns, any_until_ns;
	/* Those with an error, and how long there was one of them, likewise; of what was refused:
	 * or no submission of the process worked from one to the next. */
	uint64_t failed, failed_ns, failed_until_ns, failed_from_ns;
	bool may_have_worked;	 /* it is not known whether others worked meanwhile */
	int32_t error;		 /* the last one; 0: none */
	bool has_other_errors;	 /* before it there was another one */
	uint64_t leave_ns;	 /* sleep: as in struct lane_stall */
	uint32_t khz_lo, khz_hi; /* sleep: what the CPUs were set to then, 0: not known */
	struct lane_lengthened_sum {
		uint64_t n, ns; /* so many were lengthened, by so much in all */
	} tied[LANE_LENGTHENED_KINDS];
	/* Of `host` that of one process where none of its own requests was under way. */
	struct lane_lengthened_sum alone;
	const struct lane_client *client; /* NULL: alone is 0 */
};

/* What is late: measured against what is typical of the process. */
enum lane_late_what {
	LANE_LATE_REQUEST, /* from its first time to its signal */
	LANE_LATE_SUBMIT,  /* from the thread's last submission to this one */
	LANE_LATE_COMMAND, /* from its start to its end */
	LANE_LATE_WAITED,  /* a command from its hand-over to its start, at least */
	LANE_LATE_CALL,	   /* the call that made the command */
	LANE_LATE_START,   /* a command, from its call to its start */
	LANE_LATE_LAUNCH,  /* its call, from the end of all commands before */
	LANE_LATE_HELD,	   /* a submission, in most: nothing is typical (typical_ns 0), late_ns is
			    * how long no work hid the cause */
	LANE_LATES
};

extern const char *const lane_late_names[LANE_LATES];

/* Why some of a process's were late: one cause has more than half of what they took longer. */
struct lane_late {
	const struct lane_client *client;
	uint8_t what; /* enum lane_late_what */
	uint8_t cause;
	uint64_t n, n_late;	    /* all; those that took at least twice what is typical */
	uint64_t typical_ns;	    /* the median, as the mean of those that are like it */
	uint64_t late_ns;	    /* all late ones together */
	uint64_t explained_ns;	    /* of what they took longer, at least so much is the cause's */
	struct lane_stall_sum most; /* the sum of which one had most in one of them */
};

struct lane_memory_client; /* a process's measures */

#define LANE_STALL_NOTES 4096 /* the last stalls: longer ago, none is tied to anything */
#define LANE_SUBMITTERS	 1024
#define LANE_WAYS	 8

/* A stall that requests to come may have been in. */
struct lane_stall_note {
	uint8_t cause;
	bool is_only_space;
	int32_t tid, client_pid; /* client_pid: whose address space, -1: not known */
	uint64_t begin_ns, end_ns;
	uint64_t told_ns; /* never goes back */
	uint64_t ctx, seqno;
	uint32_t sum;
	/* The job of ctx and seqno waited itself until then, at the latest: for a preempt fence of
	 * this sum, or it is not known for what. */
	uint64_t held_until_ns;
	uint32_t held_sum;
	bool is_held_by_preempt;
};

struct lane_memory {
	bool is_recorded; /* some of memory's events may be there */
	struct lane_stall_sum *sums;
	uint32_t n, room;
	struct lane_table by_key, by_job;
	struct lane_stall_note *notes;	     /* a ring; NULL: there has been none */
	uint64_t n_notes;		     /* so far */
	struct lane_memory_client **clients; /* by client id */
	uint32_t n_clients;
	struct lane_pool client_pool, measure_pool, bucket_pool; /* what they hold */
	/* Who submitted last, and when, by thread. */
	struct lane_submitter {
		int32_t tid;
		uint64_t ns;
	} submitters[LANE_SUBMITTERS];
	/* How many requests of a process are under way, and the last times in which some were, by
	 * process. */
	struct lane_under_way {
		int32_t pid;
		uint32_t n;
		uint64_t counted_ns;   /* what was alone counts up to then */
		uint64_t submitted_ns; /* the last of them */
		uint64_t n_ways;       /* so far; the last of them is not over while n */
		struct lane_span ways[LANE_WAYS];
	} under_way[LANE_SUBMITTERS];
	uint64_t nobodys_ns;	 /* the last submission of which it is not known whose it was */
	bool has_i915, has_jobs; /* submissions of i915, and jobs, are recorded */
	struct lane_late *lates; /* set by finish: most explained first */
	uint32_t n_lates, cap_lates;
	const struct lane_client *last_client; /* whose command was told last; NULL: not known */
	bool no_memory;
};

struct lane_stages;
struct lane_latency;

void latency_memory_init(struct lane_memory *memory, const struct lane_trace_info *info);
/* Adds to *ns what of a time lies behind *until_ns, and moves that on. Of times that are told as
 * they end, *ns is how long there was one of them or more, at least. */
/* For so long at least a call was refused, or was the last thing that the process had tried: none
 * of its submissions worked; 0: that is not known. After all events. */
uint64_t latency_memory_none_worked(const struct lane_latency *latency,
				    const struct lane_stall_sum *sum);

void latency_memory_any(uint64_t *ns, uint64_t *until_ns, uint64_t begin_ns, uint64_t end_ns);

void latency_memory_stall(struct lane_latency *latency, const struct lane_stall *stall);
/* rq is submitted. */
void latency_memory_submit(struct lane_latency *latency, const struct lane_request *rq,
			   uint64_t now_ns);
/* rq has ended. */
void latency_memory_ended(struct lane_memory *memory, const struct lane_request *rq,
			  uint64_t now_ns);
/* rq is told, with these stages. */
void latency_memory_request(struct lane_memory *memory, const struct lane_request *rq,
			    const struct lane_stages *stages);
/* A thread's wait for a request is over. */
void latency_memory_wait(struct lane_memory *memory, const struct lane_wait *wait);
void latency_memory_command(struct lane_latency *latency, const struct lane_command *command);
/* From from_ns on none of its process' commands was under way, until its call. */
void latency_memory_launch(struct lane_latency *latency, const struct lane_command *command,
			   uint64_t from_ns);
void latency_memory_finish(struct lane_memory *memory, const struct lane_timeline *timeline,
			   uint64_t whole_ns);
void latency_memory_deinit(struct lane_memory *memory);

#endif
