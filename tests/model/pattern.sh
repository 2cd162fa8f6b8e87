# shellcheck shell=bash
# Access patterns of programs that run in Oclgrind; read by tests/model/run, whose functions it uses.
: "${work:?}" "${san:?}"
votes=$work/votes
cl=$PWD/tests/model/votes.cl
check 'pattern: the program is built' "${CC:-gcc}" -O1 -Wall -Wextra -Werror -o "$votes" tests/model/votes.c -lOpenCL

# What is there already stays until the new one is complete; a link and a FIFO are not written through.
kept() { # FILE BUILD_OPTIONS
	model pattern --out "$1" -- "$votes" "$cl" parity 1 32 "$2"
}
small_parity='-DLENGTH=1 -DTILES=1 -DCOPIES=1 -DPITCH=32'
not_written_through() {
	printf precious >"$work/victim" && ln -sfn victim "$work/link" && mkfifo "$work/fifo" || return 1
	for name in link fifo; do
		timeout 600 "$bin" model pattern --out "$work/$name" -- "$votes" "$cl" parity 1 32 "$small_parity" >"$work/said" 2>&1 && return 1
		grep -q 'is there already' "$work/said" || { cat "$work/said"; return 1; }
	done
	[ "$(cat "$work/victim")" = precious ] && [ -L "$work/link" ] && [ -p "$work/fifo" ]
}
is_replaced_when_complete() {
	printf precious >"$work/kept" && ! kept "$work/kept" -DNONSENSE= >"$work/said" 2>&1 && [ "$(cat "$work/kept")" = precious ] &&
		kept "$work/kept" "$small_parity" >"$work/said" && grep -q '^gpulane-pattern 1' "$work/kept" &&
		[ -z "$(find "$work" -name 'kept.part*')" ]
}
check 'pattern: a link and a FIFO are not written' not_written_through
check 'pattern: a file is replaced when the new one is complete' is_replaced_when_complete

line_of() { grep -nF "$1" "$cl" | head -n 1 | cut -d: -f1; }

# Runs a kernel in Oclgrind; what it touches goes to $work/NAME.
touches() { # NAME KERNEL GROUPS LANES BUILD_OPTIONS
	model pattern --format csv --out "$work/$1" -- "$votes" "$cl" "$2" "$3" "$4" "$5" >"$work/$1.csv"
}
defaults='-DLENGTH=100 -DTILES=4'
check 'pattern: histogram' touches plain histogram 4 64 "$defaults -DCOPIES=32 -DPITCH=32"
check 'pattern: histogram, padded' touches padded histogram 4 64 "$defaults -DCOPIES=32 -DPITCH=33"
check 'pattern: parity' touches parity parity 2 64 "$defaults -DCOPIES=1 -DPITCH=32"
check 'pattern: chain' touches chain chain 1 32 "$defaults -DCOPIES=1 -DPITCH=32"
check 'pattern: mmul' touches mmul mmul 1 64 "$defaults -DCOPIES=1 -DPITCH=32"

# What has no place in the file is counted by accesses, as what is there.
left_out_are_accesses() {
	GPULANE_PATTERN_MOST=3 model pattern --out "$work/few" -- "$votes" "$cl" parity 2 64 "$defaults -DCOPIES=1 -DPITCH=32" >"$work/said" &&
		same accesses "$(awk '$1 == "w" { n += $3 } END { print n }' "$work/parity")" \
			"$(awk '$1 == "w" { n += $3; lines++ } $1 == "left_out" { n += $2; some = 1 } END { if (some && lines == 3) print n }' "$work/few")"
}
check 'pattern: accesses that are left out are counted' left_out_are_accesses

# The accesses of a kind at a line, as `COUNT ADDRESS...`, sorted.
accesses() { # NAME LINE ACCESS MEMORY
	awk -v line="$2" -v access="$3" -v memory="$4" \
		'$1 == "site" && $3 == line && $5 == access && $7 == memory { site[$2] = 1 }
		$1 == "w" && site[$2] { sub(/^w [0-9]+ /, ""); print }' "$work/$1" | sort
}

