# SPDX-License-Identifier: MIT
# Judges explain's evidence by a simulator's truth; tests/explain/truth calls it with three files: all events of the machine,
# the truth, the rows. A row: bound what turn side rule event at cpu cited explained min max.
#
# A rule's sentence must hold in the truth, and its event must be able to show it. It was written from docs/analysis.md and
# from the driver, without a look at the analysis.
#
# The hardware's times count. The time of a moment may also be the time of the event that told of the moment
# (docs/oracle.md). So of each moment the truth has a first and a last time, and a bound is right if it leaves room for one.
BEGIN {
	never = 9e15
	allow(1, "queued added submitted handed_over signalled retired", "lo hi")
	for (i = 2; i <= 9; i++) allow(i, "complete", "hi")
	allow("2 3", "complete", "lo")
	allow(25, "complete", "hi")
	allow("6 7 8 9 25", "started resumed", "hi") # what is complete has begun
	allow(7, "preempted", "hi")
	allow("10 11 12 13 23", "complete", "lo")
	allow("12 18", "preempted", "lo hi")
	allow(19, "preempted", "lo")
	allow(20, "preempted", "hi")
	allow("14 15 16 18", "started resumed", "lo hi")
	allow("17 19", "started resumed", "lo")
	allow("20 21 22", "started resumed", "hi")
	allow("30 31 36 37", "started", "lo hi")
	allow("32 33 35 37", "complete", "lo hi")
	allow(34, "submitted", "lo hi")
	place_of["i915_request_unsubmit"] = 1; place_of["i915_request_execute"] = 2; place_of["i915_request_in"] = 3
	field_of["queued"] = "queue"; field_of["added"] = "add"; field_of["submitted"] = "submit"
	field_of["handed_over"] = "execute"; field_of["signalled"] = "signal"; field_of["retired"] = "retire"
}

# These rules can give these bounds of these times.
function allow(rules, times, sides,    r, t, s, n_r, n_t, n_s, i, j, k) {
	n_r = split(rules, r, " "); n_t = split(times, t, " "); n_s = split(sides, s, " ")
	for (i = 1; i <= n_r; i++)
		for (j = 1; j <= n_t; j++)
			for (k = 1; k <= n_s; k++) can_give[r[i] " " t[j] " " s[k]] = 1
}

FNR == 1 { file++ }

# key=value of this line into f[]
function fields(    i, n) {
	split("", f)
	for (i = 1; i <= NF; i++)
		if ((n = index($i, "="))) f[substr($i, 1, n - 1)] = substr($i, n + 1)
}
function context_of(rq) { return substr(rq, 1, index(rq, ":") - 1) }
function seqno_of(rq) { return substr(rq, index(rq, ":") + 1) + 0 }
# Seqnos go round; no context's requests are half of the numbers apart.
function is_later(a, b,    d) {
	if (context_of(a) != context_of(b)) return 0
	d = seqno_of(a) - seqno_of(b)
	return (d > 0 && d < 2147483648) || d < -2147483648
}

# -- All events of the machine --

file == 1 && /^absent / { absent[$2] = 1 }
file == 1 && /^info submission / { submission = $3 }
file == 1 && /^[0-9]/ {
	if ($5 == "gpulane_lost") next
	fields()
	n_events++
	rq = "-"
	if ("fence_context" in f) rq = f["fence_context"] ":" f["fence_seqno"] % 4294967296
	else if ("context" in f) rq = f["context"] ":" f["seqno"] % 4294967296
	else if ("ctx" in f) rq = f["ctx"] ":" f["seqno"] % 4294967296
	engine = ("class" in f) && ("instance" in f) ? f["dev"] + 0 "/" f["class"] ":" f["instance"] : "-"
	e_at[n_events] = $1; e_cpu[n_events] = $2; e_name[n_events] = $5; e_rq[n_events] = rq; e_engine[n_events] = engine
	if ($5 == "i915_engine_ports") e_ports[n_events] = " " f["ctx0"] " " f["ctx1"] " "
	if ($5 == "i915_request_out") e_completed[n_events] = f["completed"] + 0
	key = $1 " " $5 " " $2 " "
	if (!((key rq) in there)) there[key rq] = n_events
	if (!((key "-") in there)) there[key "-"] = n_events
	if ($5 == "i915_request_execute") {
		n_handed[rq]++
		handed[rq, n_handed[rq]] = n_events
		again[n_events] = n_handed[rq] > 1
	}
	if ($5 == "i915_request_unsubmit") back[rq, ++n_back[rq]] = n_events
	if ($5 == "dma_fence_enable_signal" && !(rq in listened_at)) listened_at[rq] = $1
	if ($5 ~ /^drm_/) is_sched = 1
}

