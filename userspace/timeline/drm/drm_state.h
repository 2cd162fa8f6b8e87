/* SPDX-License-Identifier: MIT */
/* What is kept of drm_sched's rings and jobs, beside what all engines and requests have. */
#ifndef LANE_TIMELINE_DRM_STATE_H
#define LANE_TIMELINE_DRM_STATE_H

#include "base/drivers.h"
#include "timeline/losses.h"
#include "timeline/state.h"

/* When, and on which CPU. */
struct lane_job_time {
	uint64_t ns;
	int cpu;
};

struct lane_drm_ring {
	char raw_name[LANE_RING_BYTES];
	char name[LANE_RING_BYTES + 1], device[33], driver[17];
	uint8_t discipline; /* enum lane_discipline */
	uint32_t n;	    /* jobs in the ring's list */
	uint32_t most;	    /* jobs that its scheduler has counted at a time */
	bool is_full;	    /* so many may be on it: */
	uint64_t place_ns;  /* that was so until then, last */
	uint64_t left_ns;   /* a job left it then, last */
	uint8_t each;	    /* the same, of each of the rings of this name if there are several */
	bool is_two;	    /* several schedulers have this name, of one device or of two */
	bool is_gone;	    /* the last job left without a known end, while others were on the
			     * ring */
	struct lane_rq *first, *last; /* jobs that were given to it and have not ended, in order */
	struct lane_job_time run;     /* the last job was given then; ns 0: none was */
	struct lane_bounds free;      /* the job that ran last ended then */
	struct lane_ctx *free_by;     /* that job's entity; NULL: it is not known how it ended */
	uint64_t fence_ctx;	      /* context of the fences that it signals; 0: not known */
	uint64_t made_ctx;	      /* context of the last fence that it was seen to make; 0:
				       * none */
	uint64_t guess_ctx;	      /* a context that may be it, seen `guesses` times */
	uint32_t guesses;
	uint64_t last_seqno;	       /* number of the newest of its fences that was signalled */
	struct lane_job_time signal;   /* a fence of it was signalled then, last; ns 0: none was */
	int32_t signal_tid;	       /* in this thread */
	struct lane_given_up given_up; /* the last time */
	uint64_t emit_ns;	       /* a program's own queue: it got its last job then */
	/* Whose burst it was given last, if that is over for the scheduler as it is handed over,
	 * and on which device; NULL: none was. */
	struct lane_client *burst_client;
	struct lane_job_time burst;
	char burst_dev[32];
};

#define LANE_JOB_DEPS 16

struct lane_dep {
	uint64_t context, seqno; /* of the fence */
	const struct lane_engine
		*engine; /* the ring of the job whose fence it is; NULL: of none that is known */
	bool is_unsure;	 /* `engine` may be another one */
	bool is_awaited; /* the job waits for this very fence */
};

struct lane_job {
	struct lane_rq *before, *behind; /* its neighbours on the ring */
	bool is_given;			 /* it is in the ring's list */
	bool is_linked;	    /* it is known which job was given to the ring before it, or that none
			     * was */
	bool is_scheduled;  /* run_job() is over */
	uint8_t told_fault; /* what its driver has told of it by an event, enum lane_fault_cause */
	bool is_in_reset; /* the GPU was reset while it had this job alone, which is told with it */
	uint64_t scheduled_ns;	/* it was over then; 0: not known */
	bool follows;		/* it began as the job before it ended */
	bool is_behind_unknown; /* it is not known how the job before it ended: perhaps by a
				 * reset */
	bool is_behind_gone;	/* the job before it left the ring without a known end */
	bool has_more_deps;
	bool is_own_queue; /* of a queue that its program fills: amdgpu_userq_* tell what it waits
			    * for */
	uint32_t n_deps;
	struct lane_dep deps[LANE_JOB_DEPS];
	int add_cpu, run_cpu;	       /* the CPUs on which it was queued, and given to the ring */
	int32_t run_tid;	       /* the thread that gave it to the ring; -1: none */
	uint64_t hw_context, hw_seqno; /* the ring's fence of it; 0: not known */
	bool is_same_work;	       /* the fence was signalled by the same work as another one of
					* the ring */
	bool is_late;		       /* a newer fence of the ring was signalled before it */
	struct lane_bound later;       /* a later job of its entity was over then; ns 0: not yet */
	struct lane_bound hw;	       /* the ring's fence was signalled then; ns 0: not yet */
	/* R40. By an interrupt's thread, which was woken then; ns 0: it was not. is_irq_sure: that
	 * interrupt was the job's. */
	struct lane_bound irq_thread;
	bool is_irq_sure;
	struct lane_actor_wait actors[LANE_ACTORS];
	struct lane_head heads[LANE_HEADS];
	/* What its driver tells of it (drm_driver.c): */
	uint64_t own_key, own_seqno; /* its number in the driver's own events; 0: none */
	struct lane_rq **held;	  /* it is kept there until its driver tells its times; or NULL */
	struct lane_bound irq;	  /* the interrupt for its end came then; ns 0: not seen */
	uint64_t ticks, ticks_ns; /* the GPU's clock, and when it had been read; 0: it was not */
	bool ticks_void;	  /* the job was started again since */
};

