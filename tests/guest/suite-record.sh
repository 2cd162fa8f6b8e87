#!/bin/bash
# gpulane record from the first second to the last: how it begins and ends, what is left when it cannot
# go on, and that every recording is one that babeltrace2 reads without a word.
#
#   suite-record.sh [6.1|6.12|newest]   all kernels, or one; lttng on 6.1 only
#
# In the guest `first` as the last argument ends it early: that is what suite-one.sh runs.
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	check packets make -s "${B:-build}/tests/packets/gl-packets"
	for version in ${1:-6.1 6.12 newest}; do
		check_later "$version" "$GUEST" --kernel "$version" --timeout 900 --env "B=${B:-build}" \
			--out "$SUITE_TMP/out-$version" -- "$0" \
			"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/gl-flood)" "$version"
	done
	check_wait
	for version in ${1:-6.1 6.12 newest}; do
		report "$SUITE_TMP/out-$version/report"
	done
	suite_end record
	exit
fi

# --- in the guest -------------------------------------------------------------------------------
FLOOD=$1 VERSION=$2 PART=${3-}
TOP=$(realpath "$(dirname "$0")/../..")
GPULANE=$(realpath "${B:-build}/gpulane")
PACKETS=$(realpath "${B:-build}/tests/packets/gl-packets")
# Where all groups are not the point, few: programs load slowly in a guest.
RECORD=("$GPULANE" record --opencl off --events "sched,process")
T=$(mktemp -d /tmp/record.XXXXXX)
chmod 755 "$T"
cd "$T" || exit 1
trap 'cd /; umount "$T/small" 2>/dev/null; rm -rf "$T"' EXIT
exec >"$GPULANE_OUT/report"

CHECK_PREFIX=$VERSION-
. "$TOP/tests/lib/suite.sh"
. "$TOP/tests/guest/lib/fact.sh"

# readable DIR: babeltrace2 reads it and has nothing to say but what was lost, and Trace Compass takes every
# packet; the events are in $T/events
readable() {
	[ ! -d "$1/bpf" ] || "$PACKETS" --cut "$1/bpf" || return 1
	babeltrace2 --clock-cycles "$1" 2>"$T/complaints" | grep -v ' gpulane_lost: ' >"$T/events"
	[ "${PIPESTATUS[0]}" -eq 0 ] || return 1
	grep -v '^WARNING: Tracer discarded\|^$' "$T/complaints"
	[ "${PIPESTATUS[0]}" -ne 0 ]
}

# counted DIR: a recording that came to its end, as many events as it says
counted() {
	readable "$1" && "$PACKETS" "$1" && same events "$(total "$1" 'traces[].events')" "$(grep -c . "$T/events")"
}

# one_line FILE TEXT: all that was said beside the counters' names, and TEXT is in it
one_line() {
	cat "$1"
	same lines 1 "$(grep -vc '^gpulane: record: counters that were read: ' "$1")" && grep -q "^gpulane: " "$1" && grep -qF -- "$2" "$1"
}

# fails CODE TEXT COMMAND...: one line with TEXT on stderr, and the directory `none` is not there
fails() {
	local code=$1 text=$2 status=0
	shift 2
	"$@" >"$T/out" 2>"$T/said" || status=$?
	same "exit code" "$code" $status && one_line "$T/said" "$text" && [ ! -e none ]
}

# began DIR PID: once the recording has begun; PID is the recorder
began() {
	until [ -e "$1/recording.json" ]; do
		kill -0 "$2" || return 1
		sleep 0.1
	done
}

# busy: keeps the scheduler at work
busy() {
	while :; do
		echo | cat >"$T/null"
	done
}

