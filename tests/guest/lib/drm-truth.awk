# Holds a recording's events of drm_sched, as gpulane dump prints them, against the driver's truth (tests/kmod/gl-sched), which
# is read first: each job is there with its process, ring, device and driver, and each event lies where the driver says. Prints what is wrong.
function value(name,    rest)
{
	if (!match($0, " " name "=[^ ]*"))
		return ""
	rest = substr($0, RSTART, RLENGTH)
	sub(/.*=/, "", rest)
	return rest
}

function wrong(what) { print what ": " $0; faults++ }

FNR == NR {
	if (FNR == 1) {
		for (i = 1; i <= NF; i++)
			column[$i] = i
		next
	}
	key = $column["ctx"] " " $column["seqno"]
	for (name in column)
		truth[key, name] = $column[name]
	jobs[key]
	next
}

$1 == "recorded" || $1 == "absent" || $5 !~ /^drm_sched_job_/ { next }

{
	key = value("fence_context") " " value("fence_seqno")
	if (!(key in jobs)) {
		wrong("no such job")
		next
	}
	split($3, who, "/")
	sub(/.*_/, "", $5)
	seen[key, $5]++
	at[key, $5] = $1
}

$5 == "queue" || $5 == "run" {
	if (value("name") != truth[key, "ring"])
		wrong("ring")
	if (value("dev") != "gl-sched" || value("driver") != driver)
		wrong("device and driver")
	if (value("client_id") != truth[key, "client"])
		wrong("client")
}

$5 == "queue" {
	if (who[1] != truth[key, "pid"] || who[2] != truth[key, "tid"])
		wrong("process and thread")
	if ($1 < truth[key, "queued"])
		wrong("before it was queued")
}

# The event comes just before the driver is given the job
$5 == "run" && (truth[key, "handed"] == 0 || $1 > truth[key, "handed"]) {
	# one that ended with an error before is never given to the driver
	if (truth[key, "status"] == "complete")
		wrong("after the ring had it")
}

$5 == "done" && truth[key, "status"] == "complete" && $1 < truth[key, "ended"] { wrong("before it ended") }

END {
	for (key in jobs) {
		n++
		if (seen[key, "queue"] != 1)
			print "job " key ": queued " seen[key, "queue"] + 0 " times"
		if (truth[key, "status"] != "complete")
			continue
		if (seen[key, "run"] != 1 || seen[key, "done"] != 1)
			print "job " key ": run " seen[key, "run"] + 0 ", done " seen[key, "done"] + 0 " times"
		if (at[key, "run"] < at[key, "queue"] || at[key, "done"] < at[key, "run"])
			print "job " key ": out of order"
	}
	if (!n)
		print "no jobs"
}
