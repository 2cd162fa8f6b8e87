#!/bin/bash
# Flips of a display: gl-flip shows frames on the driver tests/kmod/gl-display that wait for jobs of tests/kmod/gl-sched, and what
# is recorded is held against what the program itself knows.
#
#   suite-frames.sh [6.1|6.12|newest]   all kernels, or one. FRAMES_KEEP=DIR: dumps and truths are kept there, in a directory a kernel
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	make -s B="${B:-build}" "${B:-build}/gpulane" replay "${B:-build}/tests/guest/bpf-ways" || exit 1
	for version in ${1:-6.1 6.12 newest}; do
		check_later "$version" "$GUEST" --kernel "$version" --timeout 300 --env "B=${B:-build}" --env "FRAMES_KEEP=${FRAMES_KEEP-}" \
			--out "${FRAMES_KEEP:-$SUITE_TMP}/$version" -- "$0" \
			"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/gl-sched)" \
			"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/gl-display)" "$version"
	done
	check_wait
	for version in ${1:-6.1 6.12 newest}; do
		report "${FRAMES_KEEP:-$SUITE_TMP}/$version/report"
	done
	suite_end frames
	exit
fi

# --- in the guest -------------------------------------------------------------------------------
SCHED=$1 DISPLAY_KO=$2 VERSION=$3
TOP=$(realpath "$(dirname "$0")/../..")
GPULANE=$(realpath "${B:-build}/gpulane")
FLIP=$(realpath "${B:-build}/tests/replay/gl-flip")
T=$(mktemp -d /tmp/frames.XXXXXX)
cd "$T" || exit 1
exec >"$GPULANE_OUT/report"
CHECK_PREFIX=$VERSION-
. "$TOP/tests/lib/suite.sh"
. "$TOP/tests/guest/lib/fact.sh"

# The rings are card0: a display that is not the first device shows whether events have the right one.
check load-rings sh -c "modprobe -a drm gpu-sched && insmod '$SCHED' rings=2 timeout_ms=2000"
check load-display sh -c "modprobe -a drm_kms_helper drm_shmem_helper && insmod '$DISPLAY_KO'"
check display-is-card1 grep -q gl-display /sys/class/drm/card1/device/uevent

late=(20:job 35:behind 50:dependency 65:ask 80:update 95:starved 110:job 125:behind 140:dependency 155:ask 170:update 185:starved)

# frames_record NAME OPTION... - a recording of gl-flip with its truth, the jobs' truth, and the dump
frames_record() {
	local name=$1
	shift
	rm -rf "$name.rec"
	echo >/sys/kernel/debug/gl-sched/truth
	"$GPULANE" record --opencl off --output "$name.rec" -- \
		"$FLIP" --truth "$T/$name.truth" "$@" || return 1
	cat /sys/kernel/debug/gl-sched/truth >"$name.jobs"
	"$GPULANE" dump "$name.rec" >"$name.dump"
}
# frames_lossless NAME OPTION... - again, four times, where events were lost: Linux 7.3 loses some on a busy machine (docs/bpf.md)
frames_lossless() {
	local try
	for try in 1 2 3 4 5; do
		[ "$try" = 1 ] || printf 'tried again: %s: try %d (events were lost)\n' "$checking" "$try" >>"$T/tried-again"
		frames_record "$@" || return 1
		[ "$(total "$1.rec" 'traces[].lost')" -gt 0 ] || return 0
	done
	return 1
}
# frames_true NAME [-v VARIABLE=VALUE] - every event is there and says what the program knows
frames_true() {
	awk "${@:2}" -f "$TOP/tests/guest/lib/frames-truth.awk" "$1.truth" "$1.dump" >"$1.faults"
	tail -n 30 "$1.faults"
	tail -n 1 "$1.faults" | sed "s/^/$1: /" >>"$GPULANE_OUT/facts"
	[ "$(wc -l <"$1.faults")" = 1 ]
}
# frames_of_display NAME - what the events say of a device and a CRTC is the display's
frames_of_display() {
	grep -E ' (drm_vblank_event|gpulane_flip|gpulane_flip_armed|gpulane_flip_shown) ' "$1.dump" | grep -vE '^(recorded|absent) ' >"$1.events"
	[ -s "$1.events" ] && ! grep -vE ' crtc=0 .*dev=1 | dev=1 crtc=0( |$)' "$1.events"
}
kept() { [ -z "${FRAMES_KEEP-}" ] || cp -r "$1.truth" "$1.jobs" "$1.dump" "$1.rec" "$GPULANE_OUT/"; }

