// SPDX-License-Identifier: GPL-2.0 OR MIT
// Threads that wait for syncobjs, as all of Mesa does: drivers/gpu/drm/drm_syncobj.c.
#include "common.bpf.h"
#include "stack.bpf.h"

/*
 * drm_syncobj_array_wait_timeout() is what waits; it fires no event of dma_fence's, and compilers
 * make copies of it that cannot be probed (.constprop in Linux 6.1, 6.12 and 7.3). So: the ioctls
 * around it, and drm_syncobj_array_find(), which they call first, and which finds the syncobjs.
 */
struct sync_call {
	__u64 points; /* where the program has them; 0: it has none */
	__u64 context, seqno;
	__s64 until_ns;
	__u32 flags;
	__u32 unsubmitted;
	__u32 is_told;
	__u32 none;
};

/* Threads in such an ioctl, by their numbers. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct sync_call);
} sync_calls SEC(".maps");

#define MAX_SYNCOBJS 8
#define MAX_LINKS    16

/* include/uapi/drm/drm.h */
#define WAIT_ALL       1
#define WAIT_AVAILABLE 4

struct sync_wait {
	__u64 handles;
	__s64 timeout_nsec; /* a time, CLOCK_MONOTONIC */
	__u32 count_handles;
	__u32 flags;
};

struct sync_timeline_wait {
	__u64 handles, points;
	__s64 timeout_nsec;
	__u32 count_handles;
	__u32 flags;
};

/* Who only asks waits for nothing: its time has passed. */
static __always_inline int sync_call(__u64 points, __s64 until_ns, __u32 flags)
{
	struct sync_call call = { .points = points, .until_ns = until_ns, .flags = flags };
	__u32 tid = (__u32)bpf_get_current_pid_tgid();

	if (until_ns > 0 && (__u64)until_ns > bpf_ktime_get_ns())
		bpf_map_update_elem(&sync_calls, &tid, &call, BPF_ANY);
	return 0;
}

SEC("fentry/drm_syncobj_wait_ioctl")
int BPF_PROG(fn_sync_wait, void *dev, void *data)
{
	struct sync_wait args = { 0 };

	if (!enabled || !current_followed())
		return 0;
	bpf_probe_read_kernel(&args, sizeof(args), data);
	return sync_call(0, args.timeout_nsec, args.flags);
}

SEC("fentry/drm_syncobj_timeline_wait_ioctl")
int BPF_PROG(fn_sync_points, void *dev, void *data)
{
	struct sync_timeline_wait args = { 0 };

	if (!enabled || !current_followed())
		return 0;
	bpf_probe_read_kernel(&args, sizeof(args), data);
	return sync_call(args.points, args.timeout_nsec, args.flags);
}

int sync_is_pending(__u64 address, __u64 point);

/*
 * The syncobj has not been signalled up to the point; the fence that it waits for is put into the
 * thread's call. As dma_fence_chain_find_seqno() does, but for links that are signalled: the flag
 * of a link that nobody listens to lags. Not static: the verifier looks at it once.
 */
__noinline int sync_is_pending(__u64 address, __u64 point)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct sync_call *call = bpf_map_lookup_elem(&sync_calls, &tid);
	struct drm_syncobj *syncobj = (void *)address;
	struct dma_fence *fence = BPF_CORE_READ(syncobj, fence);
	bool is_first = true;

	if (!call)
		return 0;
	for (int i = 0; i < MAX_LINKS && fence; i++) {
		struct dma_fence_chain *link = (void *)fence;
		const void *ops = BPF_CORE_READ(fence, ops);
		bool is_link = &dma_fence_chain_ops && ops == &dma_fence_chain_ops;

		if (is_first && point && (!is_link || BPF_CORE_READ(fence, seqno) < point)) {
			fence = NULL;
			break;
		}
		is_first = false;
		if (is_link && point && BPF_CORE_READ(link, prev_seqno) >= point) {
			fence = BPF_CORE_READ(link, prev);
			continue;
		}
		if (is_link)
			fence = BPF_CORE_READ(link, fence);
		if (fence && !(BPF_CORE_READ(fence, flags) >> fence_signalled_bit() & 1)) {
			call->context = BPF_CORE_READ(fence, context);
			call->seqno = BPF_CORE_READ(fence, seqno);
			return 1;
		}
		point = 0;
		fence = is_link ? BPF_CORE_READ(link, prev) : NULL;
		if (!fence)
			return 0;
	}
	if (!fence)
		call->unsubmitted++;
	return 1;
}

