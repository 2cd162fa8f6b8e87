# SPDX-License-Identifier: MIT
# Holds which burst carried each command, as `report --commands` says it, against the truth of the emulated GPU: the truth, then the report.
#
#   fault ...      an exact burst that is not that of a run within the command's bounds; bursts among which it is not
#   commands N ...  how many kernels and transfers have a burst for sure, and how many of all
function fault(text) {
	if (++faults <= 20)
		print "fault " text
}
FNR == NR && $1 == "done" { over[$3, ++n_over[$3]] = $7; next }
FNR == NR && $1 == "exec" { began[$3, ++n_began[$3]] = $7; next }
FNR == NR && ($1 == "kernel" || $1 == "copy") { n++; queue[n] = $3; pid[n] = $5; begin[n] = $11; end[n] = $13; kernel[n] = $1 == "kernel"; next }
FNR == NR { next }
# The job of a queue that had the GPU then: they run one after the other.
function job(queue, from,   i) {
	for (i = 1; i < n_began[queue] && (queue, i) in over && over[queue, i] <= from; i++) ;
	return i
}
FNR == 1 { FS = ","; $0 = $0; for (i = 1; i <= NF; i++) c[$i] = i; next }
{
	key = $c["pid"] "," $c["queue"] "," $c["command"]
	kind = $c["type"] ~ /KERNEL/ ? "kernels" : "others"
	if (key != last) { # one of several bursts has a row for each
		commands++
		all[kind]++
		certain[kind] += $c["certainty"] == "exact"
	}
	last = key
	if ($c["certainty"] == "none" || $c["start_ns"] == "") next
	named[key] = named[key] " " ($c["context"] - 1) / 2 ":" $c["seqno"]
	if ($c["certainty"] == "exact") exact[key]
	line[key] = $0
}
END {
	for (key in named) {
		split(line[key], a, ",")
		right = runs = 0
		for (i = 1; i <= n; i++) {
			if (pid[i] != a[c["pid"]] || begin[i] < a[c["start_min_ns"]] || begin[i] > a[c["start_max_ns"]]) continue
			runs++
			right += index(named[key] " ", " " queue[i] ":" job(queue[i], begin[i]) " ") > 0
		}
		if (runs && !right && (key in exact || 1)) fault(key " was told to be in" named[key] (key in exact ? "" : " or others"))
		compared += runs > 0
	}
	printf "commands %d compared %d kernels %d of %d others %d of %d faults %d\n", commands, compared, certain["kernels"], all["kernels"], certain["others"], all["others"], faults
}
