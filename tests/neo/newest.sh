# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The second half of the suite: programs for Level Zero and OpenCL on Intel's newest runtime and an emulated xe (tests/xe), whose truth
# says what ran when; then the OpenCL layer above them.
CHECK_PREFIX=newest-
newest=$(cat "$T/runtime")
X=$B/xe
make -s B="$B" XE_RUNTIME="$newest" xe && make -s SAN=1 XE_RUNTIME="$newest" xe || exit 1
export GPULANE_XE_LIBRARY=$PWD/$X/libgpulane-xe.so
g=0

# on_gpu PATTERN [OPTION...] PROGRAM [ARG...] - a program ends well on a GPU of its own ($gpu_dir), whose truth has these totals and no
# faults; its output is in $T/out
on_gpu() {
	local totals=$1
	shift
	gpu_dir=$T/gpu.$((g += 1))
	timeout 300 scripts/xe-run --gpu "$gpu_dir" "$@" >"$T/out" 2>&1 || { echo "exit code $?"; cat "$T/out"; return 1; }
	truth_is "$totals"
}
# truth_is PATTERN [NS]
truth_is() {
	awk -v ns="${2-0}" -v segments="$T/segments" -f tests/neo/truth.awk "$gpu_dir/truth" >"$T/totals"
	cat "$T/totals"
	grep -qE -- "^$1\$" "$T/totals"
}
ok='banned 0 skipped 0 faults 0'
# The runtime does on one device nearly what it does on the other: in make check Lunar Lake has its name, and slow and fast clocks.
devices=(bmg)
! in_all 'most of Lunar Lake' || devices+=(lnl)

# --- programs
names() { on_gpu "kernels 0 .*$ok" --device "$1" clinfo && grep -q "Device Name .*$2" "$T/out" && on_gpu "kernels 0 .*$ok" --device "$1" $X/levelzero device && cat "$T/out" && grep -q "$2.*$3" "$T/out"; }
check names-bmg names bmg 'Arc(TM) B580' '0xe20b, 5 slices of 4 Xe cores'
check names-lnl names lnl 'Arc(TM) Graphics' '0x64a0, 2 slices of 4 Xe cores'
for device in "${devices[@]}"; do
	for kind in immediate ordered regular; do
		check "$device-$kind" on_gpu "kernels 200 copies 0 .*$ok" --device $device $X/levelzero launches 200 $kind
	done
	check "$device-burst" on_gpu "kernels 1000 .*$ok" --device $device $X/levelzero burst 1000
	check "$device-copies" on_gpu "kernels 0 copies 2 .*$ok" --device $device $X/levelzero copy
	check "$device-event-of-the-host" on_gpu "kernels 1 .*$ok" --device $device $X/levelzero hold
done
# What is given to the ring without a call: an EXEC is only where the ring had stopped, which a busy machine makes more often.
check direct-submission on_gpu "kernels 20000 copies 0 execs [0-9]{1,3} .*$ok" $X/levelzero launches 20000 immediate
named() {
	timeout 300 scripts/xe-run --gpu "$T/gpu.named" "$B/workloads/histogram" >"$T/out" 2>&1
	cat "$T/out" "$T/gpu.named/truth"
	grep -q 'name histogram_local$' "$T/gpu.named/truth"
}
check kernels-are-named named

