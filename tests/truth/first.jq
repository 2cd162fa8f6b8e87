# SPDX-License-Identifier: MIT
# Whether the first answer about a process is the largest cause that can be proven. Input: `gpulane report --process PID --format json`;
# $facts: facts.awk's, raw; $who: the process.
# Output: `first STAGE`, `other STAGE: ANSWER`, or `none` where nothing is provable: events are missing; no stage beside `running` is the longest
# whatever room the events leave, and nobody sees when a firmware's requests run, or one ends to which nobody listens; or it has less than 5 % of the time.
[$facts | split("\n")[] | split(" ")] as $lines
| def of($what): [$lines[] | select(.[0] == $what and .[1] == $who) | .[2] | tonumber][0] // 0;
  [$lines[] | select(.[0] == "stage" and .[1] == $who and .[2] != "running")
	| { stage: .[2], lo: (.[3] | tonumber), hi: ((.[4] | tonumber) + if .[2] == "signal" then of("late") else 0 end) }] as $stages
| ([$lines[] | select(.[0] == "program" and .[1] == $who) | .[7] | tonumber][0]) as $total
| of("unseen") as $unseen
| [.answers[] | select(.who != null and (.who | capture("\\[(?<n>[0-9]+)\\]$").n // .) == $who)] as $of_it
# What waited for the process's own requests, which hold.jq has held against the truth, stands behind what others did by the page. It costs something
# only where others certainly had more than half.
| [$of_it[] | select((.cause | startswith("own_")) and .cost_ns == null) | .stage] as $own
| ($stages | map(select(.stage | IN($own[]) | not)) | max_by(.lo).stage) as $most_of_others
| ($stages | map(select($unseen == 0 or (.stage | IN("prepare", "dependency", "host_queue")))) | max_by(.lo)) as $most
| [$of_it[] | select(.kind == "late")][0] as $first
| if ($facts | startswith("damaged")) or $unseen >= $most.lo or any($stages[]; .stage != $most.stage and .hi >= $most.lo) or $most.lo * 20 < $total then "none"
  elif $first.stage == $most.stage or ($first.stage == $most_of_others and ($most.stage | IN($own[]))) then "first \($most.stage)"
  else "other \($most.stage): \($first | tojson)" end
