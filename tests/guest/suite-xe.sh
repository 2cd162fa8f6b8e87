#!/bin/bash
# SPDX-License-Identifier: MIT
# Intel's newest runtime in the guest, on the emulated xe (docs/xe-emulation.md), which hands what the kernel would be asked on to
# tests/kmod/gl-sched: the kernel's own scheduler and xe's tracepoints tell of the very submissions that the emulation lists, and gpulane's
# recording has them.
#
#   suite-xe.sh [6.12|newest]   both kernels, or one
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	B=${B:-build}
	runtime=$(scripts/guest.d/intel-newest) && make -s B="$B" XE_RUNTIME="$runtime" "$B/gpulane" xe || exit 1
	for version in ${1:-6.12 newest}; do
		check_later "$version" "$GUEST" --kernel "$version" --timeout 900 --mem 3072 --env "B=$B" --out "$SUITE_TMP/out-$version" -- "$0" \
			"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/gl-sched)" "$version"
	done
	check_wait
	for version in ${1:-6.12 newest}; do
		report "$SUITE_TMP/out-$version/report"
	done
	suite_end xe
	exit
fi

# --- in the guest -------------------------------------------------------------------------------
SCHED=$1 VERSION=$2
TOP=$(realpath "$(dirname "$0")/../..")
cd "$TOP" || exit 1
T=$(mktemp -d /tmp/xe.XXXXXX)
exec >"$GPULANE_OUT/report"
CHECK_PREFIX=$VERSION-
. tests/lib/suite.sh
B=${B:-build}
export GPULANE_XE_LIBRARY=$TOP/$B/xe/libgpulane-xe.so GPULANE_XE_KERNEL=/dev/dri/renderD128
PROGRAM=$B/xe/levelzero

modprobe -a drm gpu-sched
# a queue is a ring of its own, as the firmware has them, and what is given to it runs until the emulation says that it has ended
check load insmod "$SCHED" driver=xe rings=60 depth=64 slots=64 timeout_ms=3600000

# recorded NAME COMMAND... - by ftrace and gpulane, what the programs of COMMAND do; their GPU is $T/NAME
recorded() {
	local name=$1 status=0
	shift
	echo >/sys/kernel/debug/gl-sched/truth
	trace-cmd start -q -C mono -b 32768 -e gpu_scheduler -e xe >/dev/null &&
		"$B/gpulane" record --opencl off --output "$T/$name.rec" -- "$@" >"$T/$name.said" 2>&1 || status=$?
	trace-cmd stop
	trace-cmd extract -o "$T/$name.dat" >/dev/null 2>&1
	trace-cmd reset >/dev/null 2>&1
	trace-cmd report -t -i "$T/$name.dat" 2>/dev/null | sed -nE 's/^ *.*-([0-9]+) +\[[0-9]+\] +([0-9]+)\.([0-9]{9}): ([a-z_]+): +/\2\3 \1 \4 /p' >"$T/$name.events"
	"$B/gpulane" dump "$T/$name.rec" >"$T/$name.dump"
	cat "$T/$name.said"
	return $status
}
run() { scripts/xe-run --gpu "$T/$1" "${@:2}"; }
export -f run
export T

