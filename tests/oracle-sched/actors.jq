# SPDX-License-Identifier: MIT
# Who had the CPU of the thread that handed jobs over, against the truth. $truth is write_truth()'s, $seen what waits() of lib.sh
# makes of the events, $told the list `cpu_preemptions` of `report`; $mode is the oracle's.
# Output: `count actors.right N` (rows), `count actors.said_us N`, `count actors.provable_us N` and `wrong ...`, a line each; then for each
# process and who had that CPU `provable PID CULPRIT LEAST MOST` (ns).
#
# At most: what the thread of a job's run waited for a CPU since the job and all of its entity before it were free to run and its
# ring was full last. At least: what of it lies behind the last time for which the events do not show that the ring had a place
# and that an earlier job was free; of the task that had most of it. A ring has a place while it holds fewer jobs than it once did
# before, or was given none yet; one of credits when the last event of its jobs is that one is done. What the events do not tell:
# on which CPU a thread waited that then runs on another one; until when a job waited for the finished fence of a job in whose
# place the scheduler takes the scheduled one, or for one of its own entity; which of several rings of one name it is.
def overlap($a; $b): [$a[1], $b[1]] | min - ([$a[0], $b[0]] | max) | if . > 0 then . else 0 end;
def ring: if .serial then "\(.dev) \(.ring)" else "\(.dev) \(.ring) \(.context)" end; # two tiles' queues may have one name
def sum_by(f): reduce .[] as $one ({}; .[$one | f] += $one.ns);
# Of one job: what each had, and the one who had most of it
def longest(f): group_by(f) | map({key: (.[0] | f), ns: (map(.ns) | add)}) | max_by(.ns);