late=(20:job 35:behind 50:dependency 65:ask 80:update 95:starved 110:job 125:behind 140:dependency 155:ask 170:update 185:starved)
check recorded frames_lossless frames --frames 200 "${late[@]}"
check truth-of-each-frame frames_true frames
check device-and-crtc frames_of_display frames
check all-recorded test -z "$(grep -E '^absent (drm_vblank_event|gpulane_flip)' frames.dump)"
kept frames

# What is told of each frame: it missed as many refreshes as lie between the asking and the event that the program got, and one that
# was late on purpose is said to be late by that.
frames_told() {
	"$GPULANE" report --frames frames.rec >frames.told || return 1
	awk -F, -v period=16666667 '
		NR == FNR { if (FNR > 1 && $3 != "") { asked[$3] = $7; ready[$3] = $9; missed[$3] = $12; at[$3] = $13 } next }
		FNR == 1 { next }
		{
			split($0, t, " ")
			n++
			if (!(t[4] in missed)) { print "frame " t[1] ": nothing is told of it"; next }
			# The program calls; the thread may lose its CPU before the kernel is asked.
			if (asked[t[4]] < t[2]) print "frame " t[1] ": asked for before the program did"
			m = int((t[5] - asked[t[4]] - 1) / period)
			if (missed[t[4]] != m) print "frame " t[1] ": missed " m ", told " missed[t[4]]
			if (!m || t[6] == "none") next
			late++
			wanted = t[6] == "update" ? "update" : t[6] == "ask" || t[6] == "starved" ? "asked_late" : "request"
			# In an emulated guest the job was long, too, or the worker was late behind it: as the last refresh came that it missed.
			is_short = at[t[4]] == "request" && wanted == "asked_late"
			is_behind = at[t[4]] == "update" && wanted == "request" && ready[t[4]] < t[5] - period
			if (at[t[4]] != wanted && at[t[4]] != "unknown" && !is_short && !is_behind)
				print "frame " t[1] ": late by " t[6] ", told " at[t[4]]
			named += at[t[4]] != "unknown"
		}
		END {
			if (n < 190 || late < 6) print "only " n " frames, " late + 0 " late ones"
			if (named < 0.8 * late) print "of " late " late frames the cause of " named + 0 " is told"
			print n " frames, " late " late on purpose, of " named " the cause is told" >facts
		}' facts=told.facts frames.told frames.truth
	cat told.facts >>"$GPULANE_OUT/facts"
}
verdict told-as-it-was "$(frames_told)"

# A driver that says itself what is shown; a flip that is refused
rmmod gl_display
check load-display-that-sends insmod "$DISPLAY_KO" sends=1
check sent-recorded frames_lossless sent --frames 30 --again
check sent-truth-of-each-frame frames_true sent -v sends=1
check sent-device-and-crtc frames_of_display sent
check sent-one-refused test "$(grep -c ' gpulane_flip_failed .* error=-16' sent.dump)" = 1
kept sent
rmmod gl_display gl_sched

check ways "$(realpath "$TOP/${B:-build}/tests/guest/bpf-ways")" "$VERSION" "$T/ways"
grep -E 'drm_vblank|gpulane_flip' ways | sed "s/^\(ok\|FAIL\) $VERSION-/\1 ${CHECK_PREFIX}ways-/" >ways.frames
cat ways.frames >>"$GPULANE_OUT/facts"
check ways-all test "$(grep -c '^ok' ways.frames)" -ge 6
dmesg >"$GPULANE_OUT/dmesg"
suite_end "frames-$VERSION"
