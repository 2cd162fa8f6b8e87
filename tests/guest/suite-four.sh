#!/bin/bash
# One run of the replay driver's clients, recorded by gpulane (bpf), LTTng, trace-cmd and perf at once: the reports
# say the same, but for what a tracer has no events of, which is named. One run of drm_sched's jobs likewise. Then our LTTng probes
# come and go while the drivers work and sessions record. And two sessions of LTTng that see the same packets of TCP: read as two
# machines, they are found to have one clock.
#
#   suite-four.sh [6.1|6.12|newest]...   these kernels; else those of LTTNG_KERNELS (lib/suite.sh)
set -u
. "$(dirname "$0")/lib/suite.sh"
. "$GUEST_D/lib.sh"
cd "$TOP" || exit 1

B=${B:-build}
G=$(realpath "$B")/gpulane

# in_tools [COMMAND...] - the root of the Debian release that has LTTng's modules for the newest kernel, with its tools; or runs a
# command there
in_tools() {
	scripts/debian-root --with babeltrace2 --with kmod --with lttng-tools --bind-ro "$SUITE_TMP" "$(kernel_field newest lttng)" ${1:+--} "$@"
}

build() {
	make -s B="$B" replay && replay=$("$GUEST_D/build-kmod" --kernel "$KERNEL" tests/kmod/replay) &&
		sched=$("$GUEST_D/build-kmod" --kernel "$KERNEL" tests/kmod/gl-sched) &&
		tools=$([ "$KERNEL" != newest ] || in_tools) &&
		probes=$("$GUEST_D/build-module" --kernel "$KERNEL" "$replay") && debian=$("$GUEST_D/build-module" --kernel "$KERNEL" debian)
}

