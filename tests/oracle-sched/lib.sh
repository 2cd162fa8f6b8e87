# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What tests/oracle-sched/run and tests/oracle-sched/compare share, sourced; B is the build directory.

# The simulator; the sanitizer's remark on fibers says nothing about it.
oracle() {
	if [[ $B == *-asan ]]; then
		timeout 600 "$B/tests/oracle-sched/gpulane-oracle-sched" "$@" 2> >(grep -v 'makecontext/swapcontext' >&2)
	else
		timeout 600 "$B/tests/oracle-sched/gpulane-oracle-sched" "$@"
	fi
}

# own_events - of a dump: amdgpu's own events of jobs in the place of the scheduler's
own_events() {
	awk '/^(absent|recorded) drm_sched/ || ($5 ~ /^drm_sched_job_/ && $5 !~ /_(queue|run)$/) { next }
		$5 ~ /^drm_sched_job_/ {
			is_run = $5 ~ /run$/
			told = $1 " " $2 " " $3 " " $4 " " (is_run ? "amdgpu_sched_run_job" : "amdgpu_cs_ioctl")
			for (i = 6; i <= NF; i++)
				if (sub(/^fence_context=/, "context=", $i) || sub(/^fence_seqno=/, "seqno=", $i) || sub(/^name=/, "ring=", $i))
					told = told " " $i
			$0 = told
		}
		{ print }'
}

# with_errors TRUTH - of a dump: the errors of the jobs' fences, as they are recorded
with_errors() {
	jq -r '"\(.context) \(.seqno) \(.error)"' "$1" |
		awk 'FNR == NR { if ($3) error[$1, $2] = $3; next }
			$5 == "dma_fence_signaled" {
				split($6, context, "="); split($7, seqno, "=")
				if ((context[2], seqno[2]) in error)
					print $1, $2, $3, $4, "gpulane_fence_error", $6, $7, "error=" error[context[2], seqno[2]]
			}
			$5 == "dma_fence_signaled" || $1 != "absent" || $2 != "gpulane_fence_error" { print }' - "$2"
}

# checker TRUTH TOLD [TICK] - `count WHAT N` and `wrong ...` lines
checker() {
	jq -nr --slurpfile truth "$1" --slurpfile told "$2" --argjson tick "${3:-1}" -f tests/oracle-sched/check.jq
}

# stamps TRUTH TICK - the truth whose events have the times that a clock with such a step shows
stamps() {
	if [ "$2" = 1 ]; then
		cat "$1"
	else
		jq -c --argjson tick "$2" 'def floor_to: if . == null then null else . - . % $tick end;
			.queued |= floor_to | .run |= floor_to | .done |= floor_to' "$1"
	fi
}

# pretend HOW TRUTH - the truth as it might be told
pretend() {
	jq -c --arg how "$1" -f tests/oracle-sched/pretend.jq "$2"
}

# truth_lines TRUTH - NUMBER FENCE QUEUED RUN DONE, then the fences that the job depends on
truth_lines() {
	jq -rs 'to_entries[] | .key as $n | .value | ["\($n)", "\(.context):\(.seqno)", (.queued, .run, .done | tostring),
		(.dependencies[] | "\(.context):\(.seqno)", "\(.awaited):\(.seqno)")] | join(" ")' "$1"
}

# names TRUTH DUMP - of which job is each event?
names() {
	truth_lines "$1" >"$T/lines"
	awk -f tests/oracle-sched/names.awk "$T/lines" "$2"
}

# ran DUMP - [THREAD, FROM, TO] for each time that a thread had a CPU
ran() {
	awk '$5 == "sched_switch" {
			for (i = 6; i <= NF; i++) { split($i, part, "="); value[part[1]] = part[2] }
			if ($2 in since) print "[" value["prev_tid"] "," since[$2] "," $1 "]"
			since[$2] = $1; on[$2] = value["next_tid"]
		}
		END { for (cpu in since) print "[" on[cpu] "," since[cpu] ",9e15]" }' "$1"
}

