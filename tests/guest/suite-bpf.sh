#!/bin/bash
# The BPF programs: all of them load and attach on every kernel and driver there is; what they record is the
# same whichever way it is hooked; what the filters let through is all of it and nothing else.
#
#   suite-bpf.sh [6.1|6.12|newest]   all kernels, or one
#   suite-bpf.sh --judge OUT         what suite-one.sh has brought back from its guest, where `first` as the last argument ended it early
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	LIB=tests/guest/lib

	# boot VERSION MODULE...: one guest, this script in it; what it leaves is in $SUITE_TMP/VERSION
	boot() {
		"$GUEST" --kernel "$1" --timeout 900 --mem 4096 --env "B=${B:-build}" --out "$SUITE_TMP/$1" -- "$0" "$@"
	}

	# events DIR: what babeltrace2 reads, without a word from it
	events() {
		[ -e "$1.events" ] || babeltrace2 --clock-cycles "$1/bpf" >"$1.events" 2>"$1.said" || return 1
		! grep -v '^WARNING: Tracer discarded\|^$' "$1.said"
	}

	lost() { fact "$1" 'traces[0].lost'; }
	canon() { awk -f $LIB/canon.awk "$1.events" | sort -s -k1,2; }

	# may_lose A B: none have lost an event; on newest they may (docs/bpf.md). $all_lost is how many both say
	may_lose() {
		all_lost=$(($(lost "$1") + $(lost "$2")))
		if [ "$version" = newest ]; then
			echo "lost: $all_lost"
		else
			same lost 0 $all_lost
		fi
	}

	# same_events A B: the same requests' events in the same order per context, but for those that are lost
	same_events() {
		local differ
		events "$1" && events "$2" && may_lose "$1" "$2" || return
		differ=$(diff <(canon "$1") <(canon "$2"))
		[ "$(grep -c '^[<>]' <<<"$differ")" -le $all_lost ] || { head -n 20 <<<"$differ"; return 1; }
	}

	# some_of DIR KINDS SOURCE
	some_of() {
		local kind
		for kind in $2; do
			grep -q "i915_request_$kind: .*source = ( \"$3\"" "$1.events" || {
				echo "no $kind by $3"
				return 1
			}
		done
	}

	# The guard of programs that read records drops what interrupts them: counted to the last one. On newest one that was
	# recorded may count as lost.
	formats_add_up() {
		local typed format
		events "$1" && events "$2" || return
		typed=$(($(grep -c i915_request_ "$1.events") + $(lost "$1")))
		format=$(($(grep -c i915_request_ "$2.events") + $(lost "$2")))
		if [ "$version" = newest ]; then
			echo "recorded and lost: $typed, by format $format of which $(lost "$2") lost"
			[ $typed -le $format ] && [ $((format - typed)) -le "$(lost "$2")" ]
		else
			same lost 0 "$(lost "$1")" && same "recorded and lost" $typed $format
		fi
	}

	# Every field that the programs read from the driver's structures is the one in the tracepoint's own record, but for
	# `completed`, which is read a moment later. Events that occur once are compared.
	fields_agree() {
		awk 'FNR == 1 { side++ }
			/ i915_request_/ {
				split($0, part, /\}, \{/)
				sub(/, completed = [0-9]+/, "", part[3])
				match(part[3], /ctx = [0-9]+/)
				key = $4 substr(part[3], RSTART, RLENGTH)
				match(part[3], /seqno = [0-9]+/)
				key = key " " substr(part[3], RSTART, RLENGTH)
				n[side, key]++
				fields[side, key] = part[3]
				if (side == 2)
					keys[key]
			}
			END {
				for (key in keys) {
					if (n[1, key] != 1 || n[2, key] != 1)
						continue
					compared++
					with_tail += fields[1, key] ~ /tail = [1-9]/
					if (fields[1, key] != fields[2, key] && bad++ < 10)
						print key fields[1, key] ", by the record" fields[2, key]
				}
				print compared + 0 " compared, " with_tail + 0 " have a tail"
				exit bad > 0 || compared < 500 || with_tail < 100
			}' "$1.events" "$2.events"
	}

	# The names that a fence has in the recording are its own; few are missing. ftrace's list lacks no more than ftrace says that it has lost.
	# babeltrace2 (2.0.4) shows the text of the event before where there is none, so this is read by dump.
	names_agree() {
		"${B:-build}/gpulane" dump "$1" >"$1.dump" || return
		awk -v lost="$(cat "$1.lost")" 'function field(text, name) {
				return match(text, " " name "=[^ ]*") ? substr(text, RSTART + 1, RLENGTH - 1) : ""
			}
			!/ dma_fence_init/ { next }
			{
				sub(/dma_fence_init:/, "dma_fence_init")
				key = field($0, "context") " " field($0, "seqno")
				names = field($0, "driver") " " field($0, "timeline")
			}
			FNR == NR {
				listed[key] = names
				next
			}
			/context=/ {
				all++
				if (names ~ /""/)
					nameless++
				else if (!(key in listed)) {
					unlisted++
					print "ftrace has not: " $0
				}
				else if (names != listed[key] && bad++ < 10)
					print "not so: " $0 ", by ftrace " listed[key]
			}
			END {
				print all + 0 " fences, " nameless + 0 " without names, " unlisted + 0 " that ftrace has not, " lost + 0 " lost by it"
				exit bad > 0 || all < 200 || nameless > all / 10 || lost == "" || unlisted > lost
			}' "$1.trace" "$1.dump"
	}

	# incomplete DIR: how many of the requests that left a port were not complete, and how many were
	incomplete() {
		awk '/i915_request_out: / { n[/completed = 0/]++ } END { print n[1] + 0, n[0] + 0 }' "$1.events"
	}

	# What the program says of a request that leaves its port is what the tracepoint's own record says.
	outs_agree() {
		local ours theirs complete
		events "$1" && events "$2" || return
		read -r ours complete < <(incomplete "$1")
		read -r theirs _ < <(incomplete "$2")
		echo "incomplete: $ours, by the tracepoint's record $theirs of which $(lost "$2") were lost; complete: $complete"
		[ "$theirs" -gt 0 ] && [ "$complete" -gt 0 ] && [ "$ours" -ge "$theirs" ] &&
			[ "$ours" -le $((theirs + $(lost "$2"))) ]
	}

	# per_context DIR: kind by kind, contexts numbered as their first request is added, so that boots
	# compare; the driver's own requests, which have no add, come when it pleases
	per_context() {
		awk -f $LIB/canon.awk "$1.events" | awk '
			$1 ~ /_add$/ && !($2 in number) { number[$2] = ++n }
			$2 in number { $2 = number[$2]; print }' | sort -s -k1,1 -k2,2n
	}

	same_selftests() {
		events "$1" && events "$2" && some_of "$1" "submit execute retire" tracepoint &&
			some_of "$2" "submit execute" function && cmp <(per_context "$1") <(per_context "$2")
	}

	# holds CHECK WHO ALL FILTERED: to the last event that is not lost
	holds() {
		events "$3" && events "$4" && may_lose "$3" "$4" || return
		awk -v check="$1" -v who="$2" -v lost=$all_lost -f $LIB/filtered.awk "$3.events" "$4.events"
	}

	# three_ways NAME DIR KINDS: recordings auto, function and format of one run; KINDS have functions
	three_ways() {
		check "$1-functions" same_events "$2/auto" "$2/function"
		check "$1-functions-used" some_of "$2/function" "$3" function
		check "$1-formats-add-up" formats_add_up "$2/auto" "$2/format"
	}

	# judge VERSION OUT - what the guest has left there; `first` leaves less
	judge() {
		version=$1
		local out=$2
		report "$out/report"
		three_ways "$version-replay" "$out/replay" "submit execute unsubmit"
		check "$version-fields" fields_agree "$out/replay/auto" "$out/replay/format"
		check "$version-names" names_agree "$out/names"
		check "$version-completed" outs_agree "$out/replay/auto" "$out/replay/format"
		[ -d "$out/all" ] || return
		check "$version-follow" holds process "$(cat "$out/mine.pid")" "$out/all" "$out/followed"
		check "$version-culprits" holds culprits "$(cat "$out/mine.pid")" "$out/all" "$out/followed"
		check "$version-descendants" holds attached "$(cat "$out/child.pid")" "$out/all" "$out/pid"
		check "$version-name" holds process "$(cat "$out/wanted.pid")" "$out/all" "$out/name"
		check "$version-engine" holds engine 2:0 "$out/all" "$out/engine"
		[ "$version" = 6.1 ] || return
		three_ways "$version-i915" "$out/lowlevel" "submit execute unsubmit retire"
		check "$version-both-drivers" same_selftests "$out/lowlevel/steady" "$out/stock/steady"
	}

	if [ "${1-}" = --judge ]; then
		judge 6.1 "$2"
		suite_end bpf
		exit
	fi
	for version in ${1:-6.1 6.12 newest}; do
		modules=("$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/replay)")
		if [ "$version" = 6.1 ]; then
			for variant in lowlevel stock; do
				i915=$("$GUEST_D/build-i915" --kernel "$version" --variant $variant)
				modules+=("$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/gl-selftest I915="$i915")")
			done
		fi
		check_later "$version-guest" boot "$version" "${modules[@]}"
	done
	check_wait
	for version in ${1:-6.1 6.12 newest}; do
		judge "$version" "$SUITE_TMP/$version"
	done
	suite_end bpf
	exit