# The last event of a list that is not behind `at`; 0: none
function last_of(list, n, rq, at,    i) {
	for (i = n[rq]; i > 0; i--)
		if (e_at[list[rq, i]] <= at) return list[rq, i]
	return 0
}
# The last time that the driver handed the request over by then
function last_handed(rq, at) { return last_of(handed, n_handed, rq, at) }

# -- The truth --

function add_run(engine, rq, begin, end, complete,    i, n) {
	n = ++n_on[engine]
	for (i = n; i > 1 && run_begin[on[engine, i - 1]] > begin; i--) on[engine, i] = on[engine, i - 1]
	on[engine, i] = ++n_runs
	run_engine[n_runs] = engine; run_rq[n_runs] = rq; run_begin[n_runs] = begin; run_end[n_runs] = end
	run_complete[n_runs] = complete
	n = ++n_of[rq]
	for (i = n; i > 1 && run_begin[of[rq, i - 1]] > begin; i--) of[rq, i] = of[rq, i - 1]
	of[rq, i] = n_runs
}
function time_of(text) { return text == "-" || text == "" ? never : text + 0 }

# The least and the greatest of A/B/C
function least(text,    a, n, i, v) {
	n = split(text, a, "/"); v = a[1] + 0
	for (i = 2; i <= n; i++) if (a[i] + 0 < v) v = a[i] + 0
	return v
}
function most(text,    a, n, i, v) {
	n = split(text, a, "/"); v = a[1] + 0
	for (i = 2; i <= n; i++) if (a[i] + 0 > v) v = a[i] + 0
	return v
}

# The hardware's times, with the events that go with them as stamps
file == 2 && /^dev=/ {
	fields()
	rq = f["ctx"] ":" f["seqno"]
	is_there[rq] = 1
	split("queue add submit execute signal retire", names, " ")
	for (i in names) own_at[rq, names[i]] = time_of(f[names[i]])
	done[rq] = time_of(f["end"])
	is_prompt[rq] = f["listened"]
	n = split(f["runs_stamps"], sides, ",")
	for (i = 1; i <= n; i++) {
		split(sides[i], edge, "-")
		split(edge[1], stamp, "/"); run_ends = edge[2] + 0
		h = last_handed(rq, stamp[1])
		add_run(h ? e_engine[h] : f["dev"] "/" f["class"] ":" f["instance"], rq, stamp[1] + 0, run_ends, i == n)
		told_begin[n_runs] = most(edge[1])
		first_begin[n_runs] = least(edge[1])
		first_end[n_runs] = least(edge[2])
		told_end[n_runs] = most(edge[2])
		if (i == n) told_done[rq] = told_end[n_runs]
		if (i == 1) told_start[rq] = told_begin[n_runs]
	}
}

# -- The rows --