# The same addresses, from the kernel's source by hand: element i votes for bin i / 8 mod 32, in copy
# lane mod 32; the bins' own address 0 is that of bin 0 in copy 0.
same_histogram() { # NAME PITCH
	awk -v pitch="$2" 'BEGIN { for (warp = 0; warp < 8; warp++) {
			text = ""
			for (lane = 0; lane < 32; lane++) {
				i = warp * 32 + lane
				text = text " " 4 * (i % 64 % 32 * pitch + int(i / 8) % 32)
			}
			count[text]++
		}
		for (text in count) print count[text] text }' | sort >"$work/expected"
	accesses "$1" "$(line_of 'atomic_add(&bins')" atomic local | diff "$work/expected" -
}
check 'pattern: addresses are those of the source' same_histogram plain 32
check 'pattern: and with padding' same_histogram padded 33
same_parity() {
	awk 'BEGIN { for (k = 0; k < 4; k++) {
			text = ""
			for (lane = 0; lane < 32; lane++)
				text = text " " ((lane + k) % 2 ? 4 * (k * 32 + lane) : "-")
			print 4 text # two warps in each of two groups
		} }' | sort >"$work/expected"
	accesses parity "$(line_of 'atomic_inc(&seen')" atomic local | diff "$work/expected" -
}
check 'pattern: lanes of one iteration go together' same_parity

# A column of a line's row, of atomics on local memory.
column() { # NAME LINE COLUMN
	awk -F, -v line="$2" -v column="$3" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["line"] == line && $c["memory"] == "local" { print $c[column] }' "$work/$1.csv"
}
votes_line=$(line_of 'atomic_add(&bins')
# 32 lanes in copies of their own: four bins of eight lanes are eight words in a bank; padded, lane l
# with bin b lies in bank l + b.
fewer() {
	[ "$(column plain "$votes_line" bank)" = 8 ] && [ "$(column plain "$votes_line" position)" = 1 ] &&
		awk -v p="$(column padded "$votes_line" bank)" 'BEGIN { exit !(p && p < 4) }' ||
		{ cat "$work/plain.csv" "$work/padded.csv"; return 1; }
}
check 'pattern: padding has fewer bank conflicts, on the right line' fewer
cheaper() { awk -v a="$(column plain "$votes_line" cycles)" -v b="$(column padded "$votes_line" cycles)" 'BEGIN { exit !(a > 2 * b && b >= 118) }'; }
check 'pattern: and costs less' cheaper
# What the file says padding of the plain one would do is what the padded program does.
predicted() { [ "$(column plain "$votes_line" with_padding)" = "$(column padded "$votes_line" cycles)" ]; }
check 'pattern: what padding would do is what it does' predicted
one_line_each() { [ "$(awk 'NR > 1' "$work/plain.csv" | cut -d, -f2 | sort -u | wc -l)" = 2 ]; }
check 'pattern: a row for each line with atomics' one_line_each

# Graphs of what was executed.
graph() { model pattern --graph "$1" "$work/$1" >"$work/$1.graph"; }
counts() { # KERNEL PIPE COUNT
	model pipeline "$work/$1.graph" --format csv | awk -F, -v pipe="$2" -v want="$3" \
		'$1 == pipe { n = $2 } END { if (n != want) { print pipe ": " n ", not " want; exit 1 } }'
}
check 'graph: chain' graph chain
fmadds() { [ "$(grep -c '= fmadd' "$work/chain.graph")" -ge 1 ] && grep -qx 'repeat 9[89]' "$work/chain.graph"; }
check 'graph: a loop is folded' fmadds
# Each of 100 rounds at least waits for the multiply-add before it: 18 cycles on the C2050.
slow_enough() { model pipeline "$work/chain.graph" --format json | awk -F'[:,]' '/"cycles"/ { exit !($2 >= 1800 && $2 < 3500) }'; }
check 'graph: the chain takes as long as its multiply-adds' slow_enough
check 'graph: mmul' graph mmul
# As in mmul08.graph: per tile 2 loads, 2 stores to local memory and 16 loads from it; a store in the end.
check 'graph: mmul has the loads of the one made by hand' counts mmul global $((2 * (2 * 4 + 1)))
check 'graph: mmul has its local accesses, too' counts mmul local $((2 * 18 * 4))
check 'graph: on the other device' model pipeline "$work/mmul.graph" --device pascal-gtx1060

