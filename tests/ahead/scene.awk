# SPDX-License-Identifier: MIT
# Makes a recording of commands, and its truth, from what design.md says of a command alone: processes enqueue kernels in queues that run
# in order on a GPU of one or two engines. Each process has a device clock of its own.
#
#   awk -v seed=N -v damage=none|one|killed|lost -v truth=FILE -f scene.awk    writes the text of the recording
#
# one: the last process is not recorded. killed: it is killed in the midst. lost: events are lost, and that is said.
# A line of the truth: pid, number, waited, then how long while it waited other commands of its queue ran, of its process's other queues
# and of none of its own, of other processes, and nothing: of what is told to be complete, and then of what the recording knows or has lost.
function random(n) { # 0 .. n - 1
	state = (state * 16807) % 2147483647
	return int(state / 2147483647 * n)
}
function later(a, b) { return a > b ? a : b }
function clock(p, t) { return int(t + offset[p] + t * ppm[p] / 1e6) }
function say(p, t, text) {
	if (damage == "one" && p == last || damage == "killed" && p == last && t > killed) return 0
	if (damage == "lost" && t > lost_from && t < lost_to && random(3) == 0) return 0
	printf "%d %d %d/%d - %s\n", t, p, 100 * p, 100 * p, text | sorter
	return 1
}
function enqueue(p, t,   q, c, came, back) {
	q = 10 * p + 1 + random(queues[p])
	c = ++n
	pid[c] = p; queue[c] = q; number[c] = ++numbers[p]
	returned[c] = t + 800 + random(4000)
	handed[c] = t + 1 + random(returned[c] - t)
	start[c] = later(later(handed[c], free[q % engines] + 200 * random(4)), ended[q]) + 500 + random(3000)
	end[c] = start[c] + (random(4) ? 20000 + random(80000) : 400000 + random(3000000))
	free[q % engines] = ended[q] = end[c]
	known[c] = end[c] + 1000 + random(20000)
	came = say(p, t, (api[p] ? "opencl_call_entry function=zeCommandListAppendLaunchKernel" : "opencl_call_entry function=clEnqueueNDRangeKernel") \
		" queue=" q " object=" 1 + random(3) " size=64 flags=0")
	back = say(p, returned[c], (api[p] ? "opencl_call_exit function=zeCommandListAppendLaunchKernel" : "opencl_call_exit function=clEnqueueNDRangeKernel") \
		" queue=" q " command=" number[c] " status=0 object=0")
	told[c] = say(p, known[c], sprintf("opencl_command command=%d queue=%d queued_ns=%d submitted_ns=%d start_ns=%d end_ns=%d type=%s status=0", number[c], q,
		api[p] ? 0 : clock(p, t), api[p] ? 0 : clock(p, handed[c]), clock(p, start[c]), clock(p, end[c]), api[p] ? "LAUNCH_KERNEL" : "0x11f0"))
	seen[c] = came || back || damage == "lost"
	return returned[c]
}
# The length of the union of runs within [from, to]: of those whose class is in classes, less that of those in `less`.
function ran(c, classes, all,   m, i, j, k, cuts, n_cuts, sum, x, list, a, b, on, off) {
	m = n_cuts = 0
	for (i = 1; i <= n; i++) {
		if (i == c || start[i] >= start[c] || end[i] <= handed[c] || !(told[i] || all && seen[i])) continue
		k = queue[i] == queue[c] ? "q" : pid[i] == pid[c] ? "p" : "o"
		list[++m] = i; x[m] = k
		cuts[++n_cuts] = later(start[i], handed[c])
		cuts[++n_cuts] = end[i] < start[c] ? end[i] : start[c]
	}
	cuts[++n_cuts] = start[c]
	for (i = 2; i <= n_cuts; i++)
		for (j = i; j > 1 && cuts[j - 1] > cuts[j]; j--) { a = cuts[j]; cuts[j] = cuts[j - 1]; cuts[j - 1] = a }
	sum = 0
	for (i = 1; i < n_cuts; i++) {
		on = off = 0
		for (j = 1; j <= m; j++)
			if (start[list[j]] <= cuts[i] && end[list[j]] >= cuts[i + 1]) {
				on += index(classes, x[j]) > 0
				off += classes == "p" && x[j] == "q"
			}
		if (on && !off) sum += cuts[i + 1] - cuts[i]
	}
	return sum
}
BEGIN {
	state = seed * 7919 % 2147483646 + 1
	for (i = 0; i < 10; i++) random(2)
	sorter = "sort -s -n -k1,1"
	last = 1 + random(3)
	if (damage == "one" || damage == "killed") last = 2 + random(2)
	engines = 1 + random(2)
	print "gpulane-events 1\ninfo release 6.12.0\nrecorded opencl_command"
	if (damage == "lost") {
		lost_from = 3000000 + random(10000000); lost_to = lost_from + 2000000 + random(3000000)
		printf "%d 0 -/- - gpulane_lost count=9 begin_ns=%d end_ns=%d lost_cpu=0\n", lost_to, lost_from, lost_to | sorter
	}
	killed = 4000000 + random(20000000)
	fflush()
	for (p = 1; p <= last; p++) {
		offset[p] = random(2) ? random(2000000000) : 0
		ppm[p] = random(3) ? 0 : random(40) - 20
		queues[p] = 1 + random(3)
		api[p] = random(2)
		for (i = 1; i <= queues[p]; i++)
			say(p, 1000 + i, "opencl_queue queue=" 10 * p + i " device=0xd0 known=1 name=GPU comm=p" p)
		for (i = 1; i <= 3; i++)
			say(p, 1100 + i, "opencl_kernel kernel=" i " name=k" i)
		at[p] = 100000 + random(500000)
	}
	for (step = 0; step < 40 * last; step++) {
		p = 1
		for (i = 2; i <= last; i++) if (at[i] < at[p]) p = i
		if (random(8)) {
			at[p] = enqueue(p, at[p]) + random(random(5) ? 10000 : 600000)
			continue
		}
		q = 10 * p + 1 + random(queues[p])
		done = later(at[p], ended[q]) + 2000 + random(30000)
		say(p, at[p], "opencl_call_entry function=clFinish queue=" q)
		say(p, done, "opencl_call_exit function=clFinish queue=" q " status=0")
		at[p] = done + 1000 + random(200000)
	}
	close(sorter)
	for (c = 1; c <= n; c++) {
		if (!told[c]) continue
		line = 100 * pid[c] " " number[c] " " start[c] - handed[c]
		for (all = 0; all < 2; all++) {
			together = ran(c, "qpo", all)
			line = line " " ran(c, "q", all) " " ran(c, "p", all) " " ran(c, "o", all) " " start[c] - handed[c] - together
		}
		print line > truth
	}
}
