#!/bin/bash
# Threads that wait in the kernel for syncobjs, as Mesa does: gl-syncobj on gl-sched, what is recorded of its waits, and what is told of one
# that is not over, at the recording's end and while it goes on.
#
#   suite-waits.sh [6.1|6.12|newest]
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	sched_suite waits "${1-}"
fi

# --- in the guest -------------------------------------------------------------------------------
SCHED=$1 VERSION=$2
TOP=$(realpath "$(dirname "$0")/../..")
GPULANE=$(realpath "${B:-build}/gpulane")
WAIT=$(realpath "${B:-build}/tests/replay/gl-syncobj")
T=$(mktemp -d /tmp/waits.XXXXXX)
cd "$T" || exit 1
exec >"$GPULANE_OUT/report"
CHECK_PREFIX=$VERSION-
. "$TOP/tests/lib/suite.sh"

modprobe -a drm gpu-sched
check load insmod "$SCHED" rings=3 timeout_ms=60000

# record NAME SCRIPT - the recorder takes long to start in a guest: all that is to be recorded is one script's
record() { "$GPULANE" record --opencl off --counters off --output "$1.rec" -- sh -c "$2" 2>"$1.err" || { cat "$1.err"; return 1; }; }
come_back() {
	local kind script=
	for kind in 'job 300000' 'point 300000' 'all 300000' 'any 300000' 'never 0 300' 'poll 100000'; do
		script+="$WAIT $kind >${kind%% *}.said || exit 1; "
	done
	record over "$script" || return 1
	"$GPULANE" dump --no-head over.rec | sed -nE 's/^([0-9]+) [0-9]+ [0-9]+\/([0-9]+) function gpulane_syncobj_(wait|waited) (.*)/\3 \2 \1 \4/p' >over.waits
	cat ./*.said over.waits
}
# is_one KIND FIELDS - one wait was recorded of that thread, within the times that the program gives, with these fields
is_one() {
	local tid before after ret
	read -r _ tid _ before after ret <"$1.said"
	awk -v tid="$tid" '$2 == tid' over.waits | tee one
	[ "$(wc -l <one)" = 2 ] && grep -q "^wait .*$2" one &&
		awk -v before="$before" -v after="$after" -v ret="$ret" '
			$3 < before || $3 > after || ($1 == "waited" && $0 !~ "ret=" ret "$") { bad = 1 }
			END { exit bad }' one
}
is_none() { ! awk '{ print $2 }' over.waits | grep -qx "$(awk '{ print $2 }' "$1.said")"; }
# fence KIND - the fence of the job that it waits for, as fields
fence() { awk '{ split($3, of, ":"); print "context=" of[1] " seqno=" of[2] }' "$1.said"; }
check waits-are-recorded come_back
forever=until=9223372036854775807
check waits-for-a-job is_one job "$(fence job) point=0 $forever flags=0x1 count=1 pending=1 unsubmitted=0"
check waits-for-a-point is_one point "$(fence point) point=2 $forever flags=0x3 count=1 pending=1 unsubmitted=0"
check waits-for-all is_one all "context=0 seqno=0 point=0 $forever flags=0x1 count=2 pending=2 unsubmitted=0"
check waits-for-any is_one any "context=0 seqno=0 point=0 $forever flags=0x2 count=3 pending=3 unsubmitted=2"
check gives-up is_one never "context=0 seqno=0 point=7 until=[0-9]* flags=0x3 count=1 pending=1 unsubmitted=1"
check who-polls-does-not-wait is_none poll
# A wait for one request is a wait of its process for that request; nothing is open
is_told() {
	jq -e --arg client "gl-syncobj[$(awk '{ print $2 }' "$1.said")]" '.clients[] | select(.client == $client) | [.waits, .wait_ns]
		| .[0] == 1 and .[1] > 100000000' over.json
}
none_is_open() {
	jq -c '[.open, [.answers[].cause]]' over.json
	jq -e '.open == [] and all(.answers[]; .cause != "open_wait")' over.json
}
"$GPULANE" report --format json over.rec >over.json
check wait-is-its-requests is_told job
check wait-is-its-points-request is_told point
check none-is-open-where-all-come-back none_is_open

# Submissions that the driver refuses, one by one: each is recorded, and with its time; together they are an answer
refused_record() {
	record refused "$WAIT refused 20 20 >refused.said" || return 1
	"$GPULANE" dump --no-head refused.rec | sed -nE 's/^([0-9]+) [0-9]+ [0-9]+\/([0-9]+) function gpulane_refused since_ns=([0-9]+) ret=-2 (none=0 )?call=EXEC.*/\2 \3 \1/p' >refused.calls
	cat refused.said refused.calls
	"$GPULANE" report refused.rec | head -n 2
	awk 'NR == FNR { tid = $2; from = $3; to = $4; next } $1 != tid || $2 < from || $3 < $2 || $3 > to { bad = 1 } { n++ } END { exit bad || n != 20 }' refused.said refused.calls
}
refused_is_told() {
	"$GPULANE" report refused.rec | grep -qE "^20 calls of EXEC by gl-syncobj\\[$(awk '{ print $2 }' refused.said)\\] failed \\(ENOENT\\); none worked for "
}
check refused-recorded refused_record
check refused-is-told refused_is_told

# Three that do not come back as the recording ends: for a job that hangs, for a point that nobody submits, for one of several. They go on after it
open_record() {
	record open "for kind in 'job 0' 'never 0 60000' 'any 0'; do $WAIT \$kind >\"hangs.\${kind%% *}\" & echo \$! >>pids; done; sleep 4" || return 1
	"$GPULANE" report --tables open open.rec >open.txt
	cat hangs.* open.txt
}
# told KIND PATTERN - of the wait of that thread, which began at least 2 s before the end; the thread was asleep
told() {
	local pid
	pid=$(awk '{ print $2 }' "hangs.$1")
	grep -qE "^  SYNCOBJ_WAIT of gl-syncobj\\[$pid\\] began [2-9]\\.[0-9]+ s before the recording's end and is not over: $2; its thread was asleep all that time\$" open.txt
}
check open-waits-recorded open_record
check open-for-a-job told job "it waits for $(awk '{ print $3 }' hangs.job) of gl-syncobj\\[[0-9]+\\]; it has no time-out"
check open-for-a-point told never "it waits for a syncobj's point 7, and nobody had submitted its work as the wait began; it gives up in 5[0-9]\\.[0-9] s"
check open-for-one-of-several told any "it waits for one of 3 syncobjs; the work of 2 nobody had submitted as the wait began; it has no time-out"
check open-is-an-answer grep -qE '^SYNCOBJ_WAIT of gl-syncobj\[[0-9]+\] began .*; 1 more is open, too' open.txt
while read -r pid; do kill "$pid"; done <pids

# While it goes on
watch_hits() {
	"$GPULANE" watch -o "$T/hits" --open-longer-than 1s >watch.out 2>watch.err &
	local watch=$!
	for _ in $(seq 600); do
		(((16#$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$watch/status") & 512) != 0)) && break
		sleep 0.1
	done
	sleep 2
	"$WAIT" never 0 4000 >watched.said
	for _ in $(seq 100); do
		[ -s watch.out ] && break
		sleep 0.1
	done
	kill $watch
	wait $watch
	cat watch.out watch.err watched.said
	grep -q "\"SYNCOBJ_WAIT\" of gl-syncobj\[$(awk '{ print $2 }' watched.said)\]" watch.out && [ "$(wc -l <watch.out)" = 1 ]
}
check watch-has-a-hit watch_hits
suite_end waits
