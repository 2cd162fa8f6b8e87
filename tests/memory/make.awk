# SPDX-License-Identifier: MIT
# One recording with a cause of lateness that is known: awk -v CAUSE=... -v SEED=... -f make.awk. CAUSE: reclaim,
# memory_stall, userptr, eviction, move, rebind, page_fault, none. The events are in no order. The line `# truth WHAT CAUSE` has
# what the definitions of docs/guides/memory.md make of the times that are drawn here, not of the events: for each of
# requests, submissions and commands of app[200] the cause that has more than half of what the late ones took longer.

function uniform(lo, hi) { return int(lo + rand() * (hi - lo)) }

function event(ns, cpu, tid, text) { printf "%d %d %d/%d tracepoint %s\n", ns, cpu, tid, tid, text }

function job(ns, cpu, tid, ctx, seqno, ring, flags) {
	event(ns, cpu, tid, sprintf("drm_sched_job_queue fence_context=%d fence_seqno=%d client_id=%d name=%s " \
		"dev=0000:03:00.0 driver=xe queue_flags=%d", ctx, seqno, ctx, ring, flags))
}

function runs(ns, ctx, seqno, ring, flags) {
	event(ns, 1, 90, sprintf("drm_sched_job_run fence_context=%d fence_seqno=%d name=%s dev=0000:03:00.0 driver=xe queue_flags=%d",
		ctx, seqno, ring, flags))
}

function ends(ns, ctx, seqno) {
	event(ns, 2, 0, sprintf("drm_sched_job_done fence_context=%d fence_seqno=%d", ctx, seqno))
	event(ns + 1000, 2, 0, sprintf("dma_fence_signaled context=%d seqno=%d", ctx, seqno))
}

# What lies around a stall of a thread.
function stall(cause, from, to, cpu, tid,    i) {
	if (cause == "reclaim") {
		if (rand() < 0.5) {
			event(from - 2000, cpu, tid, "psi_memstall_enter flags=0xff" tid)
			event(to + 2000, cpu, tid, "psi_memstall_leave flags=0xff" tid)
		}
		event(from, cpu, tid, "mm_vmscan_direct_reclaim_begin order=0")
		event(to, cpu, tid, "mm_vmscan_direct_reclaim_end nr_reclaimed=32")
	} else if (cause == "memory_stall") {
		event(from, cpu, tid, "psi_memstall_enter flags=0xaa" tid)
		event(to, cpu, tid, "psi_memstall_leave flags=0xaa" tid)
	} else if (cause == "userptr") {
		event(from, cpu, tid, "xe_vma_userptr_invalidate start=0x1000 end=0x1fff asid=7 dev=0000:03:00.0")
		event(to, cpu, tid, "xe_vma_userptr_invalidate_complete start=0x1000 end=0x1fff asid=7 dev=0000:03:00.0")
	} else if (cause == "eviction") {
		event(from, cpu, tid, "i915_gem_evict dev=0 size=65536")
		event(to, cpu, tid, "i915_vma_bind offset=0 size=65536")
	}
}

# What lies around a time in which the GPU does not go on with an address space.
function off(cause, from, to, asid, tid) {
	if (cause == "rebind") {
		event(from, 3, tid, "xe_vm_rebind_worker_enter asid=" asid " dev=0000:03:00.0")
		event(to, 3, tid, "xe_vm_rebind_worker_exit asid=" asid " dev=0000:03:00.0")
		return
	}
	event(from, 3, tid, "xe_vma_pagefault start=0x2000 end=0x2fff asid=" asid " dev=0000:03:00.0")
	event(from + int((to - from) / 2), 3, tid, "xe_vma_pf_bind start=0x2000 end=0x2fff asid=" asid " dev=0000:03:00.0")
	event(to - 5000, 3, tid, "dma_fence_wait_start context=77 seqno=" from)
	event(to, 3, tid, "dma_fence_wait_end context=77 seqno=" from)
}

# A thread of tid has so much moved; returns when the copy is over.
function move(ns, tid, copy) {
	copies++
	event(ns, 0, tid, "xe_bo_move size=67108864 old_placement_name=vram0 new_placement_name=system device_id=0000:03:00.0")
	job(ns + 3000, 0, tid, 900, copies, "bcs1", 5)
	runs(ns + 20000, 900, copies, "bcs1", 5)
	ends(ns + 20000 + copy, 900, copies)
	return ns + 21000 + copy
}

function by_time(list, n,    i, k, v) {
	for (i = 2; i <= n; i++) {
		v = list[i]
		for (k = i - 1; k && list[k] > v; k--)
			list[k + 1] = list[k]
		list[k + 1] = v
	}
}

# The definition: the median; those that took twice that; of what they took longer the cause has more than half.
function truth(what, took, had, n,    i, sorted, typical, more, cause_has) {
	for (i = 1; i <= n; i++)
		sorted[i] = took[i]
	by_time(sorted, n)
	typical = sorted[int((n + 1) / 2)]
	for (i = 1; i <= n; i++)
		if (took[i] >= 2 * typical) {
			more += took[i] - typical
			cause_has += had[i]
		}
	if (!more || !cause_has)
		printf "# truth %s none\n", what
	else if (cause_has > more * 0.55)
		printf "# truth %s %s\n", what, CAUSE
	else
		printf "# truth %s %s\n", what, cause_has < more * 0.45 ? "none" : "either"
}

