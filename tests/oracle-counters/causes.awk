# SPDX-License-Identifier: MIT
# usage: awk -v cause=CAUSE -v seed=N [-v losses=1] -f causes.awk
# A recording of a program whose requests are late for one reason, among ordinary load, as text. CAUSE is one of lane_slow_names, or
# `none`: then what could be a reason comes and goes all the same, and changes nothing; one request in 40 is late by itself.
function drawn(most) { return int(rand() * most) }
function gauss() { return rand() + rand() + rand() + rand() + rand() + rand() - 3 }
function say(at, text) { line[++n_lines] = sprintf("%.0f %s", at, text) }
function counter(id, what, trust, per_second, class, pid, name) {
	say(1000 + id, sprintf("- -/- snapshot gpulane_counter client_id=%d per_second=%d id=%d what=%d trust=%d card=0 gt=0 capacity=1 pid=%d class=%d instance=65535 comm=\"%s\" dev=0000:00:02.0 name=%s",
		pid > 0 ? pid : 0, per_second, id, what, trust, pid, class, pid > 0 ? "other" : "", name))
}
function sample(id, from, value) { say(from + 50000, sprintf("- -/- snapshot gpulane_sample value=%.0f total=0 from_ns=%.0f id=%d", value, from, id)) }
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
function event(at, name, more) {
	if (losses && drawn(100) == 0) {
		lost++
		say(at + 20, sprintf("0 -/- - gpulane_lost count=1 begin_ns=%.0f end_ns=%.0f lost_cpu=0", at - 10, at + 10))
		return
	}
	say(at, sprintf("0 900/900 tracepoint %s %s", name, more))
}
BEGIN {
	srand(seed)
	length_ns = 30e9
	ms = 1000000
	# Others come and go, too; which of them matters is `cause`. What holds a clock down lowers it.
	if (cause != "throttled")
		episodes("clock", 1200 * ms, 4000 * ms)
	episodes("other_client", 1200 * ms, 4000 * ms)
	if (cause == "throttled" || drawn(2))
		episodes("throttled", 1200 * ms, 5000 * ms)
	if (cause == "c6" || drawn(2))
		episodes("c6", 250 * ms, 500 * ms)
	if (cause == "suspended" || (cause != "c6" && drawn(2)))
		episodes("suspended", 600 * ms, 800 * ms)
	counter(0, 2, 0, 0, 65535, -1, "rps_act_freq_mhz")
	counter(1, 6, 8, 0, 65535, -1, "throttle_reason_status")
	counter(2, 8, 0, 1000, 65535, -1, "runtime_suspended_time")
	counter(3, 7, 0, 1000000000, 65535, -1, "rc6-residency")
	counter(4, 1, 0, 1000000000, 0, 77, "render")
	counter(5, 1, 0, 1000000000, 0, 900, "render")
	typical = (4 + rand() * 8) * ms
	pause = (10 + rand() * 20) * ms
	factor = 2 + rand() * 2
	for (at = 20 * ms; at < length_ns - 100 * ms; seqno += 2) {
		was_asleep = was_suspended = 0
		for (; is_on("c6", at) || is_on("suspended", at); at += ms) {
			was_suspended += is_on("suspended", at)
			was_asleep += is_on("c6", at)
		}
		took = typical * (1 + 0.15 * gauss())
		if (cause == "low_clock" && (is_on("clock", at) || is_on("throttled", at)) || cause == "throttled" && is_on("throttled", at) ||
			cause == "other_client" && is_on("other_client", at))
			took *= factor
		if (cause == "c6" && was_asleep || cause == "suspended" && was_suspended)
			took += typical * (3 + 2 * rand())
		if (drawn(40) == 0)
			took *= 1.5 + rand()
		fields = sprintf("ctx=7 dev=0 seqno=%d class=0 instance=0", seqno + 2)
		event(at, "i915_request_queue", fields " flags=0x0")
		event(at + 10000, "i915_request_add", fields " tail=0")
		event(at + 15000, "dma_fence_enable_signal", "context=7 seqno=" seqno + 2)
		event(at + 20000, "i915_request_submit", fields " tail=0")
		event(at + 25000, "i915_request_execute", fields " tail=0")
		event(at + 30000 + took, "dma_fence_signaled", "context=7 seqno=" seqno + 2)
		event(at + 40000 + took, "i915_request_retire", fields)
		own[++n_own] = at + 30000 + took
		own_ns[n_own] = own_ns[n_own - 1] + took
		at += 50000 + took + pause * (0.5 + rand())
	}
	for (at = drawn(100 * ms); at < length_ns; at += (98 + 4 * rand()) * ms) {
		is_low = is_on("clock", at) || is_on("throttled", at)
		sample(0, at, is_low ? 350 + drawn(3) * 50 : 1250 + drawn(2) * 50)
		sample(1, at + 100000, is_on("throttled", at) ? 2 : 0)
		sample(2, at + 200000, int(on_for("suspended", at) / ms))
		sample(3, at + 300000, on_for("suspended", at) + on_for("c6", at))
		sample(4, at + 400000, int(on_for("other_client", at) * 0.8))
		while (n_seen < n_own && own[n_seen + 1] < at)
			n_seen++
		sample(5, at + 500000, own_ns[n_seen])
	}
	print "gpulane-events 1\ninfo submission guc"
	n = split("i915_request_queue i915_request_add i915_request_submit i915_request_execute i915_request_retire dma_fence_enable_signal dma_fence_signaled", name, " ")
	for (i = 1; i <= n; i++)
		print "recorded", name[i]
	for (i = 1; i <= n_lines; i++)
		print line[i] | "sort -sn"
}
