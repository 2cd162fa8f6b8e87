#!/bin/bash
# Flips of a display: gl-flip shows frames on the driver tests/kmod/gl-display that wait for jobs of tests/kmod/gl-sched, requests of
# tests/kmod/replay and fences of vgem. Each refresh that it misses, and why, is held against what the program itself knows; so are the
# events, and what is told where a part of them is missing.
#
#   suite-frames.sh [6.1|6.12|newest]   all kernels, or one. FRAMES_KEEP=DIR: recordings and truths are kept there, in a directory a kernel
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	make -s B="${B:-build}" "${B:-build}/gpulane" replay "${B:-build}/tests/guest/bpf-ways" || exit 1
	GPULANE=$TOP/${B:-build}/gpulane
	. "$TOP/tests/guest/lib/frames.sh"
	KEPT=${FRAMES_KEEP:-$SUITE_TMP}
	for version in ${1:-6.1 6.12 newest}; do
		check_later "$version" "$GUEST" --kernel "$version" --timeout 600 --env "B=${B:-build}" --out "$KEPT/$version" -- "$0" \
			"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/gl-sched)" \
			"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/gl-display)" \
			"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/replay)" "$version"
	done
	check_wait
	# What is found in a recording is the same on the host, and sooner found.
	for version in ${1:-6.1 6.12 newest}; do
		report "$KEPT/$version/report"
		cd "$KEPT/$version" || exit 1
		CHECK_PREFIX=$version-
		frames_check frames 60
		CHECK_PREFIX=
		cat facts
		cd "$TOP" || exit 1
	done
	suite_end frames
	exit
fi

# --- in the guest: `first` as the last argument is for the suite one
SCHED=$1 DISPLAY_KO=$2 REPLAY=$3 VERSION=$4 PART=${5-}
TOP=$(realpath "$(dirname "$0")/../..")
GPULANE=$(realpath "${B:-build}/gpulane")
FLIP=$(realpath "${B:-build}/tests/replay/gl-flip")
WAYS=$(realpath "${B:-build}/tests/guest/bpf-ways")
T=$(mktemp -d /tmp/frames.XXXXXX)
cd "$T" || exit 1
exec >"$GPULANE_OUT/report"
CHECK_PREFIX=$VERSION-
. "$TOP/tests/lib/suite.sh"
. "$TOP/tests/guest/lib/fact.sh"
. "$TOP/tests/guest/lib/frames.sh"

# The rings are card0: a display that is not the first device shows whether events have the right one. Those of panfrost run a job at a time.
check load-rings sh -c "modprobe -a drm gpu-sched && insmod '$SCHED' rings=2 timeout_ms=2000 driver=panfrost"
check load-display sh -c "modprobe -a drm_kms_helper drm_shmem_helper && insmod '$DISPLAY_KO'"
check load-others sh -c "modprobe vgem && insmod '$REPLAY'"
check display-is-card1 grep -q gl-display /sys/class/drm/card1/device/uevent

# frames_record NAME OPTION... - a recording of gl-flip with its truth, and the jobs' truth
frames_record() {
	local name=$1
	shift
	rm -rf "$name.rec"
	echo >/sys/kernel/debug/gl-sched/truth
	"$GPULANE" record --opencl off --output "$name.rec" -- \
		"$FLIP" --truth "$T/$name.truth" "$@" || return 1
	cat /sys/kernel/debug/gl-sched/truth >"$name.jobs"
	[ -s "$name.truth" ]
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

if [ "$PART" = first ]; then
	# shellcheck disable=SC2046 # a list
	check recorded frames_lossless frames --drivers --frames 300 $(frames_late 300 9)
	frames_check frames 12
	rmmod gl_display gl_sched i915 vgem
	suite_end "frames-$VERSION"
	exit
fi
# shellcheck disable=SC2046 # a list
check recorded frames_lossless frames --drivers --frames 1900 $(frames_late 1900 17)
cp -r frames.* "$GPULANE_OUT/"

# A driver that says itself what is shown; a flip that is refused
rmmod gl_display
check load-display-that-sends insmod "$DISPLAY_KO" sends=1
check sent-recorded frames_lossless sent --frames 30 --again
"$GPULANE" dump sent.rec >sent.dump
check sent-truth-of-each-frame frames_true sent -v sends=1
check sent-device-and-crtc frames_of_display sent
check sent-one-refused test "$(grep -c ' gpulane_flip_failed .* error=-16' sent.dump)" = 1
rmmod gl_display gl_sched i915 vgem

check ways "$WAYS" "$VERSION" "$T/ways"
grep -E 'drm_vblank|gpulane_flip' ways | sed "s/^\(ok\|FAIL\) $VERSION-/\1 ${CHECK_PREFIX}ways-/" >ways.frames
cat ways.frames >>facts
cp facts "$GPULANE_OUT/"
check ways-all test "$(grep -c '^ok' ways.frames)" -ge 6
dmesg >"$GPULANE_OUT/dmesg"
suite_end "frames-$VERSION"
