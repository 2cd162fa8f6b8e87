# SPDX-License-Identifier: MIT
# Of which job is each event? Compares what `gpulane dump` says with the truth. First file: the truth, a line a job (of
# truth_lines in lib.sh), second file: the dump. Prints `count WHAT N` and `wrong ...`.
# A job is named by its fence, or by a number of gpulane's own, which must be the same in all its events and in no other's.
# Where the clock's step is so long that several jobs have such an event at one time, none of them is judged.
function value(name,    i) {
	for (i = 4; i <= NF; i++)
		if (index($i, name "=") == 1)
			return substr($i, length(name) + 2)
	return ""
}
function judge(kind, what) {
	count[kind "." what]++
	if (what == "wrong" || what == "no_such")
		print "wrong " kind " " what ": " $0 ", true " (job in fence ? fence[job] : "none")
}
# A context from 2^52 on is a number of gpulane's own.
function is_own(name) { return substr(name, 1, index(name, ":") - 1) + 0 >= 4503599627370496 }
function check_name(kind) {
	name = value("fence_context") ":" value("fence_seqno")
	seqno = value("fence_seqno")
	if (!is_own(name))
		judge(kind, name == fence[job] ? "fence" : "wrong")
	else if ((job in name_of && name_of[job] != name) || (name in job_of && job_of[name] != job))
		judge(kind, "wrong")
	else
		judge(kind, "own")
	name_of[job] = name
	job_of[name] = job
}
BEGIN { short["drm_sched_job_queue"] = "queue"; short["drm_sched_job_run"] = "run"; short["drm_sched_job_done"] = "done" }
function note(kind, time) {
	if (time != "null" && ((kind, time) in at)) {
		several[kind, time]
		n_several++
	}
	at[kind, time] = $1
}
NR == FNR {
	fence[$1] = $2
	note("queue", $3)
	note("run", $4)
	note("done", $5)
	by_fence[$2] = $1
	depends[$1] = " "
	for (i = 6; i <= NF; i++)
		depends[$1] = depends[$1] $i " "
	events += ($3 != "null") + ($4 != "null") + ($5 != "null")
	next
}
$5 in short {
	kind = short[$5]
	if (!((kind, $1) in at)) {
		job = ""
		judge(kind, "no_such")
		next
	}
	told++
	if ((kind, $1) in several)
		next
	job = at[kind, $1]
	check_name(kind)
}
$5 == "drm_sched_job_add_dep" || $5 == "drm_sched_job_unschedulable" {
	name = value("fence_context") ":" value("fence_seqno")
	seqno = value("fence_seqno")
	if (name == "0:0") { # of one of several jobs of one number
		judge("dependency", "vague")
		next
	}
	if (is_own(name) && n_several && !(name in job_of))
		next
	job = is_own(name) ? job_of[name] : by_fence[name]
	on = value("ctx") ":" value("seqno")
	judge("dependency", index(depends[job], " " on " ") ? "right" : "wrong")
}
END {
	for (what in count)
		print "count names." what " " count[what]
	print "count names.events " events
	print "count names.not_told " events - told
}
