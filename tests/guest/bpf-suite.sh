#!/bin/bash
# The BPF programs: all of them load and attach on every kernel and driver there is; what they record is the
# same whichever way it is hooked; what the filters let through is all of it and nothing else. Not run by
# tests/guest/run yet: some of its comparisons fail (docs/bpf.md).
#
#   bpf-suite.sh [6.1|6.12]   both kernels, or one
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	CANON=tests/guest/lib/canon.awk
	FILTERED=tests/guest/lib/filtered.py

	# boot VERSION WHAT [ARG...]: one guest, this script in it; what it leaves is in $SUITE_TMP/VERSION-WHAT
	boot() {
		"$GUEST" --kernel "$1" --timeout 500 --mem 4096 --env "B=${B:-build}" --out "$SUITE_TMP/$1-$2" -- \
			"$0" "$@"
	}

	# events DIR: what babeltrace2 reads, without a word from it
	events() {
		[ -e "$1.events" ] || babeltrace2 --clock-cycles "$1/bpf" >"$1.events" 2>"$1.said" || return 1
		! grep -v '^WARNING: Tracer discarded\|^$' "$1.said"
	}

	# lost DIR, number DIR: of recording.json
	lost() {
		python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["traces"][0]["lost"])' "$1/recording.json"
	}

	# same_events A B: the same requests' events in the same order per context
	same_events() {
		events "$1" && events "$2" &&
			cmp <(awk -f $CANON "$1.events" | sort -s -k1,2) <(awk -f $CANON "$2.events" | sort -s -k1,2)
	}

	some_of() {
		local kind
		for kind in $2; do
			grep -q "i915_request_$kind: .*source = ( \"$3\"" "$1.events" || {
				echo "no $kind by $3"
				return 1
			}
		done
	}

	# The guard of programs that read records drops what interrupts them: counted to the last one.
	formats_add_up() {
		events "$1" && events "$2" && same lost-auto 0 "$(lost "$1")" &&
			same "recorded and lost" "$(grep -c i915_request_ "$1.events")" \
				$(($(grep -c i915_request_ "$2.events") + $(lost "$2")))
	}

	# per_context DIR: kind by kind, contexts numbered in the order they appear, so that boots compare
	per_context() {
		awk -f $CANON "$1.events" | awk '{
			if (!($2 in number)) number[$2] = ++n
			$2 = number[$2]; print
		}' | sort -s -k1,1 -k2,2n
	}

	same_selftests() {
		events "$1" && events "$2" && some_of "$1" "submit execute retire" tracepoint &&
			some_of "$2" "submit execute" function && cmp <(per_context "$1") <(per_context "$2")
	}

	holds() {
		events "$2" && events "$3" && python3 $FILTERED "$1" "$2.events" "$3.events" "$4"
	}

	# three_ways NAME DIR SUBMIT: recordings auto, function and format of one run
	three_ways() {
		check "$1-functions" same_events "$2/auto" "$2/function"
		check "$1-functions-used" some_of "$2/function" "submit execute unsubmit $3" function
		check "$1-formats-add-up" formats_add_up "$2/auto" "$2/format"
		[ "$(lost "$2/format")" != 0 ] || check "$1-formats" same_events "$2/auto" "$2/format"
	}

	for version in ${1:-6.1 6.12}; do
		check_later "$version-load" boot "$version" load "$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/replay)"
		check_later "$version-replay" boot "$version" replay \
			"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/replay)"
		[ "$version" = 6.1 ] || continue
		for variant in lowlevel stock; do
			i915=$("$GUEST_D/build-i915" --kernel "$version" --variant $variant)
			check_later "$version-$variant" boot "$version" $variant \
				"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/gl-selftest I915="$i915")"
		done
	done
	check_wait
	for version in ${1:-6.1 6.12}; do
		out=$SUITE_TMP/$version-replay
		report "$SUITE_TMP/$version-load/report"
		three_ways "$version-replay" "$out" ""
		check "$version-follow" holds process "$out/all" "$out/followed" "$(cat "$out/followed.pid")"
		check "$version-culprits" holds culprits "$out/all" "$out/followed" "$(cat "$out/followed.pid")"
		check "$version-descendants" holds process "$out/all-pid" "$out/pid" "$(cat "$out/pid.pid")"
		check "$version-name" holds process "$out/all-name" "$out/name" "$(cat "$out/name.pid")"
		check "$version-engine" holds engine "$out/all-name" "$out/engine" 1:0
		[ "$version" = 6.1 ] || continue
		for variant in lowlevel stock; do
			report "$SUITE_TMP/$version-$variant/report"
			three_ways "$version-$variant" "$SUITE_TMP/$version-$variant" retire
		done
		check "$version-both-drivers" same_selftests "$SUITE_TMP/$version-lowlevel/steady" \
			"$SUITE_TMP/$version-stock/steady"
	done
	suite_end bpf
	exit