# whom MODE SEED - whom jobs and threads waited for, as it is told and in the truth: `right KIND` and `wrong ...` lines
whom() {
	oracle --mode "$1" --kernel 6.17 --seed "$2" --switches --events "$T/e" --truth "$T/t" &&
		"$B/gpulane" dump --no-head "$T/e" >"$T/dump" 2>/dev/null && ran "$T/dump" >"$T/ran" || return 1
	{
		for of in --critical --critical=0-0.002 --critical=0.001-0.004 --critical=0-0.02; do
			"$B/gpulane" report $of --format json "$T/e"
		done
		"$B/gpulane" report --requests "$T/e" | awk -F, 'NR > 1 { print $2 ":" $3 }' | xargs "$B/gpulane" explain -f json "$T/e"
	} 2>/dev/null | jq -nr --slurpfile truth "$T/t" --slurpfile ran "$T/ran" -f tests/oracle-sched/whom.jq
}

# waits DUMP - a line of JSON for each job that was run (`run`: when, its thread, its ring's count), and for each piece of the times
# in which a thread could run and had no CPU: on which one it waited, and who had that
waits() {
	awk 'function begins(thread, at, cpu) { if (!(thread in since)) { since[thread] = at; place[thread] = cpu } }
		function ends(thread, at, cpu, i, from) {
			if (!(thread in since)) return
			cpu = place[thread] != "" ? place[thread] : $2
			for (i = n[cpu]; at > since[thread]; i--) {
				from = i && began[cpu, i] > since[thread] ? began[cpu, i] : since[thread]
				if (from < at)
					printf "{\"tid\":%d,\"from\":%d,\"to\":%d,\"cpu\":%d,\"culprit\":%d,\"moved\":%s}\n", thread,
						from, at, cpu, i ? who[cpu, i] : 0, cpu == $2 ? "false" : "true"
				at = from
			}
			delete since[thread]
		}
		{ for (i = 6; i <= NF; i++) { split($i, part, "="); value[part[1]] = part[2] } split($3, head, "/") }
		$5 == "drm_sched_job_run" { printf "{\"run\":%d,\"tid\":%d,\"count\":%d}\n", $1, head[2], value["hw_job_count"] }
		# Who is woken before it has left its CPU just goes on, or could run from when it left.
		$5 == "sched_waking" { if (value["tid"] in runs) waking[value["tid"]]; else begins(value["tid"], $1, "") }
		$5 == "sched_wakeup" { delete waking[value["tid"]]; if (value["tid"] in since) place[value["tid"]] = value["target_cpu"] + 0 }
		$5 == "sched_switch" {
			from = value["prev_tid"]; to = value["next_tid"]
			delete runs[from]
			if (from && (value["prev_state"] % 256 == 0 || from in waking))
				begins(from, $1, value["prev_state"] % 256 ? "" : $2)
			ends(to, $1)
			if (to) runs[to]
			began[$2, ++n[$2]] = $1; who[$2, n[$2]] = to
		}' "$1"
}

# actors MODE KERNEL SEED [CHANGE] - who had the CPUs of the threads that hand jobs over: `count WHAT N` and `wrong ...` lines.
# CHANGE is what is done to the report before.
actors() {
	# shellcheck disable=SC2086 # words
	oracle --mode "$1" --kernel "$2" --seed "$3" --switches --hog ${5-} --events "$T/e" --truth "$T/t" &&
		"$B/gpulane" dump --no-head "$T/e" >"$T/dump" 2>/dev/null && waits "$T/dump" >"$T/seen" &&
		"$B/gpulane" report -n 0 --format json "$T/e" 2>/dev/null | jq ".cpu_preemptions | ${4:-.}" >"$T/told" || return 1
	jq -nr --arg mode "$1" --slurpfile truth "$T/t" --slurpfile seen "$T/seen" --slurpfile told "$T/told" -f tests/oracle-sched/actors.jq
}
