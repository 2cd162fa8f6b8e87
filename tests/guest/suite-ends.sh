#!/bin/bash
# SPDX-License-Identifier: MIT
# Ends that are injected: each is named with its cause, job, process and time, and none where there is none, with losses too. gl-sched as amdgpu and as xe, the
# replay driver as i915, waits for syncobjs, and Intel's own runtime on the emulated xe (docs/xe-emulation.md; Linux 6.1 has no xe). docs/suites.md has the figures.
#
#   suite-ends.sh [6.1|6.12|newest]
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	B=${B:-build}
	runtime=$(scripts/guest.d/intel-newest) &&
		make -s B="$B" XE_RUNTIME="$runtime" "$B/gpulane" "$B/libgpulane-levelzero.so" "$B/levelzero/libze_tracing_layer.so.1" replay xe || exit 1
	for version in ${1:-6.1 6.12 newest}; do
		check_later "$version" "$GUEST" --kernel "$version" --timeout 2400 --mem 3072 --env "B=$B" --out "$SUITE_TMP/out-$version" -- "$0" \
			"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/gl-sched)" "$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/replay)" "$version" "$runtime"
	done
	check_wait
	for version in ${1:-6.1 6.12 newest}; do
		report "$SUITE_TMP/out-$version/report"
		cat "$SUITE_TMP/out-$version/figures"
	done
	suite_end ends
	exit
fi

# --- in the guest -------------------------------------------------------------------------------
SCHED=$1 REPLAY=$2 VERSION=$3 RUNTIME=$4
TOP=$(realpath "$(dirname "$0")/../..")
B=$(realpath "${B:-build}")
GPULANE=$B/gpulane JOBS=$B/tests/replay/gl-jobs CLIENT=$B/tests/replay/gl-client WAIT=$B/tests/replay/gl-syncobj PROGRAM=$B/xe/levelzero
TRUTH=/sys/kernel/debug/gl-sched/truth
T=$(mktemp -d /tmp/ends.XXXXXX)
cd "$T" || exit 1
exec >"$GPULANE_OUT/report"
CHECK_PREFIX=$VERSION-
. "$TOP/tests/lib/suite.sh"
. "$TOP/tests/guest/lib/fact.sh"
injected=0 programs=0 recordings=0
has_xe() { [ "$VERSION" != 6.1 ]; }

modprobe -a drm gpu-sched
# as DRIVER [PARAMETER...] - gl-sched stands in for it
as() {
	! [ -e /sys/module/gl_sched ] || rmmod gl_sched
	insmod "$SCHED" driver="$1" rings=4 "${@:2}"
}
# record NAME OPTION... -- COMMAND...
record() {
	rm -rf "$1.rec"
	"$GPULANE" record --opencl off --counters off --output "$1.rec" "${@:2}" 2>"$1.err" || { cat "$1.err"; return 1; }
	"$GPULANE" report --format json "$1.rec" >"$1.json" && "$GPULANE" report --requests "$1.rec" >"$1.csv"
}
# lossless NAME COMMAND... - has COMMAND make the recording NAME; again, four times, where events were lost: what they hide is not told. Linux 7.3 loses some
# as a killed process' jobs end all at once (docs/bpf.md)
lossless() {
	local name=$1 try lost
	shift
	for try in 1 2 3 4 5; do
		[ "$try" = 1 ] || printf 'tried again: %s: try %d (%d events were lost)\n' "$checking" "$try" "$lost" >>"$T/tried-again"
		"$@" || return 1
		lost=$(total "$name.rec" 'traces[].lost')
		[ "$lost" -gt 0 ] || break
	done
}
# as_injected NAME [lost] - what NAME.ends says, and nothing else
as_injected() {
	cat "$1.ends"
	[ -s "$1.ends" ] || [ "$1" = fine ] || return 1
	[ -n "${2-}" ] || injected=$((injected + $(awk '{ print $1, $4 }' "$1.ends" | sort -u | wc -l)))
	awk -v lost="${2:+1}" -f "$TOP/tests/guest/lib/ends.awk" "$1.ends" "$1.csv"
}
# named NAME CAUSE... - what the drivers told, each of these causes, names a job of NAME.ends, its process, and the time
named() {
	local name=$1 cause
	jq -c '.causes' "$name.json"
	for cause in "${@:2}"; do
		jq -r --arg cause "$cause" '.causes[] | select(.cause == $cause) | "\(.context):\(.seqno) \(.client | capture("\\[(?<pid>[0-9]+)\\]").pid) \(.first_ns)"' "$name.json" |
			awk -v cause="$cause" 'FILENAME == ARGV[1] { pid[$2 ":" $3] = $4; from[$2 ":" $3] = $5 - 5000000; to[$2 ":" $3] = $6 + 5000000; next }
				{ n++ } pid[$1] != $2 || $3 < from[$1] || $3 > to[$1] { print cause " told of " $0; bad++ }
				END { exit bad || !n }' "$name.ends" - || { echo "$cause is not named rightly"; return 1; }
	done
}
# answered NAME CAUSE... - an answer has it
answered() {
	local name=$1 cause
	for cause in "${@:2}"; do
		jq -e --arg cause "$cause" --arg pids " $(awk '{ print $4 }' "$name.ends" | sort -u | paste -sd' ') " '[.answers[] | select(.cause == $cause)] | length > 0 and
			all(.[]; .who | capture("\\[(?<pid>[0-9]+)\\]").pid as $pid | $pids | contains(" " + $pid + " "))' "$name.json" >/dev/null ||
			{ jq -c '.answers[] | [.cause, .who]' "$name.json"; return 1; }
	done
}

