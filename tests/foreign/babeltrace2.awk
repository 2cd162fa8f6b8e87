# SPDX-License-Identifier: MIT
# The scheduler's events of a trace, a line each, from `babeltrace2 --clock-cycles` and from `gpulane dump`: the time, the CPU, the
# event, who leaves and who comes, or who is woken.

function get(name, text) {
	if (!match($0, "[ {](" name ")[ ]*=[ ]*-?[0-9]+"))
		return "-"
	text = substr($0, RSTART, RLENGTH)
	sub(/.*=[ ]*/, "", text)
	return text + 0
}

/^\[/ {
	time = substr($0, 2, index($0, "]") - 2) + 0
	if (!match($0, /sched_(switch|waking|wakeup|wakeup_new|migrate_task):/))
		next
	name = substr($0, RSTART, RLENGTH - 1)
	printf "%.0f %s %s %s %s %s\n", time, get("cpu_id|perf_cpu"), name, get("prev_tid|prev_pid"), get("next_tid|next_pid"),
		get("comm = \"[^\"]*\", tid|comm = \"[^\"]*\", pid")
}

$5 ~ /^sched_(switch|waking|wakeup|wakeup_new|migrate_task)$/ {
	printf "%.0f %s %s %s %s %s\n", $1, $2, $5, get("prev_tid"), get("next_tid"), $5 == "sched_switch" ? "-" : get("tid")
}
