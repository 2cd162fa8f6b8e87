# SPDX-License-Identifier: MIT
# Checks the truth of an emulated GPU (tests/xe) against itself, and prints its totals.
#
#   fault ...      something that cannot be: a run before it was appended, or before the queue's last one ended, or while another queue
#                  had the engine; a run that was on the engine for another time than `ns` (where that is given)
function fault(text) {
	if (++faults <= 20)
		print "fault " text ": " $0
}
function segment(queue, from, to) {
	print engine[queue], from, to, queue | "sort -k1n -k2n >" segments
	on[queue] += to - from
}
BEGIN { segments = segments ? segments : "/dev/null" }
{ kinds[$1]++ }
$1 == "queue" { engine[$2] = $6 }
$1 == "preempted" { left[$3] = left[$3] " " $5 }
$1 == "resumed" { back[$3] = back[$3] " " $5 }
$1 == "kernel" || $1 == "copy" {
	queue = $3
	split($9, appended, "[.][.]")
	if (appended[1] > appended[2] || appended[2] > $11) fault("begins before it was appended")
	if ($11 < ended[queue] || $13 < $11) fault("begins before the last one ended")
	ended[queue] = $13
	n = split(left[queue], a, " ")
	if (split(back[queue], b, " ") != n || n != $17) fault("preempted and never resumed")
	on[queue] = 0
	from = $11
	for (i = 1; i <= n; i++) {
		segment(queue, from, a[i])
		from = b[i]
	}
	segment(queue, from, $13)
	if ($13 - $11 - $15 != on[queue]) fault("its time off the engine")
	if (ns && $1 == "kernel" && on[queue] != ns) fault("on the engine for " on[queue] " ns")
	left[queue] = back[queue] = ""
}
END {
	close("sort -k1n -k2n >" segments)
	while ((getline line <segments) > 0) {
		split(line, s, " ")
		if (s[1] == last_engine && s[2] < last_to) print "fault two at once: " line
		if (s[1] == last_engine && s[4] != last_queue) changes++
		last_engine = s[1]; last_to = s[3]; last_queue = s[4]
	}
	printf "kernels %d copies %d execs %d done %d preempted %d changes %d banned %d skipped %d faults %d\n", kinds["kernel"], kinds["copy"],
		kinds["exec"], kinds["done"], kinds["preempted"], changes, kinds["banned"], kinds["skipped"], faults
}
