# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# ^C ends an export at whatever it is, and leaves nothing behind. How soon is printed, not asserted.

# computed PID HUNDREDTHS - it has had so much of a CPU's time, or is over. A copy of this shell does not count: told to end before it
# has cleared the traps, it would clean up for this shell.
computed() { is_gone "$1" || { [ "$(cat "/proc/$1/comm")" != bash ] && used_cpu "$@"; }; }
# stops SIGNAL HUNDREDTHS - when it has computed for so long, on however busy a machine; an export that was faster is complete
stops() {
	local status=0 pid
	rm -rf "$T/stop" && mkdir "$T/stop" || return 1
	(cd "$T/stop" && exec env --default-signal=INT "$G" export "$T/long.txt" --to html --to perfetto --to ctf) >"$T/out" 2>"$T/err" &
	pid=$!
	until_holds computed $pid "$2" 2>"$T/waited"
	kill "-$1" $pid 2>/dev/null
	ends $pid || status=$?
	[ $status -ne 0 ] || { same outputs 3 "$(find "$T/stop" -mindepth 1 -maxdepth 1 | wc -l)"; return; }
	[ $status -eq 143 ] || [ $status -eq 130 ] || same 'exit code' 1 $status || { cat "$T/err"; return 1; }
	same 'left behind' "" "$(find "$T/stop" -name '*.part*')"
}
stops_always() {
	local i
	trace full-gpu 20 >"$T/long.txt" || return 1
	for i in 0 2 6 10 20 30 45 60 80 100; do
		stops INT $i || { echo "after $i hundredths of a second of a CPU"; return 1; }
	done
	stops TERM 50
}
check stops-at-once stops_always
sort -k 2 -n "$T/took" | tail -n 1
