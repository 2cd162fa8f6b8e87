# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Small files that mean much work or memory: every reader comes to an end within 10 s and 256 MiB, says at most one line beside what it
# left out, and ends within a second of ^C. These seconds are the CPUs', which a busy machine does not make longer. bombs.c writes those
# that are no text.
gcc -O1 -o "$T/bombs" tests/hostile/bombs.c -lzstd -lm && gcc -O1 -o "$T/limits" tests/lib/limits.c || exit 1

# lines N FORMAT - FORMAT with the number of the line, up to three times
lines() { awk -v n="$1" -v format="$2\n" 'BEGIN { for (i = 0; i < n; i++) printf format, i, i, i }'; }

# metadata FIELDS [TYPES [EVENTS [CONTEXT]]] - of a CTF trace whose events have these fields
metadata() {
	cat <<-END
		/* CTF 1.8 */
		typealias integer { size = 8; align = 8; signed = 0; } := u8;
		typealias integer { size = 32; align = 8; signed = 0; } := u32;
		typealias integer { size = 64; align = 8; signed = 0; } := u64;
		trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; u32 stream_id; }; };
		clock { name = "monotonic"; freq = 1000000000; };
		typealias integer { size = 64; align = 8; signed = 0; map = clock.monotonic.value; } := ts;
		${2-}
		stream {
		id = 0; event.header := struct { u32 id; ts timestamp; };
		packet.context := struct { ts timestamp_begin; ts timestamp_end; u64 content_size; u64 packet_size; u32 cpu_id; };
		event.context := struct { ${4-u8 a;} };
		};
	END
	printf '%s\n' "$1" >"$T/fields"
	awk -v n="${3-1}" -v from="$T/fields" 'BEGIN {
		RS = "\001" # all of it is one line
		getline fields < from
		for (i = 0; i < n; i++) printf "event { name = \"sched_switch\"; id = %d; stream_id = 0; fields := struct { %s}; };\n", i, fields
	}'
}
# requests N EVENT... - these events of each of N requests of contexts of their own
requests() { awk 'BEGIN { for (i = 1; i <= ARGV[1]; i++) for (k = 2; k < ARGC; k++) printf "%d 0 10/10 tracepoint i915_request_%s ctx=%d seqno=1 dev=0 class=0 instance=0%s\n", ++ns, ARGV[k], i, ARGV[k] == "add" ? " tail=0" : "" }' "$@"; }
doubles() { echo 'struct s0 { u8 a; };' && awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) printf "struct s%d { struct s%d a; struct s%d b; };\n", i, i - 1, i - 1 }'; }

