# shellcheck shell=bash
# The laws of the models, written again from docs/models in programs that share nothing with userspace/ (tests/model/laws),
# and compared with what `gpulane model` says. Read by tests/model/run.
: "${work:?}" "${bin:?}"
# `gpulane model` becomes this program (`apart` in tests/model/run): where it runs hundreds of times, it is started at once.
directly() { "$bin-model" "$@"; }
laws=$work/laws
mkdir -p "$laws"
# These programs start hundreds of times: of `make check` the sanitizers' start would be most.
sanitizers=()
! in_all 'the programs of the laws with sanitizers' ||
	sanitizers=(-g -fsanitize=address,undefined -fno-sanitize-recover=all -static-libasan -static-libubsan)
build_laws() {
	for law in pad pipeline global softgpu; do
		"${CC:-gcc}" -O2 "${sanitizers[@]}" -Wall -Wextra -Werror -o "$laws/$law" "tests/model/laws/$law.c" -lm || return 1
	done
}
check 'laws: the checks are built' build_laws

# compare TOLERANCE OURS MODEL: two files of numbers, line by line; '-' and null are not compared. Says how many were.
compare() {
	awk -v part="$1" '
		NR == FNR { ours[FNR] = $0; next }
		{ n = split(ours[FNR], a); if (n != NF) { print "line " FNR ": " n " numbers, not " NF; bad++ }
		  for (i = 1; i <= NF; i++) {
			if (a[i] == "-" || $i == "-" || $i == "null") continue
			off = a[i] - $i; if (off < 0) off = -off
			n_compared++
			if (off > part * ($i < 0 ? -$i : $i) + 0.0051) { print "line " FNR ": " ours[FNR] " against " $0; bad++; break }
		  } }
		END { print n_compared + 0 " numbers compared, " bad + 0 " lines differ"; exit bad || !n_compared || FNR != length(ours) }' "$2" "$3" >"$laws/said"
	local status=$?
	tail -n 20 "$laws/said"
	return $status
}
columns() { # NAME...: of a CSV on stdin, a line a row
	awk -F, -v names="$*" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; n = split(names, want, " "); next }
		{ for (i = 1; i <= n; i++) printf "%s%s", $c[want[i]], i < n ? " " : "\n" }'
}

# --- van den Braak: locks, banks, hashes, rounds; 6,000 warps
law_warps() {
	"$laws/pad" warps 1 2000 >"$laws/addresses" || return 1
	for hash in none xor add; do
		"$laws/pad" cycles $hash "$laws/addresses" >"$laws/ours" || return 1
		model warp --hash $hash --addresses "$laws/addresses" --format csv | columns cycles position_degree bank_degree lock_degree >"$laws/model"
		compare 0 "$laws/ours" "$laws/model" || return 1
	done
}
check 'laws: a warp with locks, 6,000 at random' law_warps
law_votes() { # BINS FLOOR
	"$laws/pad" image 5 160 120 "$laws/image.pgm" || return 1
	for layout in replicated padded stretched; do
		"$laws/pad" votes "$1" $layout "$laws/image.pgm" "$2" >"$laws/ours" || return 1
		model histogram --sweep --bins "$1" --as-load --floor "$2" --layout $layout --format csv "$laws/image.pgm" 2>/dev/null |
			columns copies none xor add as_load >"$laws/model"
		compare 0 "$laws/ours" "$laws/model" || return 1
	done
}
check 'laws: histogram, three layouts' law_votes 64 0
check 'laws: histogram, with a floor' law_votes 1000 300

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
# Latencies by the number of warps: straight lines between the points, the nearest outside; then the closed form.
law_occupancy() {
	printf 'gpulane-device 1\nname x\nsource y\n[device]\nunits 1\nclock_mhz 1000\nmax_warps 48\n[op a]\npipe p\nissue 1\ncompletion 1\nat 4 2 40\nat 12 6 20\nat 20 3 60\n' >"$laws/at.dev"
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
		printf 'gpulane-device 1\nname x\nsource y\n[device]\nunits 1\nclock_mhz 1000\nmax_warps 64\n[op memory]\npipe global\nissue 1\ncompletion 400\n'
		printf '[global_atomics]\nload_coalesced 10\nload_uncoalesced 320\natomic_coalesced 20\natomic_uncoalesced 640\natomic_single 113\n'
	} >"$laws/measured.dev"
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

