/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * All that changed in the kernel from version to version, each with the commit that did it. Tests
 * for the feature in BTF, never for a version.
 */
#ifndef LANE_BPF_CORE_FIXES_BPF_H
#define LANE_BPF_CORE_FIXES_BPF_H

#include <stdbool.h>

#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

struct task_struct___pre_5_14 {
	long state;
} __attribute__((preserve_access_index));

struct task_struct___pre_5_16 {
	unsigned int cpu;
} __attribute__((preserve_access_index));

/*
 * 2f064a59a11f ("sched: Change task_struct::state", 5.14) renamed `state` to `__state`.
 */
static __always_inline unsigned int task_state(struct task_struct *task)
{
	struct task_struct___pre_5_14 *old = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return BPF_CORE_READ(old, state);
}

/*
 * bcf9033e5449 ("sched: move CPU field back into thread_info if THREAD_INFO_IN_TASK=y", 5.16).
 */
static __always_inline unsigned int task_cpu(struct task_struct *task)
{
	struct task_struct___pre_5_16 *old = (void *)task;

	if (bpf_core_field_exists(task->thread_info.cpu))
		return task->thread_info.cpu;
	return BPF_CORE_READ(old, cpu);
}

/* include/linux/sched.h; the numbers are what ftrace and LTTng show, so they do not change. */
#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_REPORT	     0x7f
#define TASK_REPORT_IDLE     0x80
#define TASK_NOLOAD	     0x400
#define TASK_IDLE	     (TASK_UNINTERRUPTIBLE | TASK_NOLOAD)
#define TASK_RTLOCK_WAIT     0x1000
#define TASK_FROZEN	     0x8000

/*
 * The state of a thread as sched_switch shows it: 0 when it could go on running, else the highest
 * bit of what it waits in. include/linux/sched.h: __task_state_index(). TASK_RTLOCK_WAIT shows as
 * TASK_UNINTERRUPTIBLE since 25795ef6299f (5.16), TASK_FROZEN since f5d39b020809 (6.1); the bits
 * meant nothing that is ever set together with a sleep before.
 */
static __always_inline __s64 report_state(unsigned int state, unsigned int exit_state)
{
	unsigned int report = (state | exit_state) & TASK_REPORT;

	if ((state & TASK_IDLE) == TASK_IDLE)
		report = TASK_REPORT_IDLE;
	if (state & (TASK_RTLOCK_WAIT | TASK_FROZEN))
		report = TASK_UNINTERRUPTIBLE;
	report |= report >> 1;
	report |= report >> 2;
	report |= report >> 4;
	return report - (report >> 1);
}

/*
 * The bit of a fence's flags that says that it has been signalled. enum dma_fence_flag_bits
 * (include/linux/dma-fence.h): the bit is the first one in 6.12, and the fourth one in 7.3, after
 * DMA_FENCE_FLAG_INITIALIZED_BIT. A kernel whose BTF lacks the value is an older one.
 */
static __always_inline __u64 fence_signalled_bit(void)
{
	if (bpf_core_enum_value_exists(enum dma_fence_flag_bits, DMA_FENCE_FLAG_SIGNALED_BIT))
		return bpf_core_enum_value(enum dma_fence_flag_bits, DMA_FENCE_FLAG_SIGNALED_BIT);
	return 0;
}

static __always_inline bool fence_signalled(const struct dma_fence *fence)
{
	return fence->flags >> fence_signalled_bit() & 1;
}

struct drm_gpu_scheduler___pre_6_8 {
	atomic_t hw_rq_count;
} __attribute__((preserve_access_index));

/*
 * What a ring was given and has not ended, as its tracepoints show it: jobs until a78422e9dff3
 * ("drm/sched: implement dynamic job-flow control", 6.8), credits since.
 */
static __always_inline __s32 sched_load(struct drm_gpu_scheduler *sched)
{
	struct drm_gpu_scheduler___pre_6_8 *old = (void *)sched;

	if (bpf_core_field_exists(sched->credit_count))
		return sched->credit_count.counter;
	return old->hw_rq_count.counter;
}

/*
 * Which argument of sched_switch is prev_state. fa2c3254d7cf ("sched/tracing: Don't re-read
 * p->state when emitting sched_switch event", 5.18) put it second, 9c2136be0878 ("sched/tracing:
 * Append prev_state to tp args instead", 5.18) last; before there was none. User space finds out
 * from the prototype in BTF.
 */
enum switch_state_argument {
	SWITCH_STATE_NONE = 0,
	SWITCH_STATE_LAST = 3,
};

/* The parts of a commit to a display. Linux 7.3 renamed `struct drm_atomic_state`. */
struct parts {
	struct drm_device *dev;
	char *crtcs, *planes;
	__u32 n_crtcs, n_planes;
	bool is_cursor; /* a cursor is moved: nobody is told when */
};

static __always_inline void parts_of(void *commit, struct parts *parts)
{
	struct drm_device *dev;

	if (bpf_core_type_exists(struct drm_atomic_commit)) {
		struct drm_atomic_commit *now = commit;

		parts->dev = BPF_CORE_READ(now, dev);
		parts->crtcs = (char *)BPF_CORE_READ(now, crtcs);
		parts->planes = (char *)BPF_CORE_READ(now, planes);
		parts->is_cursor = BPF_CORE_READ_BITFIELD_PROBED(now, legacy_cursor_update);
	} else {
		struct drm_atomic_state *then = commit;

		parts->dev = BPF_CORE_READ(then, dev);
		parts->crtcs = (char *)BPF_CORE_READ(then, crtcs);
		parts->planes = (char *)BPF_CORE_READ(then, planes);
		parts->is_cursor = BPF_CORE_READ_BITFIELD_PROBED(then, legacy_cursor_update);
	}
	/* BPF_CORE_READ(parts->dev, ...) would take `parts` for a structure of the kernel's. */
	dev = parts->dev;
	parts->n_crtcs = BPF_CORE_READ(dev, mode_config.num_crtc);
	parts->n_planes = BPF_CORE_READ(dev, mode_config.num_total_plane);
}

#endif
