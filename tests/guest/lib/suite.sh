# shellcheck shell=bash
# shellcheck disable=SC2034 # the suites use what is set here
# What the guest suites share, besides what all suites do.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
GUEST=$TOP/scripts/guest
GUEST_D=$TOP/scripts/guest.d
SUITE_TMP=$(mktemp -d "${TMPDIR:-/tmp}/gpulane-suite.XXXXXX")
trap 'rm -rf "$SUITE_TMP"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
T=$SUITE_TMP
. "$TOP/tests/lib/suite.sh"
suite_later=0
# The kernels on which LTTng with our probes is run unasked, by check-all alone; the suites take others by their names.
LTTNG_KERNELS=(6.1 6.12)

# replay_suite NAME [MODULE...] - the whole suite: boots Linux 6.1 with gpulane and the programs of the replay driver, runs the suite's
# second half in there with the modules of tests/kmod that are named (default: replay) as its arguments, and ends.
replay_suite() {
	local name=$1 module modules=()
	shift
	[ $# -gt 0 ] || set -- replay
	cd "$TOP" || exit 1
	check build make -s "${B:-build}/gpulane" replay
	for module in "$@"; do
		modules+=("$("$GUEST_D/build-kmod" --kernel 6.1 "tests/kmod/$module")")
	done
	check boot "$GUEST" --kernel 6.1 --timeout 500 --env "B=${B:-build}" --out "$SUITE_TMP/out" -- "$0" "${modules[@]}"
	report "$SUITE_TMP/out/report"
	[ ! -e "$SUITE_TMP/out/told" ] || cat "$SUITE_TMP/out/told"
	suite_end "$name"
	exit
}

# sched_suite NAME [KERNEL] - the whole suite: boots that kernel, or each, with gpulane and the programs of the replay driver, runs the suite's
# second half in there with gl-sched and the kernel as its arguments, and ends.
sched_suite() {
	local kernel kernels=(6.1 6.12 newest)
	[ -z "${2-}" ] || kernels=("$2")
	cd "$TOP" || exit 1
	make -s B="${B:-build}" replay || exit 1
	for kernel in "${kernels[@]}"; do
		check_later "$kernel" "$GUEST" --kernel "$kernel" --timeout 900 --env "B=${B:-build}" --out "$SUITE_TMP/out-$kernel" -- "$0" \
			"$("$GUEST_D/build-kmod" --kernel "$kernel" tests/kmod/gl-sched)" "$kernel"
	done
	check_wait
	for kernel in "${kernels[@]}"; do
		report "$SUITE_TMP/out-$kernel/report"
	done
	suite_end "$1"
	exit
}

# check_later NAME COMMAND [ARG...] - the same, two at a time in the background; check_wait shows them in
# their order. For tests that boot a guest each.
check_later() {
	local file
	while [ "$(jobs -rp | wc -l)" -ge "${GPULANE_GUEST_JOBS:-2}" ]; do
		wait -n
	done
	suite_later=$((suite_later + 1))
	file=$SUITE_TMP/later.$(printf '%04d' $suite_later)
	check "$@" >"$file" &
}

check_wait() {
	local file
	wait
	for file in "$SUITE_TMP"/later.*; do
		report "$file"
		rm -f "$file"
	done
}

# report FILE - tests that ran elsewhere, in a guest: its lines `ok NAME` and `FAIL NAME` (with lines of
# detail after it) count here; a file that is missing or has no such line is one failed test.
report() {
	local line any=0
	while IFS= read -r line; do
		case $line in
		'ok '*) passed=$((passed + 1)) any=1 ;;
		'FAIL '*) failed=$((failed + 1)) any=1 ;;
		esac
		printf '%s\n' "$line"
	done < <(cat -- "$1" 2>/dev/null)
	if [ $any = 0 ]; then
		failed=$((failed + 1))
		printf 'FAIL %s: nothing was reported\n' "$(basename "$1")"
	fi
}
