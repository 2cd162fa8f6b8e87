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
