# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the product answers, sourced by tests/answers/run and scripts/answers: inputs, and all that is said of one. B is the build directory.
. tests/traces/lib.sh
export LC_ALL=C TZ=UTC COLUMNS=100 TERM=dumb

# What is run on each input, and the kind of output that it belongs to. FIRST, ENGINE, PROCESS and SOME are what its requests have:
# without requests these lines are left out.
answers_table='
text report --all input
json report -f json input
requests report --requests -f json input
commands report --commands -f json input
critical report --critical -f json input
explain explain input SOME
dump dump input
ctf export --to ctf -o ctf input
perfetto export --to perfetto -o perfetto input
page export --to html -o page input
top top --batch --speed 0 --delay 0.05 --iterations 20 input
watch watch -o watched --slower-than 1ms --starved 1ms --of request,command,wait --before 1ms --after 1ms --rows - input'
# The same in other forms, parts of it, and what is read again: of samples, foreign files and a trace of each mode
more_table='
text report input
text report --by cgroup input
csv report -f csv --rows 0 input
requests report --requests input
commands report --commands input
critical report --critical input
critical report --critical=0.0001-0.01 -f json input
chosen report -f json --context FIRST input
chosen report --all --engine ENGINE input
chosen report --tables stages,waits,idle --process PROCESS input
chosen report --requests --context FIRST input
chosen report -f json --from 0.0002 --to 0.1 input
page export --to html --from 0.0002 --to 0.1 -o page-chosen input
explain explain -f json input SOME
dump dump --no-head -e sched -e fence --from 1000000 input
top top --batch --speed 0 --delay 0.05 --iterations 3 --sort wait --width 80 input
watch watch -o watched --list
watch watch -o watched --show 1
hit dump watched/hit-000001
ctf dump ctf
import import input -o imported
import dump --no-head imported'

# answers PROGRAM INPUT FOLDER TABLE - all that a program says of an input: in the folder a file for each kind; `said` has the errors and
# exit codes, `facts` which files it wrote
answers() (
	mkdir -p "$3/here" && cp -r "$2" "$3/here/input" && cd "$3/here" || exit
	local kind args rc engine='' process='' first='' some=()
	# the first request with a process, and the first of each of four contexts
	[[ $4 != *SOME* ]] || { read -r engine process first; read -ra some; } < <("$1" report --requests input 2>/dev/null | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		!first && $at["pid"] { first = $at["engine"] " " $at["pid"] " " $at["context"] }
		!seen[$at["context"]]++ && n++ < 4 { some = some " " $at["context"] ":" $at["seqno"] }
		END { print first; print some }')
	while read -r kind args; do
		case $args in
		dump\ watched/*) [ -e watched/hit-000001 ] || continue ;;
		*FIRST* | *ENGINE* | *PROCESS*) [ -n "$first" ] || continue ;;
		*SOME*) [ ${#some[@]} -gt 0 ] || continue ;;
		'') continue ;;
		esac
		args=${args/FIRST/$first} args=${args/ENGINE/$engine} args=${args/PROCESS/$process} rc=0
		# shellcheck disable=SC2086 # words
		"$1" ${args/SOME/"${some[*]}"} >>"../$kind" 2>>../said || rc=$?
		echo "$kind: exit $rc" >>../said
	done <<<"$4"
	# Whose the files are, and what they say of the recording; of the page what it is of, since the page itself is the same for all.
	find . ! -name input -printf '%M %y %P\n' | sort >../facts
	cat {ctf,imported,watched/hit-000001}/recording.json >>../facts 2>/dev/null || true
	[ ! -e perfetto ] || mv perfetto ..
	[ ! -e page ] || grep -hE '^<script type="application/(json|octet-stream)"' page* >../page || true
	rm -r "$3/here"
)

# The models' answers for a device; the input is an access pattern.
models_table='
pipeline model pipeline -d DEVICE mmul16 --groups 14 -f json
pipeline model pipeline -d DEVICE --chain fadd --length 100 --sweep warps
pattern model pattern -d DEVICE --all -f json input
pattern atomics -d DEVICE input
pattern model pattern -d DEVICE --lines input
pattern model pattern -d DEVICE --times input
calibrate calibrate --simulate DEVICE --noise 2 --max-warps 2 --rounds 3 -f json'

# inputs SEEDS - NAME HOW ARGUMENT... a line each: what the repository has, and traces of the oracles, so many seeds of each
inputs() {
	local file name mode damage kernel seed
	for file in tests/golden/*/*.{txt,rec} samples/*/recording.json tests/import/good/*.atp tests/foreign/old.txt; do
		name=${file#tests/} name=${name%/recording.json}
		echo "$(tr / - <<<"${name%.*}") file ${file%/recording.json}"
	done
	for file in tests/foreign/samples/*.{dat,perf,pftrace,txt}.zst tests/traces/*.zst; do
		name=${file#tests/} name=${name%.zst}
		echo "$(tr / - <<<"$name") packed $file"
	done
	for file in tests/foreign/*.txtpb; do
		echo "foreign-$(basename "$file" .txtpb) protobuf $file"
	done
	for ((seed = 1; seed <= $1; seed++)); do
		for mode in execlists tracepoints nolisten legacy stock guc ring full; do
			for damage in none drop1 drop10 bursts cut; do
				echo "oracle-$mode-$damage-$seed oracle --mode $mode --damage $damage --seed $seed"
			done
		done
		for mode in serial depth firmware reset long-running mixed; do
			for kernel in 6.1 6.12 6.17; do
				[[ $mode != firmware && $mode != long-running ]] || [ $kernel != 6.1 ] || continue
				for damage in 0 2; do
					echo "sched-$mode-$kernel-drop$damage-$seed sched --mode $mode --kernel $kernel --drop $damage --seed $seed"
				done
			done
		done
	done
	for file in xorg long starved; do
		echo "story-$file story 60 7 $file"
	done
	echo 'several-machines machines'
	for file in userspace/model/devices/*.json; do
		echo "model-$(basename "$file" .json) file tests/answers/votes.pattern"
	done
}

# input WHERE HOW ARGUMENT... - makes it there
input() {
	local where=$1 how=$2
	rm -rf "$where"
	shift 2
	case $how in
	file) cp -r "$1" "$where" ;;
	packed) zstd -qdc "$1" >"$where" ;;
	protobuf) protoc --proto_path=tests/foreign --encode=perfetto.protos.Trace perfetto.proto <"$1" >"$where" ;;
	oracle) "$B/tests/oracle/gpulane-oracle" "$@" --requests 60 --events "$where" --truth /dev/null ;;
	sched) "$B/tests/oracle-sched/gpulane-oracle-sched" "$@" --jobs 60 --switches --events "$where" --truth /dev/null ;;
	story) tests/watch/story.sh "$@" >"$where" ;;
	machines)
		tests/watch/story.sh 40 5 xorg long >"$where-a" && sed 's/info host story/info host other/; s/clock_uuid 0/clock_uuid 1/' "$where-a" >"$where-b" &&
			"$B/gpulane" import "$where-a" "$where-b" -o "$where"
		rm "$where"-[ab]
		;;
	esac
}