# --- times that a script gives, and who has the engine
printf 'kernel tick takes 3 ms, then 9 ms\ncopy takes 1 ms\n' >"$T/script"
printf 'kernel tick takes 2 ms\n' >"$T/even"
printf 'kernel tick hangs\n' >"$T/hangs"
scripted() {
	on_gpu "kernels 4 .*$ok" --script "$T/script" $X/levelzero launches 4 immediate &&
		same times '3000000 9000000 9000000 9000000' "$(awk '$1 == "kernel" { print $13 - $11 - $15 }' "$gpu_dir/truth" | paste -sd' ')"
}
check script scripted
# Two programs, one engine: both have it in turns, a slice each; every run has its time, and the engine one of them at a time.
shared() {
	local pid
	on_gpu "kernels 1 .*$ok" --script "$T/even" $X/levelzero burst 1 || return 1
	timeout 300 scripts/xe-run --gpu "$gpu_dir" $X/levelzero burst 300 >"$T/out.2" 2>&1 &
	pid=$!
	timeout 300 scripts/xe-run --gpu "$gpu_dir" $X/levelzero burst 300 >"$T/out" 2>&1 && wait $pid || { cat "$T/out" "$T/out.2"; return 1; }
	truth_is "kernels 601 copies 0 execs [0-9]+ done [0-9]+ preempted [0-9]{2,} changes [0-9]{2,} $ok" 2000000
}
check two-on-one-engine shared
# is_on GPU N - so many kernels have run there
is_on() { [ "$(grep -c '^kernel ' "$1/truth" 2>/dev/null)" -ge "$2" ]; }
# gone SCRIPT SIGNAL - a program that has the engine is killed: the other gets it
gone() {
	local pid
	on_gpu "kernels 1 .*$ok" --script "$T/even" $X/levelzero burst 1 || return 1
	timeout 300 scripts/xe-run --gpu "$gpu_dir" $X/levelzero burst 100000 >"$T/out.2" 2>&1 &
	until_holds is_on "$gpu_dir" 20
	pid=$(awk '$1 == "kernel" { pid = $5 } END { print pid }' "$gpu_dir/truth")
	kill -KILL "$pid"
	timeout 300 scripts/xe-run --gpu "$gpu_dir" $X/levelzero burst 50 >"$T/out" 2>&1 || { cat "$T/out"; return 1; }
	same kernels 50 "$(awk -v pid="$pid" '$1 == "kernel" && $5 != pid && ++n > 1 { m++ } END { print m }' "$gpu_dir/truth")"
}
check killed gone
# A kernel that never ends has the engine until another wants it. Then its queue is banned, and its program is told.
hung() {
	local pid
	gpu_dir=$T/gpu.hung
	timeout 300 scripts/xe-run --gpu "$gpu_dir" --script "$T/hangs" $X/levelzero burst 1 >"$T/out.2" 2>&1 &
	pid=$!
	until_holds grep -qs '^exec ' "$gpu_dir/truth"
	sleep 0.2
	: >"$gpu_dir/script"
	timeout 300 scripts/xe-run --gpu "$gpu_dir" $X/levelzero burst 50 >"$T/out" 2>&1 || { cat "$T/out"; return 1; }
	wait $pid
	truth_is 'kernels 50 .* banned 1 skipped 0 faults 0'
}
check hang hung
misused() {
	scripts/xe-run --gpu "$T/gpu.misuse" true || return 1
	GPULANE_XE=$T/gpu.misuse LD_PRELOAD="$(gcc -print-file-name=libasan.so) $B-asan/xe/libgpulane-xe.so" timeout 300 "$B-asan/xe/misuse" >"$T/out" 2>&1
	local status=$?
	cat "$T/out"
	[ $status -eq 0 ] && grep -q '^misuse: 5[0-9]* as they must be, 0 not$' "$T/out"
}
check misuse misused

