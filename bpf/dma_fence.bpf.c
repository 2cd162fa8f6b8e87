// SPDX-License-Identifier: GPL-2.0 OR MIT
// Fences: their life, and the threads that wait for them.
#include "common.bpf.h"
#include "stack.bpf.h"

const volatile struct lane_bpf_names fence_names = {};

/*
 * The names of a fence come from functions of its driver, which a program cannot call; the
 * tracepoint has called them. This program runs in the tracepoint right before the one that writes
 * the record, and puts them aside. When the kernel drops it (its type does not nest), the names are
 * missing, the event is not.
 *
 * Between the two, and amid each, another thread may run and put its own names aside, where
 * tracepoints may be preempted (Linux 7.3). So the names carry a seal: a number made of them and of
 * the fence they belong to. What does not match its seal is left unwritten.
 */
struct aside {
	__u64 seal;
	char driver[LANE_BPF_NAME_BYTES];
	char timeline[LANE_BPF_NAME_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct aside);
} fence_aside SEC(".maps");

/* Two names that differ, or the same of two fences, have the same seal once in 2^64 times. */
static __always_inline __u64 seal(__u32 context, __u32 seqno, const char *driver,
				  const char *timeline)
{
	__u64 sum = (__u64)context << 32 | seqno;

#pragma unroll
	for (unsigned int i = 0; i < LANE_BPF_NAME_BYTES / sizeof(word); i++) {
		sum = (sum ^ ((const word *)driver)[i]) * 0x9e3779b97f4a7c15ULL;
		sum = (sum ^ sum >> 32 ^ ((const word *)timeline)[i]) * 0x9e3779b97f4a7c15ULL;
	}
	return ~sum;
}

static __always_inline void copy_name(char *name, void *record, __u16 place)
{
	__u32 loc = 0;

	__builtin_memset(name, 0, LANE_BPF_NAME_BYTES);
	bpf_probe_read_kernel(&loc, sizeof(loc), record + place);
	bpf_probe_read_kernel_str(name, LANE_BPF_NAME_BYTES, record + (loc & 0xffff));
}

SEC("tp")
int fence_put_aside(void *record)
{
	struct aside names, *aside;
	__u32 zero = 0, context = 0, seqno = 0;

	aside = bpf_map_lookup_elem(&fence_aside, &zero);
	if (!enabled || !aside)
		return 0;
	copy_name(names.driver, record, fence_names.driver);
	copy_name(names.timeline, record, fence_names.timeline);
	bpf_probe_read_kernel(&context, sizeof(context), record + fence_names.context);
	bpf_probe_read_kernel(&seqno, sizeof(seqno), record + fence_names.seqno);
	names.seal = seal(context, seqno, names.driver, names.timeline);
	copy_words(aside, &names, sizeof(names));
	return 0;
}

RECORD(dma_fence_init);

static __always_inline void take_names(struct lane_p_dma_fence_init *p)
{
	__u32 zero = 0;
	const struct aside *aside = bpf_map_lookup_elem(&fence_aside, &zero);

	if (aside && fence_names.driver) {
		copy_words(p->driver, aside->driver, sizeof(p->driver));
		copy_words(p->timeline, aside->timeline, sizeof(p->timeline));
		barrier(); /* what is sealed is the copy */
		if (seal(p->context, p->seqno, p->driver, p->timeline) == aside->seal)
			return;
	}
	__builtin_memset(p->driver, 0, sizeof(p->driver));
	__builtin_memset(p->timeline, 0, sizeof(p->timeline));
}

SEC("tp_btf/dma_fence_init")
int BPF_PROG(fence_init, struct dma_fence *fence)
{
	struct record_dma_fence_init *r;
	bool wakes;

	if (!enabled)
		return 0;
	if (config.follow) {
		if (!current_followed())
			return 0;
		context_learn(fence->context);
	}
	r = record_begin(LANE_FENCE_INIT, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.context = fence->context;
	r->p.seqno = fence->seqno;
	take_names(&r->p);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

RECORD(dma_fence_signaled);

static __always_inline int fence_event(struct dma_fence *fence, __u32 kind, bool in_waiter)
{
	struct record_dma_fence_signaled *r;
	bool wakes;

	if (!enabled)
		return 0;
	if (!context_followed(fence->context) && !(in_waiter && current_followed()))
		return 0;
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.context = fence->context;
	r->p.seqno = fence->seqno;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/dma_fence_enable_signal")
int BPF_PROG(fence_enable_signal, struct dma_fence *fence)
{
	return fence_event(fence, LANE_FENCE_ENABLE_SIGNAL, true);
}

RECORD(gpulane_fence_error);

/* Drivers set the error before they signal (dma_fence_set_error(), include/linux/dma-fence.h). */
static __always_inline void put_error(struct dma_fence *fence)
{
	struct record_gpulane_fence_error *r;
	bool wakes;

	if (!enabled || !context_followed(fence->context))
		return;
	r = record_begin(LANE_FENCE_ERROR, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return;
	r->p.context = fence->context;
	r->p.seqno = fence->seqno;
	r->p.error = fence->error;
	record_end(r, sizeof(*r), wakes);
}

SEC("tp_btf/dma_fence_signaled")
int BPF_PROG(fence_signaled, struct dma_fence *fence)
{
	if (fence->error)
		put_error(fence);
	if (enabled && config.follow && context_followed(fence->context)) {
		this_cpu()->signals_id = bpf_get_current_pid_tgid();
		this_cpu()->signals_ns = bpf_ktime_get_ns();
	}
	return fence_event(fence, LANE_FENCE_SIGNALED, false);
}

SEC("tp_btf/dma_fence_wait_start")
int BPF_PROG(fence_wait_start, struct dma_fence *fence)
{
	put_stack(ctx, LANE_STACK_WAITS);
	return fence_event(fence, LANE_FENCE_WAIT_START, true);
}

SEC("tp_btf/dma_fence_wait_end")
int BPF_PROG(fence_wait_end, struct dma_fence *fence)
{
	return fence_event(fence, LANE_FENCE_WAIT_END, true);
}