cat >"$SUITE_TMP/in-guest" <<'GUEST'
set -eu
scripts/guest.d/load-lttng sched net statedump
modprobe lttng-tracer
modprobe -a drm gpu-sched
insmod "$PROBES/lttng-probe-i915.ko"
insmod "$PROBES/lttng-probe-drm-sched.ko"
insmod "$REPLAY"
insmod "$SCHED" rings=3 timeout_ms=1000
sched=sched_switch,sched_waking,sched_wakeup,sched_wakeup_new,sched_migrate_task,sched_process_fork,sched_process_exec,sched_process_exit
cat >/tmp/workload <<'WORKLOAD'
client=$B/tests/replay/gl-client
nice -n 15 $client --name hist --cpu 1 --count 60 --duration 4000 --depth 2 &
$client --name viewer --cpu 0 --count 24 --duration 1000 --period 10000 --prio 10 &
sleep 0.2
$client --name stress --cpu 1 --hog 150 &
wait
WORKLOAD
cat >/tmp/jobs <<'LIST'
back ring=0 prio=low count=30 us=3000 depth=4
front ring=0 prio=high count=60 us=2000 depth=3
chain ring=1 prio=normal count=20 us=1000 depth=5 after=front
hang ring=2 prio=normal count=3 us=1000 depth=3 hang=1
LIST
for event in ${sched//,/ }; do events+=" -e sched:$event"; done

# four NAME GROUPS LTTNG-EVENTS KERNEL-EVENTS COMMAND... - the command's run, by all four; again where bpf has lost events, since
# Linux 7.3 may preempt its programs (docs/bpf.md), or where no request was taken back
four() {
	local name=$1 groups=$2 lttng=$3 kernel=$4 try trace perf
	shift 4
	# shellcheck disable=SC2086 # words
	trace=$(printf -- ' -e %s' $kernel) perf=$(printf -- ' -e %s:*' $kernel)
	for try in 1 2 3 4 5; do
		rm -rf "$GPULANE_OUT/rec$name" "$GPULANE_OUT/lttng$name"
		# shellcheck disable=SC2086
		trace-cmd start -q -C mono -b 65536 $events $trace >/dev/null
		lttng -q create four --output="$GPULANE_OUT/lttng$name"
		lttng -q enable-channel -k c --subbuf-size=4M --num-subbuf=4
		lttng -q enable-event -k -c c "$sched,$lttng"
		lttng -q add-context -k -c c -t tid -t pid
		lttng -q start
		# shellcheck disable=SC2086
		perf record -q -a -k CLOCK_MONOTONIC -m 4M $events $perf -o "$GPULANE_OUT/perf$name.data" -- \
			"$B/gpulane" record --opencl off --buffer 32M $groups --output "$GPULANE_OUT/rec$name" -- "$@"
		lttng -q stop
		lttng -q destroy
		trace-cmd stop
		trace-cmd extract -o "$GPULANE_OUT/trace$name.dat" >/dev/null
		trace-cmd reset >/dev/null
		if jq -e '[.traces[].lost] | add > 0' "$GPULANE_OUT/rec$name/recording.json" >/dev/null; then
			echo "try $try: bpf lost events"
		elif [ -z "$name" ] && ! "$B/gpulane" dump --no-head --event i915_request_unsubmit "$GPULANE_OUT/rec" | grep -q .; then
			echo "try $try: no request was taken back" # a slow machine: none came while another had the engine
		else
			break
		fi
	done
}
four '' '' 'i915_*,intel_context*' 'i915 dma_fence' bash /tmp/workload
four -drm '--events sched,process,drm' 'drm_sched_*' gpu_scheduler "$B/tests/replay/gl-jobs" /tmp/jobs

# Our probes come and go, the drivers too, under sessions or before them. A probe that a session uses stays.
clients() {
	while [ ! -e /tmp/halt ]; do
		"$B/tests/replay/gl-client" --count 20 --duration 300 --depth 3
		"$B/tests/replay/gl-jobs" /tmp/fire
	done
}
session() {
	lttng -q create "fire$1" --output="/tmp/fire$1.rec"
	lttng -q enable-event -k 'i915_*,intel_context*,drm_sched_*'
	lttng -q start
}
under_fire() {
	local i fire bad=0
	echo 'x count=40 us=300 depth=4 kill=300' >/tmp/fire
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		rm -f /tmp/halt
		clients &
		fire=$!
		[ $((i % 3)) -ne 0 ] || session $i
		insmod "$PROBES/lttng-probe-i915.ko" && insmod "$PROBES/lttng-probe-drm-sched.ko" || bad=$((bad + 1))
		[ $((i % 3)) -ne 1 ] || session $i
		sleep 0.4
		if [ $((i % 3)) -ne 2 ]; then
			! rmmod lttng_probe_i915 2>/dev/null && ! rmmod lttng_probe_drm_sched 2>/dev/null || bad=$((bad + 1))
			lttng -q destroy "fire$i"
			"$B/gpulane" dump --no-head "/tmp/fire$i.rec" 2>/dev/null | grep -oE ' (i915_request_add|i915_request_execute|drm_sched_job_run) ' |
				sort | uniq -c >>"$GPULANE_OUT/fire"
		fi
		if [ $((i % 4)) -eq 0 ]; then
			: >/tmp/halt
			wait $fire
			rmmod i915 && insmod "$REPLAY" || bad=$((bad + 1))
			[ "$(cat /sys/module/lttng_probe_i915/parameters/driver)" = known ] || bad=$((bad + 1))
		fi
		rmmod lttng_probe_i915 lttng_probe_drm_sched || bad=$((bad + 1))
		: >/tmp/halt
		wait $fire
	done
	echo "$bad" >"$GPULANE_OUT/fire-bad"
}
cat /sys/module/lttng_probe_i915/parameters/missed >"$GPULANE_OUT/missed"
rmmod lttng_probe_i915 lttng_probe_drm_sched
under_fire
rmmod gl_sched i915

# Debian's own i915, which has no GPU here: what is hooked of it
insmod "$DEBIAN/lttng-probe-i915.ko"
modprobe i915
cat /sys/module/lttng_probe_i915/parameters/driver /sys/module/lttng_probe_i915/parameters/sources >"$GPULANE_OUT/debian"
modprobe -r i915
modprobe i915
rmmod lttng_probe_i915
insmod "$DEBIAN/lttng-probe-i915.ko"
cat /sys/module/lttng_probe_i915/parameters/driver >>"$GPULANE_OUT/debian"
rmmod lttng_probe_i915
! insmod "$PROBES/lttng-probe-i915.ko" 2>>"$GPULANE_OUT/debian" || rmmod lttng_probe_i915
modinfo -F version "$DEBIAN/lttng-probe-drm-sched.ko" >>"$GPULANE_OUT/debian"
modprobe -r i915
# The tools of the Debian release that has LTTng's modules for this kernel, in its root: a session in either format.
if [ -n "$TOOLS" ]; then
	pid=$(cat /run/lttng/lttng-sessiond.pid)
	kill "$pid"
	while [ -e "/proc/$pid" ]; do sleep 0.1; done
	cache=$(dirname "$TOOLS")
	mkdir -p "$TOOLS/usr/lib/modules" "$TOOLS$cache"
	for dir in /proc /sys /dev /usr/lib/modules "$cache"; do mount --rbind "$dir" "$TOOLS$dir"; done
	for dir in /run /tmp; do mount -t tmpfs tmpfs "$TOOLS$dir"; done
	chroot "$TOOLS" lttng-sessiond -d --kmod-probes=sched
	modprobe -a lttng-tracer gpu-sched
	insmod "$PROBES/lttng-probe-i915.ko"
	insmod "$PROBES/lttng-probe-drm-sched.ko"
	insmod "$REPLAY"
	insmod "$SCHED" rings=3 timeout_ms=1000
	chroot "$TOOLS" lttng --version >"$GPULANE_OUT/tools"
	for format in ctf-2 ctf-1.8; do
		chroot "$TOOLS" lttng -q create $format --trace-format=$format --output="/tmp/$format"
		chroot "$TOOLS" lttng -q enable-event -k 'sched_switch,sched_waking,sched_wakeup,i915_*,intel_context*,drm_sched_*'
		chroot "$TOOLS" lttng -q start
		"$B/tests/replay/gl-client" --count 20 --duration 300 --depth 3
		"$B/tests/replay/gl-jobs" /tmp/jobs
		chroot "$TOOLS" lttng -q destroy
		cp -r "$TOOLS/tmp/$format" "$GPULANE_OUT"
	done
fi
[ "${1-}" = all ] || exit 0

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

# Freed memory is poisoned and the kernel's slabs are checked; KFENCE where there is one (Linux 7.3)
run() {
	mkdir -p "$OUT"
	"$GUEST" --kernel "$KERNEL" --timeout 1500 --env TOOLS="$tools" --mem 4096 --out "$OUT" --env B="$B" --env PROBES="$probes" --env DEBIAN="$debian" \
		--env REPLAY="$replay" --env SCHED="$sched" --append 'slub_debug=FZP kfence.sample_interval=100' --log "$OUT/log" -- \
		bash "$SUITE_TMP/in-guest" "$1"
}

# report_of NAME TRACE [SED] - its report as same.jq has it; who had the CPU that threads waited for in NAME.all, and for longer than 10 ms
# in NAME.long; with SED of its events, changed
report_of() {
	local trace=$2
	if [ -n "${3:-}" ]; then
		"$G" dump "$trace" 2>/dev/null | sed "$3" >"$OUT/$1.txt" && trace=$OUT/$1.txt
	fi
	"$G" report --rows 0 --format json "$trace" 2>/dev/null >"$OUT/$1.json" && jq -S -f tests/foreign/same.jq "$OUT/$1.json" | jq "del(.culprits$no_waits)" >"$OUT/$1.same" || return 1
	jq -r '.cpu_preemptions[] | "\(.thread) \(.culprit) \(.cpu)"' "$OUT/$1.json" | sort -u >"$OUT/$1.all"
	jq -r '.cpu_preemptions[] | select(.runnable_ns > 10000000) | "\(.thread) \(.culprit) \(.cpu)"' "$OUT/$1.json" | sort -u >"$OUT/$1.long"
}

# Since Linux 7.3 a tracepoint's programs may be preempted before they have the time: by one tracer a wait began, by another the request was
# retired by then, and nobody waited.
no_waits=
# What bpf alone records here: when the CPUs slept. By it a wait for a CPU that nobody had is told in two parts, of other names.
no_sleep='/^[0-9].* cpu_idle /d; s/^recorded \(cpu_idle\)/absent \1/'
# What LTTng does not have: the events of fences. gpulane alone has what sits on the ports.
no_fences='/^[0-9].* dma_fence_/d; s/^recorded \(dma_fence_\)/absent \1/'
no_ports='/^[0-9].* i915_engine_ports /d; s/^recorded \(i915_engine_ports\)/absent \1/'
no_unsubmit='/^[0-9].* i915_request_unsubmit /d; s/^recorded \(i915_request_unsubmit\)/absent \1/'

# Each tracer takes times of its own, and an emulated processor may stand still between one's and the next's, for longer than 10 ms on
# a busy machine: what lasts that long by one is there by the other.
as_ours() {
	report_of ours-"$1" "$OUT/rec" "$no_sleep; $3" && report_of "$1" "$OUT/$2" && diff "$OUT/ours-$1.same" "$OUT/$1.same" && [ -s "$OUT/$1.long" ] &&
		same 'ours alone' '' "$(comm -23 "$OUT/ours-$1.long" "$OUT/$1.all")" && same 'theirs alone' '' "$(comm -23 "$OUT/$1.long" "$OUT/ours-$1.all")"
}

# fields KIND TRACE - what tells the events of a kind, sorted: a request, a job
fields() {
	"$G" dump --no-head --event "$1" "$OUT/$2" 2>/dev/null | grep -oE ' (ctx=.* instance=[0-9]*|fence_context=.*)' |
		sed 's/ job_count=[0-9]* hw_job_count=[0-9-]*//; s/ queue_flags=[^ ]* timeout_ms=[0-9]*//' | sort
}

# All four have seen the same requests and switches, to the last one.
same_events() {
	local kind=$1 trace
	shift
	for trace in "$@"; do
		fields "$kind" "$trace" >"$OUT/$(basename "$trace").kind"
		[ -s "$OUT/$(basename "$trace").kind" ] && cmp "$OUT/$(basename "$1").kind" "$OUT/$(basename "$trace").kind" || return 1
	done
}

# Of a job ftrace and perf tell addresses before Linux 6.17: they have as many events as bpf.
as_many() {
	local trace count
	count=$("$G" dump --no-head --event "$1" "$OUT/rec-drm/bpf" 2>/dev/null | wc -l)
	[ "$count" -gt 0 ] || { echo "bpf has none"; return 1; }
	for trace in trace-drm.dat perf-drm.data; do
		same "$trace" "$count" "$("$G" dump --no-head --event "$1" "$OUT/$trace" 2>/dev/null | wc -l)" || return 1
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

# of_tools FORMAT - what the release's own LTTng recorded in that format is what its babeltrace2 prints of it
of_tools() {
	cat "$OUT/tools"
	same format "$1" "$(grep -aq '"preamble"' "$OUT/$1/kernel/metadata" && echo ctf-2 || echo ctf-1.8)" || return 1
	in_tools babeltrace2 --clock-cycles "$OUT/$1" >"$OUT/printed" || return 1
	"$G" dump --no-head "$OUT/$1" >"$OUT/dumped" || return 1
	awk -f tests/foreign/babeltrace2.awk "$OUT/printed" | sort >"$OUT/theirs"
	awk -f tests/foreign/babeltrace2.awk "$OUT/dumped" | sort >"$OUT/ours"
	[ "$(wc -l <"$OUT/ours")" -ge 500 ] && cmp "$OUT/theirs" "$OUT/ours" || return 1
	grep -oE ' (i915|drm_sched)_[a-z_]+: ' "$OUT/printed" | tr -d ': ' | sort | uniq -c >"$OUT/theirs"
	grep -oE ' (i915|drm_sched)_[a-z_]+ ' "$OUT/dumped" | tr -d ' ' | sort | uniq -c | tee "$OUT/ours"
	[ "$(wc -l <"$OUT/ours")" -ge 8 ] && cmp "$OUT/theirs" "$OUT/ours" && lost "$1"
}

# What perf makes of its perf.data for readers of CTF.
perf_ctf() { perf data convert --to-ctf "$OUT/perf-ctf" -i "$OUT/perf.data" >"$OUT/convert.log" 2>&1 && as_ours perf-ctf perf-ctf "$1"; }

# Debian's own i915: known, whichever of the two comes first; refused by the probe of another; the version is gpulane's.
debian_driver() {
	cat "$OUT/debian"
	same 'known, before it and behind it' 2 "$(grep -cx known "$OUT/debian")" &&
		grep -qx 'i915_request_execute=function:__i915_request_submit' "$OUT/debian" &&
		same 'from functions' 7 "$(grep -c '=function:' "$OUT/debian")" &&
		grep -q 'insmod: ERROR: .*No such device' "$OUT/debian" &&
		same version "$("$G" --version | sed 's/^gpulane //')" "$(tail -n 1 "$OUT/debian")"
}
fire() {
	cat "$OUT/fire" "$OUT/fire-bad"
	same 'steps that went wrong' 0 "$(cat "$OUT/fire-bad")" || return 1
	for kind in i915_request_add i915_request_execute drm_sched_job_run; do
		[ "$(grep -c " $kind" "$OUT/fire")" -ge 4 ] || { echo "few sessions have $kind"; return 1; }
	done
}
# Beside what scripts/guest finds in the kernel's log: what its checks of memory say.
clean_log() { ! grep -E 'BUG:? kmalloc|Objects remaining|oison overwritten|Redzone|sleeping function|scheduling while atomic|KFENCE: |refcount_t' "$OUT/log"; }

# table - how many events each tracer has, as in docs/module.md
table() {
	local kind trace
	for kind in i915_request_{queue,add,submit,execute,in,out,retire,unsubmit} intel_context_{create,free}; do
		printf '| %s | i915 (replay) | %s' "$KERNEL" "$kind"
		for trace in lttng rec/bpf trace.dat perf.data; do
			printf ' | %s' "$("$G" dump --no-head --event $kind "$OUT/$trace" 2>/dev/null | wc -l)"
		done
		printf ' |\n'
	done
	for kind in drm_sched_job_{queue,run,add_dep,done,unschedulable}; do
		printf '| %s | drm_sched (gl-sched) | %s' "$KERNEL" "$kind"
		for trace in lttng-drm rec-drm/bpf trace-drm.dat perf-drm.data; do
			printf ' | %s' "$("$G" dump --no-head --event $kind "$OUT/$trace" 2>/dev/null | wc -l)"
		done
		printf ' |\n'
	done
}

suite_of() {
	local trace kind
	check build build
	check run run "$1"
	for trace in rec lttng trace.dat perf.data rec-drm lttng-drm trace-drm.dat perf-drm.data; do
		check "lossless-$trace" lost $trace
	done
	for kind in i915_request_add i915_request_submit i915_request_execute i915_request_in i915_request_out i915_request_retire; do
		check "events-$kind" same_events $kind rec/bpf lttng trace.dat perf.data
	done
	check events-i915_request_unsubmit same_events i915_request_unsubmit rec/bpf lttng
	for kind in drm_sched_job_queue drm_sched_job_run drm_sched_job_add_dep drm_sched_job_done; do
		check "events-$kind" same_events $kind rec-drm/bpf lttng-drm
		check "as-many-$kind" as_many $kind
	done
	check no-return-missed same missed 0 "$(cat "$OUT/missed")"
	check report-lttng as_ours lttng lttng "$no_fences; $no_ports"
	check report-trace-cmd as_ours trace-cmd trace.dat "$no_ports; $no_unsubmit"
	check report-perf as_ours perf perf.data "$no_ports; $no_unsubmit"
	check under-fire fire
	check debian-i915 debian_driver
	if [ -n "$tools" ]; then
		check tools-ctf-2 of_tools ctf-2
		check tools-ctf-1.8 of_tools ctf-1.8
	fi
	check log clean_log
	if [ "$1" = all ]; then
		check report-perf-ctf perf_ctf "$no_ports; $no_unsubmit"
		check rotated rotated
		check one-clock one_clock
	fi
	table
}

[ $# -gt 0 ] || set -- "${LTTNG_KERNELS[@]}"
for KERNEL; do
	CHECK_PREFIX=$KERNEL- OUT=$SUITE_TMP/out-$KERNEL
	[ "$KERNEL" != newest ] || no_waits=", .clients[].waits"
	suite_of "$([ "$KERNEL" = 6.1 ] && echo all || echo probes)"
	[ -z "${KEEP:-}" ] || cp -r "$OUT" "$KEEP"
done
cat "$T"/check.* 2>/dev/null | tail -n 3
suite_end four