# --- Andryc: benchmarks whose threads are run, blocks handed out one by one
law_softgpu() {
	local seed of
	: >"$laws/soft.ours"
	: >"$laws/soft.json"
	for kernel in autocorr bitonic matmul reduction transpose; do
		for size in 32 128 256; do
			for machine in '1 8' '2 16' '3 32'; do
				read -ra of <<<"$machine"
				"$laws/softgpu" $kernel $size "${of[@]}" 3 50 >>"$laws/soft.ours"
				directly softgpu $kernel --size $size --sm "${of[0]}" --sp "${of[1]}" --cycles 3,50 --format json >>"$laws/soft.json"
			done
		done
		# The soft processor: 277 ms of `autocorr' divided by its instructions, times these, is its time.
		awk -v a="$("$laws/softgpu" scalar autocorr 256)" -v n="$("$laws/softgpu" scalar $kernel 256)" 'BEGIN { printf "%.6g\n", 277 / a * n }' >>"$laws/soft.ours"
		model softgpu $kernel --format json | jq '{rows: [{cycles: .microblaze_modelled_ms}]}' >>"$laws/soft.json"
	done
	for seed in {1..40}; do
		"$laws/softgpu" make "$seed" "$laws/law.kernel" >"$laws/told"
		read -ra of <"$laws/told"
		echo "${of[4]}" >>"$laws/soft.ours"
		directly softgpu "$laws/law.kernel" --sm "${of[0]}" --sp "${of[1]}" --cycles "${of[2]},${of[3]}" --format json >>"$laws/soft.json"
	done
	jq '.rows[0].cycles' "$laws/soft.json" >"$laws/soft.model"
	compare 0.0001 "$laws/soft.ours" "$laws/soft.model"
}
check 'laws: the soft GPGPU, five benchmarks and 40 kernels at random' law_softgpu
# Energy is power times time.
law_energy() {
	for kernel in autocorr bitonic matmul reduction transpose; do
		model softgpu $kernel --format csv | columns sm sp time_ms dynamic_mj
	done | awk '$1 == 1 { w = $2 == 8 ? 0.84 : $2 == 16 ? 1.08 : 1.39; off = $3 * w / $4 - 1; if (off > 0.002 || off < -0.002) { print; bad++ } n++ } END { exit bad || n != 15 }'
}
check 'laws: the soft GPGPU'"'"'s energy' law_energy

# --- Couturier: T(N) = 1 + x / N + c N. The model fits x and c in closed form; here they are searched by halving: c for each x
# such that no number of queues near n is faster than n, x such that the speed-up is the paper's.
law_divided() { # SPEED-UP N
	awk -v s="$1" -v n="$2" '
		function T(x, c, k) { return 1 + x / k + c * k }
		function c_of(x,  low, high, c) { low = 0; high = x
			for (i = 0; i < 100; i++) { c = (low + high) / 2; if (T(x, c, n + 1e-4) < T(x, c, n - 1e-4)) low = c; else high = c } return c }
		BEGIN { low = 0; high = 100
			for (j = 0; j < 100; j++) { x = (low + high) / 2; c = c_of(x); if (T(x, c, 1) / T(x, c, n) < s) low = x; else high = x }
			best = 1; for (k = 2; k <= 64; k++) if (T(x, c, k) < T(x, c, best)) best = k
			printf "%.3g %d %.3g\n", T(x, c, 1) / T(x, c, n), best, c * 4466 / T(x, c, 1) }'
}
law_queues() {
	{ law_divided 1.28 13; law_divided 1.72 12 | cut -d' ' -f1,2; } >"$laws/ours"
	awk -F' [|] ' '/^[|] Couturier/ { if ($2 ~ /^speed-up/) s = $4; if ($2 ~ /^queues beyond/) q[++n] = s " " $4; if ($2 ~ /^cost of a queue/) cost = sprintf("%.3g", $4) }
		END { print q[1], cost; print q[2] }' docs/models/papers.md >"$laws/model"
	compare 0.001 "$laws/ours" "$laws/model"
}
check 'laws: work divided among queues' law_queues

