# SPDX-License-Identifier: MIT
# What the programs of a simulator waited for, and why its engines had nothing to do: of the truth alone, by the definitions of docs/report.md.
# It shares nothing with gpulane.
# usage: awk -f tests/truth/facts.awk TRUTH EVENTS RECORDING
#   TRUTH      lines of tests/oracle's truth (docs/oracle.md); jobs.jq makes them of drm_sched's
#   EVENTS     all events of the machine: who submitted, who had which CPU, who waited for what
#   RECORDING  the events that gpulane is given; the same file where none is missing
#
# Output, a line a fact. LO and HI: the hardware's moments and the events that stand for them allow no less and no more (ns).
#   recording LO HI                                         its duration: of the events, or as it says itself
#   program PID ALL-LEAST ALL-MOST LEAST MOST LO HI          so many are in the recording, and from the first event to the signal; their time
#   unseen PID NS                                           its requests were handed over, and no event tells what became of them: a firmware, a ring
#   late PID NS                                             they ran, or had ended and nobody listened
#   damaged                                                 events are missing
#   stage PID STAGE LO HI TRUE                              TRUE: by the hardware's moments
#   ahead PID STAGE BY LO HI TRUE                           BY (a pid) ran on their engine meanwhile; of `dependency`: was waited for
#   taken PID BY LO HI TRUE LEAST MOST LONGEST-LO LONGEST-HI PRIORITY    off the engine, while BY had it
#   idle ENGINE CAUSE TID BY LO HI TRUE LEAST MOST LONGEST-LO LONGEST-HI BY: who had the CPU (0: nobody, any: all of them)
#   gap ENGINE LO HI                                        its idle time between its runs
#   exact ENGINE                                            its events tell all of its idle time
#   starved TID BY LO HI TRUE LEAST MOST LONGEST-LO LONGEST-HI
#   bursts TRUE ALL

function min(a, b) { return a + 0 < b + 0 ? a + 0 : b + 0 }
function max(a, b) { return a + 0 > b + 0 ? a + 0 : b + 0 }
function overlap(a, b, c, d) { return max(0, min(b, d) - max(a, c)) }

# What a list of stamps begins and ends with, in time
function low(stamps,    all, n, i, m) {
	n = split(stamps, all, "/")
	m = all[1] + 0
	for (i = 2; i <= n; i++)
		m = min(m, all[i] + 0)
	return m
}
function high(stamps,    all, n, i, m) {
	n = split(stamps, all, "/")
	m = all[1] + 0
	for (i = 2; i <= n; i++)
		m = max(m, all[i] + 0)
	return m
}

FNR == 1 { file++ }

# -- The truth --

file == 1 {
	split("", key)
	for (i = 1; i <= NF; i++) {
		at = index($i, "=")
		key[substr($i, 1, at - 1)] = substr($i, at + 1)
	}
}

file == 1 && /^(dev|engine)=/ {
	r = ++n_requests
	name[r] = key["ctx"] ":" key["seqno"]
	by_name[name[r]] = r
	context[r] = key["ctx"]
	queue[r] = when("queue"); add[r] = when("add"); execute[r] = when("execute"); signal[r] = when("signal")
	submit[r] = when("submit"); submit_lo[r] = low(key["submit"]); submit_hi[r] = high(key["submit"])
	freed_by[r] = key["freed_by"]
	is_listened[r] = key["listened"] != "0"
	status[r] = key["status"] == "" ? "ok" : key["status"]
	serial[r] = key["serial"] != "false"
	pid[r] = key["pid"]; tid[r] = key["tid"]
	n_runs[r] = split(key["runs_stamps"], run, ",")
	n = split(key["runs_engines"], engines, ",")
	for (i = 1; i <= n_runs[r]; i++) {
		split(run[i], side, "-")
		begin[r, i] = side[1] + 0; begin_lo[r, i] = low(side[1]); begin_hi[r, i] = high(side[1])
		end[r, i] = side[2] + 0; end_lo[r, i] = low(side[2]); end_hi[r, i] = high(side[2])
		where[r, i] = n ? engine_name(engines[i]) : key["engine"]
	}
	home[r] = n_runs[r] ? where[r, 1] : key["engine"]
}

