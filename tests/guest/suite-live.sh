#!/bin/bash
# What report finds in a live recording of the replay driver, held against what the scheduler and the driver
# counted themselves: a waiter that shares its CPU with a hog is found starved by it, a client of higher
# priority is found to preempt the other, requests' times are the driver's.
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	make -s B="${B:-build}" replay || exit 1
	"$GUEST" --kernel 6.1 --timeout 900 --env "B=${B:-build}" --out "$SUITE_TMP/out" -- "$0" \
		"$("$GUEST_D/build-kmod" --kernel 6.1 "$TOP/tests/kmod/replay")"
	report "$SUITE_TMP/out/report"
	suite_end live
	exit
fi

# --- in the guest -------------------------------------------------------------------------------
GPULANE=$(realpath "${B:-build}/gpulane")
laws=$(realpath tests/laws/check)
client=$(realpath "${B:-build}/tests/replay/gl-client")
T=$(mktemp -d /tmp/live.XXXXXX)
cd "$T" || exit 1
insmod "$1" || exit 1
apart=${2-1}
exec >"$GPULANE_OUT/report"

check() {
	local name=$1
	shift
	if "$@" >"$T/check.log" 2>&1; then
		printf 'ok %s\n' "$name"
		grep ': expected' "$T/check.log" | sed 's/^/    /'
	else
		printf 'FAIL %s\n' "$name"
		tail -n 30 "$T/check.log" | sed 's/^/    /'
	fi
}

# near PERCENT WHAT EXPECTED ACTUAL - no more apart than that
near() {
	printf '%s: expected %s, got %s\n' "$2" "$3" "$4"
	awk -v p="$1" -v e="$3" -v a="$4" 'BEGIN { d = a - e; exit !(e > 0 && (d < 0 ? -d : d) <= e * p / 100) }'
}

# at_least WHAT BOUND ACTUAL
at_least() {
	printf '%s: expected at least %s, got %s\n' "$1" "$2" "$3"
	awk -v b="$2" -v a="$3" 'BEGIN { exit !(a >= b) }'
}

# same WHAT EXPECTED ACTUAL
same() {
	printf '%s: expected %s, got %s\n' "$1" "$2" "$3"
	[ "$2" = "$3" ]
}

json() { jq -r "$2" "$T/$1.json"; }

# --- a waiter and a hog on CPU 1 ----------------------------------------------------------------------
# The waiter begins before the hog and outlives it, so that nothing of the hog's falls between the waiter's
# looks at its own figure and its first and last submission. Whatever else the guest does is kept off that CPU, as far as a kernel allows it.
cat >starved.sh <<SCRIPT
rm -f $T/over $T/waited
taskset -pc 0 \$\$ >/dev/null
nice -n 15 $client --name waiter --cpu 1 --count 5 --duration 2000 --until $T/over --schedstat $T/waited &
until [ -s $T/waited ]; do sleep 0.01; done
$client --name hog --cpu 1 --hog 2000
touch $T/over
wait
SCRIPT
mine='[.cpu_preemptions[] | select(.thread | startswith("waiter["))]'
starved() {
	rm -rf starved
	taskset -c 0 "$GPULANE" record --output starved -- bash starved.sh || return
	"$GPULANE" report --format json --rows 0 starved >starved.json || return
	"$GPULANE" report starved >starved.txt || return
	all=$(json starved "$mine | map(.runnable_ns) | add")
}
as_the_scheduler_says() { near "$1" "time the waiter could run and did not, ns" "$(cat waited)" "$all"; }
# The waiter's two looks at its figure take time themselves, and where the machine under the guest is busy the guest's ticks come late
# and the scheduler's clock stays behind: one of five recordings must agree within 1 %, or as many as the second argument says.
for attempt in 1 2 3 4 5; do
	starved >starved.log 2>&1 || break
	[ "$(json starved .lost.events)" = 0 ] && as_the_scheduler_says 1 >/dev/null && break
