# SPDX-License-Identifier: MIT
# One recording of some seconds, as text: awk -v WORLD=... -v KIND=... -v SIDE=... -v SEED=... -f make.awk | sort -s -n -k1,1
# WORLD is i915 (execlists) or drm (amdgpu). app and other work for an engine of their own each. SIDE is base, or new, where KIND is what
# changed: kernel, neighbour, clock, starved, signal, nothing; or restless: nothing, but recordings of one side differ much. What of it is true
# then is in lines for judge.awk, which are comments to who reads the events: touches() below. The mean running times of recordings of one
# side differ by 1.8 % (standard deviation). Were it 2.4 %, the slower kernel would be told in 87 of 100 pairs.

# L'Ecuyer's two combined generators, Communications of the ACM 31 (1988): the same numbers in every awk.
function random(    z) {
	state_a = state_a * 40014 % 2147483563
	state_b = state_b * 40692 % 2147483399
	z = state_a - state_b
	return (z < 1 ? z + 2147483562 : z) / 2147483563
}
# Both are linear: of seeds that follow each other the numbers would, too. So a seed is squared in between.
function seed_with(n,    i) {
	state_a = state_b = n
	for (i = 0; i < 4; i++) {
		state_a = (state_a % 94906265) * (state_a % 94906265) % 2147483563 + 7919
		state_b = (state_b % 94906265) * (state_b % 94906265) % 2147483399 + 104729
	}
	state_a = 1 + state_a % 2147483562
	state_b = 1 + state_b % 2147483398
	for (i = 0; i < 10; i++)
		random()
}
function gauss() { return sqrt(-2 * log(random())) * cos(6.283185307 * random()) }
function us(lo, hi) { return int((lo + random() * (hi - lo)) * 1000 * factor) }
function uniform(lo, hi) { return int(lo + random() * (hi - lo)) }
# A time that is never far below its middle, and now and then far above it.
function lognormal(middle_us, sigma) { return int(middle_us * 1000 * factor * exp(sigma * gauss())) }

function event(ns, cpu, tid, text) { printf "%.0f %d %d/%d tracepoint %s\n", ns, cpu, tid, tid, text }
function switches(ns, cpu, from, to, state) {
	event(ns, cpu, from, "sched_switch prev_tid=" from " next_tid=" to " prev_state=" state " prev_prio=120 next_prio=120 prev_comm=" comm[from] " next_comm=" comm[to])
}
function waking(ns, cpu, by, tid, target) { event(ns, cpu, by, "sched_waking tid=" tid " prio=120 target_cpu=" target " comm=" comm[tid]) }
function named(tid, name) {
	comm[tid] = name
	printf "1000 0 0/0 snapshot lttng_statedump_process_state tid=%d vtid=%d pid=%d vpid=%d type=0 mode=1 status=2 name=%s\n", tid, tid, tid, tid, name
}

# client NAME CPU ENGINE and, in us, the middles of what one turn takes: computing, on the GPU, asleep
function client(name, cpu, engine, host, gpu, pause,    c) {
	c = ++n_clients
	name_of[c] = name
	tid_of[c] = first_tid + 11 * c
	cpu_of[c] = cpu
	engine_of[c] = engine
	host_of[c] = host
	gpu_of[c] = gpu
	pause_of[c] = pause
	if (KIND == "restless") {
		host_of[c] *= exp(0.08 * gauss())
		gpu_of[c] *= exp(0.08 * gauss())
		pause_of[c] *= exp(0.08 * gauss())
	}
	context_of[c] = 40 + 10 * c
	phase_of[c] = 6.283185307 * random()
	named(tid_of[c], name)
	# It sleeps as the recording begins.
	prepare(c, begin + us(0, 5000))
}

# How long the next request of a client runs: what it does changes little from one to the next, and slowly; at times it has more to do for some.
function running(c, ns,    lasts) {
	slow[c] = 0.8 * slow[c] + 0.6 * gauss()
	if (random() < (is_busier[c] ? 0.25 : 0.02))
		is_busier[c] = !is_busier[c]
	lasts = gpu_of[c] * (1 + 0.03 * sin(phase_of[c] + ns / 300000000)) * (is_busier[c] ? 1.2 : 1) * exp(0.04 * slow[c])
	if (SIDE == "new" && (KIND == "clock" || KIND == "kernel" && c == 1))
		lasts *= KIND == "clock" ? 1.25 : 1.1
	return lognormal(lasts, 0.12)
}

