# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Names that mean harm, through every output; what comes out is read by parsers that are not gpulane's.

# As the text format has them: escapes of a terminal, C1 as UTF-8 has it, an override of direction, formulas of a
# spreadsheet, no UTF-8 at all, half a character, tags of HTML, marks of no width.
# shellcheck disable=SC2028 # the escapes are the text format's
hostile_names() {
	cat <<-'END'
		\x1b]0;p\x07\x1b[31m
		\xc2\x9b31m\xe2\x80\xaelive
		=cmd|'/C x'!A0
		@SUM(1,2)
		-1+\"a\",b
		+\xff\xfe\xc0\xaf\xf4\x90\x80\x80
		</script><!--\\
		\xe2\x81\xa6\xef\xbb\xbf\xed\xa0\x80\xcc\x81
		a,\x0d\x0ab\x7f\xe3\x81
	END
}

# hostile FROM TO - each name of a trace becomes one of these, the same one everywhere; so do the facts
hostile() {
	hostile_names >"$T/names"
	awk -v names="$T/names" '
		BEGIN { while ((getline line < names) > 0) name[n++] = line }
		{
			out = ""
			while (match($0, / (name|comm|prev_comm|next_comm|parent_comm|child_comm|filename|driver|timeline)=[^ ]+/)) {
				word = substr($0, RSTART, RLENGTH)
				at = index(word, "=")
				value = substr(word, at + 1)
				if (!(value in known)) known[value] = name[used++ % n]
				out = out substr($0, 1, RSTART - 1) substr(word, 1, at) "\"" known[value] "\""
				$0 = substr($0, RSTART + RLENGTH)
			}
			print out $0
		}' "$1" >"$2"
	sed -i '/^info \(host\|release\)/d' "$2"
	sed -i "1a info host h\xc2\x9b31m\xff\xe2\x80\xae\"\\\\ost\ninfo release =6.1\xed\xa0\x80</script>" "$2"
}

# is_clean FILE... - UTF-8 without anything that does more than be read; lines and tabs are
is_clean() {
	local file bad=0
	for file; do
		iconv -f UTF-8 -t UTF-32LE "$file" >/dev/null 2>"$T/iconv" || { echo "$file: no UTF-8"; bad=1; }
		if LC_ALL=C grep -naP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf' \
			"$file" >"$T/dirt"; then
			echo "$file: not clean:"
			head -n 5 "$T/dirt" | cat -v | cut -c1-200
			bad=1
		fi
	done
	return $bad
}

# runs COMMAND... - exit code 0; its output is in $T/out, and clean, as is what it says
runs() {
	"$@" >"$T/out" 2>"$T/err" || { cat -v "$T/err"; return 1; }
	is_clean "$T/out" "$T/err"
}

