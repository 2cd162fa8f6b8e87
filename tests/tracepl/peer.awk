# What trace.pl computes of `perf script` text: its formulas (docs/trace-pl.md), in the order of events in which it applies
# them; a request's record begins at add, and an incomplete out deletes it. A line per engine:
#   engine requests submit_delay execute_delay duration context_save total union wait duration_of_the_trace
function value(name,    at, rest) {
	at = index($0, name "=")
	rest = substr($0, at + length(name) + 1)
	sub(/[, ].*/, "", rest)
	return rest
}
function forget(key) {
	delete queue[key]
	delete submit[key]
	delete start[key]
}
{
	match($0, /[0-9]+\.[0-9]+:/)
	split(substr($0, RSTART, RLENGTH - 1), t, ".")
	# from the first event on, so that nanoseconds fit a number
	if (!lines++)
		base = t[1]
	now = (t[1] - base) * 1000000000 + t[2]
	if (lines == 1)
		first = now
	last = now
	match($0, /: [a-z0-9_]+:[a-z0-9_]+:/)
	name = substr($0, RSTART + 2, RLENGTH - 3)
	key = value("ctx") "/" value("seqno")
	ring = value("engine")
}
name == "i915:i915_request_add" { queue[key] = now }
name == "i915:i915_request_submit" && key in queue { submit[key] = now }
name == "i915:i915_request_in" && key in submit && !(key in start) { start[key] = now }
name == "dma_fence:dma_fence_signaled" { notify[value("context") "/" value("seqno")] = now }
name == "i915:i915_request_wait_begin" { waits[key] = now }
name == "i915:i915_request_wait_end" && key in waits { wait[ring] += now - waits[key]; delete waits[key] }
name == "i915:i915_request_out" && key in start {
	if (value("completed?") == 1 && key in notify) {
		n[ring]++
		submit_delay[ring] += submit[key] - queue[key]
		execute_delay[ring] += start[key] - submit[key]
		duration[ring] += notify[key] - start[key]
		context_save[ring] += now > notify[key] ? now - notify[key] : 0
		total[ring] += now - start[key]
		# requests leave an engine in the order of their outs: what is not covered yet is new
		from = start[key] > covered[ring] ? start[key] : covered[ring]
		if (now > from)
			union[ring] += now - from
		covered[ring] = now
	}
	forget(key)
}
END {
	for (ring in n)
		printf "%s %d %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f\n", ring, n[ring], submit_delay[ring], execute_delay[ring],
			duration[ring], context_save[ring], total[ring], union[ring], wait[ring], last - first
}
