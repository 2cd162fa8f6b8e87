# SPDX-License-Identifier: MIT
# What is wrong in a world, by kind, and in its twin, where the same is there and costs nothing. Each part of a turn asks here.
function kinds(list, which, n_seconds,    n, of, i) {
	n = split(list, of, " ")
	for (i = 1; i <= n; i++) {
		drivers[of[i]] = which
		if (n_seconds)
			seconds[of[i]] = n_seconds
	}
}
BEGIN {
	kinds("client", "i915 amdgpu")
	kinds("preempted timeslice", "i915")
	kinds("interrupt_thread", "panfrost")
	kinds("beside_a_hang", "amdgpu")
	kinds("worker", "amdgpu xe")
	kinds("move bind bind_always user_fence mode_switch userptr", "xe")
	kinds("dependency", "amdgpu xe")
	kinds("evicted memory_clock", "amdgpu")
	kinds("low_clock", "i915 guc xe amdgpu", 8)
	kinds("throttled_power throttled_heat power_beside_video", "i915 guc xe", 8)
	kinds("clock_capped clock_always_low clock_held_down", "i915 guc xe")
	kinds("power_limit hot", "amdgpu xe")
	kinds("fw_client", "xe guc", 8)
	kinds("none", "i915 guc amdgpu xe")
	kinds("ze_low_clock ze_client", "xe", 8)
	kinds("ze_user_fence bind_fails calls_fail rebind page_fault", "xe")
	kinds("memory_short", "i915 amdgpu xe")
	kinds("suspended c6", "i915 xe", 6)
}
function harm() { return SIDE == "harm" }
# What says something of a device with much to do says nothing where there is little.
function is_idle_twin() { return SIDE == "twin" && is_kind("clock_capped clock_always_low memory_clock") }
function is_kind(list) { return index(" " list " ", " " KIND " ") > 0 }

