# SPDX-License-Identifier: MIT
# Of a recording's events one in a hundred is lost: awk -v SEED=... -f lose.awk. With an odd seed they are lost one by one, else twenty of a CPU in a
# row. What is lost of a CPU between two events of it is a line of its own.

# Park and Miller's generator, Communications of the ACM 31 (1988): the same numbers in every awk.
function random() { return (state = state * 16807 % 2147483647) / 2147483647 }
function tell(ns, cpu) {
	print ns, cpu, "-/- - gpulane_lost count=" lost[cpu], "begin_ns=" (cpu in at ? at[cpu] : 0), "end_ns=" ns, "lost_cpu=" cpu
	lost[cpu] = 0
}
BEGIN {
	state = SEED * 7919 % 2147483646 + 1
	row = SEED % 2 ? 1 : 20
}
!/^[0-9]/ || $4 == "snapshot" { print; next }
{ last = $1; cpu = $2 }
!left[cpu] && random() < 0.01 / row { left[cpu] = row }
left[cpu] { left[cpu]--; lost[cpu]++; next }
lost[cpu] { tell($1, cpu) }
{ at[cpu] = $1; print }
END {
	for (cpu in lost)
		if (lost[cpu])
			tell(last, cpu)
}