# Had the request an engine in a run that came before this run there?
function ran_ahead(rq, run,    i, r) {
	for (i = 1; i <= n_of[rq]; i++) {
		r = of[rq, i]
		if (run_engine[r] == run_engine[run] && run_begin[r] < run_begin[run]) return r
	}
	return 0
}
function began_by(rq, at,    i) { return n_of[rq] && run_begin[of[rq, 1]] <= at }
function last_run(rq) { return n_of[rq] ? of[rq, n_of[rq]] : 0 }
function complete_by(rq, at) { return (rq in done) && done[rq] <= at }

# The run that a row's time is about: of `started` the first; of `preempted` and `resumed` that which is closest
function run_of_row(what, rq, min, max,    i, r, at, told, d, best, least_d) {
	if (!n_of[rq]) return 0
	if (what == "started") return of[rq, 1]
	if (what == "complete") return last_run(rq)
	least_d = never
	for (i = (what == "resumed") + 1; i <= n_of[rq] - (what == "preempted" && run_complete[last_run(rq)]); i++) {
		r = of[rq, i]
		at = what == "resumed" ? run_begin[r] : run_end[r]
		told = what == "resumed" ? told_begin[r] : told_end[r]
		if (told < at) { d = told; told = at; at = d }
		d = max < at ? at - max : min > told ? min - told : 0
		if (d < least_d) { least_d = d; best = r }
	}
	return best
}

function is_dequeue(name) { return name ~ /^i915_request_(execute|unsubmit|in|guc_submit)$/ }

# The first event of the dequeue to which this event belongs. A dequeue takes back, then hands over, then writes ports.
function dequeue_of(e,    i, first, step, last) {
	first = e
	last = place_of[e_name[e]]
	for (i = e - 1; i > 0 && e_at[e] - e_at[i] < 100000; i--) {
		if (e_cpu[i] != e_cpu[e]) continue
		step = place_of[e_name[i]]
		if (e_engine[i] != e_engine[e] || !step || step > last) break
		last = step
		first = i
	}
	return first
}

# Was something of the engine taken back in the dequeue to which this event belongs?
function takes_back(e,    i, eng) {
	eng = e_engine[e]
	for (i = e; i > 0 && e_at[e] - e_at[i] < 200000; i--) {
		if (e_engine[i] != eng) continue
		if (e_name[i] == "i915_request_unsubmit" || (e_name[i] == "i915_request_execute" && again[i])) return 1
		if (e_name[i] == "i915_request_out" && !e_completed[i] && submission == "per_request") return 1
	}
	for (i = e; i <= n_events && e_at[i] - e_at[e] < 200000; i++) {
		if (e_engine[i] != eng) continue
		if (e_name[i] == "i915_request_unsubmit" || (e_name[i] == "i915_request_execute" && again[i])) return 1
	}
	return 0
}

