# What gl-flip knows of its frames (first file) against a dump of the same run (second): a line for each event that is missing or
# says something else. -v sends=1: the driver sends the event itself. The last line is figures.
function field(name, i, pair) {
	for (i = 6; i <= NF; i++) {
		split($i, pair, "=")
		if (pair[1] == name)
			return pair[2]
	}
	return ""
}
FNR == NR {
	if (FNR == 1)
		next
	n++
	asked[n] = $2; job[n] = $3; seq[n] = $4; shown[n] = $5; late[n] = $6
	next
}
$5 == "drm_vblank_event" {
	s = field("seq")
	time[s] = field("time")
	first = first ? first : s
	refreshes++
	if (time[s] - time[first] != (s - first) * 16666666)
		print "refresh " s ": not on the grid of 60 Hz"
	if ($1 < time[s])
		print "refresh " s ": told before it began"
}
# A commit that does not block is a frame's; one that is refused is none.
$5 == "gpulane_flip" && field("blocks") == 0 { flips++; flip[flips] = $1; commit[flips] = field("commit") }
$5 == "gpulane_flip_failed" { flips--; refused++; if (field("error") != -16) print "refused by another error than EBUSY: " field("error") }
$5 == "gpulane_flip_fence" { fence[field("context") ":" field("seqno")] = field("commit") }
$5 == "dma_fence_signaled" { signalled[field("context") ":" field("seqno")] = $1 }
$5 == (sends ? "gpulane_flip_shown" : "gpulane_flip_armed") && flips { if (!told[flips]) { told[flips] = $1; at_best[flips] = field("seq") } }
$5 == "gpulane_flip_armed" { armed++ }
$5 == "gpulane_flip_shown" { sent++ }
END {
	if (flips != n)
		print flips " flips, not " n
	for (i = 1; i <= n; i++) {
		who = "frame " (i - 1) ": "
		if (flip[i] < asked[i] || flip[i] > asked[i] + 1e9)
			print who "asked for at " asked[i] ", not at " flip[i]
		if (job[i] in fence) {
			fences++
			if (fence[job[i]] != commit[i])
				print who "its fence is of another commit"
		} else if (!(job[i] in signalled) || signalled[job[i]] > told[i])
			print who "no fence " job[i]
		if (!(seq[i] in time) || time[seq[i]] - shown[i] < 0 || time[seq[i]] - shown[i] >= 1000)
			print who "not shown by refresh " seq[i] " at " time[seq[i]]
		# A refresh may come between the kernel's finding its number and the recorder's reading its clock.
		if (!told[i] || (sends ? told[i] < time[seq[i]] : told[i] - time[seq[i]] > 16666666))
			print who (sends ? "sent" : "armed") " at " told[i] ", shown at " time[seq[i]]
		if (!sends && !(at_best[i] > 0 && at_best[i] <= seq[i]))
			print who "armed for refresh " at_best[i] ", shown by " seq[i]
		missed = i == 1 ? 0 : int((shown[i] - shown[i - 1]) / 16666666 + 0.5) - 1
		by_plan += late[i] != "none"
		not_by_plan += late[i] == "none" && missed > 0
	}
	printf "%d frames, %d late by plan, %d late besides; %d refreshes, %d fences, %d armed, %d sent, %d refused\n",
		n, by_plan, not_by_plan, refreshes, fences, armed, sent, refused
}