# as_listed NAME - one job in the kernel for each EXEC of the emulation, between this EXEC and the thread's next; and one mapping for each
as_listed() {
	sort -n -k7,7 "$T/$1/truth" | awk '$1 == "exec" { print $7, $9 }' | sort -k2,2 -k1,1n >"$T/execs"
	awk '$3 ~ /^drm_sched_job(_queue)?$/ { print $1, $2 }' "$T/$1.events" | sort -k2,2 -k1,1n >"$T/jobs"
	wc -l "$T/execs" "$T/jobs"
	[ -s "$T/execs" ] && same 'threads that submit' "$(cut -d' ' -f2 "$T/execs")" "$(cut -d' ' -f2 "$T/jobs")" || return 1
	paste -d' ' "$T/execs" "$T/jobs" | awk 'NR > 1 && $2 == tid && $1 < job { print "submitted late: " tid, job; n++ }
		$3 < $1 { print "queued before it was submitted: " $0; n++ } { tid = $2; job = $3 } END { exit n > 0 }' || return 1
	same mappings "$(awk '$1 ~ /^(un)?bind$/ { print "xe_vma_" $1, $4 }' "$T/$1/truth" | sort)" \
		"$(sed -nE 's/^[0-9]+ [0-9]+ (xe_vma_(un)?bind) .* start=0x0*([0-9a-f]+), end=0x0*([0-9a-f]+),.*/\1 \3..\4/p' "$T/$1.events" | sort)"
}
# ends NAME - where the scheduler has a fence (since 6.17) a job is done when its ring has stopped; before, as soon as it was given away
ends_are() {
	local done_is='>=' errors
	[ "$VERSION" = newest ] || done_is='<'
	errors=$(grep -c ' xe_sched_job_set_error .*error=-95' "$T/$1.events")
	same 'errors -95' "$([ "$VERSION" = newest ] && echo 0 || grep -c '^exec ' "$T/$1/truth")" "$errors" || return 1
	awk '$1 == "done" { print $7 }' "$T/$1/truth" | sort -n >"$T/done"
	awk '$3 ~ /^drm_sched_(job_done|process_job)$/ { print $1 }' "$T/$1.events" | sort -n >"$T/done.kernel"
	wc -l "$T/done" "$T/done.kernel"
	[ -s "$T/done" ] && same ends "$(wc -l <"$T/done")" "$(wc -l <"$T/done.kernel")" || return 1
	paste -d' ' "$T/done" "$T/done.kernel" | awk "{ if (!(\$2 $done_is \$1)) { print; n++ } } END { exit n > 0 }"
}
# in_recording NAME - gpulane has the same jobs, to the last one
in_recording() {
	sed -nE 's/^([0-9]+) ([0-9]+).* drm_sched_job_queue .*/\1/p' "$T/$1.dump" | wc -l >"$T/ours"
	same jobs "$(grep -c '^exec ' "$T/$1/truth")" "$(cat "$T/ours")" &&
		same requests "$(cat "$T/ours")" "$("$B/gpulane" report --requests "$T/$1.rec" | tail -n +2 | wc -l)"
}

check one-program recorded one bash -c "run one $PROGRAM launches 2000 immediate"
check one-as-listed as_listed one
check one-ends ends_are one
check one-in-recording in_recording one
# bindings NAME - each VM_BIND is a thread's way into xe's function, and out of it
bindings() {
	sed -nE 's/^[0-9]+ [0-9]+ ([0-9]+\/[0-9]+) function xe_function_(enter|leave) function=xe_vm_bind_ioctl( .*)?$/\1 \2/p' "$T/$1.dump" >"$T/bindings"
	same calls "$(grep -c ' xe_vma_\(un\)\?bind ' "$T/$1.events")" "$(grep -c enter "$T/bindings")" &&
		awk '$2 == "enter" { n += into[$1]++ } $2 == "leave" { n += --into[$1] } END { for (tid in into) n += into[tid]; exit n > 0 }' "$T/bindings"
}
few_execs() {
	echo "$(grep -c '^exec ' "$T/one/truth") EXECs, $(grep -c '^kernel ' "$T/one/truth") launches"
	[ "$(grep -c '^kernel ' "$T/one/truth")" -ge 2000 ] && [ "$(grep -c '^exec ' "$T/one/truth")" -lt 200 ]
}
check one-few-execs few_execs
check one-bindings bindings one

three="run three $PROGRAM launches 300 ordered & run three $PROGRAM launches 300 regular & run three $PROGRAM burst 300; wait"
run three true
check three-programs recorded three bash -c "$three"
check three-as-listed as_listed three
check three-ends ends_are three
check three-in-recording in_recording three

# A kernel that hangs while another program wants the engine: its queue is banned, which the kernel tells once
printf 'kernel tick hangs\n' >"$T/hangs"
scripts/xe-run --gpu "$T/hang" --script "$T/hangs" true
recorded hang bash -c "run hang $PROGRAM launches 1 immediate & first=\$!; until grep -qs ^exec $T/hang/truth; do sleep 0.1; done
	run hang $PROGRAM launches 1 immediate & wait \$first; pkill -9 levelzero; wait"
hang_is_told() {
	grep '^banned' "$T/hang/truth"
	[ "$(grep -c '^banned' "$T/hang/truth")" -ge 1 ] &&
		same resets "$(grep -c '^banned' "$T/hang/truth")" "$(grep -c ' xe_exec_queue_reset ' "$T/hang.events")" &&
		same resets-recorded "$(grep -c '^banned' "$T/hang/truth")" "$(grep -c ' xe_exec_queue_reset ' "$T/hang.dump")"
}
check hang-as-listed as_listed hang
check hang-is-told hang_is_told