# --- Robertson: clusters, queues, bounces, locks, rows of banks. Devices at random (each case of KIND: its file, then what to run).
global_cases() { # KIND CASES
	awk -v kind="$1" -v cases="$2" -v files="$laws/global" '
		function dice(n) { s = s * 16807 % 2147483647; return int(s / 2147483647 * n) }
		function pick(list,  a, n) { n = split(list, a, " "); return a[1 + dice(n)] }
		function put(key, list) { printf "%s %s\n", key, pick(list) >file }
		function make(seed,  i, alone, banks, pattern, warps) {
			file = files seed ".dev"
			s = seed * 7919 + 17; for (i = 0; i < 9; i++) dice(2)
			alone = kind != "many"
			banks = kind == "banks" # where the banks are what is waited for
			printf "gpulane-device 1\nname law\nsource test\n[device]\nunits 4\nclock_mhz 1\nwarp 32\nmax_warps 32\n[global]\n" >file
			put("clusters", alone ? "1" : "1 2 4"); put("units_per_cluster", alone ? "1" : "1 2")
			put("partitions", "1 3 4 7"); put("partition_bytes", "128 256 512"); put("segment_bytes", "32 64 128"); put("lock_bytes", "4 32 64")
			put("cluster_queue", banks ? "32 64" : "2 8 32 64"); put("controller_queue", alone ? "32 64" : "8 16 32"); put("issue", "1 2"); put("latency", "12 28")
			put("hop", "7 10 30"); put("packet", "1 2 3"); put("retry", "10 40 200"); put("dram_latency", "50 111 220"); put("dram_burst", "1 2 5")
			put("alu_lanes", "1 4 8"); put("alu", "1 5 9"); put("banks", banks ? "1 2 3 4" : "1 2 4 16"); put("page_bytes", banks ? "64 256 512" : "256 512 2048")
			put("bank_busy", banks ? "60 111 300" : "0 12 36 80")
			if (dice(2)) printf "loop_free %d\nloop_bound %d\nloop_latency %d\n", 1 + dice(3), 1 + dice(3), 5 + dice(10) >file
			pattern = pick(banks ? "uncoalesced offset" : "single coalesced uncoalesced offset offset")
			warps = alone ? 1 : pick("2 4 8")
			print pick("load store load_store red atomic atomic"), pattern, warps, pattern == "offset" ? pick(alone ? "1" : "1 2") : 1,
				pattern == "offset" ? pick("4 32 64 128 256") : 0, pick("0 20"), alone ? 6 : 12
			close(file)
		}
		BEGIN { for (seed = 1; seed <= cases; seed++) make(seed) }'
}
law_global() { # KIND CASES TOLERANCE
	local n=0 of where
	global_cases "$1" "$2" >"$laws/cases" || return 1
	while read -ra of; do
		n=$((n + 1))
		"$laws/global" "$laws/global$n.dev" "${of[@]}" >>"$laws/global.$1.all"
		where=()
		[ "${of[1]}" != offset ] || where=(--blocks "${of[3]}" --offset "${of[4]}")
		directly global --device "$laws/global$n.dev" --op "${of[0]}" --pattern "${of[1]}" --warps "${of[2]}" \
			"${where[@]}" --arithmetic "${of[5]}" --iterations "${of[6]}" --format json >>"$laws/global.$1.json"
	done <"$laws/cases"
	same cases "$2" "$n" || return 1
	# Alone, all must be the same. Several may come at the same time, and then any may be the first: only what is
	# of many is compared.
	awk -v kind="$1" '{ print kind != "many" ? $1 " " $3 " " $4 " " $5 " " $6 " " $7 : $1 " " $5 " " $6 }' \
		"$laws/global.$1.all" >"$laws/global.$1.ours"
	jq -r --arg kind "$1" '.rows[0] | if $kind != "many" then "\(.mean) \(.least) \(.most) \(.per_operation) \(.transactions) \(.bounces)"
		else "\(.mean) \(.per_operation) \(.transactions)" end' "$laws/global.$1.json" >"$laws/global.$1.model"
	compare "$3" "$laws/global.$1.ours" "$laws/global.$1.model"
}
check 'laws: global memory, one warp: 30 devices at random, to the cycle' law_global alone 30 0.0005
check 'laws: its rows of banks, one warp: 30 devices that wait for them, to the cycle' law_global banks 30 0.0005
# Where many come at the same time, who is first decides what a single run takes; their mean does not depend on that.
law_global_many() {
	law_global many 24 0.15 && paste "$laws/global.many.ours" "$laws/global.many.model" | awk '{ sum += $1 > $4 ? $1 / $4 - 1 : $4 / $1 - 1 } END { print sum / NR; exit sum / NR > 0.02 }'
}
check 'laws: global memory, many warps: 24 devices at random, 2 % in the mean' law_global_many
