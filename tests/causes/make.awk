# SPDX-License-Identifier: MIT
# A recording in which something is late for one reason, among ordinary load, as text: awk -v CAUSE=... -v SEED=... -f make.awk.
# CAUSE is a line of `table`, or none-WORLD: then what could be a reason comes and goes all the same, and changes nothing. The events are
# in no order. app[200] is late; other[300], cc[400] and boss[500] are there, too.

function uniform(lo, hi) { return int(lo + rand() * (hi - lo)) }
function us(lo, hi) { return uniform(lo * 1000, hi * 1000) }
function ms(lo, hi) { return uniform(lo * 1000000, hi * 1000000) }
function event(ns, cpu, tid, text) { printf "%.0f %s %d/%d tracepoint %s\n", ns, cpu, tid, tid, text }
function said(ns, tid, text) { printf "%.0f 0 %d/%d - %s\n", ns, tid, tid, text }
function named(tid, name) {
	printf "1000 0 0/0 snapshot lttng_statedump_process_state tid=%d vtid=%d pid=%d vpid=%d type=0 mode=1 status=2 name=%s\n", tid, tid, tid, tid, name
}

# What was so, which no event says: when a request, or a command, had the GPU. A comment to who reads the events.
function truth(what, name, start, end) { printf "# truth %s %s %.0f %.0f\n", what, name, start, end }

# ---- drm_sched ----

function job_fields(ctx, seqno, ring,    driver) {
	driver = ring ~ /^(gfx|comp|sdma|vcn)/ ? "amdgpu" : ring ~ /^v3d/ ? "v3d" : ring ~ /^pan/ ? "panfrost" : "xe"
	return sprintf("fence_context=%d fence_seqno=%d client_id=%d name=%s dev=0000:03:00.0 driver=%s%s", ctx, seqno, ctx, ring, driver, flags)
}
function job(ns, cpu, tid, ctx, seqno, ring, of) {
	flags = of ? " queue_flags=" of : ""
	event(ns, cpu, tid, "drm_sched_job_queue " job_fields(ctx, seqno, ring))
}
# The worker hands it over, where the driver may have to wake the device first; the ring has fences of its own.
function runs(ns, ctx, seqno, ring, of, wakes) {
	flags = of ? " queue_flags=" of : ""
	event(ns, 1, 90, "drm_sched_job_run " job_fields(ctx, seqno, ring))
	if (!fences[ring])
		fences[ring] = ++n_rings + 1000
	fence_of[ctx, seqno] = sprintf("context=%d seqno=%d", fences[ring], ++n_of_ring[ring])
	event(ns + 1000, 1, 90, sprintf("dma_fence_init %s driver=x timeline=%s", fence_of[ctx, seqno], ring))
	if (wakes)
		stall("resume", ns + 1500, ns + 1500 + wakes, 1, 90)
	event(ns + 2000 + wakes, 1, 90, sprintf("dma_fence_signaled context=%d seqno=%d", ctx - 1, seqno))
}
function ends(ns, ctx, seqno) {
	event(ns, 2, 0, "dma_fence_signaled " fence_of[ctx, seqno])
	event(ns + 500, 2, 0, sprintf("drm_sched_job_done fence_context=%d fence_seqno=%d", ctx, seqno))
	event(ns + 1000, 2, 0, sprintf("dma_fence_signaled context=%d seqno=%d", ctx, seqno))
}
# A job of a ring that runs one at a time; returns its end. app's thread is on CPU 0.
function serial(ns, tid, ctx, seqno, ring, lasts,    start) {
	job(ns, tid == 200 ? 0 : 3, tid, ctx, seqno, ring)
	start = free[ring] > ns + 9000 ? free[ring] : ns + 9000
	runs(ns + 9000, ctx, seqno, ring)
	ends(start + lasts, ctx, seqno)
	truth("request", ctx ":" seqno, start, start + lasts)
	return free[ring] = start + lasts
}

# ---- i915 ----

function i915(ns, cpu, tid, what, ctx, seqno, more) {
	event(ns, cpu, tid, sprintf("i915_request_%s ctx=%d dev=0 seqno=%d class=0 instance=0%s", what, ctx, seqno, more))
}
function queued(ns, tid, ctx, seqno) {
	i915(ns, 0, tid, "queue", ctx, seqno)
	i915(ns + 1000, 0, tid, "add", ctx, seqno)
	event(ns + 1500, 0, tid, sprintf("dma_fence_enable_signal context=%d seqno=%d", ctx, seqno))
	i915(ns + 2000, 0, tid, "submit", ctx, seqno)
}
function over(ns, ctx, seqno) {
	event(ns, 2, 0, sprintf("dma_fence_signaled context=%d seqno=%d", ctx, seqno))
	i915(ns + 50000, 2, 0, "retire", ctx, seqno)
}

