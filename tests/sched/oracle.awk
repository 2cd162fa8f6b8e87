# What `gpulane report` must say of the threads of a trace without a GPU, from the definitions alone (as perf sched
# timehist has them): a thread runs from the switch to it to the switch from it; it waits from being woken, or from
# being switched from while it could run, to the switch to it; it is blocked from the switch from it to its wake-up.
# What no event tells is unknown. One lost event may be a wake-up; two may hide anything, but that a thread runs where nothing was
# lost of its CPU. Reads `gpulane dump`, which is
# to be named twice: the first time for the losses.
#
#   -v what=threads   a line for each thread: tid begin end running woken preempted blocked unknown wakeups sum max
#   -v what=behind    a line for each pair: tid, who ran while it waited for that CPU, ns

function get(name) {
	if (!match($0, " " name "=-?[0-9]+"))
		return -1
	return substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) + 0
}

# Events that were lost between two times; a loss that is not counted is of many. cpu: of this CPU alone; "": of any.
function lost_in(from, to, cpu,    i, sum) {
	for (i = 1; i <= losses; i++)
		if (lost_begin[i] < to && lost_end[i] > from && (cpu == "" || lost_cpu[i] < 0 || lost_cpu[i] == cpu))
			sum += lost[i] ? lost[i] : 1000
	return sum + 0
}

# A thread is named for the first time, or again after its end.
function meet(tid) {
	if (tid <= 0 || tid in state)
		return
	state[tid] = "unknown"
	since[tid] = begin[tid] = now
	wakeups[tid] = wake[tid] = longest[tid] = 0
	split("running woken preempted blocked unknown", names, " ")
	for (i in names)
		sum[tid, names[i]] = 0
}

# It does something else from now on.
function becomes(tid, next_state, counted) {
	counted = state[tid]
	if ((counted == "blocked" && no_wakeups) || (lost_in(since[tid], now, "") > (counted != "blocked") &&
		(counted != "running" || lost_in(since[tid], now, runs_on[tid]))))
		counted = "unknown"
	sum[tid, counted] += now - since[tid]
	if (counted == "woken" && next_state == "running") {
		wakeups[tid]++
		wake[tid] += now - since[tid]
		if (now - since[tid] > longest[tid])
			longest[tid] = now - since[tid]
	}
	state[tid] = next_state
	since[tid] = now
}

function waits_for(tid, cpu) {
	if (cpu < 0 || tid in queue)
		return
	queue[tid] = cpu
	queued[tid] = now
}

function had(tid, who) {
	if (now > queued[tid])
		behind[tid, who] += now - queued[tid]
	queued[tid] = now
}

function leaves_queue(tid) {
	if (!(tid in queue))
		return
	had(tid, queue[tid] in current ? current[queue[tid]] : -1)
	delete queue[tid]
}

function ends(tid) {
	if (what == "threads" && now > begin[tid])
		printf "%d %.0f %.0f %.0f %.0f %.0f %.0f %.0f %d %.0f %.0f\n", tid, begin[tid], now, sum[tid, "running"],
			sum[tid, "woken"], sum[tid, "preempted"], sum[tid, "blocked"], sum[tid, "unknown"], wakeups[tid],
			wake[tid], longest[tid]
	delete state[tid]
}

NR == FNR && /^absent sched_waking$/ { absent++ }
NR == FNR && /^absent sched_wakeup$/ { absent++ }
$1 !~ /^[0-9]+$/ { next }
NR == FNR {
	if ($5 == "gpulane_lost") {
		lost[++losses] = get("count")
		lost_begin[losses] = get("begin_ns")
		lost_end[losses] = get("end_ns")
		lost_cpu[losses] = get("lost_cpu")
	}
	next
}
{ now = $1 + 0; cpu = $2 + 0; no_wakeups = absent == 2 }
$5 == "sched_switch" {
	prev = get("prev_tid"); nxt = get("next_tid"); leaving = get("prev_state")
	for (tid in queue)
		if (queue[tid] == cpu)
			had(tid, prev)
	current[cpu] = nxt
	meet(prev)
	if (prev > 0) {
		if (state[prev] != "running") {
			leaves_queue(prev)
			state[prev] = "unknown"
		}
		becomes(prev, leaving == 0 ? "preempted" : "blocked")
		if (leaving == 16 || leaving == 32)
			ends(prev)
		else if (leaving == 0)
			waits_for(prev, cpu)
	}
	meet(nxt)
	if (nxt > 0) {
		leaves_queue(nxt)
		if (state[nxt] != "woken" && state[nxt] != "preempted")
			state[nxt] = "unknown"
		becomes(nxt, "running")
		runs_on[nxt] = cpu
	}
}
$5 == "sched_waking" || $5 == "sched_wakeup" || $5 == "sched_wakeup_new" {
	tid = get("tid")
	meet(tid)
	if (tid > 0 && state[tid] != "running" && state[tid] != "woken" && state[tid] != "preempted") {
		becomes(tid, "woken")
		waits_for(tid, get("target_cpu"))
	}
}
$5 == "sched_migrate_task" {
	tid = get("tid")
	meet(tid)
	if (tid in queue) {
		leaves_queue(tid)
		waits_for(tid, get("dest_cpu"))
	}
}
$5 == "sched_process_fork" { meet(get("child_tid")) }
$5 == "sched_process_exec" || $5 == "sched_process_exit" || $5 == "lttng_statedump_process_state" { meet(get("tid")) }
END {
	for (tid in queue)
		had(tid, queue[tid] in current ? current[queue[tid]] : -1)
	for (tid in state) {
		becomes(tid, state[tid])
		ends(tid)
	}
	if (what == "behind")
		for (pair in behind) {
			split(pair, of, SUBSEP)
			printf "%d %d %.0f\n", of[1], of[2], behind[pair]
		}
}
