# shellcheck shell=bash
# What suite-frames holds against what gl-flip knows: NAME.truth, NAME.rec and NAME.dump in this directory. In the guest or on the host.
# GPULANE and TOP are set.
# shellcheck disable=SC2034 # the suites use what is set here

# frames_late FRAMES EVERY - each EVERYth of so many frames is to be late, by each cause in turn
frames_late() {
	awk -v frames="$1" -v every="$2" 'BEGIN {
		n = split("behind preempted client starved ask device blocked job dependency update idle", why, " ")
		for (at = 20; at < frames - 5; at += every)
			print at ":" why[i++ % n + 1]
	}'
}

# frames_true NAME [-v VARIABLE=VALUE] - every event is there and says what the program knows
frames_true() {
	awk "${@:2}" -f "$TOP/tests/guest/lib/frames-truth.awk" "$1.truth" "$1.dump" >"$1.faults"
	tail -n 30 "$1.faults"
	tail -n 1 "$1.faults" | sed "s/^/$1: /" >>facts
	[ "$(wc -l <"$1.faults")" = 1 ]
}

# frames_of_display NAME - what the events say of a device and a CRTC is the display's
frames_of_display() {
	grep -E ' (drm_vblank_event|gpulane_flip|gpulane_flip_armed|gpulane_flip_shown) ' "$1.dump" | grep -vE '^(recorded|absent) ' >"$1.events"
	[ -s "$1.events" ] && ! grep -vE ' crtc=0 .*dev=1 | dev=1 crtc=0( |$)' "$1.events"
}

# frames_connector NAME - where the display is shown is told once a second, and said by name
frames_connector() {
	local told seconds
	told=$(grep -c ' gpulane_flip_connector dev=1 crtc=0 connectors=1 name=Virtual-1$' "$1.dump")
	seconds=$(awk 'NR == 2 { from = $2 } END { printf "%d", ($2 - from) / 1e9 }' "$1.truth")
	echo "told $told times in $seconds s"
	[ "$told" -ge 1 ] && [ "$told" -le $((seconds + 2)) ] || return 1
	"$GPULANE" report --format json "$1.rec" | jq -e '.screens | length == 1 and .[0].connector == "Virtual-1"'
}

# frames_told NAME PLANNED [-v exact=1] - each frame missed as many refreshes as it is told to, by what was late; at least PLANNED were late
# on purpose
frames_told() {
	"$GPULANE" report --frames "$1.rec" >"$1.told" || return 1
	awk -v facts=facts -v planned="$2" "${@:3}" -f "$TOP/tests/guest/lib/frames-told.awk" "$1.truth" "$1.told"
}

# frames_named NAME [DAMAGED] - whom requests stood behind or waited for, and who had the CPU, is who was to be
frames_named() {
	"$GPULANE" report --format json "$1.rec" | jq -r '.. | objects | .missed_refreshes? // empty | .[]
		| select(.by != null) | "\(.at) \(.commits) \(.by)"' >"$1.named" || return 1
	awk -v damaged="${2-}" '
		NR == FNR { if ($6 != "none") late[$6]++; next }
		{ sub(/\[.*/, "", $3); named[$3] += $2 }
		# Of few it may be that another stage of each was longer, on a busy machine.
		function held(who, why, least) {
			if (named[who] > late[why] || (!damaged && late[why] > 8 && named[who] < least * late[why]))
				print who " made " named[who] + 0 " frames late, of " late[why] + 0 " planned as " why
		}
		END {
			held("gl-behind", "behind", 0.5)
			held("gl-other", "dependency", 0.5)
			held("gl-hog", "starved", 0)
		}' "$1.truth" "$1.named"
}

# frames_damaged NAME OPTION... - NAME.dump of which something is missing (frames-damage.awk): nothing that is told is wrong
frames_damaged() {
	awk "${@:2}" -f "$TOP/tests/guest/lib/frames-damage.awk" "$1.dump" >damaged.rec || return 1
	cp "$1.truth" damaged.truth
	"$GPULANE" report --frames damaged.rec >damaged.told || return 1
	awk -v damaged=1 -v facts=damaged.facts -f "$TOP/tests/guest/lib/frames-told.awk" "$1.truth" damaged.told | sed "s/^/${*:2}: /"
	frames_named damaged 1
}

# frames_damages NAME SEEDS - so many times with events lost and begun amid a frame, and without each kind of event
frames_damages() {
	local seed event
	: >damaged.facts
	verdict events-lost "$(for ((seed = 1; seed <= $2; seed++)); do
		frames_damaged "$1" -v "seed=$seed" -v lost=1
		frames_damaged "$1" -v "seed=$seed" -v lost=10
	done)"
	verdict begun-amid "$(for ((seed = 1; seed <= $2; seed++)); do
		frames_damaged "$1" -v "from_ns=$(awk -v seed="$seed" -v of="$2" 'FNR > 1 { n++; asked[n] = $2; ready[n] = $7 }
			END { at = 1 + int(n * (seed - 1) / of); printf "%d", (asked[at] + ready[at]) / 2 }' "$1.truth")"
	done)"
	verdict kinds-absent "$(for event in drm_vblank_event gpulane_flip gpulane_flip_fence gpulane_flip_armed gpulane_flip_done gpulane_flip_shown \
		gpulane_flip_failed dma_fence_init dma_fence_signaled sched_switch sched_waking sched_wakeup sched_migrate_task drm_sched_job_queue \
		drm_sched_job_run drm_sched_job_done drm_sched_job_add_dep i915_request_in i915_request_out i915_request_execute; do
		frames_damaged "$1" -v "absent=$event"
	done)"
	awk '{ sub(/.*frames, [0-9]* refreshes; /, ""); n += $1 } END { print "of damaged recordings " n " missed refreshes are told, in " NR " readings" }' damaged.facts >>facts
}

# frames_check NAME PLANNED - all of that
frames_check() {
	"$GPULANE" dump "$1.rec" >"$1.dump"
	check truth-of-each-frame frames_true "$1"
	check device-and-crtc frames_of_display "$1"
	check all-recorded test -z "$(grep -E '^absent (drm_vblank_event|gpulane_flip)' "$1.dump")"
	check connector-named frames_connector "$1"
	verdict told-as-it-was "$(frames_told "$1" "$2" -v exact=1)"
	verdict named-as-it-was "$(frames_named "$1")"
	frames_damages "$1" 4
}