# --- a command, from its first instruction to its end
command_is_recorded() {
	"$GPULANE" record -o command -- sh -c 'echo said; sleep 0.3; exit 3' >"$T/out" 2>"$T/said"
	# what will not be recorded is told before: the guest has neither a GPU nor a session daemon
	same "exit code" 0 $? && same output said "$(cat "$T/out")" && same lines 3 "$(wc -l <"$T/said")" &&
		grep -q "a GPU's requests are not recorded: this machine has no GPU" "$T/said" &&
		grep -q 'OpenCL calls are not recorded: no LTTng session daemon' "$T/said" &&
		tail -n 1 "$T/said" >"$T/end" && one_line "$T/end" 'exited with code 3' && counted command && same state complete "$(fact command state)" &&
		same ended_by command "$(fact command ended_by)" && same code 3 "$(fact command command.exit_code)" &&
		same lost 0 "$(fact command traces[0].lost)" &&
		same cpus "$(nproc)" "$(fact command cpus)" &&
		same boot "$(cat /proc/sys/kernel/random/boot_id)" "$(fact command clock_uuid)" &&
		same release "$(uname -r)" "$(fact command release)"
}
begins_before_the_command() {
	local pid
	pid=$(fact command command.pid)
	readable command && grep -q "sched_process_exec: .* tid = $pid, .*filename = \"[^\"]*sh\"" "$T/events" &&
		grep -q "sched_process_exit: .* tid = $pid, .*" "$T/events"
}
threads_before_are_told() {
	readable command && grep 'lttng_statedump_process_state' "$T/events" >"$T/dump" &&
		grep -q 'source = ( "snapshot" .* tid = 1, .*name = ' "$T/dump" && grep -q 'type = 1, .* status = 5, .*kthreadd' "$T/dump"
}
environment_is_lttngs() {
	local meta=command/bpf/metadata
	grep -q 'domain = "kernel";' $meta && grep -q 'tracer_name = "lttng-modules";' $meta &&
		grep -q "kernel_release = \"$(uname -r)\";" $meta && grep -q 'name = "monotonic";' $meta &&
		grep -q "uuid = \"$(cat /proc/sys/kernel/random/boot_id)\";" $meta
}
private() {
	same modes "" "$(find command -type d ! -perm 700 -o -type f ! -perm 600)"
}
times_lie_within() {
	# a clock that is read without a lock may be behind by a tick of it
	readable command && awk -F '[][]' -v begin="$(fact command begin_ns)" -v end="$(fact command end_ns)" '
		$2 + 0 < last { print "order: " $0; bad = 1 }
		$2 + 0 < begin - 10000000 || $2 + 0 > end + 0 { print "not between " begin " and " end ": " $0; bad = 1 }
		{ last = $2 + 0 }
		END { exit bad || !NR }' "$T/events"
}
check command command_is_recorded
check begins-before-the-command begins_before_the_command
check threads-that-were-there threads_before_are_told
check environment environment_is_lttngs
check private private
check times times_lie_within

# --- interrupts, when they are asked for
interrupts() {
	"$GPULANE" record --events sched,irq -o interrupts -- sh -c 'sleep 0.3; sync' 2>"$T/said" && counted interrupts || return 1
	for event in irq_handler_entry irq_handler_exit irq_softirq_entry irq_softirq_exit irq_softirq_raise; do
		grep -q " $event: " "$T/events" || { echo "no $event"; return 1; }
	done
	grep ' irq_handler_entry: ' "$T/events" | grep -q 'name = "[^"]' || return 1
	! grep -E ' irq_(softirq|handler)_' <(babeltrace2 command 2>/dev/null)
}
check interrupts interrupts
# The kernel counts its irq_work. The recorder is woken by it, and small buffers are full often.
irq_work() {
	local before after
	before=$(awk '$1 == "IWI:" { print $2 + $3 }' /proc/interrupts)
	"$GPULANE" record --events sched,irq --buffer 64K -o work -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.01 & done; wait' 2>"$T/said" || return 1
	after=$(awk '$1 == "IWI:" { print $2 + $3 }' /proc/interrupts)
	readable work && awk -v counted=$((after - before)) '
		/ irq_handler_entry: .* irq = 246, name = "irq_work"/ { begun++ }
		/ irq_handler_exit: .* irq = 246, ret = 1/ { ended++ }
		END { print begun + 0 " begun, " ended + 0 " ended, the kernel counted " counted
			exit !begun || begun > counted || ended > begun + 1 || begun > ended + 1 }' "$T/events"
}
check irq-work irq_work

# --- what is followed
follows() {
	"${RECORD[@]}" --follow --events sched,process -o follow -- sh -c 'sh -c "sleep 0.2" & sleep 0.1; wait' &&
		counted follow && grep -q 'sched_process_fork' "$T/events" &&
		! grep 'lttng_statedump_process_state' "$T/events" | grep 'kthreadd'
}
check follow follows