# The same as CTF 2: properties are written with ' for ".
# fields N FORMAT - members of a structure, with their number up to three times
fields() { awk -v n="$1" -v format="$2" 'BEGIN { for (i = 0; i < n; i++) { printf "%s", i ? "," : ""; printf format, i, i, i } }'; }
# ctf2 FIELDS [FRAGMENTS [EVENTS [CONTEXT]]]
ctf2() {
	local int="{'type':'fixed-length-unsigned-integer','byte-order':'little-endian','alignment':8,'length'"
	printf '%s\n' "$1" >"$T/fields"
	{
		cat <<-END
			^{'type':'preamble','version':2}
			^{'type':'field-class-alias','name':'u8','field-class':$int:8}}
			^{'type':'field-class-alias','name':'u32','field-class':$int:32}}
			^{'type':'field-class-alias','name':'u64','field-class':$int:64}}
			^{'type':'trace-class','packet-header-field-class':{'type':'structure','member-classes':[
			{'name':'magic','field-class':$int:32,'roles':['packet-magic-number']}},{'name':'s','field-class':$int:32,'roles':['data-stream-class-id']}}]}}
			^{'type':'clock-class','id':'monotonic','frequency':1000000000}
			${2-}
			^{'type':'data-stream-class','default-clock-class-id':'monotonic','packet-context-field-class':{'type':'structure','member-classes':[
			{'name':'b','field-class':$int:64,'roles':['default-clock-timestamp']}},{'name':'e','field-class':$int:64,'roles':['packet-end-default-clock-timestamp']}},
			{'name':'c','field-class':$int:64,'roles':['packet-content-length']}},{'name':'p','field-class':$int:64,'roles':['packet-total-length']}}]},
			'event-record-header-field-class':{'type':'structure','member-classes':[{'name':'id','field-class':$int:32,'roles':['event-record-class-id']}},
			{'name':'t','field-class':$int:64,'roles':['default-clock-timestamp']}}]},
			'event-record-common-context-field-class':{'type':'structure','member-classes':[${4-}]}}
		END
		awk -v n="${3-1}" -v from="$T/fields" 'BEGIN {
			RS = "\001" # all of it is one line
			getline fields < from
			for (i = 0; i < n; i++) printf "^{#type#:#event-record-class#,#name#:#sched_switch#,#id#:%d,#payload-field-class#:{#type#:#structure#,#member-classes#:[%s]}}\n", i, fields
		}'
	} | tr "^'#" '\036""'
}
blob="{'type':'dynamic-length-blob','length-field-location':"
# aliases N - each is a structure of the one before, twice
aliases() { awk -v n="$1" 'BEGIN { print "^{#type#:#field-class-alias#,#name#:#s0#,#field-class#:#u8#}"; for (i = 1; i <= n; i++) printf "^{#type#:#field-class-alias#,#name#:#s%d#,#field-class#:{#type#:#structure#,#member-classes#:[{#name#:#a#,#field-class#:#s%d#},{#name#:#b#,#field-class#:#s%d#}]}}\n", i, i - 1, i - 1 }'; }

own='gpulane-events 1' ftrace='# tracer: nop' atp=$'TraceFileVersion=3.0\n=====ocl Timestamp Output====='
adds='%d 0 10/10 tracepoint i915_request_add dev=0 class=0 tail=0'