done
[ "$attempt" -eq 1 ] || printf 'tried again: starved: try %d (the figures were too far apart)\n' "$attempt"
check starved-recorded test -s starved.txt
check starved-nothing-lost same "events lost" 0 "$(json starved .lost.events)"
by_hog=$(json starved "$mine | map(select(.culprit | startswith(\"hog[\"))) | map(.runnable_ns) | add")
check starved-as-long-as-the-scheduler-says as_the_scheduler_says "$apart"
check starved-by-the-hog at_least "of that, taken by the hog" "$((all / 2))" "$by_hog"
check starved-worst-culprit-first test "$(json starved "$mine"' | max_by(.runnable_ns).culprit | sub("\\[.*"; "")')" = hog
check starved-verdict-says-so grep -Eq '^rcs0 was idle for .* because hog.* had waiter.*CPU' starved.txt

# --- a client of higher priority ----------------------------------------------------------------------
# One request of the low client at a time: the dequeue that takes it back hands it over again, as the last of port 1. Its
# own `in` tells its priority there, so the reason of every preemption is known.
cat >preempted.sh <<SCRIPT
$client --name low --cpu 0 --count 3 --duration 20000 --until $T/high --truth $T/low &
$client --name high --cpu 1 --count 30 --duration 2000 --period 15000 --prio 10 --truth $T/high
wait
SCRIPT
preempted() {
	rm -rf preempted low high
	"$GPULANE" record --output preempted -- bash preempted.sh &&
		"$GPULANE" report --format json --rows 0 preempted >preempted.json
}
# as_the_driver_says CLIENT STAGE COLUMN PERCENT - the sum over its requests is the driver's
as_the_driver_says() {
	local truth ours
	truth=$(awk -v c="$3" '{ ns += $c } END { printf "%.0f", ns }' "$1")
	ours=$(json preempted ".clients[] | select(.client | startswith(\"$1[\")) | .stages.$2.sum.max_ns")
	[ "$truth" != 0 ] || same "$2 of $1, ns" 0 "$ours" || return
	[ "$truth" = 0 ] || near "$4" "$2 of $1, ns" "$truth" "$ours"
}
# A preemption begins between the ports' writing, the driver's truth, and the `out`, all we can see.
running_low() { as_the_driver_says low running 9 1; }
running_high() { as_the_driver_says high running 9 1; }
preempted_low() { as_the_driver_says low preempted 10 5; }
preempted_high() { as_the_driver_says high preempted 10 5; }
# That may last where the machine under the guest takes the processor away just then: one of five.
for attempt in 1 2 3 4 5; do
	preempted >preempted.log 2>&1 || break
	[ "$(json preempted .lost.events)" = 0 ] && { running_low && running_high && preempted_low; } >/dev/null && break
done
[ "$attempt" -eq 1 ] || printf 'tried again: preempted: try %d (the figures were too far apart)\n' "$attempt"
check preempted-recorded test -s preempted.json
check preempted-nothing-lost same "events lost" 0 "$(json preempted .lost.events)"
check preempted-all-requests-complete same "complete, partial, unknown" \
	"$(cat low high | wc -l) 0 0" "$(json preempted '.requests | "\(.complete) \(.partial) \(.unknown)"')"
pair='[.preemptions[] | select((.victim | startswith("low[")) and (.culprit // "" | startswith("high[")))]'
by() { json preempted "$pair | map(select(.why == \"$1\").count) | add // 0"; }
preemptions=$(awk '{ n += $4 - 1 } END { print n + 0 }' low)
check preempted-at-all at_least "preemptions" 1 "$preemptions"
check preempted-as-often-as-the-driver-says same "preemptions" "$preemptions" "$(json preempted "$pair | map(.count) | add")"
check preempted-by-priority-each same "preemptions by priority" "$preemptions" "$(by priority)"
for name in running_low preempted_low running_high preempted_high; do
	check "preempted-$name" "$name"
done
check laws "$laws" starved preempted
rmmod i915
