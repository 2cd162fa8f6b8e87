#!/bin/bash
# SPDX-License-Identifier: MIT
# Hogs: a thread of real-time priority, a storm of softirqs, a cgroup's CPU quota keep the CPU from who has to act for jobs of gl-sched: who gives them to
# their ring, the interrupt's thread that signals their ends, who waits for them. Each is named, in whole recordings and in those of one process alone, and none where the same hog is on another CPU.
#
#   suite-hogs.sh [6.1|6.12|newest]
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	make -s B="${B:-build}" "${B:-build}/gpulane" replay || exit 1
	for version in ${1:-6.1 6.12 newest}; do
		check_later "$version" "$GUEST" --kernel "$version" --timeout 1800 --mem 3072 --env "B=${B:-build}" --out "$SUITE_TMP/out-$version" -- "$0" \
			"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/gl-sched)" "$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/gl-storm)" "$version"
	done
	check_wait
	for version in ${1:-6.1 6.12 newest}; do
		report "$SUITE_TMP/out-$version/report"
		cat "$SUITE_TMP/out-$version/figures"
	done
	suite_end hogs
	exit
fi

# --- in the guest -------------------------------------------------------------------------------
SCHED=$1 STORM=$2 VERSION=$3
TOP=$(realpath "$(dirname "$0")/../..")
B=$(realpath "${B:-build}")
GPULANE=$B/gpulane JOBS=$B/tests/replay/gl-jobs CLIENT=$B/tests/replay/gl-client
T=$(mktemp -d /tmp/hogs.XXXXXX)
cd "$T" || exit 1
exec >"$GPULANE_OUT/report"
CHECK_PREFIX=$VERSION-
. "$TOP/tests/lib/suite.sh"
CGROUPS=/sys/fs/cgroup
LOSSES=5 # losses that are drawn of a whole recording

modprobe -a drm gpu-sched
echo +cpu >$CGROUPS/cgroup.subtree_control
for name in game other; do mkdir $CGROUPS/$name && echo '3000 20000' >$CGROUPS/$name/cpu.max; done

# hog KIND CPU [apart] - begins: hog is what ends it. A quota's hog is in the cgroup of the job's process, or (apart) in another one
hog() {
	case $1 in
	rt)
		chrt -f 50 "$CLIENT" --name hog --cpu "$2" --hog 12 --rest 6 &
		hog=(kill $!)
		;;
	storm)
		insmod "$STORM" cpu="$2"
		hog=(rmmod gl_storm)
		;;
	quota)
		"$CLIENT" --name hog --cpu "$2" --hog 100000 &
		hog=(kill $!)
		echo $! >"$CGROUPS/$([ -z "${3-}" ] && echo game || echo other)/cgroup.procs"
		;;
	esac
}
# act_on CPU CPU - who gives jobs to their rings is on the one, the interrupt's thread on the other
act_on() {
	local tid
	for tid in $(grep -l '^ring' /proc/*/comm | cut -d/ -f3); do taskset -pc "$1" "$tid" >/dev/null; done
	for tid in $(grep -l '^irq/77-gl-sched' /proc/*/comm | cut -d/ -f3); do taskset -pc "$2" "$tid" >/dev/null; done
	echo $((1 << $1)) >/sys/devices/virtual/workqueue/cpumask
}
# run NAME LIST OPTION... - records it, in cgroup `game` where the hog is to use up its quota
run() {
	local name=$1 list=$2 group=$CGROUPS/cgroup.procs
	shift 2
	[[ $name != quota* || $name == *-apart ]] || group=$CGROUPS/game/cgroup.procs
	rm -rf "$name.rec"
	"$GPULANE" record --opencl off --counters off --output "$name.rec" "$@" -- sh -c 'echo $$ >"$0" && exec "$1" "$2"' "$group" "$JOBS" "$T/$list" 2>"$name.err" ||
		{ cat "$name.err"; return 1; }
	"$GPULANE" report "$name.rec" >"$name.txt"
}
# Who is named, by hog. A quota that is used up has no name; its sign is that the CPU was idle. The guest's CPUs may take turns on one of the machine's, and a
# thread that is woken then has an idle CPU for some per cent of the time: that is told rightly, and elsewhere only 15 % and more count as named.
declare -A named=([rt]='(because|while) hog\[[0-9]+\] had' [storm]='(because|while) ksoftirqd/[01]\[[0-9]+\] had' [quota]='(while|though) its CPU was idle'
	[quota-apart]='\((1[5-9]|[2-9][0-9]|100) %\)[^.]*(while|though) its CPU was idle')