# No cell is what a spreadsheet would take for a formula, but for numbers; every line has as many cells as the first.
is_table() {
	awk '
		{
			line = $0; cells = 0
			while (line != "" || cells == 0) {
				cells++
				if (match(line, /^"([^"]|"")*"/)) cell = substr(line, 2, RLENGTH - 2)
				else { match(line, /^[^,"]*/); cell = substr(line, 1, RLENGTH) }
				if (cell ~ /^[=+@-]/ && cell !~ /^-[0-9.]+$/) { print NR ": formula: " cell; bad = 1 }
				line = substr(line, RLENGTH + 1)
				if (line == "") break
				if (substr(line, 1, 1) != ",") { print NR ": " $0; bad = 1; break }
				line = substr(line, 2)
				if (line == "") { cells++; break }
			}
			if (NR == 1) columns = cells
			else if (cells != columns) { print NR ": " cells " cells, not " columns ": " $0; bad = 1 }
		}
		END { exit bad }' "$1"
}

tables() {
	runs "$G" report --format csv "$1" && is_table "$T/out" && runs "$G" report --commands "$1" && is_table "$T/out" &&
		runs "$G" report --requests "$1" && is_table "$T/out"
}

objects() {
	runs "$G" report --format json "$1" && jq -e .version "$T/out" >"$T/jq" || return 1
	for list in --commands --requests --critical; do
		runs "$G" report $list --format json "$1" && jq -c . "$T/out" >"$T/jq" || return 1
	done
}

texts() {
	runs "$G" report "$1" && runs "$G" report --critical "$1" && runs "$G" dump "$1" && runs "$G" top --batch "$1"
}

# The page's facts are JSON in one element, which nothing in it ends.
page() {
	runs "$G" export --to html --output - "$1" || return 1
	sed -n 's/.*<script[^>]*id="facts"[^>]*>//p' "$T/out" | sed 's|</script>.*||' | head -n 1 >"$T/facts"
	jq -e . "$T/facts" >"$T/jq" || { head -c 300 "$T/facts"; return 1; }
	same 'elements that begin' "$(grep -o '<script' "$T/out" | wc -l)" "$(grep -o '</script>' "$T/out" | wc -l)" &&
		! grep -qF '</script><!--' "$T/out"
}

# protoc shows every byte that is not ASCII as an escape: there is none.
perfetto() {
	"$G" export --force --to perfetto --output "$T/p" "$1" 2>"$T/err" >"$T/said" && is_clean "$T/err" || return 1
	protoc --decode=perfetto.protos.Trace -Itests/perfetto trace.proto <"$T/p" >"$T/text" || return 1
	! grep -nE '\\([0-7]{3}|[nrtabfv])' "$T/text"
}

ctf() {
	rm -rf "$T/c"
	"$G" export --to ctf --output "$T/c" "$1" 2>"$T/err" && is_clean "$T/err" && jq -e .version "$T/c/recording.json" >"$T/jq" &&
		is_clean "$T/c/recording.json" && runs babeltrace2 "$T/c/trace" &&
		is_clean "$T/c/trace/metadata" && runs babeltrace2 --component source.ctf.fs --params "inputs=[\"$T/c/trace\"]" \
		--component sink.text.details
}

imported() {
	local dir=$T/$'im\e[31m\xff\xe2\x80\xaeport'
	rm -rf "$dir"
	cp "$1" "$dir.txt" && "$G" import "$dir.txt" --output "$dir" && is_clean "$dir/recording.json" &&
		jq -e .version "$dir/recording.json" >"$T/jq" && objects "$dir" && texts "$dir"
}

# Errors and what is said meanwhile.
# says CODE COMMAND... - one clean line
says() {
	local code=$1 status=0
	shift
	"$@" >"$T/out" 2>"$T/err" || status=$?
	same 'exit code' "$code" $status && same lines 1 "$(wc -l <"$T/err")" && is_clean "$T/err"
}
bad=$'b\e[31m\xc2\x9b\xff\xe2\x80\xae\nad'
messages() {
	says 1 "$G" report "$T/$bad" && says 1 "$G" dump "$T/$bad" && says 2 "$G" report --format "$bad" x &&
		says 2 "$G" record --events "$bad" && says 2 "$G" "$bad" && says 2 "$G" report "--$bad" &&
		says 1 "$G" export --to html "$T/$bad" && says 1 "$G" model pipeline --chain fadd --device "$bad" &&
		says 1 "$G" export --to html --output "$T/$bad/x" "$T/opencl.txt"
}

for of in opencl processes; do
	case $of in
	opencl) hostile tests/golden/report/opencl.txt "$T/$of.txt" ;;
	processes)
		trace cpu-preemption >"$T/plain.txt" || exit 1
		hostile "$T/plain.txt" "$T/$of.txt"
		;;
	esac
	check "$of-text" texts "$T/$of.txt"
	check "$of-tables" tables "$T/$of.txt"
	check "$of-objects" objects "$T/$of.txt"
	check "$of-page" page "$T/$of.txt"
	check "$of-perfetto" perfetto "$T/$of.txt"
	check "$of-ctf" ctf "$T/$of.txt"
	check "$of-import" imported "$T/$of.txt"
done
check messages messages
