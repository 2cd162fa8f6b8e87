#!/bin/bash
# drm_sched on the kernel's own gpu-sched: the driver of tests/kmod/gl-sched, whose rings are timers, and what is recorded of its jobs
# is held against ftrace's events of the same run and against the driver's truth.
#
#   suite-sched.sh [6.1|6.12|newest]   all kernels, LTTng on those of LTTNG_KERNELS (lib/suite.sh); or one, with LTTng
#
# In the guest `first` as the last argument ends it behind the stages of one list: that is what suite-one.sh runs.
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	make -s B="${B:-build}" replay "${B:-build}/tests/guest/bpf-ways" || exit 1
	for version in ${1:-6.1 6.12 newest}; do
		probe=-
		if [ -n "${1-}" ] || [[ " ${LTTNG_KERNELS[*]} " == *" $version "* ]]; then
			probe=$("$GUEST_D/build-module" --kernel "$version" debian)/lttng-probe-drm-sched.ko
		fi
		check_later "$version" "$GUEST" --kernel "$version" --timeout 3600 --mem 3072 --env "B=${B:-build}" \
			--out "$SUITE_TMP/out-$version" -- "$0" \
			"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/gl-sched)" \
			"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/replay)" "$version" "$probe"
	done
	check_wait
	for version in ${1:-6.1 6.12 newest}; do
		report "$SUITE_TMP/out-$version/report"
	done
	suite_end sched
	exit
fi

# --- in the guest -------------------------------------------------------------------------------
SCHED=$1 REPLAY=$2 VERSION=$3 PROBE=$4 PART=${5-}
TOP=$(realpath "$(dirname "$0")/../..")
GPULANE=$(realpath "${B:-build}/gpulane")
JOBS=$(realpath "${B:-build}/tests/replay/gl-jobs")
CLIENT=$(realpath "${B:-build}/tests/replay/gl-client")
WAYS=$(realpath "${B:-build}/tests/guest/bpf-ways")
LIB=$TOP/tests/guest/lib
TRUTH=/sys/kernel/debug/gl-sched/truth
T=$(mktemp -d /tmp/sched.XXXXXX)
cd "$T" || exit 1
exec >"$GPULANE_OUT/report"
CHECK_PREFIX=$VERSION-
. "$TOP/tests/lib/suite.sh"
. "$TOP/tests/guest/lib/fact.sh"

modprobe -a drm gpu-sched
check load insmod "$SCHED" rings=3 timeout_ms=1000

# What runs: two priorities on one ring, jobs of another ring that depend on those, a burst, a job that hangs, a process that
# is killed while it has more queued than the scheduler waits for
cat >list <<'LIST'
back ring=0 prio=low count=30 us=3000 depth=4
front ring=0 prio=high count=60 us=2000 depth=3
chain ring=1 prio=normal count=20 us=1000 depth=5 after=front
burst ring=1 prio=low count=80 us=200 depth=80 start=20
hang ring=1 prio=normal count=3 us=1000 depth=3 hang=1 start=60
killed ring=2 prio=normal count=500 us=30000 depth=100 kill=200
LIST

# record NAME OPTION... - a recording of the list and of ftrace at once, and the truth of both
record() {
	local name=$1
	shift
	echo >$TRUTH
	trace-cmd start -q -C mono -b 32768 -e gpu_scheduler >/dev/null &&
		"$GPULANE" record --opencl off --output "$name" "$@" -- "$JOBS" "$T/list" 2>"$name.said"
	local status=$?
	trace-cmd stop
	trace-cmd extract -o "$name.dat" >/dev/null 2>&1
	trace-cmd reset >/dev/null 2>&1
	cat $TRUTH >"$name.truth"
	"$GPULANE" dump "$name" >"$name.dump" || return 1
	trace-cmd report -R -i "$name.dat" 2>/dev/null | awk -f "$LIB/drm-ftrace.awk" "$name.truth" - | sort >"$name.ftrace"
	cat "$name.said"
	return $status
}

lost() { total "$1" 'traces[].lost'; }

# Sorted: the two stamp an event one after the other.
events() {
	sed -n 's/^[0-9]* [0-9-]* [^ ]* [a-z-]* \(drm_sched_job_[a-z_]*\) fence_context=\([0-9]*\) fence_seqno=\([0-9]*\)\( ctx=\([0-9]*\) seqno=\([0-9]*\)\)\?.*/\1 \2 \3 \5 \6/p' \
		"$1" | sed 's/ *$//' | sort
}