# --- jobs of drm_sched
# jobs NAME DRIVER OPTION... - records the list NAME; NAME.ends: what the driver says did not complete
jobs_run() { as "$2" timeout_ms=1000 && echo >$TRUTH && record "$1" "${@:3}" -- "$JOBS" "$T/$1" && cat $TRUTH >"$1.truth"; }
jobs() {
	local name=$1 driver=$2 again=lossless
	[ $# = 2 ] || again='' # an OPTION asks for losses
	${again:+$again "$name"} jobs_run "$@" || return 1
	awk -v driver="$driver" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["status"] == "complete" { next }
		{
			word = $at["status"] == "timeout" ? "timeout" : $at["comm"] ~ /^killed/ ? "closed|cancelled" : "cancelled"
			if (driver == "xe" && $at["status"] == "timeout") word = "timeout|memory_error|ban"
			print word, $at["ctx"], $at["seqno"], $at["pid"], $at["ended"] ? $at["ended"] : $at["done"], $at["done"] ? $at["done"] : 1e20
		}' "$name.truth" >"$name.ends"
}
# Who is killed has more queued than the scheduler waits for (1 s)
cat >amdgpu <<'LIST'
hang ring=0 count=3 us=1000 depth=3 hang=1 start=100
killed ring=1 count=100 us=30000 depth=100 kill=200
fine ring=2 count=50 us=1000 depth=4
LIST
cat >xe <<'LIST'
hang ring=0 count=3 us=1000 depth=3 hang=1
bad ring=1 count=3 us=1000 depth=3 bad=1
killed ring=2 count=100 us=30000 depth=100 kill=200
fine ring=3 count=50 us=1000 depth=4
LIST
check amdgpu-recorded jobs amdgpu amdgpu
check amdgpu-as-injected as_injected amdgpu
check amdgpu-named named amdgpu timeout cancelled closed
check amdgpu-answered answered amdgpu job_timeout
check xe-recorded jobs xe xe
check xe-as-injected as_injected xe
check xe-named named xe timeout memory_error ban
check xe-answered answered xe job_timeout memory_fault
# With losses nothing is told otherwise
lossy() {
	jobs "$1" amdgpu --buffer 4K || return 1
	echo "lost $(total "$1.rec" 'traces[].lost')"
	[ "$(total "$1.rec" 'traces[].lost')" -gt 0 ]
}
{ cat amdgpu; printf 'busy%s ring=3 count=4000 us=20 depth=40\n' 1 2; } >lossy
check lossy-recorded lossy lossy
check lossy-nothing-otherwise as_injected lossy lost

# --- i915: request_timeout_ms; a reset, by which another one is begun again
i915_ends() {
	local kind
	rmmod gl_sched
	insmod "$REPLAY" && record i915 -- sh -c '
		"$0" --name fine --engine 1:0 --count 100 --duration 3000 & fine=$!
		"$0" --name cancel --engine 2:0 --count 3 --duration 300000 --error 4 --truth cancel.truth & echo $! >cancel.pid
		wait $(cat cancel.pid)
		"$0" --name guilty --engine 0:0 --count 2 --duration 500000 --error 5 --truth guilty.truth & echo $! >guilty.pid
		sleep 0.7
		"$0" --name again --engine 0:0 --count 1 --duration 100000 --error 11 --truth again.truth & echo $! >again.pid
		wait' "$CLIENT" || return 1
	for kind in cancel:cancelled guilty:lost again:replayed; do
		tail -n 1 "${kind%:*}.truth" | awk -v word="${kind#*:}" -v pid="$(cat "${kind%:*}.pid")" '{ print word, $1, $2, pid, $8, $8 }'
	done >i915.ends
}
check i915-recorded i915_ends
check i915-as-injected as_injected i915
check i915-named named i915 cancelled lost replayed
check i915-answered answered i915 request_cancelled request_lost
i915_reset() { jq -c '.causes' i915.json && jq -e '[.causes[] | select(.cause == "reset")] | length == 1 and .[0].count == 1' i915.json; }
check i915-reset-is-told i915_reset
rmmod i915

# --- open as the recording ends: a job that hangs, its wait, a wait for what nobody submits
still_open() {
	as amdgpu timeout_ms=60000 || return 1
	record open -- sh -c 'for kind in "job 0" "never 0 60000"; do "$0" $kind >"open.${kind%% *}" & echo $! >>pids; done; sleep 3' "$WAIT" || return 1
	jq -c .open open.json
	injected=$((injected + 3))
	jq -e --argjson job "$(awk '{ print $2 }' open.job)" --argjson never "$(awk '{ print $2 }' open.never)" --arg key "$(awk '{ print $3 }' open.job)" '
		(.open | length == 3) and
		any(.open[]; .kind == "request" and "\(.context):\(.seqno)" == $key and .client == "gl-syncobj[\($job)]" and .open_ns > 2000000000 and .open_ns < 20000000000) and
		any(.open[]; .kind == "wait" and .tid == $job and "\(.fence_context):\(.fence_seqno)" == $key) and
		any(.open[]; .kind == "wait" and .tid == $never and .unsubmitted == 1 and .gives_up_ns > 30000000000)' open.json
}
check open-at-the-end still_open
while read -r pid; do kill "$pid"; done <pids

# --- Intel's own runtime
export GPULANE_XE_LIBRARY=$B/xe/libgpulane-xe.so GPULANE_XE_KERNEL=/dev/dri/renderD128
# run GPU PROGRAM... - as scripts/xe-run, with what the recorder has in the library path first: its layer
run() {
	local lib=$RUNTIME/usr/lib/x86_64-linux-gnu
	ZE_ENABLE_ALT_DRIVERS=$lib/libze_intel_gpu.so.1 GPULANE_XE=$T/$1 "$RUNTIME/usr/lib64/ld-linux-x86-64.so.2" --argv0 "$2" --preload "$GPULANE_XE_LIBRARY" \
		--library-path "${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$lib/intel-opencl:$lib" "${@:2}"
}
export -f run
export T RUNTIME PROGRAM
# gpu NAME LINE - a GPU whose kernels do that
gpu() {
	rm -rf "${T:?}/$1"
	printf '%s\n' "$2" >script
	"$TOP/scripts/xe-run" --gpu "$T/$1" --script "$T/script" true
}
runtime_as() { as xe depth=64 slots=64 timeout_ms=3600000 rings=60; }
# runs_on NAME COMMAND - a recording with Level Zero's calls
runs_on() { record "$1" --api layer -- bash -c "$2"; }
# A kernel that hangs, and another program that wants the engine: its queue is reset, by the driver's own event
hang_run() {
	gpu hang 'kernel tick hangs' && runs_on hang 'run hang "$PROGRAM" launches 1 immediate & until grep -qs ^exec "$T/hang/truth"; do sleep 0.1; done
		run hang "$PROGRAM" launches 1 immediate & until grep -qs ^banned "$T/hang/truth"; do sleep 0.1; done; sleep 1; pkill -9 levelzero; wait'
}
hang_reset() {
	lossless hang hang_run
	injected=$((injected + 1))
	jq -c '.causes, [.answers[] | [.cause, .who]]' hang.json
	awk '$1 == "queue" { pid[$2] = $4 } $1 == "banned" { sub(/:$/, "", $5); print pid[$3], $5 }' hang/truth | sort -n -k2 | tee banned
	jq -e --argjson pid "$(awk 'NR == 1 { print $1 }' banned)" --argjson at "$(awk 'NR == 1 { print $2 }' banned)" '
		any(.causes[]; .cause == "reset" and (.client // "" | endswith("[\($pid)]")) and .first_ns >= $at and .first_ns < $at + 1000000000) and
		any(.answers[]; .kind == "fault")' hang.json
}
# A call that does not return: it spins
spins_run() {
	local status=0
	gpu spin 'kernel tick hangs' && runs_on spin 'run spin "$PROGRAM" launches 1 immediate & until grep -qs ^exec "$T/spin/truth"; do sleep 0.1; done; sleep 5' || status=1
	pkill -9 levelzero
	return $status
}
spins() {
	lossless spin spins_run
	injected=$((injected + 1))
	"$GPULANE" report --tables open spin.rec
	jq -c .open spin.json
	jq -e 'any(.open[]; .kind == "call" and .function == "zeEventHostSynchronize" and .command == "kernel `tick`" and .open_ns > 3000000000)' spin.json
}
slow_line="kernel tick takes 2 ms$(printf ', then 2 ms%.0s' $(seq 14)), then 3 s"
slow_run() { gpu slow "$slow_line" && runs_on slow 'run slow "$PROGRAM" launches 16 immediate'; }
slow() {
	lossless slow slow_run || return 1
	injected=$((injected + 1))
	jq -c '[.answers[] | [.cause, .who, .what, .lasted]]' slow.json
	jq -e 'any(.answers[]; .cause == "unusual_kernel" and .what == "tick")' slow.json
}
# A program that is killed amid a burst is no hang
killed() {
	gpu killed 'kernel tick takes 200 ms' && runs_on killed 'run killed "$PROGRAM" launches 100 immediate &
		until grep -qs ^exec "$T/killed/truth"; do sleep 0.1; done; sleep 1; pkill -9 levelzero; wait'
	injected=$((injected + 1))
	jq -c '.causes, .open, [.answers[] | [.cause, .who]]' killed.json
	jq -e '.open == [] and all(.answers[]; .cause != "job_timeout" and .cause != "gpu_reset" and .cause != "queue_ban")' killed.json
}
if has_xe; then
	lttng-sessiond -d --no-kernel >/dev/null 2>&1
	runtime_as
	check runtime-hang-is-reset hang_reset
	check runtime-call-spins spins
	check runtime-kernel-is-slow slow
	check runtime-killed killed
fi

# --- where nothing is injected nothing is told
is_quiet() {
	[ "$(jq -c '[[.causes[] | select(.cause != "eviction" and .cause != "page_fault")], .open, [.answers[] | select(.kind == "fault")]]' "$1.json")" = '[[],[],[]]' ] || {
		jq -c '.causes, .open, [.answers[] | [.cause, .who]]' "$1.json"
		return 1
	}
	: >fine.ends
	cp "$1.csv" fine.csv
	as_injected fine
}
printf '%s\n' 'fine ring=0 count=50 us=1000 depth=4' 'more ring=1 count=50 us=500 depth=8 after=fine' 'last ring=0 prio=high count=20 us=3000' >quiet
quiet_of() {
	case $1 in
	amdgpu | xe) jobs quiet "$1" ;;
	waits) as amdgpu && record quiet -- sh -c '"$0" job 100000 && "$0" point 100000 && "$0" all 100000' "$WAIT" ;;
	i915) record quiet -- sh -c '"$0" --count 50 --duration 2000 --depth 4 & "$0" --count 50 --duration 1000 --prio 5; wait' "$CLIENT" ;;
	runtime) gpu idle 'kernel tick takes 2 ms' && runs_on quiet 'run idle "$PROGRAM" launches 20 immediate & run idle "$PROGRAM" burst 100; wait' ;;
	esac && is_quiet quiet
}
# quiet KIND PROGRAMS - twice
quiet() {
	for _ in 1 2; do
		quiet_of "$1" || return 1
		recordings=$((recordings + 1)) programs=$((programs + $2))
	done
}
! has_xe || { runtime_as && check quiet-runtime quiet runtime 2; }
check quiet-amdgpu quiet amdgpu 3
check quiet-xe quiet xe 3
check quiet-waits quiet waits 3
rmmod gl_sched
insmod "$REPLAY"
check quiet-i915 quiet i915 2
rmmod i915
echo "$VERSION: $injected ends were injected; $programs programs in $recordings recordings ended as they should" >"$GPULANE_OUT/figures"
suite_end "ends-$VERSION"
