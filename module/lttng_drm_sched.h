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

#define LANE_DRM_CLASS(name, proto, args, fields)                                                  \
	LTTNG_TRACEPOINT_EVENT_CLASS_CODE(name, PARAMS(proto), PARAMS(args), TP_locvar(),          \
					  TP_code_pre(LANE_PROBE_BEGIN()), TP_FIELDS(fields),      \
					  TP_code_post(LANE_PROBE_END()))

/* An event of the recording, and the kernel's tracepoint that it comes from. */
#define LANE_DRM_EVENT(class, tracepoint, event, proto, args)                                      \
	LTTNG_TRACEPOINT_EVENT_INSTANCE_MAP(class, tracepoint, event, PARAMS(proto), PARAMS(args))

#define LANE_PROTO_JOB	 TP_PROTO(struct drm_sched_job *job, struct drm_sched_entity *entity)
#define LANE_PROTO_DEP	 TP_PROTO(struct drm_sched_job *job, struct dma_fence *fence)
#define LANE_PROTO_FENCE TP_PROTO(struct drm_sched_fence *fence)

LANE_DRM_CLASS(lane_class_drm_job, LANE_PROTO_JOB, TP_ARGS(job, entity),
	       LANE_F_DRM_JOB(LANE_DRM_FIELD, job))
LANE_DRM_CLASS(lane_class_drm_dep, LANE_PROTO_DEP, TP_ARGS(job, fence),
	       LANE_F_DRM_DEP(LANE_DRM_FIELD, dep))
LANE_DRM_CLASS(lane_class_drm_fence, LANE_PROTO_FENCE, TP_ARGS(fence),
	       LANE_F_DRM_FENCE(LANE_DRM_FIELD, fence))

LANE_DRM_EVENT(lane_class_drm_job, LANE_TP_QUEUE, drm_sched_job_queue, LANE_PROTO_JOB,
	       TP_ARGS(job, entity))
LANE_DRM_EVENT(lane_class_drm_job, LANE_TP_RUN, drm_sched_job_run, LANE_PROTO_JOB,
	       TP_ARGS(job, entity))
LANE_DRM_EVENT(lane_class_drm_dep, LANE_TP_ADD_DEP, drm_sched_job_add_dep, LANE_PROTO_DEP,
	       TP_ARGS(job, fence))
LANE_DRM_EVENT(lane_class_drm_fence, LANE_TP_DONE, drm_sched_job_done, LANE_PROTO_FENCE,
	       TP_ARGS(fence))
#ifdef LANE_TP_UNSCHEDULABLE
LANE_DRM_EVENT(lane_class_drm_dep, LANE_TP_UNSCHEDULABLE, drm_sched_job_unschedulable,
	       LANE_PROTO_DEP, TP_ARGS(job, fence))
#endif

/* clang-format on */
#endif

/* LTTng's macros read this file again from here on. */
#include <lttng/define_trace.h>
