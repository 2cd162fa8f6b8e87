/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTTng's description of drm_sched's events; read several times by its macros.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM drm_sched

#if !defined(LANE_MODULE_LTTNG_DRM_SCHED_H) || defined(TRACE_HEADER_MULTI_READ)
#define LANE_MODULE_LTTNG_DRM_SCHED_H

#include <lttng/tracepoint-event.h>

#include "drm_sched.h"

/* clang-format off: the macros are tables, laid out by hand */

/* One field, from its line in the table: `s` says which arguments its value is read from. */
#define LANE_DRM_FIELD(s, type, name, help) LANE_DRM_##type(name, LANE_DRM_##s##_##name)
#define LANE_DRM_u32(name, value)	    ctf_integer(u32, name, value)
#define LANE_DRM_x32(name, value)	    ctf_integer_hex(u32, name, value)
#define LANE_DRM_u64(name, value)	    ctf_integer(u64, name, value)
#define LANE_DRM_s32(name, value)	    ctf_integer(s32, name, value)
#define LANE_DRM_id32(name, value)	    ctf_string(name, value)
#define LANE_DRM_id64(name, value)	    ctf_string(name, value)
#define LANE_DRM_comm(name, value)	    ctf_string(name, value)

LTTNG_TRACEPOINT_EVENT_CLASS(lane_class_drm_job,
			     TP_PROTO(struct drm_sched_job *job, struct drm_sched_entity *entity),
			     TP_ARGS(job, entity), TP_FIELDS(LANE_F_DRM_JOB(LANE_DRM_FIELD, job)))

LTTNG_TRACEPOINT_EVENT_CLASS(lane_class_drm_dep,
			     TP_PROTO(struct drm_sched_job *job, struct dma_fence *fence),
			     TP_ARGS(job, fence), TP_FIELDS(LANE_F_DRM_DEP(LANE_DRM_FIELD, dep)))

LTTNG_TRACEPOINT_EVENT_CLASS(lane_class_drm_fence, TP_PROTO(struct drm_sched_fence *fence),
			     TP_ARGS(fence), TP_FIELDS(LANE_F_DRM_FENCE(LANE_DRM_FIELD, fence)))

/* The kernel's tracepoint of before Linux 6.17, and the name that its event has in a recording. */
LTTNG_TRACEPOINT_EVENT_INSTANCE_MAP(lane_class_drm_job, drm_sched_job, drm_sched_job_queue,
				    TP_PROTO(struct drm_sched_job *job,
					     struct drm_sched_entity *entity),
				    TP_ARGS(job, entity))
LTTNG_TRACEPOINT_EVENT_INSTANCE_MAP(lane_class_drm_job, drm_run_job, drm_sched_job_run,
				    TP_PROTO(struct drm_sched_job *job,
					     struct drm_sched_entity *entity),
				    TP_ARGS(job, entity))
LTTNG_TRACEPOINT_EVENT_INSTANCE_MAP(lane_class_drm_dep, drm_sched_job_wait_dep,
				    drm_sched_job_add_dep,
				    TP_PROTO(struct drm_sched_job *job, struct dma_fence *fence),
				    TP_ARGS(job, fence))
LTTNG_TRACEPOINT_EVENT_INSTANCE_MAP(lane_class_drm_fence, drm_sched_process_job, drm_sched_job_done,
				    TP_PROTO(struct drm_sched_fence *fence), TP_ARGS(fence))

/* clang-format on */
#endif

/* LTTng's macros read this file again from here on. */
#include <lttng/define_trace.h>
