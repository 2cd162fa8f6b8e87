// SPDX-License-Identifier: MIT
/*
 * Drivers' own events, where none of drm_sched's is recorded (docs/driver-events.md): each stands
 * for the one that the scheduler fires beside it.
 */
#include "timeline/drm/drm_alone.h"
#include "timeline/drm/drm.h"
#include "timeline/drm/drm_job.h"
#include "timeline/drm/drm_ring.h"
#include "timeline/objects.h"
#include "timeline/tell.h"

#include <stdio.h>
#include <string.h>

const char *timeline_driver_of(const struct lane_event *event)
{
	return lane_drm_driver_of_kind(lane_kinds[event->wire.kind].name)->name;
}

uint64_t timeline_alone_key(unsigned int sequence, uint32_t dev)
{
	return (uint64_t)(sequence + 1) << 32 | dev;
}

struct lane_rq *timeline_alone_number(struct lane_timeline *tl, const struct lane_event *event,
				      uint64_t key, uint64_t seqno)
{
	struct lane_rq *rq = timeline_job_of_thread(tl, event->wire.tid);
	struct lane_rq *before = lane_table_get(&tl->jobs->told, key, seqno);

	if (before) {
		before->job->ticks_void = true; /* it is started again */
		return NULL;
	}
	if (!rq || rq->job->own_key || timeline_request_has_ended(rq) ||
	    timeline_job_is_lossy(tl, rq))
		return NULL;
	rq->job->own_key = key;
	rq->job->own_seqno = seqno;
	if (!lane_table_put(&tl->jobs->told, key, seqno, rq))
		tl->no_memory = true;
	return rq;
}

/* None of drm_sched's events of jobs is recorded, or none has come, and one may still: then the
 * trace is read anew. */
static bool is_without_jobs(const struct lane_timeline *tl)
{
	return !tl->has_foreseen_jobs && timeline_jobs_by_driver(tl) &&
	       tl->info.presence[LANE_DRM_QUEUE] != LANE_PRESENCE_RECORDED &&
	       tl->info.presence[LANE_DRM_RUN] != LANE_PRESENCE_RECORDED;
}

/* The event says what one of drm_sched's, of this kind, says of `of`. */
static void stand_for(struct lane_timeline *tl, const struct lane_event *event, uint32_t kind,
		      const struct lane_p_drm_sched_job_queue *of)
{
	struct lane_event job = *event;

	job.wire.kind = kind;
	job.u.drm_sched_job_queue = *of;
	strcpy(job.u.drm_sched_job_queue.driver, timeline_driver_of(event));
	tl->jobs->is_stood_for = true;
	if (kind == LANE_DRM_DONE)
		job.wire.tid = 0; /* an interrupt came, in whatever thread */
	timeline_job_event(tl, &job);
}

/*
 * amdgpu_cs_ioctl comes straight before drm_sched_job_queue, and amdgpu_sched_run_job straight
 * behind drm_sched_job_run, of the same job; so do lima's (norm_drm_named()). Where drm_sched's are
 * not recorded they stand for these.
 */
void timeline_alone_named(struct lane_timeline *tl, const struct lane_event *event,
			  unsigned int kind)
{
	const struct lane_p_amdgpu_cs_ioctl *named = &event->u.amdgpu_cs_ioctl; /* of one layout */
	struct lane_p_drm_sched_job_queue job = { .fence_context = named->context,
						  .fence_seqno = named->seqno };

	if (!is_without_jobs(tl) || !*named->ring)
		return;
	memcpy(job.name, named->ring, sizeof(named->ring));
	stand_for(tl, event, kind, &job);
}

/* run_job() gives a job its number as it starts it, and the interrupt names that. A queue has one
 * job at a time (v3d_sched_init()). */
