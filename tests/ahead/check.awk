# SPDX-License-Identifier: MIT
# Holds `report --commands` against the truth of a scene: the report, then the truth.
#
#   fault ...      what is told is not so
#   commands N ...  of the parts of all waits: how many are told within 25 us and a tenth, and how many are not the whole wait at most
function fault(text) { if (++faults <= 20) print "fault " text ": " $0 }
BEGIN { FS = ","; split("behind_queue behind_process behind_others behind_nobody", names, " ") }
NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
FNR == NR {
	if ($c["start_ns"] != "") said[$c["pid"] " " $c["command"]] = $0
	next
}
FNR == 1 { FS = " "; $0 = $0 }
{
	commands++
	if (!split(said[$1 " " $2], a, ",")) {
		missing++
		next
	}
	if (a[c["waited_min_ns"]] == "") next
	known++
	slack = 3 + $3 * 20 / 1e6 # the clocks' rates: what ran is told by the device's clock
	within("waited", a[c["waited_min_ns"]], a[c["waited_max_ns"]], $3, $3)
	for (i = 1; i <= 4; i++) {
		least = a[c[names[i] "_min_ns"]]
		most = a[c[names[i] "_max_ns"]]
		within(names[i], least, most, $(3 + i), $(7 + i))
		parts++
		sure += most < $3 - slack || $3 < 1000
		exact += most - least < 25000 + $3 / 10
	}
}
# What is told holds both truths: of what is told to be complete, and with what may be.
function within(name, least, most, one, other) {
	if (least > (one < other ? one : other) + slack || most < (one > other ? one : other) - slack) fault(name " " least ".." most)
}
END { printf "commands %d missing %d known %d parts %d exact %d sure %d faults %d\n", commands, missing, known, parts, exact, sure, faults }
