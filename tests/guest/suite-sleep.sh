#!/bin/bash
# gpulane watch while the machine is suspended to memory and resumed. The other suites' guests have their root file system by a
# device that does not survive that: this one has all it needs in its initramfs.
set -u
. "$(dirname "$0")/lib/suite.sh"
cd "$TOP" || exit 1
B=${B:-build}
SECONDS_ASLEEP=6
. scripts/guest.d/lib.sh

# What the guest has: busybox, the program with its libraries, the replay driver.
pack() {
	local root=$T/root file
	mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp"
	make -s "$B/gpulane" replay && cp "$(command -v busybox)" "$B/gpulane" "$B/tests/replay/gl-client" "$root/bin/" &&
		cp "$("$GUEST_D/build-kmod" --kernel 6.1 tests/kmod/replay)" "$root/replay.ko" &&
		cp tests/guest/lib/sleep-init "$root/init" && cp tests/guest/lib/verdict.sh "$root/" || return 1
	for file in $(ldd "$root/bin/gpulane" "$root/bin/gl-client" | grep -o '/\(lib\|usr\)[^ ]*' | sort -u); do
		mkdir -p "$root${file%/*}" && cp -L "$file" "$root$file" || return 1
	done
	chmod 755 "$root/init"
	(cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) >"$T/initramfs"
}
# What is told to qemu: some time after the guest has gone to sleep it is woken.
wakes() {
	for _ in $(seq 600); do
		if grep -q '^# suspends' "$T/report" 2>/dev/null; then
			sleep $SECONDS_ASLEEP
			echo system_wakeup
			break
		fi
		sleep 0.2
	done
	for _ in $(seq 600); do
		! grep -q '^# done' "$T/report" || break
		sleep 0.2
	done
	sleep 3
	echo quit
}
boots() {
	local khz kernel
	# As in scripts/guest: the emulated time-stamp counter is this machine's.
	khz=$(awk '$1 == "cpu" && $2 == "MHz" { printf "%d", $4 * 1000; exit }' /proc/cpuinfo)
	# Resumed is what the firmware has loaded: the kernel as it is installed.
	kernel=$(kernel_tree 6.1)/boot/vmlinuz-$(kernel_release 6.1)
	: >"$T/report"
	wakes | timeout 300 qemu-system-x86_64 -machine pc -accel tcg,thread=single -cpu max -smp 2 -m 2048 -nodefaults -no-user-config \
		-display none -net none -monitor stdio -serial "file:$T/console" -serial "file:$T/report" \
		-kernel "$kernel" -initrd "$T/initramfs" \
		-append "console=ttyS0 no_console_suspend loglevel=5 oops=panic nokaslr mitigations=off tsc=reliable no_timer_check tsc_early_khz=$khz" \
		>"$T/qemu" 2>&1 && grep -q '^# done' "$T/report" || { cat "$T/qemu"; tail -n 40 "$T/console"; return 1; }
}

check pack pack
check boot boots
tr -d '\r' <"$T/report" >"$T/told"
report "$T/told"
suite_end sleep