# ---- the scheduler ----

function switches(ns, cpu, from, to, state) {
	event(ns, cpu, from, sprintf("sched_switch prev_tid=%d next_tid=%d prev_state=%d prev_prio=120 next_prio=120 prev_comm=%s next_comm=%s",
		from, to, state, comm[from], comm[to]))
}
# CPU 0 went to sleep behind its last switch, and was woken before this one.
function slept(since, left, state, ns) {
	event(ns - 100, 0, 0, sprintf("cpu_idle since_ns=%.0f left_ns=%.0f state=%d", since, left, state))
}
function waking(ns, tid) { event(ns, 2, 0, sprintf("sched_waking tid=%d prio=120 target_cpu=0 comm=%s", tid, comm[tid])) }

# ---- memory and power ----

# What lies around a stall of a thread.
function stall(cause, from, to, cpu, tid) {
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
	} else if (cause == "resume") {
		# The device that it hangs on wakes before it.
		event(from, cpu, tid, "rpm_resume name=0000:03:00.0")
		event(from + 1000, cpu, tid, "rpm_resume name=0000:00:1c.0")
		event(from + int((to - from) / 2), cpu, tid, "rpm_return_int name=0000:00:1c.0 ret=0")
		event(to, cpu, tid, "rpm_return_int name=0000:03:00.0 ret=0")
	} else {
		event(from, cpu, tid, "xe_function_enter function=" function_of[cause])
		event(to, cpu, tid, "xe_function_leave function=" function_of[cause])
	}
}
function armed(ns, cpu, tid, ctx) {
	event(ns, cpu, tid, sprintf("dma_fence_init context=%d seqno=%d driver=xe timeline=preempt", ctx, ++n_armed[ctx]))
}
# An address space has two queues; the first leaves the GPU at once. Both are off from `gone` to `back`, as the worker tid sees it.
function leaves(asks, gone, back, asid, tid,    one, two, space) {
	one = sprintf("context=%d seqno=%d", 1000 * asid + 1, n_armed[1000 * asid + 1])
	two = sprintf("context=%d seqno=%d", 1000 * asid + 2, n_armed[1000 * asid + 2])
	space = sprintf("asid=%d dev=0000:03:00.0", asid)
	event(asks, 3, 98, "dma_fence_enable_signal " one)
	event(asks + 500, 3, 98, "dma_fence_enable_signal " two)
	event(asks + 1000, 3, 97, "dma_fence_signaled " one)
	event(asks + 2000, 3, tid, "xe_vm_rebind_worker_enter " space)
	event(asks + 3000, 3, tid, "dma_fence_wait_end " one)
	event(gone - 1000, 3, 97, "dma_fence_signaled " two)
	event(gone, 3, tid, "dma_fence_wait_end " two)
	armed(back, 3, tid, 1000 * asid + 1)
	armed(back + 500, 3, tid, 1000 * asid + 2)
	event(back + 5000, 3, tid, "xe_vm_rebind_worker_exit " space)
}
# What lies around a time in which the GPU does not go on with an address space.
function off(cause, from, to, asid, tid) {
	if (cause ~ /^rebind/) {
		leaves(from - 40000, from, to, asid, tid)
		return
	}
	event(from, 3, tid, "xe_vma_pagefault start=0x2000 end=0x2fff asid=" asid " dev=0000:03:00.0")
	event(from + int((to - from) / 2), 3, tid, "xe_vma_pf_bind start=0x2000 end=0x2fff asid=" asid " dev=0000:03:00.0")
	event(to - 5000, 3, tid, "dma_fence_wait_start context=77 seqno=" from)
	event(to, 3, tid, "dma_fence_wait_end context=77 seqno=" from)
}
# A thread of tid has so much moved; returns when the copy is over. stays: so long another's queue still runs that uses it.
function move(ns, tid, copy, stays) {
	copies++
	event(ns, 0, tid, "xe_bo_move size=67108864 old_placement_name=vram0 new_placement_name=system device_id=0000:03:00.0")
	job(ns + 3000, 0, tid, 900, copies, "bcs1", 5)
	if (stays) {
		event(ns + 3500, 0, tid, sprintf("drm_sched_job_add_dep fence_context=900 fence_seqno=%d ctx=11002 seqno=%d", copies, n_armed[11002]))
		leaves(ns + 5000, ns + stays, ns + stays + 400000, 11, 96)
		ns += stays
	}
	runs(ns + 20000, 900, copies, "bcs1", 5)
	ends(ns + 20000 + copy, 900, copies)
	return ns + 21000 + copy
}

