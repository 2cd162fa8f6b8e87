# SPDX-License-Identifier: MIT
# Each call's time alone and recorded (ALONE RECORDED: lines of `NS CALL`): median, 99th percentile and worst, in us. A call that waits for the device
# when it is recorded, and did not alone, is a fault. What a call costs is none: whoever judges that needs a machine of his own. A kernel's time is what
# a wait for the last command takes. With half the calls of a kind, no other program's turn of the CPU decides.
{
	ns = $1
	sub(/^[0-9]+ /, "")
	way = FILENAME == ARGV[1] ? 1 : 2
	if (!($0 in known)) {
		known[$0] = 1
		names[++n] = $0
	}
	count[$0, way]++
	value[$0, way, count[$0, way]] = ns + 0
}
function sort_calls(name, way,   i, j, x) {
	for (i = 2; i <= count[name, way]; i++) {
		x = value[name, way, i]
		for (j = i - 1; j > 0 && value[name, way, j] > x; j--)
			value[name, way, j + 1] = value[name, way, j]
		value[name, way, j + 1] = x
	}
}
function part(name, way, share,   i) {
	i = int(count[name, way] * share + 0.999)
	return value[name, way, i < 1 ? 1 : i] / 1000
}
END {
	print "| call | calls | median alone | recorded | p99 alone | recorded | worst alone | recorded |"
	print "|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= n; i++) {
		sort_calls(names[i], 1)
		sort_calls(names[i], 2)
		printf "| %s | %d |", names[i], count[names[i], 1]
		for (k = 1; k <= 3; k++) {
			share = k == 1 ? 0.5 : k == 2 ? 0.99 : 1
			printf " %.1f | %.1f |", part(names[i], 1, share), part(names[i], 2, share)
		}
		print ""
	}
	kernel_us = part("clWaitForEvents", 1, 0.5)
	for (i = 1; i <= n; i++) {
		if (count[names[i], 1] != count[names[i], 2]) {
			printf "%s: called %d times alone, %d times recorded\n", names[i], count[names[i], 1], count[names[i], 2]
			faults++
		}
		if (count[names[i], 1] >= 8 && part(names[i], 1, 0.5) < kernel_us / 8 && part(names[i], 2, 0.5) > kernel_us / 4) {
			printf "%s: waits for the device: median %.1f us, %.1f us alone; a kernel takes %.1f us\n", names[i], part(names[i], 2, 0.5), part(names[i], 1, 0.5), kernel_us
			faults++
		}
	}
	if (kernel_us < 4000) {
		printf "a wait for the device takes %.1f us: too little to be told from other times\n", kernel_us
		faults++
	}
	printf "alike: %d kinds of calls, %d faults\n", n, faults
	exit faults > 0
}
