/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The kernel's structures as far as the programs read them: members only, in no order. Where they
 * really are is found when a program is loaded, from the BTF of the running kernel and of i915.
 */
#ifndef LANE_BPF_KERNEL_H
#define LANE_BPF_KERNEL_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

/* kernel/sched */
struct thread_info {
	__u32 cpu;
};

struct signal_struct {
	atomic_t live;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

/* A number in each namespace that it can be seen in, from the first one on. */
struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct task_struct {
	struct thread_info thread_info;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	unsigned int flags;
	unsigned int __state;
	int exit_state;
	int prio;
	int pid;
	int tgid;
	char comm[16];
	struct signal_struct *signal;
};

/* arch/x86/include/asm/ptrace.h: those of a program, as it came into the kernel.
 * Programs see another one of that name */
struct pt_regs___kernel {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, ip, sp;
};

/* include/linux/mutex.h */
typedef struct {
	long counter;
} atomic_long_t;

struct mutex {
	atomic_long_t owner; /* a task_struct, with flags in its last bits */
};

/* include/linux/fs.h */
struct super_block {
	__u32 s_dev;
};

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
};

struct file {
	struct inode *f_inode;
};

/* include/linux/interrupt.h */
struct irqaction {
	const char *name;
};

struct linux_binprm {
	const char *filename;
};

/* drivers/dma-buf */
struct list_head {
	struct list_head *next;
};

struct dma_fence {
	const void *ops;
	__u64 context;
	__u64 seqno;
	unsigned long flags;
	int error;
};

struct dma_fence_array {
	struct dma_fence base;
	unsigned int num_fences;
	struct dma_fence **fences;
};

struct dma_fence_chain {
	struct dma_fence base;
	struct dma_fence *prev;
	__u64 prev_seqno;
	struct dma_fence *fence;
};

/* include/linux/device.h */
struct kobject {
	const char *name;
};

struct device_driver {
	const char *name;
};

/* include/linux/pm.h */
enum rpm_status {
	RPM_ACTIVE = 0
};

struct dev_pm_info {
	enum rpm_status runtime_status;
};

struct device {
	struct kobject kobj;
	const char *init_name;
	struct dev_pm_info power;
	struct device_driver *driver;
};

/* drivers/gpu/drm */
struct drm_minor {
	int index;
};

struct drm_mode_config {
	int num_crtc;
	int num_total_plane;
	struct list_head connector_list;
};

struct drm_device {
	struct drm_minor *primary;
	struct drm_mode_config mode_config;
};

/* include/drm/drm_syncobj.h */
struct drm_syncobj {
	struct dma_fence *fence;
};

/* include/drm/drm_atomic.h */
struct drm_crtc {
	struct drm_device *dev;
	unsigned int index;
};

/* include/drm/drm_connector.h */
struct drm_connector {
	struct list_head head;
	char *name;
	unsigned int index;
};

/* include/drm/drm_vblank.h */
struct drm_pending_vblank_event {
	__u64 sequence;
};

struct drm_plane_state {
	struct dma_fence *fence;
};

struct drm_crtc_state {
	_Bool active;
	__u32 connector_mask;
};

struct __drm_crtcs_state {
	struct drm_crtc *ptr;
	struct drm_crtc_state *old_state;
	struct drm_crtc_state *new_state;
};

struct __drm_planes_state {
	struct drm_plane_state *new_state;
};

struct drm_atomic_state { /* up to Linux 7.2 */
	struct drm_device *dev;
	_Bool legacy_cursor_update : 1;
	struct __drm_planes_state *planes;
	struct __drm_crtcs_state *crtcs;
};

struct drm_atomic_commit { /* from Linux 7.3 on */
	struct drm_device *dev;
	_Bool legacy_cursor_update : 1;
	struct __drm_planes_state *planes;
	struct __drm_crtcs_state *crtcs;
};

/* include/drm/gpu_scheduler.h */
struct spsc_queue {
	atomic_t job_count;
};

struct drm_sched_entity {
	struct spsc_queue job_queue;
};

/* include/linux/workqueue_types.h */
struct work_struct {
	void *func;
};

struct delayed_work {
	struct work_struct work;
};

struct drm_gpu_scheduler {
	struct list_head pending_list;
	long timeout; /* jiffies */
	atomic_t credit_count;
	const char *name;
	struct device *dev;
	struct delayed_work work_tdr;
};

struct drm_sched_fence {
	struct dma_fence finished;
	__u64 drm_client_id;
};

struct drm_sched_job {
	struct list_head list;
	struct drm_gpu_scheduler *sched;
	struct drm_sched_fence *s_fence;
	__u64 id; /* up to Linux 6.16 */
};

/* drivers/gpu/drm/amd/amdgpu */
struct amdgpu_job {
	struct drm_sched_job base;
};

/* drivers/gpu/drm/msm */
struct msm_ringbuffer {
	int id;
};

struct msm_gem_submit {
	struct msm_ringbuffer *ring;
	__u32 seqno;
	__u32 ident;
	struct pid *pid;
};

/* drivers/gpu/drm/xe */
struct xe_guc_exec_queue {
	__u16 id;
};

struct xe_vm {
	unsigned long flags;
	struct {
		__u32 asid;
	} usm;
};

struct xe_exec_queue {
	unsigned long flags;
	struct xe_guc_exec_queue *guc;
	struct xe_vm *vm;
	struct drm_sched_entity *entity;
};

enum xe_hw_engine_group_execution_mode {
	EXEC_MODE_LR
};

struct xe_hw_engine_group {
	enum xe_hw_engine_group_execution_mode cur_mode;
};

struct xe_sched_job {
	struct drm_sched_job drm;
	struct xe_exec_queue *q;
	struct dma_fence *fence;
};

/* drivers/gpu/drm/i915 */
struct drm_i915_private {
	struct drm_device drm;
};

struct i915_request;

struct intel_engine_execlists {
	struct i915_request *const *active;
	struct i915_request *pending[3];
};

struct intel_engine_cs {
	struct drm_i915_private *i915;
	__u16 uabi_class;
	__u16 uabi_instance;
	struct intel_engine_execlists execlists;
};

struct i915_sw_fence {
	int error;
};

struct i915_sched_attr {
	int priority;
};

struct i915_sched_node {
	struct i915_sched_attr attr;
};

struct i915_request {
	struct dma_fence fence;
	struct intel_engine_cs *engine;
	struct i915_sw_fence submit;
	struct i915_sched_node sched;
	const __u32 *hwsp_seqno;
	__u32 tail;
};

struct tasklet_struct {
	unsigned long state;
};

struct i915_sched_engine {
	struct tasklet_struct tasklet;
	void *private_data;
};

struct intel_context {
	atomic_t pin_count;
	struct {
		__u32 sched_state;
		__u8 prio;
	} guc_state;
	struct {
		__u16 id;
	} guc_id;
};

#pragma clang attribute pop

/* include/linux/sched.h */
#define MAX_SCHEDULE_TIMEOUT (~0ul >> 1)

/* xe/xe_vm_types.h: the same in Linux 6.8 to 7.3 */
#define XE_VM_FLAG_LR_MODE (1 << 1)
/* xe/xe_exec_queue_types.h: likewise */
#define EXEC_QUEUE_FLAG_KERNEL (1 << 0)
#define EXEC_QUEUE_FLAG_VM     (1 << 2)

/* enum i915_sw_fence_notify */
#define FENCE_COMPLETE 0

/* Its values are the running kernel's: core_fixes.bpf.h */
enum dma_fence_flag_bits {
	DMA_FENCE_FLAG_SIGNALED_BIT,
};

#endif