# --- the OpenCL layer above it, as above the other runtime
rm -rf "$T/plain/runtime" "$T/home/rec" "$T/home/last"
cp -alT "$newest" "$T/plain/runtime" 2>/dev/null || cp -aT "$newest" "$T/plain/runtime"
cp $X/libgpulane-xe.so "$T/plain"
R=$T/plain/runtime
# runs_on DEVICE [SCRIPT] - what comes runs on a GPU of its own, of the suite's user
runs_on() {
	gpu_dir=$T/home/gpu.$((g += 1))
	scripts/xe-run --gpu "$gpu_dir" --device "$1" ${2:+--script "$2"} true || return 1
	[ "$(id -u)" != 0 ] || chown -R "$id:$id" "$gpu_dir"
	gpu=(env OCL_ICD_VENDORS="$R/intel.icd" GPULANE_XE="$gpu_dir" "$R/usr/lib64/ld-linux-x86-64.so.2" --preload "$T/plain/libgpulane-xe.so"
		--library-path "$R/usr/lib/x86_64-linux-gnu/intel-opencl:$R/usr/lib/x86_64-linux-gnu")
}
all_times() { cat "$1"; }
times=all_times
printf 'kernel * takes 300 us\n' >"$T/slow"
runs_on bmg
check layer-clinfo same_with "$R/usr/bin/clinfo"
check layer-histogram same_with "$T/plain/histogram"
check layer-what-a-program-sees same_with "$T/plain/transparency" valid
# times_are RECORDING COMMANDS - each command has its times in order, as many kernels are recorded as ran, and all lie in each other's bounds. On a busy
# machine the runtime itself may tell wrong times: it keeps a pair of times of the CPU's and the GPU's without a lock (NEO, os_time.cpp,
# DeviceTime::getGpuCpuTimestamps), and a thread that loses its CPU in there tells times of commands that are wrong by microseconds.
times_are() {
	as "$T/plain/gpulane" report --commands "$1" >"$T/csv" || return 1
	awk -f tests/neo/times.awk "$T/csv" "$gpu_dir/truth" >"$T/found"
	cat "$T/found"
	tail -n 1 "$T/found" >>"$T/far"
	grep -qE "^commands $2 .*faults 0\$" "$T/found" || return 1
	grep -q ' outside 0 ' "$T/found" || busy 'times of the runtime are outside the truth'
}
# recorded "DEVICE [SCRIPT]" NUMBERED TOLD PROGRAM...
recorded() {
	local device=$1 numbered=$2 told=$3
	shift 3
	# shellcheck disable=SC2086 # words
	runs_on $device || return 1
	records layer "numbered $numbered commands $told timed $told .*open 0" "$@" || return 1
	grep -q " commands $numbered " "$T/found" || { busy 'the program ended before all was told'; return; }
	times_are "$T/home/rec" "$numbered"
}
# Three programs at once on one engine, whose kernels take 300 us: each is recorded with the times that it had, the others' slices in them.
competing() {
	rm -rf "$T/home/three"
	runs_on bmg "$T/slow" || return 1
	as timeout 600 "$T/plain/gpulane" record --backend none --opencl layer --output "$T/home/three" -- \
		sh -c 'for i in 1 2 3; do "$@" & done; wait' - "${gpu[@]}" "$T/plain/stress" 4 50 kernel >"$T/out" 2>&1 || { cat "$T/out"; return 1; }
	cat "$T/out"
	truth_is "kernels .* preempted [1-9][0-9]* .*$ok" && times_are "$T/home/three" 3003
}
check recorded-three-programs retried 3 competing
# 20,000 launches, of which nearly none is a call of the kernel's: as many commands as the GPU ran kernels.
launched() {
	rm -rf "$T/home/many"
	runs_on bmg || return 1
	as timeout 600 "$T/plain/gpulane" record --backend none --opencl layer --buffer 32M --output "$T/home/many" -- "${gpu[@]}" "$R/usr/bin/clpeak" \
		--kernel-latency >"$T/out" 2>&1 || { cat "$T/out"; return 1; }
	cat "$T/out"
	truth_is "kernels 20[0-9]{3} copies [0-9]+ execs [0-9]{1,3} .*$ok" && times_are "$T/home/many" 20[0-9][0-9][0-9]
}
! in_all "20,000 of OpenCL's launches, by clpeak" || check recorded-clpeak retried 3 launched
# The histogram ends at its first frame, which is wrong, and does not wait until the runtime's thread has told of the kernel.
for device in "${devices[@]}"; do
	check "recorded-histogram-$device" retried 3 recorded $device 4 '[34]' "$T/plain/histogram"
	check "recorded-threads-$device" retried 3 recorded $device 1001 1001 "$T/plain/stress" 4 50 kernel
done

# No call waits for the device that does not wait alone, and an out-of-order queue is as much out of order. (On this device Intel's runtime
# lets nothing overtake, alone either.)
printf 'kernel * takes 10 ms\n' >"$T/ten"
gcc -O1 -D_GNU_SOURCE -o "$T/plain/calls" tests/opencl/calls.c -lOpenCL -lpthread && chmod a+rx "$T/plain/calls" || exit 1
calls_alike() {
	runs_on "$1" "$T/ten" || return 1
	as timeout 300 "${gpu[@]}" "$T/plain/calls" 12 >"$T/calls.alone" 2>"$T/alone" || { cat "$T/alone"; return 1; }
	rm -rf "$T/home/calls"
	as timeout 300 "$T/plain/gpulane" record --backend none --opencl layer --output "$T/home/calls" -- "${gpu[@]}" "$T/plain/calls" 12 \
		>"$T/calls.recorded" 2>"$T/out"
	diff "$T/alone" <(grep -v '^gpulane: ' "$T/out") && awk -f tests/opencl/alike.awk "$T/calls.alone" "$T/calls.recorded"
}
for device in "${devices[@]}"; do
	check "calls-wait-as-alone-$device" calls_alike $device
done

# User events that hold commands back, a queue out of order, and a program that reads its commands' times itself
for device in "${devices[@]}"; do
	check "recorded-user-events-$device" retried 3 recorded $device 300 300 "$T/plain/told" 100
done