void timeline_alone_v3d(struct lane_timeline *tl, const struct lane_event *event, uint32_t kind,
			unsigned int sequence)
{
	static const char names[][12] = { [LANE_V3D_BIN] = "v3d_bin",
					  [LANE_V3D_RENDER] = "v3d_render",
					  [LANE_V3D_TFU] = "v3d_tfu",
					  [LANE_V3D_CSD] = "v3d_csd" };
	const struct lane_p_v3d_bcl_irq *fence = &event->u.v3d_bcl_irq;
	struct lane_p_drm_sched_job_queue job = {
		.fence_context = LANE_OWN_CONTEXT + timeline_alone_key(sequence, fence->dev),
		.fence_seqno = fence->seqno,
		.hw_job_count = 1,
	};

	if (!is_without_jobs(tl))
		return;
	snprintf(job.dev, sizeof(job.dev), "card%u", fence->dev);
	memcpy(job.name, names[sequence], sizeof(names[sequence]));
	stand_for(tl, event, kind, &job);
}

/* ---- msm ---- */

void timeline_alone_msm(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_msm_gpu_submit_flush *flush = &event->u.msm_gpu_submit_flush;
	uint32_t ring = flush->ringid & 0xffff;
	struct lane_p_drm_sched_job_queue job = {
		.fence_context = LANE_OWN_CONTEXT + timeline_alone_key(LANE_MSM_RING + ring, 0),
		.fence_seqno = flush->seqno,
	};
	struct lane_rq *rq;

	if (!is_without_jobs(tl))
		return;
	snprintf(job.name, sizeof(job.name), "gpu-ring-%u", ring); /* msm_ringbuffer_new() */
	strcpy(job.dev, "gpu"); /* a machine with msm has one that submits */
	stand_for(tl, event, LANE_DRM_RUN, &job);
	rq = timeline_job_of_thread(tl, event->wire.tid);
	if (rq && flush->pid > 0 && !rq->pub.client)
		rq->pub.client = timeline_client_get(tl, flush->pid);
}

/* ---- xe ---- */

/* xe has given up jobs: a fence may be signalled of one that never ran. */
static bool has_failed(const struct lane_timeline *tl)
{
	const uint64_t *n = tl->figures.by_kind;

	return n[LANE_XE_TIMEDOUT] || n[LANE_XE_BAN] || n[LANE_XE_ERROR] || n[LANE_XE_RESET] ||
	       n[LANE_XE_CAT_ERROR];
}

/*
 * xe_sched_job_exec comes straight before drm_sched_job_queue (xe_sched_job_push()),
 * xe_sched_job_run straight behind drm_sched_job_run (guc_exec_queue_run_job()). xe_hw_fence_signal
 * tells that the ring's fence is signalled (hw_fence_irq_run_cb()), xe_sched_job_free that the job
 * is over, of which a job on several engines has the latter alone. All name the fence by its
 * address, which is another one's afterwards: with its number it is one job. A queue of the
 * firmware is a ring.
 */
void timeline_alone_xe(struct lane_timeline *tl, const struct lane_event *event, unsigned int kind)
{
	const struct lane_p_xe_sched_job_run *own = &event->u.xe_sched_job_run; /* of one layout */
	struct lane_rq *rq = lane_table_get(&tl->jobs->told, own->fence, own->seqno);
	struct lane_p_drm_sched_job_queue job = {
		.fence_context = LANE_OWN_CONTEXT + timeline_alone_key(own->guc_id & 0xffff, 0),
		.fence_seqno = own->seqno,
	};

	if (!is_without_jobs(tl))
		return;
	if (kind == LANE_DRM_DONE) {
		if (!rq)
			return;
		job.fence_context = rq->pub.context->ctx;
		job.fence_seqno = rq->pub.seqno;
		if (event->wire.kind == LANE_XE_FENCE_SIGNAL && !has_failed(tl) && !rq->job->irq.ns)
			rq->job->irq = timeline_bound(event->wire.ts_ns, LANE_RULE_RING_SIGNAL,
						      tl->now.event);
	}
	snprintf(job.name, sizeof(job.name), "guc%u", own->guc_id & 0xffff);
	memcpy(job.dev, own->dev, sizeof(own->dev));
	stand_for(tl, event, kind, &job);
	if (kind == LANE_DRM_RUN)
		timeline_alone_number(tl, event, own->fence, own->seqno);
}
