# A trace of a scheduler that is drawn: -v seed=N -v events=N -v cpus=N -v threads=N. Threads are woken, run, are
# preempted, moved, fork and end; their numbers are used again.

function draw(below) { return int(rand() * below) }

function told(cpu, text) {
	printf "%.0f %d %d/%d tracepoint %s\n", now, cpu, running[cpu] ? 100 + running[cpu] % 7 : 0, running[cpu] + 0, text
}

function first_of(cpu, i) {
	for (i = 1; i <= threads; i++)
		if (is[i] == "waits" && at[i] == cpu && !draw(2))
			return i
	return 0
}

BEGIN {
	srand(seed)
	now = 1000000
	print "gpulane-events 1"
	print "info release 6.1.0"
	for (i = 1; i <= threads; i++)
		is[i] = i <= threads / 2 ? "sleeps" : "none"
	for (n = 0; n < events; n++) {
		now += draw(4) ? draw(5000) : draw(3) ? 0 : draw(3000000)
		cpu = draw(cpus)
		thread = 1 + draw(threads)
		dice = draw(20)
		if (dice < 7) {
			if (is[thread] != "sleeps")
				continue
			target = draw(cpus)
			told(cpu, sprintf("sched_waking tid=%d prio=120 target_cpu=%d comm=t%d", thread, target, thread % 9))
			if (draw(3)) {
				now += draw(2000)
				told(target, sprintf("sched_wakeup tid=%d prio=120 target_cpu=%d comm=t%d", thread, target, thread % 9))
			}
			is[thread] = "waits"
			at[thread] = target
		} else if (dice < 17) {
			before = running[cpu] + 0
			after = first_of(cpu)
			if (!before && !after)
				continue
			state = 0
			if (before) {
				state = !draw(12) ? 16 : draw(3) ? 1 + draw(2) : 0
				if (state == 16)
					told(cpu, sprintf("sched_process_exit tid=%d prio=120 comm=t%d", before, before % 9))
			}
			told(cpu, sprintf("sched_switch prev_state=%d prev_tid=%d prev_prio=120 next_tid=%d next_prio=120 prev_comm=t%d next_comm=t%d",
				state, before, after, before % 9, after % 9))
			if (before)
				is[before] = state == 16 ? "none" : state ? "sleeps" : "waits"
			at[before] = cpu
			running[cpu] = after
			if (after)
				is[after] = "runs"
		} else if (dice < 19) {
			if (is[thread] != "waits")
				continue
			target = draw(cpus)
			told(cpu, sprintf("sched_migrate_task tid=%d prio=120 orig_cpu=%d dest_cpu=%d comm=t%d", thread, at[thread], target, thread % 9))
			at[thread] = target
		} else if (running[cpu] && is[thread] == "none") {
			told(cpu, sprintf("sched_process_fork parent_tid=%d parent_pid=%d child_tid=%d child_pid=%d parent_comm=t1 child_comm=t%d",
				running[cpu], 100 + running[cpu] % 7, thread, 100 + thread % 7, thread % 9))
			told(cpu, sprintf("sched_wakeup_new tid=%d prio=120 target_cpu=%d comm=t%d", thread, cpu, thread % 9))
			is[thread] = "waits"
			at[thread] = cpu
		}
	}
}
