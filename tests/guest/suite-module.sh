#!/bin/bash
# The LTTng probe for i915 (module/) on the real driver: builds it on the host, tries it in the guest.
#
#   suite-module.sh [--kernel V] [TEST...]   all of it, or these of the guest's tests, on 6.1 or another
#   suite-module.sh --in-guest [TEST...]     the guest's part
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
KERNELS=(6.1)
T=$B/tests/module/${GPULANE_GUEST:-host}
passed=0
failed=0

# check WHAT COMMAND... - counts a test by the command's success
check() {
	local what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
		printf 'ok %s\n' "$what"
	else
		failed=$((failed + 1))
		printf 'FAIL %s\n' "$what"
	fi
}

equal() {
	[ "$1" = "$2" ] && return
	printf '        is "%s", not "%s"\n' "$1" "$2"
	return 1
}

# one_line TEXT COMMAND... - the command fails and says just one line on stderr, which has TEXT in it
one_line() {
	local text=$1 said
	shift
	if said=$("$@" 2>&1 >/dev/null | grep -v '^make'); [ "${PIPESTATUS[0]}" -eq 0 ] && [ -z "$said" ]; then
		echo "        it did not fail"
		return 1
	fi
	[ "$(grep -c . <<<"$said")" -eq 1 ] && grep -qF -- "$text" <<<"$said" && return
	printf '        it said: %s\n' "$said"
	return 1
}

# ---------------------------------------------------------------------------------------------------- host

# build NAME ARG... - guest.d/build-module, as $T/NAME
build() {
	local built
	built=$(scripts/guest.d/build-module --kernel "$kernel" "${@:2}") && ln -sfn "$built" "$T/$1"
}

# made VARIABLE... - make module
made() {
	make -s module B="$B" KDIR="$kdir" LTTNG_MODULES="$lttng" VMLINUX="$vmlinux" MODULE_DIR="$T/made" "$@" >/dev/null
}

# make module's own, and where it leaves it: in a root that has LTTng's modules, and in one that has not
host_installs() {
	local root=$T/root modules=$T/root/lib/modules/$release
	rm -rf "$root"
	mkdir -p "$modules"
	cp "$(scripts/guest.d/kernels path "$kernel")/lib/modules/$release"/modules.{builtin,builtin.modinfo,order} "$modules/"
	check "make module" made
	check "nothing is installed that LTTng's modules are missing for" one_line "LTTng's modules are not installed" \
		make -s install-module B="$B" KDIR="$kdir" MODULE_DIR="$T/made" DESTDIR="$root"
	check "nothing is installed for another kernel" one_line "built for another kernel" \
		make -s install-module B="$B" KDIR="$other_kdir" MODULE_DIR="$T/made" LTTNG_MODULES="$lttng" DESTDIR="$root"
	check "make install-module" make -s install-module B="$B" KDIR="$kdir" MODULE_DIR="$T/made" LTTNG_MODULES="$lttng" DESTDIR="$root" >/dev/null
	check "modprobe finds the probe, and LTTng's modules before it" equal \
		"$(modprobe -d "$root" -S "$release" --show-depends lttng-probe-i915 | sed -n 's|.*/\(lttng-\(tracer\|probe-i915\).ko\).*|\1|p' | paste -sd' ')" \
		"lttng-tracer.ko lttng-probe-i915.ko"
	check "versions are gpulane's" equal "$(modinfo -F version "$T"/made/lttng-probe-{i915,drm-sched}.ko | sort -u)" \
		"$("$B/gpulane" --version | sed 's/^gpulane //')"
}

drift() {
	gcc -g -c "-D$1" tests/guest/drift.c -o "$T/$1.o" && pahole -J --btf_base "$T/base.o" "$T/$1.o" &&
		"$B/module-tools/gen-layout" "$T/base.o" "$T/$1.o"
}

