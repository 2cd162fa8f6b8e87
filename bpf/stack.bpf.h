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

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, LANE_BPF_COPIES);
	__type(key, __u32);
	__type(value, struct lane_bpf_stack_copy);
} stack_copies SEC(".maps");

__u64 n_copies;

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

/* So much of a stack is read at once: what is not in memory, or not of the stack, ends it. */
#define COPY_STEP 512

/* In the order of DWARF's numbers for x86-64. */
static __always_inline void copy_registers(const struct pt_regs___kernel *regs, __u64 *to)
{
	to[0] = BPF_CORE_READ(regs, ax);
	to[1] = BPF_CORE_READ(regs, dx);
	to[2] = BPF_CORE_READ(regs, cx);
	to[3] = BPF_CORE_READ(regs, bx);
	to[4] = BPF_CORE_READ(regs, si);
	to[5] = BPF_CORE_READ(regs, di);
	to[6] = BPF_CORE_READ(regs, bp);
	to[7] = BPF_CORE_READ(regs, sp);
	to[8] = BPF_CORE_READ(regs, r8);
	to[9] = BPF_CORE_READ(regs, r9);
	to[10] = BPF_CORE_READ(regs, r10);
	to[11] = BPF_CORE_READ(regs, r11);
	to[12] = BPF_CORE_READ(regs, r12);
	to[13] = BPF_CORE_READ(regs, r13);
	to[14] = BPF_CORE_READ(regs, r14);
	to[15] = BPF_CORE_READ(regs, r15);
	to[16] = BPF_CORE_READ(regs, ip);
}

/* Copies what is on the program's stack; returns its number, 0: it cannot be had. */
static __noinline __u32 copy_stack(void)
{
	__u64 number = __sync_fetch_and_add(&n_copies, 1) + 1;
	__u32 slot = number % LANE_BPF_COPIES, n;
	struct lane_bpf_stack_copy *copy = bpf_map_lookup_elem(&stack_copies, &slot);
	const struct pt_regs___kernel *regs;

	if (!copy || !bpf_core_field_exists(struct pt_regs___kernel, r15) ||
	    !bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return 0;
	regs = (const struct pt_regs___kernel *)bpf_task_pt_regs(bpf_get_current_task_btf());
	copy->end = 0;
	barrier();
	copy->number = number;
	copy_registers(regs, copy->registers);
	for (n = 0; n <= LANE_BPF_COPY_BYTES - COPY_STEP; n += COPY_STEP)
		if (bpf_probe_read_user(copy->bytes + n, COPY_STEP,
					(const void *)(copy->registers[7] + n)))
			break;
	copy->n = n;
	barrier();
	copy->end = number;
	return n ? LANE_BPF_COPY_NUMBER(number) : 0;
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
	user = config.has_copies ? copy_stack() : 0;
	if (!user)
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