# Requests one after the other; a thread, the job's dependency or the GPU is held up.
function memory(    i, t, host, gpu, queue, start, has_to, at, n, ring, flags, wakes) {
	ring = KIND == "panfrost" ? "pan_js1" : "rcs4"
	flags = KIND == "panfrost" ? 0 : 1793
	if (KIND == "i915")
		print "info submission guc"
	t = 1000000
	for (i = 7; i <= 11 && KIND ~ /^(xe|command)$/; i += 2) {
		armed(t - 9000 + i, 0, i * 100 - 500, 1000 * i + 1) # 200, 400, 600: who makes the queues
		armed(t - 8000 + i, 0, i * 100 - 500, 1000 * i + 2)
	}
	if (KIND == "command")
		said(t - 1000, 200, "opencl_queue queue=0x10 device=0xd0 known=1 name=GPU")
	for (i = 1; i <= 120; i++) {
		host = us(150, 250)
		gpu = us(300, 500)
		is_hit = !NONE && i % 8 == 5
		# Late for other reasons: it sleeps, or the GPU has much to do.
		host += i % 29 == 11 ? 2000000 : 0
		gpu += i % 29 == 22 ? 2000000 : 0
		# What has less than half of it is not why.
		if (i % 29 == 11 && NONE && KIND != "i915")
			stall("reclaim", t + 20000, t + us(400, 700), 0, 200)
		if (is_hit && CAUSE ~ /^(reclaim|memory_stall|userptr|eviction|resume|user_fence|mode_switch)$/) {
			held = ms(2.5, 5)
			stall(CAUSE, t + int(host / 2), t + int(host / 2) + held, 0, 200)
			host += held
		}
		queue = t + host
		has_to = queue
		if (is_hit && CAUSE == "move")
			has_to = move(queue - 10000, rand() < 0.5 ? 200 : 300, ms(2.5, 5))
		else if (is_hit && CAUSE == "preempt")
			has_to = move(queue - 10000, rand() < 0.5 ? 200 : 300, us(100, 400), ms(2.5, 5))
		held = is_hit && KIND == "command" ? ms(2.5, 5) : 0
		call = 5000
		if (held && CAUSE == "bind") {
			stall("bind", queue + 1000, queue + 1000 + held, 0, 200)
			call = held + 8000
			has_to = queue + held
		} else if (held && CAUSE == "rebind_in_queue") {
			off("rebind", queue + 50000, queue + 50000 + held, 7, 91)
			has_to = queue + 50000 + held
		} else if (held) {
			off(CAUSE, has_to + 70000, has_to + 70000 + held, 7, 91)
			gpu += held
		}
		start = has_to + 20000
		if (KIND == "i915") {
			queued(queue, 200, 40, i)
			i915(start, 0, 200, "execute", 40, i)
			over(start + gpu, 40, i)
			truth("request", 40 ":" i, start + 1000, start + gpu)
		} else if (KIND == "command") {
			said(queue - 5000, 200, "opencl_call_entry function=clEnqueueNDRangeKernel queue=0x10 object=0x20 size=64")
			job(queue, 0, 200, 40, i, "ccs4", 1795)
			said(queue + call, 200, "opencl_call_exit function=clEnqueueNDRangeKernel queue=0x10 status=0 command=" i)
			runs(start - 10000, 40, i, "ccs4", 1795)
			ends(start - 8000, 40, i)
			said(start + gpu + 8000, 200, sprintf("opencl_command command=%d queue=0x10 queued_ns=%d submitted_ns=%d start_ns=%d end_ns=%d type=0x11f0",
				i, queue, queue + call - 1000, start, start + gpu))
			truth("command", i, start, start + gpu)
		} else {
			wakes = is_hit && CAUSE == "resume_in_queue" ? ms(2.5, 5) : 0
			gpu += wakes
			job(queue, 0, 200, 40, i, ring, flags)
			if (has_to > queue)
				event(queue + 500, 0, 200, "drm_sched_job_add_dep fence_context=40 fence_seqno=" i " ctx=900 seqno=" copies)
			runs(start, 40, i, ring, flags, wakes)
			ends(start + gpu, 40, i)
			truth("request", 40 ":" i, start + (wakes ? 1500 + wakes : KIND == "panfrost" ? 0 : 1000), start + gpu)
		}
		t = start + gpu + 20000
	}
	# Others: a process with requests, one that compiles; their memory is not ours.
	for (at = 1100000; at < t; at += us(500, 900)) {
		n++
		# Another device wakes, for others.
		if (n % 3 == 0)
			stall("resume", at, at + us(100, 300), 3, 400)
		if (KIND != "i915" && KIND != "panfrost") {
			job(at, 3, 300, 60, n, "rcs5", 2305)
			runs(at + 20000, 60, n, "rcs5", 2305)
			ends(at + 220000, 60, n)
			truth("request", 60 ":" n, at + 30000, at + 220000)
		}
		if (n % 5 == 0)
			stall("reclaim", at + 30000, at + us(200, 450), 3, 400)
		if (n % 6 == 0 && KIND ~ /^(xe|command)$/)
			stall(rand() < 0.5 ? "bind" : "user_fence", at + 30000, at + us(200, 450), 3, 500)
		if (n % 7 == 0 && KIND != "i915" && KIND != "panfrost")
			move(at + 10000, 300, us(100, 400))
		if (n % 11 == 0 && KIND != "i915" && KIND != "panfrost")
			off(rand() < 0.5 ? "rebind" : "page_fault", at + 50000, at + us(200, 400), 9, 95)
	}
}