host_builds() {
	echo 'int a; unsigned int b; unsigned short c; unsigned long long d; _Bool e; unsigned char f;' |
		gcc -g -c -x c - -o "$T/base.o" && pahole -J "$T/base.o" || return
	check "a driver with all that is needed is known" drift NOTHING >/dev/null
	check "a member that is missing is named" one_line "i915_request.tail: not in" drift NO_MEMBER
	check "a tracepoint with other arguments is named" one_line "tracepoint i915_request_add: is" drift OTHER_ARGUMENT
	check "a function with other arguments is named" one_line "__i915_request_submit(): is" drift OTHER_FUNCTION
	check "a structure that is there twice, with the members in the same places" drift TWICE_ALIKE >/dev/null
	check "a structure that is there twice, with a member elsewhere" one_line "i915_request.tail: twice" drift TWICE_UNLIKE
	check "BTF of another kernel" one_line "VMLINUX=" made VMLINUX="$other_vmlinux"
	check "a file without BTF" one_line "Makefile: no BTF" made I915_BTF=Makefile
	check "LTTng's modules of another kernel" one_line "are built for Linux $release, not for" made KDIR="$other_kdir"
	check "no lttng-modules" one_line "LTTNG_MODULES=DIR" made LTTNG_MODULES=/nowhere
	check "no kernel to build for" one_line "KDIR=DIR" made KDIR=/nowhere
}

host() {
	local d=scripts/guest.d i915 variant out other=6.12
	[ "$kernel" != 6.12 ] || other=6.1
	lttng=$($d/build-lttng-modules --kernel "$kernel") && vmlinux=$($d/vmlinux-btf --kernel "$kernel") &&
		other_vmlinux=$($d/vmlinux-btf --kernel $other) || exit 1
	release=$($d/kernels release "$kernel")
	kdir=$($d/kernels headers "$kernel")
	other_kdir=$($d/kernels headers $other)
	T=$B/tests/module/$release
	mkdir -p "$T"
	for variant in lowlevel stock; do
		i915=$($d/build-i915 --kernel "$kernel" --variant $variant) || exit 1
		$d/build-kmod --kernel "$kernel" tests/kmod/gl-selftest I915="$i915" >/dev/null || exit 1
		check "it builds for i915 ($variant)" build $variant $variant
		[ $variant = lowlevel ] || continue
		check "it builds with functions before tracepoints" build function --functions lowlevel
	done
	check "it builds for the distribution's i915" build debian debian
	replay=$($d/build-kmod --kernel "$kernel" tests/kmod/replay) || exit 1
	check "it builds for the replay driver" build replay "$replay"
	make -s B="$B" replay || exit 1
	[ "$kernel" != 6.1 ] || {
		host_builds
		host_installs
	}
	[ $failed -eq 0 ] || return
	gcc -E -P -Iuserspace tests/guest/table.c | tr ';' '\n' | sed -n 's/^ *LINE //p' >"$T/table"
	out=$(mktemp)
	scripts/guest --kernel "$kernel" --timeout 1500 --mem 3072 --env B="$B" -- tests/guest/suite-module.sh --in-guest "$@" 2>&1 |
		tee "$out" | grep --line-buffered -v '^counted '
	check "the guest ends well, its kernel log is clean" equal "${PIPESTATUS[0]}" 0
	read -r _ p f < <(grep '^counted ' "$out" || echo counted 0 1)
	rm -f "$out"
	passed=$((passed + p)) failed=$((failed + f))
}

# --------------------------------------------------------------------------------------------------- guest

parameters=/sys/module/lttng_probe_i915/parameters

guest_setup() {
	local variant
	scripts/guest.d/load-lttng sched && modprobe lttng-tracer || return
	for variant in lowlevel stock; do
		i915[$variant]=$(scripts/guest.d/build-i915 --kernel "$GPULANE_GUEST" --variant $variant) &&
			selftest[$variant]=$(scripts/guest.d/build-kmod --kernel "$GPULANE_GUEST" tests/kmod/gl-selftest I915="${i915[$variant]}") ||
			return
	done
	modinfo -F depends "${i915[stock]}/i915.ko" | tr ',' '\n' | xargs modprobe -a || return
	mkdir -p $W
}

probe_in() { insmod "$T/$1/lttng-probe-i915.ko"; }
probe_out() { rmmod lttng_probe_i915; }
# nothing to drive: only the selftests use it
driver_in() { insmod "${i915[$1]}/i915.ko" mock_selftests=0; }
driver_out() { rmmod i915; }

# run_tests VARIANT [PARAMETER...] - the driver's request selftests, once
run_tests() {
	local variant=$1
	shift
	insmod "${selftest[$variant]}" select=requests "$@" && rmmod gl_selftest
}
# without the one whose length is a matter of time
steady='filter=!mock_breadcrumbs_smoketest'
# without those that fail when the machine is slow: they want a wait to be over in time
patient='filter=!igt_wait_request,!igt_fence_wait'
# without both: 3 requests added, one taken back
calm='filter=!mock_breadcrumbs_smoketest,!igt_wait_request,!igt_fence_wait'

