#!/bin/bash
# Tests the ground the other suites stand on: i915 with its mock selftests fires its events after loading,
# in the variants it should, as often as the functions behind them run, and loads and unloads cleanly.
# shellcheck disable=SC2016,SC2034 # awk's variables; variables named by others
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	self=tests/guest/suite-i915.sh
	modules=()
	for variant in lowlevel stock; do
		modules+=("$("$GUEST_D/build-kmod" tests/kmod/gl-selftest "I915=$("$GUEST_D/build-i915" --variant "$variant")")")
	done
	check guest "$GUEST" --timeout 200 --out "$SUITE_TMP/out" -- "$self" \
		"${modules[@]}" "$("$GUEST_D/build-kmod" tests/kmod/gl-flood)"
	report "$SUITE_TMP/out/report"
	check 6.12-flood "$GUEST" --kernel 6.12 --timeout 100 --out "$SUITE_TMP/out-6.12" -- "$self" \
		"$("$GUEST_D/build-kmod" --kernel 6.12 tests/kmod/gl-flood)"
	report "$SUITE_TMP/out-6.12/report"
	suite_end i915
	exit
fi

# --- in the guest -------------------------------------------------------------------------------
tracing=/sys/kernel/tracing
exec >"$GPULANE_OUT/report"

# equal NAME A B... - a test: all the same, and not 0
equal() {
	local name=$1 first=$2 value
	for value in "${@:2}"; do
		if [ "$value" != "$first" ] || [ "${value:-0}" = 0 ]; then
			printf 'FAIL %s\n    counts: %s\n' "$name" "${*:2}"
			return
		fi
	done
	printf 'ok %s\n' "$name"
}

works() {
	local name=$1
	shift
	if "$@" >/tmp/works.log 2>&1; then
		printf 'ok %s\n' "$name"
	else
		printf 'FAIL %s\n' "$name"
		{
			cat /tmp/works.log
			dmesg | tail -n 20
		} | sed 's/^/    /'
	fi
}

# counting EVENT... - count the events from now on, without recording them
counting() {
	local event
	for event in "$@"; do
		echo 'hist:keys=common_type' >"$tracing/events/$event/trigger"
	done
}

# A histogram drops a hit when two processors make its first entry at once, and says so.
hits() {
	awk '$1 == "Hits:" || $1 == "Dropped:" { sum += $2 } END { print sum + 0 }' "$tracing/events/$1/hist"
}

flood() {
	local count=5000 cpus=2 event
	works "$1flood-loads" insmod "$flood"
	counting dma_fence/dma_fence_{init,enable_signal,signaled,destroy}
	works "$1flood-runs" sh -c "echo '$count 0 $cpus' >/sys/kernel/debug/gl-flood/run"
	for event in init enable_signal signaled destroy; do
		equal "$1flood-$event" $((count * cpus)) "$(hits dma_fence/dma_fence_$event)" \
			"$(awk -v name=dma_fence_$event '$1 == name { print $2 }' /sys/kernel/debug/gl-flood/counts)"
	done
	works "$1flood-rate" sh -c 'echo "200 1000 1" >/sys/kernel/debug/gl-flood/run &&
		awk "\$1 == \"elapsed_ns\" { exit !(\$2 >= 190000000) }" /sys/kernel/debug/gl-flood/counts'
	works "$1flood-unloads" rmmod gl_flood
}

if [ $# -eq 1 ]; then
	flood=$1
	flood 6.12-
	exit
fi
lowlevel=$1 stock=$2 flood=$3
flood ''

# the one subtest that calls the driver's functions itself, where no event is
filter='!i915_request_mock_selftests/igt_request_rewind'
for variant in lowlevel stock; do
	works "$variant-loads" scripts/guest.d/load-i915 "$variant"
	works "$variant-btf" test -s /sys/kernel/btf/i915
	events=(i915/i915_request_{add,retire} dma_fence/dma_fence_{init,signaled})
	if [ "$variant" = lowlevel ]; then
		events+=(i915/i915_request_{submit,execute})
	else
		works stock-has-no-lowlevel-events test ! -e "$tracing/events/i915/i915_request_submit"
	fi
	{
		echo 'p:hooks/submit mock_submit_request'
		echo 'p:hooks/execute __i915_request_submit'
		echo 'p:hooks/add i915_request_add'
	} >"$tracing/kprobe_events"
	events+=(hooks/submit hooks/execute hooks/add)
	counting "${events[@]}"
	module=${!variant}
	works "$variant-selftests" insmod "$module" select=requests "filter=$filter"
	if [ "$variant" = lowlevel ]; then
		equal lowlevel-submit "$(hits i915/i915_request_submit)" "$(hits hooks/submit)"
		equal lowlevel-execute "$(hits i915/i915_request_execute)" "$(hits hooks/execute)"
	fi
	equal "$variant-requests" "$(hits hooks/submit)" "$(hits hooks/execute)" \
		"$(hits i915/i915_request_retire)"
	# fewer: the requests with which an engine parks are not added
	equal "$variant-add" "$(hits i915/i915_request_add)" "$(hits hooks/add)"
	equal "$variant-fences" "$(hits dma_fence/dma_fence_init)" "$(hits dma_fence/dma_fence_signaled)"
	for event in "${events[@]}"; do
		echo '!hist:keys=common_type' >"$tracing/events/$event/trigger"
	done
	echo >"$tracing/kprobe_events"
	works "$variant-selftest-unloads" rmmod gl_selftest
	works "$variant-unloads" rmmod i915
done