# Calls, as the kernel counts them, by the layer and by probes; and the times that a program reads itself, which probes see
mkdir -p "$T/plain/counted" && cp -fL "$R"/usr/lib/x86_64-linux-gnu/{libOpenCL,libze_loader}.so.1 "$T/plain/counted" && chmod -R a+rX "$T/plain"
# counted_cl "DEVICE [SCRIPT]" HOW FUNCTIONS PROGRAM...
counted_cl() {
	# shellcheck disable=SC2086 # words
	runs_on $1 || return 1
	gpu[-1]=$T/plain/counted:${gpu[-1]}
	as_counted "$2" "$T/plain/counted/libOpenCL.so.1" "$3" "${gpu[@]}" "${@:4}"
}
probed_times() {
	printf 'clock runs 100 ppm fast\n' >"$T/clock"
	counted_cl "$1 $T/clock" probes 20 "$T/plain/told" 100 || return 1
	"$B/gpulane" report --commands "$T/home/counted" >"$T/csv" && awk -f tests/neo/times.awk "$T/csv" "$gpu_dir/truth" >"$T/found" || return 1
	cat "$T/found"
	grep -q '^commands 300 kernels 300 .* without 0 unknown 0 .* outside 0 faults 0$' "$T/found"
}
if can_count calls-counted; then
	for device in "${devices[@]}"; do
		check "counted-layer-$device" counted_cl $device layer 20 "$T/plain/told" 100
		check "counted-probes-$device" counted_cl $device probes 20 "$T/plain/stress" 4 50 kernel
		if sees_all_pids; then
			check "probed-times-$device" probed_times $device
		else
			left_out "probed-times-$device" 'the kernel and the emulated GPU number processes differently in a PID namespace'
		fi
	done
	check counted-clinfo-layer counted_cl bmg layer 5 "$R/usr/bin/clinfo"
	! in_all "clpeak's calls" || check counted-clpeak-layer counted_cl bmg layer 20 "$R/usr/bin/clpeak" --kernel-latency
fi

# A device's clock that runs fast, or slow: the runtime tells of 3 ms by it, and estimates wrongly when commands were submitted (docs/xe-emulation.md).
# Whatever is told lies within its bounds.
clock() {
	printf 'kernel * takes 3 ms\nclock runs 1000 ppm %s\n' "$1" >"$T/clock"
	runs_on bmg "$T/clock" && records layer ' commands [34] ' "$T/plain/histogram" || return 1
	same "the runtime's us" "$2" "$(sed -nE 's/.* opencl_command .*start_ns=([0-9]+) end_ns=([0-9]+).*/\1 \2/p' "$T/dump" |
		awk '$2 - $1 > 2e6 { printf "%.0f\n", ($2 - $1) / 1000 }' | sort -u)"
}
check recorded-clock-fast clock fast 3003
check recorded-clock-slow clock slow 2997
clocks=('bmg 100 slow' 'lnl 100 fast')
! in_all 'six more clocks' || clocks+=('bmg 20 fast' 'bmg 20 slow' 'bmg 100 fast' 'lnl 20 fast' 'lnl 20 slow' 'lnl 100 slow')
for clock in "${clocks[@]}"; do
	read -r device ppm way <<<"$clock"
	printf 'clock runs %s ppm %s\n' "$ppm" "$way" >"$T/clock"
	check "recorded-clock-$device-$ppm-$way" retried 3 recorded "$device $T/clock" 1001 1001 "$T/plain/stress" 4 50 kernel
done

