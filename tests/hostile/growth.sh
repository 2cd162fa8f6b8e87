# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What a file can name many of: the time for 8,000 of it is no more than 2.5 times that for 4,000, in each output; in check-all each
# doubling from 1,000 on, too. The time is the CPUs', the least of three tries; where it grows more, instructions decide (callgrind). What is
# written of it is no more than 16 times what is read. The memory is at most 256 MiB, with sanitizers.

# of N EVENT... - these events, N times; %i is the number
of() {
	awk 'BEGIN {
		print "gpulane-events 1"
		for (i = 1; i <= ARGV[1]; i++)
			for (k = 2; k < ARGC; k++) {
				event = ARGV[k]
				gsub(/%i/, i, event)
				print 10 * i + k, event
			}
	}' "$@"
}
rq='tracepoint i915_request' at='dev=0 class=0 instance=0'
call='layer opencl_call_entry object=1 size=64 group=8 function=clEnqueueNDRangeKernel'
back='layer opencl_call_exit object=0 status=0 function=clEnqueueNDRangeKernel'
done='layer opencl_command status=0 type=NDRANGE_KERNEL queued_ns=%i00 submitted_ns=%i10 start_ns=%i20 end_ns=%i30'

# many NAME N - a file that has N of it
many() {
	local n=$2 name
	case $1 in
	held) of "$n" "0 0/0 $rq""_execute ctx=7 seqno=%i tail=0 $at" ;;
	taken-back) # and handed over again, all of a context
		awk -v n="$n" -v end=" tail=0 $at" 'BEGIN {
			print "gpulane-events 1"
			for (round = 1; round <= 3; round++) {
				for (i = n; i && round > 1; i--) print t += 10, "0 0/0 function i915_request_unsubmit ctx=7 seqno=" i end
				for (i = 1; i <= n; i++) print t += 10, "0 0/0 tracepoint i915_request_execute ctx=7 seqno=" i end
			}
		}' ;;
	contexts) of "$n" "0 10/10 $rq""_add ctx=%i seqno=1 tail=0 $at" "0 10/10 $rq""_submit ctx=%i seqno=1 tail=0 $at" "0 0/0 $rq""_execute ctx=%i seqno=1 tail=0 $at" \
		"0 0/0 $rq""_in ctx=%i seqno=1 port=0 prio=0 $at" "0 0/0 tracepoint dma_fence_signaled context=%i seqno=1" "0 0/0 $rq""_out ctx=%i seqno=1 completed=1 $at" ;;
	requests) of "$n" "0 10/10 $rq""_add ctx=7 seqno=%i tail=0 $at" "0 10/10 $rq""_submit ctx=7 seqno=%i tail=0 $at" "0 0/0 $rq""_execute ctx=7 seqno=%i tail=0 $at" \
		"0 0/0 tracepoint dma_fence_signaled context=7 seqno=%i" ;;
	engines) of "$n" "0 10/10 $rq""_add ctx=%i seqno=1 tail=0 dev=0 class=0 instance=%i" "0 0/0 $rq""_execute ctx=%i seqno=1 tail=0 dev=0 class=0 instance=%i" ;;
	cards) of "$n" "0 10/10 $rq""_add ctx=%i seqno=1 tail=0 dev=%i class=0 instance=0" "0 0/0 $rq""_execute ctx=%i seqno=1 tail=0 dev=%i class=0 instance=0" ;;
	clients) of "$n" "0 %i/%i $rq""_add ctx=%i seqno=1 tail=0 $at" "0 %i/%i $rq""_wait_begin ctx=%i seqno=1 flags=0 $at" "0 0/0 tracepoint dma_fence_signaled context=%i seqno=1" \
		"0 %i/%i $rq""_wait_end ctx=%i seqno=1 tail=0 $at" ;;
	rings) of "$n" "0 10/10 tracepoint drm_sched_job_queue fence_context=%i fence_seqno=1 client_id=1 job_count=1 hw_job_count=0 name=r%i dev=a driver=amdgpu" \
		"0 0/0 tracepoint drm_sched_job_run fence_context=%i fence_seqno=1 client_id=1 job_count=1 hw_job_count=0 name=r%i dev=a driver=amdgpu" \
		"0 0/0 tracepoint drm_sched_job_done fence_context=%i fence_seqno=1" ;;
	jobs) of "$n" "0 10/10 tracepoint drm_sched_job_queue fence_context=7 fence_seqno=%i client_id=%i job_count=1 hw_job_count=0 name=gfx dev=a driver=amdgpu" \
		"0 10/10 tracepoint drm_sched_job_add_dep fence_context=7 fence_seqno=%i ctx=9 seqno=%i" \
		"0 0/0 tracepoint drm_sched_job_run fence_context=7 fence_seqno=%i client_id=%i job_count=1 hw_job_count=0 name=gfx dev=a driver=amdgpu" ;;
	threads) of "$n" '0 0/0 tracepoint sched_waking tid=%i prio=120 target_cpu=0 comm=a%i' '0 0/0 tracepoint sched_switch prev_state=0 prev_tid=1 prev_prio=120 next_tid=%i next_prio=120 prev_comm=b next_comm=a%i' ;;
	cpus) of "$n" '%i 7/7 tracepoint sched_switch prev_state=1 prev_tid=7 prev_prio=120 next_tid=0 next_prio=120 prev_comm=b next_comm=a' ;;
	forks) of "$n" '0 7/7 tracepoint sched_process_fork parent_tid=%i parent_pid=%i child_tid=1%i child_pid=1%i parent_comm=a child_comm=a' ;;
	interrupts) of "$n" '0 7/7 tracepoint irq_handler_entry irq=%i name=n%i' '0 7/7 tracepoint irq_handler_exit irq=%i ret=1' ;;
	works) of "$n" '0 7/7 tracepoint workqueue_queue_work work=%i function=f%i' ;;
	fences) of "$n" '0 7/7 tracepoint dma_fence_init context=%i seqno=1 driver=d%i timeline=t%i' '0 7/7 tracepoint dma_fence_enable_signal context=%i seqno=1' ;;
	losses) of "$n" '0 -/- - gpulane_lost count=1 begin_ns=%i0 end_ns=%i1 lost_cpu=%i' ;;
	losses-in-row) of "$n" '0 -/- - gpulane_lost count=1 begin_ns=%i0 end_ns=%i1 lost_cpu=0' ;;
	resets) of "$n" '0 7/7 function gpulane_reset what=reset text=t%i' ;;
	counters) of "$n" '0 -/- - gpulane_counter id=%i per_second=1000000000 what=1 card=0 class=0 instance=%i pid=-1 comm=a name=n%i' '0 -/- - gpulane_sample id=%i value=%i total=0 from_ns=%i0' ;;
	clocks) of "$n" '0 -/- - gpulane_counter id=%i per_second=1000000000 what=2 card=0 gt=%i class=0 instance=0 pid=-1 comm=a name=n%i' '0 -/- - gpulane_sample id=%i value=%i total=0 from_ns=%i0' \
		"0 10/10 $rq""_submit ctx=7 seqno=%i tail=0 $at" "0 0/0 $rq""_execute ctx=7 seqno=%i tail=0 $at" "0 0/0 tracepoint dma_fence_signaled context=7 seqno=%i" ;;
	devices) of "$n" '0 10/10 layer opencl_queue queue=%i device=%i known=1 name=n%i comm=c' "0 10/10 $call queue=%i" "0 10/10 $back queue=%i command=%i" "0 10/10 $done queue=%i command=%i" ;;
	queues) of "$n" '0 10/10 layer opencl_queue queue=%i device=1 known=1 name=n comm=c' "0 10/10 $call queue=%i" "0 10/10 $back queue=%i command=%i" ;;
	programs) of "$n" '0 %i/%i layer opencl_queue queue=1 device=1 known=1 name=n comm=c%i' "0 %i/%i $call queue=1" "0 %i/%i $back queue=1 command=1" "0 %i/%i $done queue=1 command=1" ;;
	commands) of "$n" "0 10/10 $call queue=1" "0 10/10 $back queue=1 command=%i" "0 10/10 $done queue=1 command=%i" ;;
	kernels) of "$n" '0 10/10 layer opencl_kernel kernel=%i name=k%i' "0 10/10 ${call/object=1/object=%i} queue=1" "0 10/10 $back queue=1 command=%i" "0 10/10 $done queue=1 command=%i" ;;
	lists) of "$n" '0 %i/%i tracepoint opencl_run command=%i queue=7 list=%i object=1 size=1 group=1 function=36 type=3' ;;
	packets) # of two machines, each in a file
		of "$n" '0 1/1 tracepoint net_if_receive_skb seq=7 ack_seq=7 flags=16 source_port=%i dest_port=1' | sed '1a info host b' >"$T/grown.b"
		of "$n" '0 1/1 tracepoint net_dev_queue seq=7 ack_seq=7 flags=16 source_port=%i dest_port=1' | sed '1a info host a' ;;
	together) # an eighth as many of each; there are fewer cards and engines than that
		for name in held contexts requests clients rings jobs threads cpus forks interrupts works fences losses resets counters clocks devices queues programs commands kernels lists; do
			many "$name" $((n / 8)) || return
		done | awk 'NR == 1 || NF > 2 { if (NR > 1) $1 = 10 * NR; print }' ;;
	brackets) echo '# tracer: nop' && echo ' a-7 [000] .... 1.000001: sched_waking: comm=a pid=7 prio=1 target_cpu=000' &&
		for _ in {1..200}; do yes '1)[1]' | head -n $((n / 4)) | tr -d '\n' && echo; done ;;
	ctf-fields) grown_ctf "$(lines "$n" 'u8 f%d;')" ;;
	ctf-types) grown_ctf 'u8 a;' "$(lines "$n" 'typedef u8 n%d;')" ;;
	ctf-labels) grown_ctf 'enum e t; variant v <t> f;' "enum e : u8 { $(lines "$n" 'a%d,') b }; variant v { $(lines "$n" 'u8 a%d;') u8 b; };" ;;
	ctf-events) grown_ctf 'u8 a;' '' "$n" ;;
	ctf-streams) grown_ctf 'u8 a;' && for ((i = 1; i < n; i++)); do ln "$T/grown/stream" "$T/grown/s$i" || return; done ;;
	esac
}
# grown NAME N - it is in $T/grown
grown() {
	rm -rf "$T/grown" "$T/grown.b"
	many "$1" "$2" >"$T/grown.text" || return
	[ -d "$T/grown" ] || mv "$T/grown.text" "$T/grown"
}
# grown_ctf ARG... - a trace with this metadata (bombs.sh)
grown_ctf() { mkdir "$T/grown" && printf '\xc1\x1f\xfc\xc1\0\0\0\0' >"$T/grown/stream" && metadata "$@" >"$T/grown/metadata"; }

