# shellcheck shell=bash
# What the benchmarks in a guest share. $B: the build.

# fire EVENTS - `N T`, T from the median of the times that 256 events in a row take: in those there is nothing
# of what else the machine does
fire() {
	if [ "$1" = 0 ]; then
		echo 0 0
	else
		"$B/tests/replay/gl-shoot" --flood "$1" --cpu 1 | awk '{ printf "%d %d\n", $2, $10 * $2 / $13 }'
	fi
}

# CPU time of processes in ms, from /proc/PID/stat's utime and stime.
cpu_ms() {
	local pid sum=0 stat
	for pid in "$@"; do
		stat=$(sed 's/.*) //' "/proc/$pid/stat")
		# shellcheck disable=SC2086 # the fields of a line
		set -- $stat
		sum=$((sum + (${12} + ${13}) * 10))
	done
	echo $sum
}

# tree PID - a process and its descendants
tree() {
	local child
	echo "$1"
	for child in $(cat "/proc/$1/task"/*/children 2>/dev/null); do
		tree "$child"
	done
}
