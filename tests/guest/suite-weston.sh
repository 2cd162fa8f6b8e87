#!/bin/bash
# A compositor and a client of others: weston on tests/kmod/gl-display and its client weston-presentation-shm, under CPU load. Refreshes that
# gpulane says were missed are those that weston itself counts: from what it posted to the refresh that it was told of.
#
#   suite-weston.sh [SECONDS [KERNEL]]   default: 600 s on 6.1. FRAMES_KEEP=DIR: the recording and weston's words are kept there
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	make -s B="${B:-build}" "${B:-build}/gpulane" replay || exit 1
	GPULANE=$TOP/${B:-build}/gpulane
	SECS=${1:-600} KERNEL=${2:-6.1} OUT=${FRAMES_KEEP:-$SUITE_TMP}/weston
	check boot "$GUEST" --kernel "$KERNEL" --timeout $((SECS * 2 + 200)) --mem 3072 --env "B=${B:-build}" --out "$OUT" -- "$0" \
		"$("$GUEST_D/build-kmod" --kernel "$KERNEL" tests/kmod/gl-display)" "$("$GUEST_D/weston")" "$SECS"
	report "$OUT/report"
	cd "$OUT" || exit 1
	# weston was told of each picture, and the client of its own
	weston_told() {
		"$GPULANE" report --frames weston.rec >told || return 1
		awk -v least="$((SECS * 2))" -f "$TOP/tests/guest/lib/weston-told.awk" log feedback told
	}
	check recorded-without-loss same lost 0 "$(jq '[.traces[].lost] | add' weston.rec/recording.json)"
	verdict misses-are-westons "$(weston_told)"
	[ ! -e facts ] || cat facts
	suite_end weston
	exit
fi

# --- in the guest
DISPLAY_KO=$1 WESTON=$2 SECS=$3
cd "$(dirname "$0")/../.." || exit 1
GPULANE=$(realpath "${B:-build}/gpulane")
LOAD=$(realpath "${B:-build}/tests/replay/gl-client")
T=$(mktemp -d /tmp/weston.XXXXXX)
exec >"$GPULANE_OUT/report"
. tests/lib/suite.sh
cd "$T" || exit 1
export XDG_RUNTIME_DIR=$T WAYLAND_DISPLAY=shown
check load-display sh -c "modprobe -a drm_kms_helper drm_shmem_helper && insmod '$DISPLAY_KO'"
check weston-is-there sh -c "cp -r '$WESTON/usr' / && ldconfig"
# Of the terminal it needs one that can be switched; there is nobody to press a key. Its clock would repaint besides the client.
printf '[core]\nrequire-input=false\nidle-time=0\n[shell]\npanel-position=none\nbackground-color=0xff000000\nanimation=none\nstartup-animation=none\n' >weston.ini
weston --backend=drm-backend.so --use-pixman --drm-device=card0 --tty=1 --shell=desktop-shell.so --config="$T/weston.ini" --socket=shown \
	--logger-scopes=timeline >log 2>&1 &
weston=$!
check weston-shows until_holds grep -q core_repaint_finished log
for cpu in 0 1; do
	"$LOAD" --hog 30 --rest 60 --name "load$cpu" --cpu $cpu &
	"$LOAD" --hog 7 --rest 23 --name "more$cpu" --cpu $cpu &
done
check recorded "$GPULANE" record --opencl off --events frames,sched,process --output weston.rec -- \
	sh -c "stdbuf -oL timeout -s INT -k 20 $SECS weston-presentation-shm -f >feedback 2>client.err; true"
kill "$weston"
cp -r weston.rec log feedback client.err "$GPULANE_OUT/"
suite_end weston-guest