fi

# --- in the guest -------------------------------------------------------------------------------
VERSION=$1 REPLAY=$2 LOWLEVEL=${3-} STOCK=${4-}
PART=
[ "$LOWLEVEL" != first ] || PART=first LOWLEVEL=
B=${B:-build}
G=$B/gpulane
O=$GPULANE_OUT
export C=$B/tests/replay/gl-client

# ways DRIVER: every program for it loads and attaches
ways() {
	"$B/tests/guest/bpf-ways" "$VERSION-$1" "$O/report"
}

record() {
	local dir=$1
	shift
	"$G" record -o "$O/$dir" --buffer 16M "$@"
}

# by_three DIR COMMAND... : the same run recorded by each of the hooks at once
by_three() {
	local record=("$G" record --buffer 16M -e i915)
	mkdir "$O/$1"
	"${record[@]}" -o "$O/$1/auto" -- "${record[@]}" --hooks function -o "$O/$1/function" -- \
		"${record[@]}" --hooks format -o "$O/$1/format" -- "${@:2}"
}

# the driver's tests that take the same steps every time and do not mind a slow machine
steady() {
	mkdir -p "$O/$1"
	record "$1/steady" -e i915 -- insmod "$2" select=requests filter=igt_add_request,igt_request_rewind
	rmmod gl_selftest
}

