# shellcheck shell=bash
# What suites share that run their tests in the guest. $T: a folder; details(), the suite's: more of what was seen.

# verdict NAME COMMAND... - a test; what was shown is told when it fails
verdict() {
	local name=$1
	shift
	if "$@" >"$T/said" 2>&1; then
		printf 'ok %s\n' "$name"
	else
		printf 'FAIL %s\n' "$name"
		{
			tail -n 20 "$T/said"
			details
		} 2>&1 | sed 's/^/    /'
	fi
}