# What a benchmark of hashcat's does: thousands of small kernels, each of which has its words written and copied, and its results read. It ends after 4,096
# rounds or 4 s. It looks for its files beside /proc/self/exe, which is the loader, and writes there what it compiled.
hashcat_recorded() {
	runs_on "$1" || return 1
	gpu=("${gpu[@]/#"$R/usr/lib64/ld-linux-x86-64.so.2"/"$T/home/hashcat/ld.so"}")
	gpu[-1]+=:$T/plain/hashcat
	records layer 'numbered \([0-9]*\) commands \1 timed \1 .*open 0' "$T/plain/hashcat/hashcat" -b -m 0 --force --self-test-disable -n 1 -u 1 -T 32 &&
		truth_is "kernels .*$ok" && times_are "$T/home/rec" '[0-9]+ kernels [0-9]{3,}'
}
if in_all "a benchmark of hashcat's on Intel's newest runtime"; then
	if scripts/guest.d/hashcat >"$T/hashcat" 2>"$T/said"; then
		cp -alT "$(cat "$T/hashcat")" "$T/plain/hashcat" 2>/dev/null || cp -aT "$(cat "$T/hashcat")" "$T/plain/hashcat"
		as mkdir "$T/home/hashcat"
		ln -s "$T/plain/hashcat"/* "$T/home/hashcat"
		cp -L "$R/usr/lib64/ld-linux-x86-64.so.2" "$T/home/hashcat/ld.so"
		for device in bmg lnl; do
			check "recorded-hashcat-$device" retried 3 hashcat_recorded $device
		done
	else
		cat "$T/said"
		left_out hashcat "Debian's hashcat could not be fetched: $(tail -n 1 "$T/said")"
	fi
fi

# --- the Level Zero layer, which the loader takes for its tracing layer
make -s B="$B" "$B/levelzero/libze_tracing_layer.so.1" || exit 1
mkdir -p "$T/plain/levelzero"
cp "$B/libgpulane-levelzero.so" "$T/plain/levelzero/libze_tracing_layer.so.1"
cp $X/levelzero "$T/plain/ze" && chmod -R a+rX "$T/plain"
# The places of functions in the loader's tables, and the structures, are those of Level Zero's own headers.
abi() {
	awk '/^typedef struct _ze_.*_dditable_t/ { n = 0 } /^ *ze_pfn[A-Za-z0-9]+_t +pfn/ { sub(/^ze_pfn/, "ze", $1); sub(/_t$/, "", $1); print $1, n++ }' \
		"$newest/usr/include/level_zero/ze_ddi.h" | sort >"$T/places"
	sed -nE 's/^\tE\([A-Za-z]+, ([0-9]+), [0-9]+, (ze[A-Za-z]+)\).*/\2 \1/p' userspace/levelzero/ze_tables.c | sort >"$T/ours"
	[ "$(wc -l <"$T/ours")" -gt 60 ] && same 'not in the headers so' '' "$(comm -23 "$T/ours" "$T/places")" || return 1
	gcc -fsyntax-only -Iuserspace -idirafter "$newest/usr/include" -include stddef.h -include level_zero/ze_api.h -x c - <<-'END'
		#include "levelzero/ze_layer.h"
		#define SAME(a, x, b, y) _Static_assert(offsetof(a, x) == offsetof(struct b, y), #a);
		SAME(ze_event_pool_desc_t, flags, lane_ze_pool_desc, flags) SAME(ze_event_pool_desc_t, count, lane_ze_pool_desc, count)
		SAME(ze_event_counter_based_desc_t, signal, lane_ze_pool_desc, count) SAME(ze_event_counter_based_desc_t, wait, lane_ze_pool_desc, wait)
		SAME(ze_event_desc_t, wait, lane_ze_event_desc, wait) SAME(ze_command_queue_desc_t, flags, lane_ze_queue_desc, flags)
		SAME(ze_command_list_desc_t, flags, lane_ze_list_desc, flags) SAME(ze_kernel_desc_t, pKernelName, lane_ze_kernel_desc, name)
		SAME(ze_device_properties_t, timerResolution, lane_ze_device_properties, timer_hz)
		SAME(ze_device_properties_t, kernelTimestampValidBits, lane_ze_device_properties, kernel_time_bits)
		SAME(ze_device_properties_t, name, lane_ze_device_properties, name)
		_Static_assert(sizeof(ze_device_properties_t) == sizeof(struct lane_ze_device_properties), "size");
		_Static_assert(sizeof(ze_kernel_timestamp_result_t) == sizeof(struct lane_ze_times), "size");
		_Static_assert(LANE_ZE_POOL_TIMES == ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP && LANE_ZE_POOL_MAPPED_TIMES == ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP &&
			LANE_ZE_POOL_IPC == ZE_EVENT_POOL_FLAG_IPC && LANE_ZE_COUNTER_TIMES == ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP &&
			LANE_ZE_QUEUE_IN_ORDER == ZE_COMMAND_QUEUE_FLAG_IN_ORDER &&
			LANE_ZE_LIST_IN_ORDER == ZE_COMMAND_LIST_FLAG_IN_ORDER && LANE_ZE_LIST_CLONEABLE == ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE &&
			LANE_ZE_TYPE_DEVICE_1_2 == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 && LANE_ZE_UNSUPPORTED == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "values");
	END
}
check levelzero-abi abi
# Every function that signals an event is followed: those of Level Zero's header, and the driver's own but for those that nobody follows, of which the
# layer says so to itself: the program's events tell no times then.
signals() {
	local ours unfollowed='zexCommandListAppend(CustomOperation|Memory(Copy|Fill)WithParameters|VariableLaunchKernel|WaitOnMemory64|Jump)
zexCommandList(Append(MI|LoadReg|StoreReg)|[GS]etLabel|GetVariable|(Get|Load)NativeBinary|TempMem).*
zexVariable(GetInfo|SetValue)'
	ours=$(sed -nE '/^#define (ENTRIES|OWN|SIGNALS_NONE)\(/,/[^\\]$/p' userspace/levelzero/ze_tables.c | grep -oE '\bze[rx]?[A-Z][A-Za-z0-9]+' | sort -u)
	awk -v all="$T/api" '/^ze[A-Za-z0-9]+\($/ { name = substr($1, 1, length($1) - 1); print name >all }
		/^ *ze_event_handle_t hSignalEvent/ && name { print name } /^ *\);/ { name = "" }' "$newest/usr/include/level_zero/ze_api.h" | sort -u >"$T/signallers"
	[ "$(wc -l <"$T/signallers")" -gt 25 ] && same 'signal an event, and are not followed' '' "$(comm -23 "$T/signallers" <(printf '%s\n' "$ours"))" || return 1
	grep -aoE '\b(zex[A-Z][A-Za-z0-9]{9,}|zeCommandList[A-Za-z0-9]+Exp|zeGraph[A-Z][A-Za-z]+Ex[pt])\b' \
		"$newest/usr/lib/x86_64-linux-gnu/libze_intel_gpu.so.1" | sort -u >"$T/own"
	[ "$(wc -l <"$T/own")" -gt 40 ] && same "the driver's own that are in no list" '' \
		"$(grep -vxF -e "$ours" -f "$T/api" "$T/own" | grep -vxE "$unfollowed" | paste -sd' ')"
}
check levelzero-signals signals
# ze_on DEVICE - as runs_on, with what a program finds by its environment in the library path, too
ze_on() {
	runs_on "$@" || return 1
	gpu=(sh -c 'ZE_ENABLE_ALT_DRIVERS=$0/libze_intel_gpu.so.1 OCL_ICD_VENDORS='"$R/intel.icd"' GPULANE_XE='"$gpu_dir"' exec '"$R"'/usr/lib64/ld-linux-x86-64.so.2 \
		--preload '"$T/plain/libgpulane-xe.so"'\
		--library-path "$LD_LIBRARY_PATH:'"${older:+$older:}"'$0/intel-opencl:$0" "$@"' "$R/usr/lib/x86_64-linux-gnu")
}
# ze_recorded "DEVICE [SCRIPT]" COMMANDS PROGRAM ARG... - the program says what it says alone, and each of its commands is there once,
# within its bounds
ze_recorded() {
	local device=$1 commands=$2
	shift 2
	# shellcheck disable=SC2086 # words
	ze_on $device || return 1
	as timeout 300 "${gpu[@]}" "$T/plain/$1" "${@:2}" >"$T/alone" 2>&1 || { cat "$T/alone"; return 1; }
	: >"$gpu_dir/truth"
	rm -rf "$T/home/ze"
	as timeout 300 "$T/plain/gpulane" record --backend none --api "${api-layer}" --buffer 32M --output "$T/home/ze" -- "${gpu[@]}" "$T/plain/$1" "${@:2}" \
		>"$T/out" 2>&1
	diff -a "$T/alone" <(grep -av '^gpulane: ' "$T/out") || return 1
	as "$T/plain/gpulane" report --commands "$T/home/ze" >"$T/csv" && awk -f tests/neo/times.awk "$T/csv" "$gpu_dir/truth" >"$T/found" || return 1
	cat "$T/found"
	grep -qE "^commands $commands .*faults 0\$" "$T/found"
}
for device in "${devices[@]}"; do
	for kind in immediate ordered regular; do
		check "levelzero-$device-$kind" ze_recorded $device '200 kernels 200 .* without 0 unknown 0 .* outside 0' ze launches 200 $kind
	done
	check "levelzero-$device-burst" ze_recorded $device '1000 kernels 1000 .* without 0 unknown 0 .* outside 0' ze burst 1000
	check "levelzero-$device-copies" ze_recorded $device '2 kernels 0 .* without 0 unknown 0 .* outside 0' ze copy
	check "levelzero-$device-event-of-the-host" ze_recorded $device '1 kernels 1 .* without 0 unknown 0 .* outside 0' ze hold
