# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Recordings for suites that only need some, sourced; B is the build directory. They are texts, on standard output.

# trace NAME [TIMES] - one of this folder's; or it again and again, a long one
trace() {
	if [ $# -eq 1 ]; then
		zstd -qdc "tests/traces/$1.txt.zst"
	else
		zstd -qdc "tests/traces/$1.txt.zst" | awk -v times="$2" -f tests/traces/repeat.awk
	fi
}

# lossy N - a text without every Nth event; each CPU tells of its losses at its next one
lossy() {
	awk -v every="$1" '/^[0-9]/ && $2 ~ /[0-9]/ && $4 != "snapshot" {
		if (!(++n % every) && $2 in last) { lost[$2]++; next }
		if (lost[$2]) print $1, $2, "-/- - gpulane_lost count=" lost[$2], "begin_ns=" last[$2], "end_ns=" $1, "lost_cpu=" $2
		lost[$2] = 0
		last[$2] = $1
	} { print }'
}

# shellcheck disable=SC2034 # for who sources this
drawn_modes='execlists tracepoints nolisten legacy stock guc ring sched'
# drawn MODE SEED - a random one: a mode of tests/oracle, or `sched`: drm_sched's jobs and threads
drawn() {
	if [ "$1" = sched ]; then
		"$B/tests/oracle-sched/gpulane-oracle-sched" --mode mixed --kernel 6.12 --switches --seed "$2" --events "$T/drawn" &&
			"$B/gpulane" dump "$T/drawn" 2>/dev/null
	else
		"$B/tests/oracle/gpulane-oracle" --mode "$1" --seed "$2" --requests 200 --events /dev/stdout
	fi 2> >(grep -v 'makecontext/swapcontext' >&2)
}
