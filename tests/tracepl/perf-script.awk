# A trace in gpulane's text format (docs/text-format.md) as `perf script --ns` prints it, with the formats of i915's and
# dma_fence's tracepoints. Events that have no tracepoint are left out.
function field(name,    i) {
	for (i = 6; i <= NF; i++)
		if (index($i, name "=") == 1)
			return substr($i, length(name) + 2)
	return ""
}
function request() {
	return sprintf("dev=%s, engine=%s:%s, ctx=%s, seqno=%s", field("dev"), field("class"), field("instance"), field("ctx"),
		field("seqno"))
}
function line(group, text,    id) {
	split($3, id, "/")
	printf "%16s %7d [%03d] %d.%09d: %s:%s: %s\n", "task", id[2], $2, int($1 / 1000000000), $1 % 1000000000, group, $5, text
}
$1 !~ /^[0-9]+$/ || NF < 5 || $4 != "tracepoint" { next }
$5 == "i915_request_queue" || $5 == "i915_request_wait_begin" { line("i915", request() ", flags=" field("flags")); next }
$5 == "i915_request_in" { line("i915", request() ", prio=" field("prio") ", port=" field("port")); next }
$5 == "i915_request_out" { line("i915", request() ", completed?=" field("completed")); next }
$5 ~ /^i915_request_/ { line("i915", request() ", tail=" field("tail")); next }
$5 == "dma_fence_signaled" { line("dma_fence", "driver=i915 timeline=gl context=" field("context") " seqno=" field("seqno")); next }
$5 ~ /^sched_/ { line("sched", "") }