# told PROGRAM [RUNNER...] - what is measured
told() {
	local program=$1 files=("$T/grown")
	shift
	[ ! -e "$T/grown.b" ] || files+=("$T/grown.b")
	case $output in
	report) "$@" "$program" report --all --format json "${files[@]}" ;;
	import) rm -rf "$T/grown.out" && "$@" "$program" import --output "$T/grown.out" "$T/grown" ;;
	*) rm -rf "$T/grown.out" && "$@" "$program" export --to "$output" --output "$T/grown.out" "${files[@]}" ;;
	esac >"$T/out" 2>"$T/err"
}
# used_ms NAME N [MS] - of the CPUs, at most as many as these
used_ms() {
	local code ms kib
	grown "$1" "$2" && ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=8 told "$G" "$T/limits" "$T/needs" 0 && read -r code ms _ kib <"$T/needs" || return
	echo "$1, $output: $kib KiB" >>"$T/grown-needs"
	[ "$code" -le 1 ] && ! grep Sanitizer "$T/err" >&2 || return
	if [ "$ms" -lt "${3:-$((ms + 1))}" ]; then echo "$ms"; else echo "$3"; fi
}
# instructions NAME N
instructions() {
	grown "$1" "$2" && told "$RELEASE" valgrind --tool=callgrind --callgrind-out-file=/dev/null
	sed -n 's/^==.*I *refs: *//p' "$T/err" | tr -d ,
}
# is_little BEFORE AFTER - less than 2.5 times as much
is_little() { [ $((10 * $2)) -lt $((25 * $1)) ]; }
# grows_little NAME N - from half of that
grows_little() {
	local half='' whole=''
	for _ in 1 2 3; do
		half=$(used_ms "$1" $(($2 / 2)) "$half") && whole=$(used_ms "$1" "$2" "$whole") || return
		if [ "$whole" -lt 100 ] || is_little "$half" "$whole"; then
			echo "$1, $output: $half -> $whole ms" | tee -a "$T/growth"
			return 0
		fi
	done
	echo "$1, $output: $half -> $whole ms" | tee -a "$T/growth"
	counted_little "$1" "$2"
}
# counted_little NAME N - by instructions, from half of that
counted_little() {
	local before after
	RELEASE=${RELEASE-$(make -s B=build build/gpulane >/dev/null && realpath build/gpulane)}
	before=$(instructions "$1" $(($2 / 2))) && after=$(instructions "$1" "$2") || return
	echo "$1, $output, $2: $before -> $after instructions"
	is_little "$before" "$after"
}
# written_little NAME - in bytes, of each output; what is refused writes nothing
written_little() {
	local read written output
	grown "$1" 4000 && read=$(find "$T/grown" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }') || return
	for output in import ctf perfetto ${CHECK_ALL:+html}; do
		told "$G" || [ $? -le 2 ] || { cat "$T/err"; return 1; }
		[ -e "$T/grown.out" ] || continue
		written=$(find "$T/grown.out" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
		echo "$1, $output: $read -> $written bytes" | tee -a "$T/written"
		[ "$written" -le $((16 * read + 65536)) ] || return
	done
}
grows() {
	local output n
	written_little "$1" || return
	for output in report perfetto; do grows_little "$1" 8000 || return; done
	[ -n "${CHECK_ALL-}" ] || return 0
	for output in ctf sqlite; do used_ms "$1" 8000 >/dev/null || return; done # for what they need
	output=html
	grows_little "$1" 8000 || return
	output=report
	for n in 2000 4000 8000; do counted_little "$1" $n || return; done
}

for name in ${GROWTH-held taken-back contexts requests engines cards clients rings jobs threads cpus forks interrupts works fences losses losses-in-row resets counters clocks devices queues programs commands kernels lists together packets brackets \
	ctf-fields ctf-types ctf-labels ctf-events ctf-streams}; do
	check "growth-$name" grows "$name"
done
sort -t '>' -k 2 -n "$T/growth" | tail -n 3
# in KiB, with sanitizers
is_small() { sort -t : -k 2 -n "$T/grown-needs" | tail -n 3 && ! awk -F '[: ]+' '$3 > 262144' "$T/grown-needs" | grep .; }
check growth-takes-at-most-256-MiB is_small
awk '{ print $0, "(" int($5 / $3 + 0.5) " times)" }' "$T/written" | sort -t '(' -k 2 -n | tail -n 1