# Files that are wrong.
printf 'gpulane-pattern 1\nlaunch k 1 32 1 1 32 1 1\nsite 1 1 1 atomic add local 4 0 64\nw 1 1 64\n' >"$work/bad.pattern"
printf 'gpulane-pattern 1\nw 1 1 0\n' >"$work/early.pattern"
check 'wrong: an address behind its array' refuses 1 pattern "$work/bad.pattern"
check 'wrong: an access before a launch' refuses 1 pattern "$work/early.pattern"
check 'wrong: noise as a pattern' refuses 1 pattern "$work/noise"
check 'wrong: no such kernel' refuses 1 pattern --kernel nothing "$work/plain"
check 'wrong: a program that fails in Oclgrind' refuses 1 pattern --out "$work/failed" -- false
no_oclgrind() { PATH=$work/empty "$bin" model pattern -- "$votes" 2>&1 | grep -q '^gpulane: oclgrind: cannot be run'; }
check 'wrong: no Oclgrind' no_oclgrind
for bad in 'let' 'x = let y z' 'x = post let y' 'like a' 'like a b c'; do
	printf 'gpulane-graph 1\n%s\na\n' "$bad" >"$work/alias.graph"
	check "wrong: a graph with \`$bad'" refuses 1 pipeline "$work/alias.graph"
done
printf 'gpulane-graph 1\nx = let\n' >"$work/alias.graph"
check 'wrong: a graph of aliases alone' refuses 1 pipeline "$work/alias.graph"
check 'usage: no pattern' refuses 2 pattern
check 'sanitized: pattern' "$san" model pattern --all "$work/plain"
check 'sanitized: graph' "$san" model pattern --graph mmul "$work/mmul"