# A number: words compare otherwise. The first of several is the hardware's.
function when(name) { return key[name] == "-" ? "-" : key[name] + 0 }

function engine_name(class_instance,    part, names) {
	split("rcs bcs vcs vecs ccs", names, " ")
	split(class_instance, part, ":")
	return names[part[1] + 1] part[2]
}

file == 1 && /^at=/ {
	i = ++n_taken[key["victim"]]
	culprit[key["victim"], i] = key["culprit"]
	why[key["victim"], i] = key["why"]
}

# -- The events --

# An event of either simulator: its time, CPU, thread and kind, and its fields
function read_event(    at, head, part, n, i, rest) {
	split("", field)
	if ($1 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+\/[0-9]+$/) {
		now = $1 + 0; cpu = $2 + 0; thread = $3; kind = $5; rest = $0
	} else if (match($0, / +[0-9]+\/[0-9]+ +\[[0-9]+\] +[0-9]+\.[0-9]+: /)) {
		n = split(substr($0, RSTART, RLENGTH), part, /[ \[\]:.]+/)
		thread = part[2]; cpu = part[3] + 0; now = part[4] * 1000000000 + part[5]
		rest = substr($0, RSTART + RLENGTH)
		kind = rest
		sub(/: .*/, "", kind)
		sub(/^[a-z_]+:/, "", kind)
		sub(/^[^ ]* /, "", rest)
	} else
		return 0
	n = split(rest, part, /,? +/)
	for (i = 1; i <= n; i++)
		if ((at = index(part[i], "=")))
			field[substr(part[i], 1, at - 1)] = substr(part[i], at + 1)
	sub(/.*\//, "", thread)
	process = $3 ~ /^[0-9]+\/[0-9]+$/ ? $3 : ""
	sub(/\/.*/, "", process)
	return 1
}

file == 3 && $1 == "info" { info[$2] = $3 }

file > 1 && !read_event() { next }

file == 2 && (kind == "i915_request_queue" || kind == "i915_request_add") {
	r = by_name[field["ctx"] ":" field["seqno"]]
	if (pid[r] == "") {
		pid[r] = process
		tid[r] = thread
		owner[context[r]] = owner[context[r]] == "" || owner[context[r]] == process ? process : "-"
	}
}

# Threads: from, to, state (R runs, W could run, B blocked), CPU
function becomes(t, what, on) {
	if (t + 0 == 0)
		return
	if (t in state)
		keep(t)
	state[t] = what; since[t] = now; on_cpu[t] = on
}
function keep(t,    i) {
	if (now <= since[t])
		return
	i = ++n_states[t]
	from[t, i] = since[t]; to[t, i] = now; was[t, i] = state[t]; state_cpu[t, i] = on_cpu[t]
}

file == 2 && kind == "sched_switch" {
	has_switches = 1
	becomes(field["prev_pid"], field["prev_state"] ~ /^R/ ? "W" : "B", cpu)
	becomes(field["next_pid"], "R", cpu)
	if (cpu in cpu_since) {
		i = ++n_on[cpu]
		on_from[cpu, i] = cpu_since[cpu]; on_to[cpu, i] = now; on_tid[cpu, i] = cpu_tid[cpu]
	}
	cpu_since[cpu] = now; cpu_tid[cpu] = field["next_pid"]
}
file == 2 && (kind == "sched_waking" || kind == "sched_wakeup") {
	if (state[field["pid"]] == "B")
		becomes(field["pid"], "W", field["target_cpu"] + 0)
	else if (state[field["pid"]] == "W")
		on_cpu[field["pid"]] = field["target_cpu"] + 0
}

file == 2 && (kind == "dma_fence_wait_start" || kind == "i915_request_wait_begin") {
	i = ++n_waits[thread]
	wait_from[thread, i] = now; wait_to[thread, i] = 1e18
	wait_for[thread, i] = (kind ~ /^dma/ ? field["context"] : field["ctx"]) ":" field["seqno"]
}
file == 2 && (kind == "dma_fence_wait_end" || kind == "i915_request_wait_end") && n_waits[thread] {
	wait_to[thread, n_waits[thread]] = now
}

# Nobody had asked to be told of its end, and i915 signals it as it retires it: its time is to its end (docs/report.md).
file == 2 && kind == "dma_fence_enable_signal" { was_asked[field["context"] ":" field["seqno"]] = 1 }
file == 2 && kind == "i915_request_retire" { retired[field["ctx"] ":" field["seqno"]] = 1 }
file == 2 && kind == "dma_fence_signaled" {
	at = field["context"] ":" field["seqno"]
	is_unasked[at] = retired[at] && !was_asked[at]
	for (t in n_waits)
		if (wait_to[t, n_waits[t]] == 1e18 && wait_for[t, n_waits[t]] == at)
			is_unasked[at] = 0
}

file == 2 {
	last_event = now
	n_events++
}

file == 3 {
	if (!first)
		first = now
	last = now
	n_recorded++
	if (kind == "drm_sched_job_add_dep")
		tells_dependencies = 1
	if (kind == "i915_request_queue" || kind == "i915_request_add")
		is_there[field["ctx"] ":" field["seqno"]] = 1
	else if (kind == "drm_sched_job_queue")
		is_there[field["fence"]] = 1
	else if (kind ~ /^(i915_request|dma_fence)_/)
		is_there[("ctx" in field ? field["ctx"] : field["context"]) ":" field["seqno"]] += 0.001
	if (kind == "i915_request_queue" || kind == "i915_request_add" || kind == "drm_sched_job_queue")
		seen[(kind == "drm_sched_job_queue" ? field["fence"] : field["ctx"] ":" field["seqno"]), kind]
	else if (kind == "dma_fence_signaled")
		seen[field["context"] ":" field["seqno"], "signal"]
}

# The first of n, of those of x, that ends behind a time
function first_past(ends, x, n, time,    a, b, m) {
	b = n + 1
	for (a = 1; a < b;) {
		m = int((a + b) / 2)
		if (ends[x, m] > time)
			b = m
		else
			a = m + 1
	}
	return a
}

# -- Sums --

function sum_up(what, lo, hi, true) {
	if (!(what in sum_hi))
		order[++n_order] = what
	sum_lo[what] += max(0, lo); sum_hi[what] += max(0, hi); sum_true[what] += max(0, true)
}
# One of the times that make a sum, where these are counted
function piece(what, lo, hi, true) {
	sum_up(what, lo, hi, true)
	least[what] += lo > 0; most[what] += hi > 0
	longest_lo[what] = max(longest_lo[what] + 0, lo); longest_hi[what] = max(longest_hi[what] + 0, hi)
}

# On a firmware's ring a job that was reset, or that took less than 20 us, looks like one of a long-running queue, which has no part in the sums. Where events are lost,
# any job may look like one, and a request that was never queued as if it had been.
function is_unclear(r) {
	return !serial[r] && (status[r] == "reset" || execute[r] != "-" && signal[r] - execute[r] < 20000) ||
	       is_damaged && (is_job || queue[r] == "-")
}

function stage(r, which, lo, hi, true) { sum_up("stage " pid[r] " " which, is_unclear(r) ? 0 : lo, hi, true) }
function exactly(r, which, ns) { stage(r, which, ns, ns, ns) }

function is_measured(r) {
	if (status[r] == "long" || signal[r] == "-" || (queue[r] == "-" && add[r] == "-") || !((name[r], "signal") in seen))
		return 0
	return is_job ? !is_damaged || (name[r], "drm_sched_job_queue") in seen : ((name[r], (queue[r] != "-" ? "i915_request_queue" : "i915_request_add")) in seen)
}

function request_stages(r,    first, i, n, left, all) {
	n = n_runs[r]
	first = queue[r] != "-" ? queue[r] : add[r]
	if (n && is_unasked[name[r]])
		sum_up("total " pid[r], is_unclear(r) ? 0 : end_lo[r, n] - first, (is_damaged ? signal[r] : end_hi[r, n]) - first)
	else
		sum_up("total " pid[r], is_unclear(r) ? 0 : signal[r] - first, signal[r] - first)
	if (queue[r] != "-")
		exactly(r, "prepare", add[r] - queue[r])
	if (execute[r] != "-") {
		stage(r, "dependency", submit_lo[r] - add[r], submit_hi[r] - add[r], submit[r] - add[r])
		stage(r, "host_queue", execute[r] - submit_hi[r], execute[r] - submit_lo[r], execute[r] - submit[r])
	}
	if (!n) {
		# It never was in the hardware: the stages that it did not reach have no bounds but the request's own.
		left = signal[r] - (execute[r] != "-" ? execute[r] : add[r])
		split(execute[r] != "-" ? "device_queue running signal" : "dependency host_queue device_queue running signal", all, " ")
		for (i in all)
			stage(r, all[i], 0, left)
		return
	}
	stage(r, "device_queue", begin_lo[r, 1] - execute[r], begin_hi[r, 1] - execute[r], begin[r, 1] - execute[r])
	if (!is_unasked[name[r]] || is_damaged)
		stage(r, "signal", is_unasked[name[r]] ? 0 : signal[r] - end_hi[r, n], signal[r] - end_lo[r, n], signal[r] - end[r, n])
	for (i = 1; i <= n; i++) {
		stage(r, "running", end_lo[r, i] - begin_hi[r, i], end_hi[r, i] - begin_lo[r, i], end[r, i] - begin[r, i])
		if (i > 1)
			stage(r, "preempted", begin_lo[r, i] - end_hi[r, i - 1], begin_hi[r, i] - end_lo[r, i - 1], begin[r, i] - end[r, i - 1])
	}
}

# The first run of an engine that may have ended after a time
function first_behind(e, time,    a, b, m) {
	b = n_on_engine[e] + 1
	for (a = 1; a < b;) {
		m = int((a + b) / 2)
		if (last_end[e, m] > time)
			b = m
		else
			a = m + 1
	}
	return a
}

# A run of another request, as part of a stage that lasts from a to b
function ahead_in(r, which, by, q, k, a_lo, a_hi, a, b_lo, b_hi, b) {
	if (begin_lo[q, k] < b_hi && end_hi[q, k] > a_lo)
		sum_up("ahead " pid[r] " " which " " by, overlap(begin_hi[q, k], end_lo[q, k], a_hi, b_lo),
			overlap(begin_lo[q, k], end_hi[q, k], a_lo, b_hi), overlap(begin[q, k], end[q, k], a, b))
}

# Whose requests had its engine while it waited
function request_ahead(r,    e, i, q, k) {
	if (freed_by[r] != "-" && submit[r] != "-")
		sum_up("ahead " pid[r] " dependency " name_of(freed_by[r]), submit_lo[r] - add[r], submit_hi[r] - add[r], submit[r] - add[r])
	if (!n_runs[r] || execute[r] == "-")
		return
	e = where[r, 1]
	for (i = first_behind(e, submit_lo[r]); i <= n_on_engine[e] && begin_lo[run_of[e, i], run_number[e, i]] < begin_hi[r, 1]; i++) {
		q = run_of[e, i]; k = run_number[e, i]
		if (q == r)
			continue
		ahead_in(r, "host_queue", pid[q], q, k, submit_lo[r], submit_hi[r], submit[r], execute[r], execute[r], execute[r])
		ahead_in(r, "device_queue", pid[q], q, k, execute[r], execute[r], execute[r], begin_lo[r, 1], begin_hi[r, 1], begin[r, 1])
	}
}

function name_of(fence) { return fence in by_name ? pid[by_name[fence]] : "-" }

function request_taken(r,    i, by, what) {
	for (i = 1; i <= n_taken[name[r]]; i++) {
		what = "taken " pid[r] " " name_of(culprit[name[r], i])
		piece(what, begin_lo[r, i + 1] - end_hi[r, i], begin_hi[r, i + 1] - end_lo[r, i], begin[r, i + 1] - end[r, i])
		by_priority[what] += why[name[r], i] == "priority"
	}
}

# -- Engines that have nothing to do --

# A part of a gap: from f to g its cause was this. The gap lasts from a to b at most, from c to d at least.
function part_of(e, what, f, g, a, b, c, d,    key) {
	key = "idle " e " " what
	if (!(key in gap_hi))
		gap_keys[++n_gap_keys] = key
	gap_lo[key] += overlap(f, g, c, d); gap_hi[key] += overlap(f, g, a, b)
}

# What the thread did that ended it
function thread_parts(e, t, a, b, c, d,    i, k, x, cause) {
	for (i = first_past(to, t, n_states[t], a); i <= n_states[t] && from[t, i] < b; i++) {
		if (was[t, i] == "R")
			part_of(e, "computing " t " -", from[t, i], to[t, i], a, b, c, d)
		else if (was[t, i] == "W") {
			x = state_cpu[t, i]
			part_of(e, "starved " t " any", from[t, i], to[t, i], a, b, c, d)
			for (k = first_past(on_to, x, n_on[x], from[t, i]); k <= n_on[x] && on_from[x, k] < to[t, i]; k++)
				part_of(e, "starved " t " " on_tid[x, k], max(from[t, i], on_from[x, k]), min(to[t, i], on_to[x, k]), a, b, c, d)
		} else {
			cause = "blocked"
			for (k = 1; k <= n_waits[t]; k++)
				if (wait_from[t, k] <= from[t, i] && wait_to[t, k] >= to[t, i] && wait_for[t, k] in by_name)
					cause = home[by_name[wait_for[t, k]]] == e ? "wake" : "other_engine"
			part_of(e, cause " " t " -", from[t, i], to[t, i], a, b, c, d)
		}
	}
}

function engine_gap(e, r, k, a, c,    b, d, there, j) {
	b = begin_hi[r, k]; d = begin_lo[r, k]
	if (b <= a)
		return
	sum_up("gap " e, d - c, b - a)
	n_gap_keys = 0
	split("", gap_lo)
	split("", gap_hi)
	there = add[r] == "-" ? submit_lo[r] : add[r]
	part_of(e, "dependency " tid[r] " -", there, submit_hi[r], a, b, c, min(d, submit_lo[r]))
	part_of(e, "driver " tid[r] " -", submit_lo[r], b, a, b, max(c, submit_hi[r]), d)
	thread_parts(e, tid[r], a, min(b, there), c, min(d, queue[r] == "-" ? there : queue[r]))
	for (j = 1; j <= n_gap_keys; j++)
		if (gap_hi[gap_keys[j]] > 0)
			piece(gap_keys[j], gap_lo[gap_keys[j]], gap_hi[gap_keys[j]], 0)
}

function engine_gaps(e,    i, r, k, free_lo, free_hi) {
	for (i = 1; i <= n_on_engine[e]; i++) {
		r = run_of[e, i]; k = run_number[e, i]
		if (i > 1)
			engine_gap(e, r, k, free_lo, free_hi)
		if (serial[r])
			free_lo = free_hi = 0
		free_lo = max(free_lo, end_lo[r, k]); free_hi = max(free_hi, end_hi[r, k])
	}
}

# The runs of each engine, in the order of their begins; the truth has them nearly so. Where one runs at a time, none began before the one
# ahead of it may have ended.
function place_runs(    r, i, j, e, q) {
	for (r = 1; r <= n_requests; r++)
		for (i = 1; i <= n_runs[r]; i++) {
			e = where[r, i]
			for (j = ++n_on_engine[e]; j > 1 && begin[run_of[e, j - 1], run_number[e, j - 1]] > begin[r, i]; j--) {
				run_of[e, j] = run_of[e, j - 1]; run_number[e, j] = run_number[e, j - 1]
			}
			run_of[e, j] = r; run_number[e, j] = i
		}
	for (e in n_on_engine)
		for (j = 1; j <= n_on_engine[e]; j++) {
			r = run_of[e, j]; i = run_number[e, j]
			if (j > 1 && serial[r]) {
				q = run_of[e, j - 1]
				begin_lo[r, i] = max(begin_lo[r, i], end_lo[q, run_number[e, j - 1]])
			}
			last_end[e, j] = max(j > 1 ? last_end[e, j - 1] : 0, end_hi[r, i])
		}
}

# Whom each thread waited for that could run
function starved_threads(    t, i, k, x, ns) {
	for (t in n_states)
		for (i = 1; i <= n_states[t]; i++) {
			x = state_cpu[t, i]
			for (k = was[t, i] == "W" ? first_past(on_to, x, n_on[x], from[t, i]) : n_on[x] + 1; k <= n_on[x] && on_from[x, k] < to[t, i]; k++) {
				ns = overlap(from[t, i], to[t, i], on_from[x, k], on_to[x, k])
				piece("starved " t " " on_tid[x, k], ns, ns, ns)
			}
		}
}

END {
	is_damaged = n_recorded < n_events
	if (is_damaged)
		print "damaged"
	for (r = 1; r <= n_requests; r++) {
		is_job = is_job || home[r] ~ /\//
		if (pid[r] == "")
			pid[r] = context[r] in owner ? owner[context[r]] : "-"
		n_long += status[r] == "long"
		least_there[pid[r]] += is_job && !is_damaged || is_there[name[r]] >= 1
		most_there[pid[r]] += is_job || is_there[name[r]] > 0
		if (status[r] != "ok" || !serial[r] || (is_job && !tells_dependencies))
			is_vague[home[r]]
	}
	now = last_event
	for (t in state)
		keep(t)
	place_runs()
	printf "recording %.0f %.0f\n", last - first, ("begin_ns" in info) ? info["end_ns"] - info["begin_ns"] : last - first
	for (r = 1; r <= n_requests; r++)
		if (is_measured(r)) {
			least_measured[pid[r]] += !is_unclear(r)
			measured[pid[r]]++
			# by the table of what cannot be known, docs/analysis.md
			if (execute[r] != "-" && (!serial[r] || info["submission"] ~ /guc/ || (info["submission"] ~ /ring/ && !is_listened[r])))
				unseen[pid[r]] += signal[r] - execute[r]
			if (n_runs[r] && !is_listened[r])
				late[pid[r]] += end[r, n_runs[r]] - begin[r, 1]
			request_stages(r)
			request_ahead(r)
			request_taken(r)
		}
	for (p in most_there)
		printf "program %s %d %d %d %d %.0f %.0f\n", p, least_there[p], most_there[p], least_measured[p], measured[p], sum_lo["total " p], sum_hi["total " p]
	for (p in unseen)
		printf "unseen %s %.0f\n", p, unseen[p]
	for (p in late)
		printf "late %s %.0f\n", p, late[p]
	for (e in n_on_engine) {
		engine_gaps(e)
		if (!(e in is_vague) && !is_damaged)
			print "exact", e
	}
	starved_threads()
	for (i = 1; i <= n_order; i++) {
		what = order[i]
		if (what ~ /^total/)
			continue
		printf "%s %.0f %.0f %.0f", what, sum_lo[what], sum_hi[what], sum_true[what]
		if (what in most)
			printf " %d %d %.0f %.0f", least[what], most[what], longest_lo[what], longest_hi[what]
		print (what in by_priority) ? " " by_priority[what] : ""
	}
	printf "bursts %d %d\n", n_long, n_requests
}