done
# The Level Zero layer measures the clocks by itself, and its bounds hold.
for clock in 'bmg 1000 fast' 'lnl 1000 slow'; do
	read -r device ppm way <<<"$clock"
	printf 'kernel * takes 3 ms\nclock runs %s ppm %s\n' "$ppm" "$way" >"$T/clock"
	check "levelzero-clock-$device-$ppm-$way" ze_recorded "$device $T/clock" '20 kernels 20 .* without 0 unknown 0 .* outside 0' ze launches 20 immediate
done
# Level Zero's calls, as the kernel counts them: each kind of launch, and all that is hard for a tracer (kinds.c)
counted_ze() {
	local older=$T/plain/counted
	ze_on "$1" || return 1
	as_counted "$2" "$older/libze_loader.so.1" "$3" "${gpu[@]}" "${@:4}"
}
if can_count levelzero-calls-counted; then
	for device in "${devices[@]}"; do
		for how in layer probes; do
			check "counted-levelzero-$how-$device" counted_ze $device $how 8 "$T/plain/ze" launches 200 regular
		done
	done
	cp $X/kinds "$T/plain" && chmod a+rx "$T/plain/kinds"
	for how in layer probes; do
		check "counted-levelzero-$how-mixed" counted_ze bmg $how 20 "$T/plain/kinds" mixed 12
	done
