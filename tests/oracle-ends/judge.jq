# SPDX-License-Identifier: MIT
# Judges what gpulane says of a world's ends. Input: none; $truth is what the simulator wrote, $told the lines of `report --requests
# --format json`, $report the `report --format json`. Output: `right KIND N`, and `wrong WHAT: ...` for each disagreement.

def name: "\(.context):\(.seqno)";
def has_kind($kinds): .kind as $k | any($kinds[]; . == $k);
def by_error: { "-4": "cancelled", "-125": "cancelled", "-62": "timeout", "-5": "lost", "-11": "replayed", "-3": "closed" }["\(.)"] // "error";
# Another one is named: where something is missing, none may be.
def others($told; $right; $is_whole): $told != $right and ($is_whole or ($told != null and $told != "unknown"));
def wrong($what; $of): "wrong \($what): \($of | tojson)";

($truth[] | select(.what == "world")) as $w
| [$truth[] | select(.what == "request")] as $all
| (reduce $all[] as $t ({}; .[$t | name] = $t)) as $of
| (reduce $told[] as $r ({}; .[$r | name] = $r)) as $said
| (any($w.without[]; . == "gpulane_fence_error") | not) as $errors
| (any($w.without[]; . == "dma_fence_signaled") | not) as $signals
| ($w.lossy or $w.late | not) as $whole
| ($whole and ($w.without | length) == 0) as $full
| ($report.answers | map(select(.kind == "fault"))) as $faults
# Nothing has begun a time-out anew.
| (all($all[]; .timeouts == 0)) as $quiet

# What a request may be said to have ended as.
| def may_be: . as $t |
	if .kind == "open" then if .end == null then [null] else [null, "complete"] end
	elif .kind == "complete" then
		["complete"] + (if .reset_told and ($errors | not) then ["overdue"] else [] end)
		+ (if $errors or ($w.i915 | not) and $w.mode != "v3d" then [] else ["reset"] end)
	# Whose submit did not come straight out of the failed one's signal has that one's error, for all that is recorded.
	elif .kind == "inherited" then if .error_told then ["inherited", (.error | by_error)] else ["complete"] end
	# It ran: -EAGAIN is what the one had that it waited for.
	elif .kind == "complete" and .cause == "inherited" then ["complete", "replayed"]
	elif .kind == "overdue" then if .reset_told then ["overdue"] else ["complete"] end
	elif .error_told and $full then [.kind]
	elif .error_told then [.kind, (.error | by_error), if .kind == "timeout" then "timeout" else empty end]
	else ["complete"] + (if .reset_told then ["overdue"] else [] end) + (if .timeout_told then ["timeout"] else [] end)
		+ (if ($w.resets | length) > 0 then ["reset"] else [] end) end
	| if .[0] != null and ($w.lossy or ($signals | not)) and ($t.signal_told | not) then . + [null] else . end
	| if $t.kind != "complete" and $t.xe_error_told then . + [$t.error | by_error] else . end
	# A banned or a killed queue's jobs are called timed out by xe, each in its turn.
	| if .[0] == "timeout" and $w.mode == "xe" then . + ["cancelled", "closed"] else . end;