# Why the row is false; "": it is true; "?WHY": it cannot be judged; "~WHY": the sentence holds, and the event shows it, but the
# event is of another request than the sentence speaks of.
function judge(    e, r, p, x, q, h, i, k, begin, told, least_t, worst, why) {
	x = explained; q = cited
	if (!((rule " " what " " side) in can_give)) return "a rule that gives no such bound"
	if (!(x in is_there)) return "?the truth has no such request"
	e = there[seen_at " " event " " cpu " " q]
	if (!e && event ~ /^drm_/) e = there[seen_at " " event " " cpu " -"] # up to Linux 6.16 jobs have addresses, no names
	if (!e) return "no such event happened"
	if (rule == 1) return own_at[x, field_of[what]] != bound || q != x && event !~ /^drm_/ ? "not its own time" : ""

	r = run_of_row(what, x, min, max)
	if (rule >= 30) return judge_job(e, r)
	if (!r) return what == "preempted" || what == "resumed" ? "it never was off its engine" : "it never ran"
	# The bound itself
	if (what == "complete") { begin = least_t = done[x]; told = told_done[x] }
	else if (what == "preempted") { begin = run_end[r]; told = told_end[r]; least_t = first_end[r] }
	else { begin = run_begin[r]; told = told_begin[r]; least_t = first_begin[r] }
	if (told == never) told = begin
	if (begin < least_t) least_t = begin
	if (begin > told) told = begin
	if (side == "lo" && bound > told) return "it was before this bound"
	if (side == "hi" && bound < least_t) return "it was after this bound"

	# Completion, an upper bound
	if ((rule >= 2 && rule <= 9 || rule == 25) && what == "complete" && !complete_by(x, bound)) return "it was incomplete then"
	if (rule == 2) {
		if (event != "dma_fence_signaled" || q != x) return "not its own signal"
		if (!is_prompt[x]) return "nobody listened: the signal was late"
		return ""
	}
	if (rule == 3) {
		if (event != "i915_request_out" || q != x) return "not its own out"
		return e_completed[e] ? "" : "an out of an incomplete request"
	}
	if (rule == 4) {
		if (event != "dma_fence_signaled" || q != x) return "not its own signal"
		return own_at[x, "signal"] > bound ? "not signalled by then" : ""
	}
	if (rule == 5) {
		if (event != "i915_request_retire" || q != x) return "not its own retire"
		return own_at[x, "retire"] > bound ? "not retired by then" : ""
	}
	if (rule == 6) {
		if (!is_later(q, x)) return "not a later request of its context"
		return complete_by(q, seen_at) || began_by(q, seen_at) ? "" : "the later request had not begun by then"
	}
	if (rule == 7) {
		if (q == x) return "its own event"
		if (!(p = behind(q, r))) return "not behind it on the engine"
		return run_begin[p] > seen_at ? "the one behind had not begun by then" : ""
	}
	if (rule == 8) {
		if (q == x) return "its own event"
		if (!(h = last_handed(x, seen_at))) return "it had not been handed over by then"
		if (e_engine[e] != "-" && e_engine[h] != e_engine[e]) return "an event of another engine"
		if (submission != "per_request" && !("i915_request_unsubmit" in absent) &&
			n_back[x] && (k = last_of(back, n_back, x, seen_at)) > h) return "it was taken back"
		if (!takes_back(e)) return "i915_request_unsubmit" in absent ? "?unsubmit is not recorded" : "nothing was taken back then"
		return ""
	}

	if (rule == 9) {
		if (event != "i915_engine_ports") return "not the ports"
		if (index(e_ports[e], " " context_of(x) " ")) return "the ports have its context"
		if (e_engine[e] != run_engine[r]) return "an event of another engine"
		return last_handed(x, seen_at) ? "" : "it had not been handed over by then"
	}

	# Incomplete, a lower bound
	if (rule >= 10 && rule <= 13 && what == "complete" && done[x] < bound) return "it was complete then"
	if (rule == 10) {
		if (seen_at - bound > 1000) return "longer than 1 us before"
		return q == x && event ~ /^i915_request_(execute|unsubmit|guc_submit)$/ ? "" : looked_first(e, x)
	}
	if (rule == 11) return q != x || event != "dma_fence_enable_signal" ? "no listening to it" : seen_at != bound ? "another time" : ""
	if (rule == 12) {
		if (event != "i915_request_out") return "no out"
		if (context_of(q) != context_of(x)) return "an out of another context"
		if (what == "preempted" && run_end[r] > seen_at) return "it had not left by then"
		if (is_later(x, q)) return "an out of an earlier request"
		return was_handed_to(x, e_engine[e], seen_at) ? "" : "it was not on that port"
	}
	if (rule == 13) {
		# The end of one behind it tells its end, too: up to then nothing was heard of it.
		if (q != x && !is_later(q, x) && !behind(q, r)) return "nothing of it"
		if (seen_at - bound > 1000000) return "longer than 1 ms before"
		if (x in listened_at) return listened_at[x] > bound ? "nobody listened yet" : q == x ? "" : "~of a request behind it"
		return "dma_fence_enable_signal" in absent ? "?enable_signal is not recorded" : "nobody listened"
	}
	if (rule == 23) {
		r = last_run(x)
		if (run_begin[r] < bound && told_begin[r] < bound && told_start[x] < bound) return "it had begun before"
		return about_begin(e, q, x, r)
	}

	if (rule == 25) {
		if (q == x) return "its own event"
		if (event !~ /^i915_(request_(execute|unsubmit|in|out)|engine_ports)$/) return "an event that shows nothing of who has the engine"
		if (e_engine[e] != run_engine[r]) return "an event of another engine"
		if (!last_handed(x, seen_at)) return "it had not been handed over by then"
		if (e_at[handed[x, n_handed[x]]] > seen_at) return "it was handed over again after that"
		return run_end[r] > seen_at ? "it had not left by then" : ""
	}

	# Begins and changeovers
	if (rule == 14) {
		if (event != "i915_request_in") return "no in"
		if (e_engine[e] != run_engine[r]) return "an event of another engine"
		if (q != x && !is_later(q, x)) return "a port of something else"
		h = last_handed(x, seen_at)
		if (!h || e_engine[h] != e_engine[e]) return "it had not been handed over by then"
		return ""
	}
	if (rule == 15) {
		if (q != x || event !~ /^i915_request_(execute|guc_submit)$/) return "not its own execute"
		return e_engine[e] != run_engine[r] ? "an event of another engine" : ""
	}
	if (rule == 16) {
		if (q == x) return "its own event"
		# No run of it is before the first: what runs before a later one bounds the first, too, from above.
		for (i = 1; i <= n_of[x]; i++) {
			if (of[x, i] != r && (side == "lo" || run_begin[of[x, i]] < run_begin[r])) continue
			why = freed(e, q, x, of[x, i])
			if (why == "" || substr(why, 1, 1) == "~") return why
			if (!worst) worst = why
		}
		return worst
	}
	if (rule == 17) {
		p = ahead_of(x, r)
		if (q != "-" && q != x && (k = ran_ahead(q, r)) && done[q] <= r_begin(r)) p = q
		if (!p) return "nothing ran ahead of it"
		if (done[p] > r_begin(r)) return "it began while the one ahead was incomplete"
		if (done[p] < bound) return "the one ahead was complete then"
		if (event !~ /^(dma_fence_(signaled|enable_signal)|i915_request_(execute|guc_submit|unsubmit|in|out|retire)|i915_engine_ports)$/)
			return "an event that shows nothing of any end"
		if (q == p) return ""
		if (seen_at - bound == 1000000 && (p in listened_at) && listened_at[p] <= bound) return "~of another request than the one ahead"
		if (is_later(p, q) && done[q] >= bound) return "~of another request than the one ahead"
		return "the event shows nothing of the one ahead"
	}
	if (rule == 18) {
		if (event !~ /^i915_(request_out|engine_ports)$/) return "no report of the hardware"
		return side == "hi" && ran_on(x, e_engine[e]) || e_engine[e] == run_engine[r] ? "" : "an event of another engine"
	}
	if (rule == 19) {
		if (context_of(q) == context_of(x)) return "a port of its own context"
		if (event !~ /^i915_request_(in|execute)$/) return "no writing of ports"
		if (e_engine[e] != run_engine[r]) return "an event of another engine"
		return begin < seen_at ? "the hardware had taken them before" : ""
	}
	if (rule == 20) {
		if (!is_dequeue(event)) return "no dequeue"
		if (e_engine[e] != run_engine[r]) return "an event of another engine"
		if (!n_handed[x] || e_at[h = handed[x, 1]] >= seen_at) return "it had not been handed over before"
		return dequeue_of(e) == dequeue_of(h) ? "the dequeue that handed it over" : ""
	}
	if (rule == 21) {
		if (q != x && !is_sched) return "not its own end"
		if (event !~ /^(dma_fence_signaled|i915_request_(out|retire))$/) return "no end"
		return complete_by(x, bound) ? "" : "it was incomplete then"
	}
	if (rule == 22) {
		if (!("i915_request_in" in absent)) return "the writing of ports is recorded"
		if (!(h = last_handed(x, seen_at))) return "it had not been handed over by then"
		if (e_cpu[h] != cpu) return "an event of another CPU"
		return h == e ? "its own execute" : is_dequeue(event) && e_engine[e] == e_engine[h] ? "an event of the dequeue" : ""
	}
	return "?no judgement of this rule"
}

