# shellcheck shell=bash
# What the guest's host-side helpers share: errors, the kernel list, the cache and its locks.

GUEST_D=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
GUEST_TOP=$(cd "$GUEST_D/../.." && pwd)
GUEST_PROG=${0##*/}
GUEST_CACHE=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gpulane

# die WHAT: WHY (WHAT TO DO) - one line, exit 1
die() {
	printf 'gpulane: %s: %s\n' "$GUEST_PROG" "$*" >&2
	exit 1
}

# usage_die WHY - wrong usage, exit 2
usage_die() {
	printf 'gpulane: %s: %s\n' "$GUEST_PROG" "$*" >&2
	exit 2
}

progress() {
	printf '%s: %s\n' "$GUEST_PROG" "$*" >&2
}

# need PROGRAM PACKAGE... - each program must be there, else the package that has it is named
need() {
	while [ $# -ge 2 ]; do
		command -v "$1" >/dev/null 2>&1 ||
			die "$1: not installed (apt-get install $2, or make setup)"
		shift 2
	done
}

# kernel_default - the version of the list's first line
kernel_default() {
	awk '!/^#/ && NF { print $1; exit }' "$GUEST_TOP/scripts/kernels.list"
}

# kernel_versions - every version of the list
kernel_versions() {
	awk '!/^#/ && NF { print $1 }' "$GUEST_TOP/scripts/kernels.list"
}

# kernel_field VERSION FIELD - a field of the list's line (2 release, 3 image, 4 headers, 5 source)
kernel_field() {
	awk -v v="$1" -v f="$2" '!/^#/ && $1 == v { print $f; exit }' "$GUEST_TOP/scripts/kernels.list"
}

# kernel_release VERSION - the newest installed release of a version of the list; a full release
# (one that has a /boot/vmlinuz) is taken as it is
kernel_release() {
	local pattern release f
	if [ -e "/boot/vmlinuz-$1" ]; then
		printf '%s\n' "$1"
		return
	fi
	pattern=$(kernel_field "$1" 2)
	[ -n "$pattern" ] ||
		usage_die "kernel $1: not in scripts/kernels.list (known: $(kernel_versions | paste -sd' '))"
	# shellcheck disable=SC2231 # the pattern is a glob on purpose
	release=$(for f in /boot/vmlinuz-$pattern; do
		[ -e "$f" ] && printf '%s\n' "${f#/boot/vmlinuz-}"
	done | sort -V | tail -n 1)
	[ -n "$release" ] ||
		die "kernel $1: no such kernel in /boot (apt-get install $(kernel_field "$1" 3), or make setup)"
	printf '%s\n' "$release"
}

# kernel_build_dir RELEASE - where modules for a release are built against
kernel_build_dir() {
	[ -e "/lib/modules/$1/build/Makefile" ] ||
		die "kernel $1: its headers are not installed (apt-get install linux-headers-$1, or make setup)"
	printf '%s\n' "/lib/modules/$1/build"
}

# recipe_hash TEXT SCRIPT [FILE...] - short hash of what a cached build depends on: TEXT, the script up to
# its line "# --- command line", the files
recipe_hash() {
	local text=$1 script=$2
	shift 2
	{
		printf '%s\n' "$text"
		sed '/^# --- command line$/,$d' "$script"
		[ $# -eq 0 ] || cat -- "$@"
	} | sha256sum | cut -c1-16
}

package_version() {
	dpkg-query -W -f '${Version}' "$1" 2>/dev/null || echo none
}

# cached NAME HASH COMMAND [ARG...] - print the cache directory NAME-HASH, made by COMMAND ARG... TMPDIR
# when it is not there yet. Building happens in a directory of its own that is renamed when it is complete,
# under a lock, so that two builders do not race and an interrupted one leaves nothing that looks finished.
# current/NAME then points at it, for the guest; older ones of the name that nobody used for a month go.
cached() {
	local name=$1 dir=$GUEST_CACHE/$1-$2 tmp log status=0 lock
	shift 2
	if [ ! -d "$dir" ]; then
		need flock util-linux
		mkdir -p "$GUEST_CACHE" || die "$GUEST_CACHE: cannot be made (set XDG_CACHE_HOME)"
		exec {lock}>"$GUEST_CACHE/.lock-$name" || die "$GUEST_CACHE: not writable (set XDG_CACHE_HOME)"
		flock "$lock"
	fi
	if [ ! -d "$dir" ]; then
		# what a killed builder left
		rm -rf "$GUEST_CACHE/.tmp-$name."*
		tmp=$(mktemp -d "$GUEST_CACHE/.tmp-$name.XXXXXX") || die "$GUEST_CACHE: not writable (set XDG_CACHE_HOME)"
		log=$GUEST_CACHE/$name.log
		"$@" "$tmp" >"$log" 2>&1 {lock}>&- </dev/null || status=$?
		if [ $status -ne 0 ]; then
			rm -rf "$tmp"
			tail -n 25 "$log" >&2
			die "$name: build failed (the whole log: $log)"
		fi
		chmod 755 "$tmp"
		mv -T "$tmp" "$dir" || die "$dir: cannot be put in place"
		find "$GUEST_CACHE" -mindepth 1 -maxdepth 1 -type d -name "$name-*" -mtime +30 -exec rm -rf {} +
	fi
	[ -z "${lock-}" ] || exec {lock}>&-
	touch -c "$dir" 2>/dev/null || true
	if [ "$(readlink "$GUEST_CACHE/current/$name")" != "$dir" ]; then
		mkdir -p "$GUEST_CACHE/current"
		ln -sfn "$dir" "$GUEST_CACHE/current/.$name.$$"
		mv -fT "$GUEST_CACHE/current/.$name.$$" "$GUEST_CACHE/current/$name"
	fi
	printf '%s\n' "$dir"
}

in_guest() {
	[ -n "${GPULANE_GUEST-}" ]
}

# guest_cached NAME - in a guest: print the directory the host last resolved NAME to, without working out
# its hash again (slow there) or building (slower); dies when the host never did.
guest_cached() {
	readlink -e "$GUEST_CACHE/current/$1" ||
		die "$1: not in the cache (on the host first: scripts/guest.d/$GUEST_PROG, or scripts/guest.d/prepare)"
}