record_start() {
	rm -rf $W/trace
	lttng destroy one >/dev/null 2>&1
	{
		lttng create one --output=$W/trace && lttng enable-channel -k c --subbuf-size=8M --num-subbuf=4 &&
			lttng enable-event -k -c c 'i915_*,intel_context*,sched_switch' && lttng start
	} >$W/lttng.log 2>&1 || cat $W/lttng.log
}

# ends the recording; its events are in $W/events, babeltrace2's warnings in $W/warnings
record_stop() {
	{
		lttng stop && lttng destroy
	} >$W/lttng.log 2>&1 || cat $W/lttng.log
	babeltrace2 $W/trace 2>$W/warnings | grep -v ' sched_switch: ' >$W/events
	check "$1: babeltrace2 warns of nothing" equal "$(cat $W/warnings)" ""
	check "$1: nothing was lost" equal "$(grep -ci 'discarded' $W/warnings)" 0
}

canon() { awk -f tests/guest/lib/canon.awk "$@"; }
# count EVENT - how many $W/events has
count() { grep -c " $1: " $W/events; }
log_lines() { dmesg | grep -c "gpulane: $1"; }

order() {
	local name=$1 first=$2 second=$3
	record_start
	"$first" stock && "$second" stock || return
	check "$name: the driver is known" equal "$(cat $parameters/driver)" known
	run_tests stock "$calm"
	record_stop "$name"
	counts "$name" 1
	check "$name: contexts" equal "$(for e in create free do_pin; do count intel_context_$e; done | paste -sd ' ')" "3 3 3"
	driver_out && probe_out
}

# counts NAME RUNS - the events of so many runs; an engine that goes idle adds requests without an add
counts() {
	local submitted
	submitted=$(count i915_request_submit)
	check "$1: add, unsubmit" equal "$(count i915_request_add) $(count i915_request_unsubmit)" "$((3 * $2)) $2"
	check "$1: every wait ends" equal "$(count i915_request_wait_begin)" "$(count i915_request_wait_end)"
	check "$1: all that is submitted is executed and retired, what is taken back twice" equal \
		"$(count i915_request_execute) $(count i915_request_retire)" "$((submitted + $2)) $submitted"
	check "$1: no request less than was added" test "$submitted" -ge $((3 * $2))
}

t_before() { order "loaded before i915" probe_in driver_in; }
t_after() { order "loaded after i915" driver_in probe_in; }

t_reload() {
	probe_in stock && driver_in stock || return
	record_start
	run_tests stock "$calm"
	driver_out
	check "reload: the driver is gone" equal "$(cat $parameters/driver)" absent
	driver_in stock
	run_tests stock "$calm"
	check "unloading is refused while a session uses it" one_line "in use" probe_out
	record_stop reload
	counts "reload: events of both" 2
	check "unloading succeeds after it" probe_out
	driver_out
}

t_refused() {
	local before after
	driver_in stock
	before=$(dmesg | wc -l)
	check "another driver is there: loading is refused" one_line "No such device" probe_in lowlevel
	after=$(dmesg | tail -n +$((before + 1)))
	check "another driver is there: one line says so" equal \
		"$(grep -c . <<<"$after") $(grep -c 'not the one this module was built for' <<<"$after")" "1 1"
	driver_out
}

t_other_comes() {
	local before
	probe_in stock
	record_start
	before=$(log_lines 'the i915 driver that comes is not the one')
	driver_in lowlevel
	check "another driver comes: one line says so" equal \
		$(($(log_lines 'the i915 driver that comes is not the one') - before)) 1
	check "another driver comes: it is called so" equal "$(cat $parameters/driver)" other
	check "another driver comes: no event has a source" equal "$(grep -vc '=missing$' $parameters/sources)" 0
	run_tests lowlevel "$calm"
	driver_out
	record_stop "another driver comes"
	check "another driver comes: none of its events" equal "$(wc -l <$W/events)" 0
	record_start
	driver_in stock
	run_tests stock "$calm"
	record_stop "the right one after it"
	counts "the right one after it" 1
	driver_out
	probe_out
}

