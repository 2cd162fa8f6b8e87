# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What suites share, sourced: `check` and `verdict` for a test, `suite_end` for the closing line. T is a
# directory of the suite's own; CHECK_PREFIX, where it is set, goes before each test's name.
passed=0 failed=0

# check NAME COMMAND [ARG...] - a test: passed when the command succeeds; what it prints is shown when not
check() {
	local name=$1 log=$T/check.$BASHPID
	shift
	if "$@" >"$log" 2>&1; then
		passed=$((passed + 1))
		printf 'ok %s\n' "${CHECK_PREFIX-}$name"
	else
		failed=$((failed + 1))
		printf 'FAIL %s\n' "${CHECK_PREFIX-}$name"
		tail -n 100 "$log" | sed 's/^/    /'
	fi
}

# verdict NAME FAULTS - a test that has been made: passed when there are no faults, a line each
verdict() {
	if [ -z "$2" ]; then
		passed=$((passed + 1))
		printf 'ok %s\n' "${CHECK_PREFIX-}$1"
	else
		failed=$((failed + 1))
		printf 'FAIL %s\n' "${CHECK_PREFIX-}$1"
		head -n 60 <<<"$2" | sed 's/^/    /'
	fi
}

# left_out NAME WHY - a test that cannot run on this machine: it is neither passed nor failed, and the end of
# scripts/check tells it
left_out() {
	printf 'left out: %s (%s)\n' "${CHECK_PREFIX-}$1" "$2"
}

# same WHAT EXPECTED ACTUAL - fails, saying so, when the two differ
same() {
	[ "$2" = "$3" ] || {
		printf '%s: expected %s, got %s\n' "$1" "$2" "$3"
		return 1
	}
}

# used_cpu PID - it has computed for a while: 0.2 s of a CPU's time
used_cpu() { awk '{ sub(/.*\) /, ""); exit $12 + $13 < 20 }' "/proc/$1/stat"; }
# catches_int PID - ^C does not simply kill it any more
catches_int() {
	[ "$(cat "/proc/$1/comm")" != bash ] || return 1 # it is still the shell's copy, which catches it, too
	(((16#$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$1/status") & 2) != 0))
}

# interrupted CODE READY COMMAND [ARG...] - starts it, waits until `READY PID` holds, sends it what ^C sends: it ends with
# this code. A second is what that may take, and what it took is printed; only ten fail, since a machine may be busy. What it
# printed is in $T/out and $T/err.
interrupted() {
	local code=$1 ready=$2 pid killer begin status tries=0
	shift 2
	set -m # a command in the background takes no notice of ^C otherwise
	"$@" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	set +m
	until "$ready" $pid 2>/dev/null; do
		kill -0 $pid 2>/dev/null || { echo 'it ended by itself'; cat "$T/err"; return 1; }
		[ $((tries++)) -lt 3000 ] || { echo 'it never got there'; kill -KILL $pid; return 1; }
		sleep 0.02
	done
	(sleep 10; kill -KILL $pid) 2>/dev/null &
	killer=$!
	begin=$(date +%s%3N)
	kill -INT $pid
	wait $pid 2>/dev/null
	status=$?
	printf 'took %d ms to end\n' $(($(date +%s%3N) - begin)) | tee -a "$T/took"
	kill $killer 2>/dev/null
	wait $killer 2>/dev/null
	same 'exit code' "$code" $status || { cat "$T/err"; return 1; }
}

# fact DIR PATH - a value of a recording's recording.json, as jq writes it: `traces[0].lost`
fact() {
	jq -er ".$2" "$1/recording.json"
}

# suite_end NAME - the closing line; whether none failed
suite_end() {
	printf '%s: %d passed, %d failed\n' "$1" $passed $failed
	[ $failed -eq 0 ]
}
