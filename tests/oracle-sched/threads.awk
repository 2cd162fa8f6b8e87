# SPDX-License-Identifier: MIT
# Are the context switches of a trace possible? Reads what the oracle prints as perf script does, without losses. Who leaves a
# CPU is who came last; each event is the current thread's; a thread is on one CPU; who slept is woken before it runs; a worker
# never sleeps interruptibly, and in the end, without work, all sleep in TASK_IDLE. Exits 1 with the first line that is not so.
function number(name) {
	match($0, name "=[0-9]+")
	return substr($0, RSTART + length(name) + 1, RLENGTH - length(name) - 1) + 0
}
function fault(what) {
	if (!faults++)
		print what ": " $0
}
{
	match($0, /\/[0-9]+ +\[[0-9]+\]/)
	split(substr($0, RSTART + 1, RLENGTH - 2), head, / +\[/)
	thread = head[1] + 0
	cpu = head[2] + 0
	if (thread != current[cpu] + 0)
		fault("the current thread is " current[cpu] + 0)
}
/ sched:sched_switch: / {
	from = number("prev_pid")
	to = number("next_pid")
	match($0, /prev_state=[^ ]+/)
	state = substr($0, RSTART + 11, RLENGTH - 11)
	if (from != current[cpu] + 0)
		fault("it does not follow the switch before")
	if (to && to in cpu_of)
		fault("it runs on two CPUs")
	if (asleep[to])
		fault("it has not been woken")
	if (state !~ (from ? "^(R|R\\+|S|D|I|P|X|Z)$" : "^R$"))
		fault("no such state")
	delete cpu_of[from]
	cpu_of[to] = cpu
	current[cpu] = to
	asleep[from] = state !~ /^R/
	is_worker = $0 ~ /prev_comm=kworker/
	if (is_worker && state == "S")
		fault("no worker sleeps so")
	if (state == "I" && $0 !~ /prev_comm=(kworker|rcu)/)
		fault("no such thread sleeps so")
	if (is_worker)
		last[from] = state
	count[(is_worker ? "worker" : from ? "thread" : "idle") "." state]++
}
/ sched:sched_waking: / { waking[number(" pid")] = 1 }
/ sched:sched_wakeup: / {
	woken = number(" pid")
	if (!waking[woken])
		fault("nobody wakes it")
	waking[woken] = asleep[woken] = 0
}
END {
	for (worker in last)
		if (last[worker] != "I")
			fault("worker " worker " is not idle in the end, but " last[worker])
	if (!faults)
		for (what in count)
			print what " " count[what]
	exit faults > 0
}