# functions are hooked with ftrace, which can be switched off
t_switched_off() {
	local switch=/proc/sys/kernel/ftrace_enabled
	driver_in stock && probe_in stock || return
	check "ftrace cannot be switched off under the hooks" one_line "busy" tee $switch <<<0
	probe_out
	echo 0 >$switch
	probe_in stock
	check "ftrace is switched off: no function is hooked" equal "$(grep -c '=function:' $parameters/sources)" 0
	check "ftrace is switched off: one line says so" equal "$(dmesg | tail -n 3 | grep -c 'is kernel.ftrace_enabled 1')" 1
	driver_out
	echo 1 >$switch
	driver_in stock
	check "ftrace is on again: the functions are hooked" equal "$(grep -c '=function:' $parameters/sources)" 7
	driver_out
	probe_out
}

# the events and fields LTTng knows, against the table
t_table() {
	probe_in lowlevel
	record_start
	driver_in lowlevel
	run_tests lowlevel "$calm"
	record_stop table
	babeltrace2 -o ctf-metadata $W/trace/kernel >$W/metadata
	awk '
	$1 == "name" { gsub(/[";]/, "", $3); event = $3 }
	/fields := struct/ { inside = 1; next }
	inside && match($0, /^\t\t?integer .* _/) {
		size = signed = base = $0
		sub(/.*size = /, "", size); sub(/;.*/, "", size)
		sub(/.*signed = /, "", signed); sub(/;.*/, "", signed)
		sub(/.*base = /, "", base); sub(/;.*/, "", base)
		field = $NF; gsub(/[_;]/, " ", field); sub(/^ /, "", field); sub(/ $/, "", field); gsub(/ /, "_", field)
		print event, field, (base == 16 ? "x" : signed == 1 ? "s" : "u") size
	}
	/^\t?};/ { inside = 0 }' $W/metadata | grep -E '^(i915_request|intel_context)_' | sort -u >$W/given
	grep -v '^i915_engine_ports ' "$T/table" | sort >$W/wanted
	check "every event and field of the table, and no other" diff $W/given $W/wanted
	lttng list -k | grep -oE '(i915_request|intel_context)_[a-z_]+' | sort >$W/listed
	check "lttng list names the table's events" diff $W/listed <(cut -d' ' -f1 $W/wanted | uniq)
	check "sources: a line for each event" diff <(sed 's/=.*//' $parameters/sources | grep -v engine_ports | sort) $W/listed
	check "sources: this driver's tracepoints, and one function" equal \
		"$(grep -c '=tracepoint$' $parameters/sources) $(grep '=function:' $parameters/sources)" \
		"25 i915_request_unsubmit=function:__i915_request_unsubmit"
	driver_out
	probe_out
}

# ftrace_start, ftrace_stop FILE - the kernel's own tracer beside the recording
ftrace_start() {
	(
		cd /sys/kernel/tracing || exit
		echo 65536 >buffer_size_kb
		echo >trace
		echo mono >trace_clock
		for event in events/i915/i915_request_* events/i915/intel_context_*; do
			[ ! -e "$event/enable" ] || echo 1 >"$event/enable"
		done
	)
}
ftrace_stop() {
	grep -E ' (i915_request|intel_context)_[a-z_]+: ' /sys/kernel/tracing/trace >"$1"
	echo 0 >/sys/kernel/tracing/events/i915/enable
}

# per_context FILE KIND... - the events of these kinds, in order for each kind and context
per_context() {
	local file=$1 kinds
	shift
	kinds=$(printf '|i915_request_%s' "$@")
	canon "$file" | grep -E "^(${kinds#|}) " | sort -s -k1,2
}

# functions and tracepoints of the same driver, in the same run, everything it does
t_same_run() {
	local kind
	probe_in function && driver_in lowlevel || return
	record_start
	ftrace_start
	run_tests lowlevel timeout_ms=300
	ftrace_stop $W/ftrace
	record_stop "same run"
	for kind in submit execute retire add wait_begin wait_end; do
		per_context $W/events $kind >$W/a
		per_context $W/ftrace $kind >$W/b
		check "same run: $kind, $(wc -l <$W/b) events, each context in the tracepoint's order" cmp -s $W/a $W/b
	done
	for kind in create free do_pin ban do_unpin; do
		check "same run: intel_context_$kind" equal "$(count intel_context_$kind)" \
			"$(grep -c " intel_context_$kind: " $W/ftrace)"
	done
	check "same run: unsubmit" equal "$(count i915_request_unsubmit)" 1
	check "same run: submit and execute come from functions" equal \
		"$(grep -cE '^i915_request_(submit|execute|unsubmit)=function:' $parameters/sources)" 3
	check "same run: no return was missed" equal "$(cat $parameters/missed)" 0
	driver_out
	probe_out
}

# one variant's run, contexts numbered as their first request is added
relative() {
	canon $W/events | awk '$1 ~ /_add$/ && !($2 in number) { number[$2] = ++n }
		$1 ~ /_(submit|execute|retire|unsubmit)$/ && $2 in number { print $1, number[$2], $3, $4, $5 }' | sort -s -k1,2
}

# the two variants of the driver, the same tests
t_variants() {
	local variant
	for variant in lowlevel stock; do
		probe_in $variant && driver_in $variant || return
		for _ in first second third; do
			record_start
			# two of them fail where the machine is slow, and the rest is not run
			run_tests $variant seed=7 "$steady" 2>$W/said && break
		done
		record_stop $variant
		relative >$W/$variant
		driver_out && probe_out
	done
	check "both variants: submit, execute, retire, unsubmit, $(wc -l <$W/stock) events alike" diff $W/lowlevel $W/stock
	check "both variants: unsubmit" equal "$(grep -c unsubmit $W/stock)" 1
}

# fired PATTERN - how many lines of the kernel's own trace have it
fired() { grep -c -- "$1" /sys/kernel/tracing/trace; }

# Two clients fill both ports, a third one of a higher priority takes the engine from them.
preempt() {
	local client=$B/tests/replay/gl-client before
	before=$(fired 'i915_request_in: .* port=1')
	"$client" --count 6 --depth 6 --duration 50000 --truth $W/truth &
	"$client" --count 6 --depth 6 --duration 50000 &
	while [ "$(fired 'i915_request_in: .* port=1')" = "$before" ] && jobs -r | grep -q .; do
		sleep 0.02
	done
	"$client" --prio 100 --count 3 --duration 1000
	wait
	# what the driver knows of its requests: one ran more than once
	[ "$(fired 'i915_request_in: .* port=1')" != "$before" ] && awk '$4 > 1 { n++ } END { exit !n }' $W/truth
}

# ports, priorities, completions: only with an engine, here the replay driver's
t_ports() {
	local kind tries unheard=20
	i915[replay]=$(scripts/guest.d/build-kmod --kernel "$GPULANE_GUEST" tests/kmod/replay)
	probe_in replay && insmod "${i915[replay]}" || return
	record_start
	ftrace_start
	for ((tries = 0; tries < 20; tries++)); do
		! preempt || break
	done
	check "ports: both are filled, requests are taken back" test $tries -lt 20
	# the last ports are given back when the clients are gone
	for ((tries = 0; tries < 100; tries++)); do
		[ "$(fired ' i915_request_in: ')" != "$(fired ' i915_request_out: ')" ] || break
		sleep 0.1
	done
	"$B/tests/replay/gl-shoot" --flood $((7 * unheard)) >/dev/null # nobody listens to these
	ftrace_stop $W/ftrace
	record_stop ports
	for kind in in out execute; do
		values $W/events i915_request_$kind >$W/a
		values $W/ftrace i915_request_$kind >$W/b
		check "ports: $kind, as many events with all their fields as ftrace has" cmp $W/a $W/b
	done
	check "ports: what is taken back is recorded" test "$(count i915_request_unsubmit)" -gt 0
	# their fences are signalled after all events: at `out` only the seqno says that they are complete
	check "ports: what nobody listens to is complete by its seqno" equal \
		"$(grep ' i915_request_out: ' $W/events | grep -E 'ctx = 100000[0-9],' | sed 's/.*completed = //; s/[^0-9].*//' |
			sort | uniq -c | awk '{ print $1 "x" $2 }')" ${unheard}x1
	driver_out
	probe_out
}

# values FILE EVENT - all fields of these events, in order for each context, as LTTng and ftrace print them
values() {
	grep " $2: " "$1" | sed -E 's/.*'"$2"': //; s/ = /=/g; s/completed\?/completed/; s/engine=([0-9]+):([0-9]+)/class=\1, instance=\2/; s/cpu_id=[0-9]+//' |
		awk '{
			n = split("ctx dev class instance seqno port prio completed tail", names, " ")
			line = ""
			for (i = 1; i <= n; i++)
				if (match($0, "(^|[ ,{])" names[i] "=-?[0-9]+")) {
					value = substr($0, RSTART, RLENGTH)
					sub(/.*=/, "", value)
					line = line value " "
				}
			print line
		}' | sort -s -k1,1
}