# When a run began: the latest time that the truth gives it
function r_begin(r) { return told_begin[r] > run_begin[r] ? told_begin[r] : run_begin[r] }

# The request that had the engine before run r of x; a firmware's contexts have an order each of their own. "": none
function ahead_of(x, r,    rq, best, e, i) {
	e = run_engine[r]
	for (i = n_on[e]; i > 1; i--)
		if (on[e, i] == r) break
	for (i--; i > 0; i--) {
		rq = run_rq[on[e, i]]
		if (rq != x && (submission != "guc" || context_of(rq) == context_of(x))) return rq
	}
	return best
}
# Does what the event shows of request q by `at` show that p is complete? Then q is of p's context and later, or behind it.
function shows_complete(q, p, at) {
	if (q == "-") return 1
	if (is_later(q, p)) return complete_by(q, at) || began_by(q, at)
	return submission != "guc" && behind(q, last_run(p)) && (complete_by(q, at) || began_by(q, at))
}

# Did it ever run on that engine? Was it handed over to it by then?
function ran_on(rq, engine,    i) {
	for (i = 1; i <= n_of[rq]; i++)
		if (run_engine[of[rq, i]] == engine) return 1
	return 0
}
function was_handed_to(rq, engine, at,    i) {
	for (i = 1; i <= n_handed[rq] && e_at[handed[rq, i]] <= at; i++)
		if (e_engine[handed[rq, i]] == engine) return 1
	return 0
}

