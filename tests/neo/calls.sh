# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Programs for Level Zero alone and recorded: no call waits for the GPU that does not wait alone (calls.c), and all commands have their times.
CHECK_PREFIX=newest-calls-
cp $X/calls "$T/plain" && chmod a+rx "$T/plain/calls"
printf 'kernel * takes 20 us\n' >"$T/short"
# the way, its launches, and of the recording: commands, kernels, how many have no times, kernels in graphs
calls='poll 300 3 3 0
pollcb 300 3 3 0
timeout0 300 302 302 0
reuse 300 302 302 0
drop 300 302 302 0
ahead 3000 3002 3002 0
threads 300 302 302 0
graph 300 17 2 0 300'
! in_all 'more ways to launch' || calls+='
keep 320 321 321 0
plain 300 321 321 0
unordered 300 321 321 300
profiled 100 101 101 0
batch 300 301 301 0
jit 10 11 11 0'
# as_alone DEVICE WAY N COMMANDS KERNELS UNKNOWN [INSIDE]
as_alone() {
	ze_on "$1" "$T/short" || return 1
	as timeout 300 "${gpu[@]}" "$T/plain/calls" "$T/home/alone.calls" "$2" "$3" >"$T/alone" 2>&1 || { cat "$T/alone"; return 1; }
	: >"$gpu_dir/truth"
	rm -rf "$T/home/calls"
	as timeout 300 "$T/plain/gpulane" record --backend none --api layer --buffer 32M --output "$T/home/calls" -- "${gpu[@]}" "$T/plain/calls" \
		"$T/home/recorded.calls" "$2" "$3" >"$T/out" 2>&1
	awk -v way="${CALLS+$1: $2}" -f tests/neo/calls.awk "$T/home/alone.calls" "$T/home/recorded.calls" >"$T/found"
	cat "$T/found"
	[ -z "${CALLS-}" ] || cat "$T/found" >>"$CALLS"
	! grep -q '^fault' "$T/found" && diff -a "$T/alone" <(grep -av '^gpulane: ' "$T/out") || return 1
	as "$T/plain/gpulane" report --commands "$T/home/calls" >"$T/csv" &&
		awk -v unknown=1 -v inside="${7-0}" -f tests/neo/times.awk "$T/csv" "$gpu_dir/truth" >"$T/found" || return 1
	cat "$T/found"
	grep -qE "^commands $4 kernels $5 .* unknown $6 .* outside 0 faults 0\$" "$T/found"
}
for device in "${devices[@]}"; do
	while read -r way rest; do
		# shellcheck disable=SC2086 # words
		check "$device-$way" as_alone $device $way $rest
	done <<<"$calls"
done
CHECK_PREFIX=