# --- tiny buffers: what is recorded and what is lost is what was fired
flood() {
	local dir=flood-$1 fired recorded lost
	"$GPULANE" record --events fence --buffer "$1" -o "$dir" -- \
		sh -c "echo $2 >/sys/kernel/debug/gl-flood/run" 2>"$T/said" && counted "$dir" || return 1
	fired=$(awk '$1 ~ /^dma_fence_(init|enable_signal|signaled)$/ { n += $2 } END { print n + 0 }' /sys/kernel/debug/gl-flood/counts)
	recorded=$(grep -c ' dma_fence_' "$T/events")
	lost=$(fact "$dir" 'traces[0].lost')
	echo "fired $fired, recorded $recorded, lost $lost"
	same 'lost on each CPU' "$lost" "$(total "$dir" 'traces[0].lost_per_cpu.*')" &&
		same 'recorded and lost' "$fired" $((recorded + lost)) &&
		case $3 in
		loses) [ "$lost" -gt 0 ] ;;
		keeps) [ "$lost" -eq 0 ] ;;
		esac
}
insmod "$FLOOD"
check flood-loses flood 8K 30000 loses
check flood-fits flood 64M 5000 keeps
rmmod gl-flood

# --- through sudo: the command is the caller's, and so is the recording
through_sudo() {
	SUDO_UID=65534 SUDO_GID=65534 "${RECORD[@]}" -o sudo "$@" -- \
		sh -c 'id -u; grep CapEff /proc/self/status' >"$T/out" 2>"$T/said"
}
as_the_caller() {
	through_sudo && same identity "65534 CapEff: 0000000000000000" "$(tr '\n\t' '  ' <"$T/out" | sed 's/  */ /g; s/ $//')" &&
		same owners "" "$(find sudo ! -uid 65534)" && counted sudo
}
as_root() {
	rm -rf sudo
	through_sudo --as-root && same user 0 "$(head -n 1 "$T/out")"
}
check as-the-caller as_the_caller
check as-root as_root

# A program above its cgroup's memory.high stalls; reclaim's tracepoints are there, too
stalls_on_memory() {
	local group=$T/cgroups/high
	mkdir -p "$T/cgroups" && mount -t cgroup2 none "$T/cgroups" && mkdir -p "$group" || return 1
	echo +memory >"$T/cgroups/cgroup.subtree_control"
	echo 20M >"$group/memory.high"
	rm -rf stalls
	timeout 60 "$GPULANE" record --opencl off --events memory,process --output stalls -- \
		sh -c "echo \$\$ >$group/cgroup.procs; head -c 40M /dev/zero | timeout 10 tail >/dev/null"
	umount "$T/cgroups"
	"$GPULANE" report --format json stalls >stalls.json || return 1
	jq -c '.memory[]' stalls.json
	jq -e '[.memory[] | select(.cause == "memory_stall" and (.process | startswith("tail")) and .count > 3 and .lasted_ns > 0)] != []' stalls.json &&
		same reclaim true "$(jq .traces[0].kinds.mm_vmscan_direct_reclaim_begin.recorded stalls/recording.json)"
}
check stalls-on-memory stalls_on_memory

[ "$PART" != first ] || exit 0

# --- a command that dies
command_dies() {
	"${RECORD[@]}" -o dies -- sh -c 'kill -9 $$' 2>"$T/said"
	same "exit code" 0 $? && one_line "$T/said" 'ended by signal 9' && counted dies &&
		same signal 9 "$(fact dies command.signal)"
}
check command-dies command_dies

# --- ends by a signal
ends_by() {
	local signal=$1 dir=ends-$1 status=0
	shift
	# not `&`: what bash puts in the background ignores SIGINT
	setsid bash -c 'trap - INT; echo $$ >"$1"; shift; exec "$@"' - "$T/pid" \
		"${RECORD[@]}" -o "$dir" "$@" 2>"$T/said" &
	began "$dir" $! || return 1
	sleep 0.5
	kill -"$signal" "$(cat "$T/pid")"
	wait $! || status=$?
	same "exit code" 0 $status && one_line "$T/said" "$dir: bpf recorded" && counted "$dir" &&
		[ -s "$T/events" ] && same ended_by signal "$(fact "$dir" ended_by)" &&
		same state complete "$(fact "$dir" state)"
}
check ends-by-sigint ends_by INT
check ends-by-sigterm ends_by TERM -- sleep 5
check ends-by-sighup ends_by HUP
# The second one ends at once, unless it comes when everything is done already.
ends_at_once() {
	local status=0
	setsid bash -c 'trap - INT; echo $$ >"$1"; shift; exec "$@"' - "$T/pid" "${RECORD[@]}" -o twice \
		2>"$T/said" &
	began twice $! || return 1
	sleep 0.5
	kill -INT "$(cat "$T/pid")"
	kill -INT "$(cat "$T/pid")" 2>/dev/null
	wait $! || status=$?
	{ [ $status = 0 ] || [ $status = 130 ]; } && readable twice && [ -s "$T/events" ]
}
check ends-at-once ends_at_once
ends_by_duration() {
	"${RECORD[@]}" --duration 0.5 -o duration 2>"$T/said" && counted duration &&
		same ended_by duration "$(fact duration ended_by)" && one_line "$T/said" 'duration: bpf recorded'
}
check ends-by-duration ends_by_duration
on_a_terminal() {
	TERM=xterm script -qec "${RECORD[*]} -d 2 -o terminal" /dev/null >"$T/said" &&
		grep -q 'events/s, .* recorded, .* lost, buffers .* % full' "$T/said"
}
check progress-on-a-terminal on_a_terminal

