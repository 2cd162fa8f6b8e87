# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What tests/oracle/run and tests/oracle/compare share, sourced; B is the build directory.

# The oracle; the sanitizer's remark on fibers says nothing about it.
oracle() {
	if [[ $B == *-asan ]]; then
		"$B/tests/oracle/gpulane-oracle" "$@" 2> >(grep -v 'makecontext/swapcontext' >&2)
	else
		"$B/tests/oracle/gpulane-oracle" "$@"
	fi
}

# checker [-v show=N] [-v strict=1] TRUTH REPORT
checker() {
	awk -f tests/oracle/check.awk "$@"
}

# pretend HOW TRUTH - the truth as a report: `exact` by the hardware, `seen` by the last stamp of each moment,
# `bounds` around it; `late`, `violated`, `invented`, `missed`, `culprit` are wrong in one way each.
pretend() {
	awk -v how="$1" '
	function key(line, name,    part) {
		for (part = 1; part <= NF; part++)
			if (index($part, name "=") == 1)
				return substr($part, length(name) + 2)
		return ""
	}
	function stamp(text,    n, all) {
		n = split(text, all, "/")
		return how == "seen" ? all[n] : all[1]
	}
	function point(name, value) {
		return sprintf("\"%s_ns\":%s,", name, value == "-" ? "null" : value)
	}
	function range(name, value,    low, high) {
		low = high = value
		if (how == "bounds") { low = value > 1000 ? value - 1000 : 0; high = value + 1000 }
		if (how == "violated") { low = value + 90000000000; high = value + 90000000001 }
		return sprintf("\"%s_ns\":{\"min\":%.0f,\"max\":%.0f},", name, low, high)
	}
	FNR == 1 { pass++ }
	pass == 1 && /^at=/ {
		at = stamp(key($0, "stamps"))
		culprit = key($0, "culprit")
		why = key($0, "why")
		if (how == "culprit") { culprit = "99:99"; why = why == "priority" ? "timeslice" : "priority" }
		victim = key($0, "victim")
		low = how == "bounds" ? at - 1000 : at
		high = how == "bounds" ? at + 1000 : at
		if (how != "missed")
			list[victim] = list[victim] (list[victim] == "" ? "" : ",") \
				sprintf("{\"at_ns\":{\"min\":%.0f,\"max\":%.0f},\"culprit\":%s,\"why\":\"%s\"}", low, high,
					culprit == "-" ? "null" : "\"" culprit "\"", why)
	}
	pass == 2 && /^dev=/ {
		n = split(key($0, "runs_stamps"), runs, ",")
		running = preempted = 0
		for (i = 1; i <= n; i++) {
			split(runs[i], side, "-")
			b = stamp(side[1]); e = stamp(side[2])
			if (i == 1) first = b
			else if (b > before) preempted += b - before
			if (e > b) running += e - b
			before = e
		}
		if (how == "late") { before += 90000000000; running += 90000000000 }
		id = key($0, "ctx") ":" key($0, "seqno")
		if (how == "invented") list[id] = "{\"at_ns\":{\"min\":1,\"max\":2},\"culprit\":null,\"why\":\"unknown\"}"
		printf "{\"device\":0,\"context\":%s,\"seqno\":%s,", key($0, "ctx"), key($0, "seqno")
		printf "%s%s%s%s", point("queue", key($0, "queue")), point("add", key($0, "add")),
			point("submit", key($0, "submit")), point("execute", key($0, "execute"))
		printf "%s%s%s%s", range("start", first), range("end", before), range("running", running),
			range("preempted", preempted)
		printf "%s%s\"preemptions\":[%s]}\n", point("signal", key($0, "signal")),
			point("retire", key($0, "retire")), list[id]
	}' "$2" "$2"
}
