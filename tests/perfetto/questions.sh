# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The questions of docs/perfetto.md, asked of Perfetto's own trace processor and answered by the report: sourced by run where TRACE_PROCESSOR
# names it.

# question N - the page's
question() { awk -v n="$1" '/^## / { is = $2 == n "." } is && /^    /; is && /;$/ { exit }' docs/perfetto.md; }

# asked SQL - what is said, a line a row, values with | between them
asked() {
	printf '%s\n' "$1" >"$T/question.sql"
	"$TRACE_PROCESSOR" query -f "$T/question.sql" "$T/t.perfetto-trace" 2>"$T/tp.err" | tail -n +2 | awk '{
		row = ""; quoted = 0
		for (i = 1; i <= length($0); i++) { c = substr($0, i, 1); if (c == "\"") quoted = !quoted; else row = row (c == "," && !quoted ? "|" : c) }
		gsub(/\[NULL\]|\.000000/, "", row); if (row != "") print row }'
}

# answered N FILTER [REPORT] [ROWS] - what the page's question says is what the filter makes of the report, in any order; of the rows like ROWS
answered() {
	asked "$(question "$1")" | grep -E "${4:-}" | LC_ALL=C sort >"$T/said"
	jq -r "def pid: split(\"[\")[-1] | rtrimstr(\"]\"); $2 | map(. // \"\" | tostring) | join(\"|\")" "${3:-$T/report.json}" | LC_ALL=C sort >"$T/want"
	diff "$T/want" "$T/said" || { echo "question $1"; return 1; }
}

# Of all threads, as the database has them: the report tells of waits of those whose process is known to make requests.
waits_answered() {
	"$B/gpulane" export "$1" --to sqlite --force -o "$T/db" >/dev/null || return 1
	asked "$(question 9)" | LC_ALL=C sort >"$T/said"
	sqlite3 -batch "$T/db" 'select pid, count(*), sum(end_ns - begin_ns), sum(runqueue_ns) from waits group by pid' | LC_ALL=C sort >"$T/want"
	diff "$T/want" "$T/said" || { echo "question 9"; return 1; }
}

# Engines' and processes' figures of which nothing is known have no row; nor has idle time without a cause.
all_answered() {
	export_it "$1" || return 1
	"$B/gpulane" report --format json "$T/t.perfetto-trace" >"$T/back.json" 2>/dev/null || echo '{}' >"$T/back.json"
	# A process has its program's name, which may have called itself otherwise since: its number is compared.
	answered 1 '.verdict[] | [rtrimstr(".")]' &&
		answered 2 '.engines[] | select(.busy.min_ns > 0) | [.engine, .busy.min_ns]' &&
		answered 3 '.stages[] | select(.count + .unknown > 0 and (.stage != "wake" or .count > 0)) | [.stage, .count] + if .count > 0 then [.sum.min_ns] else [""] end' &&
		answered 4 '.clients[] | select(.pid >= 0 and .stages.running.count > 0) | [.pid, .stages.running.sum.min_ns]' &&
		answered 5 '.engines[] | .engine as $e | .idle_causes | to_entries[] | select(.value > 0 and .key != "unknown_ns") | [$e, (.key | sub("_ns$"; "")), .value]' &&
		answered 7 '.preemptions[] | [.victim, .culprit, .why, .count, .preempted.min_ns]' &&
		answered 8 '.worst[:3][] | ["\(.context):\(.seqno)", .total.min_ns]' &&
		waits_answered "$1" &&
		answered 10 '.opencl.kernels // [] | .[] | select(.running.count > 0) | [(.process | pid), .kernel, .running.count, .running.sum_ns]' &&
		answered 11 '[.behind[]] | group_by([.client, .owner])[] | [.[0].client, .[0].owner, (map(.requests) | add)]'
}

# By the scheduler's own events, read back; of those whose requests they are, which were seen to begin and to end.
threads_answered() {
	export_it "$1" && "$B/gpulane" report --format json "$T/t.perfetto-trace" >"$T/back.json" 2>/dev/null || return 1
	local pids
	pids=$(jq -r '[.clients[] | select(.pid >= 0) | .pid] | join("|")' "$T/report.json")
	answered 6 ".cpu.threads[] | select(.tid | tostring | test(\"^($pids)\$\")) | [.tid, .running_ns, .runnable_ns]" "$T/back.json" "^($pids)\\|"
}

# Nothing is told but what the recording lacks: the loss of lossy, switches that nobody recorded. The tables are filled.
is_imported() {
	local of=$1 faults
	export_it "samples/$of" || return 1
	faults=$(asked "select name from stats where value > 0 and severity in ('error', 'data_loss') group by name order by name;" | xargs)
	case $of in
	lossy) same faults 'ftrace_cpu_has_data_loss mismatched_sched_switch_tids' "$faults" ;;
	opencl-preempted) same faults mismatched_sched_switch_tids "$faults" ;;
	*) same faults '' "$faults" ;;
	esac || return 1
	printf '%s|%s\n' "$of" "$(asked "select (select count(*) from sched), (select count(*) from thread_state), (select count(*) from gpu_slice), (select count(*) from gpu_track),
		(select count(*) from counter), (select count(*) from gpu_counter_track), (select count(*) from flow);")" >>"$T/tables"
	same switches "$("$B/gpulane" dump --no-head "samples/$of" 2>/dev/null | grep -c ' sched_switch ')" "$(asked 'select count(*) from sched;')" &&
		same runs "$(jq '[.engines[].runs] | add' "$T/report.json")" "$(asked "select count(*) from gpu_slice where EXTRACT_ARG(arg_set_id, 'command') is null;")"
}

for of in samples/*/; do
	of=${of%/} of=${of#*/}
	check "processor-imports-$of" is_imported "$of"
	check "processor-answers-$of" all_answered "samples/$of"
done
for of in preemption starvation histogram; do
	check "processor-answers-threads-$of" threads_answered "samples/$of"
done
echo 'sample | sched | thread_state | gpu_slice | gpu_track | counter | gpu_counter_track | flow'
cat "$T/tables"
