#!/bin/bash
# Tests the guest harness itself: what a command sees, what comes back, and that every way to fail is seen.
# shellcheck disable=SC2016 # what is in single quotes is for the guest's shell
set -u
. "$(dirname "$0")/lib/suite.sh"
cd "$TOP" || exit 1
T=$SUITE_TMP

# --- without a guest: the verdict on kernel logs, the command line --------------------------------
verdict() {
	local expected=$1 status=0
	cat >"$T/log"
	"$GUEST_D/log-faults" "$T/log" >"$T/faults" || status=$?
	same "exit code" "$expected" $status && { [ "$expected" = 0 ] || grep -q . "$T/faults"; }
}
check log-clean verdict 0 <<'LOG'
[    0.100000] Booting
[    1.000000] i915: Running requests
[    1.100000]  mock: [drm] Incompatible option enable_guc=3 - GuC is not supported!
LOG
check log-warning verdict 1 <<'LOG'
[    1.000000] ------------[ cut here ]------------
[    1.000001] WARNING: CPU: 0 PID: 1 at kernel/x.c:1 f+0x1/0x2
[    1.000002] Call Trace:
[    1.000003] ---[ end trace 0000000000000000 ]---
LOG
check log-oops verdict 1 <<'LOG'
[    1.000000] BUG: kernel NULL pointer dereference, address: 0000000000000008
[    1.000001] Oops: 0002 [#1] PREEMPT SMP NOPTI
LOG
check log-lockdep verdict 1 <<'LOG'
[    1.000000] WARNING: possible circular locking dependency detected
LOG
check log-hung-task verdict 1 <<'LOG'
[  200.000000] INFO: task insmod:300 blocked for more than 120 seconds.
LOG
check log-stall verdict 1 <<'LOG'
[  200.000000] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
LOG
exits() {
	local expected=$1 status=0
	shift
	"$@" || status=$?
	same "exit code" "$expected" $status
}
check usage-no-command exits 2 "$GUEST"
check usage-unknown-option exits 2 "$GUEST" --nonsense -- true
check usage-unknown-kernel exits 2 "$GUEST" --kernel 1.0 -- true
check usage-bad-env exits 2 "$GUEST" --env nonsense -- true
check usage-bad-timeout exits 2 "$GUEST" --timeout soon -- true

# --- no kernel is installed: what runs is unpacked in the cache, and the machine is as it was -------------
installed_kernels() {
	dpkg-query -W -f '${Package} ${Status}\n' 'linux-image-*' 'linux-modules-*' 2>/dev/null
	ls -A /boot /lib/modules 2>&1
}
installed_kernels >"$T/installed"
# in_the_cache VERSION: the kernel and its modules are there, and its headers are of the same build
in_the_cache() {
	local tree release
	tree=$("$GUEST_D/kernels" path "$1") && release=$("$GUEST_D/kernels" release "$1") &&
		[[ $tree = "${XDG_CACHE_HOME:-$HOME/.cache}"/gpulane/kernel-* ]] &&
		[ -s "$tree/boot/vmlinuz-$release" ] && [ -s "$tree/lib/modules/$release/modules.dep" ] &&
		grep -q "UTS_RELEASE \"$release\"" "$("$GUEST_D/kernels" headers "$1")/include/generated/utsrelease.h"
}
packages_without_kernels() {
	! sed 's|#.*||' "$TOP/scripts/packages.list" | grep -wE 'linux-(image|modules|headers|source)'
}
check packages-without-kernels packages_without_kernels

# --- what a command sees and what comes back, on every kernel ---------------------------------------
cat >"$T/probe.sh" <<'PROBE'
printf 'kernel %s\n' "$(uname -r)"
printf 'user %s\n' "$(id -u)"
printf 'cwd %s\n' "$(pwd)"
printf 'env %s\n' "$PROBE"
printf 'arg %s\n' "$1"
printf 'net %s\n' "$(ls /sys/class/net | paste -sd,)"
printf 'tracefs %s\n' "$(test -e /sys/kernel/tracing/trace && echo yes)"
printf 'btf %s\n' "$(test -e /sys/kernel/btf/vmlinux && echo yes)"
echo 'on stderr' >&2
printf 'boot %s\n' "$(test -e "/boot/config-$(uname -r)" && echo yes)"
printf 'modules %s\n' "$(modprobe -n i915 && touch "/lib/modules/$(uname -r)/written" && echo yes)"
touch "$2" && printf 'root writable %s\n' "$(test -e "$2" && echo yes)"
seq 1 300000 >"$GPULANE_OUT/numbers"
mkdir "$GPULANE_OUT/sub" && echo deep >"$GPULANE_OUT/sub/file"
seq 1 300000
exit 7
PROBE
statuses=()
versions=()
while read -r version; do
	versions+=("$version")
done < <(. "$TOP/scripts/guest.d/lib.sh" && kernel_versions)
mkdir "$T/somewhere"
pids=()
for version in "${versions[@]}"; do
	mkdir -m 700 "$T/out-$version"
	# in a directory of its own, both guests at once
	(cd "$T/somewhere" && exec "$GUEST" --kernel "$version" --timeout 120 --out "$T/out-$version" \
		--log "$T/log-$version" --env "PROBE=two words; \$HOME 'q'" \
		-- bash "$T/probe.sh" 'an "argument" $1' "$TOP/.gpulane-guest-was-here") \
		>"$T/stdout-$version" 2>"$T/stderr-$version" &
	pids+=($!)
done
for i in "${!versions[@]}"; do
	wait "${pids[$i]}"
	statuses[i]=$?
done
seq 1 300000 >"$T/numbers"
has() {
	grep -qxF -- "$2" "$1" || {
		printf 'not there: %s\n' "$2"
		head -n 20 "$1"
		return 1
	}
}
for i in "${!versions[@]}"; do
	version=${versions[$i]}
	out=$T/stdout-$version
	check "$version-exit-code" same "exit code" 7 "${statuses[$i]}"
	check "$version-in-the-cache" in_the_cache "$version"
	check "$version-kernel" has "$out" "kernel $("$GUEST_D/kernels" release "$version")"
	check "$version-boot" has "$out" 'boot yes'
	check "$version-modules" has "$out" 'modules yes'
	check "$version-cache-unchanged" test -z "$(find "$("$GUEST_D/kernels" path "$version")/lib/modules" -name written)"
	check "$version-root" has "$out" 'user 0'
	check "$version-cwd" has "$out" "cwd $T/somewhere"
	check "$version-env" has "$out" "env two words; \$HOME 'q'"
	check "$version-argument" has "$out" 'arg an "argument" $1'
	check "$version-no-network" has "$out" 'net lo'
	check "$version-tracefs" has "$out" 'tracefs yes'
	check "$version-btf" has "$out" 'btf yes'
	check "$version-stderr" same stderr 'on stderr' "$(cat "$T/stderr-$version")"
	check "$version-root-is-an-overlay" has "$out" 'root writable yes'
	check "$version-output-complete" cmp "$T/numbers" <(tail -n 300000 "$out")
	check "$version-output-clean" same lines 300011 "$(wc -l <"$out")"
	check "$version-out-directory" cmp "$T/numbers" "$T/out-$version/numbers"
	check "$version-out-directory-stays-closed" same mode 700 "$(stat -c %a "$T/out-$version")"
	check "$version-out-subdirectory" same content deep "$(cat "$T/out-$version/sub/file")"
	check "$version-log" grep -q 'Linux version' "$T/log-$version"
done
check host-unchanged test ! -e "$TOP/.gpulane-guest-was-here"
check no-kernel-was-installed diff "$T/installed" <(installed_kernels)

# --- every way to fail ------------------------------------------------------------------------------
fault=$("$GUEST_D/build-kmod" "$TOP/tests/kmod/gl-fault")
fails() {
	local expected=$1 text=$2 status=0 log=$T/fail.$BASHPID
	shift 2
	"$@" >"$log" 2>&1 || status=$?
	cat "$log"
	same "exit code" "$expected" $status && grep -q -- "$text" "$log"
}
check_later hang-of-the-command fails 124 'not done after 10 s' "$GUEST" --timeout 10 --out "$T/out-hang" \
	-- sh -c 'echo kept >$GPULANE_OUT/kept; sleep 1000'
check_later hang-of-the-kernel fails 124 'not done after 2 s' env GPULANE_GUEST_GRACE_SECONDS=5 \
	"$GUEST" --timeout 2 -- insmod "$fault" kind=hang
check_later warning fails 125 'gl-fault: a warning on request' "$GUEST" -- insmod "$fault" kind=warn
check_later oops fails 125 'NULL pointer dereference' "$GUEST" -- insmod "$fault" kind=oops
check_later panic fails 125 'sysrq triggered crash' "$GUEST" -- sh -c 'echo c >/proc/sysrq-trigger'
check_later reboot fails 120 'went away' "$GUEST" -- sh -c 'echo b >/proc/sysrq-trigger; sleep 5'
check_later no-boot fails 120 'not up after 1 s' env GPULANE_GUEST_BOOT_SECONDS=1 "$GUEST" -- true
# a KVM that does not know all that a kernel does: qemu says so, and waits
mkdir "$T/bin"
cat >"$T/bin/qemu-system-x86_64" <<'FAKE'
#!/bin/sh
echo 'KVM internal error. Suberror: 1' >&2
exec sleep 1000
FAKE
chmod +x "$T/bin/qemu-system-x86_64"
check_later kvm-gives-up fails 120 'KVM of this machine cannot run it' env GPULANE_GUEST_ACCEL=kvm PATH="$T/bin:$PATH" \
	"$GUEST" -- true
check_wait
check hang-brings-files-back same content kept "$(cat "$T/out-hang/kept")"

# --- stopped from outside: nothing stays ------------------------------------------------------------
# stopped SIGNAL EXIT-CODE [group]: the signal goes to scripts/guest, or as ^C does to all that it has started
stopped() {
	local signal=$1 expected=$2 group=${3:+-} pid status=0
	mkdir -p "$T/tmp-$signal"
	# what bash puts in the background ignores SIGINT, and what nohup has started SIGHUP
	TMPDIR=$T/tmp-$signal setsid env --default-signal=INT,HUP "$GUEST" -- sleep 1000 >/dev/null 2>&1 &
	pid=$!
	until compgen -G "$T/tmp-$signal/*/ctl/started" >/dev/null; do
		kill -0 $pid || { echo 'did not start'; return 1; }
		sleep 0.3
	done
	kill -"$signal" -- $group$pid
	wait $pid || status=$?
	same "exit code" "$expected" $status || return 1
	same "files left" "" "$(ls -A "$T/tmp-$signal")" || return 1
	same "processes left" "" "$(pgrep -f "$T/tmp-$signal")"
}
check stopped-by-sigterm stopped TERM 143
check stopped-by-hangup stopped HUP 129
check stopped-by-control-c stopped INT 130 group

suite_end harness
