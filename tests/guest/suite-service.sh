#!/bin/bash
# gpulane.service as systemd runs it: its user, its privileges, what it sees, its limits; a late request is caught in there, the
# configuration is read again, and it comes back after kill -9.
set -u
if [ -z "${GPULANE_GUEST-}" ]; then
	. "$(dirname "$0")/lib/suite.sh"
	if [ ! -x /lib/systemd/systemd ] || ! command -v systemctl >/dev/null; then
		left_out service 'systemd is not installed'
		suite_end service
		exit
	fi
	replay_suite service
fi

# --- in the guest -------------------------------------------------------------------------------
. "$(dirname "$0")/lib/replay.sh"
details() {
	inside systemctl status gpulane --no-pager --lines 0
	inside journalctl -u gpulane --no-pager --lines 20
	dmesg | tail -n 10
}

# inside COMMAND... - where systemd is process 1: it answers nobody else
inside() { nsenter -t "$one" -p -m -- "$@"; }
# soon COMMAND... - within a minute
soon() {
	for _ in $(seq 120); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.5
	done
	return 1
}
says() { inside journalctl -u gpulane --no-pager --output cat | grep -E -- "$1"; }
main_pid() { inside systemctl show gpulane --property MainPID --value; }
# status FIELD - of its process
status() { inside sed -n "s/^$1:[[:space:]]*//p" "/proc/$(main_pid)/status"; }
same() { [ "$2" = "$3" ] || { printf '%s: expected %s, got %s\n' "$1" "$2" "$3"; return 1; }; }

insmod "$1"
install -D -m 755 "$B/gpulane" /opt/gpulane/bin/gpulane
install -d /etc/gpulane /run/systemd/system
sed 's,@bindir@,/opt/gpulane/bin,' scripts/systemd/gpulane.service.in >/run/systemd/system/gpulane.service
printf 'slower-than 300ms\nprocess hist\nbefore 500ms\nafter 200ms\nper-hour 1000\n' >/etc/gpulane/watch.conf
# Of this machine's other services none.
for unit in systemd-{udevd,udev-trigger,networkd,modules-load,binfmt,timesyncd,random-seed,hwdb-update,journal-flush,tmpfiles-setup,tmpfiles-setup-dev}.service \
	apparmor.service keyboard-setup.service console-setup.service; do
	ln -sf /dev/null "/run/systemd/system/$unit"
done
printf '[Unit]\nRequires=sysinit.target\nAfter=sysinit.target\n' >/run/systemd/system/only.target
unshare --fork --pid --mount --mount-proc --propagation private -- env -i "PATH=$PATH" container=guest \
	/lib/systemd/systemd --system --unit=only.target --log-target=kmsg --show-status=no &
for _ in $(seq 100); do
	one=$(pgrep -P $!) && break
	sleep 0.1
done
verdict systemd soon inside systemctl is-active only.target

verdict starts inside systemctl start gpulane
# It catches SIGUSR1 from when it is about to begin.
begun() {
	local caught
	caught=$(status SigCgt)
	[ -n "$caught" ] && [ $((16#$caught & 512)) != 0 ]
}
verdict begins soon begun
sleep 2
"$client" --name hist --cpu 1 --count 1000000 --duration 4000 --period 30000 --depth 1 >/dev/null 2>&1 &
hist=$!
user() { [ "$(status Uid | cut -f 1)" -ge 61184 ] && [ "$(status Uid | tr '\t' '\n' | sort -u | wc -l)" = 1 ]; }
verdict user-of-its-own user
capabilities() { same capabilities 0000000000000000 "$(for set in Inh Prm Eff Amb; do status Cap$set; done | sort -u)"; }
verdict no-capabilities capabilities
# 2: SECCOMP_MODE_FILTER
filter() { same 'no new privileges' 1 "$(status NoNewPrivs)" && same 'system calls' 2 "$(status Seccomp)"; }
verdict system-calls-are-filtered filter
limits() {
	local group
	group=/sys/fs/cgroup$(inside systemctl show gpulane --property ControlGroup --value)
	same memory 1073741824 "$(inside cat "$group/memory.max")" && same tasks 16 "$(inside cat "$group/pids.max")"
}
verdict limits limits
# its COMMAND... - among the files that it sees
its() { nsenter -t "$one" -p -m -- nsenter -t "$(main_pid)" -m -- "$@"; }
sees() {
	same 'its home' '' "$(its find /root /home -mindepth 1 2>/dev/null)" && same 'its devices' '' "$(its find /dev -type b)" &&
		! its test -e /dev/gl-replay && ! its touch /usr/x /etc/x /opt/x 2>/dev/null
}
verdict sees-nothing-of-others sees

sleep 3
"$client" --name gpuhog --cpu 0 --count 1 --duration 600000 >/dev/null 2>&1
verdict late-request soon says 'request [0-9]+:[0-9]+ of hist.*the limit was 300 ms; device_queue [0-9.]+ ms by gpuhog: /var/lib/gpulane/hit-000001'
private() { same 'the folder' '700' "$(inside stat -L -c %a /var/lib/gpulane)" && same 'its recording' 700 "$(inside stat -c %a /var/lib/gpulane/hit-000001)"; }
verdict folder-is-private private
verdict recording-is-read inside sh -c "/opt/gpulane/bin/gpulane report /var/lib/gpulane/hit-000001 | grep '^Requests:'"

printf 'slower-than 200ms\nprocess hist\n' >/etc/gpulane/watch.conf
verdict reloads inside systemctl reload gpulane
verdict configuration-is-read-again soon says 'was read again'
before=$(main_pid)
inside kill -KILL "$before"
again() {
	local now
	now=$(main_pid)
	[ "$now" != 0 ] && [ "$now" != "$before" ] && begun
}
verdict comes-back-after-kill soon again
verdict hit-is-still-there inside sh -c "/opt/gpulane/bin/gpulane watch --list | grep '^ *1  request of hist; device_queue by gpuhog'"
verdict trigger inside /opt/gpulane/bin/gpulane watch --trigger=again
verdict trigger-is-written soon says 'manual "again": /var/lib/gpulane/hit-000002'
verdict stops inside systemctl stop gpulane
verdict ended-well same result success "$(inside systemctl show gpulane --property Result --value)"
kill $hist