fi

# --- in the guest -------------------------------------------------------------------------------
VERSION=$1 WHAT=$2 MODULE=$3
B=${B:-build}
G=$B/gpulane
C=$B/tests/replay/gl-client
O=$GPULANE_OUT

ways() {
	"$B/tests/guest/bpf-ways" "$VERSION-$1" "$O/report"
}

# quietly COMMAND...: what `record` says of its progress is not needed
record() {
	local dir=$1
	shift
	"$G" record -o "$O/$dir" --buffer 32M "$@"
}

# by_three NAME... : the same run recorded by each of the hooks at once
by_three() {
	record auto -e i915 -- "$G" record -o "$O/function" --buffer 32M -e i915 --hooks function -- \
		"$G" record -o "$O/format" --buffer 32M -e i915 --hooks format -- "$@"
}

clients() {
	"$C" --name low --count 200 --duration 3000 --depth 4 &
	"$C" --name high --prio 10 --count 100 --duration 500 --period 4000 &
	"$C" --name copy --engine 1:0 --count 300 --duration 500 --depth 8 &
	wait
}
named() {
	"$C" --name wanted --count 100 --duration 500 &
	echo $! >"$GPULANE_OUT/name.pid"
	"$C" --name other --engine 1:0 --count 100 --duration 500 &
	wait
}
export -f clients named
export C

set -e
case $WHAT in
load)
	scripts/guest.d/load-i915 debian
	ways debian
	rmmod i915
	scripts/guest.d/load-i915 "$MODULE"
	ways replay
	;;
lowlevel | stock)
	scripts/guest.d/load-i915 "$WHAT"
	ways "$WHAT"
	# the tests that take the same steps every time, then those that take as many as they have time for
	record steady -e i915 -- insmod "$MODULE" select=requests \
		filter=igt_add_request,igt_wait_request,igt_fence_wait,igt_request_rewind
	rmmod gl_selftest
	by_three insmod "$MODULE" select=requests,timelines,contexts
	;;
replay)
	scripts/guest.d/load-i915 "$MODULE"
	by_three bash -c clients
	# a command and its children, beside a client and a hog that are not followed
	"$C" --name other --engine 1:0 --count 1000000 --duration 1000 --depth 2 --cpu 0 &
	others=$!
	"$C" --hog 300000 --name hog --cpu 0 &
	others="$others $!"
	record all -- "$G" record -o "$O/followed" --buffer 32M --follow -- \
		bash -c 'echo $$ >$0; exec "$C" --name mine --count 100 --duration 500 --cpu 0' "$O/followed.pid"
	# a process whose child was there before
	bash -c '"$C" --name child --count 1000000 --duration 5000 & echo $! >$0; wait' "$O/pid.pid" &
	parent=$!
	sleep 1
	record all-pid -e i915 -- "$G" record -o "$O/pid" -e i915 --pid $parent -- sleep 2
	# shellcheck disable=SC2086 # a list
	kill $others "$(cat "$O/pid.pid")"
	wait || true
	# processes of one name, requests of one engine
	record all-name -- "$G" record -o "$O/name" --buffer 32M --comm wanted -- \
		"$G" record -o "$O/engine" --buffer 32M --engine 1:0 -- bash -c named
	;;
esac