# The same events, to the last one; with losses: as many as are missing are told
same_as_ftrace() {
	local missing
	events "$1.dump" >"$1.ours"
	wc -l "$1.ours" "$1.ftrace"
	[ "$(wc -l <"$1.ftrace")" -gt 500 ] || return 1
	[ -z "$(comm -23 "$1.ours" "$1.ftrace")" ] || { comm -23 "$1.ours" "$1.ftrace" | head; return 1; }
	missing=$(comm -13 "$1.ours" "$1.ftrace" | wc -l)
	comm -13 "$1.ours" "$1.ftrace" | head
	[ "$missing" -le "$(lost "$1")" ]
}

# nothing_wrong NAME DRIVER
nothing_wrong() {
	awk -v driver="$2" -f "$LIB/drm-truth.awk" "$1.truth" "$1.dump" >"$1.faults"
	head -n 20 "$1.faults"
	[ ! -s "$1.faults" ] || [ "$(wc -l <"$1.faults")" -le "$(($(lost "$1") * 2))" ]
}

statuses() { awk -v s="$2" 'NR > 1 && $(NF - 1) == s { n++ } END { print n + 0 }' "$1.truth"; }

# ends_are_right RECORDING NAME N - which jobs did not complete, N or more: each and no other is told, and how it ended
ends_are_right() {
	"$GPULANE" report --requests "$1" >"$2.ends" && awk -F, 'FNR == NR && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		FNR == NR { told[$2 ":" $3] = $at["ended"]; next }
		FNR > 1 {
			split($0, of, " "); name = of[6] ":" of[7]; status = of[length(of) - 1]
			if (!(name in told) || told[name] == "") next
			right = status == "complete" ? "^complete$" : status == "timeout" ? "^timeout$" : "^(cancelled|closed)$"
			if (told[name] !~ right) { print name, status, told[name]; bad = 1 }
			n[told[name]]++
		}
		END { for (is in n) { print is, n[is]; if (is != "complete") others += n[is] } exit bad || others < '"$3"' }' "$2.ends" "$2.truth"
}
check recorded record auto
check same-as-ftrace same_as_ftrace auto
check truth-of-each-job nothing_wrong auto gl-sched
check a-timeout same timeouts 1 "$(statuses auto timeout)"
check some-were-given-up test "$(statuses auto canceled)" -ge 1
check the-rest-is-complete test "$(statuses auto complete)" -ge 190
check ends-are-told ends_are_right auto auto 2
check several-processes test "$(awk 'NR > 1 { print $1 }' auto.truth | sort -u | wc -l)" -eq 6
check gpus-in-the-recording test "$(jq -r '.gpus[] | .card + " " + .dev + " " + .driver' auto/recording.json)" = 'card0 gl-sched gl-sched'
check nothing-to-say test -z "$(grep -vE ': (bpf recorded|counters that were read)' auto.said)"

