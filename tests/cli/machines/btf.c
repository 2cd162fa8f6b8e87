// SPDX-License-Identifier: MIT
// Compiled for BPF, its BTF stands for a kernel's with i915 built in: types of the events,
// functions.
struct i915_request {
	int unused;
};
struct i915_request request;
typedef void (*btf_trace_i915_request_queue)(void *);
btf_trace_i915_request_queue event_i915_request_queue;
typedef void (*btf_trace_i915_request_add)(void *);
btf_trace_i915_request_add event_i915_request_add;
typedef void (*btf_trace_i915_request_retire)(void *);
btf_trace_i915_request_retire event_i915_request_retire;
typedef void (*btf_trace_i915_request_wait_begin)(void *);
btf_trace_i915_request_wait_begin event_i915_request_wait_begin;
typedef void (*btf_trace_i915_request_wait_end)(void *);
btf_trace_i915_request_wait_end event_i915_request_wait_end;
typedef void (*btf_trace_dma_fence_init)(void *);
btf_trace_dma_fence_init event_dma_fence_init;
typedef void (*btf_trace_dma_fence_enable_signal)(void *);
btf_trace_dma_fence_enable_signal event_dma_fence_enable_signal;
typedef void (*btf_trace_dma_fence_signaled)(void *);
btf_trace_dma_fence_signaled event_dma_fence_signaled;
typedef void (*btf_trace_dma_fence_wait_start)(void *);
btf_trace_dma_fence_wait_start event_dma_fence_wait_start;
typedef void (*btf_trace_dma_fence_wait_end)(void *);
btf_trace_dma_fence_wait_end event_dma_fence_wait_end;
typedef void (*btf_trace_sched_switch)(void *);
btf_trace_sched_switch event_sched_switch;
typedef void (*btf_trace_sched_waking)(void *);
btf_trace_sched_waking event_sched_waking;
typedef void (*btf_trace_sched_wakeup)(void *);
btf_trace_sched_wakeup event_sched_wakeup;
typedef void (*btf_trace_sched_wakeup_new)(void *);
btf_trace_sched_wakeup_new event_sched_wakeup_new;
typedef void (*btf_trace_sched_migrate_task)(void *);
btf_trace_sched_migrate_task event_sched_migrate_task;
typedef void (*btf_trace_sched_process_fork)(void *);
btf_trace_sched_process_fork event_sched_process_fork;
typedef void (*btf_trace_sched_process_exec)(void *);
btf_trace_sched_process_exec event_sched_process_exec;
typedef void (*btf_trace_sched_process_exit)(void *);
btf_trace_sched_process_exit event_sched_process_exit;
#define FUNCTION(name)                                                                             \
	int name(int a)                                                                            \
	{                                                                                          \
		return a;                                                                          \
	}
FUNCTION(submit_notify)
FUNCTION(execlists_submit_request)
FUNCTION(virtual_submit_request)
FUNCTION(guc_submit_request)
FUNCTION(nop_submit_request)
FUNCTION(__i915_request_submit)
FUNCTION(__i915_request_unsubmit)
FUNCTION(i915_sched_node_fini)
FUNCTION(execlists_submission_tasklet)
/* drm_sched's of before Linux 6.17, one of them with an argument that nobody knows. */
struct drm_sched_job {
	int unused;
};
struct drm_sched_entity;
struct dma_fence;
typedef void (*btf_trace_drm_sched_job)(void *, struct drm_sched_job *, struct drm_sched_entity *);
btf_trace_drm_sched_job event_drm_sched_job;
typedef void (*btf_trace_drm_run_job)(void *, struct drm_sched_job *, struct drm_sched_entity *);
btf_trace_drm_run_job event_drm_run_job;
typedef void (*btf_trace_drm_sched_job_wait_dep)(void *, struct drm_sched_job *,
						 struct dma_fence *);
btf_trace_drm_sched_job_wait_dep event_drm_sched_job_wait_dep;
typedef void (*btf_trace_drm_sched_process_job)(void *, struct drm_sched_job *);
btf_trace_drm_sched_process_job event_drm_sched_process_job;
/* xe's, built in. */
struct xe_exec_queue {
	int unused;
};
struct xe_exec_queue xe_queue;
FUNCTION(xe_exec_ioctl)
FUNCTION(xe_vm_bind_ioctl)
FUNCTION(xe_wait_user_fence_ioctl)
FUNCTION(drm_sched_run_job_work)
FUNCTION(psi_memstall_enter)
FUNCTION(psi_memstall_leave)
typedef void (*btf_trace_cpu_idle)(void *);
btf_trace_cpu_idle event_cpu_idle;
