// SPDX-License-Identifier: GPL-2.0 OR MIT
// Looks from time to time at what a CPU runs: where threads are that have submitted, and compute.
#include "common.bpf.h"
#include "stack.bpf.h"

/* Every LANE_BPF_SAMPLE_HZth part of a second on each CPU. It may interrupt any other program. */
SEC("perf_event")
int sample(void *ctx)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	__u32 user;
	long id;

	if (!config.has_stacks || !enabled || !bpf_map_lookup_elem(&submitters, &tid) ||
	    !current_followed())
		return 0;
	user = config.has_copies ? copy_stack() : 0;
	if (!user) {
		id = bpf_get_stackid(ctx, &sample_stacks, BPF_F_USER_STACK);
		/* Numbers of both maps of programs' stacks are told apart by their size. */
		user = stack_number(id < 0 ? id : id + LANE_BPF_MAX_STACKS, 1);
	}
	put_numbers(0, user, LANE_STACK_RUNS, false);
	return 0;
}
