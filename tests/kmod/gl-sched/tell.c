// SPDX-License-Identifier: GPL-2.0
// What the driver that gl-sched stands in for tells by tracepoints of its own, at the places where
// that driver does.
#include <linux/workqueue.h>
#include <drm/drm_device.h>

#include "gl-sched.h"

#define CREATE_TRACE_POINTS
#include "trace_xe.h"
#include "trace_amdgpu.h"
#include "trace_msm.h"
#include "trace_v3d.h"

/* The clock of a GPU of msm's, 19.2 MHz, which did not begin with the CPU's. */
#define TICKS(ns) (div_u64((ns)*12, 625) + (1ull << 40))

#define EVICTED_BYTES 65536

#define XE_VM_FLAG_LR_MODE (1 << 1)

enum gls_stand {
	STANDS_FOR_NOBODY,
	STANDS_FOR_XE,
	STANDS_FOR_AMDGPU,
	STANDS_FOR_MSM,
	STANDS_FOR_V3D,
};

static enum gls_stand stand;
static const char *name_of_device;
static struct drm_device *drm;
static struct workqueue_struct *retires;

/* What msm's worker cleans up. */
struct retired {
	struct work_struct work;
	struct msm_gem_submit submit;
	struct msm_ringbuffer ring;
	u64 start_ns, end_ns;
};

int gls_tell_init(const char *driver, struct drm_device *device)
{
	static const char *const names[] = {
		[STANDS_FOR_XE] = "xe",
		[STANDS_FOR_AMDGPU] = "amdgpu",
		[STANDS_FOR_MSM] = "msm",
		[STANDS_FOR_V3D] = "v3d",
	};
	unsigned int i;

	for (i = 1; i < ARRAY_SIZE(names); i++)
		if (!strcmp(driver, names[i]))
			stand = i;
	name_of_device = dev_name(device->dev);
	drm = device;
	retires = alloc_ordered_workqueue("gl-sched", 0);
	return retires ? 0 : -ENOMEM;
}

void gls_tell_exit(void)
{
	if (retires)
		destroy_workqueue(retires);
	retires = NULL;
}

void gls_name_ring(char *name, size_t size, const char *driver, unsigned int number)
{
	static const char *const v3d[] = { "v3d_bin", "v3d_render", "v3d_tfu", "v3d_csd" };

	if (!strcmp(driver, "xe"))
		snprintf(name, size, "ccs%u", number);
	else if (!strcmp(driver, "v3d"))
		strscpy(name, v3d[number % ARRAY_SIZE(v3d)], size);
	else
		snprintf(name, size, "ring%u", number);
}

struct xe_queue {
	struct xe_exec_queue queue;
	struct xe_guc_exec_queue guc;
	struct xe_vm vm; /* BPF programs look for it from the job on */
};

int gls_tell_context(struct gls_ctx *ctx)
{
	struct xe_queue *xe;

	if (stand != STANDS_FOR_XE)
		return 0;
	xe = kzalloc(sizeof(*xe), GFP_KERNEL);
	if (!xe)
		return -ENOMEM;
	xe->guc.id = ctx->ring->number;
	xe->queue = (struct xe_exec_queue){ .guc = &xe->guc,
					    .class = XE_ENGINE_CLASS_COMPUTE,
					    .logical_mask = 1,
					    .width = 1,
					    .vm = &xe->vm,
					    .entity = &ctx->entity,
					    .dev = name_of_device };
	if (ctx->ring->name[0] == 'b')
		xe->queue.class = XE_ENGINE_CLASS_COPY;
	ctx->xe = xe;
	trace_xe_exec_queue_create(&xe->queue);
	return 0;
}

void gls_tell_context_gone(struct gls_ctx *ctx)
{
	struct xe_queue *xe = ctx->xe;

	if (xe)
		trace_xe_exec_queue_destroy(&xe->queue);
	kfree(xe);
}

/* The job as xe has it; NULL: it stands in for another. Its fence is there from run_job() on. */
static struct xe_sched_job *xe_job(struct gls_job *job, struct dma_fence *fence)
{
	struct xe_sched_job *xe = (struct xe_sched_job *)job->as_xe;