# The clients, and what the kind draws.
function make_kind(    e, other, gpu, pause, host, copies) {
	flavour = between(0, 2)
	copies = is_kind("link_narrow link_slow") && SIDE != "twin"
	e = copies ? engine(DRIVER == "amdgpu" ? "sdma0" : "bcs", DRIVER == "amdgpu" ? 0 : 1) : engine(DRIVER == "amdgpu" ? "gfx_0.0.0" : DRIVER == "panfrost" ? "fragment" : "rcs", 0)
	if (DRIVER == "panfrost") {
		irq_tid = kthread("irq/" between(30, 90) "-gpu")
		irq_cpu = new_cpu()
	}
	video = engine(DRIVER == "amdgpu" ? "vcn_dec_0" : "vcs", DRIVER == "amdgpu" ? 0 : 2)
	gpu = between(1500, 5000) * US
	host = between(100, 400) * US
	pause = chance(0.5) ? between(200, 1500) * US : 0
	share = 0.15 + 0.3 * random()
	if (KIND ~ /_always$/)
		share = 0.9
	factor = 1.6 + random()
	elsewhere = SIDE == "card"
	if (is_kind("client preempted timeslice") && !harm())
		pause = between(5, 9) * MS
	if (is_kind("cpu_sleep")) {
		gpu = between(250, 500) * US
		host = between(40, 90) * US
		pause = 0
	}
	# With little to do there is reason for a low clock.
	if (is_idle_twin())
		pause = (gpu + host) * between(6, 12)
	if (is_kind("suspended c6"))
		pause = between(20, 40) * MS
	app = client(fresh_name("game llama raytrace sim cad editor"), e, host, gpu, pause)
	make_others(e, gpu, pause)
	# Another thread of the program, which copies now and then.
	if (has_two_threads || chance(0.4) && !is_idle_twin() && !copies &&
		!is_kind("suspended c6 interrupt_thread power_beside_video bind bind_always resume resume_always reclaim reclaim_always memory_stall user_fence mode_switch userptr")) {
		c_process = c_tid[app]
		client("worker", engine(DRIVER == "amdgpu" ? "sdma0" : "bcs", DRIVER == "amdgpu" ? 0 : 1), 40 * US, between(60, 300) * US, 4 * (gpu + host + pause))
		c_process = 0
	}
	# While another client works the device does not sleep.
	if (chance(0.5) && !is_kind("suspended c6 interrupt_thread") && !is_idle_twin())
		other = client(fresh_name(GPU_USERS), video, 200 * US, between(500, 3000) * US, chance(0.3) ? between(300, 900) * US : between(10, 25) * MS)
	if (chance(0.4) && SIDE != "none" && !is_kind("fw_client suspended c6 interrupt_thread"))
		other = client(fresh_name("compositor panel clock"), e, 50 * US, between(50, 90) * US, between(15, 33) * MS)
}
function make_others(e, gpu, pause) {
	if (is_kind("client")) {
		boss = client(fresh_name(GPU_USERS), e, between(40, 200) * US, between(4, 9) * MS, between(50, 400) * US)
		culprit = who(boss)
	} else if (is_kind("preempted timeslice dependency")) {
		boss = client(fresh_name(GPU_USERS), is_kind("dependency") ? engine(DRIVER == "amdgpu" ? "comp_1.0.0" : "ccs", DRIVER == "amdgpu" ? 0 : 4) : e, 100 * US, between(2, 6) * MS, between(1, 3) * MS)
		c_prio[boss] = is_kind("preempted") ? 100 : 0
		culprit = who(boss)
	} else if (is_kind("fw_client power_beside_video")) {
		# a client of the same engine, which the firmware gives its turns; or of the video engine
		boss = client(fresh_name(GPU_USERS), is_kind("fw_client") && (harm() || flavour) ? engine("rcs", 0) : video, 100 * US, between(8, 15) * MS, between(2, 4) * MS)
		culprit = is_kind("fw_client") ? who(boss) : ""
		innocent = is_kind("fw_client") ? "" : who(boss)
	}
	if (is_kind("beside_a_hang"))
		another_hangs()
	if (boss && is_kind("client preempted timeslice") && (is_kind("preempted timeslice") || !harm()))
		drive(boss)
	if (is_kind("none starved beside_a_hang interrupt_thread move reclaim reclaim_always memory_stall resume resume_always bind bind_always user_fence mode_switch userptr quota evicted worker")) {
		# a quota: of another process, or of another thread of the program
		hog = thread(fresh_name(is_kind("evicted move bind") ? GPU_USERS : OTHERS), is_kind("quota") && flavour == 0 ? c_tid[app] : 0)
		hog_cpu = new_cpu()
		culprit = is_kind("starved beside_a_hang interrupt_thread move worker evicted") ? comm[hog] "[" hog "]" : ""
	}
	if (is_kind("starved_by_many"))
		for (n_hogs = 0; n_hogs < 8 + 30 * share; n_hogs++)
			hogs[n_hogs] = thread("cc1plus")
	if (is_kind("low_clock throttled_power throttled_heat power_beside_video fw_client none"))
		spans("low", 900 * MS, 1500 * MS)
}
function drive(c) {
	c_stopped[c] = c_driven[c] = 1
	# its thread sleeps until then
	switches(c_next[c] - c_host[c] - 10 * US, c_cpu[c], 0, 1)
}
function job_length(c, q,    d) {
	d = about(c_gpu[c], 0.06)
	if (c != app)
		return d
	# now and then a job is longer by itself
	if (chance(0.02))
		d *= 1.5 + random()
	# with no cause at all, and two kinds of jobs
	if (SIDE == "none" && flavour && chance(0.25))
		d *= factor + 1
	if (slept) {
		slept = 0
		if (harm()) {
			cost += factor * 3 * MS
			d += factor * 3 * MS
		}
	}
	if (is_kind("low_clock throttled_power throttled_heat power_beside_video fw_client") && inside("low", q) && (harm() || elsewhere || is_kind("fw_client") && !flavour)) {
		cost += d * (factor - 1)
		d *= factor
	}
	# longer by themselves
	if (is_kind("cpu_sleep user_fence") && !harm() && chance(0.1))
		d *= 3
	return int(d)
}
function before_submit(c, q) { }
# Who has the CPU meanwhile; of many another one each time.
function asleep(c, q) {
	if (c != app || !is_kind("starved starved_by_many beside_a_hang"))
		return 0
	return is_kind("starved_by_many") ? hogs[between(0, n_hogs)] : hog
}
function wake_delay(c, t,    d) {
	d = between(3 * US, 9 * US)
	if (c != app)
		return d
	if (is_kind("starved starved_by_many beside_a_hang") && harm() && chance(share + 0.3)) {
		d = between(1, 5) * MS + between(0, 999) * US
		cost += d
	}
	if (is_kind("cpu_sleep")) {
		if (harm() && chance(share)) {
			d += between(500, 1900) * US
			cost += d
		}
		event(t + d - 1500, c_cpu[c], 0, sprintf("cpu_idle since_ns=%.0f left_ns=%.0f state=3", job_start + 30 * US, t + d - 3 * US))
	}
	return d
}
function pause_of(c, t,    i) {
	if (c == boss && is_kind("fw_client power_beside_video") && !inside("low", t)) {
		for (i = 1; i <= n_spans["low"]; i++)
			if (span_begin["low", i] > t)
				return span_begin["low", i] - t
		return END_NS - t + 1 * MS
	}
	if (c == app && is_kind("suspended c6") && chance(0.6))
		return between(60, 150) * MS
	return c_pause[c] ? about(c_pause[c], 0.2) : 0
}
function in_pause(c, from, to,    n) {
	if (c != app)
		return
	if (is_kind("client preempted timeslice") && !harm()) {
		c_gpu[boss] = (to - from) * 0.6
		c_next[boss] = from + 90 * US
		turn(boss)
	}
	if (is_kind("suspended c6") && to - from > 59 * MS && chance(0.9)) {
		n = ++n_spans["sleep"]
		span_begin["sleep", n] = from + 10 * MS
		span_end["sleep", n] = to - 1 * MS
		slept = 1
	}
}
# The thread computes from T on for so long: until when.
function computes(c, t, long,    d, cpu, tid) {
	if (c != app)
		return t + long
	cpu = c_cpu[c]
	tid = c_tid[c]
	if (is_kind("softirq") && chance(share)) {
		d = between(1, 5) * MS
		event(t + 9 * US, harm() ? cpu : 0, harm() ? tid : 0, "irq_softirq_entry vec=3")
		event(t + 9 * US + d, harm() ? cpu : 0, harm() ? tid : 0, "irq_softirq_exit vec=3")
		if (harm()) {
			cost += d
			return t + long + d
		}
	}
	if (is_kind("quota") && chance(share * 0.3)) {
		d = between(20, 70) * MS
		if (harm()) {
			switches(t + long / 2, cpu, 0, 0)
			switches(t + long / 2 + d, cpu, tid, 0)
			cost += d
			return t + long + d
		}
		if (t > hog_busy) {
			# another one's quota
			switches(t, hog_cpu, hog, 0)
			switches(t + 1 * MS, hog_cpu, 0, 0)
			switches(t + 1 * MS + d, hog_cpu, hog, 0)
			switches(t + 2 * MS + d, hog_cpu, 0, 1)
			hog_busy = t + 3 * MS + d
		}
	}
	if (is_kind("reclaim reclaim_always memory_stall resume resume_always bind bind_always user_fence mode_switch userptr none") && (harm() || !is_kind("user_fence")) && chance(share) && !is_usual()) {
		# late is what takes twice what is usual
		d = KIND ~ /_always$/ ? between(2, 8) * MS : int((c_gpu[c] + c_pause[c] + c_host[c]) * (1.3 + 2 * random()))
		stalls(t + 20 * US, harm() ? cpu : hog_cpu, harm() ? tid : hog, d)
		if (harm()) {
			cost += d
			return t + long + d
		}
	}
	return t + long
}
# What is so in half of the turns is usual; comparisons do not name that.
function is_usual() { return KIND !~ /_always$/ && ++n_late > 4 + 0.4 * n_runs[app] && n_late-- }
function stalls(t, cpu, tid, d) {
	if (tid == hog) {
		if (t < hog_busy)
			return
		waking(t - 40 * US, cpu, 0, hog, cpu)
		switches(t - 30 * US, cpu, hog, 0)
		hog_busy = t + d + 200 * US
		switches(t + d + 90 * US, cpu, 0, 1)
	}
	# Reclaim computes; what waits for hardware sleeps, mostly.
	if (tid != hog && flavour && !is_kind("reclaim reclaim_always")) {
		switches(t + 5 * US, cpu, 0, 2)
		waking(t + d - 9 * US, 0, 0, tid, cpu)
		switches(t + d - 5 * US, cpu, tid, 0)
	}
	if (is_kind("resume resume_always")) {
		event(t, cpu, tid, "rpm_resume name=" DEVICE)
		event(t + d, cpu, tid, "rpm_return_int ret=0 name=" DEVICE)
	} else if (is_kind("userptr")) {
		event(t, cpu, tid, sprintf("xe_vma_userptr_invalidate start=0x10000 end=0x1ffff asid=%d dev=%s", app, DEVICE))
		event(t + d, cpu, tid, sprintf("xe_vma_userptr_invalidate_complete start=0x10000 end=0x1ffff asid=%d dev=%s", app, DEVICE))
	} else if (is_kind("bind bind_always user_fence mode_switch")) {
		hooked(t, cpu, tid, "xe_function_enter function=" in_xe())
		hooked(t + d, cpu, tid, "xe_function_leave ret=0 function=" in_xe())
	} else {
		hooked(t - 1 * US, cpu, tid, "psi_memstall_enter flags=0xf0f0")
		if (is_kind("reclaim reclaim_always")) {
			event(t, cpu, tid, "mm_vmscan_direct_reclaim_begin order=0 gfp_flags=0xcc0")
			event(t + d, cpu, tid, "mm_vmscan_direct_reclaim_end nr_reclaimed=" between(32, 900))
		}
		hooked(t + d + 1 * US, cpu, tid, "psi_memstall_leave flags=0xf0f0")
	}
}
function in_xe() { return is_kind("user_fence") ? "xe_wait_user_fence_ioctl" : is_kind("mode_switch") ? "xe_hw_engine_group_get_mode" : "xe_vm_bind_ioctl" }
# Somebody has the CPU of the thread that gives jobs to their ring: until when the thread is late.
function worker_margin() { return is_kind("worker") ? 300 * US : 0 }
function worker_late(c, q, cpu,    d) {
	if (!is_kind("worker") || c != app || !chance(share + 0.2))
		return 0
	d = harm() ? between(1, 4) * MS : 0
	switches(q - 200 * US, cpu, hog, 0)
	if (!harm())
		switches(q - 20 * US, cpu, 0, 1)
	cost += d
	return d
}
# Likewise of an interrupt's thread.
function irq_late(c, t,    d) {
	if (!is_kind("interrupt_thread") || c != app || !chance(share + 0.2) || t < irq_free)
		return 0
	d = harm() ? between(1, 4) * MS : 0
	switches(t - 30 * US, irq_cpu, hog, 0)
	if (!harm())
		switches(t - 9 * US, irq_cpu, 0, 1)
	cost += d
	irq_free = t + d + 60 * US
	return d
}
# A job of another process on another ring hangs, is given up, and harms nobody.
function another_hangs(    c, t, f) {
	c = client(fresh_name(GPU_USERS), engine("comp_1.0.0", 0), 100 * US, 9 * MS, 0)
	c_stopped[c] = 1
	c_seq[c] = 1
	t = c_next[c]
	innocent = who(c)
	event(t, c_cpu[c], c_tid[c], "drm_sched_job_queue " job_fields(c))
	run_by(c, t + 1 * US, e_cpu[c_engine[c]], e_tid[c_engine[c]])
	switches(t + 30 * US, c_cpu[c], 0, 1)
	t += between(500, 1500) * MS
	f = new_cpu()
	switches(t, f, kthread("kworker/3:1"), 0)
	hooked(t + 2 * US, f, current[f], sprintf("gpulane_reset fence_context=%d fence_seqno=1 what=timeout text=comp_1.0.0", c_context[c]))
	event(t + 5 * MS, f, current[f], sprintf("gpulane_fence_error context=%d seqno=%d error=-62", e_ring[c_engine[c]], c_ring_seq[c]))
	event(t + 5 * MS + 100, f, current[f], sprintf("dma_fence_signaled context=%d seqno=%d", e_ring[c_engine[c]], c_ring_seq[c]))
	event(t + 5 * MS + 200, f, current[f], sprintf("drm_sched_job_done fence_context=%d fence_seqno=1", c_context[c]))
	event(t + 5 * MS + 300, f, current[f], sprintf("gpulane_fence_error context=%d seqno=1 error=-62", c_context[c]))
	event(t + 5 * MS + 400, f, current[f], sprintf("dma_fence_signaled context=%d seqno=1", c_context[c]))
	switches(t + 6 * MS, f, 0, 1)
}
function stood_behind(c, ready, free) {
	if (c == app && free > ready && is_kind("client"))
		cost += free - ready
}
# i915: a job that is taken off the engine by one of higher priority runs for longer: until when.
function ran_until(c, n, start, gpu,    p, b, m, from, cpu, tid) {
	if (c != app || !is_kind("preempted timeslice") || !harm() || !chance(share + 0.3))
		return start + gpu
	p = start + 30 * US + int((gpu - 60 * US) * random())
	b = about(c_gpu[boss], 0.1)
	m = 2 * ++c_seq[boss]
	cpu = c_cpu[boss]
	tid = c_tid[boss]
	waking(p - 60 * US, 0, 0, tid, cpu)
	switches(p - 55 * US, cpu, tid, 0)
	if (m > 2)
		event(p - 30 * US, cpu, tid, "i915_request_retire " rq(boss, m - 2) " tail=0")
	event(p - 25 * US, cpu, tid, "i915_request_queue " rq(boss, m) " flags=0x0")
	event(p - 3 * US, cpu, tid, "i915_request_add " rq(boss, m) " tail=0")
	event(p - 2 * US, cpu, tid, "i915_request_submit " rq(boss, m) " tail=0")
	event(p, cpu, tid, "i915_request_unsubmit " rq(c, n) " tail=0")
	event(p + 300, cpu, tid, "i915_request_execute " rq(boss, m) " tail=0")
	event(p + 600, cpu, tid, "i915_request_execute " rq(c, n) " tail=0")
	event(p + 900, cpu, tid, sprintf("i915_request_in %s port=1 prio=0", rq(c, n)))
	event(p + 1200, cpu, tid, sprintf("i915_request_in %s port=0 prio=%d", rq(boss, m), c_prio[boss]))
	event(p + 5 * US, cpu, tid, "i915_request_wait_begin " rq(boss, m) " flags=0x1")
	event(p + 6 * US, cpu, tid, sprintf("dma_fence_enable_signal context=%d seqno=%d", c_context[boss], m))
	switches(p + 12 * US, cpu, 0, 1)
	from = p + 9 * US
	event(from, 0, 0, "i915_request_out " rq(c, n) " completed=0")
	event(from + b, 0, 0, sprintf("dma_fence_signaled context=%d seqno=%d", c_context[boss], m))
	event(from + b + 3 * US, 0, 0, "i915_request_out " rq(boss, m) " completed=1")
	waking(from + b + 4 * US, 0, 0, tid, cpu)
	switches(from + b + 9 * US, cpu, tid, 0)
	event(from + b + 11 * US, cpu, tid, "i915_request_wait_end " rq(boss, m) " tail=0")
	switches(from + b + 15 * US, cpu, 0, 1)
	cost += b
	return start + gpu + b + 9 * US
}
# What the job waits for before it may run: until when; 0: nothing.
function depends(c, q,    d, m) {
	if (c != app)
		return 0
	if (is_kind("dependency")) {
		# on the other's last job; in the twin on one that was over before
		m = harm() ? n_runs[boss] : n_runs[boss] - 1
		if (m < 1 || !harm() && run_end[boss, m] > q)
			return 0
		event(q + 300, c_cpu[c], c_tid[c], sprintf("drm_sched_job_add_dep fence_context=%d fence_seqno=%d ctx=%d seqno=%d", c_context[c], c_seq[c], c_context[boss], m))
		d = run_end[boss, m] + 1000 - q
		if (d > 0)
			cost += d
		return d > 0 ? q + d + 500 : 0
	}
	if (!is_kind("move") || !chance(share) || q < move_busy + 200 * US)
		return 0
	d = between(2, 8) * MS
	m = ++moves
	switches(q - 100 * US, hog_cpu, hog, 0)
	event(q - 70 * US, hog_cpu, hog, sprintf("xe_bo_move size=%d old_placement_name=vram0 new_placement_name=system device_id=%s", 67108864 * between(1, 4), DEVICE))
	event(q - 60 * US, hog_cpu, hog, sprintf("drm_sched_job_queue fence_context=7 fence_seqno=%d client_id=0 name=bcs1 dev=%s driver=xe queue_flags=0x5 timeout_ms=5000", m, DEVICE))
	event(q - 55 * US, hog_cpu, hog, sprintf("drm_sched_job_run fence_context=7 fence_seqno=%d client_id=0 name=bcs1 dev=%s driver=xe queue_flags=0x5 timeout_ms=5000", m, DEVICE))
	switches(q - 40 * US, hog_cpu, 0, 1)
	event(q + d, 0, 0, sprintf("drm_sched_job_done fence_context=7 fence_seqno=%d", m))
	event(q + d + 500, 0, 0, sprintf("dma_fence_signaled context=7 seqno=%d", m))
	move_busy = q + d
	if (!harm())
		return 0
	event(q + 300, c_cpu[c], c_tid[c], sprintf("drm_sched_job_add_dep fence_context=%d fence_seqno=%d ctx=7 seqno=%d", c_context[c], c_seq[c], m))
	cost += d
	return q + d + 500
}
