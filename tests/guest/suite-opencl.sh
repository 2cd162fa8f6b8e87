#!/bin/bash
# OpenCL programs, unmodified, recorded from the call to the engine: the layer and the probes see the same calls;
# every command is tied to the requests that the simulated GPU (tests/icd) says it was; and the three cases of a
# trace of CPU and GPU together: a CPU taken away, a GPU that is shared, a pipeline that is not used.
#
#   suite-opencl.sh [KERNEL [PART...]]
#
# On 6.1 all parts but for what hooks one by one cost most there (attaching takes seconds), on 6.12 the calls and the
# probes. Parts: calls probes tied cases; first is some of them: that is what suite-one.sh runs.
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	B=${B:-build}
	make -s B="$B" "$B/gpulane" "$B/libgpulane-opencl.so" replay icd workloads icd-cache || exit 1
	for version in ${1:-6.1 6.12}; do
		parts=("${@:2}")
		[ $# -gt 1 ] || { [ "$version" = 6.1 ] && parts=(calls probes tied cases) || parts=(calls probes); }
		check_later "$version" "$GUEST" --kernel "$version" --timeout 1200 --env "B=$B" --out "$SUITE_TMP/out-$version" \
			-- "$0" "$("$GUEST_D/build-kmod" --kernel "$version" "$TOP/tests/kmod/replay")" "$version" "${parts[@]}"
	done
	check_wait
	for version in ${1:-6.1 6.12}; do
		report "$SUITE_TMP/out-$version/report"
	done
	suite_end opencl
	exit
fi

# --- in the guest -------------------------------------------------------------------------------
MODULE=$1 VERSION=$2
PARTS=("${@:3}")
TOP=$(realpath "$(dirname "$0")/../..")
B=$(realpath "${B:-build}")
GPULANE=$B/gpulane W=$B/workloads
CALLS=$TOP/tests/guest/lib/opencl-calls TIED=$TOP/tests/guest/lib/opencl-tied
T=$(mktemp -d /tmp/opencl.XXXXXX)
cd "$T" || exit 1
exec >"$GPULANE_OUT/report"
echo 2 >/proc/sys/kernel/randomize_va_space # programs are anywhere, as on a real machine
export OCL_ICD_VENDORS=$B/icd/gl.icd
lttng-sessiond -d --no-kernel >/dev/null 2>&1
insmod "$MODULE" || exit 1

CHECK_PREFIX=$VERSION-
. "$TOP/tests/lib/suite.sh"
. "$TOP/tests/guest/lib/fact.sh"

# On a kernel that hooks one by one, which takes seconds, little is recorded by probes.
many() { [ "$VERSION" != 6.1 ]; }

# gpu OPTIONS: of the simulated GPU, from here on
gpu() { export GPULANE_ICD="cache=$B/icd/cache,truth=$T/truth,$1"; }
# record DIR OPTION... -- COMMAND: what it says is shown when the test fails; the truth is DIR.truth. A program of the
# kernel's that an interrupt comes upon misses what the interrupt does, which is counted as lost: then again, four times.
record() {
	local dir=$1 try lost
	shift
	for try in 1 2 3 4 5; do
		[ "$try" = 1 ] || printf 'tried again: %s: try %d (%d events were lost)\n' "$checking" "$try" "$lost" >>"$T/tried-again"
		rm -rf truth "$dir" "$dir.truth"
		"$GPULANE" record --output "$dir" --buffer 16M "$@" || return 1
		[ ! -f truth ] || mv truth "$dir.truth"
		lost=$(total "$dir" 'traces[].lost')
		[ "$lost" != 0 ] || return 0
	done
	return 1
}
json() { "$GPULANE" report --format json --rows 0 "$1" | jq -r "$2"; }

# --- the same calls by layer and by probes --------------------------------------------------------------
# same_calls NUMBERS PROGRAM...
same_calls() {
	local numbers=$1 pid side
	shift
	rm -rf same
	record same --follow --events process --opencl layer,probes -- "$@" || return 1
	pid=$(fact same command.pid)
	for side in bpf ust; do
		"$GPULANE" dump same/$side | "$CALLS" "$pid" "$numbers" >same.$side
	done
	[ "$(grep -c opencl_call_entry same.bpf)" -gt 10 ] && diff same.bpf same.ust
}
part_calls() {
	gpu kernel-us=300,transfer-us=100
	check calls-kmeans same_calls with "$W/kmeans"
	! many || check calls-hough same_calls with "$W/hough"
	! many || check calls-micro same_calls with "$W/micro" --rounds 2
	! many || check calls-events same_calls with "$W/events"
	check calls-threads same_calls without "$W/histogram" --queues 3 --asynchronous
	! many || check calls-out-of-order same_calls with "$W/histogram" --out-of-order --split
	! many || check calls-leaving same_calls with "$W/events" --leave
	if [ "$VERSION" = 6.1 ]; then
		OCL_ICD_VENDORS=pocl.icd check calls-pocl same_calls with "$W/kmeans" --rounds 2
	fi
}

# --- the probes alone: every process, before and after, and the filters ----------------------------------
# processes DIR: whose calls are in it
processes() { babeltrace2 "$1/bpf" | sed -n 's/.*opencl_call_entry: .* pid = \([0-9]*\),.*/\1/p' | sort -un; }
attached() {
	local kind
	for kind in entry exit; do
		[ "$(fact "$1" "traces[0].kinds.opencl_call_$kind.recorded")" = true ] || return 1
	done
}
cat >two.sh <<SCRIPT
"$W/kmeans" --rounds 2 & echo \$! >first
"$W/events" --leave & echo \$! >second
wait
SCRIPT
whole_system() {
	record whole --events process --opencl probes -- bash two.sh && attached whole &&
		diff <(processes whole) <(printf '%s\n' "$before" "$(cat first)" "$(cat second)" | sort -n)
}
followed() {
	record followed --follow --events process --opencl probes -- bash two.sh &&
		diff <(processes followed) <(sort -n first second)
}
by_pid() {
	record by-pid --pid $before --events process --opencl probes -- bash two.sh && diff <(processes by-pid) <(echo $before)
}
by_name() {
	record by-name --comm kmeans --events process --opencl probes -- bash two.sh && diff <(processes by-name) first
}
library_named() {
	local library
	library=$(realpath "$(ldconfig -p | sed -n 's/.*libOpenCL.so.1 .*=> //p' | head -n 1)")
	record named --follow --events process --opencl probes --opencl-library "$library" -- "$W/events" --leave &&
		[ -n "$(processes named)" ]
}
library_missing() {
	! "$GPULANE" record --output none --opencl probes --opencl-library /nowhere -- true 2>said && cat said &&
		grep -q '^gpulane: .*/nowhere' said && [ ! -e none ]
}
times_that_it_reads() {
	record times --follow --events process --opencl probes -- "$W/micro" --rounds 2 &&
		[ "$("$GPULANE" dump times/bpf | grep -c ' opencl_profiling .*status=0')" = 60 ]
}
part_probes() {
	gpu kernel-us=300,transfer-us=100
	"$W/histogram" --frames 100000 --pause 20000 >/dev/null &
	before=$!
	check probes-whole-system whole_system
	! many || check probes-follow followed
	! many || check probes-pid by_pid
	check probes-name by_name
	! many || check probes-library-named library_named
	check probes-library-missing library_missing
	! many || check probes-times times_that_it_reads
	kill $before
	wait $before 2>/dev/null
}

# --- every command and its requests ----------------------------------------------------------------------
# tied OPTIONS WHAT PROGRAM...: WHAT of the commands must be certain: all or some; nothing may be wrong
tied() {
	local what=$2
	gpu "$1"
	shift 2
	rm -rf tied tied.truth
	record tied --opencl layer -- "$@" || return 1
	"$GPULANE" report --commands tied >tied.csv || return 1
	"$TIED" "$what" tied.truth tied.csv
}
part_tied() {
	check tied-each tied kernel-us=2000,transfer-us=500 all "$W/histogram"
	check tied-maps tied kernel-us=2000,transfer-us=500 all "$W/hough"
	check tied-host-waits tied kernel-us=1000,transfer-us=500 all "$W/kmeans"
	check tied-queues tied kernel-us=2000,transfer-us=500 all "$W/histogram" --queues 3 --asynchronous --frames 9
	check tied-out-of-order tied kernel-us=2000,transfer-us=500 all "$W/histogram" --out-of-order --asynchronous --split
	check tied-copy-engine tied kernel-us=2000,transfer-us=500,copy-engine all "$W/histogram" --asynchronous --split
	check tied-batches tied kernel-us=2000,transfer-us=500,batch=4 some "$W/histogram" --asynchronous --split
	check tied-several-requests tied kernel-us=3000,transfer-us=500,split=3 some "$W/histogram" --asynchronous
}

# --- the three cases ---------------------------------------------------------------------------------------
client=$B/tests/replay/gl-client

# A CPU taken away: the program and a hog on CPU 1. The report names the hog.
cat >preempted.sh <<SCRIPT
"$client" --name hog --cpu 1 --hog 300000 &
taskset -c 1 nice -n 5 "$W/histogram" --frames 8
kill \$!
SCRIPT
cpu_preemption() {
	gpu kernel-us=5000,transfer-us=500
	record cpu --opencl layer -- bash preempted.sh &&
		[ "$(json cpu '[.cpu_preemptions[] | select(.thread | startswith("histogram["))] | max_by(.runnable_ns).culprit | sub("\\[.*"; "")')" = hog ]
}

# A GPU that is shared: another client's requests, of higher priority, take the engine. The report names it.
cat >shared.sh <<SCRIPT
"$client" --name viewer --prio 10 --count 100000 --duration 6000 --period 10000 &
"$W/histogram" --frames 20
kill \$!
SCRIPT
gpu_sharing() {
	gpu kernel-us=10000,transfer-us=500
	record shared --opencl layer -- bash shared.sh &&
		[ "$(json shared '[.preemptions[] | select((.victim | startswith("histogram[")) and (.culprit // "" | startswith("viewer["))) | .count] | add // 0')" -gt 0 ]
}

# A pipeline that is not used: one queue that waits for every transfer never has one run beside a kernel; queues that
# do not wait do.
overlap() {
	gpu kernel-us=5000,transfer-us=3000,copy-engine
	rm -rf "$1"
	record "$1" --opencl layer -- "$W/histogram" --frames 12 "${@:2}" &&
		json "$1" '[.opencl.devices[].overlap_ns | if type == "object" then .min_ns // .sum_ns else . end] | add'
}
pipeline() {
	local one many
	one=$(overlap one | tail -n 1) && many=$(overlap many --queues 3 --asynchronous | tail -n 1) || return 1
	printf 'overlap: %s ns with one queue, %s ns with three\n' "$one" "$many"
	[ "$one" = 0 ] && [ "$many" -gt 0 ]
}
part_cases() {
	check case-cpu-preemption cpu_preemption
	check case-gpu-sharing gpu_sharing
	check case-pipeline pipeline
}

part_first() {
	gpu kernel-us=300,transfer-us=100
	check calls-kmeans same_calls with "$W/kmeans"
	check tied-each tied kernel-us=2000,transfer-us=500 all "$W/histogram"
	check case-cpu-preemption cpu_preemption
	check case-gpu-sharing gpu_sharing
}

for part in "${PARTS[@]}"; do
	"part_$part"
done
[ ! -s again ] || cat again
rmmod i915