# write NAME - to standard output
write() {
	case $1 in
	ctf-doubles) metadata 'struct s39 x;' "$(doubles 39)" ;;
	ctf-events) metadata 'struct s14 x;' "$(doubles 14)" 60000 ;;
	ctf-lengths) metadata "$(lines 20000 'u8 f%d; u8 g%d[f%d];')" ;;
	ctf-unneeded) metadata "$(lines 9000 'u8 f%d;') u8 n; u8 s[n];" ;;
	ctf-contexts) metadata 'u8 a;' '' 100 "$(lines 9000 'u32 vtid;')" ;;
	ctf-labels) metadata 'enum e t; variant v <t> f;' \
		"enum e : u8 { $(lines 60000 'a%d,') b }; variant v { $(lines 60000 'u8 c%d;') u8 b; };" ;;
	ctf-names) metadata 'u8 a;' "$(lines 4000 'typedef u8 n%d;'; lines 300000 'typedef u8 n;')" ;;
	ctf-nesting) metadata "$(lines 100000 'struct {') u8 a; $(lines 100000 '} a;')" ;;
	ctf-length) metadata 'u8 a[999999999999999]; u8 b[4294967295][4294967295];' ;;
	ctf2-doubles) ctf2 "{'name':'x','field-class':'s29'}" "$(aliases 29)" ;;
	ctf2-events) ctf2 "{'name':'x','field-class':'s14'}" "$(aliases 14)" 60000 ;;
	ctf2-small-events) ctf2 "{'name':'x','field-class':'u8'}" '' 60000 ;;
	ctf2-lengths) ctf2 "$(fields 8000 "{'name':'f%d','field-class':'u8'},{'name':'g%d','field-class':$blob{'path':['f%d']}}}")" ;;
	ctf2-unneeded) ctf2 "$(fields 9000 "{'name':'f%d','field-class':'u8'}"),{'name':'n','field-class':'u8'},{'name':'s','field-class':$blob{'path':['n']}}}" ;;
	ctf2-contexts) ctf2 "{'name':'a','field-class':'u8'}" '' 100 "$(fields 9000 "{'name':'vtid','field-class':'u32'}")" ;;
	ctf2-contexts-unlike) ctf2 "{'name':'a','field-class':'u8'}" '' 100 "$(fields 9000 "{'name':'vtid%d','field-class':'u32'}")" ;;
	ctf2-labels) ctf2 "{'name':'t','field-class':'u32'},{'name':'v','field-class':{'type':'variant','selector-field-location':{'path':['t']},'options':[$(
		fields 12000 "{'name':'o%d','selector-field-ranges':[[%d,%d]],'field-class':'u8'}")]}}" ;;
	ctf2-ranges) ctf2 "{'name':'t','field-class':'u32'},{'name':'v','field-class':{'type':'variant','selector-field-location':{'path':['t']},'options':[{'field-class':'u8','selector-field-ranges':[$(
		fields 60000 '[%d,%d]')]}]}}" ;;
	ctf2-mappings) ctf2 "{'name':'x','field-class':{'type':'fixed-length-unsigned-integer','byte-order':'little-endian','length':8,'mappings':{$(fields 40000 "'m%d':[[%d,%d]]")}}}" ;;
	ctf2-names) ctf2 "{'name':'a','field-class':'u8'}" "$(lines 120000 "^{'type':'field-class-alias','name':'n%d','field-class':'u8'}")" ;;
	ctf2-fragments) ctf2 "{'name':'a','field-class':'u8'}" "$(lines 200000 "^{'type':'clock-class','id':'c%d'}")" ;;
	ctf2-properties) ctf2 "{'name':'a','field-class':'u8'}" "^{'type':'trace-class','attributes':{$(fields 2000000 "'%x':0")}}" ;;
	ctf2-attributes) ctf2 "{'name':'a','field-class':'u8'}" "$(zeros=$(fields 200000 0) && for i in {1..60}; do printf "^{'type':'clock-class','id':'%d','attributes':{'a':[%s]}}\n" "$i" "$zeros"; done)" ;;
	ctf2-twice) ctf2 "$(fields 200 "{'name':'f','field-class':'u8'}")" "^{'type':'clock-class',$(fields 60000 "'a%d':1"),'a7':1}" ;;
	ctf2-itself) ctf2 "{'name':'a','field-class':'r'}" "^{'type':'field-class-alias','name':'q','field-class':'r'}
		^{'type':'field-class-alias','name':'r','field-class':{'type':'structure','member-classes':[{'name':'a','field-class':'r'},{'name':'b','field-class':'q'}]}}" ;;
	ctf2-nesting) ctf2 "{'name':'a','field-class':$(lines 100000 "{'type':'structure','member-classes':[{'name':'a','field-class':") 7$(lines 100000 '}]}')}" ;;
	ctf2-nesting-30) # structures in structures, whose innermost names the outermost, of each event
		ctf2 "{'name':'n','field-class':'u8'},{'name':'a','field-class':$(lines 29 "{'type':'structure','member-classes':[{'name':'a','field-class':")$blob{'origin':'event-record-payload','path':['n']}}$(lines 29 '}]}')}" '' 3000 ;;
	ctf2-length) ctf2 "{'name':'a','field-class':{'type':'static-length-blob','length':18446744073709551615}},{'name':'b','field-class':{'type':'static-length-array','length':4294967295,'element-field-class':
		{'type':'static-length-array','length':4294967295,'element-field-class':'u8'}}}" ;;
	text-one-place) echo "$own" && "$T/bombs" keys-one-place | awk '{ print "1 0 10/10 tracepoint i915_request_add seqno=1 ctx=" $0 }' ;;
	text-in-row) echo "$own" && "$T/bombs" keys-in-row |
		awk '{ print "1 0 10/10 tracepoint " (NR > 60000 ? "dma_fence_signaled context=" : "i915_request_add seqno=1 ctx=") $0 }' ;;
	text-line) echo "$own" && yes 'a=b' | head -n 4000000 | tr '\n' ' ' ;;
	text-one-context) echo "$own" && lines 100000 "$adds ctx=7 seqno=%d" ;;
	text-one-request) echo "$own" && lines 100000 "$adds ctx=7 seqno=1" ;;
	text-contradictions) # each `in` is of one port more than the engine has
		echo "$own" && awk 'BEGIN { for (i = 1; i <= 100000; i++) printf "%d 0 10/10 tracepoint i915_request_%s ctx=%d seqno=1 dev=0 class=0 instance=0 %s\n", i, i % 2 ? "add" : "in", (i + 1) / 2, i % 2 ? "tail=0" : "prio=0 port=" i % 126 }' ;;
	text-runnable) # threads that wait for a CPU, and switches there
		echo "$own" && echo recorded sched_migrate_task && awk -v n=12000 'BEGIN { for (i = 1; i <= 2 * n; i++) printf i <= n ? "%d 0 0/0 tracepoint sched_waking tid=%d prio=120 target_cpu=0 comm=a\n" : "%d 0 %d/%d tracepoint sched_switch prev_state=1 prev_tid=%d prev_prio=120 next_tid=%d next_prio=120 prev_comm=b next_comm=b\n", i, i, i, i, i + 1 }' ;;
	text-displaced) # a thread comes; a loss; another one had the CPU: all of them may have had it
		echo "$own" && awk -v n=30000 'BEGIN { for (i = 1; i <= 3 * n; i++) {
			if (i <= n) printf "9 0 0/0 tracepoint sched_waking tid=%d prio=120 target_cpu=0 comm=a\n", i
			printf "9 0 -/- - gpulane_lost count=1 begin_ns=9 end_ns=9 lost_cpu=0\n9 0 0/0 tracepoint sched_switch prev_state=1 prev_tid=%d prev_prio=120 next_tid=%d next_prio=120 prev_comm=b next_comm=b\n", n + 2 * i, n + 2 * i + 1
		} }' ;;
	text-handed-over) # a request is handed over beside many, and a port is given back that was not written
		echo "$own" && requests 20000 add execute && awk -v n=20000 'BEGIN { for (i = n; i < 2 * n; i++) printf "%d 0 10/10 tracepoint i915_request_execute ctx=%d seqno=1 dev=0 class=0 instance=0\n%d 0 10/10 tracepoint i915_request_out ctx=1 seqno=1 dev=0 class=0 instance=0 completed=0\n", 2 * i, i, 2 * i + 1 }' ;;
	text-losses-*) # of many that were handed over, one by one events are lost
		echo "$own" && echo "info submission ${1##*-}" && requests 40000 add execute && lines 60000 '9999999%05d 0 -/- - gpulane_lost count=1 begin_ns=9999999%05d end_ns=9999999%05d lost_cpu=0' ;;
	text-devices) # of OpenCL, each with a queue and a call
		echo "$own" && lines 30000 '1 0 10/10 layer opencl_queue queue=%d device=%d known=1 name=n%d comm=c' && lines 30000 '2 0 10/10 layer opencl_call_entry queue=%d object=1 size=1 group=1 function=clEnqueueNDRangeKernel' ;;
	text-engines) echo "$own" && lines 60000 "$adds ctx=%d seqno=1 instance=%d" ;;
	printed-line) echo "$ftrace" && yes 'a=b' | head -n 4000000 | tr '\n' ' ' ;;
	printed-names) echo "$ftrace" && lines 200000 ' a-7 [000] .... 1.%06d: sched_wakeup_%d: comm=a pid=%d' ;;
	printed-threads) echo "$ftrace" && lines 100000 ' a-%d [000] .... 1.%06d: sched_waking: comm=a pid=%d prio=1 target_cpu=000' ;;
	printed-wakings) echo "$ftrace" && lines 500000 ' a-7 [000] .... 1.%06d: sched_waking: comm=a pid=7 prio=1 target_cpu=000' ;;
	atp-calls) printf '%s\n7\n500000\n' "$atp" && yes '1 a 1 2' | head -n 500000 ;;
	atp-threads) echo "$atp" && lines 60000 $'%d\n1\n1 clFinish %d %d' ;;
	*) "$T/bombs" "$1" ;;
	esac
}