# --- followed in a PID namespace
# in_namespace OPTION... - a recorder in a PID namespace, where numbers are not those of the kernel's events
in_namespace() {
	rm -rf namespace
	unshare --pid --fork "$@" "${RECORD[@]}" --follow -o namespace -- \
		sh -c 'sh -c "sleep 0.2" & sleep 0.1; wait' 2>"$T/said" && counted namespace || { cat "$T/said"; return 1; }
	same forks 3 "$(grep -c ' sched_process_fork: ' "$T/events")" &&
		[ "$(grep -c 'sched_switch: .* next_comm = "sleep"' "$T/events")" -ge 2 ] || return 1
	# The state it begins with has the numbers that the events have: that of the first fork's parent.
	same 'the command' "$(grep -m 1 ' sched_process_fork: ' "$T/events" | sed 's/.* parent_tid = \([0-9]*\),.*/\1/')" \
		"$(sed -n 's/.* lttng_statedump_process_state: .* tid = \([0-9]*\), vtid = .* name = "gpulane".*/\1/p' "$T/events")"
}
# stopped_early MS - ^C before it has begun: nothing is left; later it is a recording. What that took is printed.
stopped_early() {
	local status=0 pid
	rm -rf early
	"$GPULANE" record -o early -d 3600 2>"$T/said.early" &
	pid=$!
	until [ -d early ]; do kill -0 $pid || return 1; done
	sleep "0.$1"
	kill -INT $pid
	ends $pid || status=$?
	cat "$T/said.early"
	if [ -e early ]; then same 'exit code' 0 $status && readable early; else same 'exit code' 1 $status; fi
}
for ms in 001 300 800; do
	check stopped-early-$ms stopped_early $ms
done
check namespace in_namespace
check namespace-with-its-proc in_namespace --mount-proc
check namespace-no-such-process fails 1 '999999' unshare --pid --fork --mount-proc "${RECORD[@]}" --pid 999999 -o none