# ---- a job that does not end ----

function hang(    i, t, ring, flags, at) {
	if (KIND == "i915")
		print "info submission guc\ninfo limits 0 0000:00:02.0 rcs0 request_timeout=20000000000 heartbeat_interval=2500000000"
	else
		print "info limits 1 0000:03:00.0 rcs job_timeout=5000000000"
	print "info begin_ns 1000"
	ring = KIND == "v3d" ? "v3d_bin" : CAUSE == "hung_burst" ? "ccs4" : "rcs4"
	flags = KIND == "v3d" ? "" : CAUSE == "hung_burst" ? 1795 : 1793
	t = 1000000
	for (i = 1; i <= 40; i++) {
		at = t + us(100, 300)
		t = at + us(500, 900)
		if (KIND == "i915") {
			queued(at, 200, 40, i)
			i915(at + 20000, 0, 200, "execute", 40, i)
		} else {
			job(at, 0, 200, 40, i, ring, flags)
			runs(at + 20000, 40, i, ring, flags)
		}
		if (i < 40 || NONE) {
			truth("request", 40 ":" i, at + 20000, t)
			if (KIND == "i915")
				over(t, 40, i)
			else
				ends(t, 40, i)
			continue
		}
		t += ms(5000, 6000)
		if (CAUSE == "hung_burst" || CAUSE ~ /^open/)
			t -= ms(2000, 3000)
		else if (CAUSE == "gave_up")
			event(t, 1, 93, "xe_sched_job_timedout fence_context=40 fence_seqno=40 seqno=77 guc_id=4 error=0 dev=0000:03:00.0")
		else if (CAUSE == "banned")
			event(t, 1, 93, "xe_sched_job_ban fence_context=40 fence_seqno=40 seqno=77 guc_id=4 error=0 dev=0000:03:00.0")
		else if (CAUSE == "engine_reset")
			event(t, 1, 94, "xe_exec_queue_reset class=0 gt_id=0 guc_id=4 guc_state=0x9 flags=0x2 dev=0000:03:00.0")
		else if (CAUSE == "memory_error")
			event(t, 1, 94, "xe_exec_queue_memory_cat_error class=0 gt_id=0 guc_id=4 guc_state=0x9 flags=0x2 dev=0000:03:00.0")
		else {
			event(t, 1, 94, "v3d_reset_begin dev=0")
			event(t + 300000, 1, 94, "v3d_reset_end dev=0")
		}
		if (CAUSE != "hung_burst" && CAUSE !~ /^open/ && KIND != "i915")
			ends(t + 400000, 40, i)
	}
	# Others go on.
	for (at = 1100000; at < t + 1000000; at += t > 1000000000 ? ms(15, 20) : us(500, 900)) {
		n_others++
		truth("request", 60 ":" n_others, at + 20000, at + 220000)
		if (KIND == "i915") {
			queued(at, 300, 60, n_others)
			i915(at + 20000, 3, 300, "execute", 60, n_others)
			over(at + 220000, 60, n_others)
			continue
		}
		job(at, 3, 300, 60, n_others, KIND == "v3d" ? "v3d_tfu" : "rcs5", KIND == "v3d" ? "" : 2305)
		runs(at + 20000, 60, n_others, KIND == "v3d" ? "v3d_tfu" : "rcs5", KIND == "v3d" ? "" : 2305)
		ends(at + 220000, 60, n_others)
	}
}

# ---- two frames in flight on a ring that runs one job at a time ----

