# SPDX-License-Identifier: MIT
# The machine of a world: its clients, engines, CPUs and counters, as events in the text format. kinds.awk says what is wrong in it.
# Times are in ns. Clients' turns are made in the order of their submissions; an engine runs jobs in the order in which they come.

# L'Ecuyer's two combined generators, Communications of the ACM 31 (1988): the same numbers in every awk.
function random(    z) {
	state_a = state_a * 40014 % 2147483563
	state_b = state_b * 40692 % 2147483399
	z = state_a - state_b
	return (z < 1 ? z + 2147483562 : z) / 2147483563
}
function seed_with(n, text,    i) {
	for (i = 1; i <= length(text); i++)
		n = (n * 31 + index("abcdefghijklmnopqrstuvwxyz_", substr(text, i, 1))) % 1000003
	state_a = 1 + n * 7919 % 2147483562
	state_b = 1 + n * 104729 % 2147483398
	for (i = 0; i < 20; i++)
		random()
}
function gauss() { return sqrt(-2 * log(random())) * cos(6.283185307 * random()) }
function between(lo, hi) { return int(lo + random() * (hi - lo)) }
function chance(part) { return random() < part }
function about(middle, sigma) { return int(middle * exp(sigma * gauss())) }
function one_of(list,    n, of) { n = split(list, of, " "); return of[1 + int(random() * n)] }
# A name that nobody else has.
function fresh_name(list,    name) {
	do
		name = one_of(list)
	while (name in is_named)
	is_named[name] = 1
	return name
}

function event(ns, cpu, tid, text) { printf "%.0f %d %d/%d tracepoint %s\n", ns, cpu, tid in pid_of ? pid_of[tid] : tid, tid, text }
function layer(ns, cpu, tid, text) { printf "%.0f %d %d/%d layer %s\n", ns, cpu, pid_of[tid], tid, text }
function hooked(ns, cpu, tid, text) { printf "%.0f %d %d/%d function %s\n", ns, cpu, tid in pid_of ? pid_of[tid] : tid, tid, text }
function told(ns, text) { printf "%.0f - -/- snapshot %s\n", ns, text }

# thread NAME [PID] - its number; a process of its own without PID
function thread(name, pid,    tid) {
	tid = next_tid += between(1, 40)
	pid_of[tid] = pid ? pid : tid
	comm[tid] = name
	printf "1000 0 0/0 snapshot lttng_statedump_process_state tid=%d vtid=%d pid=%d vpid=%d ppid=1 vppid=1 type=0 mode=1 submode=0 status=5 cpu=0 name=%s\n",
		tid, tid, pid_of[tid], pid_of[tid], name
	return tid
}
function kthread(name,    tid) { tid = thread(name); return tid }
function name_of(tid) { return tid ? comm[tid] : "swapper" }
# Who is on a CPU: switches of one CPU are made in the order of time.
function switches(ns, cpu, to, state,    from) {
	from = cpu in current ? current[cpu] : 0
	event(ns, cpu, from, sprintf("sched_switch prev_tid=%d next_tid=%d prev_state=%d prev_prio=120 next_prio=120 prev_comm=\"%s\" next_comm=\"%s\"", from, to, state, name_of(from), name_of(to)))
	current[cpu] = to
}
function waking(ns, cpu, by, tid, target) { event(ns, cpu, by, sprintf("sched_waking tid=%d prio=120 target_cpu=%d comm=\"%s\"", tid, target, comm[tid])) }
function new_cpu() { return n_cpus++ }

# engine NAME CLASS - its number; a serial ring of amdgpu has a worker
function engine(name, class,    e) {
	e = ++n_engines
	e_name[e] = name
	e_class[e] = class
	e_free[e] = 0
	e_ring[e] = 900 + e
	e_ring_seq[e] = 0
	if (DRIVER == "amdgpu" || DRIVER == "panfrost")
		e_worker(e)
	return e
}
function e_worker(e) {
	e_tid[e] = kthread("kworker/u" 8 + e ":" e)
	e_cpu[e] = new_cpu()
	e_busy[e] = 0
}
# client NAME ENGINE and, in ns: computing before a submission, a job, asleep after a job
function client(name, e, host, gpu, pause,    c) {
	c = ++n_clients
	c_name[c] = name
	c_tid[c] = thread(name, c_process)
	c_cpu[c] = new_cpu()
	c_engine[c] = e
	c_host[c] = host
	c_gpu[c] = gpu
	c_pause[c] = pause
	c_context[c] = 100 + 10 * c
	client_of[c_tid[c]] = c_context[c] + 5
	c_seq[c] = 0
	c_prio[c] = 0
	c_next[c] = BEGIN_NS + between(0, 5 * MS) + host + 30 * US
	if (DRIVER == "xe") {
		# each queue is a ring of the firmware's
		c_ring[c] = e_name[e] (3 + c)
		c_worker[c] = kthread("kworker/u" 20 + c ":1")
		c_worker_cpu[c] = new_cpu()
		c_worker_busy[c] = 0
	}
	switches(c_next[c] - host - 20 * US, c_cpu[c], c_tid[c], 0)
	return c
}
function who(c) { return c_name[c] "[" c_tid[c] "]" }

