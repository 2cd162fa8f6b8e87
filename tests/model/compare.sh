# shellcheck shell=bash
# What the suites model and papers share: `judge` of a table that `model` prints, and the comparison with programs that share nothing with
# userspace/. Read by both; $work is theirs, `model` the program's.
: "${work:?}"
. tests/lib/device.sh
# Runs awk over the CSV of a verb, columns by name in c[]; the program prints what is wrong.
judge() { # PROGRAM ARGUMENT...
	local program=$1
	shift
	model "$@" --format csv >"$work/csv" || return 1
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { rows++ }
		function off(a, b) { return a > b ? a / b - 1 : b / a - 1 }
		'"$program"' END { if (!rows) print "no rows" }' "$work/csv" >"$work/wrong" || return 1
	[ ! -s "$work/wrong" ] || { cat "$work/wrong" "$work/csv"; return 1; }
}

laws=$work/laws
mkdir -p "$laws"
# These programs start hundreds of times: of `make check` the sanitizers' start would be most.
sanitizers=()
! in_all 'the programs of the laws with sanitizers' ||
	sanitizers=(-g -fsanitize=address,undefined -fno-sanitize-recover=all -static-libasan -static-libubsan)
build_laws() { # FILE...
	local file
	for file; do
		"${CC:-gcc}" -O2 "${sanitizers[@]}" -Wall -Wextra -Werror -Itests/model/laws -o "$laws/$(basename "$file" .c)" "$file" -lm || return 1
	done
}

# compare TOLERANCE OURS MODEL: two files of numbers, line by line; '-' and null are not compared. Says how many were.
compare() {
	awk -v part="$1" '
		NR == FNR { ours[FNR] = $0; next }
		{ n = split(ours[FNR], a); if (n != NF) { print "line " FNR ": " n " numbers, not " NF; bad++ }
		  for (i = 1; i <= NF; i++) {
			if (a[i] == "-" || $i == "-" || $i == "null") continue
			off = a[i] - $i; if (off < 0) off = -off
			n_compared++
			if (off > part * ($i < 0 ? -$i : $i) + 0.0051) { print "line " FNR ": " ours[FNR] " against " $0; bad++; break }
		  } }
		END { print n_compared + 0 " numbers compared, " bad + 0 " lines differ"; exit bad || !n_compared || FNR != length(ours) }' "$2" "$3" >"$laws/said"
	local status=$?
	tail -n 20 "$laws/said"
	return $status
}
columns() { # NAME...: of a CSV on stdin, a line a row
	awk -F, -v names="$*" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; n = split(names, want, " "); next }
		{ for (i = 1; i <= n; i++) printf "%s%s", $c[want[i]], i < n ? " " : "\n" }'
}
