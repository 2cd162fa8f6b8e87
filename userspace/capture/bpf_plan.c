// SPDX-License-Identifier: MIT
// Which BPF programs record which kinds on this kernel.
#include "capture/bpf_plan.h"

#include <stdio.h>
#include <string.h>

#include "base/drivers.h"
#include "capture/bpf_shared.h"

#define TYPED(id, name, prog)                                                                      \
	{                                                                                          \
		.kind = LANE_##id, .attach = LANE_BPF_TYPED, .origin = LANE_ORIGIN_TRACEPOINT,     \
		.hooks = {                                                                         \
			{ #prog, #name }                                                           \
		}                                                                                  \
	}
#define FORMAT(id, name)                                                                           \
	{                                                                                          \
		.kind = LANE_##id, .attach = LANE_BPF_FORMAT, .origin = LANE_ORIGIN_TRACEPOINT,    \
		.hooks = {                                                                         \
			{ "by_format", #name }                                                     \
		}                                                                                  \
	}
/* i915's events, from BTF when the driver has it, else by their formats. */
#define I915(id, name, prog) TYPED(id, name, prog), FORMAT(id, name)
#define REQUEST(id, event)   I915(RQ_##id, i915_request_##event, rq_##event)
#define CONTEXT(id, event)   I915(CTX_##id, intel_context_##event, ctx_##event)
/* drm_sched's events: their names since Linux 6.17, those before, and by their format. Without BTF
 * the events before 6.17 do not tell a job's fence. */
#define DRM(id, name, prog, old)                                                                   \
	TYPED(DRM_##id, name, prog), TYPED(DRM_##id, old, prog##_old), DRM_FORMAT(id, name)
#define DRM_FORMAT(id, name)                                                                       \
	{                                                                                          \
		.kind = LANE_DRM_##id, .attach = LANE_BPF_FORMAT,                                  \
		.origin = LANE_ORIGIN_TRACEPOINT, .hooks = {                                       \
			{ LANE_BPF_PROGRAM_##id, #name }                                           \
		}                                                                                  \
	}
#define LANE_BPF_PROGRAM_QUEUE	       "drm_by_format"
#define LANE_BPF_PROGRAM_RUN	       "drm_by_format"
#define LANE_BPF_PROGRAM_ADD_DEP       "by_format"
#define LANE_BPF_PROGRAM_UNSCHEDULABLE "by_format"
#define LANE_BPF_PROGRAM_DONE	       "by_format"
/* Drivers' own events, by their formats; those that come with each job typed, where BTF has them.
 */
#define DRIVER(id, name)                                                                           \
	{                                                                                          \
		.kind = LANE_##id, .attach = LANE_BPF_FORMAT, .origin = LANE_ORIGIN_TRACEPOINT,    \
		.hooks = {                                                                         \
			{ "driver_by_format", #name }                                              \
		}                                                                                  \
	}
/* Handlers of interrupts. The kernel runs its irq_work in an interrupt that has no number there and
 * tracepoints of its own, on x86: arch/x86/kernel/irq_work.c. */
#define IRQ(id, name, prog, work)                                                                  \
	{ .kind = LANE_IRQ_##id,                                                                   \
	  .attach = LANE_BPF_TYPED,                                                                \
	  .origin = LANE_ORIGIN_TRACEPOINT,                                                        \
	  .hooks = { { #prog, #name }, { #work, #work } } },                                       \
		TYPED(IRQ_##id, name, prog)
/* OpenCL's calls: one program at all entries, one at all returns. */
#define LIBRARY(id, prog)                                                                          \
	{                                                                                          \
		.kind = LANE_CL_##id, .attach = LANE_BPF_LIBRARY, .origin = LANE_ORIGIN_FUNCTION,  \
		.hooks = {                                                                         \
			{ prog, "libOpenCL" }                                                      \
		}                                                                                  \
	}

/* docs/bpf.md says which function stands for which event, and why. */
const struct lane_bpf_way lane_bpf_ways[] = {
	REQUEST(QUEUE, queue),
	REQUEST(ADD, add),
	REQUEST(GUC_SUBMIT, guc_submit),
	REQUEST(SUBMIT, submit),
	{ .kind = LANE_RQ_SUBMIT,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_submit", "submit_notify" } } },
	{ .kind = LANE_RQ_SUBMIT,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .is_any_enough = true,
	  .hooks = { { "fn_execlists_submit_request", "execlists_submit_request" },
		     { "fn_virtual_submit_request", "virtual_submit_request" },
		     { "fn_guc_submit_request", "guc_submit_request" },
		     { "fn_i9xx_submit_request", "i9xx_submit_request" },
		     { "fn_nop_submit_request", "nop_submit_request" },
		     { "fn_mock_submit_request", "mock_submit_request" } } },
	REQUEST(EXECUTE, execute),
	{ .kind = LANE_RQ_EXECUTE,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_execute", "__i915_request_submit" } } },
	{ .kind = LANE_RQ_UNSUBMIT,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_unsubmit", "__i915_request_unsubmit" } } },
	REQUEST(IN, in),
	REQUEST(OUT, out),
	REQUEST(RETIRE, retire),
	{ .kind = LANE_RQ_RETIRE,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_retire", "i915_sched_node_fini" } } },
	REQUEST(WAIT_BEGIN, wait_begin),
	REQUEST(WAIT_END, wait_end),
	{ .kind = LANE_PORTS,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_STATE,
	  .hooks = { { "fn_ports", "execlists_submission_tasklet" } } },
	CONTEXT(SET_PRIO, set_prio),
	CONTEXT(RESET, reset),
	CONTEXT(BAN, ban),
	CONTEXT(REGISTER, register),
	CONTEXT(DEREGISTER, deregister),
	CONTEXT(DEREGISTER_DONE, deregister_done),
	CONTEXT(SCHED_ENABLE, sched_enable),
	CONTEXT(SCHED_DISABLE, sched_disable),
	CONTEXT(SCHED_DONE, sched_done),
	CONTEXT(CREATE, create),
	CONTEXT(FENCE_RELEASE, fence_release),
	CONTEXT(FREE, free),
	CONTEXT(STEAL_GUC_ID, steal_guc_id),
	CONTEXT(DO_PIN, do_pin),
	CONTEXT(DO_UNPIN, do_unpin),
	TYPED(FENCE_INIT, dma_fence_init, fence_init),
	TYPED(FENCE_ENABLE_SIGNAL, dma_fence_enable_signal, fence_enable_signal),
	TYPED(FENCE_SIGNALED, dma_fence_signaled, fence_signaled),
	TYPED(FENCE_ERROR, dma_fence_signaled, fence_signaled),
	TYPED(FENCE_WAIT_START, dma_fence_wait_start, fence_wait_start),
	TYPED(FENCE_WAIT_END, dma_fence_wait_end, fence_wait_end),
	{ .kind = LANE_SYNCOBJ_WAIT,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_sync_wait", "drm_syncobj_wait_ioctl" },
		     { "fn_sync_points", "drm_syncobj_timeline_wait_ioctl" },
		     { "fn_sync_found", "drm_syncobj_array_find" } } },
	{ .kind = LANE_SYNCOBJ_WAITED,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_sync_waited", "drm_syncobj_wait_ioctl" },
		     { "fn_sync_passed", "drm_syncobj_timeline_wait_ioctl" } } },
	TYPED(SWITCH, sched_switch, sched_switch),
	TYPED(WAKING, sched_waking, sched_waking),
	TYPED(WAKEUP, sched_wakeup, sched_wakeup),
	TYPED(WAKEUP_NEW, sched_wakeup_new, sched_wakeup_new),
	TYPED(MIGRATE, sched_migrate_task, sched_migrate_task),
	TYPED(FORK, sched_process_fork, sched_fork),
	TYPED(EXEC, sched_process_exec, sched_exec),
	TYPED(EXIT, sched_process_exit, sched_exit),
	DRM(QUEUE, drm_sched_job_queue, drm_queue, drm_sched_job),
	DRM(RUN, drm_sched_job_run, drm_run, drm_run_job),
	DRM(ADD_DEP, drm_sched_job_add_dep, drm_add_dep, drm_sched_job_wait_dep),
	TYPED(DRM_UNSCHEDULABLE, drm_sched_job_unschedulable, drm_unschedulable),
	DRM_FORMAT(UNSCHEDULABLE, drm_sched_job_unschedulable),
	DRM(DONE, drm_sched_job_done, drm_done, drm_sched_process_job),
	TYPED(XE_TIMEDOUT, xe_sched_job_timedout, xe_timedout),
	DRIVER(XE_TIMEDOUT, xe_sched_job_timedout),
	TYPED(XE_BAN, xe_sched_job_ban, xe_ban),
	DRIVER(XE_BAN, xe_sched_job_ban),
	TYPED(XE_ERROR, xe_sched_job_set_error, xe_error),
	DRIVER(XE_ERROR, xe_sched_job_set_error),
	DRIVER(XE_RESET, xe_exec_queue_reset),
	DRIVER(XE_CAT_ERROR, xe_exec_queue_memory_cat_error),
	DRIVER(XE_PAGEFAULT, xe_vma_pagefault),
	DRIVER(XE_EVICT, xe_vma_evict),
	TYPED(AMD_SUBMIT, amdgpu_cs_ioctl, amd_submit),
	DRIVER(AMD_SUBMIT, amdgpu_cs_ioctl),
	TYPED(AMD_RUN, amdgpu_sched_run_job, amd_run),
	DRIVER(AMD_RUN, amdgpu_sched_run_job),
	DRIVER(AMD_MOVE, amdgpu_bo_move),
	DRIVER(AMD_RESET, amdgpu_reset_reg_dumps),
	DRIVER(AMD_USERQ_EMIT, amdgpu_userq_emit_fence),
	DRIVER(AMD_USERQ_WAIT, amdgpu_userq_wait_deps),
	DRIVER(LIMA_SUBMIT, lima_task_submit),
	DRIVER(LIMA_RUN, lima_task_run),
	TYPED(MSM_FLUSH, msm_gpu_submit_flush, msm_flush),
	DRIVER(MSM_FLUSH, msm_gpu_submit_flush),
	TYPED(MSM_RETIRED, msm_gpu_submit_retired, msm_retired),
	DRIVER(MSM_RETIRED, msm_gpu_submit_retired),
	DRIVER(MSM_PREEMPT, msm_gpu_preemption_trigger),
	DRIVER(MSM_SHRINK, msm_gem_shrink),
	TYPED(V3D_SUBMIT_CL, v3d_submit_cl, typed_v3d_submit_cl),
	DRIVER(V3D_SUBMIT_CL, v3d_submit_cl),
	TYPED(V3D_SUBMIT_TFU, v3d_submit_tfu, typed_v3d_submit_tfu),
	DRIVER(V3D_SUBMIT_TFU, v3d_submit_tfu),
	TYPED(V3D_SUBMIT_CSD, v3d_submit_csd, typed_v3d_submit_csd),
	DRIVER(V3D_SUBMIT_CSD, v3d_submit_csd),
	TYPED(V3D_BCL_IRQ, v3d_bcl_irq, typed_v3d_bcl_irq),
	DRIVER(V3D_BCL_IRQ, v3d_bcl_irq),
	TYPED(V3D_RCL_IRQ, v3d_rcl_irq, typed_v3d_rcl_irq),
	DRIVER(V3D_RCL_IRQ, v3d_rcl_irq),
	TYPED(V3D_TFU_IRQ, v3d_tfu_irq, typed_v3d_tfu_irq),
	DRIVER(V3D_TFU_IRQ, v3d_tfu_irq),
	TYPED(V3D_CSD_IRQ, v3d_csd_irq, typed_v3d_csd_irq),
	DRIVER(V3D_CSD_IRQ, v3d_csd_irq),
	DRIVER(V3D_RESET_BEGIN, v3d_reset_begin),
	DRIVER(V3D_RESET_END, v3d_reset_end),
	DRIVER(RECLAIM_BEGIN, mm_vmscan_direct_reclaim_begin),
	DRIVER(RECLAIM_END, mm_vmscan_direct_reclaim_end),
	{ .kind = LANE_MEMSTALL_BEGIN,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_memstall_enter", "psi_memstall_enter" } } },
	{ .kind = LANE_MEMSTALL_END,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_memstall_leave", "psi_memstall_leave" } } },
	{ .kind = LANE_XE_ENTER,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .is_any_enough = true,
	  .hooks = { { "fn_vm_bind", "xe_vm_bind_ioctl" },
		     { "fn_user_wait", "xe_wait_user_fence_ioctl" },
		     { "fn_get_mode", "xe_hw_engine_group_get_mode" } } },
	{ .kind = LANE_XE_LEAVE,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .is_any_enough = true,
	  .hooks = { { "fn_vm_bound", "xe_vm_bind_ioctl" },
		     { "fn_user_waited", "xe_wait_user_fence_ioctl" },
		     { "fn_got_mode", "xe_hw_engine_group_get_mode" } } },
	{ .kind = LANE_REFUSED,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .is_any_enough = true,
	  .hooks = { { "submit_EXECBUFFER2", "i915_gem_execbuffer2_ioctl" },
		     { "submitted_EXECBUFFER2", "i915_gem_execbuffer2_ioctl" },
		     { "submit_EXEC", "xe_exec_ioctl" },
		     { "submitted_EXEC", "xe_exec_ioctl" },
		     { "submit_CS", "amdgpu_cs_ioctl" },
		     { "submitted_CS", "amdgpu_cs_ioctl" } } },
	DRIVER(USERPTR_BEGIN, xe_vma_userptr_invalidate),
	DRIVER(USERPTR_END, xe_vma_userptr_invalidate_complete),
	DRIVER(REBIND_BEGIN, xe_vm_rebind_worker_enter),
	DRIVER(REBIND_END, xe_vm_rebind_worker_exit),
	DRIVER(PF_BIND, xe_vma_pf_bind),
	DRIVER(XE_MOVE, xe_bo_move),
	DRIVER(I915_EVICT, i915_gem_evict),
	DRIVER(I915_EVICT_NODE, i915_gem_evict_node),
	DRIVER(I915_EVICT_VM, i915_gem_evict_vm),
	DRIVER(I915_BIND, i915_vma_bind),
	TYPED(RESUME_BEGIN, rpm_resume, rpm_resume),
	TYPED(RESUME_END, rpm_return_int, rpm_return_int),
	TYPED(CPU_IDLE, cpu_idle, cpu_idle),
	TYPED(CPU_CLOCK, cpu_frequency, cpu_frequency),
	IRQ(ENTRY, irq_handler_entry, irq_entry, irq_work_entry),
	IRQ(EXIT, irq_handler_exit, irq_exit, irq_work_exit),
	TYPED(SOFTIRQ_ENTRY, softirq_entry, softirq_entry),
	TYPED(SOFTIRQ_EXIT, softirq_exit, softirq_exit),
	TYPED(SOFTIRQ_RAISE, softirq_raise, softirq_raise),
	TYPED(WORK_QUEUE, workqueue_queue_work, work_queue),
	TYPED(WORK_START, workqueue_execute_start, work_start),
	TYPED(WORK_END, workqueue_execute_end, work_end),
	{ .kind = LANE_FRAME,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_mark", "vfs_write" } } },
	{ .kind = LANE_FRAME,
	  .attach = LANE_BPF_UPROBE,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "frame_function", "the frames' function" } } },
	{ .kind = LANE_MARKER,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_marker", "vfs_write" } } },
	{ .kind = LANE_RESET,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .is_any_enough = true,
	  .hooks = { { "fn_reset", "intel_gt_reset" },
		     { "fn_timedout", "drm_sched_job_timedout" } } },
	{ .kind = LANE_VBLANK,
	  .attach = LANE_BPF_TYPED,
	  .origin = LANE_ORIGIN_TRACEPOINT,
	  .hooks = { { "vblank_event", "drm_vblank_event" } } },
	{ .kind = LANE_FLIP,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_commit", "drm_atomic_commit" },
		     { "fn_nonblocking_commit", "drm_atomic_nonblocking_commit" },
		     /* The event of a refresh does not say whose it is. */
		     { "fn_handle_vblank", "drm_handle_vblank" } } },
	{ .kind = LANE_FLIP_FENCE,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_swap_state", "drm_atomic_helper_swap_state" } } },
	{ .kind = LANE_FLIP_ARMED,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_arm_vblank", "drm_crtc_arm_vblank_event" } } },
	{ .kind = LANE_FLIP_DONE,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_hw_done", "drm_atomic_helper_commit_hw_done" } } },
	{ .kind = LANE_FLIP_SHOWN,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_send_vblank", "drm_crtc_send_vblank_event" } } },
	{ .kind = LANE_FLIP_FAILED,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_committed", "drm_atomic_commit" },
		     { "fn_nonblocking_committed", "drm_atomic_nonblocking_commit" } } },
	{ .kind = LANE_FLIP_CONNECTOR,
	  .attach = LANE_BPF_FUNCTION,
	  .origin = LANE_ORIGIN_FUNCTION,
	  .hooks = { { "fn_swap_connectors", "drm_atomic_helper_swap_state" } } },
	LIBRARY(ENTRY, "cl_entry"),
	LIBRARY(EXIT, "cl_exit"),
	LIBRARY(KERNEL, "cl_exit"),
	LIBRARY(QUEUE, "cl_exit"),
	LIBRARY(PROFILE, "cl_exit"),
};

#define N_WAYS (sizeof(lane_bpf_ways) / sizeof(lane_bpf_ways[0]))
const unsigned int lane_bpf_n_ways = N_WAYS;
_Static_assert(N_WAYS <= LANE_BPF_MAX_WAYS, "every way can be refused");

static int group_of(int kind)
{
	for (int i = 0; i < LANE_GROUP_COUNT; i++)
		if (!strcmp(lane_groups[i].name, lane_kinds[kind].group))
			return i;
	return -1;
}

static const char *memory_system(int kind)
{
	if (kind <= LANE_RECLAIM_END)
		return "vmscan";
	if (kind <= LANE_REFUSED)
		return NULL;
	return kind <= LANE_XE_MOVE ? "xe" : "i915";
}

const char *capture_bpf_system(int kind)
{
	int group = group_of(kind);

	if (lane_is_driver((unsigned int)kind))
		return lane_drm_driver_of_kind(lane_kinds[kind].name)->system;
	if (lane_is_memory((unsigned int)kind))
		return memory_system(kind);
	if (kind == LANE_CPU_IDLE || kind == LANE_CPU_CLOCK)
		return "power";
	if (group < 0 || kind == LANE_RQ_UNSUBMIT || kind == LANE_PORTS || kind == LANE_STATEDUMP)
		return NULL;
	return lane_groups[group].system;
}

const char *capture_bpf_argument(int kind)
{
	if (kind == LANE_DRM_DONE)
		return "drm_sched_fence";
	if (kind >= LANE_XE_TIMEDOUT && kind <= LANE_XE_ERROR)
		return "xe_sched_job";
	if (kind == LANE_AMD_SUBMIT || kind == LANE_AMD_RUN)
		return "amdgpu_job";
	if (kind == LANE_MSM_FLUSH || kind == LANE_MSM_RETIRED)
		return "msm_gem_submit";
	if (kind >= LANE_V3D_SUBMIT_CL && kind <= LANE_V3D_CSD_IRQ)
		return "drm_device";
	return lane_is_drm((unsigned int)kind) ? "drm_sched_job" : NULL;
}

unsigned int capture_bpf_arguments(int kind)
{
	if (kind == LANE_V3D_SUBMIT_CL || kind == LANE_MSM_RETIRED)
		return 5;
	return kind == LANE_MSM_FLUSH || (kind >= LANE_V3D_SUBMIT_TFU && kind <= LANE_V3D_CSD_IRQ)
		       ? 2
		       : 0;
}

static bool of_i915(int kind)
{
	return kind <= LANE_CTX_DO_UNPIN;
}

/* A program reads the kind's events by their format, too. */
static bool has_format(int kind)
{
	return of_i915(kind) || lane_is_drm((unsigned int)kind) ||
	       lane_is_cause((unsigned int)kind);
}

/* Why a way cannot be gone, NULL when it can; notes which hooks it then uses. */
static const char *way_blocked(struct lane_bpf_plan *plan, const struct lane_bpf_way *way,
			       const struct lane_bpf_kernel *kernel)
{
	bool *hooked = plan->hooked[way->kind];
	const char *why = plan->refused[way - lane_bpf_ways];
	unsigned int usable = 0;

	memset(hooked, 0, sizeof(plan->hooked[0]));
	if (*why)
		return why;
	if (way->attach == LANE_BPF_LIBRARY) {
		why = kernel->library ? kernel->library(kernel->data) : "no OpenCL loader";
		hooked[0] = !why;
		return why;
	}
	if (way->attach == LANE_BPF_UPROBE) {
		hooked[0] = true;
		return NULL;
	}
	if (way->attach != LANE_BPF_FUNCTION) {
		why = kernel->event(kernel->data, way);
		if (!why && way->attach == LANE_BPF_TYPED)
			why = kernel->typed(kernel->data, way);
		for (int i = 0; i < LANE_BPF_MAX_HOOKS; i++)
			hooked[i] = !why && way->hooks[i].program;
		return why;
	}
	why = NULL;
	for (int i = 0; i < LANE_BPF_MAX_HOOKS && way->hooks[i].program; i++) {
		const char *blocked = kernel->function(kernel->data, way->hooks[i].target);

		hooked[i] = !blocked;
		usable += !blocked;
		if (blocked && !why)
			why = blocked;
	}
	return way->is_any_enough && usable ? NULL : why;
}

/* Whether the user's choice of hooks allows this kind of way, in this pass over the ways. */
static bool way_allowed(const struct lane_bpf_way *way, enum lane_hook_choice hooks, int pass)
{
	bool function = way->attach == LANE_BPF_FUNCTION;

	if (way->attach == LANE_BPF_LIBRARY || way->attach == LANE_BPF_UPROBE)
		return pass == 0;
	/* These are no stand-ins for tracepoints. */
	if (way->attach == LANE_BPF_FUNCTION && way->kind >= LANE_FRAME &&
	    way->kind <= LANE_FLIP_CONNECTOR)
		return pass == 1;
	switch (hooks) {
	case LANE_HOOKS_AUTO:
		return function == (pass == 1);
	case LANE_HOOKS_TRACEPOINT:
		return !function && pass == 0;
	case LANE_HOOKS_FUNCTION:
		return function == (pass == 0);
	case LANE_HOOKS_FORMAT:
		if (way->attach == LANE_BPF_TYPED && has_format(way->kind))
			return false;
		return function == (pass == 1);
	}
	return false;
}

static const char *hook_kind(const struct lane_bpf_way *way)
{
	if (way->attach == LANE_BPF_LIBRARY || way->attach == LANE_BPF_UPROBE)
		return "library";
	return way->attach == LANE_BPF_FUNCTION ? "function" : capture_bpf_system(way->kind);
}

static void take_way(struct lane_bpf_plan *plan, const struct lane_bpf_way *way)
{
	struct lane_capture_kind *kind = &plan->kinds[way->kind];
	int first = 0;

	while (first < LANE_BPF_MAX_HOOKS - 1 && !plan->hooked[way->kind][first])
		first++;
	plan->ways[way->kind] = way;
	kind->recorded = true;
	kind->origin = way->origin;
	kind->missing[0] = 0;
	snprintf(kind->hook, sizeof(kind->hook), "%s:%s", hook_kind(way), way->hooks[first].target);
}

/*
 * Why this way cannot be gone says more than that another one cannot: the kernel refused it, or its
 * event is there under one of the names that it has had.
 */
static bool is_news(const struct lane_bpf_plan *plan, const struct lane_bpf_way *way,
		    const struct lane_bpf_kernel *kernel)
{
	return *plan->refused[way - lane_bpf_ways] ||
	       (lane_is_drm((unsigned int)way->kind) && !kernel->event(kernel->data, way));
}

/* A frame's mark is one of two things, and the way its own. */
static bool marks_frames(const struct lane_bpf_way *way, const struct lane_capture_config *config)
{
	return way->kind != LANE_FRAME ||
	       (way->attach == LANE_BPF_UPROBE ? config->frame.symbol : config->frame.text);
}

static void plan_kind(struct lane_bpf_plan *plan, int kind,
		      const struct lane_capture_config *config,
		      const struct lane_bpf_kernel *kernel)
{
	char *missing = plan->kinds[kind].missing;
	const char *why, *first = NULL;
	bool news = false;

	if (of_i915(kind) && !kernel->has_i915) {
		snprintf(missing, sizeof(plan->kinds[kind].missing), "i915 is not loaded");
		return;
	}
	if (kind == LANE_FRAME && !config->frame.text && !config->frame.symbol) {
		snprintf(missing, sizeof(plan->kinds[kind].missing),
			 "nothing marks frames (see watch --frame)");
		return;
	}
	if (lane_is_work((unsigned int)kind) &&
	    kernel->function(kernel->data, "drm_sched_run_job_work")) {
		snprintf(missing, sizeof(plan->kinds[kind].missing),
			 "no work items give jobs to their rings here (they do from Linux 6.8 on)");
		return;
	}
	if (lane_is_work((unsigned int)kind) &&
	    !kernel->has_address(kernel->data, "drm_sched_run_job_work")) {
		snprintf(missing, sizeof(plan->kinds[kind].missing),
			 "the kernel hides where its functions are (sysctl -w "
			 "kernel.kptr_restrict=1 shows it to root)");
		plan->kinds[kind].is_held_back = true;
		return;
	}
	if (kind == LANE_CL_ATOMICS) {
		snprintf(missing, sizeof(plan->kinds[kind].missing),
			 "only the layer reads programs' source");
		return;
	}
	if (kind == LANE_CL_COMMAND || kind == LANE_CL_RUN || kind == LANE_CL_CLOCK) {
		snprintf(missing, sizeof(plan->kinds[kind].missing),
			 "only the layer has commands' times");
		return;
	}
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < lane_bpf_n_ways; i++) {
			const struct lane_bpf_way *way = &lane_bpf_ways[i];

			if (way->kind != kind || !way_allowed(way, config->hooks, pass) ||
			    !marks_frames(way, config))
				continue;
			why = way_blocked(plan, way, kernel);
			if (!why) {
				take_way(plan, way);
				return;
			}
			/* The last resort's reason says the most, but a refusal is news. */
			if (!first || (!news && is_news(plan, way, kernel))) {
				first = why;
				news = is_news(plan, way, kernel);
			}
		}
	}
	snprintf(missing, sizeof(plan->kinds[kind].missing), "%s",
		 first ? first : "only tracepoints were asked for");
}

void capture_bpf_plan(struct lane_bpf_plan *plan, const struct lane_capture_config *config,
		      const struct lane_bpf_kernel *kernel)
{
	memset(plan->kinds, 0, sizeof(plan->kinds));
	memset(plan->ways, 0, sizeof(plan->ways));
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		int group = group_of(kind);

		if (group < 0 || !(config->groups & 1u << group))
			continue;
		if (kind == LANE_STATEDUMP) {
			plan->kinds[kind].recorded = true;
			plan->kinds[kind].origin = LANE_ORIGIN_SNAPSHOT;
			snprintf(plan->kinds[kind].hook, sizeof(plan->kinds[kind].hook), "/proc");
			continue;
		}
		plan_kind(plan, kind, config, kernel);
	}
}

bool capture_bpf_refuse(struct lane_bpf_plan *plan, const char *program, const char *why)
{
	bool found = false;

	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		const struct lane_bpf_way *way = plan->ways[kind];

		for (int i = 0; way && i < LANE_BPF_MAX_HOOKS && way->hooks[i].program; i++) {
			if (!plan->hooked[kind][i] || strcmp(way->hooks[i].program, program))
				continue;
			snprintf(plan->refused[way - lane_bpf_ways], sizeof(plan->refused[0]),
				 "%s: the kernel refused program %s: %.96s", way->hooks[i].target,
				 program, why);
			found = true;
		}
	}
	return found;
}

unsigned int capture_bpf_planned(const struct lane_bpf_plan *plan)
{
	unsigned int n = 0;

	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		n += plan->ways[kind] != NULL;
	return n;
}

struct lane_error *capture_bpf_settings(const struct lane_capture_config *config, size_t ring_bytes,
					unsigned int switch_state_arg,
					struct lane_bpf_config *settings)
{
	memset(settings, 0, sizeof(*settings));
	if (config->n_engines > LANE_BPF_MAX_ENGINES)
		return lane_error_usage("--engine: %zu are more than the %d that can be chosen "
					"(leave the choice out to record all)",
					config->n_engines, LANE_BPF_MAX_ENGINES);
	for (size_t i = 0; i < config->n_engines; i++) {
		settings->engines[i].class = config->engines[i].class;
		settings->engines[i].instance = config->engines[i].instance;
	}
	settings->n_engines = config->n_engines;
	if (config->comm) {
		size_t length = strlen(config->comm);

		if (!length || length >= sizeof(settings->comm))
			return lane_error_usage("--comm %s: not 1 to %zu characters long (the "
						"kernel cuts names off "
						"there, see /proc/PID/comm)",
						config->comm, sizeof(settings->comm) - 1);
		memcpy(settings->comm, config->comm, length);
		settings->follow |= LANE_BPF_FOLLOW_COMM;
	}
	if (config->follow_pid)
		settings->follow |= LANE_BPF_FOLLOW_TREE;
	settings->ring_mask = (__u32)ring_bytes - 1;
	settings->switch_state_arg = switch_state_arg;
	return NULL;
}

struct lane_error *capture_bpf_ring_bytes(size_t asked, size_t page_bytes, size_t *bytes)
{
	*bytes = asked ? asked : (size_t)4 << 20;
	if (*bytes < page_bytes || *bytes > (size_t)1 << 30 || (*bytes & (*bytes - 1)))
		return lane_error_usage("--buffer: %zu bytes: not between %zuK and 1G", asked,
					page_bytes >> 10);
	return NULL;
}
