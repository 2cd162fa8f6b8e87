# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Device files as tests write them, sourced.

# device_of - on stdin a device in short: NAME TEXT a line, then [kind] or [kind name] and below it KEY NUMBER [+- UNCERTAINTY], `pipe NAME',
# `at WARPS ISSUE COMPLETION'; on stdout the file, JSON
device_of() {
	awk '
		{ sub(/[ \t]*#.*/, "") }
		!NF { next }
		/^\[/ {
			gsub(/[][]/, "")
			kind = $1; at = kind SUBSEP $2
			if (!(kind in seen)) { kinds[++n] = kind; seen[kind] }
			if (!(at in body)) { names[kind, ++m[kind]] = $2; body[at] = "" }
			next
		}
		kind == "" { key = $1; sub(/^[^ \t]+[ \t]+/, ""); head = head ", \"" key "\": \"" $0 "\""; next }
		$1 == "at" { points[at] = points[at] (points[at] ? ", " : "") "[" $2 ", " $3 ", " $4 "]"; next }
		{ body[at] = body[at] (body[at] ? ", " : "") "\"" $1 "\": " ($1 == "pipe" ? "\"" $2 "\"" : NF > 2 ? "{\"value\": " $2 ", \"uncertainty\": " $4 "}" : $2) }
		function section(at) { return "{" body[at] (points[at] ? (body[at] ? ", " : "") "\"at\": [" points[at] "]" : "") "}" }
		END {
			printf "{\"gpulane_device\": 2%s", head
			for (i = 1; i <= n; i++) {
				kind = kinds[i]
				printf ",\n\"%s\": ", kind
				if (names[kind, 1] == "") { printf "%s", section(kind SUBSEP ""); continue }
				for (j = 1; j <= m[kind]; j++) printf "%s\"%s\": %s", j == 1 ? "{" : ", ", names[kind, j], section(kind SUBSEP names[kind, j])
				printf "}"
			}
			print "}"
		}'
}

# device_in FILE - a file in short becomes the file
device_in() { device_of <"$1" >"$1.json" && mv "$1.json" "$1"; }

# device_numbers FILE - SECTION, KEY and NUMBER of each value, with tabs between; a section is `kind' or `kind name'
device_numbers() {
	jq -r '. as $d | paths(type == "number") | select(all(.[]; type == "string") and .[-1] != "uncertainty" and length > 1) | . as $p |
		(if .[-1] == "value" then .[:-1] else . end) | "\(.[:-1] | join(" "))\t\(.[-1])\t\($d | getpath($p))"' "$1"
}
