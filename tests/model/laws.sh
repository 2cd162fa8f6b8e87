# shellcheck shell=bash
# The laws of the models, written again from docs/models in programs that share nothing with userspace/ (tests/model/laws),
# and compared with what `gpulane model` says. Read by tests/model/run.
: "${work:?}" "${bin:?}"
# `gpulane model` becomes this program (`apart` in tests/model/run): where it runs hundreds of times, it is started at once.
directly() { "$bin-model" "$@"; }
check 'laws: the checks are built' build_laws tests/model/laws/pad.c tests/model/laws/pipeline.c

# --- what would change an atomic's cost, and what global memory sees of it
law_changes() {
	for seed in {1..60}; do
		"$laws/pad" changes "$seed" "$laws/changes.pattern" >>"$laws/changes.ours" || return 1
		directly pattern "$laws/changes.pattern" --device fermi-gtx580 --format json >>"$laws/changes.json"
	done
	jq -r '.rows | "\(.[0] | "\(.cycles) \(.with_xor) \(.with_add) \(.with_padding) \(.with_copies // .cycles)") \(.[1] |
		"\(.position) \(.lock) \(.segments)")"' \
		"$laws/changes.json" >"$laws/changes.model"
	compare 0 "$laws/changes.ours" "$laws/changes.model"
}
check 'laws: hash, padding and copies on the same addresses, segments and locks of global memory' law_changes

# --- Dong and Pai: one server, and warps that queue for it
law_queue() { # unit | locks
	for seed in {1..60}; do
		"$laws/pad" "$1" "$seed" "$laws/queue.pattern" "$laws/queue.dev" >>"$laws/$1.all"
		device_in "$laws/queue.dev"
		directly pattern --times --device "$laws/queue.dev" "$laws/queue.pattern" --format json
	done | jq -r '.rows[0] | "\(.cycles) \(.local_atomics_utilisation)"' >"$laws/$1.model"
	cut -d' ' -f1,2 "$laws/$1.all" >"$laws/$1.ours"
	compare 0.00001 "$laws/$1.ours" "$laws/$1.model"
}
check 'laws: the queue before a unit, played event by event' law_queue unit
check 'laws: the queue before the memory with locks' law_queue locks
# max(cycles, W service) an atomic: what is played differs from the formula by the queue's beginning and end alone.
law_closed() {
	awk '{ off = $1 / $3 - 1; if (off < -1e-6 || off > 0.05) { print; bad++ } n++ } END { exit bad || n != 60 }' "$laws/unit.all"
}
check 'laws: the queue is max(cycles, W service)' law_closed

