// SPDX-License-Identifier: GPL-2.0 OR MIT
// Fences: their life, and the threads that wait for them.
#include "common.bpf.h"

const volatile struct lane_bpf_names fence_names = {};

/*
 * The names of a fence come from functions of its driver, which a program cannot call; the
 * tracepoint has called them. This program runs in the tracepoint right before the one that writes
 * the record, and puts them aside. When the kernel drops it (its type does not nest), the names are
 * missing, the event is not.
 */
struct aside {
	__u32 context;
	__u32 seqno;
	char driver[LANE_BPF_NAME_BYTES];
	char timeline[LANE_BPF_NAME_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct aside);
} fence_aside SEC(".maps");

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
	__u32 zero = 0;
	struct aside *aside = bpf_map_lookup_elem(&fence_aside, &zero);

	if (!enabled || !aside)
		return 0;
	copy_name(aside->driver, record, fence_names.driver);
	copy_name(aside->timeline, record, fence_names.timeline);
	bpf_probe_read_kernel(&aside->context, sizeof(__u32), record + fence_names.context);
	bpf_probe_read_kernel(&aside->seqno, sizeof(__u32), record + fence_names.seqno);
	return 0;
}

RECORD(dma_fence_init);

static __always_inline bool is_about(const volatile struct aside *aside,
				     const struct lane_p_dma_fence_init *p)
{
	return aside->context == (__u32)p->context && aside->seqno == (__u32)p->seqno;
}

/*
 * What is put aside is used once, and only for the fence it is about. Where tracepoints may be
 * preempted (Linux 7.3), another thread may put its own aside while this one copies: its numbers
 * come last, so they are looked at once more.
 */
static __always_inline void take_names(struct lane_p_dma_fence_init *p)
{
	__u32 zero = 0;
	struct aside *aside = bpf_map_lookup_elem(&fence_aside, &zero);

	if (aside && fence_names.driver && is_about(aside, p)) {
		copy_words(p->driver, aside->driver, sizeof(p->driver));
		copy_words(p->timeline, aside->timeline, sizeof(p->timeline));
		barrier();
		if (is_about(aside, p)) {
			aside->context = 0;
			return;
		}
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

SEC("tp_btf/dma_fence_signaled")
int BPF_PROG(fence_signaled, struct dma_fence *fence)
{
	return fence_event(fence, LANE_FENCE_SIGNALED, false);
}

SEC("tp_btf/dma_fence_wait_start")
int BPF_PROG(fence_wait_start, struct dma_fence *fence)
{
	return fence_event(fence, LANE_FENCE_WAIT_START, true);
}

SEC("tp_btf/dma_fence_wait_end")
int BPF_PROG(fence_wait_end, struct dma_fence *fence)
{
	return fence_event(fence, LANE_FENCE_WAIT_END, true);
}