# bomb NAME - in $T/bomb
bomb() {
	rm -rf "$T/bomb"
	case $1 in
	ctf-* | ctf2-*)
		mkdir "$T/bomb" && printf '\xc1\x1f\xfc\xc1\0\0\0\0' >"$T/bomb/stream" && write "$1" >"$T/bomb/metadata" ;;
	rec-*)
		cp -r "$T/small.rec" "$T/bomb" || return 1
		case $1 in
		rec-packets) for _ in {1..200}; do cat "$T/small.rec/import/channel0_0"; done >"$T/bomb/import/channel0_0" ;;
		rec-streams) for i in {1..500}; do ln "$T/bomb/import/channel0_0" "$T/bomb/import/channel0_0.$i" || return 1; done ;;
		rec-nesting) head -c 3000000 /dev/zero | tr '\0' '[' >"$T/bomb/recording.json" ;;
		rec-objects) awk 'BEGIN { printf "{\"version\":1,\"a\":["; for (i = 0; i < 500000; i++) printf "{},"; print "0]}" }' >"$T/bomb/recording.json" ;;
		rec-keys) jq '.traces[0].events_per_cpu = ([range(20000) | { (tostring): 1 }] | add)' "$T/small.rec/recording.json" >"$T/bomb/recording.json" ;;
		esac ;;
	*) write "$1" >"$T/bomb" ;;
	esac
}

