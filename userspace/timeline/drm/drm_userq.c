// SPDX-License-Identifier: MIT
/*
 * amdgpu's queues that programs fill themselves (amdgpu_userq_fence.c of Linux 7.3): no scheduler
 * has their jobs. A program asks which fences its queue is to wait for, and then for a fence of
 * what it has put there; the hardware signals that. What lies between is one job: the kernel has it
 * from the fence's making on, and it waits until the last of those fences, as Mesa begins each job
 * with the wait. It may have begun then, and is over when its fence is signalled, at the latest.
 */
#include "timeline/drm/drm_userq.h"
#include "timeline/drm/drm.h"
#include "timeline/drm/drm_dependency.h"
#include "timeline/drm/drm_job.h"
#include "timeline/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64 /* fences that are asked for; jobs that wait */

struct lane_userq {
	struct lane_p_amdgpu_userq_wait_deps asked[MOST]; /* of queues' next jobs */
	struct lane_p_drm_sched_job_queue waiting[MOST];  /* jobs */
	uint32_t n_asked, n_waiting;
	uint64_t dropped_ns; /* a fence that was asked for was forgotten then, last */
};

static struct lane_userq *userq_get(struct lane_timeline *tl)
{
	if (!tl->jobs->userq)
		tl->jobs->userq = calloc(1, sizeof(*tl->jobs->userq));
	tl->no_memory |= !tl->jobs->userq;
	return tl->jobs->userq;
}

void timeline_userq_waits(struct lane_timeline *tl, const struct lane_event *event,
			  unsigned int what)
{
	struct lane_userq *all = userq_get(tl);

	(void)what;
	if (!all)
		return;
	if (all->n_asked == MOST) { /* the oldest one's queue is gone, or waits for very much */
		all->dropped_ns = event->wire.ts_ns;
		memmove(all->asked, all->asked + 1, --all->n_asked * sizeof(all->asked[0]));
	}
	all->asked[all->n_asked++] = event->u.amdgpu_userq_wait_deps;
}

/* As drm_sched tells of a job. */
static void drm_userq_tell(struct lane_timeline *tl, const struct lane_event *event, uint32_t kind,
			   const struct lane_p_drm_sched_job_queue *job)
{
	struct lane_event of = *event;

	of.wire.kind = kind;
	of.u.drm_sched_job_queue = *job;
	timeline_job_event(tl, &of);
	/* The thread does not start the job: what fences it makes next are none of it. */
	timeline_job_forget_thread(tl, event->wire.tid);
}

/* Tells what the job is to wait for. */
static void depends(struct lane_timeline *tl, const struct lane_event *event,
		    const struct lane_p_drm_sched_job_queue *job)
{
	struct lane_userq *all = tl->jobs->userq;
	uint32_t n = 0;

	for (uint32_t i = 0; i < all->n_asked; i++) {
		struct lane_event of = *event;

		if (all->asked[i].context != job->fence_context) {
			all->asked[n++] = all->asked[i];
			continue;
		}
		of.wire.kind = LANE_DRM_UNSCHEDULABLE; /* it waits for that very fence */
		of.u.drm_sched_job_add_dep = (struct lane_p_drm_sched_job_add_dep){
			.fence_context = job->fence_context,
			.fence_seqno = job->fence_seqno,
			.ctx = all->asked[i].dep_context,
			.seqno = all->asked[i].dep_seqno,
		};
		timeline_job_event(tl, &of);
	}
	all->n_asked = n;
}

/* The job; NULL: it is gone. */
static struct lane_rq *job_of(const struct lane_timeline *tl,
			      const struct lane_p_drm_sched_job_queue *job)
{
	const struct lane_ctx *ctx = timeline_job_context(tl, job->fence_context);
	struct lane_rq *rq =
		ctx ? lane_table_get(&tl->requests, ctx->pub.id, (uint32_t)job->fence_seqno) : NULL;

	return rq && rq->job ? rq : NULL;
}

/* The job has nothing to wait for any more, and that is told; or it is over. False: it waits. */
static bool try_begin(struct lane_timeline *tl, const struct lane_event *event,
		      const struct lane_p_drm_sched_job_queue *job)
{
	const struct lane_rq *rq = job_of(tl, job);

	if (!rq || timeline_request_has_ended(rq))
		return true;
	if (!timeline_job_is_free(tl, rq))
		return false;
	drm_userq_tell(tl, event, LANE_DRM_RUN, job);
	return true;
}

void timeline_userq_emits(struct lane_timeline *tl, const struct lane_event *event,
			  unsigned int what)
{
	static const char *const types[] = { "gfx", "comp", "sdma" };
	const struct lane_p_amdgpu_userq_emit_fence *emit = &event->u.amdgpu_userq_emit_fence;
	struct lane_p_drm_sched_job_queue job = { .fence_context = emit->fence_context,
						  .fence_seqno = emit->fence_seqno,
						  .client_id = emit->client_id,
						  .driver = "amdgpu" };
	struct lane_userq *all = userq_get(tl);
	struct lane_drm_ring *ring;
	struct lane_rq *rq;

	(void)what;
	if (!all)
		return;
	snprintf(job.name, sizeof(job.name), "userq_%s%llu",
		 emit->queue_type < 3 ? types[emit->queue_type] : "", emit->doorbell_index);
	memcpy(job.dev, emit->dev, sizeof(job.dev));
	drm_userq_tell(tl, event, LANE_DRM_QUEUE, &job);
	rq = job_of(tl, &job);
	if (!rq)
		return;
	rq->job->is_own_queue = true;
	ring = timeline_job_ring(rq);
	/* What was asked for before the recording, or is not told, or forgotten. */
	rq->job->has_more_deps = !ring->emit_ns || ring->emit_ns <= all->dropped_ns ||
				 !timeline_sees(tl, LANE_AMD_USERQ_WAIT) ||
				 timeline_jobs_are_lossy_since(
					 tl, (struct lane_job_time){ ring->emit_ns, event->cpu });
	ring->emit_ns = event->wire.ts_ns;
	depends(tl, event, &job);
	if (!try_begin(tl, event, &job) && all->n_waiting < MOST) /* else it is not known when */
		all->waiting[all->n_waiting++] = job;
}

void timeline_userq_signalled(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_userq *all = tl->jobs->userq;
	uint32_t n = 0;

	for (uint32_t i = 0; i < all->n_waiting; i++) {
		struct lane_p_drm_sched_job_queue job = all->waiting[i];

		if (!try_begin(tl, event, &job))
			all->waiting[n++] = job;
	}
	all->n_waiting = n;
}
