# How much of what msm's clock can tell of starts `gpulane report --requests` (CSV) tells. Reads the recording's dump first.
# The driver reads the clock between drm_sched_job_run and msm_gpu_submit_flush, two events of one thread (a6xx_submit() of a6xx_gpu.c):
# so a job's start is known as well as these are near, and by what the CPU's clock may drift until the job's start
# (600 ns a millisecond, docs/driver-events.md) and two ticks of 52 ns, on either side. Jobs whose end is not known are left out,
# and those without a start whose end was signalled in a worker's time: the interrupt came while a kworker had that CPU, and a worker may be at
# a reset, so that the end is not exact (R33), and R36 asks for one.
# Prints the jobs whose start is told no better than that, then `clock: N of M jobs, W ended in a worker`.
function field(name,    at) {
	at = match($0, " " name "=[0-9]+")
	return at ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : ""
}
FNR == NR && $5 == "drm_sched_job_run" { run[$3] = $1; of[$3] = field("fence_context") ":" field("fence_seqno") }
FNR == NR && $5 == "dma_fence_init" && / driver=msm / && ($3 in of) { fence_of[field("context") ":" field("seqno")] = of[$3] }
FNR == NR && / (comm|name)=kworker\// { worker[field("tid")] = 1 }
FNR == NR && / next_comm=kworker\// { worker[field("next_tid")] = 1 }
FNR == NR && $5 == "dma_fence_signaled" {
	split($3, thread, "/")
	if (thread[1] in worker)
		by_worker[fence_of[field("context") ":" field("seqno")]] = 1
}
FNR == NR && $5 == "msm_gpu_submit_flush" {
	job = field("ringid") ":" field("seqno")
	wide[job] = $1 - run[$3]
	name[job] = of[$3]
	read_at[job] = field("ticks")
}
FNR == NR && $5 == "msm_gpu_submit_retired" {
	job = field("ringid") ":" field("seqno")
	if (job in wide)
		limit[name[job]] = wide[job] + 2 * ((field("start_ticks") - read_at[job]) * 52.0833 * 0.0006 + 105)
}
FNR == NR { next }
FNR == 1 {
	FS = ","
	$0 = $0
	for (i = 1; i <= NF; i++)
		told[$i] = i
	next
}
{
	job = $told["context"] ":" $told["seqno"]
	if (!(job in limit))
		next
	low = $told["start_min_ns"]; high = $told["start_max_ns"]
	if ($told["end_max_ns"] == "")
		next
	if (low == "" && (job in by_worker)) {
		left_out++
		next
	}
	n++
	if (low != "" && high != "" && high - low <= limit[job])
		good++
	else
		printf "job %s: start %s..%s, the clock tells it within %d ns\n", job, low, high, limit[job]
}
END { printf "clock: %d of %d jobs, %d ended in a worker\n", good, n, left_out }