function ring(    i, t, back, host, wait, held, on, done, dep, queue, left) {
	print "info idle_states 0-7:POLL=0,C1=2,C6=133"
	t = 2000000
	for (i = 1; i <= 60; i++) {
		# It waits for the frame before the last one, and is woken.
		held = !NONE && i % 4 == 3 ? ms(25, 40) : 0
		if (done[i - 2] > t) {
			event(t, 0, 200, "dma_fence_wait_start context=40 seqno=" i - 2)
			switches(t + 5000, 0, 200, 0, 1)
			waking(done[i - 2] + 2000, 200)
			back = done[i - 2] + us(10, 30)
			if (held && CAUSE == "cpu_preemption") {
				switches(back, 0, 0, 600, 0)
				back += held
				switches(back, 0, 600, 200, 0)
			} else {
				# Its CPU sleeps, lightly or deeply; or it has something to do that is no thread.
				left = back - 5000
				back += CAUSE ~ /^cpu_(awake|sleep)$/ ? held : 0
				if (CAUSE == "cpu_sleep" && held) {
					left = back - us(10, 30)
					event(back - 200, 0, 0, "cpu_frequency cpu_id=0 state=" uniform(8, 13) "00000")
				}
				slept(t + us(10, 20), left, CAUSE == "cpu_sleep" && held ? 2 : 1, back)
				switches(back, 0, 0, 200, 0)
			}
			t = back + 5000
			event(t, 0, 200, "dma_fence_wait_end context=40 seqno=" i - 2)
		}
		t += us(500, 1500)
		if (held && CAUSE == "computing")
			t += held
		if (held && CAUSE == "sleeping") {
			switches(t, 0, 200, 0, 1)
			waking(t + held, 200)
			switches(t + held + 20000, 0, 0, 200, 0)
			t += held + 600000
		}
		if (held && CAUSE == "other_engine") {
			serial(t, 200, 70, i, "comp_1.0.0", held)
			event(t + 20000, 0, 200, "dma_fence_wait_start context=70 seqno=" i)
			switches(t + 25000, 0, 200, 0, 1)
			waking(free["comp_1.0.0"] + 2000, 200)
			switches(free["comp_1.0.0"] + 20000, 0, 0, 200, 0)
			event(free["comp_1.0.0"] + 25000, 0, 200, "dma_fence_wait_end context=70 seqno=" i)
			t = free["comp_1.0.0"] + 600000
		}
		# The picture it draws upon.
		dep++
		serial(t - 400000, 500, 50, dep, "vcn_dec_0", held && CAUSE == "dependency" ? held : us(100, 200))
		# What it copies; another copies, too.
		serial(t - 300000, 500, 80, i, "sdma0", CAUSE == "copies" && i % 8 == 3 ? ms(20, 30) : us(50, 100))
		serial(t - 200000, 200, 84, i, "sdma0", us(300, 500))
		queue = t
		job(queue, 0, 200, 40, i, "gfx_0.0.0")
		event(queue + 500, 0, 200, "drm_sched_job_add_dep fence_context=40 fence_seqno=" i " ctx=50 seqno=" dep)
		on = queue + 10000
		if (free["vcn_dec_0"] > queue)
			on = free["vcn_dec_0"] + 10000
		runs(on, 40, i, "gfx_0.0.0")
		on = free["gfx_0.0.0"] > on ? free["gfx_0.0.0"] : on
		done[i] = free["gfx_0.0.0"] = on + ms(4, 6)
		truth("request", 40 ":" i, on, done[i])
		ends(done[i], 40, i)
		t += 20000
	}
}

# ---- execlists: another context takes the engine ----

function ports(    i, t, gpu, at, had, is_hit) {
	print "info submission execlists"
	t = 1000000
	for (i = 1; i <= 60; i++) {
		is_hit = !NONE && i % 2 == 0
		gpu = ms(4, 6)
		at = t + us(100, 200)
		queued(at, 200, 40, i)
		i915(at + 10000, 1, 0, "execute", 40, i)
		i915(at + 11000, 1, 0, "in", 40, i, " port=0 prio=0")
		if (is_hit) {
			t = at + us(1000, 3000)
			had = ms(2, 4)
			gpu += had
			queued(t, 500, 60, i)
			i915(t + 5000, 1, 0, "unsubmit", 40, i)
			i915(t + 6000, 1, 0, "execute", 60, i)
			i915(t + 7000, 1, 0, "execute", 40, i)
			i915(t + 8000, 1, 0, "in", 40, i, " port=1 prio=0")
			i915(t + 9000, 1, 0, "in", 60, i, " port=0 prio=" (CAUSE == "priority" ? 512 : 0))
			i915(t + 15000, 1, 0, "out", 40, i, " completed=0")
			event(t + had, 1, 0, "dma_fence_signaled context=60 seqno=" i)
			i915(t + had + 1000, 1, 0, "out", 60, i, " completed=1")
			i915(t + had + 60000, 1, 0, "retire", 60, i)
		}
		truth("request", 40 ":" i, at + 11000, at + gpu)
		t = at + gpu
		event(t, 1, 0, "dma_fence_signaled context=40 seqno=" i)
		i915(t + 1000, 1, 0, "out", 40, i, " completed=1")
		i915(t + 50000, 1, 0, "retire", 40, i)
		if (!is_hit) {
			at = t + 100000
			queued(at, 500, 60, i)
			i915(at + 10000, 1, 0, "execute", 60, i)
			i915(at + 11000, 1, 0, "in", 60, i, " port=0 prio=512")
			t = at + us(300, 500)
			event(t, 1, 0, "dma_fence_signaled context=60 seqno=" i)
			i915(t + 1000, 1, 0, "out", 60, i, " completed=1")
			i915(t + 50000, 1, 0, "retire", 60, i)
		}
		t += 60000
	}
}