# What report says of each job, against the driver's truth: no known value is wrong; of a ring that runs one job at a time most starts
# and ends are known, where a firmware schedules the ends
cat >turns <<'LIST'
game ring=0 prio=high count=90 us=4000 depth=3
editor ring=0 prio=low count=40 us=3000 depth=2
encoder ring=1 prio=normal count=40 us=2000 depth=3 after=game
LIST
cat >faults <<'LIST'
back ring=0 prio=low count=30 us=3000 depth=4
front ring=0 prio=high count=60 us=2000 depth=3
chain ring=1 prio=normal count=20 us=1000 depth=5 after=front
burst ring=1 prio=low count=80 us=200 depth=80 start=100
hang ring=1 prio=normal count=3 us=1000 depth=3 hang=1 start=20
LIST
cat >queues <<'LIST'
back ring=0 prio=low count=30 us=3000 depth=4
front ring=1 prio=high count=60 us=2000 depth=3
chain ring=2 prio=normal count=20 us=1000 depth=5 after=front
hang ring=3 prio=normal count=3 us=1000 depth=3 hang=1 start=60
LIST
# lossless COMMAND NAME [ARG...] - has COMMAND make the recording NAME.rec; again, four times, where that has lost events: with more
# threads than CPUs Linux 7.3 loses some (docs/bpf.md), and what they hide is not told
lossless() {
	local try lost
	for try in 1 2 3 4 5; do
		[ "$try" = 1 ] || printf 'tried again: %s: try %d (%d events were lost)\n' "$checking" "$try" "$lost" >>"$T/tried-again"
		"$@" || return 1
		lost=$(lost "$2.rec")
		[ "$lost" -gt 0 ] || break
	done
}
# enough NAME PERMILLE AGAIN [ARG...] - nothing that report says of NAME.rec is wrong, and so many of the starts and ends are known.
# Not known is, beside what losses hide, an end that interrupts the very worker that gave the ring a job: it may have been found
# there. A slow guest has several. So AGAIN may record it anew, four times; what is wrong fails at once.
enough() {
	local name=$1 least=$2 try
	shift 2
	for try in 1 2 3 4 5; do
		if [ "$try" -gt 1 ]; then
			printf 'tried again: %s: try %d (too few starts and ends were known)\n' "$checking" "$try" >>"$T/tried-again"
			"$@" || return 1
		fi
		"$GPULANE" report --requests "$name.rec" >"$name.csv" && awk -f "$LIB/drm-stages.awk" "$name.truth" "$name.csv" >"$name.stages" || return 1
		tail -n 30 "$name.stages"
		[ "$(wc -l <"$name.stages")" = 1 ] || return 1
		! awk -v least="$least" '{ exit !($4 > 0 && $2 * 1000 >= $4 * least) }' "$name.stages" || return 0
	done
	return 1
}
# list_record LIST - and the truth
list_record() {
	rm -rf "$1.rec"
	echo >$TRUTH
	"$GPULANE" record --opencl off --output "$1.rec" -- "$JOBS" "$T/$1" && cat $TRUTH >"$1.truth"
}
# stages LIST PERMILLE
stages() {
	lossless list_record "$1" && enough "$1" "$2" lossless list_record "$1" && "$GPULANE" report "$1.rec" >"$1.txt"
}
# says LIST REGEXP - the report's first lines
says() {
	head -n 8 "$1.txt"
	head -n 8 "$1.txt" | grep -Eq -- "$2"
}
rmmod gl_sched
check load-as-amdgpu insmod "$SCHED" driver=amdgpu timeout_ms=1000
check stages-of-turns stages turns 950
check starved-by-the-higher-priority says turns '^A request of editor\[[0-9]+\] spent .* in the driver.s queue \(host_queue\), most of it behind requests of game\['
check waits-across-rings says turns '^A request of encoder\[[0-9]+\] spent .* waiting for other requests \(dependency\), most of it for requests of game\['

