# SPDX-License-Identifier: MIT
# Adds to a recording of programs' commands the jobs that a kernel would have told of (docs/xe-emulation.md), by the truth of the emulated GPU: the
# truth, then the recording's dump. The output is to be sorted by time. -v ended=1: as since Linux 6.17, where a job ends as its ring has stopped.
FNR == NR && $1 == "queue" { pid[$2] = $4; name[$2] = ($6 == 1 ? "bcs" : "ccs") $2; next }
FNR == NR && ($1 == "exec" || $1 == "done") {
	queue = $3
	what = "name=" name[queue] " dev=0000:03:00.0 driver=xe fence_context=" 2 * queue + 1 " fence_seqno=" $5 " job_count=0 hw_job_count=1 queue_flags=0x3"
	if ($1 == "exec") {
		print $7, 0, pid[queue] "/" $9, "tracepoint drm_sched_job_queue", what
		print sprintf("%.0f", $7 + 1), 0, "1/1 tracepoint drm_sched_job_run", what
		if (!ended) print sprintf("%.0f", $7 + 2), 0, "1/1 tracepoint drm_sched_job_done fence_context=" 2 * queue + 1 " fence_seqno=" $5
	} else if (ended) {
		print $7, 0, "0/0 tracepoint drm_sched_job_done fence_context=" 2 * queue + 1 " fence_seqno=" $5
	}
	next
}
FNR == NR { next }
/^absent drm_sched_job/ { $1 = "recorded" }
{ print }
