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

# kernel_field VERSION FIELD - a field of the list's line: tried, suite, image, source, lttng
kernel_field() {
	local number
	case $2 in
	tried) number=2 ;;
	suite) number=3 ;;
	image) number=4 ;;
	source) number=5 ;;
	lttng) number=6 ;;
	esac
	awk -v v="$1" -v f="$number" '!/^#/ && $1 == v { print $f; exit }' "$GUEST_TOP/scripts/kernels.list"
}

# kernel_in_cache VERSION - print the directory of a version of the list, as today's scripts/guest.d/kernels unpacks it
# (in a guest, as the host has it)
kernel_in_cache() {
	local dir
	dir=$(readlink -e "$GUEST_CACHE/current/kernel-$1") || return
	in_guest || [ "$(cat "$dir/recipe" 2>/dev/null)" = "$(recipe_hash '' "$GUEST_D/kernels")" ] || return
	printf '%s\n' "$dir"
}

# kernel_tree V - print the directory below which a kernel's boot/ and lib/modules/ lie. V is a version of the list
# (fetched where it is not in the cache), or a release that is in the cache, or how one begins; or one of this
# machine's own, which has its files below / (an empty line)
kernel_tree() {
	local version dir
	if [ -n "$(kernel_field "$1" image)" ]; then
		kernel_in_cache "$1" && return
		in_guest && die "kernel $1: not in the cache (on the host: scripts/guest.d/kernels fetch $1)"
		"$GUEST_D/kernels" fetch "$1" && kernel_in_cache "$1"
		return
	fi
	for version in $(kernel_versions); do
		dir=$(readlink -e "$GUEST_CACHE/current/kernel-$version") || continue
		case $(cat "$dir/release") in
		"$1" | "$1"[.-]*)
			printf '%s\n' "$dir"
			return
			;;
		esac
	done
	[ -d "/lib/modules/$1/kernel" ] ||
		usage_die "kernel $1: neither in scripts/kernels.list nor a release in the cache (known: $(kernel_versions | paste -sd' '))"
	echo
}

# kernel_release V - print the release of a kernel that kernel_tree knows
kernel_release() {
	local tree
	tree=$(kernel_tree "$1") || exit
	if [ -n "$tree" ]; then
		cat "$tree/release"
	else
		printf '%s\n' "$1"
	fi
}

# kernel_build_dir V - print the directory that modules for a kernel are built against
kernel_build_dir() {
	local tree dir
	tree=$(kernel_tree "$1") || exit
	if [ -n "$tree" ]; then
		dir=$tree/usr/src/linux-headers-$(cat "$tree/release")
	else
		dir=/lib/modules/$1/build
	fi
	[ -e "$dir/Makefile" ] || die "kernel $1: its headers are not there (apt-get install linux-headers-$1)"
	printf '%s\n' "$dir"
}

# kernel_listed RELEASE - print the version of the list that has a release; nothing for this machine's own
kernel_listed() {
	local version tree
	tree=$(kernel_tree "$1") || exit
	for version in $(kernel_versions); do
		[ -z "$tree" ] || [ "$tree" != "$(kernel_in_cache "$version")" ] || printf '%s\n' "$version"
	done
}

# kernel_lttng RELEASE - print the Debian release whose lttng-modules are built for it: of the list's kernels the first that is not older
kernel_lttng() {
	local listed number version
	listed=$(kernel_listed "$1") || exit
	number=$(grep -oE '^[0-9]+\.[0-9]+' <<<"$1")
	for version in $(kernel_versions); do
		[ -z "$listed" ] || version=$listed
		! printf '%s\n' "$number" "$(kernel_field "$version" tried)" | sort -CV || break
	done
	kernel_field "$version" lttng
}

# kernel_source RELEASE - print the package that has its source; nothing for this machine's own
kernel_source() {
	local package
	package=$(kernel_field "$(kernel_listed "$1")" source)
	printf '%s\n' "${package/\*/$(grep -oE '^[0-9]+\.[0-9]+' <<<"$1")}"
}

# kernel_suite V - print the part of Debian's archive that a kernel in the cache is of; empty for this machine's own
kernel_suite() {
	local tree
	tree=$(kernel_tree "$1") || exit
	[ -z "$tree" ] || cat "$tree/suite"
}

# kernel_key V - print what a cached build depends on besides its recipe: the kernel and the compiler
kernel_key() {
	local tree suite
	tree=$(kernel_tree "$1") || exit
	suite=$(kernel_suite "$1")
	if [ -n "$tree" ]; then
		cat "$tree/packages"
	else
		uname -v
		package_version "linux-headers-$1"
	fi
	suite_run "$suite" gcc --version | head -n 1
}

# suite_is_ours SUITE - packages of it are this machine's own, and run on it
suite_is_ours() {
	# shellcheck source=/dev/null # a file of the system
	[ -z "$1" ] || [ "$1" = "$(. /etc/os-release && printf '%s' "${VERSION_CODENAME-}")" ]
}

# What modules are built with, in a root of another release
SUITE_PACKAGES=(gcc make libc6-dev pahole libelf-dev libssl-dev bc)

# suite_in_root SUITE OPTION... -- COMMAND [ARG...] - runs a command in the root of the release that SUITE belongs to; it
# sees the cache, which it may write to, and this tree; it starts in the working directory where that is in one of them
suite_in_root() {
	local release=${1%%-*} with=() package cd=/
	shift
	for package in "${SUITE_PACKAGES[@]}"; do
		with+=(--with "$package")
	done
	case $PWD/ in
	"$GUEST_CACHE"/* | "$GUEST_TOP"/*) cd=$PWD ;;
	esac
	mkdir -p "$GUEST_CACHE" || die "$GUEST_CACHE: cannot be made (set XDG_CACHE_HOME)"
	while [ "$1" != -- ]; do
		with+=("$1")
		shift
	done
	"$GUEST_TOP/scripts/debian-root" "${with[@]}" --bind-ro "$GUEST_TOP" --bind "$GUEST_CACHE" --cd "$cd" "$release" "$@"
}

# suite_run SUITE COMMAND [ARG...] - runs a command where the packages of a part of Debian's archive are at home:
# on this machine, or in a root of that release
suite_run() {
	local suite=$1
	shift
	if suite_is_ours "$suite"; then
		"$@"
	else
		suite_in_root "$suite" -- "$@"
	fi
}

# suite_fresh SUITE COMMAND [ARG...] - runs a command that asks apt; where it fails, once more with package lists that are
# brought up to date
suite_fresh() {
	local suite=$1
	shift
	if suite_is_ours "$suite"; then
		"$@" && return
		[ "$(id -u)" -eq 0 ] || die "$*: failed (the package lists may be out of date: run apt-get update as root)"
		progress "bringing the package lists up to date"
		apt-get -q update >&2 && "$@"
	else
		# shellcheck disable=SC2016 # expanded in there
		suite_in_root "$suite" --scratch -- sh -c '"$@" || { apt-get -q update >&2 && "$@"; }' - "$@"
	fi
}

# suite_download SUITE PACKAGE[=VERSION]... - downloads packages of a part of Debian's archive into the working directory
suite_download() {
	local suite=$1
	shift
	# apt's own user could not write there, and says so
	suite_fresh "$suite" apt-get -q -o APT::Sandbox::User=root download "$@"
}

# recipe_hash TEXT SCRIPT [FILE...] - short hash of what a cached build depends on: TEXT, the script up to
# its line "# --- command line", the files
recipe_hash() {
	local text=$1 script=$2
	shift 2
	[ -r "$script" ] || die "$script: cannot be read (is the checkout whole?)"
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
