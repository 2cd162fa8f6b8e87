# SPDX-License-Identifier: MIT
# Holds what `gpulane report --commands` says of programs' commands against the truth of the emulated GPU (tests/xe): the report, then
# the truth.
#
#   fault ...       a command whose times are none or out of order; other kernels than ran
#   commands N ...  totals: runs of the GPU's, commands that the CPU did (small transfers, markers), the largest difference between a
#                   time and the truth, in ns, and how many commands and runs do not lie in each other's bounds
#
# -v unknown=1: commands may have no times, and are counted instead; their runs are in no bounds. -v inside=N: so many kernels belong to
# graphs, which are a command each.
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
	pid[n] = $c["pid"]
	pids[$c["pid"]]
	type[n] = $c["type"]
	start[n] = $c["start_ns"]; start_min[n] = $c["start_min_ns"]; start_max[n] = $c["start_max_ns"]
	end[n] = $c["end_ns"]; end_min[n] = $c["end_min_ns"]; end_max[n] = $c["end_max_ns"]
	if (start[n] == "" && end[n] == "" && unknown) {
		nothing++
		kernels += type[n--] ~ /^(NDRANGE|LAUNCH)_KERNEL$/
		next
	}
	if (start[n] == "" || end[n] == "") fault("no times: " $0)
	if ($c["queued_ns"] > $c["submitted_ns"] || $c["submitted_ns"] > start_max[n] || start[n] > end[n] || end_min[n] > $c["known_ns"])
		fault("times out of order: " $0)
	next
}
FNR == 1 { FS = " "; $0 = $0 }
# What kind of command a run is of: the runtime fills with kernels of its own, and on a GPU without memory of its own copies so, too.
function kind(run, name) {
	if (run == "copy" || name ~ /^CopyBuffer/) return "transfer"
	if (name ~ /^QueryKernelTimestamps/) return "none"
	return name ~ /^FillBuffer/ ? "fill" : "kernel"
}
function kind_of(type) {
	if (type ~ /^((READ|WRITE|COPY)_BUFFER|MEMORY_COPY)$/) return "transfer"
	if (type ~ /^(FILL_BUFFER|MEMORY_FILL)$/) return "fill"
	return type ~ /^((NDRANGE|LAUNCH)_KERNEL|GRAPH)$/ ? "kernel" : "none"
}
($1 == "kernel" || $1 == "copy") && $5 in pids && kind($1, $21) != "none" {
	# by process and kind, in the order of their begins
	list = $5 " " kind($1, $21)
	for (j = ++m[list]; j > 1 && begin[list, j - 1] > $11; j--) {
		begin[list, j] = begin[list, j - 1]
		done[list, j] = done[list, j - 1]
	}
	begin[list, j] = $11
	done[list, j] = $13
	runs++
}
# The first run of a list that does not begin before a time.
function find(list, time, low, high, middle) {
	low = 1
	high = m[list] + 1
	while (low < high) {
		middle = int((low + high) / 2)
		if (begin[list, middle] < time) low = middle + 1
		else high = middle
	}
	return low
}
# A command begins with a run and ends with one; a transfer or a fill may be several. Every run is some command's.
END {
	for (i = 1; i <= n; i++) {
		first = last = 0
		list = pid[i] " " kind_of(type[i])
		kernels += type[i] ~ /^(NDRANGE|LAUNCH)_KERNEL$/
		for (j = find(list, start_min[i]); j <= m[list] && begin[list, j] <= end_max[i]; j++) {
			if (done[list, j] > end_max[i]) continue
			some[list, j] = 1
			if (begin[list, j] <= start_max[i]) first = j
			if (done[list, j] >= end_min[i]) last = j
		}
		if (first && last) {
			differ(start[i], begin[list, first])
			differ(end[i], done[list, last])
		} else {
			without++
			outside += kind_of(type[i]) ~ /kernel|fill/
		}
	}
	for (list in m) {
		if (list ~ /kernel/) kernel_runs += m[list]
		for (j = 1; j <= m[list]; j++)
			alone += !some[list, j]
	}
	if (kernels != kernel_runs - inside) fault(kernel_runs " kernels ran")
	if (alone > nothing) outside += alone - nothing
	printf "commands %d kernels %d runs %d without %d unknown %d far %d outside %d faults %d\n", n + nothing, kernels, runs, without, nothing,
		far, outside, faults
}