# --- more fence contexts than have room: each fence of vgem has one of its own
cat >"$T/contexts.c" <<'C'
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
struct dumb { uint32_t height, width, bpp, flags, handle, pitch; uint64_t size; };
struct attach { uint32_t handle, flags, fence, pad; };
struct signal { uint32_t fence, flags; };
int main(int argc, char **argv)
{
	struct dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	int fd = open(argv[1], O_RDWR), failed = fd < 0 || ioctl(fd, _IOWR('d', 0xb2, struct dumb), &dumb);
	for (int i = atoi(argv[2]); i > 0 && !failed; i--) {
		struct attach attach = { .handle = dumb.handle, .flags = 1 };
		failed = ioctl(fd, _IOWR('d', 0x41, struct attach), &attach) != 0;
		struct signal signal = { .fence = attach.fence };
		failed = failed || ioctl(fd, _IOW('d', 0x42, struct signal), &signal);
	}
	return failed;
}
C
forgets_contexts() {
	local card
	gcc -O1 -o "$T/contexts" "$T/contexts.c" && modprobe vgem && card=/dev/dri/$(basename /sys/devices/*/vgem/drm/card*) || return 1
	"$GPULANE" record --opencl off --events fence --follow -o few -- "$T/contexts" "$card" 1000 2>"$T/said" &&
		! grep -E 'contexts? may be missing|with code' "$T/said" && same 'of few' '' "$(fact few 'traces[0].contexts_forgotten')" || return 1
	"$GPULANE" record --opencl off --events fence --follow -o many -- "$T/contexts" "$card" 66000 2>"$T/said"
	cat "$T/said"
	same 'forgotten' $((66000 - 65536)) "$(fact many 'traces[0].contexts_forgotten')" && grep -q "some events of 464 GPU contexts may be missing" "$T/said"
}
check forgets-contexts forgets_contexts

# --- CPUs that come and go
CPU=/sys/devices/system/cpu/cpu1/online
cpus_come() {
	echo 0 >$CPU
	"${RECORD[@]}" -o cpus -- sh -c "echo 1 >$CPU; taskset -c 1 sh -c 'exec ls /'; taskset -c 1 sleep 0.1; echo 0 >$CPU
		sleep 0.1; echo 1 >$CPU; taskset -c 1 sh -c 'exec ls /'" >"$T/said" 2>&1 && counted cpus || { cat "$T/said"; return 1; }
	same 'programs on it' 2 "$(grep ' sched_process_exec: ' "$T/events" | grep 'cpu_id = 1 ' | grep -c 'filename = "[^"]*/ls"')" &&
		same CPUs 0,1 "$(jq -r '.traces[0].lost_per_cpu | keys | join(",")' cpus/recording.json)"
}
cpus_go() {
	rm -rf cpus
	"${RECORD[@]}" -o cpus -- sh -c "echo 0 >$CPU; ls / >/dev/null; echo 1 >$CPU" 2>"$T/said" && counted cpus &&
		same online 1 "$(cat $CPU)"
}
check cpus-that-come cpus_come
check cpus-that-go cpus_go

# --- killed
# killed NAME MS: at any time after it began
killed() {
	local dir=killed-$1 pid
	setsid "${RECORD[@]}" --duration 600 -o "$dir" 2>"$T/said" &
	pid=$!
	began "$dir" $pid || return 1
	sleep "$(printf '%d.%03d' $(($2 / 1000)) $(($2 % 1000)))"
	kill -9 $pid
	wait $pid 2>/dev/null
	same state recording "$(fact "$dir" state)" && readable "$dir"
}
# What was seen in the files while it recorded is there when it was killed.
killed_later() {
	local pid
	cp "$(type -P true)" "$T/marker"
	setsid "${RECORD[@]}" --duration 60 -o killed-later 2>"$T/said" &
	pid=$!
	began killed-later $pid || return 1
	"$T/marker"
	until grep -qs "$T/marker" killed-later/bpf/channel0_*; do
		kill -0 $pid || return 1
		sleep 0.2
	done
	kill -9 $pid
	wait $pid 2>/dev/null
	same state recording "$(fact killed-later state)" && readable killed-later &&
		grep -q 'filename = "[^"]*/marker"' "$T/events"
}
check killed-later killed_later
busy &
busy_pid=$!
for i in $(seq 3); do
	check "killed-$i" killed "$i" $((RANDOM % 2000))
done

# --- a full disk
mkdir small
mount -t tmpfs -o size=1m tmpfs small || exit 1
full_disk() {
	"${RECORD[@]}" --duration 60 -o small/r 2>"$T/said"
	same "exit code" 1 $? && one_line "$T/said" 'No space left on device' &&
		counted small/r && [ -s "$T/events" ] && same state failed "$(fact small/r state)" &&
		same ended_by error "$(fact small/r ended_by)" && [ "$(fact small/r traces[0].lost)" -gt 0 ]
}
full_disk_from_the_start() {
	rm -rf small/r
	dd if=/dev/zero of=small/fill bs=4k 2>/dev/null
	fails 1 'No space left on device' "${RECORD[@]}" -o small/r -- true && [ ! -e small/r ]
}
check full-disk full_disk
kill $busy_pid
wait $busy_pid 2>/dev/null
check full-disk-from-the-start full_disk_from_the_start
umount small

# --- ranges that a program marks in trace_marker: ends with a process and without, a line that is none, one that is cut
cat >"$T/mark.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	int to = open("/sys/kernel/tracing/trace_marker", O_WRONLY);
	char text[128];

	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "B|%d|step %d\n", getpid(), i);
		write(to, text, strlen(text));
		snprintf(text, sizeof(text), "B|%d|upload", getpid());
		write(to, text, strlen(text));
		write(to, "x", 1);
		snprintf(text, sizeof(text), "E|%d\n", getpid());
		write(to, text, strlen(text));
		snprintf(text, sizeof(text), "E");
		write(to, text, 1);
	}
	memset(text, 'x', sizeof(text));
	memcpy(text, "B|1|", 4);
	write(to, text, 100);
	return 0;
}
C
gcc -O1 -o "$T/marks" "$T/mark.c"
marked() {
	"${RECORD[@]}" "$@" -o marked -- "$T/marks" 2>"$T/said" || return 1
	"$GPULANE" report --format json marked >"$T/ranges.json" || return 1
	"$GPULANE" dump --no-head marked >"$T/events"
	rm -rf marked
}
ranges_of_marker() {
	marked --ranges || return 1
	same ranges 'step 3 upload 3 xxx... 1' "$(jq -r '[.ranges[] | select(.thread | test("^marks"))
		| (.range | sub("x{3,}"; "xxx")), (.count | tostring)] | join(" ")' "$T/ranges.json")"
}
check ranges-of-trace-marker ranges_of_marker
check ranges-of-a-followed-program eval 'marked --ranges --follow && grep -q "gpulane_range .*upload" "$T/events"'
check no-ranges-unless-asked eval 'marked && ! grep gpulane_range "$T/events"'

