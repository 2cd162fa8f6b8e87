# shellcheck shell=bash
# shellcheck disable=SC2034 # the suites use what is set here
# What the guest suites share: `check` for a test, `suite_end` for the closing line.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
GUEST=$TOP/scripts/guest
GUEST_D=$TOP/scripts/guest.d
SUITE_TMP=$(mktemp -d "${TMPDIR:-/tmp}/gpulane-suite.XXXXXX")
trap 'rm -rf "$SUITE_TMP"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
suite_passed=0 suite_failed=0 suite_later=0

# check NAME COMMAND [ARG...] - a test: passed when the command succeeds; what it prints is shown when not
check() {
	local name=$1 log=$SUITE_TMP/check.$BASHPID
	shift
	if "$@" >"$log" 2>&1; then
		suite_passed=$((suite_passed + 1))
		printf 'ok %s\n' "$name"
	else
		suite_failed=$((suite_failed + 1))
		printf 'FAIL %s\n' "$name"
		tail -n 100 "$log" | sed 's/^/    /'
	fi
}

# check_later NAME COMMAND [ARG...] - the same, two at a time in the background; check_wait shows them in
# their order. For tests that boot a guest each.
check_later() {
	local file
	while [ "$(jobs -rp | wc -l)" -ge "${GPULANE_GUEST_JOBS:-2}" ]; do
		wait -n
	done
	suite_later=$((suite_later + 1))
	file=$SUITE_TMP/later.$(printf '%04d' $suite_later)
	check "$@" >"$file" &
}

check_wait() {
	local file
	wait
	for file in "$SUITE_TMP"/later.*; do
		report "$file"
		rm -f "$file"
	done
}

# report FILE - tests that ran elsewhere, in a guest: its lines `ok NAME` and `FAIL NAME` (with lines of
# detail after it) count here; a file that is missing or has no such line is one failed test.
report() {
	local line any=0
	while IFS= read -r line; do
		case $line in
		'ok '*) suite_passed=$((suite_passed + 1)) any=1 ;;
		'FAIL '*) suite_failed=$((suite_failed + 1)) any=1 ;;
		esac
		printf '%s\n' "$line"
	done < <(cat -- "$1" 2>/dev/null)
	if [ $any = 0 ]; then
		suite_failed=$((suite_failed + 1))
		printf 'FAIL %s: nothing was reported\n' "$(basename "$1")"
	fi
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

# suite_end NAME - the closing line; the script's exit code
suite_end() {
	printf '%s: %d passed, %d failed\n' "$1" $suite_passed $suite_failed
	[ $suite_failed -eq 0 ]
}