# ---- commands, and the calls that wait for them ----

function calls(    i, t, gpu, start) {
	t = 1000000
	said(t - 1000, 200, "opencl_queue queue=0x10 device=0xd0 known=1 name=GPU")
	switches(t - 900, 0, 0, 200, 0)
	for (i = 1; i <= 60; i++) {
		gpu = ms(2, 4)
		said(t, 200, "opencl_call_entry function=clEnqueueNDRangeKernel queue=0x10 object=0x20 size=64")
		job(t + 5000, 0, 200, 40, i, "ccs4", 1793)
		said(t + 10000, 200, "opencl_call_exit function=clEnqueueNDRangeKernel queue=0x10 status=0 command=" i)
		start = t + 30000
		runs(t + 20000, 40, i, "ccs4", 1793)
		ends(start + gpu + 2000, 40, i)
		said(t + 15000, 200, "opencl_call_entry function=clFinish queue=0x10")
		if (CAUSE != "spinning") {
			switches(t + 20000, 0, 200, 0, 1)
			waking(start + gpu + 4000, 200)
			switches(start + gpu + us(10, 20), 0, 0, 200, 0)
		}
		said(start + gpu + 30000, 200, sprintf("opencl_command command=%d queue=0x10 queued_ns=%d submitted_ns=%d start_ns=%d end_ns=%d type=0x11f0",
			i, t + 6000, t + 12000, start, start + gpu))
		truth("command", i, start, start + gpu)
		said(start + gpu + 40000, 200, "opencl_call_exit function=clFinish queue=0x10 status=0")
		t = start + gpu + us(50, 90)
	}
}

# ---- a ring that user space feeds, and that the kernel has to start when it has stopped ----

# A kernel is appended; where the ring is not running the thread asks the kernel for it, which hands it over `held` later. Returns when it may start.
function append(ns, i, held,    over) {
	said(ns, 200, "opencl_call_entry function=zeCommandListAppendLaunchKernel queue=0x10 object=0x1 size=64")
	over = ns + 5000
	if (held) {
		job(ns + 3000, 0, 200, 91, ++n_bursts, "ccs4", 1795)
		flags = " queue_flags=1795"
		event(ns + 3000 + held, 1, 90, "drm_sched_job_run " job_fields(91, n_bursts, "ccs4"))
		over = ns + 3000 + int(held / 2) + 2000
	}
	said(over, 200, "opencl_call_exit function=zeCommandListAppendLaunchKernel queue=0x10 status=0 command=" i)
	return (held ? ns + 3000 + held : over) + us(3, 6)
}
function stops(ns) {
	event(ns, 2, 0, sprintf("dma_fence_signaled context=291 seqno=%d", n_bursts))
	event(ns + 10, 2, 0, sprintf("drm_sched_job_done fence_context=91 fence_seqno=%d", n_bursts))
	event(ns + 20, 2, 0, sprintf("dma_fence_signaled context=91 seqno=%d", n_bursts))
}
function feed(    i, t, at, start, gpu, n) {
	t = 1000000
	said(t - 3000, 200, "opencl_queue queue=0x10 device=0xd0 known=1 name=GPU")
	said(t - 2000, 200, "opencl_kernel kernel=0x1 name=matmul")
	said(t - 1000, 200, "opencl_clock device=0xd0 device_ns=0 grain_ns=1")
	said(t - 990, 200, sprintf("opencl_clock device=0xd0 device_ns=%d grain_ns=1", t - 990 + 1000000))
	for (i = 1; i <= 80; i++) {
		is_anew = i % 8 == 5
		if (is_anew) {
			stops(t + ms(5, 6))
			t += ms(7, 9)
		}
		start = append(t, i, i == 1 || is_anew ? (NONE || i == 1 ? us(3, 8) : us(300, 900)) : 0)
		# Late for other reasons: others have the GPU.
		start += i % 29 == 11 ? ms(1, 2) : NONE && is_anew ? us(300, 900) : 0
		gpu = us(200, 400)
		said(start + gpu + 3000, 200, sprintf("opencl_command command=%d queue=0x10 queued_ns=0 submitted_ns=0 start_ns=%.0f end_ns=%.0f type=LAUNCH_KERNEL status=0",
			i, start + 1000000, start + gpu + 1000000))
		truth("command", i, start, start + gpu)
		t = start + gpu + us(20, 60)
	}
	said(t, 200, "opencl_clock device=0xd0 device_ns=0 grain_ns=1")
	said(t + 10, 200, sprintf("opencl_clock device=0xd0 device_ns=%.0f grain_ns=1", t + 10 + 1000000))
	# Another one's ring stops and starts all the time.
	for (at = 1100000; at < t; at += ms(7, 9)) {
		job(at, 3, 500, 93, ++n, "ccs6", 1795)
		runs(at + us(300, 900), 93, n, "ccs6", 1795)
		ends(at + ms(5, 6), 93, n)
	}
}

