# SPDX-License-Identifier: MIT
# A program of Level Zero on xe, as the layer records it: its queue is one burst of a long-running ring, it launches a kernel and waits for it.
# The device's clock is not the CPU's.
function device_clock(ns) { return ns + DEVICE_CLOCK }
function reads_clock(ns) {
	layer(ns, c_cpu[app], c_tid[app], "opencl_clock device=0xd0 device_ns=0 grain_ns=52")
	layer(ns + 800, c_cpu[app], c_tid[app], sprintf("opencl_clock device=0xd0 device_ns=%.0f grain_ns=52", device_clock(ns + 400)))
}
function burst(c, t, ring, context, flags,    f) {
	f = sprintf("fence_context=%d fence_seqno=1 client_id=%d name=%s dev=%s driver=xe queue_flags=0x%x timeout_ms=4294967295", context, client_of[c], ring, DEVICE, flags)
	event(t, c_cpu[c], c_tid[c], "drm_sched_job_queue " f)
	switches(t + 4 * US, worker_cpu, worker_tid, 0)
	event(t + 6 * US, worker_cpu, worker_tid, "drm_sched_job_run " f)
	switches(t + 9 * US, worker_cpu, 0, 1)
}
# user C NAME - a process that is no client of run_world's
function user(c, name) {
	c_name[c] = name
	c_tid[c] = thread(name)
	c_cpu[c] = new_cpu()
	client_of[c_tid[c]] = client_of[c] = 300 + c
	switches(BEGIN_NS - 1 * MS, c_cpu[c], c_tid[c], 0)
}
function launches(t, k,    n) {
	n = ++n_commands
	layer(t, c_cpu[app], c_tid[app], sprintf("opencl_call_entry function=zeCommandListAppendLaunchKernel queue=0x10 object=0x%x size=%d group=256", k, 65536 * k))
	layer(t + 3 * US, c_cpu[app], c_tid[app], sprintf("opencl_call_exit function=zeCommandListAppendLaunchKernel queue=0x10 status=%d command=%d", 0, n))
	return n
}
# What a run takes more than its kernel usually does.
function run_length(k, t,    d) {
	d = about(kernel_ns[k], 0.05)
	if (chance(0.02))
		d *= 1.5 + random()
	if (is_kind("ze_low_clock ze_client") && inside("low", t) && harm()) {
		cost += d * (factor - 1)
		d *= factor
	}
	if (is_kind("ze_user_fence rebind page_fault") && !harm() && chance(share / 2))
		d += between(4, 9) * MS
	return int(d)
}
# Level Zero waits in the kernel for a value that the GPU writes.
function waits_in_kernel(t, until,    cpu, tid) {
	cpu = c_cpu[app]
	tid = c_tid[app]
	hooked(t + 5 * US, cpu, tid, "xe_function_enter function=xe_wait_user_fence_ioctl")
	switches(t + 8 * US, cpu, 0, 1)
	waking(until, 0, 0, tid, cpu)
	switches(until + 6 * US, cpu, tid, 0)
	hooked(until + 8 * US, cpu, tid, "xe_function_leave function=xe_wait_user_fence_ioctl ret=0")
	return until + 10 * US
}
# The run is longer by what the GPU's memory needs meanwhile: DURING is at its middle.
function memory_work(s, e,    d, t, asid, q) {
	if (!is_kind("rebind page_fault") || !chance(share) || is_usual())
		return e
	d = between(4, 12) * MS
	asid = harm() ? 2 : 9
	t = int((s + e) / 2)
	if (t < memory_busy)
		return e
	memory_busy = t + d + 200 * US
	switches(t - 30 * US, worker_cpu, worker_tid, 0)
	if (is_kind("rebind")) {
		q = ++n_preempts
		event(t - 5 * US, 0, 0, sprintf("dma_fence_enable_signal context=%d seqno=%d", 500 + asid, q))
		event(t, 0, 0, sprintf("dma_fence_signaled context=%d seqno=%d", 500 + asid, q))
		event(t + 1 * US, worker_cpu, worker_tid, sprintf("xe_vm_rebind_worker_enter asid=%d dev=%s", asid, DEVICE))
		event(t + 2 * US, worker_cpu, worker_tid, sprintf("dma_fence_wait_end context=%d seqno=%d", 500 + asid, q))
		event(t + 2 * US + d, worker_cpu, worker_tid, sprintf("dma_fence_init context=%d seqno=%d driver=xe timeline=preempt", 500 + asid, q + 1))
		event(t + 3 * US + d, worker_cpu, worker_tid, sprintf("xe_vm_rebind_worker_exit asid=%d dev=%s", asid, DEVICE))
	} else {
		event(t, worker_cpu, worker_tid, sprintf("xe_vma_pagefault start=0x20000 end=0x2ffff asid=%d dev=%s", asid, DEVICE))
		event(t + d, worker_cpu, worker_tid, sprintf("xe_vma_pf_bind start=0x20000 end=0x2ffff asid=%d dev=%s", asid, DEVICE))
	}
	switches(t + d + 20 * US, worker_cpu, 0, 1)
	if (!harm())
		return e
	cost += d
	return e + d
}
function commands_world(    t, k, n, s, e, w, clock_at, d) {
	DEVICE_CLOCK = between(1, 900) * 1000 * MS + 12345
	worker_tid = kthread("kworker/u8:3")
	worker_cpu = new_cpu()
	app = 1
	user(app, fresh_name("llama ollama sim blender fold"))
	layer(BEGIN_NS, c_cpu[app], c_tid[app], sprintf("opencl_queue queue=0x10 device=0xd0 properties=0x0 known=0 name=\"Intel(R) Arc(TM) B580 Graphics\" comm=%s", c_name[app]))
	for (k = 1; k <= 3; k++) {
		layer(BEGIN_NS + k, c_cpu[app], c_tid[app], sprintf("opencl_kernel kernel=0x%x name=%s", k, fresh_name("matmul softmax gather reduce rope norm")))
		kernel_ns[k] = between(1000, 4000) * US / k
	}
	pause = between(50, 500) * US
	share = 0.15 + 0.3 * random()
	factor = 1.7 + random()
	flavour = between(0, 2)
	if (is_kind("ze_low_clock ze_client"))
		spans("low", 900 * MS, 1500 * MS)
	if (is_kind("ze_client")) {
		boss = 2
		user(boss, fresh_name(GPU_USERS))
		culprit = who(boss)
		burst(boss, BEGIN_NS + 100 * US, harm() || flavour ? "ccs9" : "bcs9", 771, 259)
	}
	if (is_kind("bind_fails")) {
		hog = thread(fresh_name(GPU_USERS))
		hog_cpu = new_cpu()
	}
	if (is_kind("rebind"))
		event(BEGIN_NS + 200 * US, c_cpu[app], c_tid[app], sprintf("dma_fence_init context=%d seqno=1 driver=xe timeline=preempt", 500 + (harm() ? 2 : 9)))
	reads_clock(BEGIN_NS + 300 * US)
	burst(app, BEGIN_NS + 500 * US, "ccs4", 91, 515)
	t = clock_at = BEGIN_NS + 1 * MS
	while (t < END_NS) {
		k = 1 + int(3 * random())
		n = launches(t, k)
		s = t + 8 * US + between(0, 3 * US)
		e = memory_work(s, s + run_length(k, t))
		run_begin[app, ++n_runs[app]] = s
		run_end[app, n_runs[app]] = e
		layer(t + 6 * US, c_cpu[app], c_tid[app], "opencl_call_entry function=zeCommandListHostSynchronize queue=0x10")
		w = waits_in_kernel(t + 8 * US, e + 2 * US)
		layer(w, c_cpu[app], c_tid[app], sprintf("opencl_command command=%d queue=0x10 queued_ns=0 submitted_ns=0 start_ns=%.0f end_ns=%.0f type=LAUNCH_KERNEL status=0", n, device_clock(s), device_clock(e)))
		layer(w + 1 * US, c_cpu[app], c_tid[app], "opencl_call_exit function=zeCommandListHostSynchronize queue=0x10 status=0")
		if (w > clock_at + 100 * MS)
			reads_clock(clock_at = w + 2 * US)
		t = held_up(w + 5 * US) + about(pause, 0.3)
	}
	other_load()
}
# Between two launches.
function held_up(t,    d, i, n, cpu, tid) {
	cpu = c_cpu[app]
	tid = c_tid[app]
	if (is_kind("ze_user_fence") && harm() && chance(share)) {
		# for a value that no kernel of its own writes
		d = between(8, 20) * MS
		cost += d
		return waits_in_kernel(t, t + d)
	}
	if (is_kind("bind_fails") && (chance(share) || harm())) {
		# no room: it asks again and again; in the twin once, and another process meanwhile many times
		n = harm() ? between(5, 20) : 1
		for (i = 0; i < n; i++) {
			d = between(100, 400) * US
			hooked(t, cpu, tid, "xe_function_enter function=xe_vm_bind_ioctl")
			hooked(t + d, cpu, tid, sprintf("xe_function_leave function=xe_vm_bind_ioctl ret=%d", harm() ? -12 : 0))
			if (harm())
				cost += d
			t += d + 5 * US
		}
	}
	if (is_kind("calls_fail") && (harm() || chance(share))) {
		n = harm() ? between(5, 20) : 1
		for (i = 0; i < n; i++) {
			d = between(100, 400) * US
			layer(t, cpu, tid, "opencl_call_entry function=zeCommandListAppendMemoryCopy queue=0x10 size=268435456")
			if (!harm())
				++n_commands
			layer(t + d, cpu, tid, sprintf("opencl_call_exit function=zeCommandListAppendMemoryCopy queue=0x10 status=%d command=%d", harm() ? 1879048195 : 0, harm() ? 0 : n_commands))
			if (!harm())
				layer(t + d + 100 * US, cpu, tid, sprintf("opencl_command command=%d queue=0x10 queued_ns=0 submitted_ns=0 start_ns=%.0f end_ns=%.0f type=READ_BUFFER status=0", n_commands, device_clock(t + d), device_clock(t + d + 90 * US)))
			if (harm())
				cost += d
			t += d + (harm() ? 5 : 110) * US
		}
	}
	return t
}
