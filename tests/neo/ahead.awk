# SPDX-License-Identifier: MIT
# Holds who was ahead, as `report --commands` says it, against the truth of the emulated GPU (tests/xe): the report, then the truth. Each
# process has one queue that runs in order, so its n-th command is its n-th run. -v killed=PID: that one was killed; its last commands have no times.
#
#   fault ...      other commands than ran; a part of a wait whose bounds leave the truth out by more than the GPU's clock can tell
#   commands N ...  of the parts: how many have bounds that are less than the whole wait, and whose most is within a tenth and 25 us of the
#                   least; of the commands that waited for 1 ms while others ran: of how many that is told
function fault(text) {
	if (++faults <= 20)
		print "fault " text
}
BEGIN { FS = ","; split("behind_queue behind_others", names, " ") }
NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
# $5 of the truth and `pid` of the report; commands of a process come in the order of their starts
FNR == NR { n[$c["pid"]]++; said[$c["pid"], n[$c["pid"]]] = $0; next }
FNR == 1 { FS = " "; $0 = $0 }
$1 == "kernel" && $5 in n {
	all++
	pid[all] = $5; begin[all] = $11; end[all] = $13
	place[all] = ++ran[$5]
}
# How long runs of the same process (own), or of others, had begun and not ended between two times: the union
function covered(run, own, from, to,   i, list, m, sum, j, a, b) {
	m = 0
	for (i = 1; i <= all; i++) {
		if (i == run || (pid[i] == pid[run]) != own || begin[i] >= to || end[i] <= from) continue
		for (j = ++m; j > 1 && begin[list[j - 1]] > begin[i]; j--) list[j] = list[j - 1]
		list[j] = i
	}
	sum = 0
	if (m > most_runs) most_runs = m
	for (j = 1; j <= m; j++) {
		a = begin[list[j]] > from ? begin[list[j]] : from
		b = end[list[j]] < to ? end[list[j]] : to
		if (b > a) { sum += b - a; from = b }
	}
	return sum
}
END {
	for (p in n) if (n[p] != ran[p] && p != killed) fault("process " p ": " n[p] " commands, " ran[p] " runs")
	for (i = 1; i <= all && !faults; i++) {
		split(said[pid[i], place[i]], a, ",")
		if (a[c["waited_min_ns"]] == "") continue
		commands++
		for (k = 1; k <= 2; k++) {
			least = a[c[names[k] "_min_ns"]]; most = a[c[names[k] "_max_ns"]]
			most_runs = 1
			longest = covered(i, k == 1, a[c["call_ns"]], begin[i])
			shortest = covered(i, k == 1, a[c["return_ns"]], begin[i])
			# it is a sum of the times between n + 1 times, and each is at most two ticks of 52 ns from the truth
			tick = 104 * (most_runs + 1)
			if (least > longest + tick || most < shortest - tick)
				fault(names[k] " of " pid[i] "'s command " place[i] ": " least ".." most ", was " shortest ".." longest)
			parts++
			told += most < a[c["waited_min_ns"]] || least > 0
			narrow += most - least < 25000 + a[c["waited_max_ns"]] / 10
			if (k == 2 && shortest > 1000000) {
				others++
				named += least > 0
			}
		}
	}
	printf "commands %d parts %d told %d narrow %d others %d named %d faults %d\n", commands, parts, told, narrow, others, named, faults
}
