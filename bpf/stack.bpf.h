/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Where threads are: the stack of a thread that submits, begins to wait, or goes to sleep and has
 * submitted before, as an event ahead of that one; and of one that has submitted and is found
 * running, as an event alone. Each different stack is kept once, as addresses;
 * the collector reads it when it is first named, and finds what they belong to
 * (userspace/capture/bpf_stack.c).
 */
#ifndef LANE_BPF_STACK_BPF_H
#define LANE_BPF_STACK_BPF_H

#include "common.bpf.h"

#define STACK_MAP(name, entries)                                                                   \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_STACK_TRACE);                                            \
		__uint(max_entries, entries);                                                      \
		__type(key, __u32);                                                                \
		__uint(value_size, LANE_BPF_STACK_DEPTH * sizeof(__u64));                          \
	} name SEC(".maps")

STACK_MAP(kernel_stacks, LANE_BPF_MAX_STACKS);
STACK_MAP(user_stacks, LANE_BPF_MAX_STACKS);
/* Of samples, of which almost each has another innermost frame. */
STACK_MAP(sample_stacks, LANE_BPF_MAX_SAMPLES);

/* Threads that have submitted; those that have not for long make room. The value: the mutex that it
 * waits for, where that is recorded; else SUBMITTER. */
#define SUBMITTER 1ull
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u64);
} submitters SEC(".maps");

RECORD(gpulane_stack);

#define EFAULT 14 /* it has no such part */

/* Numbers of both maps are told apart by their last bit; 0 is none. */
static __always_inline __u32 stack_number(long id, __u32 last)
{
	if (id >= 0)
		return (__u32)id * 2 + 2 + last;
	if (id == -EFAULT)
		return 0;
	__sync_fetch_and_add(&this_cpu()->stacks_lost, 1);
	return LANE_STACK_LOST;
}

/* The collector is to look at the process as long as it is there: it may end soon. */
static __always_inline void put_numbers(__u32 kernel, __u32 user, __u32 why, bool is_first)
{
	struct record_gpulane_stack *r;
	bool wakes;

	r = record_begin(LANE_STACK, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return;
	r->p.kernel = kernel;
	r->p.user = user;
	r->p.why = why;
	record_end(r, sizeof(*r), wakes || is_first);
}

/* ctx: the program's own. */
static __always_inline void put_stack(void *ctx, __u32 why)
{
	__u32 kernel, user;
	bool is_first = false;

	if (!config.has_stacks || !enabled || !current_followed())
		return;
	if (why == LANE_STACK_SUBMITS) {
		__u32 tid = (__u32)bpf_get_current_pid_tgid();
		__u64 one = SUBMITTER;

		is_first = !bpf_map_update_elem(&submitters, &tid, &one, BPF_NOEXIST);
	}
	kernel = stack_number(bpf_get_stackid(ctx, &kernel_stacks, 0), 0);
	user = stack_number(bpf_get_stackid(ctx, &user_stacks, BPF_F_USER_STACK), 1);
	put_numbers(kernel, user, why, is_first);
}

/* The thread that has the CPU goes to sleep. */
static __always_inline void put_sleeper(void *ctx, __u32 tid)
{
	if (config.has_stacks && bpf_map_lookup_elem(&submitters, &tid))
		put_stack(ctx, LANE_STACK_SLEEPS);
}

#endif
