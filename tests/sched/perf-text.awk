# perf script's lines of the scheduler (comm, tid, [cpu], time in s with nanoseconds, event, fields) as gpulane's text.
function field(name,  at) {
	at = index($0, " " name "=")
	if (!at)
		return ""
	return substr($0, at + length(name) + 2)
}
function number(name) { return field(name) + 0 }
BEGIN { print "gpulane-events 1" }
match($0, /\[[0-9]+\] +[0-9]+\.[0-9]+: +sched:[a-z_]+:/) {
	split(substr($0, RSTART, RLENGTH), head, " ")
	cpu = substr(head[1], 2) + 0
	time = head[2]
	gsub(/[.:]/, "", time)
	sub(/^0+/, "", time)
	split(substr($0, 1, RSTART - 1), who, " ")
	tid = who[length(who)] + 0
	kind = head[3]
	gsub(/sched:|:$/, "", kind)
	if (kind == "sched_switch") {
		state = substr(field("prev_state"), 1, 1)
		at = index("SDTtXZPI", state)
		printf "%s %d %d/%d tracepoint sched_switch prev_state=%d prev_tid=%d next_tid=%d\n", time, cpu, tid, tid,
			at ? 2 ^ (at - 1) : 0, number("prev_pid"), number("next_pid")
	} else if (kind ~ /^sched_(waking|wakeup|wakeup_new)$/)
		printf "%s %d %d/%d tracepoint %s tid=%d target_cpu=%d\n", time, cpu, tid, tid, kind, number("pid"), number("target_cpu")
	else if (kind == "sched_migrate_task")
		printf "%s %d %d/%d tracepoint %s tid=%d orig_cpu=%d dest_cpu=%d\n", time, cpu, tid, tid, kind, number("pid"), number("orig_cpu"), number("dest_cpu")
}