[
# Each request.
($told[] | . as $r | $of[name] as $t
	| if $t == null then wrong("no such request"; $r | { name: name, ended })
	else ($t | may_be) as $may
	| (if any($may[]; . == $r.ended) then "right \($t.kind)"
		else wrong(if $r.ended == "complete" then "told complete" elif $t.kind == "complete" then "told not complete" else "told otherwise" end;
			{ name: ($t | name), ended: $r.ended, is_open: $r.is_open, right: $may, cause: $t.cause }) end),
	  (if $t.kind == "open" and $t.end == null and $r.is_open != 1 or $t.kind != "open" and $whole and $signals and $r.is_open != 0
		then wrong("open"; { name: ($t | name), is_open: $r.is_open, kind: $t.kind }) else "right open" end),
	  (if others($r.process; $t.process; false) then wrong("process"; { name: ($t | name), process: $r.process, right: $t.process }) else empty end),
	  (if $r.end_ns == null or $t.end == null or $t.signalled == null then empty
		elif $r.end_ns.min > $t.signalled or $r.end_ns.max < $t.end - 1000000
		then wrong("end"; { name: ($t | name), end: $r.end_ns, right: [$t.end, $t.signalled] }) else "right end" end),
	  (if $r.start_ns == null or $t.begin == null then empty
		elif $r.start_ns.max < $t.run or $r.start_ns.min > ($t.signalled // $w.end)
		then wrong("start"; { name: ($t | name), start: $r.start_ns, right: $t.begin }) else "right start" end),
	  (if $t.begin == null and $t.kind != "open" and $r.start_ns != null and $r.start_ns.min == $r.start_ns.max
		then wrong("never ran"; { name: ($t | name), start: $r.start_ns }) else empty end)
	end),
(if $whole and all($w.without[]; . != "drm_sched_job_queue") then $all[] | select($said[name] == null) | wrong("not told"; name) else empty end),

# Counts: only with everything recorded.
(if $full then
	([$all[] | select(has_kind(["complete", "open"]) | not)] | length) as $n
	| ([$all[] | select(.kind == "complete" and .cause == "inherited")] | length) as $more
	| if $report.requests.not_completed >= $n and $report.requests.not_completed <= $n + $more then "right not_completed" else wrong("not_completed"; [$report.requests.not_completed, $n]) end
else empty end),
(if $full then
	[$all[] | select(.kind == "open")] as $open
	| ([$open[] | select(.end == null)] | length) as $least
	| if $report.requests.open >= $least and $report.requests.open <= ($open | length) then "right n_open"
		else wrong("n_open"; [$report.requests.open, $least, ($open | length)]) end
else empty end),

# Drivers' causes.
($report.causes[] | . as $c | select(.context != null) | $of[name] as $t
	| if $t == null then wrong("cause of no request"; $c)
	elif $t.kind == "open" and $c.cause != "overdue" or $t.kind == "complete" and $t.cause != "inherited" and ($c.cause != "overdue" or $t.timeouts == 0) and $c.cause != "reset"
	then wrong("cause of what did not end so"; [$c, $t.kind])
	elif others($c.engine; $t.engine; $full) or others($c.client; $t.process; $full) then wrong("cause names another"; [$c, $t.engine, $t.process])
	elif $w.lossy == false and $t.fault != null and ($c.first_ns < $t.fault - 3000 or $c.first_ns > ($t.signalled // $w.end)) and $c.cause != "reset"
	then wrong("cause at another time"; [$c, $t.fault, $t.signalled])
	else "right cause" end),
(if $full and all($all[]; .cause != "inherited") then ("timeout", "overdue", "cancelled", "closed", "lost", "replayed", "error") as $cause
	| ([$all[] | select(.kind == $cause)] | length) as $n
	| ([$report.causes[] | select(.cause == $cause) | .count] | add // 0) as $m
	| if $n == $m or ($w.mode == "xe" or $cause == "overdue") and $m >= $n then "right count" else wrong("count of causes"; { cause: $cause, told: $m, right: $n }) end
else empty end),
(if ($w.resets | length) == 0 and any($report.causes[]; .cause == "reset") then wrong("a reset that was not"; [$report.causes[] | select(.cause == "reset")])
	else empty end),

# Answers: of faults only what failed is named; who hung is named.
($faults[] | . as $a | (.evidence // [])[] | $of[name] as $t
	| if $t == null then wrong("answer of no request"; [$a.cause, name])
	elif $t.cause == "inherited" and $t.kind != "open" then wrong("answer of what inherited its error"; [$a.cause, name, $t.leader])
	elif $t.kind == "complete" and $t.timeouts == 0 and $a.cause != "gpu_reset" then wrong("answer of what is complete"; [$a.cause, name])
	elif others($a.who; $t.process; $full) then wrong("answer names another"; [$a.cause, $a.who, $t.process])
	elif others($a.engine; $t.engine; false) then wrong("answer names another engine"; [$a.cause, $a.engine, $t.engine])
	else "right evidence" end),
(if $full then $all[] | select(.cause == "limit" or .cause == "reset" or .cause == "request_timeout") | select(.kind != "open") | . as $t
	| if any($faults[]; .who == $t.process) then "right named" else wrong("nobody named"; [$t.kind, $t.process, ($t | name)]) end
else empty end),
(if all($all[]; .kind == "complete" and .timeouts == 0) and ($w.resets | length) == 0 and (($faults | length) > 0 or ($report.causes | length) > 0)
	then wrong("a fault where none is"; [$faults, $report.causes]) else empty end),

# What is open.
($report.open[] | select(.kind == "request") | . as $o | $of[name] as $t
	| if $t == null or $t.kind != "open" then wrong("open, and is not"; [$o, $t.kind])
	elif $full and .open_ns != $w.end - $t.queued then wrong("open for so long"; [.open_ns, $w.end - $t.queued])
	elif others(.client; $t.process; $full) or others(.engine; $t.engine; $full) then wrong("open of another"; [.client, .engine, $t.process, $t.engine])
	elif $full and .ended_by == "job_timeout" and .limit_ns != $t.timeout then wrong("open: limit"; [.limit_ns, $t.timeout])
	elif $full and .ended_by == "job_timeout" and $t.first != null and .not_before_ns > 0
		and (.not_before_ns > $t.first + $t.timeout + 2000000 or .not_before_ns < (if $quiet then $t.first else $t.run end) + $t.timeout - 2000000)
	then wrong("open: when it will end"; [$o | name, .not_before_ns, $t.first + $t.timeout])
	elif $full and .ended_by == "request_timeout" and $t.submitted == null then if .not_before_ns == 0 then "right open_for" else wrong("open: limit of what is not submitted"; .) end
	elif $full and .ended_by == "request_timeout" and ((.not_before_ns - ($t.submitted + $w.request_timeout) | fabs) > 1000)
	then wrong("open: when it will be cancelled"; [$o | name, .not_before_ns, $t.submitted + $w.request_timeout])
	elif $full and (.ended_by == null) and ($w.i915 | not) then wrong("open: nothing ends it"; $o)
	else "right open_for" end),
# Of requests the ten oldest are.
(if $full then [$all[] | select(.kind == "open" and .end == null and $w.end - .queued >= 1000000000)] | sort_by(.queued)[:10][] | name as $n
	| if any($report.open[]; .kind == "request" and name == $n) then "right open_told" else wrong("open is not told"; $n) end
else empty end),

# Only what is complete counts.
(if $full then ($report.stages[] | select(.stage == "host_queue")) as $s
	| [$all[] | select(.kind == "complete") | .run - .submitted] as $right
	# What is open may count where its stage is over.
	| [$all[] | select(.kind == "open" and .run != null) | .run - .submitted] as $more
	| ($right + if $s.count > ($right | length) then $more else [] end | sort) as $times
	| ($times | length) as $n
	| if $s.count != $n or $s.sum.min_ns > ($times | add // 0) or $s.sum.max_ns < ($times | add // 0) or $s.max.max_ns != ($times | max // 0)
		or ($n > 0 and ($s.p50.min_ns > $times[$n / 2 | floor] or $s.p50.max_ns < $times[($n - 1) / 2 | floor]))
	then wrong("stage host_queue"; [$s, $n, ($times | add), ($times | max), $times[$n / 2 | floor]]) else "right stage" end
else empty end),
(if $full then ($report.stages[] | select(.stage == "running")) as $s
	| ([$all[] | select(.kind == "complete") | .signalled - .run] | max // 0) as $most
	| ([$all[] | select(.kind == "complete") | select(.end != null) | .end - .begin] | add // 0) as $sum
	| if $s.max.max_ns > $most or $s.sum.max_ns * 1.01 + 1000000 < $sum and $s.unknown == 0 then wrong("stage running"; [$s.max.max_ns, $most, $s.sum, $sum]) else "right running" end
else empty end),

# The sentences' figures: how long after its submit, and how many did not complete with it.
(if $full then $report.verdict[] | capture("(request|job) (?<n>[0-9]+:[0-9]+) of (?<process>\\S+) on (?<engine>\\S+) .*?(?<x>[0-9.]+) (?<u>s|ms|us|ns) after it was submitted(?<rest>.*)") | . as $s
	| $of[.n] as $t | ((.x | tonumber) * { s: 1e9, ms: 1e6, us: 1e3, ns: 1 }[.u]) as $ns
	| if $t == null then wrong("sentence of no request"; $s)
	elif $t.process != .process or $t.engine != .engine then wrong("sentence names another"; [$s, $t])
	elif $ns < ($t.fault - $t.submitted) * 0.99 or $ns > ($t.signalled - $t.submitted) * 1.01 then wrong("sentence: so long"; [$s, $t.fault - $t.submitted])
	else "right sentence",
	  (.rest | capture("(?<s>it was submitted|its queue was stopped).*with it (?<k>[0-9]+) job").k // empty | tonumber as $k
		| ([$all[] | select(.leader == $s.n and name != $s.n and .engine == $t.engine and .kind != "open")] | length) as $with
		| ([$all[] | select(.context == $t.context and .kind == "cancelled" and .cause == "ban")] | length) as $later
		| if $k >= $with and $k <= $with + $later then "right with" else wrong("with it"; [$s, $with, $later]) end) end
else empty end),

# Waits that returned.
(if $full then [$truth[] | select(.what == "wait" and .ended != null)] as $waits
	| ([$report.waits[].count] | add // 0) as $n | ([$report.waits[].wait_ns] | add // 0) as $ns
	| ([$waits[] | .ended - .began] | add // 0) as $sum
	| if $n == ($waits | length) and $ns == $sum then "right waits" else wrong("waits"; [$n, $ns, ($waits | length), $sum]) end
else empty end),

# Waits that have not returned.
($report.open[] | select(.kind == "wait") | . as $o | [$truth[] | select(.what == "wait" and .pid == $o.tid and .ended == null)] as $waits
	| if $waits == [] then wrong("a wait that is over, or never was"; $o)
	elif $full and (.open_ns != $w.end - $waits[0].began or .fence_context != $waits[0].context or .fence_seqno != $waits[0].seqno)
	then wrong("another wait"; [$o, $waits[0]]) else "right wait_open" end),
(if $full then $truth[] | select(.what == "wait" and .ended == null and $w.end - .began >= 1000000000) | . as $wait
	| if any($report.open[]; .kind == "wait" and .tid == $wait.pid) then "right wait_told" else wrong("a wait is not told"; $wait) end
else empty end)
]
| (map(select(startswith("right"))) | group_by(.)[] | "\(.[0]) \(length)"), (map(select(startswith("wrong")))[])
