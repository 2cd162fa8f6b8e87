#!/bin/bash
# SPDX-License-Identifier: MIT
# One boot of Linux 6.1 for all that records. One run of i915's own request code (its mock selftests) is recorded by bpf, by the LTTng
# module and by ftrace at once: the same events in all three, to the last one. Then, in the same guest, the first parts of the suites
# record, bpf, live, sched, opencl and frames.
set -u
. "$(dirname "$0")/lib/suite.sh"
. "$GUEST_D/lib.sh"
cd "$TOP" || exit 1

B=${B:-build}
OUT=$SUITE_TMP/out
KERNEL=6.1
CANON=tests/guest/lib/canon.awk

build() {
	i915=$("$GUEST_D/build-i915" --kernel $KERNEL --variant lowlevel) &&
		selftest=$("$GUEST_D/build-kmod" --kernel $KERNEL tests/kmod/gl-selftest I915="$i915") &&
		replay=$("$GUEST_D/build-kmod" --kernel $KERNEL tests/kmod/replay) &&
		sched=$("$GUEST_D/build-kmod" --kernel $KERNEL tests/kmod/gl-sched) &&
		display=$("$GUEST_D/build-kmod" --kernel $KERNEL tests/kmod/gl-display) &&
		flood=$("$GUEST_D/build-kmod" --kernel $KERNEL tests/kmod/gl-flood) &&
		lttng=$("$GUEST_D/build-lttng-modules" --kernel $KERNEL) &&
		vmlinux=$("$GUEST_D/vmlinux-btf" --kernel $KERNEL) &&
		make -s B="$B" tools icd-cache || return
	# another release's kernel is built for in its root
	if suite_is_ours "$(kernel_suite "$(kernel_release $KERNEL)")"; then
		MODULE=$B/tests/one
		make -s module B="$B" KDIR="$(scripts/guest.d/kernels headers $KERNEL)" LTTNG_MODULES="$lttng" \
			VMLINUX="$vmlinux" I915_KO="$i915/i915.ko" MODULE_DIR="$MODULE"
	else
		MODULE=$("$GUEST_D/build-module" --kernel $KERNEL "$i915/i915.ko")
	fi
}

# What runs in the guest. Comparing is left to the host, which is faster.
cat >"$SUITE_TMP/in-guest" <<'GUEST'
set -eu
scripts/guest.d/load-lttng sched
modprobe lttng-tracer
insmod "$MODULE/lttng-probe-i915.ko"
scripts/guest.d/load-i915 lowlevel
trace-cmd start -q -C mono -b 65536 -e 'i915:i915_request_*' -e 'i915:intel_context_*' >/dev/null
"$B/gpulane" record --backend both --events i915,context,sched,process --buffer 64M \
	--output "$GPULANE_OUT/rec" -- insmod "$SELFTEST"
trace-cmd stop
trace-cmd extract -o "$GPULANE_OUT/trace.dat" >/dev/null
trace-cmd reset >/dev/null
rmmod gl_selftest i915 lttng_probe_i915
pkill lttng-sessiond
out=$GPULANE_OUT
# part SUITE ARGUMENT... - the second half of a suite, which is for the guest
part() {
	local start=$SECONDS
	mkdir "$out/$1"
	GPULANE_OUT=$out/$1 "tests/guest/suite-$1.sh" "${@:2}" || true
	printf -- '-- %s: %d s\n' "$1" $((SECONDS - start))
}
part record "$FLOOD" 6.1 first
part bpf 6.1 "$REPLAY" first
part live "$REPLAY" 10 # per cent: beside it other suites run
part sched "$SCHED" "$REPLAY" 6.1 - first
part opencl "$REPLAY" 6.1 first
part frames "$SCHED" "$DISPLAY_KO" "$REPLAY" 6.1 first
GUEST

run() {
	mkdir -p "$OUT"
	"$GUEST" --kernel $KERNEL --timeout 1800 --mem 4096 --out "$OUT" --env B="$B" --env MODULE="$MODULE" --env SELFTEST="$selftest" \
		--env REPLAY="$replay" --env SCHED="$sched" --env FLOOD="$flood" --env DISPLAY_KO="$display" -- bash "$SUITE_TMP/in-guest" | tee "$SUITE_TMP/said"
	return "${PIPESTATUS[0]}"
}

canonical() {
	babeltrace2 "$OUT/rec/bpf" 2>"$OUT/bpf.warnings" | awk -f $CANON >"$OUT/bpf.events"
	babeltrace2 "$OUT/rec/lttng" 2>"$OUT/lttng.warnings" | awk -f $CANON >"$OUT/lttng.events"
	trace-cmd report -i "$OUT/trace.dat" 2>/dev/null | awk -f $CANON >"$OUT/ftrace.events"
	for tracer in bpf lttng ftrace; do
		sort -s -k1,2 "$OUT/$tracer.events" >"$OUT/$tracer.sorted"
	done
}

count() { awk -v kind="$2" '$1 == kind { n++ } END { print n + 0 }' "$OUT/$1.events"; }

# Requests that the driver takes back have no tracepoint: bpf and our LTTng probe hook the function.
compare() {
	local kind=$1 other=$2
	same "events of $kind" "$(count bpf "$kind")" "$(count "$other" "$kind")" &&
		cmp <(grep "^$kind " "$OUT/bpf.sorted") <(grep "^$kind " "$OUT/$other.sorted")
}

table() {
	local kind
	printf '%-28s %8s %8s %8s\n' event bpf lttng ftrace
	for kind in $(cut -d' ' -f1 "$OUT"/*.events | sort -u); do
		printf '%-28s %8d %8d %8d\n' "$kind" "$(count bpf "$kind")" "$(count lttng "$kind")" \
			"$(count ftrace "$kind")"
	done
}

check build build
check run run
cat "$SUITE_TMP/said"
canonical
table
check laws tests/laws/check "$OUT/rec" "$OUT/rec/bpf" "$OUT/rec/lttng"
check bpf-no-warning same warnings "" "$(cat "$OUT/bpf.warnings")"
check lttng-no-warning same warnings "" "$(cat "$OUT/lttng.warnings")"
for kind in add submit execute retire wait_begin wait_end; do
	check "some-$kind" test "$(count bpf i915_request_$kind)" -gt 0
	check "same-$kind-lttng" compare i915_request_$kind lttng
	check "same-$kind-ftrace" compare i915_request_$kind ftrace
done
check same-unsubmit-lttng compare i915_request_unsubmit lttng
for suite in record live sched opencl frames; do
	report "$OUT/$suite/report"
done
tests/guest/suite-bpf.sh --judge "$OUT/bpf" >"$SUITE_TMP/bpf"
report "$SUITE_TMP/bpf"
suite_end one
