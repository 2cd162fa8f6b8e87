# SPDX-License-Identifier: MIT
# Compares what is told of each job with the truth. Input: none; $truth is write_truth()'s, $told is a list of
#   {context, seqno, queue, run, done, runnable, begin, end, running, dependencies}
# where queue, run and done are times, the next four {min, max} of times or durations (null: not known), and
# dependencies a list of "CONTEXT:SEQNO" (null: not told). $tick is the clock's step in what was read.
# Output: `count WHAT N`, and `wrong JOB WHAT ...` for each value that is wrong.
#
# A value known exactly is right when it is the hardware's (`exact`) or that of the event that the convention takes for it
# (`stamp`): a job begins when it is handed over, or when the job before is done; it ends when it is done, or, where an interrupt's thread
# saw to that, when that was woken.

def near($a; $b): $a != null and $b != null and (($a - $b) | fabs) < $tick;
def any_near($value; $stamps): any($stamps[]; near(.; $value));

# judge: what a value is, given the truth and the stamps that may stand for it
def judge($name; $value; $true; $stamps):
	if $value == null or ($value.min == null and $value.max == null) then [$name, "unknown"]
	elif $true == null then [$name, "invented", $value, null]
	elif $value.min == $value.max then
		if near($value.min; $true) then [$name, "exact"]
		elif any_near($value.min; $stamps) then [$name, "stamp"]
		else [$name, "wrong", $value, $true] end
	elif ($value.min // 0) - $tick < $true and ($value.max // 1e18) + $tick > $true then [$name, "bounds"]
	elif any($stamps[]; . != null and ($value.min // 0) - $tick < . and ($value.max // 1e18) + $tick > .) then
		[$name, "bounds_of_stamp"]
	else [$name, "violated", $value, $true] end;

def exactly: if . == null then null else { min: ., max: . } end;
def differences($a; $b): [$a[] as $x | $b[] as $y | select($x != null and $y != null and $y >= $x) | $y - $x];

# A job that never was in the hardware ran for 0 ns, and was over when it was done: bounds that hold these are right.
def or_never($value; $never): . // if $value.min != $value.max then $never else null end;

def job_faults($t):
	([$t.runs[] | .[1] - .[0]] | add) as $running
	| [$t.handed, $t.run, $t.begin_by_events, $t.begin_by_signals, $t.begin_by_waking, $t.begin_by_woken, $t.begin] as $begins
	| [$t.irq_waking, $t.irq_woken, $t.hw_signalled, $t.done, $t.end] as $ends
	| ([$t.queued] + [$t.dependencies[] | .fulfilled, .signal_event, .job_event] + [$t.popped, $t.run]) as $readies
	| (if $t.status == "ok" or $t.status == "reset" then "" else "." + $t.status end) as $kind
	| [ judge("queue"; .queue | exactly; $t.queued; []),
	    judge("run" + $kind; .run | exactly; $t.run; []),
	    judge("done" + $kind; .done | exactly; $t.done // $t.signal_event; [$t.signal_event]),
	    judge("runnable" + $kind; .runnable; $t.runnable; $readies),
	    judge("begin" + $kind; .begin; $t.begin; $begins),
	    judge("end" + $kind; .end; .end as $told | $t.end | or_never($told; $t.done);
		if $t.status == "long" then [] else $ends end),
	    judge("running" + $kind; .running; .running as $told | $running | or_never($told; 0);
		if $t.status == "long" then [] else differences($begins; $ends) end) ][],
	  (select(.dependencies != null) | .dependencies[] as $one
	    | ["dependency", if any($t.dependencies[]; "\(.context):\(.seqno)" == $one or "\(.awaited):\(.seqno)" == $one)
		then "right" else "wrong" end, $one, [$t.dependencies[] | "\(.context):\(.seqno)"]]);

# A context of gpulane's own (from 2^52 on) names nothing: such a job is known by when it was queued.
def name($by_queue): if .context < 4503599627370496 then "\(.context):\(.seqno)" else $by_queue["\(.queue)"] // "own:\(.queue)" end;

(reduce $truth[] as $t ({}; .["\($t.context):\($t.seqno)"] = $t)) as $by_fence
| (reduce $truth[] as $t ({}; .["\($t.queued)"] = "\($t.context):\($t.seqno)")) as $by_queue
| [ ($told[] | . as $job | name($by_queue) as $name
	| $by_fence[$name] as $t
	| if $t == null then [$name, "job", "no_such", .] else ($job | job_faults($t)) | [$name] + . end) ] as $all
| ([ $told[] | name($by_queue) ] | unique) as $names
| (($all | group_by([.[1], .[2]])[] | "count \(.[0][1]).\(.[0][2]) \(length)"),
   "count jobs.told \($told | length)", "count jobs.twice \(($told | length) - ($names | length))",
   "count jobs.not_told \([$by_fence | keys[] | select(. as $k | $names | bsearch($k) < 0)] | length)",
   ($all[] | select(.[2] | . == "wrong" or . == "violated" or . == "invented" or . == "no_such")
	| "wrong \(.[0]) \($by_fence[.[0]].status) \(.[1]) \(.[2]): told \(.[3] | tojson), true \(.[4] | tojson)"))