# inside LIST T - whether it is in one of its spans; LIST is a name
function spans(list, on, off,    t, n) {
	t = BEGIN_NS + off * (0.3 + 0.7 * random())
	n = 0
	while (t + on < END_NS) {
		span_begin[list, ++n] = t
		t += on * (0.7 + 0.6 * random())
		span_end[list, n] = t
		t += off * (0.7 + 0.6 * random())
	}
	n_spans[list] = n
}
function inside(list, t,    i) {
	for (i = 1; i <= n_spans[list]; i++)
		if (t >= span_begin[list, i] && t < span_end[list, i])
			return 1
	return 0
}
# How much of a time until T is in the spans.
function within(list, t,    i, sum) {
	for (i = 1; i <= n_spans[list] && span_begin[list, i] < t; i++)
		sum += (span_end[list, i] < t ? span_end[list, i] : t) - span_begin[list, i]
	return sum + 0
}

# How a job comes to its engine, runs and ends: each returns its signal's time. START and END are told in job_start and job_end.
function job_fields(c) {
	return sprintf("fence_context=%d fence_seqno=%d client_id=%d job_count=0 hw_job_count=%d name=%s dev=%s driver=%s%s", c_context[c], c_seq[c], c_context[c] + 5, 0,
		DRIVER == "xe" ? c_ring[c] : e_name[c_engine[c]], DEVICE, DRIVER, DRIVER == "xe" ? " queue_flags=0x" sprintf("%x", 1 + 256 * c) " timeout_ms=5000" : " timeout_ms=10000")
}
# run_by C Q CPU TID - when the worker, woken at Q, has given the job to its ring
function run_by(c, q, cpu, tid,    r, ring) {
	waking(q, c_cpu[c], c_tid[c], tid, cpu)
	r = q + between(3 * US, 6 * US)
	r += worker_late(c, q, cpu)
	switches(r, cpu, tid, 0)
	ring = DRIVER == "xe" ? 900 + c : e_ring[c_engine[c]]
	ring_seq[ring]++
	c_ring_seq[c] = ring_seq[ring]
	event(r + 2 * US, cpu, tid, "drm_sched_job_run " job_fields(c))
	event(r + 3 * US, cpu, tid, sprintf("dma_fence_init context=%d seqno=%d driver=%s timeline=%s", ring, c_ring_seq[c], DRIVER, DRIVER == "xe" ? c_ring[c] : e_name[c_engine[c]]))
	event(r + 4 * US, cpu, tid, sprintf("dma_fence_signaled context=%d seqno=%d", c_context[c] - 1, c_seq[c]))
	switches(r + 6 * US, cpu, 0, 1)
	return r
}
function submit_drm(c, q, gpu,    e, r, ring, s, f) {
	e = c_engine[c]
	event(q, c_cpu[c], c_tid[c], "drm_sched_job_queue " job_fields(c))
	f = depends(c, q)
	if (DRIVER == "xe") {
		r = run_by(c, (f > q ? f : q) + US, c_worker_cpu[c], c_worker[c])
		c_worker_busy[c] = r + 10 * US + worker_margin()
		ring = 900 + c
	} else {
		r = run_by(c, (f > q ? f : q) + US, e_cpu[e], e_tid[e])
		e_busy[e] = r + 10 * US + worker_margin()
		ring = e_ring[e]
	}
	s = r + 2 * US
	stood_behind(c, s, e_free[e])
	if (s < e_free[e])
		s = e_free[e]
	e_last[e] = c
	job_start = s
	job_end = s + gpu
	if (DRIVER == "panfrost")
		return e_free[e] = signals(c, ring, irq_woken(c, job_end), irq_cpu, irq_tid)
	e_free[e] = job_end
	return signals(c, ring, job_end, 0, 0)
}
function signals(c, ring, t, cpu, tid) {
	event(t, cpu, tid, sprintf("dma_fence_signaled context=%d seqno=%d", ring, c_ring_seq[c]))
	event(t + 500, cpu, tid, sprintf("drm_sched_job_done fence_context=%d fence_seqno=%d", c_context[c], c_seq[c]))
	event(t + 1000, cpu, tid, sprintf("dma_fence_signaled context=%d seqno=%d", c_context[c], c_seq[c]))
	return t + 1000
}
# The interrupt of a job's end at T has a thread of its own: when that signals.
function irq_woken(c, t,    r) {
	waking(t, 0, 0, irq_tid, irq_cpu)
	r = t + between(3 * US, 6 * US) + irq_late(c, t)
	switches(r, irq_cpu, irq_tid, 0)
	switches(r + 9 * US, irq_cpu, 0, 1)
	return r + 2 * US
}
function rq(c, seq) { return sprintf("ctx=%d dev=0 seqno=%d class=%d instance=0", c_context[c], seq, e_class[c_engine[c]]) }
function submit_i915(c, q, gpu,    e, s, n) {
	e = c_engine[c]
	n = 2 * c_seq[c]
	if (c_seq[c] > 1)
		event(q - 24 * US, c_cpu[c], c_tid[c], "i915_request_retire " rq(c, n - 2) " tail=0")
	event(q - 20 * US, c_cpu[c], c_tid[c], "i915_request_queue " rq(c, n) " flags=0x0")
	event(q, c_cpu[c], c_tid[c], "i915_request_add " rq(c, n) " tail=0")
	event(q + 1 * US, c_cpu[c], c_tid[c], "i915_request_submit " rq(c, n) " tail=0")
	s = q + 2 * US
	if (DRIVER == "guc") {
		event(s, c_cpu[c], c_tid[c], "i915_request_execute " rq(c, n) " tail=0")
		event(s + 500, c_cpu[c], c_tid[c], "i915_request_guc_submit " rq(c, n) " tail=0")
		s += 5 * US
		if (s < e_free[e])
			s = e_free[e]
		job_start = s
	} else if (e_free[e] + 6 * US > s) {
		stood_behind(c, s, e_free[e])
		s = e_free[e] + 2 * US
		event(s, 0, 0, "i915_request_execute " rq(c, n) " tail=0")
		event(s + 500, 0, 0, sprintf("i915_request_in %s port=0 prio=%d", rq(c, n), c_prio[c]))
		job_start = s + 500
	} else {
		event(s, c_cpu[c], c_tid[c], "i915_request_execute " rq(c, n) " tail=0")
		event(s + 500, c_cpu[c], c_tid[c], sprintf("i915_request_in %s port=0 prio=%d", rq(c, n), c_prio[c]))
		job_start = s + 500
	}
	event(q + 8 * US, c_cpu[c], c_tid[c], "i915_request_wait_begin " rq(c, n) " flags=0x1")
	event(q + 9 * US, c_cpu[c], c_tid[c], sprintf("dma_fence_enable_signal context=%d seqno=%d", c_context[c], n))
	e_last[e] = c
	job_end = ran_until(c, n, job_start, gpu)
	e_free[e] = job_end
	event(job_end + 1000, 0, 0, sprintf("dma_fence_signaled context=%d seqno=%d", c_context[c], n))
	if (DRIVER == "i915")
		event(job_end + 3 * US, 0, 0, "i915_request_out " rq(c, n) " completed=1")
	return job_end + 1000
}