# R16: the event shows that what ran before run r of x is complete.
function freed(e, q, x, r,    p, h) {
	if (!(p = ahead_of(x, r))) return "nothing ran before it"
	# It began no sooner than any of those that ran before it was complete.
	if (side == "lo" && q != p && ran_ahead(q, r) && complete_by(q, seen_at)) return "~of another request that ran before it, not directly"
	if (!complete_by(p, seen_at)) return "what ran before it was incomplete then"
	if (q == p) return ""
	if (shows_complete(q, p, seen_at)) return "~of another request than the one before it"
	if (twin(e, p)) return "another event of that nanosecond shows it, not this one"
	if (side == "hi" && ran_ahead(q, r) && complete_by(q, seen_at)) return "~of another request that ran before it, not directly"
	h = last_handed(x, seen_at)
	if (h && e_cpu[h] == cpu && submission != "guc" && ("i915_request_in" in absent))
		return "the event shows nothing of what ran before it, only that the dequeue was over (R22)"
	return "the event shows nothing of what ran before it"
}
# Another event of the same nanosecond that shows p complete
function twin(e, p,    i) {
	for (i = e; i > 1 && e_at[i - 1] == e_at[e];) i--
	for (; i <= n_events && e_at[i] == e_at[e]; i++)
		if (e_name[i] ~ /^(dma_fence_signaled|i915_request_(out|retire))$/ && e_rq[i] != "-" &&
			(e_rq[i] == p || shows_complete(e_rq[i], p, e_at[e]))) return i
	return 0
}

