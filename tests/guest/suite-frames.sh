#!/bin/bash
# Flips of a display: gl-flip shows frames on the driver tests/kmod/gl-display that wait for jobs of tests/kmod/gl-sched, and what
# is recorded of them is held against what the program itself knows.
#
#   suite-frames.sh [6.1|6.12|newest]   all kernels, or one. FRAMES_KEEP=DIR: dumps and truths are kept there, in a directory a kernel
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	make -s B="${B:-build}" "${B:-build}/gpulane" replay || exit 1
	for version in ${1:-6.1 6.12 newest}; do
		check_later "$version" "$GUEST" --kernel "$version" --timeout 300 --env "B=${B:-build}" \
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

frames_record() {
	rm -rf frames.rec
	echo >/sys/kernel/debug/gl-sched/truth
	"$GPULANE" record --opencl off --output frames.rec -- "$FLIP" --frames 200 --truth "$T/truth" "${late[@]}" || return 1
	cat /sys/kernel/debug/gl-sched/truth >"$T/jobs"
	"$GPULANE" dump frames.rec >dump
}
check recorded frames_record
cp -r truth jobs dump frames.rec "$GPULANE_OUT/" 2>/dev/null
dmesg >"$GPULANE_OUT/dmesg"
lost() { total frames.rec 'traces[].lost'; }
echo "lost: $(lost)" >"$GPULANE_OUT/facts"
check nothing-lost test "$(lost)" = 0
for event in drm_vblank_event gpulane_flip gpulane_flip_fence gpulane_flip_armed; do
	echo "$event: $(grep -c " $event " dump)" >>"$GPULANE_OUT/facts"
	check "has-$event" test "$(grep -c " $event " dump)" -ge 190
done
# Whatever the frames say of a device and a CRTC is the display's
check device-and-crtc test -z "$(grep -E ' (drm_vblank_event|gpulane_flip|gpulane_flip_armed|gpulane_flip_shown) ' dump | grep -v ' crtc=0.* dev=1\| dev=1 .*crtc=0')"

# What the program knows of each frame, and what is told of the refresh that showed it: the number of refreshes that it missed
# in between is the same, and a frame that was late on purpose and missed one is said to be late by that.
"$GPULANE" report --frames frames.rec >told.csv
cp told.csv "$GPULANE_OUT/"
frames_compare() {
	awk -F, -v period=16666667 '
		NR == FNR { if (FNR > 1 && $3 != "") { missed[$3] = $12; at[$3] = $13 } next }
		FNR == 1 { next }
		{
			split($0, t, " ")
			m = int((t[5] - t[2] - 1) / period)
			n++
			if (!(t[4] in missed)) { print "frame " t[1] ": nothing is told of it"; next }
			if (missed[t[4]] != m) print "frame " t[1] ": missed " m ", told " missed[t[4]]
			if (!m || t[6] == "none") next
			late++
			wanted = t[6] == "update" ? "update" : t[6] == "ask" || t[6] == "starved" ? "asked_late" : "request"
			if (at[t[4]] != wanted && at[t[4]] != "unknown" && !(wanted == "asked_late" && at[t[4]] == "request"))
				print "frame " t[1] ": late by " t[6] ", told " at[t[4]]
			named += at[t[4]] != "unknown"
		}
		END {
			if (n < 190 || late < 6) print "only " n " frames, " late " late ones"
			if (named < 0.8 * late) print "of " late " late frames the cause of " named " is told"
		}' told.csv truth
}
verdict missed-as-it-was "$(frames_compare)"
suite_end "frames-$VERSION"
