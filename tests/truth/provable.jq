# SPDX-License-Identifier: MIT
# Which causes of a process's late requests the events prove, and what the report says of them. Input: `gpulane report --process PID --format json`;
# $facts: facts.awk's and parts.jq's, raw; $who: the process.
# Output, a line a cause that certainly has 15 % or more of its requests' time: `said KIND`, or `unsaid KIND ...`; then, of the one that certainly
# has most, `first KIND`, or `later KIND ...` where the first answer about the process is of one that cannot have as much.
#
# KIND is the stage; `STAGE by` where it is proven that one process had more of it than any other; `hand_over` and `head_of_queue` are parts of
# host_queue. Nothing is asked of a process of which less than half of the requests were seen whole, nor of what it waited for its own requests:
# that is no lateness (docs/report.md).
def pid: if . == null then null else capture("\\[(?<n>[0-9]+)\\]$").n // . end;
def is_part: IN(.cause; "hand_over", "head_of_queue");

[$facts | split("\n")[] | split(" ")] as $lines
| def of($what): [$lines[] | select(.[0] == $what and .[1] == $who) | .[2] | tonumber][0] // 0;
  def row($stage; $by; $lo; $hi): {kind: $stage, $stage, $by, cause: null, lo: ($lo | tonumber), hi: ($hi | tonumber)};
  ([$lines[] | select(.[0] == "program" and .[1] == $who) | .[2:] | map(tonumber)][0]) as [$all_least, $all_most, $least, $most, $lo, $hi]
# Who submits to a firmware, or has nobody listen to an end, is not seen on the engine, nor by those behind.
| (of("unseen") + of("late") > 0) as $is_unseen
| any($lines[]; .[0] == "unseen" or .[0] == "late") as $are_unseen
| [$lines[] | select(.[1] == $who)] as $mine
| [$mine[] | select(.[0] == "stage" and .[2] != "running") | row(.[2]; null; .[3]; .[4])
	| if .stage == "signal" then .hi += of("late") elif .stage == "host_queue" then .lo -= of("room") else . end] as $all_stages
| [$all_stages[] | select(($is_unseen | not) or IN(.stage; "prepare", "dependency", "host_queue"))] as $stages
| [$mine[] | if .[0] == "ahead" then row(.[2]; .[3]; .[4]; .[5]) elif .[0] == "taken" then row("preempted"; .[2]; .[3]; .[4]) else empty end
	| select(($are_unseen | not) or .stage == "dependency")
	| . as $c | $stages[] | select(.stage == $c.stage) | (.hi - .lo) as $room # of a stage in doubt so is whose it was
	| $c | .kind += " by" | .lo -= $room] as $culprits
| [$mine[] | select(.[0] == "hand_over" or .[0] == "head_of_queue") | row("host_queue"; .[2]; .[3]; .[4]) + {kind: .[0], cause: .[0]}] as $parts
# One who had more of the stage than anybody else can have had
| def of_most: . as $all | map(select(. as $c | .by != "-" and all($all[]; .kind != $c.kind or .by == $c.by or .hi < $c.lo)));
  ($parts | of_most) as $most_parts
# The same time may be that of a part.
| ($culprits | of_most | map(if .stage == "host_queue" then .lo -= ([$parts[].hi] | add // 0) else . end)) as $whose
# A stage that may for the most part be what its own requests took
| [$stages[] | select(. as $s | any($mine[]; .[0] == "ahead" and .[2] == $s.stage and .[3] == $who and (.[5] | tonumber) * 2 > $s.lo) | not)] as $of_others
| [.answers[] | select(.kind == "late" and (.who | pid) == $who)] as $told
| def is_what($answer): .stage == $answer.stage and (.by == null or .by == ($answer.by | pid)) and
	(if .cause then .cause == $answer.cause elif .by then $answer | is_part | not else true end);
  # What an answer can be of at most: of a stage, or of the part that it names; of a thread's time, what it says
  def most($answer): if $answer == null then 0 elif $answer.stage == null then $answer.lasted.min_ns else
	[if $answer | is_part then $parts[] | select(is_what($answer)) else $all_stages[] | select(.stage == $answer.stage) end | .hi] | max // 0 end;
  # Who names somebody comes before who names nobody, if it is at least half as much (docs/report.md).
  def is_ahead($answer): if .by == null then .stage == $answer.stage or most($answer) * (if $answer.by then 2 else 1 end) >= .lo
	else most($answer) >= .lo * (if $answer.by then 1 else 2 end) end;
  if any($lines[]; .[0] == "damaged" or .[0] == "vague") or $least * 2 < $all_most then empty else
	[$of_others[], $whose[], $most_parts[] | select(.by != $who and .lo >= 0.15 * $hi)]
	| (.[] | . as $one | if any($told[]; . as $answer | $one | is_what($answer)) then "said \(.kind)" else "unsaid \(.kind) \(tojson) of \($hi)" end),
	  ((map(select(.by)) | max_by(.lo)) as $named | (map(select(.by | not)) | max_by(.lo)) as $stage
	  | (if $named and $named.lo * 2 >= ($stage.lo // 0) then $named else $stage end | select(.))
	  | if is_ahead($told[0]) then "first \(.kind)" else "later \(.kind) \(tojson) of \($hi): \($told[0] | {cause, stage, by, lasted, of} | tojson)" end)
  end
