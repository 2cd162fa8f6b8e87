// SPDX-License-Identifier: GPL-2.0 OR MIT
// Work items of drm_sched: since when they are queued, and which worker runs them. They belong to
// no process: where processes are followed they are recorded all the same.
#include "common.bpf.h"

RECORD(workqueue_queue_work);

/* The functions whose items are recorded; address 0: there are no more. */
const volatile struct lane_bpf_work works[LANE_BPF_MAX_WORKS] = {};

static __always_inline int work_event(struct work_struct *work, __u32 kind)
{
	struct record_workqueue_queue_work *r;
	__u64 function;
	bool wakes;
	__u32 i;

	if (!enabled)
		return 0;
	function = (__u64)work->func;
	for (i = 0; i < LANE_BPF_MAX_WORKS; i++)
		if (!works[i].address || works[i].address == function)
			break;
	if (i == LANE_BPF_MAX_WORKS || !works[i].address)
		return 0;
	if (config.follow && kind == LANE_WORK_QUEUE) {
		this_cpu()->signals_id = bpf_get_current_pid_tgid();
		this_cpu()->signals_ns = bpf_ktime_get_ns();
	}
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.work = (__u64)work;
	__builtin_memcpy(r->p.function, (const char *)works[i].name, sizeof(r->p.function));
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/workqueue_queue_work")
int BPF_PROG(work_queue, int cpu, void *pool, struct work_struct *work)
{
	return work_event(work, LANE_WORK_QUEUE);
}

SEC("tp_btf/workqueue_execute_start")
int BPF_PROG(work_start, struct work_struct *work)
{
	return work_event(work, LANE_WORK_START);
}

/* The item may have freed itself: then its end is not recorded. No program may have the event's
 * other argument, a pointer to a function. */
SEC("tp_btf/workqueue_execute_end")
int BPF_PROG(work_end, struct work_struct *work)
{
	return work_event(work, LANE_WORK_END);
}