# --- in the report: a recording whose kernel has this pattern
sed 's/name=hist$/name=histogram/' tests/golden/report/opencl.txt >"$work/recording.txt"
check 'report: a pattern of as many groups' touches full histogram 64 64 "$defaults -DCOPIES=32 -DPITCH=32"
times() { # the conflicts are those of banks, and no part saves more than all
	model pattern --times "$work/full" --format csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ for (key in c) if (key ~ /_cycles$/ && $c[key] > $c["cycles"]) bad++
		  if ($c["bank_cycles"] <= 0 || $c["bank_cycles"] >= $c["atomics_cycles"] || $c["position_cycles"] != 0 || $c["lock_cycles"] != 0) bad++
		  n++ } END { exit bad || n != 1 }'
}
check 'pattern: what a launch would save without its conflicts' times
# 200 multiply-adds of 18 cycles beside 10 loads of 521: 3600 of more than 5210 cycles, which a launch without them would take, too.
check 'pattern: two loops' touches hidden hidden 1 32 "$defaults -DCOPIES=1 -DPITCH=32"
two_loops() {
	model pattern --lines "$work/hidden" --format json | jq -e --argjson a "$(line_of 'x = mad(x, 0.5f, 1.0f); // hidden')" --argjson b "$(line_of 'at = in[at % 32]')" '
		[.rows[] | { key: "\(.line)", value: .saves_cycles }] | from_entries | .["\($a)"] <= 2 and .["\($b)"] > 1500 and .["\($b)"] < 2000'
}
check 'lines: a loop that another hides saves nothing' two_loops
reported() {
	"$bin" report --format json --pattern "$work/full" "$work/recording.txt" >"$work/report.json" || return 1
	want=$(model pattern --times "$work/full" --format json | jq '.rows[0].time_ms * 1e6 | round')
	jq -e --argjson want "$want" '.opencl.kernels_modelled | length == 1 and (.[0] |
		.kernel == "histogram" and .runs == 1 and .running_mean_ns == 200000 and
		(.modelled.total_ns - $want | fabs) <= 1 and
		([.modelled[]] | max) == .modelled.total_ns and .modelled.bank_ns > 0 and
		((.error - (.modelled.total_ns / 200000 - 1)) | fabs) < 0.001 and
		([.stage_means[]] | add) == 210000)' "$work/report.json" >/dev/null || { cat "$work/report.json"; return 1; }
}
check 'report: from call to answer, running divided' reported
# Nothing is known of memory on intel-gen12: a bound from below that says so, without parts, lines and error; on the page, too.
bounded() {
	local least
	least=$(model pattern --times --device intel-gen12 "$work/full" --format json | jq '.rows[0].least_ms * 1e6')
	"$bin" report --format json --pattern "$work/full" --device intel-gen12 --html "$work/least.html" "$work/recording.txt" | jq -e --argjson least "$least" '.opencl.kernels_modelled[0] |
		(.modelled | keys == ["least_ns"] and (.least_ns - $least | fabs) <= 2) and .error == null and .lines == [] and (.missing | test("\\[op memory\\]"))' &&
		"$bin" report --pattern "$work/full" --device intel-gen12 "$work/recording.txt" | grep -E 'modelled on intel-gen12: at least [0-9].*; the device does not know .*\[op memory\]'
}
check 'report: a device that does not know memory' bounded
in_text() { "$bin" report --pattern "$work/full" "$work/recording.txt" | grep -q 'modelled on fermi: .* error -'; }
check 'report: as text, with the error' in_text
in_csv() { "$bin" report --format csv --pattern "$work/full" "$work/recording.txt" | grep -q '^opencl.kernels_modelled,1,modelled.bank_ns,[1-9]'; }
check 'report: as CSV' in_csv
no_change() { "$bin" report "$work/recording.txt" | grep -c 'modelled' | grep -qx 0; }
check 'report: without a pattern, nothing of it' no_change
check 'sanitized: report with a pattern' "$san" report --pattern "$work/full" "$work/recording.txt"
not_report() { "$san" report "$@" >"$work/stdout" 2>&1; [ $? -eq 2 ] && [ "$(wc -l <"$work/stdout")" -eq 1 ]; }
check 'usage: --device without --pattern' not_report --device fermi "$work/recording.txt"