RECORD(gpulane_syncobj_wait);

/* The syncobjs of a wait have been found. What is signalled already is no wait. */
SEC("fexit/drm_syncobj_array_find")
int BPF_PROG(fn_sync_found, void *file, void *handles, __u32 count)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid(), pending = 0;
	struct sync_call *call = bpf_map_lookup_elem(&sync_calls, &tid);
	__u64 found = 0, array = 0, point = 0, only = 0, ret = 0;
	struct record_gpulane_syncobj_wait *r;
	bool wakes;

	/* A pointer to pointers is none of the arguments that the verifier lets a program name. */
	if (!call || !count || bpf_get_func_arg(ctx, 3, &found) || bpf_get_func_ret(ctx, &ret) ||
	    (__u32)ret)
		return 0;
	bpf_probe_read_kernel(&array, sizeof(array), (void *)found);
	for (__u32 i = 0; i < MAX_SYNCOBJS && i < count; i++) {
		__u64 syncobj = 0;

		bpf_probe_read_kernel(&syncobj, sizeof(syncobj), (void *)(array + i * 8));
		if (call->points)
			bpf_probe_read_user(&point, sizeof(point), (void *)(call->points + i * 8));
		if (!sync_is_pending(syncobj, point))
			continue;
		pending++;
		only = point;
	}
	if (call->flags & WAIT_AVAILABLE)
		pending = call->unsubmitted;
	if (!pending && count <= MAX_SYNCOBJS)
		return 0;
	if (!(call->flags & WAIT_ALL) && pending < count && pending < MAX_SYNCOBJS)
		return 0;
	if (pending != 1 || count > MAX_SYNCOBJS || (call->flags & WAIT_AVAILABLE))
		call->context = call->seqno = 0;
	put_stack(ctx, LANE_STACK_WAITS);
	r = record_begin(LANE_SYNCOBJ_WAIT, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.context = call->context;
	r->p.seqno = call->seqno;
	r->p.point = pending == 1 ? only : 0;
	r->p.until = call->until_ns;
	r->p.flags = call->flags;
	r->p.count = count;
	r->p.pending = count > MAX_SYNCOBJS ? 0 : pending;
	r->p.unsubmitted = call->unsubmitted;
	record_end(r, sizeof(*r), wakes);
	call->is_told = true;
	return 0;
}

RECORD(gpulane_syncobj_waited);

static __always_inline int sync_returns(int ret)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct sync_call *call = bpf_map_lookup_elem(&sync_calls, &tid);
	struct record_gpulane_syncobj_waited *r;
	bool wakes;

	if (!call)
		return 0;
	r = call->is_told
		    ? record_begin(LANE_SYNCOBJ_WAITED, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes)
		    : NULL;
	if (r) {
		r->p.context = call->context;
		r->p.seqno = call->seqno;
		r->p.ret = ret;
		record_end(r, sizeof(*r), wakes);
	}
	bpf_map_delete_elem(&sync_calls, &tid);
	return 0;
}

SEC("fexit/drm_syncobj_wait_ioctl")
int BPF_PROG(fn_sync_waited, void *dev, void *data, void *file, int ret)
{
	return sync_returns(ret);
}

SEC("fexit/drm_syncobj_timeline_wait_ioctl")
int BPF_PROG(fn_sync_passed, void *dev, void *data, void *file, int ret)
{
	return sync_returns(ret);
}