# A client's turn: it submits at c_next, waits, sleeps, computes.
function turn(c,    q, e, gpu, signal, woken, w, pause, host, cpu) {
	q = c_next[c]
	e = c_engine[c]
	cpu = c_cpu[c]
	if (e in e_busy && q < e_busy[e])
		q = e_busy[e]
	if (DRIVER == "xe" && q < c_worker_busy[c])
		q = c_worker_busy[c]
	if (DRIVER == "i915" && q > e_free[e] - 12 * US && q < e_free[e] + 12 * US)
		q = e_free[e] + 12 * US
	if (c_driven[c]) {
		waking(q - 60 * US, 0, 0, c_tid[c], cpu)
		switches(q - 55 * US, cpu, c_tid[c], 0)
	}
	# who waits for its own job by a user fence
	own_fence = c == app && is_kind("user_fence") && !harm()
	c_seq[c]++
	gpu = job_length(c, q)
	if (gpu < 40 * US)
		gpu = 40 * US
	before_submit(c, q)
	if (DRIVER == "i915" || DRIVER == "guc")
		signal = submit_i915(c, q, gpu)
	else {
		signal = submit_drm(c, q, gpu)
		if (!own_fence || flavour)
			event(q + 8 * US, cpu, c_tid[c], sprintf("dma_fence_wait_start context=%d seqno=%d", c_context[c], c_seq[c]))
	}
	busy_of[c] += gpu
	run_begin[c, ++n_runs[c]] = job_start
	run_end[c, n_runs[c]] = job_end
	if (own_fence)
		hooked(q + 7 * US, cpu, c_tid[c], "xe_function_enter function=xe_wait_user_fence_ioctl")
	switches(q + 12 * US, cpu, asleep(c, q), 1)
	woken = signal + between(1000, 2500)
	waking(woken, 0, 0, c_tid[c], cpu)
	w = woken + wake_delay(c, woken)
	switches(w, cpu, c_tid[c], 0)
	if (DRIVER == "i915" || DRIVER == "guc")
		event(w + 2 * US, cpu, c_tid[c], "i915_request_wait_end " rq(c, 2 * c_seq[c]) " tail=0")
	else if (!own_fence || flavour)
		event(w + 2 * US, cpu, c_tid[c], sprintf("dma_fence_wait_end context=%d seqno=%d", c_context[c], c_seq[c]))
	if (own_fence)
		hooked(w + 2500, cpu, c_tid[c], "xe_function_leave function=xe_wait_user_fence_ioctl ret=0")
	w += 3 * US
	if (c_driven[c]) {
		switches(w + 2 * US, cpu, 0, 1)
		return
	}
	pause = pause_of(c, w)
	if (pause > 20 * US) {
		switches(w + 2 * US, cpu, 0, 1)
		in_pause(c, w + 2 * US, w + pause)
		waking(w + pause, cpu, 0, c_tid[c], cpu)
		w += pause + 4 * US
		switches(w, cpu, c_tid[c], 0)
	}
	host = about(c_host[c], 0.15)
	w = computes(c, w, host)
	c_next[c] = w + 30 * US
	busy_until[c] = w
}
function run_world(    c, first) {
	for (;;) {
		first = 0
		for (c = 1; c <= n_clients; c++)
			if (!c_stopped[c] && (!first || c_next[c] < c_next[first]))
				first = c
		if (!first || c_next[first] > END_NS)
			return
		turn(first)
	}
}

