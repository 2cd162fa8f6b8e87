# SPDX-License-Identifier: MIT
# Parts of the time for which jobs of drm_sched were in their driver's queue, of the truth of tests/oracle-sched alone. Input: $truth, its lines;
# $acts: what actors.jq found, raw; $kernel.
# Output, a line each: `hand_over PID BY LO HI`: a thread of the kernel that was to hand its jobs over could run, and BY had its CPU;
# `head_of_queue PID BY LO HI`: the first job of its queue waited for one of BY; `vague`: two devices have a ring of one name, and the events of
# this kernel do not name devices (docs/analysis.md, What cannot be known); `room PID NS`: so much less of its time in host_queue is proven.
# Before Linux 6.17 no event tells whether a job waited for another one of its ring until that was handed over, or until its end (R34). Where that
# end was seen in between, the one is as possible as the other.
def overlap($a; $b): [$a[1], $b[1]] | min - ([$a[0], $b[0]] | max) | if . > 0 then . else 0 end;
(if $kernel != "6.17" and ([$truth[] | [.dev, .ring]] | unique | map(.[1]) | length != (unique | length)) then "vague" else empty end),
([$truth[] | select(.run != null and .runnable != null)] as $jobs
| ([$truth[] | {key: "\(.context):\(.seqno)", value: .pid}] | from_entries) as $owner
| ([$truth[] | {key: "\(.context):\(.seqno)", value: (.signal_event // 9e15)}] | from_entries) as $over
| def doubt: . as $job | if $kernel == "6.17" then 0 else
	[.dependencies[] | select(.by == "scheduled" and .fulfilled and .fulfilled > $job.queued) | $over["\(.context):\(.seqno)"] // 9e15
	| select(. < $job.run and . > $job.runnable) - $job.runnable] | max // 0 end;
  [$jobs | group_by(.context)[] | sort_by(.seqno)
	# Each job, from when it is the first of its queue until it may go. The last of its dependencies was open all that time.
	| [foreach .[] as $job ({ran: 0}; .from = ([.ran, $job.queued] | max) | .from as $from
		| ([$job.dependencies[] | select(.by != "own" and .fulfilled)] | max_by(.fulfilled)) as $last
		| .span = {$from, to: $job.runnable, by: (if $last and ($job | doubt) == 0 then $owner["\($last.context):\($last.seqno)"] else null end)}
		| .ran = $job.run; .span)] as $heads
	| . as $queue | range(1; length) as $i | $queue[$i] as $job | range($i) as $k | $heads[$k]
	| overlap([.from, .to]; [$job.runnable, $job.run]) as $ns | select($ns > 0) | {pid: $job.pid, by, $ns}] as $pieces
| ($jobs | group_by(.pid)[] | "room \(.[0].pid) \(map(doubt) | add)"),
  ($acts | split("\n")[] | select(startswith("provable ")) | split(" ") | "hand_over \(.[1]) \(.[2]) \(.[3]) \(.[4])"),
  ($pieces | group_by(.pid)[] | (map(select(.by == null).ns) | add // 0) as $open | group_by(.by)[] | select(.[0].by)
	| (map(.ns) | add) as $ns | "head_of_queue \(.[0].pid) \(.[0].by) \($ns) \($ns + $open)"))
