/* SPDX-License-Identifier: MIT */
/* What is kept of drm_sched's rings and jobs, beside what all engines and requests have. */
#ifndef LANE_TIMELINE_DRM_STATE_H
#define LANE_TIMELINE_DRM_STATE_H

#include "timeline/losses.h"
#include "timeline/state.h"

/* What a ring does with the jobs that it was given. */
enum lane_discipline {
	LANE_RING_UNKNOWN,  /* nobody knows: it may run several at a time */
	LANE_RING_SERIAL,   /* one at a time, in order */
	LANE_RING_FIRMWARE, /* in order, when a firmware or another ring lets it */
};

/* When, and on which CPU. */
struct lane_job_time {
	uint64_t ns;
	int cpu;
};

struct lane_drm_ring {
	char raw_name[LANE_RING_BYTES];
	char name[LANE_RING_BYTES + 1], device[33], driver[17];
	uint8_t discipline; /* enum lane_discipline */
	bool is_two;	    /* two devices have one of this name */
	bool is_gone;	    /* what was given last has left without a known end, others are there */
	struct lane_rq *first, *last; /* given to it and not over, in that order */
	struct lane_job_time run;     /* the last one was given then, 0: none was */
	struct lane_span free;	      /* what ran last was over */
	struct lane_ctx *free_by;     /* whose that was, NULL: not known */
	uint64_t fence_ctx;	      /* of the fences that it signals, 0: not known */
	uint64_t made_ctx;	      /* of the last one that was seen to be made, 0: none was */
	uint64_t guess_ctx;	      /* perhaps this, seen so many times */
	uint32_t guesses;
	uint64_t last_seqno; /* the newest of them that was signalled */
	uint64_t signal_ns;  /* the last of them was signalled then, */
	int32_t signal_cpu;  /* on this CPU */
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
	uint64_t scheduled_ns;	/* since then */
	bool follows;		/* it began as the one before it was over */
	bool is_behind_unknown; /* how that one ended is not known: it may have been a reset */
	bool is_behind_gone;	/* what was before it on the ring left without a known end */
	bool has_more_deps;
	uint32_t n_deps;
	struct lane_dep deps[LANE_JOB_DEPS];
	int add_cpu, run_cpu;	       /* where it was queued, and given to the ring */
	int32_t run_tid;	       /* who gave it to the ring */
	uint64_t hw_context, hw_seqno; /* the ring's fence, 0: not known */
	bool is_breath;		       /* together with another one of the ring */
	bool is_late;		       /* a newer one of the ring had been signalled before */
	uint64_t hw_ns;		       /* it was signalled then, 0: not yet */
	/* What its driver tells of it (drm_driver.c): */
	uint64_t own_key, own_seqno; /* the ring's own number of it; 0: none */
	uint64_t irq_ns;	     /* the interrupt for its end, 0: not seen */
	uint64_t ticks, ticks_ns;    /* the GPU's clock was read by then; 0: it was not */
	bool ticks_void;	     /* it was started again since */
};

/* A fence that has been signalled. */
struct lane_fence_signal {
	uint64_t context, seqno, at_ns;
	bool is_sound; /* an interrupt of the idle task told so, of a job that was run: it was not
			 cancelled */
};

#define LANE_DRM_DEVICES   256
#define LANE_FENCE_SIGNALS 16384

struct lane_drm_jobs {
	struct lane_table jobs;	   /* by thread: the job that it has given to its ring last */
	struct lane_table rings;   /* by the context of their fences */
	struct lane_table hw;	   /* by fence: the job that it is the ring's fence of */
	struct lane_table signals; /* by fence: struct lane_fence_signal */
	struct lane_table makers;  /* by context: lane_scheduler_made or lane_others_made */
	uint32_t n_makers;
	struct lane_pool job_pool, ring_pool;
	struct lane_event key; /* of the request that is looked for */
	struct lane_two_rings two;
	int cpu;	  /* of the event that is read */
	bool has_clients; /* the kernel tells whose jobs are: from Linux 6.17 on */
	char devices[LANE_DRM_DEVICES][32];
	uint32_t n_devices;
	uint64_t next_signal;  /* the oldest makes room */
	uint64_t forgotten_ns; /* the last one that did */
	struct lane_fence_signal signal[LANE_FENCE_SIGNALS];
};

static inline bool timeline_jobs_are_lossy(const struct lane_timeline *tl, uint64_t begin_ns,
					   uint64_t end_ns)
{
	return tl->n_losses && timeline_loss_between(tl, begin_ns, end_ns);
}

/* From one event to the one that is read. Of their own times others may have been lost, on other
 * CPUs. */
static inline bool timeline_jobs_are_lossy_since(const struct lane_timeline *tl,
						 struct lane_job_time begin)
{
	return tl->n_losses && (timeline_loss_between(tl, begin.ns, tl->now_ns) ||
				timeline_loss_ends_beside(tl, begin.ns, begin.cpu) ||
				timeline_loss_begins_beside(tl, tl->now_ns, tl->jobs->cpu));
}

/* Since the job was given to its ring. */
static inline bool timeline_job_is_lossy(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	return timeline_jobs_are_lossy_since(
		tl, (struct lane_job_time){ rq->pub.execute_ns, rq->job->run_cpu });
}

/* The ring that the job is of, NULL: none. */
static inline struct lane_drm_ring *timeline_job_ring(const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return eng ? eng->ring : NULL;
}

#endif
