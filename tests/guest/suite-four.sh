#!/bin/bash
# One run of the replay driver's clients, recorded by gpulane (bpf), LTTng, trace-cmd and perf at once: the reports
# say the same, but for what a tracer has no events of, which is named. And two sessions of LTTng that
# see the same packets of TCP: read as two machines, they are found to have one clock.
set -u
. "$(dirname "$0")/lib/suite.sh"
cd "$TOP" || exit 1

B=${B:-build}
OUT=$SUITE_TMP/out
G=$(realpath "$B")/gpulane
KERNEL=6.1
MODULE=$B/tests/four

build() {
	make -s B="$B" replay && replay=$("$GUEST_D/build-kmod" --kernel $KERNEL tests/kmod/replay) &&
		lttng=$("$GUEST_D/build-lttng-modules" --kernel $KERNEL) && vmlinux=$("$GUEST_D/vmlinux-btf" --kernel $KERNEL) &&
		make -s module B="$B" KDIR="$(scripts/guest.d/kernels headers $KERNEL)" LTTNG_MODULES="$lttng" \
			VMLINUX="$vmlinux" I915_KO="$replay" MODULE_DIR="$MODULE"
}

cat >"$SUITE_TMP/in-guest" <<'GUEST'
set -eu
scripts/guest.d/load-lttng sched net statedump
modprobe lttng-tracer
insmod "$MODULE/lttng-probe-i915.ko"
insmod "$REPLAY"
sched=sched_switch,sched_waking,sched_wakeup,sched_wakeup_new,sched_migrate_task,sched_process_fork,sched_process_exec,sched_process_exit
cat >/tmp/workload <<'WORKLOAD'
client=$B/tests/replay/gl-client
nice -n 15 $client --name hist --cpu 1 --count 60 --duration 4000 --depth 2 &
$client --name viewer --cpu 0 --count 24 --duration 1000 --period 10000 --prio 10 &
sleep 0.2
$client --name stress --cpu 1 --hog 150 &
wait
WORKLOAD
for event in ${sched//,/ }; do events+=" -e sched:$event"; done
# shellcheck disable=SC2086 # words
trace-cmd start -q -C mono -b 65536 $events -e i915 -e dma_fence >/dev/null
lttng -q create four --output="$GPULANE_OUT/lttng"
lttng -q enable-channel -k c --subbuf-size=4M --num-subbuf=4
lttng -q enable-event -k -c c "$sched,i915_*,intel_context*"
lttng -q add-context -k -c c -t tid -t pid
lttng -q start
# shellcheck disable=SC2086
perf record -q -a -k CLOCK_MONOTONIC -m 4M $events -e 'i915:*' -e 'dma_fence:*' -o "$GPULANE_OUT/perf.data" -- \
	"$B/gpulane" record --opencl off --buffer 32M --output "$GPULANE_OUT/rec" -- bash /tmp/workload
lttng -q stop
lttng -q destroy
trace-cmd stop
trace-cmd extract -o "$GPULANE_OUT/trace.dat" >/dev/null

# A session that is rotated.
lttng -q create rotated --output="$GPULANE_OUT/rotated"
lttng -q enable-event -k sched_switch,sched_waking,sched_wakeup
lttng -q start
for round in 1 2 3; do
	[ $round -eq 1 ] || lttng -q rotate
	ls / | cat >/dev/null
done
lttng -q destroy

# Packets, seen by two sessions.
for session in one two; do
	lttng -q create $session --output="$GPULANE_OUT/$session"
	lttng -q enable-event -k 'net_dev_queue,net_if_receive_skb,sched_switch'
	lttng -q start
done
perl -MIO::Socket::INET -e '
	my $server = IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 5, ReuseAddr => 1) or die;
	for my $round (1 .. 5) {
		my $pid = fork;
		if (!$pid) {
			my $to = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $server->sockport) or die;
			for (1 .. 8) { print $to "question $_\n"; my $answer = <$to>; select undef, undef, undef, 0.01; }
			exit 0;
		}
		my $from = $server->accept;
		while (my $line = <$from>) { print $from "answer to $line"; $from->flush; }
		waitpid $pid, 0;
	}'
lttng -q destroy one
lttng -q destroy two
GUEST

run() {
	mkdir -p "$OUT"
	"$GUEST" --kernel $KERNEL --timeout 900 --mem 4096 --out "$OUT" --env B="$B" --env MODULE="$MODULE" \
		--env REPLAY="$replay" -- bash "$SUITE_TMP/in-guest"
}

# report_of NAME TRACE [SED] - its report as same.jq has it; who had the CPU that threads waited for in NAME.all, and for longer than 10 ms
# in NAME.long; with SED of its events, changed
report_of() {
	local trace=$2
	if [ -n "${3:-}" ]; then
		"$G" dump "$trace" 2>/dev/null | sed "$3" >"$OUT/$1.txt" && trace=$OUT/$1.txt
	fi
	"$G" report --rows 0 --format json "$trace" 2>/dev/null >"$OUT/$1.json" && jq -S -f tests/foreign/same.jq "$OUT/$1.json" | jq 'del(.culprits)' >"$OUT/$1.same" || return 1
	jq -r '.cpu_preemptions[] | "\(.thread) \(.culprit) \(.cpu)"' "$OUT/$1.json" | sort -u >"$OUT/$1.all"
	jq -r '.cpu_preemptions[] | select(.runnable_ns > 10000000) | "\(.thread) \(.culprit) \(.cpu)"' "$OUT/$1.json" | sort -u >"$OUT/$1.long"
}

