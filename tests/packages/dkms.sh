# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# DKMS builds the module for a kernel of the guest: sourced by what runs in the root. KERNEL and LTTNG name the kernel's headers and
# LTTng's modules for it, which stand in for installed ones.

# kernel_there - /lib/modules, /boot and /usr/src as if the kernel and LTTng's modules for it were installed
kernel_there() {
	local tree file
	release=$(basename "$KERNEL" | sed 's/^linux-headers-//')
	tree=$(realpath "$KERNEL/../../..")
	mkdir -p "/lib/modules/$release/updates/dkms"
	for file in "$tree/lib/modules/$release"/{kernel,modules.*}; do
		ln -s "$file" "/lib/modules/$release/"
	done
	cp "$LTTNG"/modules/*.ko "/lib/modules/$release/updates/dkms/"
	cp "$tree/boot/vmlinuz-$release" /boot/
	# LTTng's sources of that version, where Debian's package here is another
	mv /usr/src/lttng-modules-* "$T/lttng-source"
	ln -s "$LTTNG" "/usr/src/lttng-modules-$(sed 's/-.*//' "$LTTNG/version")"
}

kernel_gone() {
	rm -rf "/lib/modules/$release" "/boot/vmlinuz-$release" /usr/src/lttng-modules-*
	mv "$T/lttng-source" "/usr/src/lttng-modules-$(dpkg-query -W -f '${Version}' lttng-modules-dkms | sed 's/-.*//')"
	grep -qx /usr/lib/modules "$T/before" || rmdir --ignore-fail-on-non-empty /usr/lib/modules
}

# dkms_builds VERSION - both probes, of that version, against LTTng's symbols
dkms_builds() {
	local built probe module
	dkms build "gpulane/$1" -k "$release" --kernelsourcedir "$KERNEL" --force >"$T/dkms" 2>&1 || {
		cat "$T/dkms" "/var/lib/dkms/gpulane/$1/build/make.log"
		return 1
	}
	dkms status "gpulane/$1" | grep -q "$release.*built" || return
	built=/var/lib/dkms/gpulane/$1/$release
	for probe in i915 drm-sched; do
		module=$(find "$built" -name "lttng-probe-$probe.ko*") && [ -n "$module" ] &&
			same "version of $probe" "$1" "$(modinfo -F version "$module")" &&
			same "kernel of $probe" "$release" "$(modinfo -F vermagic "$module" | cut -d' ' -f1)" &&
			same "what $probe needs" lttng-tracer "$(modinfo -F depends "$module" | tr , "\n" | grep -x lttng-tracer)" || return
		! grep -qx CONFIG_MODVERSIONS=y "$KERNEL/.config" || modprobe --dump-modversions "$module" | grep -q lttng_kernel_probe_register || return
	done
}
