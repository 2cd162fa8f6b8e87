#!/bin/bash
# gpulane top, live: two programs on the replay driver are seen with what they do to each other.
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	replay_suite top
fi

# --- in the guest -------------------------------------------------------------------------------
. "$(dirname "$0")/lib/replay.sh"
details() { tail -n 5 "$T/err"; tail -n 40 "$T/out"; }

insmod "$1"
# One keeps the engine busy, the other takes it away time and again; until both are told to end.
"$client" --name hist --cpu 1 --count 1000000 --duration 4000 --depth 2 >/dev/null 2>&1 &
hist=$!
"$client" --name viewer --cpu 0 --count 1000000 --duration 1000 --period 20000 --prio 10 >/dev/null 2>&1 &
viewer=$!
"$B/gpulane" top --batch --delay 2 --window 4 >"$T/out" 2>"$T/err" &
top=$!

# Until both have been seen on one picture: as long as it takes.
seen() {
	awk -v RS= '/^gpulane top/ { preempted = /preemptions [1-9]/ }
		/^ *PID/ && / hist / && / viewer / && preempted { found = 1 } END { exit !found }' "$T/out"
}
for _ in $(seq 300); do
	seen || kill -0 $top 2>/dev/null || break
	seen && break
	sleep 1
done
grep -E '^Cap(Eff|Prm|Inh)' /proc/$top/status >"$T/caps"
kill -INT $top
wait $top
status=$?
kill $hist $viewer
wait

# What is looked at is a picture with both.
awk -v RS= '/^gpulane top/ { head = /preemptions [1-9]/ ? $0 : ""; next } /^ENGINE/ { engines = $0; next }
	/^ *PID/ && / hist / && / viewer / && head { print head; print engines; print }' "$T/out" >"$T/picture"
# Blank lines stand between a picture's parts.
verdict ends-by-signal test "$status" -eq 0
verdict says-nothing-else test ! -s "$T/err"
verdict both-clients grep -q ' viewer ' "$T/picture"
verdict engine-is-busy awk '$1 == "rcs0" && $2 > 0 && $5 > 0 { ok = 1 } END { exit !ok }' "$T/picture"
verdict preempted awk '/^requests/ { for (i = 1; i < NF; i++) if ($i == "preemptions" && $(i + 1) + 0 > 0) ok = 1 } END { exit !ok }' "$T/picture"
verdict victim-is-hist awk '$2 == "hist" && $6 > 0 { ok = 1 } END { exit !ok }' "$T/picture"
verdict hist-has-the-gpu awk '$2 == "hist" { hist = $3 } $2 == "viewer" { viewer = $3 } END { exit !(hist > viewer) }' "$T/picture"
verdict worst-request grep -qE '^worst request: [0-9]+:[0-9]+ of (hist|viewer)\[[0-9]+\]: [0-9.]+ (us|ms|s) on rcs0,' "$T/picture"
verdict no-privileges-left awk '$2 !~ /^0+$/ { bad = 1 } END { exit bad || NR < 3 }' "$T/caps"