# ---- counters: 30 s of requests, and ten samples a second ----

function counter(id, what, trust, per_second, class, pid, name) {
	printf "%d - -/- snapshot gpulane_counter client_id=%d per_second=%d id=%d what=%d trust=%d card=0 gt=0 capacity=1 pid=%d class=%d instance=65535 comm=\"%s\" dev=0000:00:02.0 name=%s\n",
		2000 + id, (pid > 0 ? pid : what == 9 ? 2 : 0), per_second, id, what, trust, pid, class, (pid > 0 ? comm[pid] : ""), name
}
function sample(id, from, value, total) {
	printf "%.0f - -/- snapshot gpulane_sample value=%.0f total=%.0f from_ns=%.0f id=%d\n", from + 50000, value, total, from, id
}
# Whether it is on at this time, by the episodes that were drawn for it.
function is_on(what, at,    i) {
	for (i = 1; i <= n_of[what]; i++)
		if (from_of[what, i] <= at && at < to_of[what, i])
			return 1
	return 0
}
function episodes(what, mean_on, mean_off,    at, till) {
	for (at = mean_off * rand(); at < length_ns; at = till + mean_off * (0.5 + rand())) {
		till = at + mean_on * (0.5 + rand())
		from_of[what, ++n_of[what]] = at
		to_of[what, n_of[what]] = till
	}
}
function on_for(what, to,    i, sum) {
	for (i = 1; i <= n_of[what]; i++)
		if (from_of[what, i] < to)
			sum += (to_of[what, i] < to ? to_of[what, i] : to) - from_of[what, i]
	return sum + 0
}
function gauss() { return rand() + rand() + rand() + rand() + rand() + rand() - 3 }
# A kernel of the process that the requests are of; and one that is eight times as large, with each.
function kernel(at, i, took,    size, start, n) {
	for (n = 0; n < 2; n++) {
		size = n ? 512 : 64
		start = at + 30000
		said(at, 200, "opencl_call_entry function=clEnqueueNDRangeKernel queue=0x10 object=0x20 size=" size)
		said(at + 10000, 200, "opencl_call_exit function=clEnqueueNDRangeKernel queue=0x10 status=0 command=" 2 * i + n)
		said(start + took + 2000, 200, sprintf("opencl_command command=%d queue=0x10 queued_ns=%.0f submitted_ns=%.0f start_ns=%.0f end_ns=%.0f type=0x11f0",
			2 * i + n, at + 6000, at + 12000, start, start + took))
		truth("command", 2 * i + n, start, start + took)
		at = start + took + 20000
		took *= 3
	}
	return at
}
function counters(    at, took, was_asleep, was_suspended, typical, pause, factor, n, own, own_ns, n_seen, MS) {
	print "info submission guc"
	length_ns = 30e9
	MS = 1000000
	# Others come and go, too; which of them matters is CAUSE. What holds a clock down lowers it.
	if (CAUSE !~ /^throttled/)
		episodes("clock", 1200 * MS, 4000 * MS)
	episodes("other_client", 1200 * MS, 4000 * MS)
	episodes("other_vf", 1200 * MS, 4000 * MS)
	if (CAUSE ~ /^throttled/ || rand() < 0.5)
		episodes("throttled", 1200 * MS, 5000 * MS)
	if (CAUSE == "c6" || rand() < 0.5)
		episodes("c6", 250 * MS, 500 * MS)
	if (CAUSE == "suspended" || (CAUSE != "c6" && rand() < 0.5))
		episodes("suspended", 600 * MS, 800 * MS)
	counter(0, 2, 0, 0, 65535, -1, "rps_act_freq_mhz")
	counter(1, 6, 8, 0, 65535, -1, "throttle_reason_status")
	counter(2, 8, 0, 1000, 65535, -1, "runtime_suspended_time")
	counter(3, 7, 0, 1000000000, 65535, -1, "rc6-residency")
	counter(4, 1, 0, 1000000000, 0, 500, "render")
	counter(5, 1, 0, 1000000000, 0, 200, "render")
	counter(6, 9, 9, 0, 0, -1, "engine-active-ticks")
	if (KIND == "command") {
		said(10 * MS, 200, "opencl_queue queue=0x10 device=0xd0 known=1 name=GPU")
		said(11 * MS, 200, "opencl_kernel kernel=0x20 name=matmul")
	}
	typical = (4 + rand() * 8) * MS
	pause = (10 + rand() * 20) * MS
	factor = 2 + rand() * 2
	for (at = 20 * MS; at < length_ns - 100 * MS; at += 50000 + took + pause * (0.5 + rand())) {
		was_asleep = was_suspended = 0
		for (; is_on("c6", at) || is_on("suspended", at); at += MS) {
			was_suspended += is_on("suspended", at)
			was_asleep += is_on("c6", at)
		}
		took = typical * (1 + 0.15 * gauss())
		if (CAUSE ~ /^low_clock/ && (is_on("clock", at) || is_on("throttled", at)) || CAUSE ~ /^throttled/ && is_on("throttled", at) ||
			CAUSE ~ /^other_/ && is_on(CAUSE, at))
			took *= factor
		if (CAUSE == "c6" && was_asleep || CAUSE == "suspended" && was_suspended)
			took += typical * (3 + 2 * rand())
		if (rand() < 0.025)
			took *= 1.5 + rand()
		n++
		if (KIND == "command") {
			at = kernel(at, n, took)
			continue
		}
		queued(at, 200, 40, n * 2)
		i915(at + 25000, 0, 200, "execute", 40, n * 2)
		over(at + 30000 + took, 40, n * 2)
		truth("request", 40 ":" n * 2, at + 30000, at + 30000 + took)
		own[n] = at + 30000 + took
		own_ns[n] = own_ns[n - 1] + took
	}
	for (at = uniform(0, 100 * MS); at < length_ns; at += (98 + 4 * rand()) * MS) {
		sample(0, at, is_on("clock", at) || is_on("throttled", at) ? 350 + uniform(0, 3) * 50 : 1250 + uniform(0, 2) * 50)
		sample(1, at + 100000, is_on("throttled", at) ? 2 : 0)
		sample(2, at + 200000, int(on_for("suspended", at) / MS))
		sample(3, at + 300000, on_for("suspended", at) + on_for("c6", at))
		sample(4, at + 400000, int(on_for("other_client", at) * 0.8))
		while (n_seen < n && own[n_seen + 1] < at)
			n_seen++
		sample(5, at + 500000, own_ns[n_seen])
		# A virtual function: ticks of 19.2 MHz, of which a quarter are its share.
		sample(6, at + 600000, on_for("other_vf", at) * 0.0192 * 0.25 * 0.9, at * 0.0192 * 0.25)
	}
}

