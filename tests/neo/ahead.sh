# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Who was ahead: programs that compete for one engine of the emulated GPU, whose truth says what ran when. After newest.sh, whose functions it uses.
CHECK_PREFIX=newest-
# was_ahead PROGRAMS RECORDED - so many programs launch 100 kernels of 300 us each; the first ones are recorded. Whatever is told of who was ahead
# is so, and of those that waited for others nine of ten are told to have.
was_ahead() {
	ze_on bmg "$T/slow" || return 1
	rm -rf "$T/home/ahead"
	as timeout 300 "$T/plain/gpulane" record --backend none --api layer --buffer 32M --output "$T/home/ahead" -- \
		sh -c 'all=$1 recorded=$2; shift 2
			while [ "$((i += 1))" -le "$all" ]; do
				[ "$i" -le "$recorded" ] || export ZE_ENABLE_TRACING_LAYER=0 LD_LIBRARY_PATH=
				"$@" &
			done
			wait' - "$1" "$2" "${gpu[@]}" "$T/plain/ze" burst 100 >"$T/out" 2>&1 || { cat "$T/out"; return 1; }
	as "$T/plain/gpulane" report --commands "$T/home/ahead" >"$T/csv" && awk -f tests/neo/ahead.awk "$T/csv" "$gpu_dir/truth" >"$T/found" || return 1
	cat "$T/found"
	grep -qE "^commands $(($2 * 100)) .*faults 0\$" "$T/found" && awk 'END { exit 10 * $12 < 9 * $10 }' "$T/found"
}
check ahead-three-programs was_ahead 3 3
check ahead-one-is-not-recorded was_ahead 3 2
check ahead-alone was_ahead 1 1
CHECK_PREFIX=