# A sleeping client is woken at this time, and computes until it submits, at next_of[c].
function prepare(c, ns,    tid, cpu, host) {
	tid = tid_of[c]
	cpu = cpu_of[c]
	waking(ns, cpu, 0, tid, cpu)
	ns += us(5, 20)
	switches(ns, cpu, 0, tid, 0)
	host = lognormal(host_of[c], 0.2)
	# Somebody else has something to do on that CPU at times.
	if (random() < 0.05)
		ns = away(c, ns + int(host / 2), cron, us(30, 150))
	ns += host
	if (SIDE == "new" && KIND == "starved" && c == 1 && (count[c] + 1) % 10 == 0)
		ns = away(c, ns, hog, us(8000, 14000))
	next_of[c] = ns + 2000
}
function away(c, ns, tid, lasts) {
	waking(ns - 1500, cpu_of[c], tid_of[c], tid, cpu_of[c])
	switches(ns, cpu_of[c], tid_of[c], tid, 0)
	switches(ns + lasts, cpu_of[c], tid, tid_of[c], 1)
	return ns + lasts
}

# The client's thread hands a request over, and sleeps until it is told of its end; then until its next turn.
function request(c,    ns, fence, start, end, lasts, told) {
	ns = next_of[c]
	count[c]++
	start = ns + us(20, 40)
	if (free[engine_of[c]] + 3000 > start)
		start = free[engine_of[c]] + 3000
	lasts = running(c, ns)
	end = start + lasts
	told = end + us(2, 6) + (SIDE == "new" && KIND == "signal" && c == 1 ? int(0.3 * lasts) : 0)
	free[engine_of[c]] = end
	if (WORLD == "i915")
		i915(c, ns, start, end, told)
	else
		amdgpu(c, ns, start, end, told)
	fence = "context=" context_of[c] " seqno=" count[c]
	event(ns + 8000, cpu_of[c], tid_of[c], "dma_fence_wait_start " fence)
	switches(ns + 10000, cpu_of[c], tid_of[c], 0, 1)
	waking(told + 3000, 2, 0, tid_of[c], cpu_of[c])
	ns = told + us(8, 30)
	switches(ns, cpu_of[c], 0, tid_of[c], 0)
	event(ns + 2000, cpu_of[c], tid_of[c], "dma_fence_wait_end " fence)
	switches(ns + 9000, cpu_of[c], tid_of[c], 0, 1)
	prepare(c, ns + 9000 + lognormal(pause_of[c], 0.2))
}
function i915(c, ns, start, end, told,    of) {
	of = " ctx=" context_of[c] " dev=0 seqno=" count[c] " class=" (engine_of[c] == video ? 2 : 0) " instance=0"
	event(ns, cpu_of[c], tid_of[c], "i915_request_queue" of)
	event(ns + 1000, cpu_of[c], tid_of[c], "i915_request_add" of)
	event(ns + 1500, cpu_of[c], tid_of[c], "dma_fence_enable_signal context=" context_of[c] " seqno=" count[c])
	event(ns + 2000, cpu_of[c], tid_of[c], "i915_request_submit" of)
	event(start - 1000, 1, 0, "i915_request_execute" of)
	event(start, 1, 0, "i915_request_in" of " port=0 prio=0")
	event(end, 1, 0, "i915_request_out" of " completed=1")
	event(told, 2, 0, "dma_fence_signaled context=" context_of[c] " seqno=" count[c])
	event(told + 50000, 2, 0, "i915_request_retire" of)
}
# Whether the ring is done is known by its interrupt alone.
function amdgpu(c, ns, start, end, told,    of, ring) {
	of = "fence_context=" context_of[c] " fence_seqno=" count[c]
	ring = "context=" (engine_of[c] == render ? 1001 : 1002) " seqno=" ++n_of_ring[engine_of[c]]
	event(ns, cpu_of[c], tid_of[c], "drm_sched_job_queue " of " client_id=" context_of[c] " name=" engine_of[c] " dev=0000:03:00.0 driver=amdgpu")
	event(ns + 11000, 1, worker, "drm_sched_job_run " of " client_id=" context_of[c] " name=" engine_of[c] " dev=0000:03:00.0 driver=amdgpu")
	event(ns + 12000, 1, worker, "dma_fence_init " ring " driver=amdgpu timeline=" engine_of[c])
	event(ns + 13000, 1, worker, "dma_fence_signaled context=" context_of[c] - 1 " seqno=" count[c])
	event(told, 2, 0, "dma_fence_signaled " ring)
	event(told + 500, 2, 0, "drm_sched_job_done " of)
	event(told + 1000, 2, 0, "dma_fence_signaled context=" context_of[c] " seqno=" count[c])
}

