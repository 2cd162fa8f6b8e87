# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What is there already stays as it is: links, files that are appended to, folders that are replaced.

# refuses TEXT COMMAND... - exit code 1 and one line with TEXT
refuses() {
	local text=$1 status=0
	shift
	"$@" >"$T/out" 2>"$T/err" || status=$?
	same 'exit code' 1 $status && same 'lines on stderr' 1 "$(wc -l <"$T/err")" && grep -qF -- "$text" "$T/err" ||
		{ cat "$T/err"; return 1; }
}

# appends FORMAT COMMAND... - what COMMAND writes to standard output comes behind what the file had
appends() {
	local whole=$1
	shift
	echo before >"$T/appended"
	"$@" >>"$T/appended" || return 1
	same 'first line' before "$(head -n 1 "$T/appended" | tr -d '\0')" || return 1
	tail -n +2 "$T/appended" | cmp - "$whole" || return 1
	# Not at its end, but in its middle, as a shell's group of commands has it.
	printf 'one\ntwo\nthree\n' >"$T/middle"
	{ read -r _; "$@"; } <>"$T/middle" >&0 || return 1
	same 'first line' one "$(head -n 1 "$T/middle" | tr -d '\0')"
	"$@" | cmp - "$whole"
}

# A recording that is read twice: it has losses which what came before them depends on.
"$G" export tests/golden/report/late-loss.txt --to html --output "$T/whole.html"
"$G" export tests/golden/report/late-loss.txt --to perfetto --output "$T/whole.perfetto"
check report-page-is-appended appends "$T/whole.html" "$G" report --html - tests/golden/report/late-loss.txt
check export-page-is-appended appends "$T/whole.html" "$G" export --to html --output - tests/golden/report/late-loss.txt
check export-perfetto-is-appended appends "$T/whole.perfetto" "$G" export --to perfetto --output - tests/golden/report/late-loss.txt

# leaves_alone COMMAND... - a link in the temporary name's place is not written through; $OUT in COMMAND is the output
leaves_alone() {
	rm -rf "$T/planted" && mkdir "$T/planted" && echo precious >"$T/victim" || return 1
	# shellcheck disable=SC2016 # the inner shell's
	OUT=$T/planted/new sh -c 'ln -s ../victim "$OUT.part-$$" && ln -s ../victim "$OUT" && rm "$OUT" && exec "$@"' sh "$@" >"$T/out" || return 1
	same victim precious "$(cat "$T/victim")" && [ -e "$T/planted/new" ] && [ ! -L "$T/planted/new" ]
}
check export-follows-no-planted-link leaves_alone sh -c "exec '$G' export --to html --output \"\$OUT\" tests/golden/report/late-loss.txt"
check calibrate-follows-no-planted-link leaves_alone sh -c \
	"exec '$G' calibrate --simulate fermi --rounds 3 --only ops --format csv --out \"\$OUT\""

# untouched COMMAND... - with a link and a FIFO as its last argument
untouched() {
	echo precious >"$T/victim"
	ln -sfn victim "$T/link"
	[ -p "$T/fifo" ] || mkfifo "$T/fifo"
	refuses 'is there already' timeout 120 "$@" "$T/link" && refuses 'is there already' timeout 120 "$@" "$T/fifo" &&
		same victim precious "$(cat "$T/victim")" && [ -L "$T/link" ] && [ -p "$T/fifo" ]
}
check export-to-a-link untouched "$G" export --to html tests/golden/report/late-loss.txt --output
check report-page-to-a-link untouched "$G" report tests/golden/report/late-loss.txt --html
check calibrate-to-a-link untouched "$G" calibrate --simulate fermi --rounds 3 --only ops --format csv --out
check import-to-a-link untouched "$G" import tests/golden/report/late-loss.txt --output