# --- the workloads: an image whose pixels are known, and programs that check their own results
check 'workloads: built' make -s build/workloads/histogram build/workloads/hough build/workloads/kmeans
awk 'BEGIN { for (i = 0; i < 2048; i++) print 1 + (i * 37 + int(i / 5) * 11) % 255 }' >"$work/pixels"
{ printf 'P5\n256 8\n255\n'; printf '%b' "$(awk '{ printf "\\0%o", $1 }' "$work/pixels")"; } >"$work/known.pgm"
workload() { # NAME PROGRAM ARGUMENT...
	local name=$1 program=$2
	shift 2
	model pattern --format csv --out "$work/$name" -- "build/workloads/$program" "$@" >"$work/$name.csv"
}
check 'workloads: histogram' workload copies histogram --image "$work/known.pgm" --frames 1 --replication 4
check 'workloads: histogram, padded' workload copies-padded histogram --image "$work/known.pgm" --frames 1 --replication 4 --padding
# Pixel i of the grid goes to lane i; lane l of 64 has copy l mod 4, of 256 bins and perhaps a word.
same_workload() { # NAME WORDS_OF_A_COPY
	local line
	line=$(awk -F, '$4 == "atomic" && $6 == "local" { print $2 }' "$work/$1.csv")
	awk -v words="$2" '{ pixel[NR - 1] = $1 } END { for (warp = 0; warp < 64; warp++) {
			text = ""
			for (lane = 0; lane < 32; lane++)
				text = text " " 4 * (lane % 4 * words + pixel[warp * 32 + lane])
			count[text]++
		}
		for (text in count) print count[text] text }' "$work/pixels" | sort >"$work/expected"
	accesses "$1" "$line" atomic local | diff "$work/expected" -
}
check 'workloads: addresses are those of the image' same_workload copies 256
check 'workloads: and with padding' same_workload copies-padded 257
votes_of() { awk -F, -v memory="$2" '$4 == "atomic" && $6 == memory { n += $7 * $8 } END { print n }' "$work/$1.csv"; }
every_pixel() { [ "$(votes_of copies local)" = 2048 ]; }
check 'workloads: a vote for each pixel' every_pixel
check 'workloads: hough' workload hough hough --frames 1
check 'workloads: kmeans' workload kmeans kmeans --points 512
three_lines() { [ "$(awk -F, '$4 == "atomic" && $6 == "local"' "$work/kmeans.csv" | wc -l)" = 3 ]; }
check 'workloads: three atomics of kmeans, a line each' three_lines

# Every part of every pattern is 0 or more, on a device with locks, on one with a unit, and on one whose measured curve falls
# where conflicts grow, as noise makes it.
jq 'del(.scratchpad) | .atomic_unit = { bytes: 49152, banks: 32, latency: 60, service: 4, same_word: 3, same_bank: 5 }' userspace/model/devices/fermi.json >"$work/unit.dev"
jq '.curve["stride-0"].at = [[1, 64, 9], [2, 40, 9], [8, 50, 9], [32, 45, 9]]' "$work/unit.dev" >"$work/falling.dev"
not_negative() {
	local device pattern
	for device in fermi "$work/unit.dev" "$work/falling.dev"; do
		for pattern in full plain copies copies-padded hough kmeans; do
			model pattern --times --device "$device" "$work/$pattern" --format csv || return 1
		done
	done | awk -F, '$0 ~ /cycles/ { for (i = 1; i <= NF; i++) c[i] = $i; next }
		{ for (i = 1; i <= NF; i++) if (c[i] ~ /_(cycles|ns|ms)$/ && $i != "-" && $i < 0) { print c[i], $i; bad++ } n++ }
		END { print n " predicted"; exit bad || n < 18 }'
}
check 'pattern: no part is below 0' not_negative

# --- time by source line, and what to change
votes_cost() { # every line with its source's text; the votes save most, and have the conflicts
	model pattern --lines "$work/plain" --format json | jq -e --argjson votes "$votes_line" '
		([.rows[] | select(.line == $votes)] | length == 1 and .[0].conflicts_cycles > 0 and (.[0].source | startswith("atomic_add(&bins"))) and
		([.rows[] | select(.conflicts_cycles > 0)] | length == 1)'
}
check 'lines: the votes are the line with conflicts' votes_cost
reported_lines() {
	jq -e '.opencl.kernels_modelled[0] | .modelled.total_ns as $all | (.lines | length > 5) and ([.lines[] | select(.saves_ns > $all)] == []) and
		([.lines[] | select(.conflicts_ns > 0)] | length == 1)' "$work/report.json" &&
		"$bin" report --pattern "$work/full" "$work/recording.txt" | grep -E "^ +$votes_line +[0-9.]+ %.* atomic_add\(&bins"
}
check 'lines: in the report, too' reported_lines
on_the_page() {
	"$bin" report --html "$work/page.html" --pattern "$work/full" "$work/recording.txt" &&
		sed -n 's/.*id="facts">\(.*\)<\/script>.*/\1/p' "$work/page.html" | jq -e --argjson votes "$votes_line" --slurpfile report "$work/report.json" '
			.report.opencl.kernels_modelled == $report[0].opencl.kernels_modelled and
			([.report.opencl.kernels_modelled[0].lines[] | select(.line == $votes)] | length == 1)' >/dev/null
}
check 'lines: and on the page, beside the source' on_the_page

