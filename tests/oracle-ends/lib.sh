# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What tests/oracle-ends/run and tests/oracle-ends/compare share, sourced; B is the build directory.
ENDS_MODES='amdgpu-6.1 amdgpu-6.12 amdgpu-6.17 v3d xe guc ring'

oracle() {
	"$B/tests/oracle-ends/gpulane-oracle-ends" "$@"
}

# judged MODE SEED [OPTION...] - `right WHAT N` and `wrong WHAT: ...` lines
judged() {
	local at="${KEEP:-$T}/$1-$2"
	oracle --mode "$1" --seed "$2" --events "$at.txt" --truth "$at.truth" "${@:3}" &&
		"$B/gpulane" report --requests --format json "$at.txt" >"$at.told" 2>"$at.err" &&
		"$B/gpulane" report -n 0 --format json "$at.txt" >"$at.report" 2>>"$at.err" &&
		judge "$at" || echo "wrong failed: $(head -n 1 "$at.err")"
	[ -n "${KEEP-}" ] || rm -f "$at".*
}

judge() {
	jq -nr --slurpfile truth "$1.truth" --slurpfile told "$1.told" --argjson report "$(cat "$1.report")" -f tests/oracle-ends/judge.jq
}

# execlists MODE SEED [OPTION...] - `right ENDED 1` and `wrong: ...` lines: the oracle of i915, whose requests hang (docs/oracle.md), with the errors of their fences
execlists() {
	"$B/tests/oracle/gpulane-oracle" --mode "$1" --hangs --seed "$2" --events "$T/plain" --truth "$T/truth" "${@:3}" 2>"$T/err" || return 1
	sed -nE 's/.* ctx=([0-9]+) seqno=([0-9]+) .* error=(-?[0-9]+) .*/\1 \2 \3/p' "$T/truth" >"$T/errors"
	awk 'FNR == NR { if ($3) error[$1, $2] = $3; next }
		$5 == "dma_fence_signaled" {
			split($6, context, "="); split($7, seqno, "=")
			if ((context[2], seqno[2]) in error)
				print $1, $2, $3, $4, "gpulane_fence_error", $6, $7, "error=" error[context[2], seqno[2]]
		}
		FNR == 2 { print "recorded gpulane_fence_error" }
		{ print }' "$T/errors" "$T/plain" >"$T/events"
	"$B/gpulane" report --requests --format json "$T/events" 2>"$T/err" | jq -r '"\(.context) \(.seqno) \(.ended) \(.is_open)"' >"$T/told"
	awk 'BEGIN { name[0] = "complete"; name[-5] = "lost"; name[-11] = "replayed" }
		FILENAME == ARGV[1] { error[$1, $2] = name[$3]; next }
		FILENAME == ARGV[2] { if ($5 == "gpulane_fence_error") { sub(/.*=/, "", $6); sub(/.*=/, "", $7); is_told[$6, $7] } next }
		$4 == 1 && $3 == "null" { print "right open 1"; next }
		$3 == (($1, $2) in is_told ? error[$1, $2] : "complete") { print "right " $3 " 1"; next }
		# that oracle does not say whose error it is
		$3 == "inherited" && ($1, $2) in is_told && error[$1, $2] == "lost" { print "right inherited 1"; next }
		{ print "wrong: " $1 ":" $2 " told " $3 ", right " error[$1, $2] }' "$T/errors" "$T/events" "$T/told"
}