# limited FILE MS COMMAND [ARG...] - with ^C after so much of the CPUs' time
limited() { ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=8 timeout 600 "$T/limits" "$@" >"$T/out" 2>"$T/err"; }

# ends_soon NAME - and in the middle of it ^C does, where a command cleans up before it ends: export
ends_soon() {
	local code ms after kib
	bomb "$1" && limited "$T/needs" 0 "$G" report "$T/bomb" && read -r code ms _ kib <"$T/needs" || return 1
	echo "$1: $ms ms, $kib KiB" | tee -a "$T/bombs-need"
	[[ $code -le 1 && $ms -lt 10000 && $(grep -vcE ' events? (is|are) of (another kind|other kinds) and left out$' "$T/err") -le 1 && $kib -lt 262144 ]] || { echo "exit code $code"; head -n 5 "$T/err"; return 1; }
	limited "$T/needs" $((ms / 2 + 1)) "$G" export --to perfetto --output "$T/stopped" "$T/bomb" && read -r code _ after _ <"$T/needs" || return 1
	echo "^C: $after ms, $1" | tee -a "$T/bombs-stop"
	[[ ($code -le 1 || $code -eq 130) && $after -lt 1000 ]] || { echo "exit code $code"; head -n 5 "$T/err"; return 1; }
	[ -z "$(find "$T" -maxdepth 1 -name 'stopped*.part*')" ] || { echo "left behind: $(ls "$T")"; return 1; }
}

lines 4000 '%d 0 7/7 tracepoint sched_wakeup tid=%d comm=x' | { echo "$own" && cat; } >"$T/small.txt"
"$G" import "$T/small.txt" --output "$T/small.rec" >"$T/out" || exit 1
# reader, and its cases: a bomb, a cycle, what is repeated, what collides, what is nested (README.md says why there is none)
for name in dat-{formats,words,itself,again} perf-{records,features,ids} \
	pf-{small,lists,names,empty,parts,processes,events,turns,turns-30,described,members,asked,nested} \
	ctf-{doubles,length,events,lengths,unneeded,contexts,names,labels,nesting} \
	ctf2-{doubles,length,events,small-events,lengths,unneeded,contexts,contexts-unlike,names,labels,ranges,mappings,fragments,properties,attributes,twice,itself,nesting,nesting-30} \
	rec-{packets,streams,keys,objects,nesting} atp-{calls,threads} \
	text-{line,one-context,one-request,contradictions,runnable,displaced,handed-over,losses-guc,losses-ring,engines,devices,one-place,in-row} printed-{line,threads,names,wakings}; do
	check "$name" ends_soon "$name"
done
sort -t ' ' -k 2 -n "$T/bombs-need" | tail -n 1
sort -k 2 -n "$T/bombs-stop" | tail -n 1