BEGIN {
	srand(SEED)
	is_i915 = CAUSE == "eviction" || (CAUSE == "none" && SEED % 3 == 0)
	is_command = CAUSE == "rebind" || CAUSE == "page_fault" || (CAUSE == "none" && SEED % 3 == 1)
	is_thread = CAUSE == "reclaim" || CAUSE == "memory_stall" || CAUSE == "userptr" || CAUSE == "eviction"
	print "gpulane-events 1"
	print "info release 7.3.4"
	if (is_i915)
		print "info submission guc"
	N = 60
	t = 1000000
	if (is_command)
		printf "%d 0 200/200 - opencl_queue queue=0x10 device=0xd0 known=1 name=GPU\n", t - 1000
	for (i = 1; i <= N; i++) {
		host = uniform(150000, 250000)
		gpu = uniform(300000, 500000)
		gap_had = gpu_had = 0
		is_hit = CAUSE != "none" && i % 8 == 5
		# Late for other reasons: it sleeps, or the GPU has much to do.
		if (i % 29 == 11)
			host += 2000000
		if (i % 29 == 22)
			gpu += 2000000
		if (i % 29 == 11 && CAUSE == "none" && !is_i915) {
			# What has less than half of it is not why.
			stall("reclaim", t + 20000, t + uniform(400000, 700000), 0, 200)
		}
		if (is_hit && is_thread) {
			gap_had = uniform(2500000, 5000000)
			stall(CAUSE, t + int(host / 2), t + int(host / 2) + gap_had, 0, 200)
			host += gap_had
		}
		queue = t + host
		free = queue
		if (is_hit && CAUSE == "move") {
			free = move(queue - 10000, rand() < 0.5 ? 200 : 300, uniform(2500000, 5000000))
			gpu_had = free - queue
		}
		if (last_queue) {
			n_gaps++
			gap[n_gaps] = queue - last_queue
			gap_by[n_gaps] = gap_had
		}
		last_queue = queue
		start = free + 20000
		if (is_hit && (CAUSE == "rebind" || CAUSE == "page_fault")) {
			gpu_had = uniform(2500000, 5000000)
			off(CAUSE, start + 50000, start + 50000 + gpu_had, 7, 91)
			gpu += gpu_had
		}
		end = start + gpu
		if (is_i915) {
			event(queue, 0, 200, "i915_request_queue ctx=40 dev=0 seqno=" i)
			event(queue + 1000, 0, 200, "i915_request_add ctx=40 dev=0 seqno=" i)
			event(queue + 2000, 0, 200, "i915_request_submit ctx=40 dev=0 seqno=" i)
			event(start, 0, 200, "i915_request_execute ctx=40 dev=0 seqno=" i)
			event(end, 2, 0, "dma_fence_signaled context=40 seqno=" i)
			event(end + 50000, 2, 0, "i915_request_retire ctx=40 dev=0 seqno=" i)
		} else if (is_command) {
			printf "%d 0 200/200 - opencl_call_entry function=clEnqueueNDRangeKernel queue=0x10 object=0x20 size=64\n", queue - 5000
			job(queue, 0, 200, 40, i, "ccs4", 1795)
			printf "%d 0 200/200 - opencl_call_exit function=clEnqueueNDRangeKernel queue=0x10 command=%d status=0\n", queue + 5000, i
			runs(start - 10000, 40, i, "ccs4", 1795)
			ends(start - 8000, 40, i)
			printf "%d 1 200/201 - opencl_command command=%d queue=0x10 queued_ns=%d submitted_ns=%d start_ns=%d end_ns=%d type=0x11f0\n",
				end + 8000, i, queue, queue + 4000, start, end
		} else {
			job(queue, 0, 200, 40, i, "rcs4", 1793)
			if (free > queue)
				event(queue + 500, 0, 200, "drm_sched_job_add_dep fence_context=40 fence_seqno=" i " ctx=900 seqno=" copies)
			runs(start, 40, i, "rcs4", 1793)
			ends(end, 40, i)
		}
		took[i] = is_command ? end - start : end - queue
		by[i] = gpu_had
		t = end + 20000
	}
	# Others: a process with requests, one that compiles, kswapd's like; their memory is not ours.
	for (at = 1100000; at < t; at += uniform(500000, 900000)) {
		others++
		if (!is_i915) {
			job(at, 3, 300, 60, others, "rcs5", 2305)
			runs(at + 20000, 60, others, "rcs5", 2305)
			ends(at + 220000, 60, others)
		}
		if (others % 5 == 0)
			stall("reclaim", at + 30000, at + uniform(200000, 450000), 3, 400)
		if (others % 7 == 0 && !is_i915)
			move(at + 10000, 300, uniform(100000, 400000))
		if (others % 11 == 0 && !is_i915)
			off(rand() < 0.5 ? "rebind" : "page_fault", at + 50000, at + uniform(200000, 400000), 9, 95)
	}
	truth("submission", gap, gap_by, n_gaps)
	truth(is_command ? "command" : "request", took, by, N)
}
