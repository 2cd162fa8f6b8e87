# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Who was ahead: programs that compete for one engine of the emulated GPU, whose truth says what ran when. After newest.sh, whose functions it uses.
CHECK_PREFIX=newest-
# was_ahead PROGRAMS RECORDED [killed] - so many programs launch 100 kernels of 300 us each. The last ones are recorded, and one of them is perhaps killed amid its
# 20th; those that are not recorded have launched before and go on until the others have ended. Whatever is told of who was ahead is so, and of those that waited for
# others nine of ten are told to have.
was_ahead() {
	ze_on bmg "$T/slow" || return 1
	rm -rf "$T/home/ahead"
	as timeout 300 "$T/plain/gpulane" record --backend none --api layer --buffer 32M --output "$T/home/ahead" -- \
		sh -c 'all=$1 recorded=$2 killed=$3 truth=$4; shift 4
			launched() { until [ "$(grep -c "^kernel .* pid $1 " "$truth")" -ge 20 ]; do sleep 0.01; done; }
			while [ "$((i += 1))" -le "$all" ]; do
				if [ "$i" -le "$((all - recorded))" ]; then
					ZE_ENABLE_TRACING_LAYER=0 LD_LIBRARY_PATH= "$@" 100000 &
					others="$others $!"
					launched $!
				else
					"$@" 100 &
					ours="$ours $!"
				fi
			done
			if [ "$killed" ]; then
				launched $!
				kill -KILL $!
				echo "killed $!"
			fi
			wait $ours
			[ ! "$others" ] || kill -KILL $others' - "$1" "$2" "${3-}" "$gpu_dir/truth" "${gpu[@]}" "$T/plain/ze" burst >"$T/out" 2>&1 || { cat "$T/out"; return 1; }
	as "$T/plain/gpulane" report --commands "$T/home/ahead" >"$T/csv" && awk -v killed="$(sed -n 's/^killed //p' "$T/out")" -f tests/neo/ahead.awk \
		"$T/csv" "$gpu_dir/truth" >"$T/found" || return 1
	cat "$T/found"
	grep -qE "^commands $(($2 * 100)) .*faults 0\$" "$T/found" || { [ -n "${3-}" ] && grep -qE '^commands 2[0-9][0-9] .*faults 0$' "$T/found"; } || return 1
	[ -n "${3-}" ] || awk 'END { exit 10 * $12 < 9 * $10 }' "$T/found"
}
# with_jobs RECORDING ENDED - $T/jobs.txt: the recording with the jobs that a kernel would have told of
with_jobs() {
	as "$T/plain/gpulane" dump "$T/home/$1" >"$T/dump" && awk -v ended="$2" -f tests/neo/jobs.awk "$gpu_dir/truth" "$T/dump" >"$T/jobs" || return 1
	{ grep -v '^[0-9]' "$T/jobs" && grep '^[0-9]' "$T/jobs" | sort -s -n -k1,1; } >"$T/jobs.txt"
}
# tied RECORDING ENDED PATTERN - each command that is tied to a burst for sure ran in that one
tied() {
	with_jobs "$1" "$2" || return 1
	$bin report --commands "$T/jobs.txt" >"$T/csv" && awk -f tests/neo/ties.awk "$gpu_dir/truth" "$T/csv" | tee "$T/found"
	grep -qE "^commands $3 faults 0\$" "$T/found"
}
check ahead-three-programs was_ahead 3 3
check ties-6.12 tied ahead 0 '300 compared 300 kernels 300 of 300 .*'
check ties tied ahead 1 '300 compared 300 kernels 300 of 300 .*'
check ahead-one-is-not-recorded was_ahead 3 2
# unseen ENDED - whoever is told to have had bursts open while the recorded two waited is the third
unseen() {
	local third
	with_jobs ahead "$1" || return 1
	third=$(awk 'FNR == NR { split($0, a, ","); pids[a[1]]; next } $1 == "exec" && !($9 in pids) { print $9 }' "$T/csv" "$gpu_dir/truth" | sort -u)
	same 'who is not recorded' "$third" "$($bin report --format json "$T/jobs.txt" | jq -r '.opencl.unseen[].not_recorded' | grep -o '[0-9]*' | sort -u)"
}
check unseen-6.12 unseen 0
check unseen unseen 1
check ahead-one-is-killed was_ahead 3 3 killed
check ahead-alone was_ahead 1 1
# Each launch is waited for by its event: that is told.
awaited() {
	ze_on bmg || return 1
	rm -rf "$T/home/ahead"
	as timeout 300 "$T/plain/gpulane" record --backend none --api layer --output "$T/home/ahead" -- "${gpu[@]}" "$T/plain/ze" launches 200 immediate &&
		as "$T/plain/gpulane" report --format json "$T/home/ahead" >"$T/json" && same 'waits for tick' 200 "$(jq '.opencl.awaited[] | select(.command == "tick").count' "$T/json")"
}
check waits-are-tied awaited
gpu_dir=$gpu_of_kinds
check ties-kinds-6.12 tied kinds.bmg 0 '914 compared [0-9]{3} kernels [5-7][0-9]{2} of 770 .*'
check ties-kinds tied kinds.bmg 1 '914 compared [0-9]{3} kernels [5-7][0-9]{2} of 770 .*'
# restarted GPU RECORDING PATTERN - of each process no more restarts of rings are told than the emulation saw: EXECs of a queue that had taken a kernel by
# its semaphore, which is appended between two times. The first one told is one of them. Together: "seen N told N faults 0".
restarted() {
	gpu_dir=$1
	with_jobs "$2" 1 && $bin report --commands "$T/jobs.txt" >"$T/csv" && $bin report --format json "$T/jobs.txt" >"$T/json" || return 1
	jq -r '.memory[]? | select(.cause == "ring_restart") | "told \(.process | capture("(?<pid>[0-9]+)]?$").pid) \(.count) \(.first_ns)"' "$T/json" | awk '
		NR == FNR { split($0, a, ","); recorded[a[1]]; next }
		$1 == "queue" { pid[$2] = $4 }
		$1 == "kernel" { split($9, appended, "[.][.]"); fed[$3] = fed[$3] || appended[1] != appended[2] }
		$1 == "exec" && fed[$3] && pid[$3] in recorded { n[pid[$3]]++; seen++; was[pid[$3], $7] }
		$1 == "told" { told += $3; faults += $3 > n[$2] || !(($2, $4) in was) }
		END { printf "seen %d told %d faults %d\n", seen, told, faults }' "$T/csv" "$gpu_dir/truth" - | tee "$T/found"
	grep -qE "^$3 faults 0\$" "$T/found"
}
# Launches that let the ring stop now and then: each restart is told. On a busy machine a command's burst may be not certain, and with it its restart.
cost_restarts() {
	ze_on bmg "$T/quick" || return 1
	rm -rf "$T/home/cost"
	as timeout 300 "$T/plain/gpulane" record --backend none --api layer --buffer 32M --output "$T/home/cost" -- "${gpu[@]}" "$T/plain/ze" cost 8 >"$T/out" 2>&1 ||
		{ cat "$T/out"; return 1; }
	restarted "$gpu_dir" cost 'seen [1-9][0-9]* told [1-9][0-9]*' || return 1
	grep -qE '^seen ([0-9]+) told \1 ' "$T/found" || busy 'a restart is not told'
}
check restarts retried 3 cost_restarts
check restarts-kinds restarted "$gpu_of_kinds" kinds.bmg 'seen [0-9]+ told [0-9]+' # a ring may not have stopped
# What the layer costs a launch while nobody records: printed, since the machine may be busy.
gcc -O2 -Wall -Werror -o "$T/idle" tests/neo/idle.c && "$T/idle" "$B/libgpulane-levelzero.so"
CHECK_PREFIX=
