// SPDX-License-Identifier: GPL-2.0 OR MIT
// What only who watches wants to know: a program's frames as it marks them, resets, jobs that time
// out.
#include "common.bpf.h"
#include "kernel.h"

struct pt_regs;

RECORD(gpulane_frame);
RECORD(gpulane_marker);
RECORD(gpulane_reset);

const volatile struct lane_bpf_frame frame = {};

static __always_inline int put_frame(const char *text)
{
	struct record_gpulane_frame *r;
	bool wakes;

	r = record_begin(LANE_FRAME, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	__builtin_memcpy(r->p.text, text, sizeof(r->p.text));
	record_end(r, sizeof(*r), wakes);
	return 0;
}

static __always_inline bool is_marker(const struct file *file)
{
	return enabled && file->f_inode->i_ino == frame.inode &&
	       file->f_inode->i_sb->s_dev == frame.device && current_followed();
}

/* A page that is not there now cannot be fetched: the line is lost. bytes: less than the room. */
static __always_inline bool read_line(char text[LANE_BPF_FRAME_BYTES], const char *from,
				      size_t bytes)
{
	barrier_var(bytes); /* or the compiler leaves the mask out, which the verifier asks for */
	bytes &= LANE_BPF_FRAME_BYTES - 1;
	if (!bpf_probe_read_user(text, bytes, from))
		return true;
	__sync_fetch_and_add(&this_cpu()->lost, 1);
	return false;
}

/*
 * A program writes a line to trace_marker. kernel/trace/ is built without the places at which
 * functions are hooked, so tracing_mark_write() cannot be: this is fs/read_write.c, by which all of
 * write(2) goes.
 */
SEC("fentry/vfs_write")
int BPF_PROG(fn_mark, struct file *file, const char *from, size_t bytes)
{
	char text[LANE_BPF_FRAME_BYTES] = {}, differs = 0;

	if (!is_marker(file))
		return 0;
	if (bytes > sizeof(text) - 1)
		bytes = sizeof(text) - 1;
	if (bytes < frame.length)
		return 0;
	/* One that is lost may have been a frame's. */
	if (!read_line(text, from, bytes))
		return 0;
	/* One branch for all of it: the verifier follows both sides of each. */
	for (__u32 i = 0; i < sizeof(text); i++) {
		if (i >= frame.length)
			break;
		differs |= text[i] ^ frame.text[i];
	}
	if (differs)
		return 0;
	/* The line without its end. */
	bytes = (bytes - 1) & (sizeof(text) - 1);
	if (text[bytes] == '\n')
		text[bytes] = 0;
	return put_frame(text);
}

/* The same of all lines: those that begin or end a range are found as the recording is read. */
SEC("fentry/vfs_write")
int BPF_PROG(fn_marker, struct file *file, const char *from, size_t bytes)
{
	size_t kept = bytes > LANE_BPF_FRAME_BYTES - 1 ? LANE_BPF_FRAME_BYTES - 1 : bytes;
	char text[LANE_BPF_FRAME_BYTES] = {};
	struct record_gpulane_marker *r;
	bool wakes;

	if (!is_marker(file) || !read_line(text, from, kept))
		return 0;
	r = record_begin(LANE_MARKER, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.bytes = bytes;
	__builtin_memcpy(r->p.text, text, sizeof(r->p.text));
	record_end(r, sizeof(*r), wakes);
	return 0;
}

/* A program calls the function that marks its frames. */
SEC("uprobe")
int frame_function(struct pt_regs *ctx)
{
	char text[LANE_BPF_FRAME_BYTES];

	if (!enabled || !current_followed())
		return 0;
	for (__u32 i = 0; i < sizeof(text); i++)
		text[i] = frame.text[i];
	return put_frame(text);
}

/* drivers/gpu/drm/i915/gt/intel_reset.c */
SEC("fentry/intel_gt_reset")
int BPF_PROG(fn_reset, void *gt, __u32 stalled_mask, const char *reason)
{
	struct record_gpulane_reset *r;
	bool wakes;

	if (!enabled)
		return 0;
	r = record_begin(LANE_RESET, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	__builtin_memset(&r->p, 0, sizeof(r->p));
	__builtin_memcpy(r->p.what, "reset", sizeof("reset"));
	if (reason)
		bpf_probe_read_kernel_str(r->p.text, sizeof(r->p.text), reason);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

/*
 * The fence of the first job that the ring was given and that is not over, NULL where this kernel
 * does not tell it. False: there is no such job.
 */
static __always_inline bool find_first(struct drm_gpu_scheduler *sched,
				       struct drm_sched_fence **fence)
{
	struct drm_sched_job *job;
	struct list_head *first;

	*fence = NULL;
	if (!bpf_core_field_exists(struct drm_gpu_scheduler, pending_list) ||
	    !bpf_core_field_exists(struct drm_sched_job, list))
		return true;
	first = BPF_CORE_READ(sched, pending_list.next);
	if ((void *)first ==
	    (void *)sched + bpf_core_field_offset(struct drm_gpu_scheduler, pending_list))
		return false;
	job = (void *)first - bpf_core_field_offset(struct drm_sched_job, list);
	*fence = BPF_CORE_READ(job, s_fence);
	return true;
}

/*
 * drivers/gpu/drm/scheduler/sched_main.c: the first job has timed out; where there is none, nothing
 * has. The driver then looks whether it has really not ended.
 */
SEC("fentry/drm_sched_job_timedout")
int BPF_PROG(fn_timedout, struct work_struct *work)
{
	struct drm_gpu_scheduler *sched =
		(void *)work - bpf_core_field_offset(struct drm_gpu_scheduler, work_tdr);
	struct record_gpulane_reset *r;
	struct drm_sched_fence *fence;
	bool wakes;

	if (!enabled || !find_first(sched, &fence))
		return 0;
	r = record_begin(LANE_RESET, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	__builtin_memset(&r->p, 0, sizeof(r->p));
	r->p.fence_context = BPF_CORE_READ(fence, finished.context);
	r->p.fence_seqno = BPF_CORE_READ(fence, finished.seqno);
	__builtin_memcpy(r->p.what, "timeout", sizeof("timeout"));
	bpf_probe_read_kernel_str(r->p.text, sizeof(r->p.text), BPF_CORE_READ(sched, name));
	record_end(r, sizeof(*r), wakes);
	return 0;
}