	BUILD_BUG_ON(sizeof(*xe) > sizeof(job->as_xe));
	if (!job->ctx->xe)
		return NULL;
	xe->q = &((struct xe_queue *)job->ctx->xe)->queue;
	xe->fence = fence;
	return xe;
}

void gls_tell_error(struct gls_job *job, struct dma_fence *fence)
{
	if (xe_job(job, fence))
		trace_xe_sched_job_set_error(xe_job(job, fence));
}

/* guc_exec_queue_free_job() of xe_guc_submit.c */
void gls_tell_free(struct gls_job *job)
{
	if (xe_job(job, job->ring_fence))
		trace_xe_sched_job_free(xe_job(job, job->ring_fence));
}

/* xe_guc_exec_queue_memory_cat_error_handler(), xe_guc_exec_queue_reset_handler() */
void gls_tell_queue_reset(struct gls_ctx *ctx, int error)
{
	struct xe_queue *xe = ctx->xe;

	if (!xe)
		return;
	if (error == -EFAULT)
		trace_xe_exec_queue_memory_cat_error(&xe->queue);
	else
		trace_xe_exec_queue_reset(&xe->queue);
}

void gls_tell_bind(const struct gls_bind *bind)
{
	struct xe_vma vma = {
		.dev = name_of_device, .asid = bind->asid, .start = bind->start, .end = bind->end
	};

	if (stand != STANDS_FOR_XE)
		return;
	if (bind->is_unbind)
		trace_xe_vma_unbind(&vma);
	else
		trace_xe_vma_bind(&vma);
}

/* amdgpu_cs_submit() of amdgpu_cs.c, xe_sched_job_push() of xe_sched_job.c: about to be pushed. */
void gls_tell_queued(struct gls_job *job)
{
	if (stand == STANDS_FOR_AMDGPU)
		trace_amdgpu_cs_ioctl((struct amdgpu_job *)job->as_amdgpu);
	if (xe_job(job, NULL)) {
		xe_job(job, NULL)->q->vm->flags =
			job->flags & GLS_LONG_RUNNING ? XE_VM_FLAG_LR_MODE : 0;
		trace_xe_sched_job_create(xe_job(job, NULL));
		trace_xe_sched_job_exec(xe_job(job, NULL));
	}
	if (!(job->flags & GLS_EVICT))
		return;
	gls_truth_cause(job->truth, GLS_CAUSE_EVICTION);
	if (stand == STANDS_FOR_AMDGPU) {
		trace_amdgpu_bo_move(NULL, EVICTED_BYTES, 1, 2);
	} else if (stand == STANDS_FOR_MSM) {
		trace_msm_gem_shrink(32, 0, EVICTED_BYTES >> PAGE_SHIFT, 0, 0);
	} else if (stand == STANDS_FOR_XE) {
		struct xe_vma vma = { .dev = name_of_device, .asid = 7, .end = EVICTED_BYTES - 1 };

		trace_xe_vma_evict(&vma);
		trace_xe_bo_move(name_of_device, EVICTED_BYTES, "system", "vram0");
		trace_xe_vma_userptr_invalidate(&vma);
		trace_xe_vma_userptr_invalidate_complete(&vma);
		trace_xe_vm_rebind_worker_enter(&vma);
		trace_xe_vm_rebind_worker_exit(&vma);
		trace_xe_vma_pf_bind(&vma);
	}
}

/* amdgpu_job_run() of amdgpu_job.c. */
void gls_tell_run(struct gls_job *job)
{
	if (stand == STANDS_FOR_AMDGPU)
		trace_amdgpu_sched_run_job((struct amdgpu_job *)job->as_amdgpu);
}

/*
 * The job has a number of its ring's, and is started next: v3d_bin_job_run() and the others of
 * v3d_sched.c; a6xx_submit() of msm/adreno/a6xx_gpu.c, which reads the GPU's clock last;
 * guc_exec_queue_run_job() of xe_guc_submit.c.
 */
