/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The value of each field of drm_sched's events in events.def: LANE_DRM_<arguments>_<field>. Unlike
 * i915's, the structures are in the kernel's headers.
 */
#ifndef LANE_MODULE_DRM_SCHED_H
#define LANE_MODULE_DRM_SCHED_H

/* clang-format off: the macros are tables, laid out by hand */

#include <linux/device.h>
#include <linux/dma-fence.h>
#include <drm/gpu_scheduler.h>

#include "compat.h"
#include "userspace/base/events.def"

static inline const char *lane_drm_device(const struct drm_gpu_scheduler *sched)
{
	return sched->dev ? dev_name(sched->dev) : "";
}

/* LANE_NO_TIMEOUT of userspace/base/event.h: never */
static inline u32 lane_drm_timeout(const struct drm_gpu_scheduler *sched)
{
	return sched->timeout == MAX_SCHEDULE_TIMEOUT ? U32_MAX : jiffies_to_msecs(sched->timeout);
}

static inline const char *lane_drm_driver(const struct drm_gpu_scheduler *sched)
{
	return sched->dev ? dev_driver_string(sched->dev) : "";
}

/* Of a job and its entity. */
#define LANE_DRM_job_fence_context job->s_fence->finished.context
#define LANE_DRM_job_fence_seqno   job->s_fence->finished.seqno
#define LANE_DRM_job_client_id	   LANE_DRM_CLIENT(job)
#define LANE_DRM_job_job_count	   spsc_queue_count(&entity->job_queue)
#define LANE_DRM_job_hw_job_count  LANE_DRM_LOAD(job->sched)
#define LANE_DRM_job_queue_flags   0 /* xe's structures are in no header */
#define LANE_DRM_job_timeout_ms	   lane_drm_timeout(job->sched)
#define LANE_DRM_job_name	   job->sched->name
#define LANE_DRM_job_dev	   lane_drm_device(job->sched)
#define LANE_DRM_job_driver	   lane_drm_driver(job->sched)

/* Of a job and a fence that it depends on. */
#define LANE_DRM_dep_fence_context job->s_fence->finished.context
#define LANE_DRM_dep_fence_seqno   job->s_fence->finished.seqno
#define LANE_DRM_dep_ctx	   fence->context
#define LANE_DRM_dep_seqno	   fence->seqno

/* Of a job's fence. */
#define LANE_DRM_fence_fence_context fence->finished.context
#define LANE_DRM_fence_fence_seqno   fence->finished.seqno

#endif