# A folder of somebody else's, as root: his links may lead anywhere.
others_links() {
	mkdir -p "$T/theirs" "$T/ours" && chown 65534 "$T/theirs" && ln -sfn ../ours "$T/theirs/link" &&
		chown -h 65534 "$T/theirs/link" || return 1
	for command in 'export --to html --output' 'export --to ctf --output' 'report --html' 'import --output'; do
		# shellcheck disable=SC2086 # words
		refuses 'is a link of user 65534' "$G" $command "$T/theirs/link/new" tests/golden/report/late-loss.txt || return 1
	done
	[ -z "$(ls "$T/ours")" ]
}
[ "$(id -u)" -ne 0 ] || check links-of-others-are-not-followed others_links

# --- `record` as root, with a session daemon of this suite's own behind other mounts

# with_daemon COMMAND... - in a mount namespace in which only that daemon is
with_daemon() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare --mount --propagation private bash -c '
		mount -t tmpfs t /run && mount -t tmpfs t /dev/shm && mkdir /run/lttng || exit 1
		export LSAN_OPTIONS= ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 OCL_ICD_VENDORS=pocl.icd
		pid=$1/sessiond.pid
		shift
		lttng-sessiond -b --no-kernel --pidfile "$pid" >/dev/null 2>&1
		trap '\''kill "$(cat "$pid")"'\'' EXIT
		for _ in $(seq 1200); do ! lttng list >/dev/null 2>&1 || break; sleep 0.1; done
		"$@"' bash "$T" "$@"
}

# The folder is moved away and a link put in its place before the daemon looks at it: at the call that starts it. Or the daemon
# seems to hang as the session is to be destroyed.
# The library is loaded by its name as it is needed: one of that name is there first, which has the real one,
# under another name, for all that it does not do itself.
make_replacer() {
	local real
	real=$(ldconfig -p | awk '/liblttng-ctl\.so\.0 .*x86-64/ { print $NF; exit }')
	mkdir -p "$T/replacer" && sed 's/liblttng-ctl\.so\.0/liblttng-CTL.so.0/g' "$real" >"$T/replacer/liblttng-CTL.so.0" &&
		cat >"$T/replacer.c" <<-'END' && gcc -shared -fPIC -o "$T/replacer/liblttng-ctl.so.0" "$T/replacer.c" -Wl,--no-as-needed "$T/replacer/liblttng-CTL.so.0"
		#include <dlfcn.h>
		#include <stdlib.h>
		#include <unistd.h>

		static int next(const char *name, const char *session)
		{
			void *real = dlopen("liblttng-CTL.so.0", RTLD_NOW);

			return ((int (*)(const char *))dlsym(real, name))(session);
		}

		int lttng_start_tracing(const char *session)
		{
			return system(getenv("REPLACE")) ? -1 : next("lttng_start_tracing", session);
		}

		int lttng_destroy_session(const char *session)
		{
			while (getenv("HANG") && !system(getenv("HANG")))
				pause();
			return next("lttng_destroy_session", session);
		}
	END
}
recording_is_replaced() {
	rm -rf "$T/shared" "$T/victims" && mkdir "$T/shared" "$T/victims" && make_replacer || return 1
	with_daemon env LD_LIBRARY_PATH="$T/replacer" \
		REPLACE="mv '$T/shared/rec' '$T/shared/away' && ln -s ../victims '$T/shared/rec'" timeout 600 "$G" record \
		--backend none --opencl preload -o "$T/shared/rec" -- env -u LD_LIBRARY_PATH LD_PRELOAD="$layer" "$T/stress" >"$T/out" 2>"$T/said" ||
		{ cat "$T/said"; return 1; }
	same victims "" "$(ls "$T/victims")" && [ -s "$T/shared/away/recording.json" ] &&
		[ -s "$T/shared/away/ust/uid/0/64-bit/metadata" ]
}