# --- Cornelis: kernels at random, whose latencies have six digits
law_pipeline() {
	local seed told
	for seed in {1..150}; do
		"$laws/pipeline" "$seed" "$laws/law.graph" "$laws/law.dev" >"$laws/told" || return 1
		device_in "$laws/law.dev"
		read -r told <"$laws/told"
		echo "${told#* = }" >>"$laws/pipeline.ours"
		read -ra args <<<"${told% = *}"
		directly pipeline "$laws/law.graph" --device "$laws/law.dev" "${args[@]}" --format json >>"$laws/pipeline.json"
	done
	jq .cycles "$laws/pipeline.json" >"$laws/pipeline.model"
	compare 0.0000001 "$laws/pipeline.ours" "$laws/pipeline.model"
}
check 'laws: 150 kernels at random, with barriers, stores, limits and groups that follow' law_pipeline
# Numbers of warps that fit: groups of w warps, as many as 8 groups and 48 warps (32 and 64) allow.
law_fits() {
	same Fermi '34 18' "$(fits 8 48)" && same Pascal '94 48' "$(fits 32 64)" &&
		same 'Fermi, the model' '34 18' "$(modelled fermi-c2050 14)" && same 'Pascal, the model' '94 48' "$(modelled pascal-gtx1060 10)"
}
fits() {
	awk -v groups="$1" -v warps="$2" 'BEGIN { for (w = 1; w <= 32; w *= 2) for (m = 1; m <= groups && m * w <= warps; m++) { n++; seen[m * w] = 1 }
		for (k in seen) different++; print n, different }'
}
modelled() {
	for w in 1 2 4 8 16 32; do directly pipeline --device "$1" --chain fadd --length 1 --group-warps $w --groups "$2" --sweep groups --format csv | columns warps; done |
		awk '{ n++; if (!seen[$1]++) different++ } END { print n, different }'
}
check 'laws: combinations of group size and groups' law_fits
# Little's law against the simulation of rounds of a memory access and N additions, each waiting for the one before: the first number
# of warps within 5 % of the busiest pipeline.
law_mixes() {
	local device n
	for device in fermi-c2050 pascal-gtx1060; do
		for n in 0 8 48 64 256; do
			{ printf 'gpulane-graph 1\nrepeat 1000\nx = memory x\n' && for _ in $(seq $n); do echo 'x = fadd x'; done && echo end; } >"$laws/mix.graph"
			directly pipeline "$laws/mix.graph" --device $device --sweep warps --format json |
				jq -r --argjson n $n --slurpfile device userspace/model/devices/$device.json '
					def value: if type == "object" then .value else . end;
					$device[0].op as {$memory, $fadd} | ([$memory.issue, $n * $fadd.issue | value] | max) as $busiest |
					"\((($memory.completion | value) + $n * ($fadd.completion | value)) / $busiest) \([.rows[] | select(.cycles / 1000 / .warps <= 1.05 * $busiest).warps][0])"'
		done
	done | awk '{ off = $2 / $1 - 1; print; if (off < -0.1 || off > 0.11) bad++; n++ } END { exit bad || n != 10 }'
}
check "laws: warps that hide a latency, by Little's law" law_mixes
# Latencies by the number of warps: straight lines between the points, the nearest outside; then the closed form.
law_occupancy() {
	printf 'name x\nsource y\n[device]\nunits 1\nclock_mhz 1000\nmax_warps 48\n[op a]\npipe p\nissue 1\ncompletion 1\nat 4 2 40\nat 12 6 20\nat 20 3 60\n' >"$laws/at.dev"
	device_in "$laws/at.dev"
	awk 'function line(w, x1, y1, x2, y2) { return y1 + (w - x1) * (y2 - y1) / (x2 - x1) }
		BEGIN { for (w = 1; w <= 30; w++) {
			i = w <= 4 ? 2 : w <= 12 ? line(w, 4, 2, 12, 6) : w <= 20 ? line(w, 12, 6, 20, 3) : 3
			c = w <= 4 ? 40 : w <= 12 ? line(w, 4, 40, 12, 20) : w <= 20 ? line(w, 12, 20, 20, 60) : 60
			print w, w * i <= c ? 50 * c + (w - 1) * i : c + (50 * w - 1) * i } }' >"$laws/ours"
	model pipeline --chain a --length 50 --device "$laws/at.dev" --sweep warps --format csv | columns warps cycles | head -n 30 >"$laws/model"
	compare 0 "$laws/ours" "$laws/model"
}
check 'laws: latencies that depend on the occupancy' law_occupancy
# Accesses that were measured with one transaction and with 32: a straight line; global atomics: what further lanes on a word cost.
law_measured() {
	{
		printf 'name x\nsource y\n[device]\nunits 1\nclock_mhz 1000\nmax_warps 64\n[op memory]\npipe global\nissue 1\ncompletion 400\n'
		printf '[global_atomics]\nload_coalesced 10\nload_uncoalesced 320\natomic_coalesced 20\natomic_uncoalesced 640\natomic_single 113\n'
	} >"$laws/measured.dev"
	device_in "$laws/measured.dev"
	: >"$laws/ours"
	: >"$laws/measured.json"
	for apart in 1 2 8 32; do
		for access in load atomic; do
			awk -v apart=$apart -v access=$access 'BEGIN {
				printf "gpulane-pattern 1\nlaunch k 1 512 1 1 512 1 1\nsite 1 7 1 %s%s global 4 0 8192\nw 1 320", access, access == "atomic" ? " add" : " -"
				for (i = 0; i < 32; i++) printf " %d", i * apart * 4
				printf "\ngraph k\n| gpulane-graph 1\n| like global_atomic memory\n| repeat 20\n| x = %s@7 x\n| end\ndone\n", access == "load" ? "memory" : "global_atomic" }' >"$laws/measured.pattern"
			# Segments of 128 bytes: as many as `apart`. 16 warps of 20 accesses, one behind the other: eq. 1.
			awk -v s=$apart -v access=$access 'BEGIN { one = access == "load" ? 10 : 20; all = 32 * one
				# Eight warps that wait for 400 cycles each tell nothing of the issue latency, which is then the op'"'"'s.
				one = 8 * one > 1.25 * 400 ? one : 1; all = 8 * all > 1.25 * 400 ? all : one
				i = one + (s - 1) / 31 * (all - one)
				c = i > 400 ? i : 400; print 16 * i <= c ? 20 * c + 15 * i : c + (20 * 16 - 1) * i }' >>"$laws/ours"
			directly pattern --times --device "$laws/measured.dev" "$laws/measured.pattern" --format json >>"$laws/measured.json"
		done
	done
	jq '.rows[0].cycles' "$laws/measured.json" >"$laws/model"
	printf 'gpulane-pattern 1\nlaunch k 1 32 1 1 32 1 1\nsite 1 7 1 atomic add global 4 0 4096\nw 1 1 %s\ndone\n' "$(printf '0 %.0s' {1..32})" >"$laws/one.pattern"
	echo 93 >>"$laws/ours" # 31 lanes of (113 - 20) / 31
	model pattern --device "$laws/measured.dev" "$laws/one.pattern" --format csv | columns collision_cycles >>"$laws/model"
	compare 0.00001 "$laws/ours" "$laws/model"
}
check 'laws: measured accesses of global memory, and lanes on one word of it' law_measured