# What LTTng 2.13 does not have: the events of fences. gpulane alone has what sits on the ports.
no_fences='/^[0-9].* dma_fence_/d; s/^recorded \(dma_fence_\)/absent \1/'
no_ports='/^[0-9].* i915_engine_ports /d; s/^recorded \(i915_engine_ports\)/absent \1/'
no_unsubmit='/^[0-9].* i915_request_unsubmit /d; s/^recorded \(i915_request_unsubmit\)/absent \1/'

# Each tracer takes times of its own, and an emulated processor may stand still between one's and the next's, for longer than 10 ms on
# a busy machine: what lasts that long by one is there by the other.
as_ours() {
	report_of ours-"$1" "$OUT/rec" "${3:-}" && report_of "$1" "$OUT/$2" && diff "$OUT/ours-$1.same" "$OUT/$1.same" && [ -s "$OUT/$1.long" ] &&
		same 'ours alone' '' "$(comm -23 "$OUT/ours-$1.long" "$OUT/$1.all")" && same 'theirs alone' '' "$(comm -23 "$OUT/$1.long" "$OUT/ours-$1.all")"
}

# All four have seen the same requests and switches, to the last one.
same_events() {
	local kind=$1 trace
	shift
	for trace in "$@"; do
		"$G" dump --no-head --event "$kind" "$OUT/$trace" 2>/dev/null | grep -o ' ctx=.* instance=[0-9]*' | sort >"$OUT/$(basename "$trace").kind"
		[ -s "$OUT/$(basename "$trace").kind" ] && cmp "$OUT/$(basename "$1").kind" "$OUT/$(basename "$trace").kind" || return 1
	done
}

lost() { same lost 0 "$("$G" report --format json "$OUT/$1" 2>/dev/null | jq .lost.events)"; }

# The second session's boot is made another one: then nothing but the packets says that it is the first one's clock.
one_clock() {
	local meta
	meta=$(find "$OUT/two" -name metadata)
	grep -aq net_dev_queue "$meta" || { echo "no packets were recorded"; return 1; }
	LC_ALL=C sed -i '/^clock {/,/^}/s/uuid = "....\(.*\)"/uuid = "0000\1"/' "$meta"
	"$G" report --format json "$OUT/one" "$OUT/two" >"$OUT/clocks.json" 2>"$OUT/err" || { cat "$OUT/err"; return 1; }
	jq -c '.machines[1].clock | del(.offsets)' "$OUT/clocks.json"
	jq -e '.machines[1].clock.tied_by == "packets" and ([.machines[1].clock.offsets[] | .min_ns <= 0 and .max_ns >= 0] | all)' "$OUT/clocks.json"
}

# The chunks of a rotated session are one trace, with what babeltrace2 prints of them.
rotated() {
	local chunks
	chunks=$(find "$OUT/rotated" -name metadata | wc -l)
	[ "$chunks" -ge 3 ] || { echo "$chunks chunks"; return 1; }
	babeltrace2 --clock-cycles "$OUT/rotated" 2>/dev/null | awk -f tests/foreign/babeltrace2.awk | sort >"$OUT/theirs"
	"$G" dump --no-head "$OUT/rotated" 2>/dev/null | awk -f tests/foreign/babeltrace2.awk | sort >"$OUT/ours"
	[ "$(wc -l <"$OUT/theirs")" -ge 20 ] && cmp "$OUT/theirs" "$OUT/ours" && lost rotated
}

# What perf makes of its perf.data for readers of CTF.
perf_ctf() { perf data convert --to-ctf "$OUT/perf-ctf" -i "$OUT/perf.data" >"$OUT/convert.log" 2>&1 && as_ours perf-ctf perf-ctf "$1"; }

check build build
check run run
for trace in rec lttng trace.dat perf.data; do
	check "lossless-$trace" lost $trace
done
for kind in i915_request_add i915_request_submit i915_request_execute i915_request_in i915_request_out; do
	check "events-$kind" same_events $kind rec/bpf lttng trace.dat perf.data
done
check report-lttng as_ours lttng lttng "$no_fences; $no_ports"
check report-trace-cmd as_ours trace-cmd trace.dat "$no_ports; $no_unsubmit"
check report-perf as_ours perf perf.data "$no_ports; $no_unsubmit"
check report-perf-ctf perf_ctf "$no_ports; $no_unsubmit"
check rotated rotated
check one-clock one_clock
cat "$T"/check.* 2>/dev/null | tail -n 3
[ -z "${KEEP:-}" ] || cp -r "$OUT" "$KEEP"
suite_end four
