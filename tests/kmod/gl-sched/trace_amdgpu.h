/* SPDX-License-Identifier: GPL-2.0 */
/* clang-format off: the macros are tables, laid out by hand */
/*
 * amdgpu's tracepoints as far as gpulane reads them, in the layout of
 * drivers/gpu/drm/amd/amdgpu/amdgpu_trace.h of Linux 6.1, or 7.3 where drm_sched is that of 6.17 or
 * later.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM amdgpu

#if !defined(GLS_TRACE_AMDGPU_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLS_TRACE_AMDGPU_H

#include <linux/tracepoint.h>

#include "gl-sched.h"

#ifndef GLS_AMDGPU_TYPES
#define GLS_AMDGPU_TYPES
struct amdgpu_bo;

struct amdgpu_job {
	struct drm_sched_job base;
	u32 num_ibs;
};
#define GLS_FENCE(job) (&(job)->base.s_fence->finished)
#define GLS_TIMELINE(job) GLS_FENCE(job)->ops->get_timeline_name(GLS_FENCE(job))
#define GLS_RING(job) (job)->base.sched->name
#endif

#ifdef GLS_HAS_STAT_RESET
#define GLS_AMDGPU_JOB(name)                                                                       \
	TRACE_EVENT(name,                                                                          \
		TP_PROTO(struct amdgpu_job *job),                                                  \
		TP_ARGS(job),                                                                      \
		TP_STRUCT__entry(                                                                  \
			__string(timeline, GLS_TIMELINE(job))                                      \
			__field(u64, context)                                                      \
			__field(u64, seqno)                                                        \
			__string(ring, GLS_RING(job))                                              \
			__field(u32, num_ibs)                                                      \
		),                                                                                 \
		TP_fast_assign(                                                                    \
			GLS_ASSIGN_STR(timeline, GLS_TIMELINE(job));                               \
			__entry->context = GLS_FENCE(job)->context;                                \
			__entry->seqno = GLS_FENCE(job)->seqno;                                    \
			GLS_ASSIGN_STR(ring, GLS_RING(job));                                       \
			__entry->num_ibs = job->num_ibs;                                           \
		),                                                                                 \
		TP_printk("timeline=%s, fence=%llu:%llu, ring_name=%s, num_ibs=%u",                \
			  __get_str(timeline), __entry->context, __entry->seqno, __get_str(ring),  \
			  __entry->num_ibs)                                                        \
	)
#else
#define GLS_AMDGPU_JOB(name)                                                                       \
	TRACE_EVENT(name,                                                                          \
		TP_PROTO(struct amdgpu_job *job),                                                  \
		TP_ARGS(job),                                                                      \
		TP_STRUCT__entry(                                                                  \
			__field(uint64_t, sched_job_id)                                            \
			__string(timeline, GLS_TIMELINE(job))                                      \
			__field(unsigned int, context)                                             \
			__field(unsigned int, seqno)                                               \
			__string(ring, GLS_RING(job))                                              \
			__field(u32, num_ibs)                                                      \
		),                                                                                 \
		TP_fast_assign(                                                                    \
			__entry->sched_job_id = job->base.id;                                      \
			GLS_ASSIGN_STR(timeline, GLS_TIMELINE(job));                               \
			__entry->context = GLS_FENCE(job)->context;                                \
			__entry->seqno = GLS_FENCE(job)->seqno;                                    \
			GLS_ASSIGN_STR(ring, GLS_RING(job));                                       \
			__entry->num_ibs = job->num_ibs;                                           \
		),                                                                                 \
		TP_printk("sched_job=%llu, timeline=%s, context=%u, seqno=%u, ring_name=%s, "      \
			  "num_ibs=%u",                                                            \
			  __entry->sched_job_id, __get_str(timeline), __entry->context,            \
			  __entry->seqno, __get_str(ring), __entry->num_ibs)                       \
	)
#endif

GLS_AMDGPU_JOB(amdgpu_cs_ioctl);
GLS_AMDGPU_JOB(amdgpu_sched_run_job);

TRACE_EVENT(amdgpu_bo_move,
	TP_PROTO(struct amdgpu_bo *bo, u64 size, uint32_t new_placement, uint32_t old_placement),
	TP_ARGS(bo, size, new_placement, old_placement),
	TP_STRUCT__entry(
		__field(struct amdgpu_bo *, bo)
		__field(u64, bo_size)
		__field(u32, new_placement)
		__field(u32, old_placement)
	),
	TP_fast_assign(
		__entry->bo = bo;
		__entry->bo_size = size;
		__entry->new_placement = new_placement;
		__entry->old_placement = old_placement;
	),
	TP_printk("bo=%p, from=%d, to=%d, size=%Ld", __entry->bo, __entry->old_placement,
		  __entry->new_placement, __entry->bo_size)
);

TRACE_EVENT(amdgpu_reset_reg_dumps,
	TP_PROTO(uint32_t address, uint32_t value),
	TP_ARGS(address, value),
	TP_STRUCT__entry(
		__field(uint32_t, address)
		__field(uint32_t, value)
	),
	TP_fast_assign(
		__entry->address = address;
		__entry->value = value;
	),
	TP_printk("amdgpu register dump 0x%x: 0x%x", __entry->address, __entry->value)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace_amdgpu
#include <trace/define_trace.h>
