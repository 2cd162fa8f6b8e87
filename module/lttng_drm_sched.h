/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTTng's description of drm_sched's events, and of drivers' own; read several times by its macros.
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
#define LANE_DRM_u32(name, value) ctf_integer(u32, name, value)
#define LANE_DRM_x32(name, value) ctf_integer_hex(u32, name, value)
#define LANE_DRM_u64(name, value) ctf_integer(u64, name, value)
#define LANE_DRM_s32(name, value) ctf_integer(s32, name, value)
#define LANE_DRM_id32(name, value) ctf_string(name, value)
#define LANE_DRM_id64(name, value) ctf_string(name, value)
#define LANE_DRM_comm(name, value) ctf_string(name, value)

LTTNG_TRACEPOINT_EVENT_CLASS(lane_class_drm_job,
	TP_PROTO(struct drm_sched_job *job, struct drm_sched_entity *entity),
	TP_ARGS(job, entity), TP_FIELDS(LANE_F_DRM_JOB(LANE_DRM_FIELD, job)))

LTTNG_TRACEPOINT_EVENT_CLASS(lane_class_drm_dep,
	TP_PROTO(struct drm_sched_job *job, struct dma_fence *fence),
	TP_ARGS(job, fence), TP_FIELDS(LANE_F_DRM_DEP(LANE_DRM_FIELD, dep)))

LTTNG_TRACEPOINT_EVENT_CLASS(lane_class_drm_fence,
	TP_PROTO(struct drm_sched_fence *fence),
	TP_ARGS(fence), TP_FIELDS(LANE_F_DRM_FENCE(LANE_DRM_FIELD, fence)))

/* The kernel's tracepoint of before Linux 6.17, and the name that its event has in a recording. */
LTTNG_TRACEPOINT_EVENT_INSTANCE_MAP(lane_class_drm_job, drm_sched_job, drm_sched_job_queue,
	TP_PROTO(struct drm_sched_job *job, struct drm_sched_entity *entity), TP_ARGS(job, entity))
LTTNG_TRACEPOINT_EVENT_INSTANCE_MAP(lane_class_drm_job, drm_run_job, drm_sched_job_run,
	TP_PROTO(struct drm_sched_job *job, struct drm_sched_entity *entity), TP_ARGS(job, entity))
LTTNG_TRACEPOINT_EVENT_INSTANCE_MAP(lane_class_drm_dep, drm_sched_job_wait_dep, drm_sched_job_add_dep,
	TP_PROTO(struct drm_sched_job *job, struct dma_fence *fence), TP_ARGS(job, fence))
LTTNG_TRACEPOINT_EVENT_INSTANCE_MAP(lane_class_drm_fence, drm_sched_process_job, drm_sched_job_done,
	TP_PROTO(struct drm_sched_fence *fence), TP_ARGS(fence))

LTTNG_TRACEPOINT_EVENT_CLASS(lane_class_v3d_cl,
	TP_PROTO(struct drm_device *dev, bool is_render, uint64_t seqno, u32 ctnqba, u32 ctnqea),
	TP_ARGS(dev, is_render, seqno, ctnqba, ctnqea), TP_FIELDS(LANE_F_V3D_CL(LANE_DRM_FIELD, v3d)))
LTTNG_TRACEPOINT_EVENT_INSTANCE(lane_class_v3d_cl, v3d_submit_cl,
	TP_PROTO(struct drm_device *dev, bool is_render, uint64_t seqno, u32 ctnqba, u32 ctnqea),
	TP_ARGS(dev, is_render, seqno, ctnqba, ctnqea))

LTTNG_TRACEPOINT_EVENT_CLASS(lane_class_v3d_fence,
	TP_PROTO(struct drm_device *dev, uint64_t seqno),
	TP_ARGS(dev, seqno), TP_FIELDS(LANE_F_V3D_FENCE(LANE_DRM_FIELD, v3d)))
#define LANE_V3D_FENCE(name)                                                                       \
	LTTNG_TRACEPOINT_EVENT_INSTANCE(lane_class_v3d_fence, name,                                \
		TP_PROTO(struct drm_device *dev, uint64_t seqno), TP_ARGS(dev, seqno))
LANE_V3D_FENCE(v3d_submit_tfu)
LANE_V3D_FENCE(v3d_submit_csd)
LANE_V3D_FENCE(v3d_bcl_irq)
LANE_V3D_FENCE(v3d_rcl_irq)
LANE_V3D_FENCE(v3d_tfu_irq)
LANE_V3D_FENCE(v3d_csd_irq)

LTTNG_TRACEPOINT_EVENT_CLASS(lane_class_v3d_reset,
	TP_PROTO(struct drm_device *dev),
	TP_ARGS(dev), TP_FIELDS(LANE_F_V3D_RESET(LANE_DRM_FIELD, v3d)))
LTTNG_TRACEPOINT_EVENT_INSTANCE(lane_class_v3d_reset, v3d_reset_begin,
	TP_PROTO(struct drm_device *dev), TP_ARGS(dev))
LTTNG_TRACEPOINT_EVENT_INSTANCE(lane_class_v3d_reset, v3d_reset_end,
	TP_PROTO(struct drm_device *dev), TP_ARGS(dev))

LTTNG_TRACEPOINT_EVENT(amdgpu_reset_reg_dumps,
	TP_PROTO(uint32_t address, uint32_t value),
	TP_ARGS(address, value), TP_FIELDS(LANE_F_REGISTER(LANE_DRM_FIELD, amdgpu)))

LTTNG_TRACEPOINT_EVENT(msm_gem_shrink,
	TP_PROTO(u32 nr_to_scan, u32 purged, u32 evicted, u32 active_purged, u32 active_evicted),
	TP_ARGS(nr_to_scan, purged, evicted, active_purged, active_evicted),
	TP_FIELDS(LANE_F_MSM_SHRINK(LANE_DRM_FIELD, msm)))

/* clang-format on */
#endif

/* LTTng's macros read this file again from here on. */
#include <lttng/define_trace.h>