# Is the event the first of a dequeue that looked at x as it began? Then x stood on a port. It stays there, with an `in` and no
# execute, or something is taken back to yield to what waits behind x (docs/analysis.md, "What a dequeue begins with").
function looked_first(e, x,    i, h, k) {
	if (!place_of[e_name[e]] || dequeue_of(e) != e) return "no look at it"
	if (!(h = last_handed(x, e_at[e])) || h >= e || e_engine[h] != e_engine[e]) return "a dequeue of an engine that does not have it"
	if (n_back[x] && (k = last_of(back, n_back, x, e_at[e])) > h && k < e) return "it was taken back before"
	for (i = e; i <= n_events && e_at[i] - e_at[e] < 100000; i++) {
		if (e_cpu[i] != e_cpu[e]) continue
		if (e_engine[i] != e_engine[e] || !place_of[e_name[i]]) break
		if (e_name[i] == "i915_request_unsubmit" || e_name[i] == "i915_request_in" && e_rq[i] == x) return ""
	}
	return "that dequeue looked at nothing of it"
}

# A run of the request on the engine of run r, after it
function behind(rq, r,    i, p) {
	for (i = 1; i <= n_of[rq]; i++) {
		p = of[rq, i]
		if (run_engine[p] == run_engine[r] && run_begin[p] >= run_end[r]) return p
	}
	return 0
}
# Is the event something of the begin of run r? Of the request itself, of one that ran ahead of it, or of its engine.
function about_begin(e, q, x, r) {
	if (q == x)
		return e_name[e] ~ /^(i915_request_(queue|add|submit|execute|guc_submit|in)|drm_sched_job_run)$/ ? "" : "no begin of it"
	if (is_later(x, q)) return ""
	if (e_engine[e] != "-") return e_engine[e] == run_engine[r] ? "" : "an event of another engine"
	return ran_ahead(q, r) ? "" : "~not of what ran ahead of it"
}

# Jobs of drm_sched: the truth has no fences of rings, so their times alone are held against it.
function judge_job(e, r,    x, p, i) {
	x = explained
	if (rule == 34) return own_at[x, "submit"] != bound ? "not its submit" : event != "dma_fence_signaled" ? "no signal" : ""
	if (rule == 30) {
		if (cited != x || own_at[x, "execute"] != seen_at) return "not its own run"
		return side == "hi" && r && run_begin[r] > bound && told_begin[r] > bound ? "it was after this bound" : ""
	}
	if (rule == 31) {
		if (event != "dma_fence_signaled") return "no signal"
		if (!r) return "?the truth has no runs of its ring"
		if (!(p = ahead_of(x, r))) return "nothing ran before it"
		return complete_by(p, seen_at) && told_done[p] == seen_at ? "" : "not the end of the job before it"
	}
	if (rule == 32) {
		if (event != "dma_fence_signaled") return "no signal"
		return told_done[x] == bound && complete_by(x, bound) ? "" : "not its end"
	}
	if (rule == 33) {
		if (event != "drm_sched_job_done" || cited != x) return "not its own done"
		if (side == "hi") return complete_by(x, bound) ? "" : "it was not over then"
		return bound <= done[x] || bound <= told_done[x] ? "" : "it was over before"
	}
	return "?no judgement of this rule"
}

file == 3 {
	bound = $1; what = $2; side = $4; rule = $5; event = $6; seen_at = $7; cpu = $8; cited = $9; explained = $10
	min = $11 == "null" ? 0 : $11; max = $12 == "null" ? never : $12
	why = judge()
	state = why == "" ? "true" : why ~ /^\?/ ? "open" : why ~ /^~/ ? "other" : "false"
	sub(/^[?~]/, "", why)
	class = rule "\t" state (why == "" ? "" : "\t" what " " (side == "lo" ? "not before" : "not after") ", " event ": " why)
	if (!n_class[class]++)
		example[class] = (name == "" ? "" : name ": ") sprintf("%s %s %s %.0f: R%d, %s of %s at %.0f on CPU %s", explained, what,
			side == "lo" ? "not before" : "not after", bound, rule, event, cited, seen_at, cpu)
	is_bad = is_bad || state == "false"
}
END {
	for (class in n_class) print n_class[class] "\t" class "\t" example[class]
	exit is_bad
}