# A program that is killed amid a burst: its queues go, nothing is left on a ring
printf 'kernel tick takes 200 ms\n' >"$T/long"
scripts/xe-run --gpu "$T/killed" --script "$T/long" true
recorded killed bash -c "run killed $PROGRAM launches 100 immediate & until grep -qs ^exec $T/killed/truth; do sleep 0.1; done; sleep 1; pkill -9 levelzero; wait"
check killed-as-listed as_listed killed
killed_ends() {
	cat /sys/kernel/debug/gl-sched/truth
	! grep -q ' \(queued\|running\) levelzero' /sys/kernel/debug/gl-sched/truth && grep -q ' canceled levelzero' /sys/kernel/debug/gl-sched/truth
}
check killed-ends killed_ends

# What report says of each: the ends with cause and process, at their times; none where there is none
for name in one three hang killed; do "$B/gpulane" report --format json "$T/$name.rec" >"$T/$name.json"; done
# pids NAME WORD - the processes whose queues the truth says that of
pids() {
	awk -v word="$2" '$1 == "queue" { pid[$2] = $4 } $1 == word && $2 == "queue" { print pid[$3] }' "$T/$1/truth" | sort -u
}
# causes NAME CAUSE - the processes that causes[] has with it
causes() { jq -r --arg c "$2" '.causes[] | select(.cause == $c) | .client | capture("\\[(?<pid>[0-9]+)\\]").pid' "$T/$1.json" | sort -u; }
hang_is_named() {
	jq -c '.causes[], (.answers[] | [.cause, .text])' "$T/hang.json"
	same 'processes with a reset' "$(pids hang banned)" "$(causes hang reset)" || return 1
	awk '$1 == "banned" { sub(/:$/, "", $5); print $5 }' "$T/hang/truth" | sort -n | head -n 1 >"$T/at"
	jq -e --argjson at "$(cat "$T/at")" 'any(.causes[]; .cause == "reset" and .first_ns >= $at and .first_ns < $at + 1000000000)' "$T/hang.json" &&
		jq -e 'any(.answers[]; .kind == "fault")' "$T/hang.json"
}
no_end_is_told() {
	local name
	for name in one three; do
		jq -e '[.causes[] | select(.cause != "eviction")] == [] and all(.answers[]; .kind != "fault") and .open == []' "$T/$name.json" >/dev/null ||
			{ jq -c '[.causes, .open, [.answers[].cause]]' "$T/$name.json"; return 1; }
	done
}
killed_is_no_hang() {
	jq -c '[.causes, [.answers[].cause]]' "$T/killed.json"
	jq -e 'all(.answers[]; .cause != "job_timeout" and .cause != "gpu_reset" and .cause != "queue_ban")' "$T/killed.json"
}
check hang-is-named hang_is_named
check killed-is-no-hang killed_is_no_hang
check no-end-is-told-where-there-is-none no_end_is_told
# A kernel that is still there as the recording ends: nobody else wants the engine, so nothing ends it; likewise one that takes 20 s
for name in open slow; do
	[ $name = open ] && printf 'kernel tick hangs\n' >"$T/script" || printf 'kernel tick takes 20 s\n' >"$T/script"
	scripts/xe-run --gpu "$T/$name" --script "$T/script" true
	"$B/gpulane" record --opencl off --output "$T/$name.rec" -- bash -c "run $name $PROGRAM launches 1 immediate & until grep -qs ^exec $T/$name/truth; do sleep 0.1; done; sleep 3"
	"$B/gpulane" report --tables open "$T/$name.rec" >"$T/$name.txt"
	pkill -9 levelzero
done
# Since 6.17 the burst's fence is not signalled; the kernel does not see what runs in it, and a burst that goes on is no answer
still_open() {
	cat "$T/$1.txt"
	! grep -qE 'gave up|reset the GPU|cancelled' "$T/$1.txt" || return 1
	[ "$VERSION" != newest ] || grep -qE '^  [0-9]+:[0-9]+ of levelzero\[[0-9]+\] on ccs[0-9]+ has been open for .*: a burst, in which user space submits; no time-out ends a long-running queue' "$T/$1.txt"
}
check hangs-at-the-end still_open open
check slow-at-the-end still_open slow
check unload rmmod gl_sched
for name in one three hang killed; do
	cp -r "$T/$name.rec" "$GPULANE_OUT/" && cp "$T/$name/truth" "$GPULANE_OUT/$name.rec.truth"
done
suite_end "xe-$VERSION"