t_debian() {
	probe_in debian && modprobe i915 || return
	check "the distribution's i915 is known" equal "$(cat $parameters/driver)" known
	check "the distribution's i915: submit, execute, unsubmit from functions" equal \
		"$(grep -cE '^i915_request_(submit|execute|unsubmit)=function:' $parameters/sources)" 3
	check "the distribution's i915: what is missing is said" equal \
		"$(dmesg | grep 'gpulane: ' | tail -n 1 | grep -c 'i915_request_in i915_request_out')" 1
	modprobe -r i915
	probe_out
}

# who loads it sees another /sys
t_elsewhere() {
	modprobe i915 || return
	check "loaded where /sys is empty: it loads" unshare --mount sh -c "mount -t tmpfs none /sys && insmod $T/debian/lttng-probe-i915.ko"
	check "loaded where /sys is empty: the driver is known" equal "$(cat $parameters/driver)" known
	probe_out
	modprobe -r i915
}

# until the driver has run its tests once from beginning to end, or they fail
whole_run() {
	local before
	before=$(wc -l <$W/runs)
	until [ "$(wc -l <$W/runs)" -ge $((before + 2)) ] || [ -e $W/bad ]; do sleep 0.1; done
}

# 50 times in and out, every fifth with a session that began before or after it, while the driver runs its tests and is itself reloaded
t_cycles() {
	local i source='' bad=0 recorded=0
	rm -f $W/bad
	: >$W/runs
	driver_in stock || return
	for ((i = 0; i < 50; i++)); do
		if [ $((i % 10)) -eq 0 ]; then
			: >$W/halt
			[ -z "$source" ] || wait $source
			# every other time the driver goes and comes under the module
			[ $((i % 20)) -eq 0 ] || probe_in stock || bad=$((bad + 1))
			driver_out && driver_in stock || bad=$((bad + 1))
			[ $((i % 20)) -eq 0 ] || probe_out || bad=$((bad + 1))
			rm -f $W/halt
			while [ ! -e $W/halt ]; do run_tests stock timeout_ms=100 "$patient" && echo >>$W/runs || { touch $W/bad && break; }; done &
			source=$!
		fi
		case $((i % 10)) in
		2) probe_in stock && record_quick start || bad=$((bad + 1)) ;;
		7) record_quick start && probe_in stock || bad=$((bad + 1)) ;;
		*) probe_in stock || bad=$((bad + 1)) ;;
		esac
		if [ $((i % 5)) -eq 2 ]; then
			[ $i -ne 2 ] && [ $i -ne 47 ] || whole_run
			! probe_out 2>/dev/null || bad=$((bad + 1))
			record_quick stop || bad=$((bad + 1))
			[ $i -ne 2 ] && [ $i -ne 47 ] || recorded=$((recorded + $(babeltrace2 $W/trace | grep -c ' i915_request_add: ')))
		fi
		probe_out || bad=$((bad + 1))
	done
	: >$W/halt
	wait $source
	driver_out || bad=$((bad + 1))
	check "50 times in and out: each step does what it should" equal $bad 0
	check "50 times in and out: the driver's tests pass all the while" test ! -e $W/bad
	check "50 times in and out: events were recorded" test $recorded -gt 0
}

record_quick() {
	if [ "$1" = start ]; then
		rm -rf $W/trace
		lttng create one --output=$W/trace && lttng enable-event -k 'i915_*,intel_context*' && lttng start
	else
		lttng stop && lttng destroy
	fi >$W/lttng.log 2>&1
}

guest() {
	local test
	declare -gA i915 selftest
	W=/tmp/module-suite
	check "the guest is set up" guest_setup
	[ $# -gt 0 ] || set -- before after reload refused other_comes switched_off table same_run variants ports cycles debian elsewhere
	local start
	for test; do
		start=$SECONDS
		"t_$test"
		printf -- '-- %s: %d s\n' "$test" $((SECONDS - start))
	done
	check "no hook and no module is left" equal "$(grep -cE '^(i915|lttng_probe_i915) ' /proc/modules)" 0
	echo "counted $passed $failed"
}

case ${1-} in
--in-guest)
	shift
	guest "$@"
	exit
	;;
--kernel)
	KERNELS=("$2")
	shift 2
	;;
esac
for kernel in "${KERNELS[@]}"; do
	printf -- '-- Linux %s\n' "$kernel"
	host "$@"
done
printf 'module: %d passed, %d failed\n' $passed $failed
[ $failed -eq 0 ]