void gls_tell_start(struct gls_job *job, u64 seqno)
{
	unsigned int ring = job->ctx->ring->number;

	if (stand == STANDS_FOR_V3D) {
		if (ring < 2)
			trace_v3d_submit_cl(drm, ring == 1, seqno, 0, 0);
		else if (ring == 2)
			trace_v3d_submit_tfu(drm, seqno);
		else
			trace_v3d_submit_csd(drm, seqno);
	} else if (stand == STANDS_FOR_MSM) {
		struct msm_ringbuffer at = { .id = ring };
		struct msm_gem_submit submit = {
			.pid = job->pid, .ident = job->truth->seqno, .ring = &at, .seqno = seqno
		};

		trace_msm_gpu_submit_flush(&submit, TICKS(ktime_get_ns()));
	}
	if (xe_job(job, job->ring_fence))
		trace_xe_sched_job_run(xe_job(job, job->ring_fence));
	if (stand == STANDS_FOR_XE && job->flags & GLS_FAULT) {
		struct xe_vma vma = { .dev = name_of_device, .asid = 7, .end = 4095 };

		gls_truth_cause(job->truth, GLS_CAUSE_PAGE_FAULT);
		trace_xe_vma_pagefault(&vma);
	}
}

static void retire(struct work_struct *work)
{
	struct retired *r = container_of(work, struct retired, work);
	u64 start = TICKS(r->start_ns), end = TICKS(r->end_ns);

	trace_msm_gpu_submit_retired(&r->submit, div_u64((end - start) * 10000, 192), 500, start,
				     end);
	put_pid(r->submit.pid);
	kfree(r);
}

/* v3d_irq() of v3d_irq.c: before the fence is signalled. */
void gls_tell_end(const struct gls_ring *ring, u64 seqno)
{
	if (stand != STANDS_FOR_V3D)
		return;
	if (ring->number == 0)
		trace_v3d_bcl_irq(drm, seqno);
	else if (ring->number == 1)
		trace_v3d_rcl_irq(drm, seqno);
	else if (ring->number == 2)
		trace_v3d_tfu_irq(drm, seqno);
	else
		trace_v3d_csd_irq(drm, seqno);
}

/* retire_submit() of msm_gpu.c: in a worker, behind the signal. */
void gls_tell_retired(const struct gls_ring *ring, const struct gls_truth *truth, struct pid *pid,
		      u64 seqno, u64 start_ns, u64 end_ns)
{
	struct retired *r;

	if (stand != STANDS_FOR_MSM)
		return;
	r = kzalloc(sizeof(*r), GFP_ATOMIC);
	if (!r)
		return;
	INIT_WORK(&r->work, retire);
	r->ring.id = ring->number;
	r->submit = (struct msm_gem_submit){
		.pid = get_pid(pid), .ident = truth->seqno, .ring = &r->ring, .seqno = seqno
	};
	r->start_ns = start_ns;
	r->end_ns = end_ns;
	queue_work(retires, &r->work);
}

/* The ring is about to be reset because of the job, whose fence of the ring is `fence`. */
void gls_tell_timeout(struct gls_job *job, struct dma_fence *fence)
{
	struct xe_sched_job *told = xe_job(job, fence);

	gls_truth_cause(job->truth, GLS_CAUSE_TIMEOUT);
	if (stand == STANDS_FOR_V3D)
		trace_v3d_reset_begin(drm);
	else if (stand == STANDS_FOR_AMDGPU)
		trace_amdgpu_reset_reg_dumps(0x3268, 1);
	if (!told || !fence)
		return;
	/* xe_guc_exec_queue_reset_handler(), guc_exec_queue_timedout_job(), guc_exec_queue_stop()
	 */
	if (job->flags & GLS_BAD_MEMORY)
		trace_xe_exec_queue_memory_cat_error(told->q);
	else
		trace_xe_exec_queue_reset(told->q);
	trace_xe_sched_job_timedout(told);
	trace_xe_sched_job_ban(told);
}

/* The reset is over. */
void gls_tell_reset(void)
{
	if (stand == STANDS_FOR_V3D)
		trace_v3d_reset_end(drm);
}
