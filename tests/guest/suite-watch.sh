#!/bin/bash
# gpulane watch, live: programs on the replay driver make each other late; the GPU is reset, CPUs go and come, the clock is
# set, the machine freezes, the configuration changes, it is killed, the driver is loaded again. It has no more privileges than
# gpulane.service gives.
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	replay_suite watch replay gl-sched
fi

# --- in the guest -------------------------------------------------------------------------------
. "$(dirname "$0")/lib/replay.sh"
REPLAY=$1 SCHED=$2
echo 2 >/proc/sys/kernel/randomize_va_space # programs are anywhere, as on a real machine
NOBODY=65534
details() { tail -n 20 "$T/err" "$T/out"; "$G" watch -o "$T/hits" --list; }
same() { [ "$2" = "$3" ] || { printf '%s: expected %s, got %s\n' "$1" "$2" "$3"; return 1; }; }

# start OPTION... - watches as nobody, with what the service has; until it is ready; $watch
start() {
	local caps=-all,+sys_admin,+dac_read_search,+syslog
	setpriv --reuid $NOBODY --regid $NOBODY --clear-groups --no-new-privs --inh-caps $caps --ambient-caps $caps --bounding-set $caps \
		"$G" watch -o "$T/hits" --config "$T/conf" "$@" >>"$T/out" 2>>"$T/err" &
	watch=$!
	for _ in $(seq 600); do
		# It catches SIGUSR1 from when it is about to begin.
		(((16#$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$watch/status") & 512) != 0)) && break
		kill -0 $watch 2>/dev/null || return 1
		sleep 0.1
	done
	sleep 2
}
lines() { wc -l <"$T/out"; }
# until_lines N - so many recordings have been told of
until_lines() {
	for _ in $(seq 300); do
		[ "$(lines)" -ge "$1" ] && return 0
		sleep 0.1
	done
	return 1
}
# until_says FILE TEXT
until_says() {
	for _ in $(seq 300); do
		grep -q "$2" "$1" && return 0
		sleep 0.1
	done
	return 1
}
trigger() { "$G" watch -o "$T/hits" --trigger="$1"; }
list() { "$G" watch -o "$T/hits" --list; }
# count GROUP - how many hits the list has of it
count() { list | sed -n "s/^ *\([0-9]*\)  $1\$/\1/p"; }
whole() {
	local dir
	for dir in "$T"/hits/hit-*; do
		[ "$(tail -n 1 "$dir/hit")" = end ] && tail -c 10 "$dir/page.html" | grep -q '</html>' && "$G" report "$dir" | grep -q '^Requests:' || { echo "$dir"; return 1; }
	done
}
recordings() { find "$T/hits" -maxdepth 1 -name 'hit-*' | wc -l; }
# Its requests depend on what `producer` submits.
hist() {
	"$client" --name hist --cpu 1 --count 1000000 --duration 4000 --period 30000 --depth 1 --after "$T/fence" >/dev/null 2>&1 &
	hist=$!
}
settings='slower-than 300ms
process hist
of request,frame
before 500ms
after 200ms
'

insmod "$REPLAY"
modprobe -a drm gpu-sched
insmod "$SCHED" timeout_ms=500 dumps=1
touch "$T/out" "$T/err" "$T/fence"
install -d -m 700 -o $NOBODY "$T/hits"
printf '%s' "$settings" >"$T/conf"
hist

# --- one late request ------------------------------------------------------------------------------
verdict begins start --frame marker:swap --metrics 9477 --metrics-names
verdict no-privileges awk '/^Cap(Eff|Prm|Inh|Amb)/ && $2 !~ /^0+$/ { bad = 1 } /^Uid/ && $2 != 65534 { bad = 1 } END { exit bad }' /proc/$watch/status
sleep 3
verdict nothing-late same lines 0 "$(lines)"
"$client" --name gpuhog --cpu 0 --count 1 --duration 600000 >/dev/null 2>&1
until_lines 1
sleep 2
verdict one-hit same lines 1 "$(lines)"
verdict its-culprit grep -qE 'request [0-9]+:[0-9]+ of hist\[[0-9]+\] on rcs0: [0-9.]+ (ms|s), the limit was 300 ms; device_queue [0-9.]+ ms by gpuhog: ' "$T/out"
verdict its-recording whole
ctx=$(sed -n 's/^ctx //p' "$T/hits/hit-000001/hit") seqno=$(sed -n 's/^seqno //p' "$T/hits/hit-000001/hit")
verdict explained sh -c "$G explain $T/hits/hit-000001 $ctx:$seqno | grep -q 'It stood behind context [0-9]* of gpuhog'"
verdict metrics sh -c "curl -sS --max-time 5 http://127.0.0.1:9477/metrics | grep -q '^gpulane_late_total{.*process=\"hist\".*culprit=\"gpuhog\".* 1\$'"

# --- a hundred of three causes --------------------------------------------------------------------
"$client" --name gpuhog --cpu 0 --count 33 --duration 400000 --period 480000 >/dev/null 2>&1
"$client" --name producer --engine 2:0 --last "$T/fence" --cpu 0 --count 33 --duration 400000 --period 480000 >/dev/null 2>&1
"$client" --name hist --engine 1:0 --cpu 0 --count 33 --duration 400000 --period 450000 >/dev/null 2>&1
counted() {
	local group n all=0
	for group in 'device_queue by gpuhog' 'dependency by producer' 'running by itself'; do
		n=$(count "request of hist; $group")
		echo "${n:-0} $group"
		[ "${n:-0}" -ge 30 ] && [ "$n" -le 36 ] || return 1
		all=$((all + n))
	done
	[ $all -ge 97 ]
}
# The list is as of the last second.
for _ in $(seq 20); do
	counted >"$T/counts" && break
	sleep 1
done
verdict a-hundred-of-three counted
cp "$T/counts" "$GPULANE_OUT/told"
verdict so-many-an-hour test "$(lines)" -le 5 -a "$(lines)" -ge 3
verdict all-whole whole

# --- a frame, the GPU is reset, a job hangs --------------------------------------------------------
# The hour's recordings are used up.
printf '%sper-hour 1000\n' "$settings" >"$T/conf"
kill -HUP $watch
verdict configuration-is-read-again until_says "$T/err" 'was read again'
(
	printf hist >/proc/$BASHPID/comm
	for i in 1 2 3; do
		echo "swap $i" >/sys/kernel/tracing/trace_marker
		echo "no swap $i" >/sys/kernel/tracing/trace_marker
		sleep 0.05
	done
	sleep 0.8
	echo 'swap 4' >/sys/kernel/tracing/trace_marker
)
# In a slow guest another frame may be late, too.
until_says "$T/out" 'frame "swap 4"'
verdict frame-by-marker grep -qE 'frame "swap 4" of hist\[[0-9]+\]: [0-9.]+ m?s, the limit was 300 ms; ' "$T/out"
# All that leaves the kernel is kept: what its recording has not, the BPF program has left out.
filtered() {
	local dir
	dir=$(sed -n 's/.*frame "swap 4" .*: \(\/.*\)$/\1/p' "$T/out")
	"$G" dump --no-head "$dir" >"$T/dump" && grep -q '"swap 4"' "$T/dump" && ! grep 'no swap' "$T/dump" && ! grep -E ' (irq|softirq)_' "$T/dump"
}
verdict other-lines-stay-in-the-kernel filtered
# A line whose page is not there cannot be read by the BPF program: a mark may be lost.
cat >"$T/mark.c" <<'C'
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char *text = mmap(NULL, 4096, PROT_READ, MAP_SHARED, open(argv[1], O_RDONLY), 0);
	int to = open("/sys/kernel/tracing/trace_marker", O_WRONLY);
	if (argc > 2 && *(volatile char *)text != 's')
		return 1;
	return write(to, text, 7) < 0;
}
C
mkdir "$T/unread"
gcc -O1 -o "$T/unread/hist" "$T/mark.c"
echo 'swap 5' >"$T/unread/line"
events_lost() { curl -sS --max-time 5 http://127.0.0.1:9477/metrics | sed -n 's/^gpulane_events_lost_total //p'; }
unread_mark() {
	local before
	before=$(events_lost)
	"$T/unread/hist" "$T/unread/line" fetched
	sleep 2
	same 'lost by a mark that is read' "$before" "$(events_lost)" || return 1
	"$T/unread/hist" "$T/unread/line"
	sleep 2
	same 'lost by a mark that is not' $((before + 1)) "$(events_lost)"
}
verdict unread-mark-is-lost unread_mark
echo 'it hung' >/sys/module/i915/parameters/reset
until_says "$T/out" 'reset "it hung"'
verdict reset grep -q 'reset "it hung"' "$T/out"
echo 'viewer ring=0 count=2 us=2000 hang=1' | "$B/tests/replay/gl-jobs" >/dev/null 2>&1
until_says "$T/out" 'timeout'
verdict timeout grep -qE 'reset "ring0" of viewer\[[0-9]+\] on gl-sched/ring0; timeout' "$T/out"
# The driver's dump is told by what was recorded as it came up, and by nothing later. (One of the device is there until somebody lets it go.)
dumped() {
	local dir
	dir=$(sed -n 's/.* reset ".*; timeout.*: \(\/.*\)$/\1/p' "$T/out" | tail -n 1)
	"$G" report "$dir" | grep -o 'dumped meanwhile: /sys/class/devcoredump/devcd[0-9]*/data'
}
verdict dump-is-told test -n "$(dumped)"
hangs_again() {
	local n
	n=$(grep -c '; timeout' "$T/out")
	echo 'editor ring=0 count=2 us=2000 hang=1' | "$B/tests/replay/gl-jobs" >/dev/null 2>&1
	for _ in $(seq 200); do
		[ "$(grep -c '; timeout' "$T/out")" -le "$n" ] || break
		sleep 0.1
	done
	[ "$(grep -c '; timeout' "$T/out")" -gt "$n" ] && [ -z "$(dumped)" ]
}
verdict dump-is-told-once hangs_again
for dump in /sys/class/devcoredump/devcd*; do echo 1 >"$dump/data"; done

# --- the configuration, the quota -------------------------------------------------------------------
printf '%skeep x\n' "$settings" >"$T/conf"
kill -HUP $watch
verdict wrong-configuration-changes-nothing until_says "$T/err" 'settings stay'
printf '%skeep 4\n' "$settings" >"$T/conf"
kill -HUP $watch
before=$(lines)
sleep 0.5
trigger kept
until_lines $((before + 1))
verdict quota same recordings 4 "$(recordings)"

# --- CPUs, the clock, a freeze -----------------------------------------------------------------------
before=$(lines)
echo 0 >/sys/devices/system/cpu/cpu1/online
sleep 1
echo 1 >/sys/devices/system/cpu/cpu1/online
sleep 1
now=$(date +%s)
date -s "@$((now + 86400))" >/dev/null
sleep 1
trigger tomorrow
until_lines $((before + 1))
date -s "@$((now + 3))" >/dev/null
sleep 1
kill -USR1 $watch
until_lines $((before + 2))
verdict clock-is-set grep -q "^$(date -u -d "@$((now + 86400))" +%Y-%m-%d)T.* manual \"tomorrow\"" "$T/out"
verdict clock-is-set-back grep -q "^$(date -u -d "@$now" +%Y-%m-%d)T.* manual \"SIGUSR1\"" "$T/out"
verdict both-cpus sh -c "$G dump --no-head \$(ls -d $T/hits/hit-* | tail -n 1) | awk '\$5 == \"sched_switch\" { cpu[\$2] } END { exit !(0 in cpu && 1 in cpu) }'"
before=$(lines)
# As far as this guest can: the device that its root file system comes by cannot be suspended.
echo freezer >/sys/power/pm_test
echo freeze >/sys/power/state
trigger frozen
until_lines $((before + 1))
verdict frozen-and-thawed grep -q 'manual "frozen"' "$T/out"
verdict driver-in-use sh -c '! rmmod i915 2>/dev/null'
verdict still-there kill -0 $watch

# --- killed, the driver again; a function marks frames -----------------------------------------------
hits=$(count 'request of hist; dependency by producer')
sleep 2
kill -KILL $watch
wait $watch 2>/dev/null
verdict after-kill-whole whole
kill $hist
wait $hist 2>/dev/null
verdict driver-unloaded rmmod i915
insmod "$REPLAY"
hist
cat >"$T/marks.c" <<'C'
#include <unistd.h>
__attribute__((noinline)) void a_frame(int i) { __asm__ volatile("" :: "r"(i)); }
int main(void) { for (int i = 0; i < 30; i++) { a_frame(i); usleep(i == 20 ? 600000 : 5000); } return 0; }
C
mkdir "$T/bin"
gcc -O1 -o "$T/bin/hist" "$T/marks.c"
printf '%sper-hour 1000\n' "$settings" >"$T/conf"
verdict begins-again start --frame "$T/bin/hist:a_frame" --rows "$T/hits/rows"
verdict state-is-kept same count "$hits" "$(count 'request of hist; dependency by producer')"
before=$(lines)
"$T/bin/hist"
until_lines $((before + 1))
verdict frame-by-uprobe grep -qE 'frame "a_frame" of hist\[[0-9]+\]: [0-9.]+ m?s, the limit was 300 ms; ' "$T/out"
before=$(lines)
"$client" --name gpuhog --cpu 0 --count 1 --duration 600000 >/dev/null 2>&1
until_lines $((before + 1))
verdict driver-is-seen-again sh -c "tail -n +$((before + 1)) $T/out | grep -q 'request .* of hist.* by gpuhog (3[0-9] times)'"
# --- a program that forks: each child has a name of its own and one request ---------------------------
"$client" --name forker --engine 2:0 --forks 1000 --count 1 --duration 200 >/dev/null 2>&1
forked=$?
rss() { awk '/^VmRSS/ { print $2 }' "/proc/$watch/status"; }
sleep 3
echo "# names without end: 1000 processes, $(rss) KiB" >>"$GPULANE_OUT/told"
verdict forker-is-done same 'exit code' 0 $forked
kill -TERM $watch
wait $watch
verdict ends-by-signal test $? -eq 0
verdict rows sh -c "jq -es '([.[] | select(.t == \"hit\" and .of == \"request\" and .culprit == \"gpuhog\")] | length) == 1 and
	([.[] | select(.t == \"row\" and .process == \"hist\" and .stage == \"total\" and .of == \"request\") | .hits] | add) == 1' $T/hits/rows"
# All that it did is counted; 64 names at the most have rows of their own.
names() {
	jq -rs '[.[] | select(.t == "row" and .stage == "total" and .of == "request" and .engine == "vcs0")] as $rows |
		([$rows[].count] | add), ([.[] | select(.t == "minute") | .names] | max), ([$rows[] | .process] | unique | length), ($rows | group_by(.time) | length),
		([$rows[] | select(.process == "other").count] | add)' "$T/hits/rows" | tr '\n' ' ' >"$T/names"
	read -r requests most names minutes others <"$T/names"
	echo "# its requests in the rows: $requests; names at most: $most, in $minutes minutes $names; in other: $others" >>"$GPULANE_OUT/told"
	same requests 1000 "$requests" && [ "$most" -le 64 ] && [ "$names" -le $((64 * 2 * minutes + 1)) ] && [ "$others" -gt 0 ]
}
verdict names-without-end names
kill $hist
wait
verdict says-nothing-else sh -c "! grep -vE ': a hit is | hits?, .* recordings? written|was read again|keep x|settings stay|: 1 of [0-9]* events were lost so far' $T/err"
sed -n 's/^gpulane: watch: /# /p' "$T/err" | grep events >>"$GPULANE_OUT/told"