# Processes that have nothing to do with a GPU, on CPUs of their own, two to a CPU.
function other_load(    n, cpu, a, b, t) {
	for (n = between(0, 3); n > 0; n--) {
		cpu = new_cpu()
		a = thread(fresh_name(OTHERS))
		b = thread(fresh_name(OTHERS))
		t = BEGIN_NS + between(0, 20 * MS)
		while (t < END_NS) {
			waking(t - 3 * US, cpu, 0, a, cpu)
			switches(t, cpu, a, 0)
			t += about(2 * MS, 0.5)
			if (chance(0.4)) {
				waking(t - 200 * US, cpu, a, b, cpu)
				switches(t, cpu, b, 1)
				t += about(1 * MS, 0.5)
			}
			switches(t, cpu, 0, 1)
			t += about(8 * MS, 0.7)
		}
	}
}

# counter WHAT TRUST PER_SECOND CLASS PID NAME [GT] - its number
function counter(what, trust, per_second, class, tid, name, gt,    i) {
	i = n_counters++
	told(500 + i, sprintf("gpulane_counter client_id=%d per_second=%d id=%d what=%d trust=%d card=%d gt=%d capacity=1 pid=%d class=%d instance=%d comm=\"%s\" dev=%s name=%s",
		tid > 0 ? (tid in client_of ? client_of[tid] : 5000 + tid) : 0, per_second, i, what, trust, CARD + 0, gt, tid > 0 ? pid_of[tid] : -1, class, (what == 0 ? 0 : 65535), (tid > 0 ? comm[tid] : ""), DEVICE, name))
	return i
}
# Read at NS: counters of a round follow each other.
function sample(i, ns, value, total) { told(ns + 2000 * i + 1500, sprintf("gpulane_sample value=%.0f total=%.0f from_ns=%.0f id=%d", value, total, ns + 2000 * i, i)) }