# --- what cannot be
echo x >there
check directory-is-there fails 1 'there: is there already' "${RECORD[@]}" -o there -- true
check no-such-program fails 1 'cannot be run: No such file' "${RECORD[@]}" -o none -- /no/such/program
cp "$GPULANE" gpulane # where everybody may read it
check no-root fails 1 'run as root' setpriv --reuid 65534 --regid 65534 --clear-groups \
	sh -c "cd /tmp && exec $T/gpulane record -o /tmp/none -- true"
check no-session-daemon fails 1 'lttng-sessiond' "$GPULANE" record --backend lttng -o none -- true
check no-such-process fails 1 '999999' "${RECORD[@]}" --pid 999999 -o none
for wrong in '--events gpu' '--backend ftrace' '--buffer 0' '--buffer 4X' '--duration -1' '--duration x' \
	'--engine 0' '--engine 0:0:0' '--hooks none' '--pid 0' '--follow' '--nonsense'; do
	# shellcheck disable=SC2086 # words
	check "usage${wrong// /_}" fails 2 'record' "${RECORD[@]}" -o none $wrong
done

[ "$VERSION" = 6.1 ] || exit 0

# --- lttng
"$TOP/scripts/guest.d/load-lttng" sched statedump >"$T/lttng.log" 2>&1 || {
	echo "FAIL $VERSION-load-lttng"
	cat "$T/lttng.log"
	exit
}
lttng_records() {
	"$GPULANE" record --opencl off --backend lttng --events sched,process -o lttng -- sleep 0.5 2>"$T/said" &&
		one_line "$T/said" 'lttng: lttng recorded' && readable lttng && grep -q sched_switch "$T/events" &&
		same sessions 0 "$(lttng list | grep -c gpulane)"
}
both_record() {
	"$GPULANE" record --opencl off --backend both --events sched,process -o both -- sh -c 'sleep 0.3' 2>"$T/said" &&
		one_line "$T/said" 'bpf recorded' && readable both &&
		# one clock: the events of both lie in one order, each of bpf's switches beside lttng's
		awk -F '[][]' -v next_is="next_tid = $(fact both command.pid)," '
			/ sched_switch: / && index($0, next_is) {
				if (/source = /) ours[++n] = $2 + 0; else theirs[++m] = $2 + 0
			}
			END {
				# neither has switched again before the other one has seen it
				for (i = 1; i < n; i++)
					if (ours[i] > theirs[i + 1] || theirs[i] > ours[i + 1])
						bad = 1
				print n + 0 " switches by bpf, " m + 0 " by lttng"
				exit bad || !n || n != m
			}' "$T/events"
}
state_dump() {
	readable lttng && grep -q 'lttng_statedump_process_state' "$T/events"
}
killed_lttng() {
	setsid "$GPULANE" record --backend lttng --events sched --duration 60 -o lttng-killed 2>"$T/said" &
	local pid=$! tries=0
	until grep -qs '"recording"' lttng-killed/recording.json || [ $((tries += 1)) -gt 300 ]; do
		sleep 0.2
	done
	sleep 1
	kill -9 $pid
	wait $pid 2>/dev/null
	same sessions 1 "$(lttng list | grep -c gpulane)" &&
		"$GPULANE" record --backend lttng --events sched -o lttng-next -- true 2>"$T/said" &&
		same sessions 0 "$(lttng list | grep -c gpulane)" && readable lttng-killed && [ -s "$T/events" ]
}
check lttng lttng_records
check lttng-state-dump state_dump
check lttng-and-bpf both_record
check lttng-killed killed_lttng
check lttng-cannot-follow fails 2 'not in LTTng' "$GPULANE" record --backend lttng --follow -o none -- true
