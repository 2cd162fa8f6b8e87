# SPDX-License-Identifier: MIT
# Holds what `gpulane report --commands` says of one program's commands against the truth of the emulated GPU (tests/xe): the report, then
# the truth.
#
#   fault ...       a command whose times are none, out of order or not the truth's; a run of the GPU's that is no command's
#   commands N ...  totals: runs of the GPU's, commands that the CPU did (small transfers, markers), and the largest difference between a
#                   time and the truth, in ns
function fault(text) {
	if (++faults <= 20)
		print "fault " text
}
function differ(said, is) {
	if (said - is > far) far = said - is
	if (is - said > far) far = is - said
}
BEGIN { FS = "," }
FNR == 1 && NR == 1 {
	for (i = 1; i <= NF; i++) c[$i] = i
	next
}
FNR == NR {
	n++
	pid = $c["pid"]
	type[n] = $c["type"]
	row[n] = $0
	start[n] = $c["start_ns"]; start_min[n] = $c["start_min_ns"]; start_max[n] = $c["start_max_ns"]
	end[n] = $c["end_ns"]; end_min[n] = $c["end_min_ns"]; end_max[n] = $c["end_max_ns"]
	if (start[n] == "" || end[n] == "") fault("no times: " $0)
	if ($c["queued_ns"] > $c["submitted_ns"] || $c["submitted_ns"] > start_max[n] || start[n] > end[n] || end_min[n] > $c["known_ns"])
		fault("times out of order: " $0)
	next
}
FNR == 1 { FS = " "; $0 = $0 }
# What kind of command a run is of: the runtime fills with kernels of its own, and on a GPU without memory of its own copies so, too.
function kind(run, name) {
	if (run == "copy" || name ~ /^CopyBuffer/) return "transfer"
	return name ~ /^FillBuffer/ ? "fill" : "kernel"
}
function kind_of(type) {
	if (type ~ /^(READ|WRITE|COPY)_BUFFER$/) return "transfer"
	return type == "FILL_BUFFER" ? "fill" : type == "NDRANGE_KERNEL" ? "kernel" : "none"
}
($1 == "kernel" || $1 == "copy") && $5 == pid {
	begin[++runs] = $11
	done[runs] = $13
	of[runs] = kind($1, $21)
	ran[runs] = $0
}
# A command begins with a run and ends with one; a transfer or a fill may be several. Every run is some command's.
END {
	for (i = 1; i <= n; i++) {
		first = last = 0
		for (j = 1; j <= runs; j++) {
			if (of[j] != kind_of(type[i]) || begin[j] < start_min[i] || done[j] > end_max[i]) continue
			some[j] = 1
			if (begin[j] <= start_max[i]) first = j
			if (done[j] >= end_min[i]) last = j
		}
		if (first && last) {
			differ(start[i], begin[first])
			differ(end[i], done[last])
		} else {
			without++
			if (kind_of(type[i]) ~ /kernel|fill/) fault("never on the GPU: " row[i])
		}
	}
	for (j = 1; j <= runs; j++)
		if (!some[j]) fault("no command's: " ran[j])
	printf "commands %d runs %d without %d far %d faults %d\n", n, runs, without, far, faults
}