($seen | map(select(.run)) | map({key: "\(.run)", value: .count}) | from_entries) as $counts
| ($seen | map(select(.run)) | map({key: "\(.run)", value: .tid}) | from_entries) as $thread_of
| ($seen | map(select(.from)) | group_by(.tid) | map({key: "\(.[0].tid)", value: .}) | from_entries) as $waits
| [$truth[] | select(.run != null)] as $run
| ([$truth[] | {name: .ring, ring: ring}] | unique | group_by(.name) | map({key: .[0].name, value: length}) | from_entries) as $n_named
| ($run | group_by(ring) | map({key: (.[0] | ring), value: .}) | from_entries) as $of_ring
# Times in which the ring had no place for the next one. Its count goes down just before the event that a job is done. In a reset
# it changes without an event: then nobody knows.
| ($of_ring | map_values(if .[0].serial and $mode != "serial" and $mode != "depth" then []
	else sort_by(.popped)
	| reduce .[] as $job ([]; . + [$job + {weight: (if $job.serial then 1
		else ($counts["\($job.run)"] // 0) - ([.[] | select(.done == null or .done > $job.run) | .weight] | add // 0) end)}])
	| . as $jobs
	| if any(.[]; .weight < 1) then [] else
		([range(length) | . as $i | $jobs[$i] | {at: .popped, by: .weight, next: ($jobs[$i + 1].weight // 0)},
			{at: ([.popped, (.done // 9e15) - 1000] | max), by: -.weight}] | sort_by(.at)) as $steps
		| [foreach range($steps | length) as $i ({load: 0, next: 0}; $steps[$i] as $s
			| .load += $s.by | .next = ($s.next // .next) | .span = [$s.at, $steps[$i + 1].at // 9e15]
			; select(.load + .next > $jobs[0].depth and .next > 0) | .span)]
	end end)) as $full
# Times for which the events do not show that it had one.
| ($of_ring | map_values(.[0].serial as $serial
	| ([.[] | {at: .run, by: 1}, (select(.done != null) | {at: .done, by: -1})] | sort_by(.at)) as $steps
	| [foreach range($steps | length) as $i ({held: 0, most: 0}; $steps[$i] as $s
		| .held += $s.by | .most = ([.most, .held] | max) | .left = ($s.by < 0) | .span = [$s.at, $steps[$i + 1].at // 9e15]
		; if $serial then select(.held >= .most).span
			elif .left then [.span[0], .span[0]] else .span end)])) as $no_room
| ($run | map({key: "\(.context):\(.seqno)", value: .signal_event}) | from_entries) as $signalled
| def is_clear: .queued as $queued | all(.dependencies[]; .by == "finished" or (.by == "scheduled" and .context == .awaited) or
	(.by == "own" and ($signalled["\(.context):\(.seqno)"] // 9e15) < $queued));
  [$run | group_by(.context)[] | sort_by(.seqno)
	| foreach .[] as $job ([0, 0];
		[([.[0], $job.runnable] | max), ([.[1], if $job | is_clear then $job.runnable else $job.run end] | max)];
		$job + {free: .[0], clear: .[1]})
	| .run as $at | .popped as $popped
	| .latest = ([.free, ($full[ring][] | select(.[0] < $popped) | [.[1], $popped] | min)] | max)
	| .sure = ([.clear, ($no_room[ring][] | select(.[1] <= $at) | .[1])] | max)] as $jobs
| [$jobs[] | . as $job | $thread_of["\(.run)"] as $tid
	| [$waits["\($tid)"][]? | [([.from, $job.free] | max), ([.to, $job.run] | min)] as $piece | select($piece[0] < $piece[1])
		| {client: $job.pid, tid: $tid, culprit: .culprit, job: "\($job.context):\($job.seqno)",
			most: overlap($piece; [$job.latest, $job.run]),
			least: (if .moved or $n_named[$job.ring] > 1 then 0 else overlap($piece; [$job.sure, $job.run]) end)}]] as $pieces
| def row: "\(.client) \(.tid) \(.culprit)";
  ($pieces | map(map(.ns = .most)[]) | sum_by(row)) as $most
| ($pieces | map(select(length > 0) | map(.ns = .most) | {client: .[0].client, ns: longest(.culprit).ns}) | sum_by("\(.client)")) as $most_of_client
| ($pieces | map(map({job, row: row})[]) | unique | group_by(.row) | map({key: .[0].row, value: length}) | from_entries) as $n_jobs
| ($pieces | map(map(.ns = .least) | select(length > 0) | longest(row) | {key, ns}) | sum_by(.key)) as $least
| [$told[0][] | select(.acts == "hand_over")
	| {client: (.client | capture("\\[(?<n>[0-9]+)\\]$").n | tonumber), tid, culprit: .culprit_tid, slices, ns: .runnable_ns, told: .}] as $rows
| ($rows | sum_by(row)) as $said
| ($rows | group_by(row)[] | ($most[.[0] | row] // 0) as $at_most | ($n_jobs[.[0] | row] // 0) as $n | (map(.slices) | add) as $slices
	| if (map(.ns) | add) > $at_most + 1000 * $slices then "wrong actors: more than \($at_most) ns: \(map(.told) | tojson)"
	elif $slices > $n then "wrong actors: more than \($n) jobs: \(map(.told) | tojson)"
	else empty end),
  ($rows | group_by(.client)[] | (map(.ns) | add) as $ns | ($most_of_client["\(.[0].client)"] // 0) as $at_most | (map(.slices) | add) as $n
	| select($ns > $at_most + 1000 * $n) | "wrong actors: together more than \($at_most) ns: client \(.[0].client), \($ns) ns of \($n) jobs"),
  "count actors.right \([$rows[] | select(.ns <= ($most[row] // 0) + 1000 * .slices and .slices <= ($n_jobs[row] // 0))] | length)",
  "count actors.said_us \([$least | to_entries[] | [.value, $said[.key] // 0] | min] | add // 0 | . / 1000 | floor)",
  "count actors.provable_us \([$least[]] | add // 0 | . / 1000 | floor)",
  ([$pieces[][]] | group_by([.client, .culprit])[] | .[0] as $one
	| def of($ns): [$ns | to_entries[] | select(.key | startswith("\($one.client) ") and endswith(" \($one.culprit)")) | .value] | add // 0;
	"provable \($one.client) \($one.culprit) \(of($least)) \(of($most))")
