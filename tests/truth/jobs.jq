# SPDX-License-Identifier: MIT
# The truth of tests/oracle-sched as lines of tests/oracle's truth (docs/oracle.md), a line a job. Each time is followed by those of the
# events that stand for it.
def stamps: map(numbers) | if . == [] then "-" else map(tostring) | join("/") end;

# A job that never was in the hardware ran for no time between its events.
(if .status == "long" or .status == "killed" then [] elif .runs == [] then [[.run, .run]] else .runs end) as $runs
| ([.dependencies[] | select(.fulfilled)] | max_by(.fulfilled)) as $last
| (if .runs == [] then [.done] else [.handed, .run, .begin_by_events, .begin_by_signals] end) as $begins
| [.hw_signalled, .done] as $ends
| [ "engine=\(.dev)/\(.ring) serial=\(.serial) ctx=\(.context) seqno=\(.seqno) pid=\(.pid) tid=\(.tid) status=\(.status) queue=-",
  "add=\([.queued] | stamps) submit=\([.runnable, (.runnable as $at | $last.signal_event // 0 | select(. > $at))] | stamps)",
  "execute=\([.run] | stamps) signal=\([.signal_event] | stamps)",
  "freed_by=\(if $last and $last.fulfilled > .queued then "\(if $last.by == "scheduled" then $last.awaited + 1 else $last.context end):\($last.seqno)" else "-" end)",
  "runs_stamps=\([$runs | to_entries[] | .key as $i | .value as $run
	| "\(if $i == 0 then [$run[0]] + $begins else [$run[0]] end | stamps)-\(if $i == ($runs | length) - 1 then [$run[1]] + $ends else [$run[1]] end | stamps)"] | join(","))" ] | join(" ")
