# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# ^C ends an export at whatever it is, and leaves nothing behind. How soon is not asserted on a machine that others use:
# ten seconds mean that it hangs.

# stops SIGNAL MS - after that time; an export that was faster is complete
stops() {
	local status=0 pid begin
	rm -rf "$T/stop" && mkdir "$T/stop" || return 1
	(cd "$T/stop" && exec env --default-signal=INT "$G" export "$T/long.txt" --to html --to perfetto --to ctf) >"$T/out" 2>"$T/err" &
	pid=$!
	sleep "$(printf '%d.%03d' $(($2 / 1000)) $(($2 % 1000)))"
	begin=$(date +%s%N)
	kill "-$1" $pid 2>/dev/null || { wait $pid; return; }
	wait $pid || status=$?
	took=$((($(date +%s%N) - begin) / 1000000))
	[ $status -ne 0 ] || { same outputs 3 "$(find "$T/stop" -mindepth 1 -maxdepth 1 | wc -l)"; return; }
	[ $status -eq 143 ] || [ $status -eq 130 ] || same 'exit code' 1 $status || { cat "$T/err"; return 1; }
	same 'left behind' "" "$(find "$T/stop" -name '*.part*')" && { [ $took -lt 10000 ] || { echo "$took ms"; return 1; }; }
}
stops_always() {
	local i
	sed 's/^duration .*/duration 6s/' tests/sim/scenarios/full-gpu.scn >"$T/long.scn"
	"$sim" --scenario "$T/long.scn" --events "$T/long.txt" || return 1
	for i in 0 20 60 100 200 300 450 600 800 1000 1300 1600 2000 2400 2800; do
		stops INT $i || { echo "after $i ms"; return 1; }
	done
	stops TERM 500
}
check stops-at-once stops_always
