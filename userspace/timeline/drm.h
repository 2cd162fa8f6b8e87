/* SPDX-License-Identifier: MIT */
/* What is kept of drm_sched's rings and jobs, beside what all engines and requests have. */
#ifndef LANE_TIMELINE_DRM_H
#define LANE_TIMELINE_DRM_H

#include "timeline/state.h"

/* What a ring does with the jobs that it was given. */
enum lane_discipline {
	LANE_RING_UNKNOWN,  /* nobody knows: it may run several at a time */
	LANE_RING_SERIAL,   /* one at a time, in order */
	LANE_RING_FIRMWARE, /* in order, when a firmware or another ring lets it */
};

struct lane_ring {
	char raw_name[32];
	char name[33], device[33], driver[17];
	uint8_t discipline;	      /* enum lane_discipline */
	struct lane_rq *first, *last; /* given to it and not over, in that order */
	uint64_t run_ns;	      /* the last one was given then, 0: none was */
	struct lane_span free;	      /* what ran last was over */
	struct lane_ctx *free_by;     /* whose that was, NULL: not known */
	uint64_t fence_ctx;	      /* of the fences that it signals, 0: not known */
	uint64_t made_ctx;	      /* of the last one that was seen to be made, 0: none was */
	uint64_t guess_ctx;	      /* perhaps this, seen so many times */
	uint32_t guesses;
	uint64_t signal_ns; /* the last of them was signalled then, */
	int32_t signal_cpu; /* on this CPU */
};

#define LANE_JOB_DEPS 16

struct lane_dep {
	uint64_t context, seqno; /* of the fence */
	const struct lane_engine
		*engine; /* that runs the job whose fence it is, NULL: it is none */
	bool is_vague;	 /* or another one */
	bool is_awaited; /* this fence is waited for, and no other in its place */
};

struct lane_job {
	struct lane_rq *before, *behind; /* on the ring */
	bool is_given;			 /* it is in the ring's list */
	bool is_linked;	   /* what was given to the ring before it is known, or nothing is there */
	bool is_scheduled; /* run_job() is over, */
	uint64_t scheduled_ns; /* since then */
	bool follows;	       /* it began as the one before it was over */
	bool has_more_deps;
	uint32_t n_deps;
	struct lane_dep deps[LANE_JOB_DEPS];
	int32_t run_tid, run_cpu;      /* who gave it to the ring */
	uint64_t hw_context, hw_seqno; /* the ring's fence, 0: not known */
	bool is_breath;		       /* together with another one of the ring */
	uint64_t hw_ns;		       /* it was signalled then, 0: not yet */
};

void lane_job_event(struct lane_timeline *tl, const struct lane_event *event);
/* True when a fence's event is of drm_sched's jobs, and of nobody else. */
bool lane_job_fence_event(struct lane_timeline *tl, const struct lane_event *event);
/* Events were lost, until then: what the ring was given is not known. */
void lane_ring_doubt(struct lane_eng *eng, uint64_t until_ns);
/* Tells the job's story, and forgets the job. */
void lane_job_done(struct lane_timeline *tl, struct lane_rq *rq);
void lane_jobs_free(struct lane_timeline *tl);

#endif