/* A fence that has been signalled. */
struct lane_fence_signal {
	uint64_t context, seqno, at_ns, event;
	bool is_sound; /* it is of a job that was run, and an interrupt of the idle task signalled
			* it: the job was not cancelled */
};

#define LANE_DRM_DEVICES   256
#define LANE_FENCE_SIGNALS 16384
#define LANE_JOBS_HELD	   64 /* most jobs that are kept until their drivers tell their times */

struct lane_drm_jobs {
	struct lane_table jobs;	   /* by thread: the job that it gave to its ring last */
	struct lane_table rings;   /* by the context of their fences */
	struct lane_table hw;	   /* by the ring's fence: its job */
	struct lane_table signals; /* by fence: struct lane_fence_signal */
	struct lane_table makers;  /* by context: who made its fences (drm_dependency.c) */
	struct lane_table told;	   /* by number in its driver's own events: its job */
	struct lane_rq *held[LANE_JOBS_HELD];
	uint64_t next_held; /* number of the next that is kept: it takes the oldest one's place */
	uint64_t v3d_reset_ns, amd_reset_ns, msm_preempt_ns;
	/* At msm_since_ticks of msm's clock it was msm_since_ns or later; 0: not known. */
	uint64_t msm_since_ticks, msm_since_ns;
	uint32_t v3d_reset_dev;
	uint32_t n_makers;
	struct lane_pool job_pool, ring_pool;
	struct lane_userq *userq; /* amdgpu's queues that programs fill; NULL: there are none */
	struct lane_event key;	  /* of the request that is looked for */
	struct lane_rq *fresh;	  /* the job that was queued last, while it waits for nobody */
	struct lane_two_rings two;
	uint64_t unsure_ns; /* a dependency was told then, last, of one of several jobs */
	int cpu;	    /* of the event that is being read */
	bool is_stood_for;  /* a driver's event has stood for one of drm_sched's */
	bool has_clients;   /* the kernel tells the client of a job: from Linux 6.17 on */
	char devices[LANE_DRM_DEVICES][32];
	uint32_t n_devices;
	uint64_t next_signal;  /* number of the next signal that is kept: it takes the oldest one's
				* place */
	uint64_t forgotten_ns; /* time of the last signal that was dropped for that */
	struct lane_fence_signal signal[LANE_FENCE_SIGNALS];
};

/* Events were lost in (begin_ns, end_ns). */
static inline bool timeline_jobs_are_lossy(const struct lane_timeline *tl, uint64_t begin_ns,
					   uint64_t end_ns)
{
	return tl->n_losses && timeline_loss_between(tl, begin_ns, end_ns);
}

/* Events were lost from the event `begin` to the one that is being read, or to the recording's end,
 * before which a loss may be the last that is told. A loss of another CPU that begins or ends at
 * the time of either counts, too. */
static inline bool timeline_jobs_are_lossy_since(const struct lane_timeline *tl,
						 struct lane_job_time begin)
{
	uint64_t until_ns = tl->is_finishing ? tl->figures.end_ns : tl->now.ns;

	return tl->n_losses && (timeline_loss_between(tl, begin.ns, until_ns) ||
				timeline_loss_ends_beside(tl, begin.ns, begin.cpu) ||
				timeline_loss_begins_beside(tl, tl->now.ns, tl->jobs->cpu));
}

/* Events were lost since the job was given to its ring. */
static inline bool timeline_job_is_lossy(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	return timeline_jobs_are_lossy_since(
		tl, (struct lane_job_time){ rq->pub.execute_ns, rq->job->run_cpu });
}

/* R30. The job was given to its ring then. */
static inline struct lane_bound timeline_job_given(const struct lane_rq *rq)
{
	return timeline_bound(rq->pub.execute_ns, LANE_RULE_GIVEN, rq->pub.by.execute);
}

/* Signals are recorded, and which fence is rq's is known. */
static inline bool timeline_job_sees_signal(const struct lane_timeline *tl,
					    const struct lane_rq *rq)
{
	return timeline_sees(tl, LANE_FENCE_SIGNALED) && rq->pub.context->ctx < LANE_OWN_CONTEXT;
}

/* The ring of the job; NULL: none. */
static inline struct lane_drm_ring *timeline_job_ring(const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return eng ? eng->ring : NULL;
}

#endif
