# SPDX-License-Identifier: MIT
# Whom jobs and threads waited for, against the truth. Input: critical paths of `report --critical` and jobs of `explain`, as JSON;
# $truth is write_truth()'s, $ran has [THREAD, FROM, TO] for each time that a thread had a CPU.
# Output: `right KIND` and `wrong ...`, a line each.
#
# A job has two runs: by the events that stand for its begin and end, and by the hardware. What lies in both is sure, what lies in
# one of them is possible.
def overlap($a; $b): [$a[1], $b[1]] | min - ([$a[0], $b[0]] | max) | if . > 0 then . else 0 end;
def possible: [([.begin, .begin_by_events, .handed | numbers] | min), ([.end, .done, .signal_event | numbers] | max)];
def sure: [([.begin, .begin_by_events, .begin_by_signals | numbers] | max), ([.end, .hw_signalled | numbers] | min)];
def judge($right; $what): if $right then "right \(.kind // "behind")" else "wrong \($what): \(tojson)" end;

[$truth[] | select(.begin != null and .end != null)] as $jobs
| ($ran | group_by(.[0]) | map({key: "\(.[0][0])", value: .}) | from_entries) as $on_cpu
| def has_cpu: [.begin_ns, .end_ns] as $piece | [$on_cpu["\(.tid)"][]? | overlap(.[1:]; $piece)] | add // 0;
  inputs
| if .segments then
	.segments[] | (.end_ns - .begin_ns) as $long
	| if .kind == "computing" then judge(has_cpu == $long; "the thread has no CPU")
	elif .kind == "runqueue" or .kind == "blocked" or .kind == "wake" then judge(has_cpu == 0; "the thread has a CPU")
	elif .kind == "running" then
		. as $s | [.begin_ns, .begin_ns + .lasted.min_ns] as $piece
		| judge(all($jobs[] | select(.serial and .ring == $s.engine and .context != $s.request.ctx);
			overlap(sure; $piece) == 0); "another job runs")
	else empty end
  else
	. as $job | ($truth[] | select(.context == $job.context and .seqno == $job.seqno and .serial and .run != null)) as $t
	| (.behind[] | select(.host_queue_ns)) as $b | [[.times[] | select(.what == "submitted").at_ns.min][0] // $t.run, $t.run] as $queue # check.jq judges when it was submitted
	| [$jobs[] | select(.ring == $t.ring and .dev == $t.dev and .context == $b.context)] as $ahead
	| judge($b.host_queue_ns.max >= ([$ahead[] | overlap(sure; $queue)] | add // 0) and
		$b.host_queue_ns.min <= ([$ahead[] | overlap(possible; $queue)] | add // 0); "behind")
  end
