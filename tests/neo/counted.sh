# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Calls, counted by the kernel: its own uprobes (tracefs) on a copy of the loader that no other program has count how often each function is entered. The
# layers' calls and the probes' are as many, function by function. Sourced by run; can_count says whether this machine lets us.
tracefs=/sys/kernel/tracing
group=gpulane_neo_$$

can_count() {
	[ -n "${counting_is-}" ] || {
		counting_is=no
		[ "$(id -u)" = 0 ] && [ -w $tracefs/uprobe_events ] && "$B/gpulane" record --events process --opencl probes --duration 0.1 --output "$T/can" \
			>"$T/out" 2>&1 && counting_is=yes
	}
	[ $counting_is = yes ] || {
		left_out "$1" 'it needs root, BPF and tracefs: this machine does not let us count'
		return 1
	}
}
uncount() {
	[ -d $tracefs/instances/$group ] || return 0
	echo 0 >$tracefs/instances/$group/events/$group/enable
	rmdir $tracefs/instances/$group
	echo "-:$group/" >>$tracefs/uprobe_events
}
# counting FILE - from here on: each exported function of a loader that gpulane has an event for. Its place in the file is its address, where the code's
# segment is so placed. All are one event, since the kernel waits once for each event as it takes it away.
counting() {
	uncount
	readelf -lW "$1" | awk '$1 == "LOAD" && / R E / { n++; gsub(/0x0*/, "x"); bad += $2 != $3 } END { exit !n || bad }' || { echo "$1: code elsewhere"; return 1; }
	sed -nE 's/^\tCLF\((\w+),.*/\1/p' userspace/base/{opencl,levelzero}.def | sort >"$T/functions"
	nm -D --defined-only "$1" | sed -nE 's/^([0-9a-f]+) [TW] (\w+)(@.*)?$/\2 0x\1/p' | sort | join - "$T/functions" >"$T/places"
	sed "s,.* ,p:$group/call $1:," "$T/places" >"$T/uprobes"
	[ -s "$T/uprobes" ] && cat "$T/uprobes" >>$tracefs/uprobe_events &&
		mkdir $tracefs/instances/$group && echo 1 >$tracefs/instances/$group/events/$group/enable
}
# counts FILE - NAME TIMES of what the kernel has counted
counts() { awk -v file="$1" '$1 == file { print $3 }' $tracefs/uprobe_profile | paste -d' ' "$T/places" - | awk '$3 { print $1, $3 }' >"$T/counts"; }
# as_counted HOW FILE FUNCTIONS COMMAND... - COMMAND, whose loader is FILE, recorded by the layer or by probes: each function's calls are as many as the kernel
# has counted, of so many functions at least
as_counted() {
	local how=$1 file=$2 least=$3 by=(as "$T/plain/gpulane")
	shift 3
	rm -rf "$T/home/counted" "$T/counted"
	counting "$file" || return 1
	if [ "$how" = layer ]; then
		"${by[@]}" record --backend none --api layer --buffer 32M --output "$T/home/counted" -- "$@" >"$T/out" 2>&1
	else
		by=("$B/gpulane")
		"$B/gpulane" record --follow --events process --api probes --opencl-library "$file" --buffer 32M --output "$T/home/counted" -- \
			"${user[@]}" env HOME="$T/home" "$@" >"$T/out" 2>&1
	fi
	counts "$file"
	uncount
	"${by[@]}" dump "$T/home/counted" --no-head -e opencl >"$T/dump" || { cat "$T/out"; return 1; }
	sed -nE 's/.* opencl_call_entry .*function=(\w+).*/\1/p' "$T/dump" | grep "^$(cut -c1-2 "$T/counts" | uniq)" | sort | uniq -c | awk '{ print $2, $1 }' >"$T/calls"
	wc -l "$T/counts"
	[ "$(wc -l <"$T/counts")" -ge "$least" ] && diff "$T/counts" "$T/calls"
}
