# One line per event of drm_sched, `kind context seqno [ctx seqno]`, from what `trace-cmd report -R` prints, with the names
# of Linux 6.17. Before, events name a job by its ring and number and by the address of its fence: the driver's truth
# (tests/kmod/gl-sched), read first, says which job that is. An address is that of the job queued last under it.
function field(name,    rest)
{
	if (!match($0, "[ ,]" name "=(0x)?[0-9a-zA-Z_]+"))
		return ""
	rest = substr($0, RSTART, RLENGTH)
	sub(/.*=/, "", rest)
	return rest
}

FNR == NR {
	if (FNR == 1)
		for (i = 1; i <= NF; i++)
			column[$i] = i
	else
		job[$column["ring"] " " $column["id"]] = $column["ctx"] " " $column["seqno"]
	next
}

{
	if (!match($0, /drm_(sched_job|run_job|sched_process_job)[a-z_]*:/))
		next
	kind = substr($0, RSTART, RLENGTH - 1)
	if (kind ~ /^drm_sched_job_(queue|run|done)$/)
		print kind, field("fence_context"), field("fence_seqno")
	else if (kind ~ /^drm_sched_job_(add_dep|unschedulable)$/)
		print kind, field("fence_context"), field("fence_seqno"), field("ctx"), field("seqno")
	else if (kind == "drm_sched_job") {
		at[field("fence")] = job[field("name") " " field("id")]
		print "drm_sched_job_queue", at[field("fence")]
	} else if (kind == "drm_run_job")
		print "drm_sched_job_run", job[field("name") " " field("id")]
	else if (kind == "drm_sched_process_job")
		print "drm_sched_job_done", at[field("fence")]
	else if (kind == "drm_sched_job_wait_dep")
		print "drm_sched_job_add_dep", job[field("name") " " field("id")], field("ctx"), field("seqno")
}