fi
check levelzero-20000 ze_recorded bmg '20000 kernels 20000 .* without 0 unknown 0 .* outside 0' ze launches 20000 immediate
# Nothing of a launch stays, but for what is not freed by the half of them: a buffer of the tracer's that grows, a list's room. The kernels take 100 ns.
printf 'kernel * takes 100 ns\n' >"$T/quick"
no_leak() {
	ze_on bmg "$T/quick" || return 1
	rm -rf "$T/home/ze"
	as timeout 1800 "$T/plain/gpulane" record --backend none --api layer --buffer 32M --output "$T/home/ze" -- "${gpu[@]}" "$T/plain/ze" many "$1" \
		>"$T/out" 2>&1
	cat "$T/out"
	truth_is "kernels $(($1 * 500)) .*$ok" && awk '/ bytes stay of / { good = $1 <= 4096 } END { exit !good }' "$T/out"
}
check levelzero-leak no_leak 20
! in_all "a million of Level Zero's launches" || check levelzero-leak-of-a-million no_leak 2000
# What is hard for a tracer (kinds.c), a program each, one after the other in one recording: each says what it says alone, and has its commands, once
# each. A list's launches that other commands follow before they are complete may lose their times: their event is used again, reset by the GPU or
# exchanged. The CPU does a host's function.
kinds='plain 12 12
counter 12 12
extension 12 12
recycled 12 12 some
reset 12 12 some
reset-in-list 12 12
arguments 48 36
early 36 36
again 37 25
appended 24 24
graph 24 12 none 48
threads 48 48
offload 24 12
fences 12 12
barriers 36 36
host 24 12 some
query 12 12
changed 12 12 some
synchronous 24 24
both 24 12
mixed 457 385 some 48'
# kinds_recorded DEVICE
kinds_recorded() {
	local run=("$T/kinds.sh" "${gpu[@]}" "$T/plain/kinds")
	as timeout 300 "${run[@]}" >"$T/alone" 2>&1 || { cat "$T/alone"; return 1; }
	: >"$gpu_dir/truth"
	as timeout 300 "$T/plain/gpulane" record --backend none --api layer --buffer 32M --output "$T/home/kinds.$1" -- "${run[@]}" >"$T/out" 2>&1
	diff -a "$T/alone" <(grep -av '^gpulane: ' "$T/out") && as "$T/plain/gpulane" report --commands "$T/home/kinds.$1" >"$T/csv" &&
		truth_is "kernels [0-9]+ .*$ok"
}
# one_kind PID COMMANDS KERNELS [some|none [INSIDE]]
one_kind() {
	awk -v unknown="${4+1}" -v inside="${5-0}" -f tests/neo/times.awk <(awk -F, -v pid="$1" 'NR == 1 || $1 == pid' "$T/csv") \
		<(awk -v pid="$1" '$5 == pid' "$gpu_dir/truth") >"$T/found"
	cat "$T/found"
	[ "${4-none}" = some ] || grep -q ' unknown 0 ' "$T/found" || return 1
	grep -qE "^commands $2 kernels $3 .* outside 0 faults 0\$" "$T/found"
}
cp $X/kinds "$T/plain" && chmod a+rx "$T/plain/kinds"
printf '#!/bin/sh\nfor kind in%s; do "$@" $kind 12 || exit; done\n' "$(awk '{ printf " %s", $1 }' <<<"$kinds")" >"$T/kinds.sh"
chmod a+rx "$T/kinds.sh"
for device in "${devices[@]}"; do
	ze_on $device
	check "levelzero-kinds-$device" kinds_recorded $device
	[ $device != bmg ] || gpu_of_kinds=$gpu_dir
	mapfile -t pids < <(awk '$1 == "queue" && !seen[$4]++ { print $4 }' "$gpu_dir/truth")
	n=0
	while read -r kind rest; do
		# shellcheck disable=SC2086 # words
		check "levelzero-$device-$kind" one_kind "${pids[n++]-0}" $rest
	done <<<"$kinds"
