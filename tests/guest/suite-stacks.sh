#!/bin/bash
# record --stacks: gl-stack on gl-sched, a program whose functions are known, with frame pointers, without, and without its symbols: each function
# that is named is the right one.
#
#   suite-stacks.sh [6.1|6.12|newest]
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	sched_suite stacks "${1-}"
fi

# --- in the guest -------------------------------------------------------------------------------
SCHED=$1 VERSION=$2
TOP=$(realpath "$(dirname "$0")/../..")
GPULANE=$(realpath "${B:-build}/gpulane")
BIN=$(realpath "${B:-build}/tests/replay")
T=$(mktemp -d /tmp/stacks.XXXXXX)
cd "$T" || exit 1
exec >"$GPULANE_OUT/report"
CHECK_PREFIX=$VERSION-
. "$TOP/tests/lib/suite.sh"

modprobe -a drm gpu-sched
check load insmod "$SCHED" rings=3 timeout_ms=60000

# recorded PROGRAM [HOW] - it rests between its jobs, or does HOW; PROGRAM.json, PROGRAM.collapsed. STACKS: how they are taken
recorded() {
	rm -rf "$1.rec"
	"$GPULANE" record --stacks${STACKS:+=$STACKS} --api off --counters off --output "$1.rec" -- "$BIN/$1" "${2:-rest}" 60 2>"$1.err" &&
		"$GPULANE" report --format json "$1.rec" >"$1.json" && "$GPULANE" report --stacks "$1.rec" >"$1.collapsed" || { cat "$1.err"; return 1; }
	cat "$1.err" "$1.collapsed"
	! grep 'could not be kept' "$1.err"
}
# where PROGRAM FRAMES - the answer that its ring was idle while it slept says where, innermost first: FUNCTION@FILE of each that is named
where() {
	jq -r '.verdict[]' "$1.json"
	[ "$(jq -r '[.answers[] | select(.cause == "blocked") | .where.frames[] | "\(.function // "")@\(.file // "")"] | join(" ")' "$1.json" | sed 's/[^ ]*clock_nanosleep/clock_nanosleep/' |
		tee /dev/stderr)" = "$2" ]
}
# at_least_half PROGRAM - and for how long, which is at least half of that time
at_least_half() { jq -e '.answers[] | select(.cause == "blocked") | .where.ns * 2 >= .lasted.min_ns and .where.ns <= .lasted.max_ns' "$1.json"; }
# sleeps PROGRAM PATTERN - a collapsed stack
sleeps() { cat "$1.collapsed" && grep -qE "^$1;$2 [0-9]+\$" "$1.collapsed"; }
# submits PROGRAM TEXT - explain says where each of its requests was submitted
submits() {
	local context seqno n=0
	context=$(jq '.contexts[0].context' "$1.json")
	for seqno in 2 20 40; do
		"$GPULANE" explain "$1.rec" "$context:$seqno" | tee explained | grep -qE "^Its thread submitted it in (__GI___)?ioctl \\(libc\\.so\\.6\\), $2\\.\$" && n=$((n + 1))
	done
	cat explained
	[ $n = 3 ]
}

KERNEL_SLEEP='(entry_SYSCALL|do_syscall).*nanosleep.*_\[k\];schedule_\[k\];__schedule_\[k\]'
check frame-pointers-recorded recorded gl-stack
check frame-pointers where gl-stack 'clock_nanosleep@libc.so.6 rests_a_while@gl-stack makes_a_frame@gl-stack'
check frame-pointers-time at_least_half gl-stack
check frame-pointers-collapsed sleeps gl-stack "[^;]*;main;makes_a_frame;rests_a_while;(__)?clock_nanosleep;$KERNEL_SLEEP"
check frame-pointers-submits submits gl-stack 'within submits_a_job \(gl-stack\), called by makes_a_frame \(gl-stack\), called by main \(gl-stack\), called by .*'
check bare-recorded recorded gl-stack-bare
check bare where gl-stack-bare clock_nanosleep@libc.so.6
check bare-time at_least_half gl-stack-bare
check bare-is-said jq -e '.answers[] | select(.cause == "blocked") | .where.no_frame_pointer' gl-stack-bare.json
check bare-collapsed sleeps gl-stack-bare "\\[\\.\\.\\.\\];(__)?clock_nanosleep;$KERNEL_SLEEP"
check bare-submits submits gl-stack-bare 'called from where no frame pointer tells'
check stripped-recorded recorded gl-stack-stripped
check stripped where gl-stack-stripped 'clock_nanosleep@libc.so.6 @gl-stack-stripped @gl-stack-stripped'
check stripped-submits submits gl-stack-stripped 'within gl-stack-stripped, without a symbol, .*'

# One that computes between its jobs is looked at: 60 times 8 ms are some 48 samples
computes() {
	recorded "$1" compute || return 1
	jq -c '.answers[] | select(.cause == "computing")' "$1.json"
	jq -e --arg where "$2" '.answers[] | select(.cause == "computing") | .where | .samples * 2 >= .of_samples and .of_samples >= 20 and
		([.frames[] | "\(.function // "")@\(.file // "")"] | join(" ")) == $where' "$1.json"
}
check computes computes gl-stack 'computes_a_lot@gl-stack makes_a_frame@gl-stack main@gl-stack'
check computes-bare computes gl-stack-bare computes_a_lot@gl-stack-bare
check computes-stripped computes gl-stack-stripped '@gl-stack-stripped @gl-stack-stripped @gl-stack-stripped'

# From copies of the stacks, by the files' own tables: without frame pointers each function is named, and who called it, to the first one
STACKS=dwarf
check dwarf-recorded recorded gl-stack-bare
check dwarf where gl-stack-bare 'clock_nanosleep@libc.so.6 nanosleep@libc.so.6 rests_a_while@gl-stack-bare'
check dwarf-collapsed sleeps gl-stack-bare "_start;(__libc_start[^;]*;)*main;makes_a_frame;rests_a_while;(__)?nanosleep;(__)?clock_nanosleep;$KERNEL_SLEEP"
check dwarf-submits submits gl-stack-bare 'called by submits_a_job \(gl-stack-bare\), called by makes_a_frame \(gl-stack-bare\), called by main \(gl-stack-bare\), called by .*'
check dwarf-computes computes gl-stack-bare 'computes_a_lot@gl-stack-bare makes_a_frame@gl-stack-bare main@gl-stack-bare'
check dwarf-stripped-recorded recorded gl-stack-stripped
check dwarf-stripped where gl-stack-stripped 'clock_nanosleep@libc.so.6 nanosleep@libc.so.6 @gl-stack-stripped'
STACKS=''

# One that rests as called by a function that it compiles while it runs
compiles() {
	recorded gl-stack compiled && where gl-stack 'clock_nanosleep@libc.so.6 rests_when_compiled@ calls_compiled@gl-stack' &&
		sleeps gl-stack "[^;]*;main;makes_a_frame;calls_compiled;rests_when_compiled;(__)?clock_nanosleep;$KERNEL_SLEEP"
}
check compiled compiles

# One that waits for a mutex of the device's, which another process holds
locks() {
	recorded gl-stack lock || return 1
	jq -r '.verdict[]' gl-stack.json
	jq -e '.answers[] | select(.cause == "blocked") | (.mutex.held_by | test("^gl-holder\\[[0-9]+\\]$")) and .mutex.ns * 2 >= .lasted.min_ns' gl-stack.json
}
check mutex locks

# The kernel's stacks that trace-cmd records are in its file as in what it prints, but for those of which the event ends a page.
trace_dat() {
	local compression
	for compression in "" none; do
		rm -f stacks.dat
		trace-cmd record -q -C mono -T -e sched_switch -e sched_waking -e gpu_scheduler -e dma_fence -o stacks.dat ${compression:+--compression $compression} "$BIN/gl-stack" rest 60 >trace.out 2>&1 ||
			{ cat trace.out; return 1; }
		trace-cmd report -t stacks.dat 2>/dev/null >stacks.txt
		"$GPULANE" report --stacks stacks.dat | sort >dat.collapsed && "$GPULANE" report --stacks stacks.txt 2>/dev/null | sort >text.collapsed || return 1
		head -n 3 dat.collapsed text.collapsed
		grep -q 'gl-stack;.*schedule_\[k\]' dat.collapsed &&
			[ -z "$(comm -23 <(sed 's/ [0-9]*$//' dat.collapsed | sort -u) <(sed 's/ [0-9]*$//' text.collapsed | sort -u))" ] || return 1
		awk '{ sum[FILENAME] += $NF } END { print sum["dat.collapsed"], sum["text.collapsed"]; exit !(sum["dat.collapsed"] > 0.8 * sum["text.collapsed"]) }' dat.collapsed text.collapsed || return 1
	done
}
check trace-dat trace_dat

# The recorder keeps no right to load programs or to change anything: its capabilities are those by which it looks at processes
keeps() {
	"$GPULANE" record --stacks --api off --counters off --duration 4 --output keeps.rec 2>keeps.err &
	local pid=$!
	for _ in $(seq 100); do
		[ -s keeps.rec/recording.json ] && break
		sleep 0.1
	done
	grep CapEff "/proc/$pid/status" | tee caps
	wait $pid
	# CAP_DAC_READ_SEARCH 2, CAP_SYS_PTRACE 19
	[ "$((16#$(awk '{ print $2 }' caps)))" = $((1 << 2 | 1 << 19)) ]
}
check capabilities keeps

# Off by default
without() {
	"$GPULANE" record --api off --counters off --output none.rec -- "$BIN/gl-stack" rest 5 2>none.err || { cat none.err; return 1; }
	! "$GPULANE" dump --no-head none.rec | grep gpulane_stack && ! "$GPULANE" report --stacks none.rec 2>none.said && cat none.said &&
		grep -q 'the recording has no stacks (gpulane record --stacks has)' none.said
}
check off-by-default without
suite_end stacks