# low is there for as long as high is: high takes the engine from it
clients() {
	local done=/tmp/high.$$
	rm -f $done
	"$C" --name low --until $done --count 20 --duration 3000 --depth 4 --cpu 0 &
	"$C" --name high --prio 10 --count 60 --duration 500 --period 4000 --cpu 1 --truth $done &
	"$C" --name copy --engine 1:0 --count 200 --duration 500 --depth 8 &
	wait
}

# The names of fences, beside what the kernel itself writes of them.
names() {
	local own=/sys/kernel/tracing/instances/names
	mkdir $own
	echo 4096 >$own/buffer_size_kb
	echo 1 >$own/events/dma_fence/dma_fence_init/enable
	record names -e i915,fence -- bash -c clients
	echo 0 >$own/tracing_on
	grep dma_fence_init: $own/trace >"$O/names.trace"
	awk '/^(overrun|commit overrun|dropped events):/ { lost += $NF } END { print lost + 0 }' $own/per_cpu/cpu*/stats >"$O/names.lost"
	rmdir $own
}

# A command that is followed beside a client, one with a name to look for, and a hog
crowd() {
	"$C" --name other --engine 1:0 --count 1000000 --duration 2000 --depth 2 --cpu 0 &
	local others=$!
	"$C" --hog 300000 --name hog --cpu 0 &
	others="$others $!"
	"$C" --name wanted --engine 2:0 --count 60 --duration 500 &
	echo $! >"$O/wanted.pid"
	record followed --follow -- bash -c 'echo $$ >$0; exec "$C" --name mine --count 100 --duration 500 --cpu 0' \
		"$O/mine.pid"
	wait "$(cat "$O/wanted.pid")"
	# shellcheck disable=SC2086 # a list
	kill $others
}
filters() {
	local parent
	# a process whose child is there before
	bash -c '"$C" --name child --count 1000000 --duration 5000 & echo $! >$0; wait' "$O/child.pid" &
	parent=$!
	until [ -s "$O/child.pid" ]; do sleep 0.1; done
	record all -- "$G" record -o "$O/pid" -e i915,fence --pid $parent -- \
		"$G" record -o "$O/name" -e i915,fence --comm wanted -- \
		"$G" record -o "$O/engine" -e i915 --engine 2:0 -- bash -c crowd
	kill "$(cat "$O/child.pid")"
	wait $parent || true
}
export -f record clients crowd
export G O

set -e
[ "$PART" = first ] || {
	scripts/guest.d/load-i915 debian
	ways debian
	rmmod i915
}
scripts/guest.d/load-i915 "$REPLAY"
ways replay
by_three replay bash -c clients
names
[ "$PART" = first ] || filters
rmmod i915
[ -n "$LOWLEVEL" ] || exit 0
scripts/guest.d/load-i915 lowlevel
ways lowlevel
by_three lowlevel insmod "$LOWLEVEL" select=requests,timelines "filter=!igt_wait_request,!igt_fence_wait" timeout_ms=300
rmmod gl_selftest
steady lowlevel "$LOWLEVEL"
rmmod i915
scripts/guest.d/load-i915 stock
steady stock "$STOCK"
