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

# fact DIR PATH - a value of a recording's recording.json, as jq writes it: `traces[0].lost`
fact() {
	jq -er ".$2" "$1/recording.json"
}

# suite_end NAME - the closing line; whether none failed
suite_end() {
	printf '%s: %d passed, %d failed\n' "$1" $passed $failed
	[ $failed -eq 0 ]
}
