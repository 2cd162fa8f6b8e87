# Holds what `gpulane report --requests` (CSV) says of each job of drm_sched against the driver's truth (tests/kmod/gl-sched), which is read
# first. Prints what is wrong, and last `known N of M`: of the complete jobs' starts and ends those known exactly.
#
# An event comes a moment before or after what it tells of, so a time is right anywhere between the two: a job starts when the
# driver gives it to the ring, or when the one before it ends; its events are the run before and that one's end after.
BEGIN { FS = " "; SLACK = 1000 }

FNR == NR {
	if (FNR == 1) {
		for (i = 1; i <= NF; i++)
			column[$i] = i
		next
	}
	key = $column["ctx"] " " $column["seqno"]
	for (name in column)
		truth[key, name] = $column[name]
	order[++jobs] = key
	next
}

FNR == 1 {
	FS = ","
	$0 = $0
	for (i = 1; i <= NF; i++)
		told[$i] = i
	previous()
	next
}

# previous() - when the end of the job that ran before it on its ring was told of, for each job
function previous(    i, j, a, b)
{
	for (i = 1; i <= jobs; i++) {
		a = order[i]
		for (j = 1; j <= jobs; j++) {
			b = order[j]
			if (truth[b, "ring"] == truth[a, "ring"] && truth[b, "ended"] > 0 && truth[b, "ended"] <= truth[a, "restarted"] &&
			    truth[b, "done"] > before[a])
				before[a] = truth[b, "done"]
		}
	}
}

function max(a, b) { return a > b ? a : b }

# within WHAT LOW HIGH FROM TO - what is told, and where it is right
function within(what, low, high, from, to)
{
	if (low == "" && high == "")
		return
	if (high != "" && high + 0 < from - SLACK || low != "" && low + 0 > to + SLACK)
		printf "job %s (%s, %s): %s told %s..%s, true %s..%s\n", key, truth[key, "comm"], truth[key, "status"], what, low, high, from, to
}

{
	key = $told["context"] " " $told["seqno"]
	if (!((key, "ring") in truth))
		next
	seen[key]
	start_low = $told["start_min_ns"]; start_high = $told["start_max_ns"]
	end_low = $told["end_min_ns"]; end_high = $told["end_max_ns"]
	add = $told["add_ns"]; submit = $told["submit_ns"]; execute = $told["execute_ns"]
	within("queued", add, add, truth[key, "queued"], truth[key, "handed"] > 0 ? truth[key, "handed"] : truth[key, "done"])
	if (truth[key, "handed"] > 0) {
		within("runnable", submit, submit, truth[key, "runnable"], truth[key, "handed"])
		within("given to the ring", execute, execute, truth[key, "queued"], truth[key, "handed"])
	}
	if (truth[key, "started"] > 0)
		within("start", start_low, start_high, execute, max(truth[key, "restarted"], before[key]))
	if (truth[key, "status"] != "complete")
		next
	within("end", end_low, end_high, truth[key, "ended"], truth[key, "done"])
	n += 2
	known += (start_low != "" && start_low == start_high) + (end_low != "" && end_low == end_high)
}

END {
	for (i = 1; i <= jobs; i++)
		if (!(order[i] in seen))
			print "job " order[i] ": not told of"
	printf "known %d of %d\n", known, n
}