# What is proposed for the first kernel, the largest gain first.
proposed() { "$bin" atomics --device fermi --format json "$1" | jq -c '.rows[0].changes'; }
# A change, predicted on the program as it is, against the prediction of the program that has it: its gain lies within the range
# that was told. Of several proposals of a kind the one that gains most is applied.
applied() { # CHANGE BEFORE... -- AFTER...
	local change=$1 before=() now then
	shift
	while [ "$1" != -- ]; do before+=("$1") && shift; done
	shift
	workload before histogram --frames 1 "${before[@]}" && workload after histogram --frames 1 "$@" || return 1
	now=$(model pattern --times "$work/before" --format json | jq '.rows[0].cycles')
	then=$(model pattern --times "$work/after" --format json | jq '.rows[0].cycles')
	proposed "$work/before" | tee "$work/changes.json" | jq -e --arg change "$change" --argjson gain "$(
		awk -v a="$now" -v b="$then" 'BEGIN { print a / b }'
	)" '[.[] | select(.change == $change)] | length > 0 and $gain >= .[0].gain_least and $gain <= .[0].gain_most' ||
		{ cat "$work/changes.json"; echo "$now then $then"; return 1; }
}
few=(--bins 4 --width 512 --height 512 --group 256 --groups 56)
some=(--bins 16 --width 256 --height 256 --group 256 --groups 56)
check 'changes: copies' applied copies "${few[@]}" -- "${few[@]}" --replication 4
check 'changes: privatise' applied privatise "${some[@]}" --global -- "${some[@]}"
check 'changes: group size' applied 'group size' "${some[@]}" --group 32 --groups 448 -- "${some[@]}" --group 128 --groups 112
ranked() { proposed "$work/before" | jq -e 'length > 0 and . == sort_by(-.gain) and all(.gain <= .gain_most and .gain >= .gain_least and .gain_least > 1)'; }
check 'changes: the largest gain first, within its range' ranked
# What gains less than the model may be wrong by is not proposed: two copies would gain 1.05 here.
check 'workloads: histogram, few conflicts' workload some histogram --frames 1 "${some[@]}"
unproposed() { proposed "$work/some" | jq -e '. == []'; }
check 'changes: none that gains less than the error' unproposed
check 'sanitized: changes' "$san" atomics --device fermi "$work/before"
check 'sanitized: lines' "$san" model pattern --lines "$work/before"
printf 'gpulane-pattern 1\nsource 1 x\n' >"$work/source.pattern"
check 'wrong: a source line of no graph' refuses 1 pattern "$work/source.pattern"

# --- a real GPU's times (tests/model/gpu): what the models propose for it gains there
real() {
	mkdir -p "$work/gpu" && cp tests/model/gpu/times "$work/gpu" &&
		B=${B:-build} FACTOR=8 ONLY='flat-256|noise-1024|global-256|hough' scripts/on-gpu compare "$work/gpu" nvidia-h100 >"$work/gpu/table" || return 1
	cat "$work/gpu/table"
	same 'workloads' 4 "$(grep -c ' ms\| +- ' "$work/gpu/table" | awk '{ print $1 - 1 }')" && ! grep -q slower "$work/gpu/table" &&
		same 'nothing for' 'flat-256 hough noise-1024' "$(awk -F' *[|] *' '$5 == "nothing" { print $2 }' "$work/gpu/table" | sort | paste -sd' ')" &&
		same 'global-256' privatise "$(awk -F' *[|] *' '$2 == "global-256" { print $5 }' "$work/gpu/table")"
}
check 'a real GPU: what is proposed gains there' real
