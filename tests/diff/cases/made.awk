# SPDX-License-Identifier: MIT
# A small recording of amdgpu in which nothing is drawn: awk -v NAME=VALUE... -f made.awk. `who` has `n` requests on `ring`; every `every` us one
# begins, which runs for `runs` us, and each third for a tenth more. `neighbour` has as many on sdma0, and each of a `crowd` on a ring of its own. `release` is the kernel's. `open`: one
# more at the end, which does not end. `sched`: the scheduler's events are recorded, too, and who sleeps between its requests. `lost`: an event
# of CPU 0 is lost between these two times in us, FROM-TO, which changes nothing of what was so. `kernel`: it is launched beside each request, and
# runs as long; of `failing` once more, which the device refuses at once. `power`: the GPU takes so many mW, read 11 times in 100 ms; `held`: for
# so many of the 10 times between two readings its clock is held down, and that is read ten times as often then.

function event(ns, cpu, tid, text) { printf "%.0f %d %d/%d tracepoint %s\n", ns, cpu, tid, tid, text }
function request(ns, tid, context, ring, lasts,    of, fence, number) {
	number = ++count[context]
	of = "fence_context=" context " fence_seqno=" number " client_id=" context " name=" ring " dev=0000:03:00.0 driver=amdgpu"
	fence = "context=" context + 1000 " seqno=" number
	if (sched) {
		event(ns - 50000, 2, 0, "sched_waking tid=" tid " prio=120 target_cpu=0 comm=" who)
		event(ns - 40000, 0, 0, "sched_switch prev_tid=0 next_tid=" tid " prev_state=0 prev_prio=120 next_prio=120 prev_comm=swapper next_comm=" who)
		event(ns + 20000, 0, tid, "sched_switch prev_tid=" tid " next_tid=0 prev_state=1 prev_prio=120 next_prio=120 prev_comm=" who " next_comm=swapper")
	}
	event(ns, 0, tid, "drm_sched_job_queue " of)
	event(ns + 10000, 1, 90, "drm_sched_job_run " of)
	event(ns + 11000, 1, 90, "dma_fence_init " fence " driver=amdgpu timeline=" ring)
	event(ns + 12000, 1, 90, "dma_fence_signaled context=" context - 1 " seqno=" number)
	if (lasts) {
		event(ns + 12000 + lasts, 2, 0, "dma_fence_signaled " fence)
		event(ns + 12500 + lasts, 2, 0, "drm_sched_job_done fence_context=" context " fence_seqno=" number)
		event(ns + 13000 + lasts, 2, 0, "dma_fence_signaled context=" context " seqno=" number)
	}
}
function launch(ns, tid, lasts, status,    number, call) {
	number = ++launched
	call = " function=clEnqueueNDRangeKernel queue=0x10"
	event(ns, 3, tid, "opencl_call_entry" call " object=0x40 size=64 group=64")
	event(ns + 5000, 3, tid, "opencl_call_exit" call " command=" number " status=0 object=0")
	event(ns + 10000 + lasts, 3, tid, "opencl_command command=" number " queue=0x10 queued_ns=" ns + 1000 " submitted_ns=" ns + 2000 " start_ns=" ns + 9000 \
		" end_ns=" ns + 9000 + lasts " status=" status " type=NDRANGE_KERNEL")
}
function counter(id, what, name) {
	printf "1000 - -/- snapshot gpulane_counter id=%d what=%d name=%s dev=0000:03:00.0 client_id=0 per_second=0 trust=0 card=0 gt=0 capacity=1 pid=-1 " \
		"class=65535 instance=65535 comm=\"\"\n", id, what, name
}
function reading(us, id, value) { printf "%.0f - -/- snapshot gpulane_sample id=%d value=%d total=0 from_ns=%.0f\n", us * 1000, id, value, us * 1000 - 500 }
BEGIN {
	if (!who)
		who = "app"
	if (!ring)
		ring = "gfx_0.0.0"
	if (!n)
		n = 30
	if (!every)
		every = 4000
	if (!runs)
		runs = 2000
	if (!pid)
		pid = 200
	if (!release)
		release = "6.17.0"
	print "gpulane-events 1\ninfo release " release
	split("drm_sched_job_queue drm_sched_job_run drm_sched_job_done drm_sched_job_add_dep dma_fence_init dma_fence_signaled" (sched ? " sched_switch sched_waking" : ""), recorded)
	for (i = 1; i in recorded; i++)
		print "recorded " recorded[i]
	event(1000, 0, pid, "sched_process_exec tid=" pid " filename=/usr/bin/" who)
	if (neighbour)
		event(2000, 3, pid + 1, "sched_process_exec tid=" pid + 1 " filename=/usr/bin/" neighbour)
	for (k = 1; k <= crowd; k++)
		event(2000 + k, 3, pid + 1 + k, "sched_process_exec tid=" pid + 1 + k " filename=/usr/bin/crowd" k)
	if (kernel) {
		event(3000, 3, pid, "opencl_queue queue=0x10 device=0xd0 known=1 name=GPU")
		event(3000, 3, pid, "opencl_kernel kernel=0x40 name=" kernel)
	}
	for (i = 1; i <= n; i++) {
		if (kernel)
			launch(i * every * 1000 + 1000, pid, int(runs * 1000 * (i % 3 ? 1 : 1.1)), 0)
		if (failing)
			launch(i * every * 1000 + 3000000, pid, 1000, -5)
		request(i * every * 1000, pid, 51, ring, int(runs * 1000 * (i % 3 ? 1 : 1.1)))
		if (neighbour)
			request(i * every * 1000 + 100, pid + 1, 61, "sdma0", int(runs * 500))
		for (k = 1; k <= crowd; k++)
			request(i * every * 1000 + 20000 * k, pid + 1 + k, 61 + 10 * k, "comp_" k, int(runs * 500))
	}
	if (power) {
		counter(0, 13, "power1_average")
		counter(1, 6, "throttle_reason_status")
		for (i = 0; i <= 10; i++) {
			reading(10000 * (i + 1), 0, power)
			for (k = 0; k < (i < held ? 10 : 1); k++)
				reading(10000 * (i + 1) + 1000 * k, 1, i < held)
		}
	}
	if (open)
		request(i * every * 1000, pid, 51, ring, 0)
	if (split(lost, from, "-"))
		printf "%.0f 0 -/- - gpulane_lost count=1 begin_ns=%.0f end_ns=%.0f lost_cpu=0\n", from[2] * 1000, from[1] * 1000, from[2] * 1000
}
