#!/bin/bash
# SPDX-License-Identifier: MIT
# `gpulane diff` on recordings of a guest whose difference is known: jobs of gl-sched of two processes, a ring each. Nothing is
# changed; one process's jobs take 10 % longer; a neighbour submits to its ring; a real-time thread takes the CPU of its submitter.
# MANY recordings of each are made in turn; PAIRS pairs of 4 and 4 are drawn of them: what is changed is told, and where nothing is
# nothing is.
#
#   suite-diff.sh [6.1|6.12|newest]
set -u
MANY=${MANY:-8} PAIRS=${PAIRS:-100}
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	cd "$TOP" || exit 1
	G=$(realpath "${B:-build}/gpulane")
	make -s B="${B:-build}" "${B:-build}/gpulane" replay || exit 1
	version=${1:-6.12}
	check boot "$GUEST" --kernel "$version" --timeout 1500 --mem 3072 --env "B=${B:-build}" --env "MANY=$MANY" --out "$SUITE_TMP/out" -- "$0" \
		"$("$GUEST_D/build-kmod" --kernel "$version" tests/kmod/gl-sched)"
	report "$SUITE_TMP/out/report"
	cat >"$T/kernel.true" <<-'X'
		# true ^requests[|]game[|]ring0[|]median$ up must 1.1
		# true ^(requests[|]game|process[|]game|engine[|][|]ring0|answer[|](ring0|game)) any may -
	X
	printf '# true %s\n' '^requests[|]game[|]ring0[|]median$ up must -' '. any may -' >"$T/neighbour.true"
	printf '# true %s\n' '^process[|]game[|][|]runnable$ any must -' '. any may -' >"$T/starved.true"
	: >"$T/nothing.true"
	# drawn KIND PAIR - four of its recordings
	drawn() {
		awk -v kind="$1" -v seed="$2" -v many="$MANY" 'BEGIN { srand(seed); for (need = 4; i < many; i++) if (rand() * (many - i) < need) { need--; print kind "." i + 1 } }'
	}
	# judged KIND - a line a pair: told or untold, what is false, whether the interval holds the change
	judged() {
		local pair base new
		for ((pair = 1; pair <= PAIRS; pair++)); do
			mapfile -t base < <(drawn base $pair)
			mapfile -t new < <(drawn "$1" $((1000 + pair)))
			(cd "$SUITE_TMP/out" && "$G" diff --format json "${base[@]}" -- "${new[@]}") >"$T/diff.json" || return 1
			jq -r '.rows[] | "\(.kind)|\(.who // "")|\(.what // "")|" as $row | .figures[]
				| [$row + .figure, .verdict, .base, .new, .change_min, .change_max] | @tsv' "$T/diff.json" >"$T/figures"
			awk -f tests/diff/judge.awk "$T/$1.true" "$T/figures"
		done >"$T/$1.table"
	}
	# told KIND LEAST - it is told of that many pairs of a hundred, never the wrong way round; what it does not touch of five at most
	told() {
		local n=0 false=0 turned=0
		judged "$1" || return 1
		n=$(grep -c '^told' "$T/$1.table") false=$(grep -c 'false=' "$T/$1.table") turned=$(grep -c 'turned=' "$T/$1.table")
		printf '%s: of %d pairs told %d, false %d, turned %d; the interval holds the change in %d\n' "$1" "$PAIRS" "$n" "$false" "$turned" \
			"$(grep -c ' inside' "$T/$1.table")" >>"$T/found"
		[ $((100 * n)) -ge $(($2 * PAIRS)) ] && [ $((100 * false)) -le $((5 * PAIRS)) ] && [ "$turned" = 0 ] || { sort "$T/$1.table" | uniq -c | sort -rn; return 1; }
	}
	check nothing told nothing 0
	for kind in kernel neighbour starved; do check $kind told $kind 95; done
	cat "$T/found"
	[ -z "${KEEP-}" ] || cp -r "$SUITE_TMP/out" "$KEEP"
	suite_end diff
	exit
fi

# --- in the guest -------------------------------------------------------------------------------
SCHED=$1
TOP=$(realpath "$(dirname "$0")/../..")
B=$(realpath "${B:-build}")
GPULANE=$B/gpulane JOBS=$B/tests/replay/gl-jobs CLIENT=$B/tests/replay/gl-client
T=$(mktemp -d /tmp/diff.XXXXXX)
cd "$T" || exit 1
exec >"$GPULANE_OUT/report"
. "$TOP/tests/lib/suite.sh"
modprobe -a drm gpu-sched
check load insmod "$SCHED" rings=2 timeout_ms=4000

# recorded KIND NUMBER - a recording in $GPULANE_OUT/KIND.NUMBER
recorded() {
	local us=4000 hog=
	[ "$1" != kernel ] || us=4400
	printf '%s\n' "game ring=0 count=100 us=$us depth=2 cpu=0" 'tool ring=1 count=100 us=3000 period=5000 depth=2 cpu=1' >list
	[ "$1" != neighbour ] || echo 'guest ring=0 count=100 us=2000 period=6000 depth=2 cpu=1' >>list
	if [ "$1" = starved ]; then
		chrt -f 50 "$CLIENT" --name hog --cpu 0 --hog 12 --rest 12 &
		hog=$!
	fi
	"$GPULANE" record --opencl off --counters off --output "$GPULANE_OUT/$1.$2" -- "$JOBS" "$T/list" 2>err || { cat err; return 1; }
	[ -z "$hog" ] || kill "$hog"
}
all_recorded() {
	local i kind
	for ((i = 1; i <= MANY; i++)); do
		for kind in base nothing kernel neighbour starved; do
			recorded $kind $i || return 1
		done
	done
}
check recorded all_recorded
suite_end guest
