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
