#!/bin/bash
# SPDX-License-Identifier: MIT
# Prints a trace as text: hist queues a request of 2 ms every 10 ms, on rcs0, one after the other. Some are late, for one of
# three causes: xorg: a request of Xorg has the engine; long: it runs for longer; starved: stress has hist's CPU while it queues.
#
#   story.sh REQUESTS EVERY CAUSE...    every so many requests one is late, by the causes in turn; 0: none is
set -u
n=$1 every=$2
shift 2
cat <<HEAD
gpulane-events 1
info host story
info release 6.1.0
info clock_uuid 00000000-0000-4000-8000-000000000001
info tracer bpf
info epoch_offset_ns 1700000000000000000
info begin_ns 900000000
info submission execlists
HEAD
for event in i915_request_{queue,add,submit,execute,in,out,retire} dma_fence_{init,enable_signal,signaled} \
	sched_{switch,waking,wakeup} i915_request_unsubmit; do
	printf 'recorded %s\n' "$event"
done
awk -v n="$n" -v every="$every" -v causes="$*" '
	function put(ns, cpu, who, text) { printf "%.0f %d %s %s\n", ns, cpu, who, text }
	# a request that is queued at `at` and prepared for that long; what runs before it is over at free
	function request(pid, ctx, seqno, at, prepare, ns,    rq, begin) {
		rq = "ctx=" ctx " dev=0 seqno=" seqno " class=0 instance=0"
		put(at - 100000, 1, pid "/" pid, "tracepoint dma_fence_init context=" ctx " seqno=" seqno " driver=i915 timeline=rcs0")
		put(at, 1, pid "/" pid, "tracepoint i915_request_queue " rq " flags=0x0")
		put(at + prepare, 1, pid "/" pid, "tracepoint dma_fence_enable_signal context=" ctx " seqno=" seqno)
		put(at + prepare + 1000, 1, pid "/" pid, "tracepoint i915_request_add " rq " tail=64")
		put(at + prepare + 3000, 1, pid "/" pid, "tracepoint i915_request_submit " rq " tail=64")
		begin = at + prepare + 10000
		if (begin < free) begin = free + 1000
		put(begin, 0, "21/21", "tracepoint i915_request_execute " rq " tail=64")
		put(begin + 1000, 0, "21/21", "tracepoint i915_request_in " rq " port=0 prio=0")
		put(begin + 1000 + ns, 0, "0/0", "tracepoint dma_fence_signaled context=" ctx " seqno=" seqno)
		put(begin + 3000 + ns, 0, "21/21", "tracepoint i915_request_out " rq " completed=1")
		put(begin + 90000 + ns, 0, "98/98", "tracepoint i915_request_retire " rq " tail=64")
		free = begin + 3000 + ns
	}
	BEGIN {
		n_causes = split(causes, cause, " ")
		put(900100000, 0, "0/0", "tracepoint sched_switch prev_tid=0 prev_state=0 next_tid=21 prev_comm=swapper/0 next_comm=kworker")
		put(900200000, 1, "0/0", "tracepoint sched_switch prev_tid=0 prev_state=0 next_tid=200 prev_comm=swapper/1 next_comm=Xorg")
		put(900300000, 1, "200/200", "tracepoint sched_switch prev_tid=200 prev_state=1 next_tid=154 prev_comm=Xorg next_comm=hist")
		for (i = 1; i <= n; i++) {
			at = 1000000000 + i * 10000000
			late = every && i % every == 0 ? cause[late_n++ % n_causes + 1] : ""
			if (late == "xorg") request(200, 2, ++xorg, at - 500000, 5000, 7000000 + 1000 * (late_n % 7))
			if (late == "starved") {
				put(at + 1000, 1, "154/154", "tracepoint sched_switch prev_tid=154 prev_state=0 next_tid=300 prev_comm=hist next_comm=stress")
				put(at + 5500000, 1, "300/300", "tracepoint sched_switch prev_tid=300 prev_state=0 next_tid=154 prev_comm=stress next_comm=hist")
			}
			request(154, 1, i, at, late == "starved" ? 5600000 : 5000, late == "long" ? 8000000 : 2000000)
		}
	}' | sort -n -s -k1,1