# What the change touches, as `gpulane diff` pairs it: `kind|who|what|figure`, a regular expression; up or down; whether it is what the change must be
# told by; by how much, where that is known. Which way a row goes that is of what follows from it, such as idle times, is not said: any.
function touches(what, way, must, ratio) { print "# true " what " " way " " (must ? "must" : "may") " " (ratio ? ratio : "-") }
function truth(    app, times) {
	app = "^requests[|]app[|]" render "[|]"
	times = "(median|p95|p99|mean)$"
	if (KIND == "nothing" || KIND == "restless")
		return
	# Each turn takes longer, so that there are fewer of them, and less to do on the CPU.
	touches(app "rate$", "down", 1)
	touches("^process[|]app[|][|]on_cpu$", "down")
	touches("^answer[|](app|" render ")[|]", "any")
	touches("^engine[|][|]" render "[|]busy$", KIND == "starved" || KIND == "signal" && WORLD == "i915" ? "down" : "up")
	if (KIND == "starved") {
		touches("^process[|]app[|][|]runnable$", "up", 1)
		touches("^process[|]hog[|][|]", "up")
		return
	}
	touches(app times, "up", 1)
	if (KIND == "neighbour") {
		touches(app (WORLD == "i915" ? "host_queue$" : "device_queue$"), "up", 1)
		touches("^[a-z]*[|]boss[|]", "any")
	} else if (KIND == "signal" && WORLD == "i915") {
		touches(app "signal$", "up", 1)
	} else {
		# amdgpu's ring is done when it says so.
		touches(app "running$", "up", 1, KIND == "kernel" ? 1.1 : KIND == "clock" ? 1.25 : 1.3)
	}
	if (KIND == "clock") {
		touches("^requests[|]other[|]" video "[|](running|median|p95|p99|mean)$", "up", 0)
		touches("^requests[|]other[|]" video "[|]rate$", "down")
		touches("^process[|]other[|][|]on_cpu$", "down")
		touches("^engine[|][|]" video "[|]busy$", "up")
		touches("^answer[|](other|" video ")[|]", "any")
	}
}

BEGIN {
	seed_with(SEED)
	factor = exp(0.015 * gauss())
	n = uniform(200, 600)
	begin = uniform(1000000, 9000000)
	first_tid = uniform(200, 5000)
	worker = 90
	cron = 95
	hog = first_tid + 7
	render = WORLD == "i915" ? "rcs0" : "gfx_0.0.0"
	video = WORLD == "i915" ? "vcs0" : "comp_1.0.0"
	print "gpulane-events 1\ninfo release 7.3.4"
	if (WORLD == "i915")
		print "info submission execlists"
	split("sched_switch sched_waking dma_fence_signaled dma_fence_wait_start dma_fence_wait_end", all)
	for (i = 1; i in all; i++)
		print "recorded " all[i]
	split(WORLD == "i915" ? "queue add submit execute unsubmit in out retire" : "queue run done add_dep", all)
	for (i = 1; i in all; i++)
		print "recorded " (WORLD == "i915" ? "i915_request_" : "drm_sched_job_") all[i]
	print "recorded " (WORLD == "i915" ? "dma_fence_enable_signal" : "dma_fence_init")
	if (SIDE == "new")
		truth()
	comm[0] = "swapper"
	named(worker, "kworker")
	named(cron, "cron")
	named(hog, "hog")
	client("app", 0, render, 1000, 4000, 1500)
	client("other", 3, video, 500, 2500, 2000)
	if (SIDE == "new" && KIND == "neighbour")
		client("boss", 4, render, 300, 3000, 3000)
	while (count[1] < n) {
		first = 1
		for (c = 2; c <= n_clients; c++)
			if (next_of[c] < next_of[first])
				first = c
		request(first)
	}
}