# The daemon does not end the session: whoever gives up has what was recorded, and a state.
daemon_hangs() {
	local pid status=0
	rm -rf "$T/rec" "$T/hangs"
	with_daemon env LD_LIBRARY_PATH="$T/replacer" REPLACE=true HANG="touch '$T/hangs'" "$G" record --backend none --opencl preload \
		-o "$T/rec" -- env -u LD_LIBRARY_PATH LD_PRELOAD="$layer" "$T/stress" >"$T/out" 2>"$T/said" &
	pid=$!
	until_holds test -e "$T/hangs" && pkill -TERM -f "^$G record .* -o $T/rec " && ends $pid || status=$?
	same 'exit code' 1 $status && same state failed "$(jq -r .state "$T/rec/recording.json")" &&
		grep -q 'LTTng session daemon has not ended the session' "$T/said" && "$G" report "$T/rec" >"$T/out" || { cat "$T/said" "$T/rec/recording.json"; return 1; }
}

# as_caller WANT [NAME=VALUE...] - who the command is, and its HOME
as_caller() {
	local want=$1
	shift
	rm -rf "$T/rec"
	with_daemon env HOME=/root USER=root GPULANE_OPENCL_LAYER="$layer" "$@" timeout 600 "$G" record --backend none --opencl preload -o "$T/rec" -- \
		sh -c "echo \"\$(id -u) \$(id -g) \$HOME \$USER\" >&2" 2>"$T/said"
	same command "$want" "$(head -n 1 "$T/said")" || { cat "$T/said"; return 1; }
}
# A program's name is no text that a parser must take, and what its arguments say is nobody's business.
hostile_command() {
	local name=$'\xff\e[31m\xc2\x9b\xe2\x80\xae\nline'
	rm -rf "$T/rec"
	ln -sf /bin/sh "$T/$name"
	with_daemon timeout 600 "$G" record --backend none --opencl preload -o "$T/rec" -- \
		"$T/$name" -c 'exit 3' --password=hunter2 2>"$T/said" || { cat "$T/said"; return 1; }
	is_clean "$T/said" "$T/rec/recording.json" && same program $'.\e[31m..\nline' "$(jq -r .command.program "$T/rec/recording.json")" &&
		same arguments 3 "$(jq .command.arguments "$T/rec/recording.json")" && ! grep -rqF hunter2 "$T/rec"
}

# What is exported is its owner's alone, whatever the umask allows.
exports_are_private() {
	rm -rf "$T/private" && mkdir "$T/private" && (umask 0 && cd "$T/private" && for to in html perfetto ctf; do "$G" export ../small.txt --to $to || exit; done) &&
		(umask 0 && "$G" report --html "$T/private/page.html" "$T/small.txt") >"$T/out" &&
		same 'what was exported' 4 "$(find "$T/private" -mindepth 1 -maxdepth 1 | wc -l)" && same 'what others may see' '' "$(find "$T/private" -mindepth 1 -perm /077)"
}
printf 'gpulane-events 1\n1 0 7/7 tracepoint sched_wakeup tid=7 comm=x\n' >"$T/small.txt"
check exports-are-private exports_are_private

nobody=$(getent passwd nobody | awk -F: '{ print $3, $4, $6, $1 }')
if [ "$(id -u)" -eq 0 ]; then
	# where any caller may read it
	mkdir "$T/layer" && cp "${B:-build-asan}/libgpulane-opencl.so" "$T/layer" && chmod 711 "$T" || exit 1
	layer=$T/layer/libgpulane-opencl.so
	gcc -O1 -g -D_GNU_SOURCE -o "$T/stress" tests/opencl/stress.c -lOpenCL -lpthread || exit 1
	check recording-is-replaced recording_is_replaced
	check daemon-hangs daemon_hangs
	check command hostile_command
	check sudo-group-of-root as_caller "$nobody" SUDO_UID=65534 SUDO_GID=0
	check sudo-without-group as_caller "$nobody" SUDO_UID=65534
	check sudo-of-root as_caller "0 0 /root root" SUDO_UID=0 SUDO_GID=0
	check sudo-of-nobody-known as_caller \
		"gpulane: record: SUDO_UID: \`x' is no user, so that nobody is known to run COMMAND as (--as-root runs it as root)" SUDO_UID=x
fi
