# SPDX-License-Identifier: MIT
# Holds each answer of a report against the facts of the truth (facts.awk). Input: `gpulane report --format json`; $facts: the facts, raw.
# Output: `true CAUSE`, `false CAUSE WHY...: ANSWER`, or `unjudged CAUSE`, a line an answer.
#
# An answer is true if the truth may be what it says: the events that stand for the hardware's moments leave each sum some room.

def pid: if . == null then null else capture("\\[(?<n>[0-9]+)\\]$").n // . end;
def engine: sub("^0000:"; "");

[$facts | split("\n")[] | select(. != "") | split(" ")] as $lines
| [$lines[] | select(.[0] == "recording")][0] as $recording
| [$lines[] | select(.[0] == "program") | (.[2:] | map(tonumber)) as [$all_least, $all_most, $least, $most, $lo, $hi] | {pid: .[1], $all_least, $all_most, $least, $most, $lo, $hi}] as $programs
| [$lines[] | select(.[0] == "bursts")][0] as $bursts
| any($lines[]; .[0] == "damaged") as $is_damaged
| .idle as $idle
# Of lines that begin with these words, the numbers behind them
| def numbers_of($words): [$lines[] | select(.[:($words | length)] == $words) | .[($words | length):] | map(tonumber)];
  def added: if . == [] then [0, 0, 0, 0, 0, 0, 0, 0] else [transpose[:5][] | add] + [([.[][5] // 0] | max), ([.[][6] // 0] | max), ([.[][7] // 0] | add)] end;
  def of($words): numbers_of($words) | added;
  def what_of($a; $holds; $says): if $holds then empty else $says end;

# so long, of so much
  def lasted($a; $sum): what_of($a; $a.lasted.min_ns <= $sum[1] and $a.lasted.max_ns >= $sum[0]; "lasted: \($sum[0]) to \($sum[1])");
  def within($a; $from; $to; $what): what_of($a; $a.of.min_ns <= $to and $a.of.max_ns >= $from; "\($what): \($from) to \($to)");
  def recording($a): ($recording[1:] | map(tonumber)) as [$from, $to] | within($a; $from; $to; "recording");
  def measured($a; $of): within($a; $of | map(.lo) | add; $of | map(.hi) | add; "of"),
	([$of | (map(.least) | add), (map(.most) | add), (map(.all_least) | add), (map(.all_most) | add)] as [$least, $most, $all_least, $all_most]
	| what_of($a; $a.count >= $least and $a.count <= $most and $a.of_count >= $all_least and $a.of_count <= $all_most;
		"\($least) to \($most) of \($all_least) to \($all_most) requests"));
  def program($a): [$programs[] | select(.pid == ($a.who | pid))] | if . == [] then "no such program" else measured($a; .) end;

# whose doing it was
  def culprit($a; $sums; $mine):
	if $a.how == "mostly" then what_of($a; $mine[1] * 2 > $a.lasted.min_ns; "by: at most \($mine[1])")
	# who is named among others is known to have had most: it may be that more is not known of who really had
	else what_of($a; all($sums[]; .[0] <= 2 * $mine[1]) and $mine[1] > 0; "by: at most \($mine[1]), others \($sums | map(.[0]))") end;
  def stage($a): ($a.who | pid) as $who | ($a.by | pid) as $by
	| program($a), lasted($a; of(["stage", $who, $a.stage])),
	  if $by == null then empty else
		[$lines[] | select(.[0] == "ahead" and .[1] == $who and .[2] == $a.stage) | .[3]] as $all
		| what_of($a; ($a.cause | startswith("own_")) == ($by == $who); "own"),
		  culprit($a; [$all[] | select(. != $by and . != "-") | of(["ahead", $who, $a.stage, .])]; of(["ahead", $who, $a.stage, $by])) end;
  def taken($a): ($a.who | pid) as $who | ($a.by | pid) as $by
	| program($a), lasted($a; of(["stage", $who, "preempted"])),
	  if $by == null then empty else of(["taken", $who, $by]) as $mine
		| [$lines[] | select(.[0] == "taken" and .[1] == $who and .[2] != $by) | .[3:] | map(tonumber)] as $others
		| culprit($a; $others; $mine),
		  what_of($a; $a.times <= $mine[4] and ($a.lasted.min_ns < $a.lasted.max_ns or $a.times + ($a.times_nearly // 0) >= $mine[3]); "times: \($mine[3]) to \($mine[4])"),
		  what_of($a; ($a.longest_ns // 0) <= $mine[6]; "longest: \($mine[6])"),
		  what_of($a; ($a.cause != "priority" or $mine[7] * 2 >= $mine[4]) and ($a.cause != "timeslice" or $mine[7] * 2 <= $mine[4]); "why") end;

# engines and threads
  # Of an engine's idle time the report may not know the cause of some; that is added where `at most` counts. $unknown: [ns, times] of that.
  def often($a; $sum; $unknown):
	what_of($a; $a.lasted.min_ns <= $sum[1] and $a.lasted.max_ns + $unknown[0] >= $sum[0]; "lasted: \($sum[0]) to \($sum[1])"),
	what_of($a; $a.times <= $sum[4] and $a.times + $unknown[1] >= $sum[3]; "times: \($sum[3]) to \($sum[4])"),
	what_of($a; $a.longest_ns == null or $a.longest_ns <= $sum[6] and ($a.longest_ns >= $sum[5] or $unknown[0] > 0); "longest: \($sum[5]) to \($sum[6])");
  def engines($a; $which): [$lines[] | select(.[0] == $which) | .[1]] | unique | map(select(engine == $a.who or (split("/")[-1]) == $a.who));
  def only_idle($a): [engines($a; "gap")[] | numbers_of(["gap", .])[][1]] | add // 0 | . as $hi
	| recording($a), what_of($a; $a.lasted.min_ns <= $hi; "idle: at most \($hi)");
  # What a driver's thread without a CPU took has a row of its own; whose thread that was is the check of actors (oracle-sched).
  def had_no_cpu: .cause == "driver" and (.culprit_tid // -1) != -1;
  def idle($a; $cause; $by): engines($a; "idle") as $engines
	| [$engines[] | numbers_of(["idle", ., $cause, ($a.thread | pid), $by])[]] | added
	| recording($a), often($a; .; if any($lines[]; .[0] == "exact" and IN(.[1]; $engines[])) then
		[$idle[] | select(.engine == $a.who and (.cause == "unknown" or ($cause == "driver" and had_no_cpu)))]
		| [(map(.idle_ns) | add // 0), (map(.count) | add // 0)] else [1e18, 1e18] end);
  def of_drivers($engines): [$lines[] | select(.[0] == "idle" and IN(.[1]; $engines[]) and .[2] == "driver") | .[5:] | map(tonumber)] | added;
  # "others in turn, for longest X": of all of them together
  def starved($a): ($a.who | pid) as $who
	| (if $a.how == "among_others" then [$lines[] | select(.[0] == "starved" and .[1] == $who) | .[3:] | map(tonumber)] | added
	   else of(["starved", $who, ($a.by | pid)]) end)
	| recording($a), often($a; .; [1e18, 1e18]), what_of($a; of(["starved", $who, ($a.by | pid)])[1] > 0; "by: never");
  def unknown($a): what_of($a; $a.lasted.min_ns <= $a.of.max_ns; "more than all"), measured($a; $programs);
  def bursts($a): ($bursts[1:] | map(tonumber)) as [$long, $all]
	| what_of($a; ($a.of_count == $all or $is_damaged) and ($a.cause != "bursts" or $a.count <= $long); "bursts: \($long) of \($all)");

  def faults: . as $a
	| if .stage == "preempted" then taken($a)
	  elif IN(.cause; "hand_over", "irq_thread", "head_of_queue") then ($a.who | pid) as $who
		| program($a), what_of($a; $a.lasted.min_ns <= of(["stage", $who, $a.stage])[1]; "lasted: more than the stage")
	  elif .cause == "idle_hand_over" then of_drivers(engines($a; "idle"))[1] as $hi
		| recording($a), what_of($a; $a.lasted.min_ns <= $hi; "idle: at most \($hi)")
	  elif .stage then stage($a)
	  else { starved: "starved", other_engine: "other_engine", same_engine: "wake", blocked: "blocked", computing: "computing",
		  idle_dependency: "dependency", driver: "driver", cpu_idle: "starved", cpu_awake: "starved", cpu_slept: "starved", idle_held_off: "starved" }[.cause] as $cause
		| if $cause == "starved" then idle($a; $cause; $a.by | pid // "0") elif $cause then idle($a; $cause; "-")
		  elif .cause == "starved_thread" then starved($a)
		  elif .kind == "unknown" and .count then unknown($a)
		  elif .cause == "idle_unknown" or .cause == "idle_unrecorded" then only_idle($a)
		  elif .cause == "nothing_certain" then empty
		  elif .cause == "bursts" or .cause == "maybe_bursts" then bursts($a)
		  else "unjudged" end end;

# The rows of `idle[]` say more of the same, of causes that were not the engine's longest. Those of one culprit, on several CPUs, are one.
def rows: [.idle[] | select(.tid != -1 and .culprit_tid != -1 and (.cause | IN("unknown", "before_first", "after_last") | not))]
	| group_by([.engine, .cause, .tid, .culprit_tid])[]
	| { had_no_cpu: (.[0] | had_no_cpu), cause: "idle[].\(.[0].cause)", who: .[0].engine, thread: "\(.[0].tid)", by: (.[0].culprit_tid // "-" | tostring), ns: (map(.idle_ns) | add) };
def row_faults: . as $row | engines(.; "idle") as $engines
	| if $row.had_no_cpu then of_drivers($engines) else
		[$engines[] | numbers_of(["idle", ., ($row.cause | ltrimstr("idle[].")), $row.thread, $row.by])[]] | added end
	# A timer may wake a thread as a request of its process is signalled, and then it seems to have waited for that. The simulator's
	# are some 10 us apart.
	| ($row.cause | if IN("idle[].other_engine", "idle[].wake") then 20000 else 0 end) as $by_chance
	| what_of($row; $row.ns <= .[1] + $by_chance; "idle: at most \(.[1])");

def told($faults): .cause as $cause | if $faults == [] then "true \($cause)" elif $faults == ["unjudged"] then "unjudged \($cause)"
	else "false \($cause) \($faults | join("; ")): \(del(.advice, .evidence) | tojson)" end;
(.answers[] | told([faults])), (rows | told([row_faults]))
