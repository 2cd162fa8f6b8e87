# SPDX-License-Identifier: MIT
# A job as `gpulane report --requests --format json` tells it, in the words of check.jq. $truth is write_truth()'s: a job
# whose context is a number of gpulane's own is known by when it was queued or handed over.
def at($ns): if $ns == null then null else { min: $ns, max: $ns } end;

{ context, seqno, queue: .add_ns, run: .execute_ns, done: .signal_ns, runnable: at(.submit_ns), begin: .start_ns, end: .end_ns,
  running: .running_ns, dependencies: (if .waited_for then [.waited_for] else null end) }
| if .context < 4503599627370496 then . else
	. as $job
	| first(($truth[] | select(.queued == $job.queue and (.run == $job.run or $job.run == null))),
		($truth[] | select((.run != null and .run == $job.run) or .queued == $job.queue)), null) as $true
	| if $true then .context = $true.context | .seqno = $true.seqno else . end
  end