BEGIN {
	srand(SEED)
	NONE = CAUSE ~ /^none/
	function_of["bind"] = "xe_vm_bind_ioctl"
	function_of["user_fence"] = "xe_wait_user_fence_ioctl"
	function_of["mode_switch"] = "xe_hw_engine_group_get_mode"
	print "gpulane-events 1\ninfo release 7.3.4"
	split("200 app 300 other 400 cc 500 boss 600 hog 0 idle", at, " ")
	for (i = 1; i < 12; i += 2) {
		comm[at[i]] = at[i + 1]
		if (at[i])
			named(at[i], at[i + 1])
	}
	n = split("queue add submit execute unsubmit in out retire", name, " ")
	for (i = 1; i <= n && (WORLD == "counters" || WORLD == "ports" || KIND == "i915"); i++)
		print "recorded i915_request_" name[i]
	n = split("dma_fence_signaled dma_fence_init dma_fence_enable_signal dma_fence_wait_start dma_fence_wait_end sched_switch sched_waking sched_wakeup drm_sched_job_queue drm_sched_job_run drm_sched_job_done drm_sched_job_add_dep", name, " ")
	for (i = 1; i <= n; i++)
		if ((name[i] !~ /^drm/ || WORLD == "ring" || WORLD == "hang" && KIND != "i915") && (name[i] !~ /^sched/ || WORLD == "ring" || WORLD == "calls"))
			print "recorded", name[i]
	if (WORLD == "memory")
		memory()
	else if (WORLD == "hang")
		hang()
	else if (WORLD == "ring")
		ring()
	else if (WORLD == "ports")
		ports()
	else if (WORLD == "calls")
		calls()
	else if (WORLD == "feed")
		feed()
	else
		counters()
}