declare -A runs=() hits=()
# count WHAT FILE KIND - whether it is named in this report
count() {
	local pattern=${named[$3]}
	[[ $1 != *-apart ]] || pattern=${named[$3-apart]-$pattern}
	runs[$1]=$((${runs[$1]-0} + 1))
	grep -Eq "$pattern" "$2" || return 1
	hits[$1]=$((${hits[$1]-0} + 1))
}
options() {
	case $1 in
	follow) echo --follow ;;
	comm) echo --comm gl-jobs ;;
	esac
}
# lossy NAME KIND WHAT - the same recording with one event of a hundred lost
lossy() {
	local seed
	"$GPULANE" dump "$1.rec" >"$1.dump"
	for seed in $(seq $LOSSES); do
		awk -v seed="$seed" -v lost=1 -f "$TOP/tests/guest/lib/frames-damage.awk" "$1.dump" >"$1.lost" && "$GPULANE" report "$1.lost" >"$1.lost.txt"
		count "$3" "$1.lost.txt" "$2" || true
	done
}
# The jobs' process has the program's name: what --comm follows is then followed from its beginning
echo 'gl-jobs ring=0 count=40 us=2000 depth=1 period=20000 cpu=0' >hand-over
echo 'gl-jobs ring=0 count=40 us=2000 depth=1 cpu=1' >waiter
cp hand-over signal
for list in hand-over signal waiter; do sed 's/cpu=0/cpu=1/' $list >$list.apart; done

# starves KIND ACTOR HOW - the hog has the CPU of who acts: it is named
starves() {
	local name=$1-$2-$3 status=0
	case $2 in
	hand-over) act_on 1 0 ;;
	signal) act_on 0 1 ;;
	waiter) act_on 0 0 ;;
	esac
	hog "$1" "$([ "$1" = quota ] && echo 0 || echo 1)"
	# shellcheck disable=SC2046 # words on purpose
	run "$name" "$2" $(options "$3") || status=1
	"${hog[@]}"
	[ $status = 0 ] || return 1
	head -n 8 "$name.txt"
	count "$3" "$name.txt" "$1" || return 1
	[ "$3" != whole ] || lossy "$name" "$1" lost
}
# apart KIND ACTOR HOW - all that acts is on CPU 1, and the hog on CPU 0
apart() {
	local name=$1-$2-$3-apart status=0
	act_on 1 1
	hog "$1" 0 apart
	# shellcheck disable=SC2046 # words on purpose
	run "$name" "$2.apart" $(options "$3") || status=1
	"${hog[@]}"
	[ $status = 0 ] || return 1
	head -n 8 "$name.txt"
	! count "$3-apart" "$name.txt" "$1" || return 1
	[ "$3" != whole ] || lossy "$name" "$1" lost-apart
	[ "${hits[lost-apart]-0}" = 0 ]
}
for actor in hand-over signal waiter; do
	check "load-for-$actor" insmod "$SCHED" driver=amdgpu "irq_thread=$([ $actor = signal ] && echo 1 || echo 0)"
	for kind in rt storm quota; do
		# The kernel's own threads are in no cgroup but the root's
		[ $kind != quota ] || [ $actor = waiter ] || continue
		for how in whole follow comm; do
			# Whether others' jobs were on the rings, whose ends the thread may have signalled, one process' recording does not say
			[ $actor != signal ] || [ $how = whole ] || continue
			check "$kind-$actor-$how" starves $kind $actor $how
			check "$kind-$actor-$how-apart" apart $kind $actor $how
		done
	done
	rmmod gl_sched
done
echo 3 >/sys/devices/virtual/workqueue/cpumask
check log-without-leaks test -z "$(dmesg | grep -iE 'slab|objects remaining|leak')"
for what in whole follow comm lost; do
	echo "$VERSION, $what: named in ${hits[$what]-0} of ${runs[$what]-0} runs; with the hog on another CPU in ${hits[$what-apart]-0} of ${runs[$what-apart]-0}"
done >"$GPULANE_OUT/figures"
suite_end "hogs-$VERSION"