# The thread that gives jobs to their ring has CPU 1 alone, and a task of real-time priority has that for 12 of 18 ms: it is named, in
# the whole recording and in one of the program alone; on the other CPU it is not.
echo 'game ring=0 count=40 us=2000 depth=1 period=20000 cpu=0' >actors
sed 's/cpu=0/cpu=1/' actors >actors.apart
# starves CPU LIST OPTION... - a recording of the list beside a hog there; the report's first lines
starves() {
	local status=0 list=$2 hog
	rm -rf "$list.rec"
	for tid in $(grep -l '^ring' /proc/*/comm | cut -d/ -f3); do taskset -pc 1 "$tid" >/dev/null; done
	echo 2 >/sys/devices/virtual/workqueue/cpumask
	chrt -f 50 "$CLIENT" --name hog --cpu "$1" --hog 12 --rest 6 &
	hog=$!
	"$GPULANE" record --opencl off --output "$list.rec" "${@:3}" -- "$JOBS" "$T/$list" || status=$?
	kill "$hog"
	echo 3 >/sys/devices/virtual/workqueue/cpumask
	"$GPULANE" report "$list.rec" >"$list.txt" && return $status
}
named='^A request of game\[[0-9]+\] spent .* in the driver.s queue \(host_queue\) because hog\[[0-9]+\] had the CPU of (ring0|kworker/[^ ]*)\['
check actor-starved starves 1 actors
check actor-named says actors "$named"
check actor-followed starves 1 actors --follow
check actor-followed-named says actors "$named"
check actor-beside-a-hog starves 0 actors.apart
check actor-beside-a-hog-not-named test -z "$(grep 'because hog' actors.apart.txt)"
rmmod gl_sched

# From Linux 6.8 on work items of one queue do that, and an item waits for the one before it: here the one that frees jobs, for 4 ms each.
if grep -q ' drm_sched_run_job_work' /proc/kallsyms; then
	echo 'game ring=0 count=40 us=2000 depth=1' | tee freed freed.followed >freed.none
	# frees LIST OPTION... - a recording of the list; the report's first lines
	frees() {
		local list=$1
		"$GPULANE" record --opencl off --output "$list.rec" "${@:2}" -- "$JOBS" "$T/$list" && "$GPULANE" report "$list.rec" >"$list.txt"
	}
	busy='^A request of game\[[0-9]+\] spent .* \(host_queue\) because kworker/[^ ]*\[[0-9]+\].*, which hands them over, was busy with drm_sched_free_job_work'
	# each job is given to its ring in an item, which was queued and is done
	items() {
		"$GPULANE" dump freed.rec | awk '/workqueue_.* function=drm_sched_run_job_work/ { n[$5]++ } / drm_sched_job_run / { jobs++ }
			END { for (name in n) print name, n[name]; print jobs; exit !(jobs >= 40 && n["workqueue_queue_work"] >= jobs &&
				n["workqueue_execute_start"] >= jobs && n["workqueue_execute_end"] >= jobs) }'
	}
	check load-that-frees-slowly insmod "$SCHED" driver=amdgpu free_us=4000
	check freed frees freed
	check freed-items items
	check freed-named says freed "$busy"
	check freed-followed frees freed.followed --follow
	check freed-followed-named says freed.followed "$busy"
	rmmod gl_sched
	check load-that-frees-at-once insmod "$SCHED" driver=amdgpu
	check freed-at-once frees freed.none
	check freed-at-once-not-named test -z "$(grep 'was busy with' freed.none.txt)"
	# Where the kernel hides the functions' addresses no item is known as one of these: that is said, and none is recorded
	hidden() {
		local was status=0
		was=$(cat /proc/sys/kernel/kptr_restrict)
		echo 2 >/proc/sys/kernel/kptr_restrict
		"$GPULANE" doctor --no-opencl --events >hidden.doctor
		"$GPULANE" record --opencl off --output hidden.rec -- "$JOBS" "$T/freed.none" 2>hidden.said || status=1
		echo "$was" >/proc/sys/kernel/kptr_restrict
		grep workqueue_ hidden.doctor
		cat hidden.said
		[ $status = 0 ] && grep -q '^  - workqueue_execute_start .*kernel.kptr_restrict=1' hidden.doctor &&
			grep -q ' workqueue_queue_work is not recorded: .*kernel.kptr_restrict=1' hidden.said &&
			[ "$("$GPULANE" dump hidden.rec | grep -c '^[0-9].* workqueue_')" = 0 ]
	}
	check hidden-addresses-are-said hidden
	rmmod gl_sched
fi
[ "$PART" != first ] || { suite_end "sched-$VERSION"; exit; }
check load-again insmod "$SCHED" rings=3 timeout_ms=1000

# Only one process: its jobs, also those that a thread of the kernel runs and ends
check comm-recorded record comm --events drm,process --comm chain
comm_only() {
	events comm.dump | awk '{ print $2, $3 }' | sort -u >comm.jobs
	awk 'NR > 1 && $NF == "chain" { print $6, $7 }' comm.truth | sort -u >comm.mine
	cat comm.mine
	[ -s comm.mine ] && diff comm.mine comm.jobs
}
check comm-only comm_only

# More than fits: what is lost is told, to the last event. The driver fires 60,000, and three for the job that it ends with
overflow() {
	local events
	"$GPULANE" record --opencl off --counters off --events drm --buffer 4K --output small -- sh -c 'echo 20000 >/sys/kernel/debug/gl-sched/flood' || return
	events=$(total small 'traces[].events')
	echo "$events recorded, $(lost small) lost"
	[ "$(lost small)" -gt 0 ] && [ $((events + $(lost small))) = 60003 ]
}
check lost-events-are-told overflow

# By their formats, without BTF: the events of 6.17 tell all but the driver, those before do not tell the job
if [ -e /sys/kernel/tracing/events/gpu_scheduler/drm_sched_job_queue ]; then
	check format-recorded record format --hooks format --events drm,process
	check format-same-as-ftrace same_as_ftrace format
	check format-truth-of-each-job nothing_wrong format '""'
else
	refused() {
		! "$GPULANE" record --opencl off --output none --hooks format --events drm -- true 2>said
		cat said
		grep -q 'nothing of what was asked for can be recorded: card0 (gl-sched): ' said
	}
	check format-refused refused
fi

check ways "$WAYS" "$VERSION" "$T/ways"
grep drm_sched ways | sed "s/^ok $VERSION-/ok ${CHECK_PREFIX}ways-/" >ways.drm
check ways-all-of-drm test "$(wc -l <ways.drm)" -ge 4
check ways-none-fails test -z "$(grep FAIL ways)"

doctor_says() {
	"$GPULANE" doctor --no-opencl --events >doctor
	grep -A3 'card0\|gpu-sched\|gpu_sched' doctor
	grep -Eq '^  \+ card0 +gl-sched' doctor && grep -q 'card0 gives .*given to the ring' doctor &&
		grep -Eq '^  \+ gpu-sched +loaded, events of' doctor && grep -Eq '^  \+ drm_sched_job_queue +tracepoint' doctor
}
check doctor doctor_says

# LTTng beside bpf
lttng_record() {
	rm -rf lttng.rec
	"$GPULANE" record --opencl off --backend both --events drm --output lttng.rec -- "$JOBS" "$T/list"
}
# within OURS THEIRS LOST - all of ours is theirs, and no more is missing than was told to be lost
within() {
	diff "$1" "$2" | head
	[ -z "$(comm -23 "$1" "$2")" ] && [ "$(comm -13 "$1" "$2" | wc -l)" -le "$3" ]
}
lttng_same() {
	(cd "$TOP" && scripts/guest.d/load-lttng sched) && modprobe lttng-tracer && insmod "$PROBE" &&
		dmesg | grep -q 'gpulane: drm_sched: all events are there' &&
		lossless lttng_record lttng &&
		"$GPULANE" dump lttng.rec/bpf >bpf.dump && "$GPULANE" dump lttng.rec/lttng >lttng.dump || return 1
	events bpf.dump >bpf.events
	events lttng.dump >lttng.events
	wc -l bpf.events lttng.events
	[ "$(wc -l <bpf.events)" -gt 500 ] && within bpf.events lttng.events "$(lost lttng.rec)" || return 1
	# the fields, too: all but the two loads, which change between one tracer and the other
	for dump in bpf lttng; do
		sed -n 's/.* \(drm_sched_job_[qr].*\)/\1/p' $dump.dump | sed 's/ job_count=[0-9]* hw_job_count=[0-9-]*//' |
			grep '=' | sort >$dump.fields
	done
	within bpf.fields lttng.fields "$(lost lttng.rec)" && rmmod lttng_probe_drm_sched
}
[ "$PROBE" = - ] || check lttng-has-the-same lttng_same

# i915's driver beside it: both in one recording
insmod "$REPLAY" || echo 'FAIL replay: not loaded'
cat >both.sh <<BOTH
$JOBS $T/list &
$CLIENT --name hist --count 50 --duration 1000 --depth 2
wait
BOTH
both() {
	"$GPULANE" record --opencl off --output both -- bash both.sh && "$GPULANE" dump both >both.dump &&
		test "$(grep -c ' i915_request_add ' both.dump)" -ge 50 && test "$(events both.dump | wc -l)" -ge 500
}
check i915-in-the-same-recording both
rmmod i915

# Unloaded under fire: refused while a process has it open, possible as soon as none has, whatever is queued
unload() {
	local i
	for i in 1 2 3 4 5; do
		printf '%s\n' "a count=2000 us=500 depth=30 kill=$((1500 + i * 137))" "b ring=1 count=2000 us=3000 depth=20 kill=$((1501 + i * 137)) after=a" \
			"c prio=high count=2000 us=700 depth=50 kill=$((1499 + i * 137))" "d ring=1 count=3 us=100 hang=1 depth=3 kill=$((1502 + i * 137))" >fire
		"$JOBS" fire &
		until [ "$(cat /sys/module/gl_sched/refcnt)" -gt 0 ]; do sleep 0.02; done
		! rmmod gl_sched 2>/dev/null || { echo 'unloaded while it was open'; return 1; }
		wait $!
		rmmod gl_sched || return 1
		insmod "$SCHED" timeout_ms=$((40 * i)) depth=$i slots=$((i % 3 + 1)) || return 1
	done
}
check unload-under-fire unload
unload_recorded() {
	printf '%s\n' "a count=2000 us=500 depth=30 kill=200" "b ring=1 count=2000 us=3000 depth=20 kill=210 after=a" >fire
	"$GPULANE" record --opencl off --output fire.rec -- "$JOBS" fire && rmmod gl_sched && rmmod gpu_sched
}
check unload-after-recording unload_recorded
modprobe gpu-sched
check load-for-faults insmod "$SCHED" driver=amdgpu timeout_ms=1000
check stages-of-faults stages faults 900
check ends-of-faults ends_are_right faults.rec faults 1
check behind-the-one-that-hangs says faults '^A request of burst\[[0-9]+\] spent .* in the driver.s queue \(host_queue\), most of it behind requests of hang\['
# Ends, one in each of ten runs: hung jobs, first, amid and last of their queue, alone and with others behind them and beside; a process
# that is killed with jobs queued, with one on the ring, and while it waits for another's; wrong memory. Each job that did not complete is told
# and no other; beside the hung one stand its job, its process and how long it had. Twenty runs without an end have none.
ends=('a count=4 us=1000 depth=1 hang=2' 'a count=6 us=1000 depth=6 hang=0' 'a count=3 us=1000 depth=3 hang=2'
	'a count=4 us=1000 depth=4 hang=1\nb count=20 us=2000 depth=2' 'a ring=1 count=2 us=500 depth=2 hang=1\nb count=30 us=1000 depth=2'
	'a count=2 us=1000 depth=2 bad=1' 'a count=400 us=20000 depth=60 kill=150' 'a ring=1 count=400 us=50000 depth=40 kill=100'
	'b count=40 us=50000 depth=40\na ring=1 count=100 us=50000 depth=40 kill=100 after=b' 'a count=5 us=1000 depth=5 hang=4\nb ring=1 count=30 us=1000 depth=3 after=a')
ends_of_each() {
	local i
	for i in "${!ends[@]}"; do
		printf "${ends[i]}\\n" >end
		lossless list_record end && ends_are_right end.rec end 1 || { echo "end $i"; return 1; }
		[[ ${ends[i]} =~ hang=|bad= ]] || continue
		"$GPULANE" report end.rec >end.txt
		grep -qE '^amdgpu gave up job [0-9]+:[0-9]+ of a\[[0-9]+\] on ring[0-9] (1\.[0-9]+ s|9[0-9]{2} ms|2\.[0-9]+ s) after it was submitted' end.txt ||
			{ echo "end $i"; head -n 5 end.txt; return 1; }
	done
}
check ends-of-each-kind ends_of_each
no_ends() {
	local i
	for i in $(seq 20); do
		printf "a ring=%d count=%d us=%d depth=%d\\nb count=10 us=3000 depth=2 prio=high\\n" $((i % 2)) $((i + 3)) $((i * 211)) $((i % 4 + 1)) >quiet
		list_record quiet && "$GPULANE" report --format json quiet.rec >quiet.json || return 1
		jq -e '.requests.not_completed == 0 and .causes == [] and all(.answers[]; .kind != "fault")' quiet.json >/dev/null ||
			{ echo "run $i"; jq -c '.requests, .causes, [.answers[].cause]' quiet.json; return 1; }
	done
}
check no-ends-where-there-are-none no_ends
rmmod gl_sched
check load-as-xe insmod "$SCHED" driver=xe rings=4 engines=1 depth=3 timeout_ms=1000
check stages-of-queues stages queues 450
rmmod gl_sched
# What drivers tell by tracepoints of their own, in the layout of theirs: the same events as ftrace's, causes named, nothing wrong
cat >told <<'LIST'
game ring=0 prio=high count=40 us=3000 depth=3 evict=5
editor ring=0 prio=low count=15 us=2000 depth=2 fault=2
hang ring=1 prio=normal count=3 us=1000 depth=3 hang=1 start=20
LIST
own='xe_\(sched\|exec\|vma\|vm\|bo\)_[a-z_0-9]*\|amdgpu_\(cs_ioctl\|sched_run_job\|bo_move\|reset_reg_dumps\)\|msm_g[a-z_]*\|v3d_[a-z_]*'
# own_events FILE - the drivers' events of a dump, without times, threads and what only one of the tracers writes: xe's of each job are read, and not recorded
own_events() {
	sed -n "s/^[0-9]* [0-9-]* [^ ]* [a-z-]* \($own\) /\1 /p" "$1" | sed '/^xe_sched_job_\(exec\|run\|free\) /d; s/ fence_context=[0-9]* fence_seqno=[0-9]*//; s/ job=[0-9]*//' | sort
}
# told_record DRIVER SYSTEM - recorded by bpf and by ftrace at once
told_record() {
	rm -rf "$1.rec"
	echo >$TRUTH
	trace-cmd start -q -C mono -b 32768 -e gpu_scheduler -e "$2" >/dev/null &&
		"$GPULANE" record --opencl off --output "$1.rec" -- "$JOBS" "$T/told"
	local status=$?
	trace-cmd stop
	trace-cmd extract -o "$1.dat" >/dev/null 2>&1
	trace-cmd reset >/dev/null 2>&1
	cat $TRUTH >"$1.truth"
	trace-cmd report -i "$1.dat" 2>/dev/null >"$1.printed"
	"$GPULANE" dump "$1.rec" >"$1.dump" && "$GPULANE" report --format json "$1.rec" >"$1.json" && return $status
}
# The same events and fields as ftrace's records and printed lines have, but for what is told to be lost
told_same() {
	local of missing
	own_events "$1.dump" >"$1.ours"
	wc -l "$1.ours"
	[ "$(wc -l <"$1.ours")" -ge 4 ] || return 1
	for of in dat printed; do
		"$GPULANE" dump "$1.$of" >"$1.$of.dump" && own_events "$1.$of.dump" >"$1.$of.theirs" || return 1
		diff "$1.ours" "$1.$of.theirs" | head -n 20
		[ -z "$(comm -23 "$1.ours" "$1.$of.theirs")" ] || return 1
		missing=$(comm -13 "$1.ours" "$1.$of.theirs" | wc -l)
		[ "$missing" -le "$(lost "$1.rec")" ] || return 1
	done
}
# with_status DRIVER STATUS - CONTEXT:SEQNO of the jobs that the driver says so of
with_status() { awk -v s="$2" 'NR > 1 && $(NF - 1) == s { print $6 ":" $7 }' "$1.truth"; }
# of_cause DRIVER CAUSE - CONTEXT:SEQNO that report names with it
of_cause() { jq -r --arg c "$2" '.causes[] | select(.cause == $c) | "\(.context):\(.seqno)"' "$1.json"; }
# causes DRIVER CAUSE... - of the job that hung, and of no other; and memory is moved for game
causes() {
	local driver=$1 cause
	shift
	jq -c '.causes[]' "$driver.json"
	for cause; do
		same "$cause" "$(with_status "$driver" timeout)" "$(of_cause "$driver" "$cause")" || return 1
	done
	[ "$driver" = v3d ] || jq -e '.causes[] | select(.cause == "eviction") | .bytes == 65536 and (.client | startswith("game["))' "$driver.json"
}
# The same of ftrace's records alone, without fences: no known value is wrong. Before Linux 6.17 only amdgpu's then name the jobs
told_bare() {
	"$GPULANE" report --requests "$1.dat" >"$1.bare.csv" && awk -f "$LIB/drm-stages.awk" "$1.truth" "$1.bare.csv" | grep -v ': not told of$' >"$1.bare"
	tail -n 20 "$1.bare"
	[ "$(wc -l <"$1.bare")" = 1 ]
}
# Jobs of a long-running queue are told as such, by the queue's own structures; of others it is known that they are none. Since 6.17 they
# have a fence of the ring, and no error
bursts_of_xe() {
	local errors=6
	[ "$VERSION" != newest ] || errors=0
	printf '%s\n' 'short ring=0 prio=low count=9 us=2000 depth=2' 'long ring=1 prio=normal count=6 us=3000 depth=1 nofence' >bursts
	"$GPULANE" record --opencl off --output bursts.rec -- "$JOBS" "$T/bursts" && "$GPULANE" report bursts.rec | head -n 5
	"$GPULANE" dump bursts.rec | sed -nE 's/.* drm_sched_job_(queue|run) .* (queue_flags=[^ ]* timeout_ms=[^ ]*) .*/\1 \2/p' | sort | uniq -c | tee bursts.flags
	same 'jobs by queue' "9 queue queue_flags=0x1 timeout_ms=2500
6 queue queue_flags=0x3 timeout_ms=2500
9 run queue_flags=0x1 timeout_ms=2500
6 run queue_flags=0x3 timeout_ms=2500" "$(sed 's/^ *//' bursts.flags)" &&
		same 'errors of -95, by the job' $errors "$("$GPULANE" dump bursts.rec | grep -c ' xe_sched_job_set_error fence_context=[1-9].* error=-95 ')" &&
		same bursts 6 "$("$GPULANE" report --format json bursts.rec | jq .requests.bursts)"
}
told_explained() {
	"$GPULANE" explain "$1.rec" "$(with_status "$1" timeout)" >"$1.explained"
	grep 'told  ' "$1.explained" | head -n 3
	grep -q "told  .*$2 of this request: .*(R37)" "$1.explained"
}
# msm's own clock: starts that would lie anywhere before the end are known as well as the two events beside its reading are near
clock_tells() {
	awk -f "$LIB/msm-clock.awk" "$1.dump" "$1.csv" >"$1.clock"
	cat "$1.clock"
	awk 'END { exit !($2 > 40 && $2 == $4) }' "$1.clock"
}
told_as() {
	local driver=$1 system=$2 known=$3
	shift 3
	# A reset names no ring: the other rings have nothing left to do by then, in a slow guest, too.
	check "told-load-as-$driver" insmod "$SCHED" driver="$driver" rings=3 timeout_ms=2500
	check "told-recorded-$driver" lossless told_record "$driver" "$system"
	[ "$driver" != xe ] || check "told-bursts" bursts_of_xe
	check "told-same-as-ftrace-$driver" told_same "$driver"
	check "told-causes-$driver" causes "$driver" "$@"
	check "told-stages-$driver" enough "$driver" "$known" lossless told_record "$driver" "$system"
	check "told-stages-of-ftrace-$driver" told_bare "$driver"
	[ $# = 0 ] || check "told-explained-$driver" told_explained "$driver" "$1"
	"$GPULANE" doctor --no-opencl >doctor
	check "told-doctor-$driver" grep -E "card0 adds .*events of $driver's own: " doctor
	rmmod gl_sched
}
# What watch records of a hang: the scheduler's time-out, once, with the job that hung
hang_record() {
	rm -rf "$1.rec"
	echo >$TRUTH
	"$GPULANE" record --opencl off --events drm,reset --output "$1.rec" -- "$JOBS" "$T/told" && cat $TRUTH >"$1.truth"
}
hang_is_named() {
	lossless hang_record hang && "$GPULANE" dump --no-head --event gpulane_reset hang.rec | tee hang.dump
	same 'the job that timed out' "$(with_status hang timeout)" "$(sed -n 's/.* fence_context=\([0-9]*\) fence_seqno=\([0-9]*\) what=timeout .*/\1:\2/p' hang.dump)"
}
modprobe gpu-sched
check load-for-a-hang insmod "$SCHED" rings=3 timeout_ms=1000
check hang-is-named hang_is_named
rmmod gl_sched
told_as xe xe 450 timeout ban reset
told_as amdgpu amdgpu 900 reset
told_as msm drm_msm_gpu 450
check told-clock-of-msm clock_tells msm
told_as v3d v3d 900 reset
# The real drivers, where this kernel has them: each way reads their events
for module in amdgpu xe; do
	modprobe "$module" 2>/dev/null && [ -d "/sys/kernel/tracing/events/$module" ] || continue
	rm -f ways.real
	check "told-ways-of-$module" "$WAYS" "$VERSION" "$T/ways.real"
	check "told-no-way-of-$module-fails" test -z "$(grep FAIL ways.real)"
	check "told-all-of-$module" test "$(grep -c "$module" ways.real)" -ge 4
done
check log-without-leaks test -z "$(dmesg | grep -iE 'slab|objects remaining|leak')"
suite_end "sched-$VERSION"
