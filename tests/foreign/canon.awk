# One line per event, `ns cpu thread event fields`, from what trace-cmd report -t -R, perf script --ns and gpulane dump print:
# what the readers of other tracers' files are compared with. Events that are not in our table are left out, and so are
# fields that only one of them prints.
BEGIN {
	split("i915_request_queue i915_request_add i915_request_submit i915_request_execute i915_request_retire i915_request_in " \
	      "i915_request_out i915_request_wait_begin i915_request_wait_end", list, " ")
	for (i in list)
		fields[list[i]] = "ctx seqno"
	fields["sched_switch"] = "prev_pid next_pid next_prio"
	fields["sched_waking"] = fields["sched_wakeup"] = fields["sched_wakeup_new"] = "pid prio target_cpu"
	fields["sched_migrate_task"] = "pid orig_cpu dest_cpu"
	fields["sched_process_fork"] = "child_pid"
	fields["sched_process_exit"] = "pid prio"
	fields["sched_process_exec"] = "pid old_pid"
	split("dma_fence_init dma_fence_enable_signal dma_fence_signaled dma_fence_wait_start dma_fence_wait_end", list, " ")
	for (i in list)
		fields[list[i]] = "seqno"
	fields["irq_handler_entry"] = "irq"
	fields["softirq_entry"] = fields["softirq_exit"] = fields["softirq_raise"] = "vec"
}

# The number of a field: `name=12`, `name=0012`.
function number(text, name,    at) {
	if (!match(text, "[ ,]" name "=-?[0-9]+"))
		return "-"
	at = RSTART + length(name) + 2
	return substr(text, at, RSTART + RLENGTH - at) + 0
}

function show(ns, cpu, thread, event, text,    n, i, names, line) {
	if (!(event in fields))
		return
	line = ns " " cpu " " thread " " event
	n = split(fields[event], names, " ")
	for (i = 1; i <= n; i++)
		line = line " " number(text, names[i])
	print line
}

# 13320877527060 1 -/8807 tracepoint irq_handler_entry irq=36
$1 ~ /^[0-9]+$/ && $3 ~ /\// && $4 ~ /^(tracepoint|snapshot|-)$/ {
	thread = $3
	sub(/.*\//, "", thread)
	event = $5
	sub(/^irq_softirq/, "softirq", event)
	text = $0
	gsub(/_tid=/, "_pid=", text)
	gsub(/ tid=/, " pid=", text)
	show($1, $2, thread, event, text)
	next
}

# comm-12 [001] 13320.877527060: sched_switch: ..., comm 12/12 [001] 13320.877527060: sched:sched_switch: ...
match($0, / [0-9]+\.?[0-9]+: /) {
	time = substr($0, RSTART + 1, RLENGTH - 3)
	head = substr($0, 1, RSTART)
	text = substr($0, RSTART + RLENGTH)
	sub(/\./, "", time)
	match(head, /\[[0-9]+\]/)
	cpu = substr(head, RSTART + 1, RLENGTH - 2) + 0
	head = substr(head, 1, RSTART - 1)
	match(head, /-?[0-9]+ *$/)
	thread = substr(head, RSTART, RLENGTH) + 0
	if (thread < 0)
		thread = -thread
	match(text, /^ *[a-zA-Z0-9_:]+: /)
	event = substr(text, RSTART, RLENGTH)
	text = " " substr(text, RLENGTH)
	# a:1 [120] S ==> b:2 [120]
	if (match(text, /:[0-9]+ \[[0-9]+\] [A-Za-z+|]+ ==> /)) {
		split(substr(text, RSTART + 1), words, " ")
		text = text " prev_pid=" words[1]
		match(text, /:[0-9]+ \[[0-9]+\] *prev_pid/)
		split(substr(text, RSTART + 1), words, " ")
		gsub(/[][]/, "", words[2])
		text = text " next_pid=" words[1] " next_prio=" words[2]
	}
	gsub(/ /, "", event)
	sub(/:$/, "", event)
	sub(/.*:/, "", event)
	sub(/^0*/, "", time)
	show(time, cpu, thread, event, text)
}
