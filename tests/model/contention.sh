# shellcheck shell=bash
# Atomics on global memory of all units: what the model says against what an H100 took (tests/model/gpu). Read by tests/model/run.
: "${work:?}"
# The slices alone: a kernel of one addition, and the accesses of its warps.
slices() { # NAME WORK-ITEMS unused|'' : lines `COUNT ADDRESS...' on stdin
	{
		printf 'gpulane-pattern 1\nwarp 32\nlaunch k %d 64 1 1 %d 1 1\nsite 1 1 1 atomic inc global 4 0 67108864%s\n' $(($2 / 64)) "$2" "${3:+ $3}"
		sed 's/^/w 1 /'
		printf 'graph k\n| gpulane-graph 1\n| like global_atomic fadd\n| x = fadd@2\ndone\n'
	} >"$work/$1.pattern"
}
# In ns an access, of so many.
an_access() { # NAME ACCESSES KEY
	model pattern --times --device nvidia-h100 --format json "$work/$1.pattern" | jq ".rows[0].$3 * 1e6 / $2"
}
measured() { # FILE WORD... : the mean of the runs
	awk -v words="${*:2}" '{ line = $1 " " $2 " " $3 } line == words { sum += $4; n++ } END { print sum / n }' "tests/model/gpu/$1"
}
within() { awk -v what="$1" -v is="$2" -v want="$3" -v part="$4" 'BEGIN { printf "%s: %g, measured %g, %+.1f %%\n", what, is, want, 100 * (is / want - 1); exit !(is >= want * (1 - part) && is <= want * (1 + part)) }'; }
# Robertson's sweep, of 132 groups: lane l of row r on 8192 g + 1024 l + offset / 4 r; a warp has four rows.
lock_width() { # OFFSET PART
	awk -v offset="$1" 'BEGIN { for (g = 0; g < 132; g++) for (w = 0; w < 2; w++) {
		printf "1000"; for (r = 4 * w; r < 4 * w + 4; r++) for (l = 0; l < 8; l++) printf " %d", 4 * (8192 * g + 1024 * l) + offset * r
		print "" } }' | slices lock 8448 unused
	within "lock-width $1" "$(an_access lock 8448000 time_ms)" "$(measured lock-width lock_atomic offset "$1")" "$2"
}
for offset in 0 16 32 64 128 256 512; do
	check "a real GPU, contention: lock-width $offset" lock_width "$offset" 0.25
done
# 132 words side by side, 128 bytes apart, of 256 lanes each: by how the hash spreads 33 neighbouring chunks.
single() { awk 'BEGIN { for (g = 0; g < 132; g++) { printf "8000"; for (l = 0; l < 32; l++) printf " %d", 128 * g; print "" } }' | slices "single$1" 33792 "$1"; }
red_single() {
	local want least
	single unused
	want=$(measured micro red single 0) least=$(an_access singleunused 33792000 least_ms)
	within 'red single' "$(an_access singleunused 33792000 time_ms)" "$want" 0.65 && awk -v least="$least" -v want="$want" 'BEGIN { exit !(least <= want) }'
}
check 'a real GPU, contention: red single lies in its bounds' red_single
used() {
	single ''
	within 'atomic over red' "$(awk -v a="$(an_access single 1 time_ms)" -v r="$(an_access singleunused 1 time_ms)" 'BEGIN { print a / r }')" \
		"$(awk -v a="$(measured micro atomic single 0)" -v r="$(measured micro red single 0)" 'BEGIN { print a / r }')" 0.1
}
check 'a real GPU, contention: a result that is used' used

# The workloads of scripts/on-gpu with a 64th of their pixels; load is a sum over pixels. Fitted: global-flat (word), global-256 (chunk);
# predicted: global-16, and that the size of groups does not matter.
collide() { # NAME CHANGE GROUP GROUPS BINS OPTION...
	local want
	want=$(awk -v name="$1" -v change="$2" '$1 == name && $2 == change { sum += $3; n++ } END { print sum / n }' tests/model/gpu/times)
	model pattern --out "$work/collide" --times --device nvidia-h100 --format json -- build/workloads/histogram --frames 1 --width 256 --height 256 \
		--group "$3" --groups "$4" --bins "$5" --global "${@:6}" >"$work/collide.json" 2>"$work/collide.said" || { cat "$work/collide.said"; return 1; }
	within "$1 $2" "$(jq '.rows[0].time_ms * 64e6' "$work/collide.json")" "$want" 0.05 &&
		jq -e --argjson want "$want" '.rows[0] | .least_ms * 64e6 <= $want and .most_ms * 64e6 >= $want' "$work/collide.json"
}
collisions() {
	make -s build/workloads/histogram
	{ printf 'P5 256 256 255\n' && head -c 65536 /dev/zero | tr '\0' '\100'; } >"$work/flat.pgm"
	local sizes='256' size
	! in_all 'groups of all sizes that collide' || sizes='32 64 128 256 512 1024'
	for size in $sizes; do
		change=base
		[ "$size" = 256 ] || change=group-$size
		check "a real GPU, contention: global-16, $change" collide global-16 "$change" "$size" $((264 * 256 / size)) 16
		check "a real GPU, contention: global-256, $change" collide global-256 "$change" "$size" $((264 * 256 / size)) 256 --noise 100
		check "a real GPU, contention: global-flat, $change" collide global-flat "$change" "$size" $((264 * 256 / size)) 256 --image "$work/flat.pgm"
	done
}
