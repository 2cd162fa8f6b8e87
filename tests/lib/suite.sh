# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What suites share, sourced: `check` and `verdict` for a test, `suite_end` for the closing line. T is a
# directory of the suite's own: it goes with the suite, but for one that was there before, or a trap for EXIT that the suite
# sets itself. CHECK_PREFIX, where it is set, goes before each test's name.
passed=0 failed=0 checking='' busy_why=''
[ -d "${T-}" ] || {
	T=$(mktemp -d "${TMPDIR:-/tmp}/gpulane-suite.XXXXXX")
	trap 'rm -rf "$T"' EXIT
}

# check NAME COMMAND [ARG...] - a test: passed when the command succeeds; what it prints is shown when not
check() {
	local name=$1 log=$T/check.$BASHPID
	shift
	checking=${CHECK_PREFIX-}$name
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

# in_all WHAT - whether this is `make check-all`; where it is not, the end of scripts/check tells what is left to it
in_all() {
	[ -n "${CHECK_ALL-}" ] || {
		printf 'left to check-all: %s\n' "$1"
		return 1
	}
}

# same WHAT EXPECTED ACTUAL - fails, saying so, when the two differ
same() {
	[ "$2" = "$3" ] || {
		printf '%s: expected %s, got %s\n' "$1" "$2" "$3"
		return 1
	}
}

# used_cpu PID [HUNDREDTHS] - it has computed for a while: 0.2 s of a CPU's time, or so many hundredths
used_cpu() { awk -v least="${2:-20}" '{ sub(/.*\) /, ""); exit $12 + $13 < least }' "/proc/$1/stat"; }
# catches PID SIGNAL - that signal, by its number, does not simply kill it any more
catches() {
	# Still the shell's copy? That catches some, too, and would do what the shell does as it ends. A script has its own name as comm.
	[ ! "/proc/$1/exe" -ef "/proc/$$/exe" ] || return 1
	(((16#$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$1/status") >> ($2 - 1) & 1) != 0))
}
catches_int() { catches "$1" 2; }

# sees_all_pids - this is the PID namespace that the machine began with (PROC_PID_INIT_INO of include/linux/proc_ns.h): numbers of threads here
# are those that the kernel's events have
sees_all_pids() { [ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ]; }

# busy WHY - the machine was too busy for anything to be concluded: for `retried`
busy() {
	busy_why=$*
	echo "nothing is concluded: $*"
	return 75
}

# retried MOST COMMAND [ARG...] - a test's command, up to MOST times: again where it ends by `busy`. Whatever else it ends with is
# what is concluded. `suite_end` tells of each further try.
retried() {
	local most=$1 try=1 status
	shift
	while :; do
		status=0
		"$@" || status=$?
		[ $status -eq 75 ] && [ $((try += 1)) -le "$most" ] || return $status
		printf 'tried again: %s: try %d (%s)\n' "$checking" $try "$busy_why" >>"$T/tried-again"
	done
}

# until_holds COMMAND [ARG...] - waits until it succeeds. The bound only finds what hangs: two minutes, or more on a busy machine.
until_holds() {
	local tries=0
	until "$@"; do
		[ $((tries += 1)) -lt 2400 ] || { echo "in vain: $*"; return 1; }
		sleep 0.05
	done
}

# is_gone PID - it runs no more: it may be dead and still have its number
is_gone() {
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
	[[ ${stat##*) } == [ZX]* ]]
}

# ends PID - waits for a child of this shell that was told to end: its exit code. What that took is printed, not asserted, since the
# machine may be busy. Only after two minutes it hangs, and is killed.
ends() {
	local begin status=0 tries=0
	begin=$(date +%s%3N)
	until is_gone "$1"; do
		[ $((tries += 1)) -lt 6000 ] || kill -KILL "$1"
		sleep 0.02
	done
	wait "$1" 2>/dev/null || status=$?
	printf 'took %d ms to end\n' $(($(date +%s%3N) - begin)) | tee -a "$T/took"
	return $status
}

# interrupted CODE READY COMMAND [ARG...] - starts it, waits until `READY PID` holds, sends it what ^C sends: it ends with
# this code. What it printed is in $T/out and $T/err.
interrupted() {
	local code=$1 ready=$2 pid status=0 tries=0
	shift 2
	# a command in the background takes no notice of ^C otherwise, nor does one whose parents were in it
	env --default-signal=INT "$@" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	until "$ready" $pid 2>/dev/null; do
		kill -0 $pid 2>/dev/null || { echo 'it ended by itself'; cat "$T/err"; return 1; }
		[ $((tries += 1)) -lt 6000 ] || { echo 'it never got there'; kill -KILL $pid; return 1; }
		sleep 0.02
	done
	kill -INT $pid
	ends $pid || status=$?
	same 'exit code' "$code" $status || { cat "$T/err"; return 1; }
}

# scrape PORT - the page of metrics that is served there, in $T/page; how soon, in $T/answered. Who is slow to ask or to take the
# answer is given up for others: on a busy machine that may be an honest one, so that this is `busy`.
scrape() {
	local status=0
	curl -sS --max-time 600 -o "$T/page" -w 'answered after %{time_total} s\n' "http://127.0.0.1:$1/metrics" >"$T/answered" 2>"$T/refused" || status=$?
	case $status in
	18 | 52 | 56) busy "$(cat "$T/refused")" ;;
	*)
		cat "$T/refused"
		return $status
		;;
	esac
}

# fact DIR PATH - a value of a recording's recording.json, as jq writes it: `traces[0].lost`
fact() {
	jq -er ".$2" "$1/recording.json"
}

# suite_end NAME - what was tried again, and the closing line; whether none failed
suite_end() {
	[ ! -s "${T-}/tried-again" ] || cat "$T/tried-again"
	printf '%s: %d passed, %d failed\n' "$1" $passed $failed
	[ $failed -eq 0 ]
}
