# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# A part of the suite: recordings of calls that are cut short can be read, and say why they were.

# Calls, for as long as it is let.
busy_for_long() { as timeout 600 "$T/gpulane" record --backend none --opencl layer "$@" -- "$plain/stress" 1 100000000 >"$T/cut" 2>&1 & }
# its_pid NAME... - of a process of the suite's user whose command line has these words
its_pid() { pgrep -u "$id" -f "$1" | head -n 1; }
bytes_of() { cat "$1"/ust/uid/*/*/gpulane_? 2>/dev/null | wc -c; }
has_data() { [ "$(bytes_of "$1")" -gt 100000 ] && [ "$(cat "$1"/ust/uid/*/*/metadata | wc -c)" -gt 20000 ]; }
# wait_for WHAT... - two minutes at most
wait_for() {
	for _ in $(seq 1200); do
		! "$@" || return 0
		sleep 0.1
	done
	return 1
}
# cut NAME RECORDING ERROR - it can be read, has commands, and the reason stands there; the program went on, and is ended now
cut() {
	local commands going
	going=$(its_pid "^$plain/stress 1 100000000")
	[ -z "$going" ] || kill "$going"
	commands=$(as "$T/gpulane" report --commands "$2" 2>"$T/said" | wc -l)
	if [ -n "$going" ] && [ "$commands" -gt 1000 ] && [ "$3" = "$(as jq -r '"\(.state) \(.error)"' "$2/recording.json")" ] && ! grep -q Sanitizer "$T/said"; then
		ok "$1"
	else
		echo "$commands commands, program ${going:-gone}, $(jq -c '[.state, .error]' "$2/recording.json")" >>"$T/said"
		bad "$1" "$T/said" "$T/cut"
	fi
	wait
}

# Without the right to be another user the processes could not be told from others.
if [ "$(id -u)" = 0 ]; then
	busy_for_long --output "$T/home/killed"
	wait_for has_data "$T/home/killed"
	kill -KILL "$(its_pid "^$T/gpulane record.*/killed ")"
	cut cut-short-by-kill "$T/home/killed" 'recording null'

	# The session that was left goes with the next recording.
	mkdir "$T/small"
	if mount -t tmpfs -o size=24m,mode=777 tmpfs "$T/small" 2>/dev/null; then
		busy_for_long --output "$T/small/full"
		wait_for grep -q 'No space left' "$T/cut"
		cut cut-short-by-a-full-disk "$T/small/full" 'failed ust: No space left on device'
		umount "$T/small"
	else
		printf 'left out: cut-short-by-a-full-disk (no file system can be mounted here)\n'
	fi

	busy_for_long --output "$T/home/orphan"
	wait_for has_data "$T/home/orphan"
	kill -KILL "$(cat "$T/home/sessiond.pid")"
	wait_for grep -q 'daemon has ended' "$T/cut"
	cut cut-short-by-the-daemon "$T/home/orphan" 'failed the LTTng session daemon has ended'
else
	printf 'left out: cut-short (needs root, to have a user of its own)\n'
fi