done
# A launch with arguments sets its kernel's group, for the launches behind it, too: four groups of 8 work items each.
groups_are() {
	as "$T/plain/gpulane" dump "$T/home/kinds.$1" | grep -a ' opencl_call_entry .*LaunchCooperativeKernel' >"$T/found"
	same 'launches' 'size=32 group=8' "$(grep -ao 'size=[0-9]* group=[0-9]*' "$T/found" | sort -u)"
}
check levelzero-groups groups_are bmg
# Programs that trace themselves (zelTracer*) trace while they are recorded what they trace alone: by the variable, by zelEnableTracingLayer, never.
cp $X/traced "$T/plain" && chmod a+rx "$T/plain/traced"
ways=('' 'set' 'enable' 'first thread disable again')
! in_all 'six more ways in which a program traces itself' || ways+=('first' 'set first' 'thread' 'enable disable' 'set disable' 'first enable')
{ echo '#!/bin/sh' && printf '"$@" %s || exit\n' "${ways[@]}"; } >"$T/traced.sh"
chmod a+rx "$T/traced.sh"
# traces_itself TRACED [LOADER] - so many launches are traced by the last of the ways; each is recorded, by whatever way it is traced
traces_itself() {
	local older=${2:+$T/plain/loaders/$2} run
	ze_on bmg || return 1
	run=("$T/traced.sh" "${gpu[@]}" "$T/plain/traced")
	as timeout 300 "${run[@]}" >"$T/alone" 2>&1 || { cat "$T/alone"; return 1; }
	rm -rf "$T/home/traced"
	as timeout 300 "$T/plain/gpulane" record --backend none --api layer --output "$T/home/traced" -- "${run[@]}" >"$T/out" 2>&1
	diff -a "$T/alone" <(grep -av '^gpulane: ' "$T/out") || return 1
	as "$T/plain/gpulane" report --commands "$T/home/traced" >"$T/csv" && same commands $((40 * ${#ways[@]})) $(($(wc -l <"$T/csv") - 1)) &&
		same traced "$1" "$(sed -n 's/^traced \([0-9]*\).*/\1/p' "$T/alone" | sed -n 16p)"
}
check levelzero-traces-itself traces_itself 20
# Each function of the loader's that registers a call-back is there.
call_backs() { nm -D --defined-only "$1" | awk '$3 ~ /^zelTracer.*RegisterCallback$/ { print $3 }' | sort; }
all_call_backs() {
	call_backs "$R/usr/lib/x86_64-linux-gnu/libze_loader.so.1" >"$T/theirs"
	[ "$(wc -l <"$T/theirs")" -gt 250 ] && diff "$T/theirs" <(call_backs "$T/plain/levelzero/libze_tracing_layer.so.1")
}
check levelzero-call-backs all_call_backs
# OpenCL's layer preloaded, the other as ever
levelzero_preloaded() { local api=preload; ze_recorded bmg "50 kernels 50 .* without 0 unknown 0 .* outside 0" ze launches 50 immediate; }
check levelzero-preload levelzero_preloaded
# The loaders of Debian 12 and 13: 1.8.12 and 1.20.6.
with_loader() {
	local older=$T/plain/loaders/$1
	[ -e "$older/libze_loader.so.$2" ] && ze_recorded bmg '50 kernels 50 .* without 0 unknown 0 .* outside 0' ze launches 50 "$3"
}
if scripts/guest.d/levelzero-loaders >"$T/loaders" 2>"$T/said"; then
	cp -r "$(cat "$T/loaders")" "$T/plain/loaders" && chmod -R a+rX "$T/plain/loaders"
	for kind in immediate regular; do
		check "levelzero-loader-1.8.12-$kind" with_loader bookworm 1.8.0 $kind
		check "levelzero-loader-1.20.6-$kind" with_loader trixie 1.20.6 $kind
	done
	check levelzero-loader-1.8.12-traces-itself traces_itself 0 bookworm
	check levelzero-loader-1.20.6-traces-itself traces_itself 20 trixie
else
	cat "$T/said"
	left_out levelzero-loaders "Debian's loaders could not be fetched: $(tail -n 1 "$T/said")"
fi
printf 'farthest from the truth: '
sort -t ' ' -k 12n "$T/far" | tail -n 1
CHECK_PREFIX=
