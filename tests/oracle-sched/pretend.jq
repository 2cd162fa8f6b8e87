# SPDX-License-Identifier: MIT
# The truth as it might be told, one job a line: $how is exact, stamps, bounds, or wrong in one way: late, violated,
# invented, culprit.
def range($a): if $a == null then null else
	if $how == "bounds" then { min: ($a - 500), max: ($a + 500) }
	elif $how == "violated" then { min: ($a + 90000000000), max: ($a + 90000000001) }
	else { min: $a, max: $a } end end;
(if $how == "late" then 90000000000 else 0 end) as $late
| { context, seqno, queue: .queued, run: .run, done: .done,
    runnable: range(.runnable),
    begin: range(if $how == "stamps" then (if .begin == null then null else .begin_by_events end) else .begin end),
    end: range(if .end == null then null elif $how == "stamps" and .status != "long" then .done else .end + $late end),
    running: range(if .runs == [] then null else ([.runs[] | .[1] - .[0]] | add) + $late end),
    dependencies: (if $how == "culprit" then ["999999:1"] else [.dependencies[] | "\(.context):\(.seqno)"] end) }
| if $how == "invented" and .begin == null then .begin = { min: 1, max: 1 } | .run = 1 else . end
