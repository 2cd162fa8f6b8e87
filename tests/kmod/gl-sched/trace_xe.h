/* SPDX-License-Identifier: GPL-2.0 */
/* clang-format off: the macros are tables, laid out by hand */
/*
 * xe's tracepoints as far as gpulane reads them, in the layout of drivers/gpu/drm/xe/xe_trace.h and
 * xe_trace_bo.h of Linux 6.12, or 7.3 where drm_sched is that of 6.17 or
 * later. Their arguments
 * have the members that those of xe have.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM xe

#if !defined(GLS_TRACE_XE_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLS_TRACE_XE_H

#include <linux/tracepoint.h>

#include "gl-sched.h"

#ifndef GLS_XE_TYPES
#define GLS_XE_TYPES
enum xe_engine_class {
	XE_ENGINE_CLASS_COPY = 3,
	XE_ENGINE_CLASS_COMPUTE = 5,
};

struct xe_vm {
	unsigned long flags;
};

struct xe_guc_exec_queue {
	u16 id;
	atomic_t state;
};

struct xe_exec_queue {
	struct xe_guc_exec_queue *guc;
	enum xe_engine_class class;
	u32 logical_mask;
	u16 width;
	unsigned long flags;
	struct xe_vm *vm;
	struct drm_sched_entity *entity;
	u8 gt_id;
	const char *dev;
};

struct xe_sched_job {
	struct drm_sched_job drm;
	struct xe_exec_queue *q;
	struct dma_fence *fence;
	u32 lrc_seqno;
};

struct xe_vma {
	const char *dev;
	u32 asid;
	u64 start, end;
};
#endif

DECLARE_EVENT_CLASS(xe_exec_queue,
	TP_PROTO(struct xe_exec_queue *q),
	TP_ARGS(q),
	TP_STRUCT__entry(
		__string(dev, q->dev)
		__field(enum xe_engine_class, class)
		__field(u32, logical_mask)
		__field(u8, gt_id)
		__field(u16, width)
		__field(u16, guc_id)
		__field(u32, guc_state)
		__field(u32, flags)
	),
	TP_fast_assign(
		GLS_ASSIGN_STR(dev, q->dev);
		__entry->class = q->class;
		__entry->logical_mask = q->logical_mask;
		__entry->gt_id = q->gt_id;
		__entry->width = q->width;
		__entry->guc_id = q->guc->id;
		__entry->guc_state = atomic_read(&q->guc->state);
		__entry->flags = q->flags;
	),
	TP_printk("dev=%s, %d:0x%x, gt=%d, width=%d, guc_id=%d, guc_state=0x%x, flags=0x%x",
		  __get_str(dev), __entry->class, __entry->logical_mask, __entry->gt_id,
		  __entry->width, __entry->guc_id, __entry->guc_state, __entry->flags)
);

DEFINE_EVENT(xe_exec_queue, xe_exec_queue_create,
	TP_PROTO(struct xe_exec_queue *q), TP_ARGS(q));
DEFINE_EVENT(xe_exec_queue, xe_exec_queue_destroy,
	TP_PROTO(struct xe_exec_queue *q), TP_ARGS(q));
DEFINE_EVENT(xe_exec_queue, xe_exec_queue_reset,
	TP_PROTO(struct xe_exec_queue *q), TP_ARGS(q));
DEFINE_EVENT(xe_exec_queue, xe_exec_queue_memory_cat_error,
	TP_PROTO(struct xe_exec_queue *q), TP_ARGS(q));

#ifdef GLS_HAS_STAT_RESET
#define GLS_XE_GT_FIELD __field(u8, gt_id)
#define GLS_XE_GT_ASSIGN __entry->gt_id = job->q->gt_id;
#define GLS_XE_GT_FORMAT "gt=%u, "
#define GLS_XE_GT_VALUE __entry->gt_id,
#else
#define GLS_XE_GT_FIELD
#define GLS_XE_GT_ASSIGN
#define GLS_XE_GT_FORMAT
#define GLS_XE_GT_VALUE
#endif

DECLARE_EVENT_CLASS(xe_sched_job,
	TP_PROTO(struct xe_sched_job *job),
	TP_ARGS(job),
	TP_STRUCT__entry(
		__string(dev, job->q->dev)
		__field(u32, seqno)
		__field(u32, lrc_seqno)
		GLS_XE_GT_FIELD
		__field(u16, guc_id)
		__field(u32, guc_state)
		__field(u32, flags)
		__field(int, error)
		__field(struct dma_fence *, fence)
		__field(u64, batch_addr)
	),
	TP_fast_assign(
		GLS_ASSIGN_STR(dev, job->q->dev);
		__entry->seqno = job->fence ? job->fence->seqno : 0;
		__entry->lrc_seqno = job->lrc_seqno;
		GLS_XE_GT_ASSIGN
		__entry->guc_id = job->q->guc->id;
		__entry->guc_state = atomic_read(&job->q->guc->state);
		__entry->flags = job->q->flags;
		__entry->error = job->fence ? job->fence->error : 0;
		__entry->fence = job->fence;
		__entry->batch_addr = 0;
	),
	TP_printk("dev=%s, fence=%p, seqno=%u, lrc_seqno=%u, " GLS_XE_GT_FORMAT
		  "guc_id=%d, batch_addr=0x%012llx, guc_state=0x%x, flags=0x%x, error=%d",
		  __get_str(dev), __entry->fence, __entry->seqno, __entry->lrc_seqno,
		  GLS_XE_GT_VALUE __entry->guc_id, __entry->batch_addr, __entry->guc_state,
		  __entry->flags, __entry->error)
);

DEFINE_EVENT(xe_sched_job, xe_sched_job_create,
	TP_PROTO(struct xe_sched_job *job), TP_ARGS(job));
DEFINE_EVENT(xe_sched_job, xe_sched_job_exec,
	TP_PROTO(struct xe_sched_job *job), TP_ARGS(job));
DEFINE_EVENT(xe_sched_job, xe_sched_job_run,
	TP_PROTO(struct xe_sched_job *job), TP_ARGS(job));
DEFINE_EVENT(xe_sched_job, xe_sched_job_free,
	TP_PROTO(struct xe_sched_job *job), TP_ARGS(job));
DEFINE_EVENT(xe_sched_job, xe_sched_job_set_error,
	TP_PROTO(struct xe_sched_job *job), TP_ARGS(job));
DEFINE_EVENT(xe_sched_job, xe_sched_job_timedout,
	TP_PROTO(struct xe_sched_job *job), TP_ARGS(job));
DEFINE_EVENT(xe_sched_job, xe_sched_job_ban,
	TP_PROTO(struct xe_sched_job *job), TP_ARGS(job));

#ifdef GLS_HAS_STAT_RESET
#define GLS_XE_VM_FIELD __field(struct xe_vm *, vm)
#define GLS_XE_VM_ASSIGN __entry->vm = NULL;
#define GLS_XE_VM_FORMAT "vm=%p, "
#define GLS_XE_VM_VALUE __entry->vm,
#else
#define GLS_XE_VM_FIELD
#define GLS_XE_VM_ASSIGN
#define GLS_XE_VM_FORMAT
#define GLS_XE_VM_VALUE
#endif

DECLARE_EVENT_CLASS(xe_vma,
	TP_PROTO(struct xe_vma *vma),
	TP_ARGS(vma),
	TP_STRUCT__entry(
		__string(dev, vma->dev)
		__field(struct xe_vma *, vma)
		GLS_XE_VM_FIELD
		__field(u32, asid)
		__field(u64, start)
		__field(u64, end)
		__field(u64, ptr)
	),
	TP_fast_assign(
		GLS_ASSIGN_STR(dev, vma->dev);
		__entry->vma = vma;
		GLS_XE_VM_ASSIGN
		__entry->asid = vma->asid;
		__entry->start = vma->start;
		__entry->end = vma->end;
		__entry->ptr = 0;
	),
	TP_printk("dev=%s, vma=%p, " GLS_XE_VM_FORMAT
		  "asid=0x%05x, start=0x%012llx, end=0x%012llx, userptr=0x%012llx,",
		  __get_str(dev), __entry->vma, GLS_XE_VM_VALUE __entry->asid, __entry->start,
		  __entry->end, __entry->ptr)
);

DEFINE_EVENT(xe_vma, xe_vma_bind, TP_PROTO(struct xe_vma *vma), TP_ARGS(vma));
DEFINE_EVENT(xe_vma, xe_vma_unbind, TP_PROTO(struct xe_vma *vma), TP_ARGS(vma));
DEFINE_EVENT(xe_vma, xe_vma_pagefault, TP_PROTO(struct xe_vma *vma), TP_ARGS(vma));
DEFINE_EVENT(xe_vma, xe_vma_evict, TP_PROTO(struct xe_vma *vma), TP_ARGS(vma));
DEFINE_EVENT(xe_vma, xe_vma_pf_bind, TP_PROTO(struct xe_vma *vma), TP_ARGS(vma));
DEFINE_EVENT(xe_vma, xe_vma_userptr_invalidate, TP_PROTO(struct xe_vma *vma), TP_ARGS(vma));
DEFINE_EVENT(xe_vma, xe_vma_userptr_invalidate_complete, TP_PROTO(struct xe_vma *vma), TP_ARGS(vma));

DECLARE_EVENT_CLASS(xe_vm,
	TP_PROTO(struct xe_vma *vma),
	TP_ARGS(vma),
	TP_STRUCT__entry(
		__string(dev, vma->dev)
		__field(struct xe_vm *, vm)
		__field(u32, asid)
	),
	TP_fast_assign(
		GLS_ASSIGN_STR(dev, vma->dev);
		__entry->vm = NULL;
		__entry->asid = vma->asid;
	),
	TP_printk("dev=%s, vm=%p, asid=0x%05x", __get_str(dev), __entry->vm, __entry->asid)
);

DEFINE_EVENT(xe_vm, xe_vm_rebind_worker_enter, TP_PROTO(struct xe_vma *vma), TP_ARGS(vma));
DEFINE_EVENT(xe_vm, xe_vm_rebind_worker_exit, TP_PROTO(struct xe_vma *vma), TP_ARGS(vma));

TRACE_EVENT(xe_bo_move,
	TP_PROTO(const char *dev, size_t size, const char *new_placement, const char *old_placement),
	TP_ARGS(dev, size, new_placement, old_placement),
	TP_STRUCT__entry(
		__field(void *, bo)
		__field(size_t, size)
		__string(new_placement_name, new_placement)
		__string(old_placement_name, old_placement)
		__string(device_id, dev)
		__field(bool, move_lacks_source)
	),
	TP_fast_assign(
		__entry->bo = NULL;
		__entry->size = size;
		GLS_ASSIGN_STR(new_placement_name, new_placement);
		GLS_ASSIGN_STR(old_placement_name, old_placement);
		GLS_ASSIGN_STR(device_id, dev);
		__entry->move_lacks_source = false;
	),
	TP_printk("move_lacks_source:%s, migrate object %p [size %zu] from %s to %s device_id:%s",
		  __entry->move_lacks_source ? "yes" : "no", __entry->bo, __entry->size,
		  __get_str(old_placement_name), __get_str(new_placement_name),
		  __get_str(device_id))
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace_xe
#include <trace/define_trace.h>
