# What is told of each frame (second file, `report --frames`) against what gl-flip knows of it (first file). A line for each fault:
# a refresh that was missed and is not told, one that is told and was not missed, a cause that was none. "Not known" is no fault.
# -v facts=FILE: a line of figures is appended there. -v planned=N: at least so many frames were late as planned. -v damaged=1: what
# is told of a frame may be missing or unknown. -v exact=1: the recording says which refresh is to show each picture.
#
# Otherwise the kernel finds it within the function whose entry is recorded: a refresh that comes just then is the next one.
# A frame is judged by what the program saw: an emulated machine that is busy makes further frames late, and others later.
function fault(what) { print "frame " t[1] " (" t[6] "): " what }
# What was not there as the last refresh came that it missed.
function is_possible(at) {
	if (at == "request")
		return ready > last
	if (at == "update")
		return ready <= last + slack
	if (at == "asked_late")
		return m == 1 && first - asked[s] < 2 * usual
	if (at == "interrupt")
		return armed[s] != "" && armed[s] <= last
	return at == "unknown"
}
# By what it was late on purpose; the fault may come too late, or something else later still.
function is_wanted(at) {
	if (t[6] == "update")
		return at == "update"
	if (t[6] ~ /^(ask|starved|client|blocked)$/)
		return at == "asked_late"
	return at == "request"
}
BEGIN { FS = ","; period = 16666667; slack = 1000; just = 100000 }
NR == FNR {
	if (FNR == 1)
		next
	n++
	line[n] = $0
	split($0, t, " ")
	if (t[6] == "none" && t[5] - t[2] < period && t[7] > t[2]) { took += t[7] - t[2]; of++ }
	next
}
FNR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; usual = of ? took / of : 0; next }
{
	if ($col["refresh"] == "")
		next
	s = $col["refresh"]
	if (s in missed)
		print "refresh " s ": told twice"
	asked[s] = $col["asked_ns"]; missed[s] = $col["missed"]; at[s] = $col["at"]; told_at[s] = $col["shown_ns"]; armed[s] = $col["armed_ns"]
	is_by[s] = $col["context"] ":" $col["seqno"]
}
END {
	for (k = 1; k <= n; k++) {
		split(line[k], t, " ")
		s = t[4]; ready = t[7]
		is_late = t[6] != "none" && t[6] != "idle"
		if (k == 1) from = s
		if (!exact && !(s in missed) && (s - 1 in missed) && told_at[s - 1] - armed[s - 1] < just) { raced++; continue }
		if (!(s in missed)) {
			if (!damaged) fault("nothing is told of it")
			continue
		}
		if (damaged && missed[s] == "") { unknown++; continue }
		# The program calls; the thread may lose its CPU before the kernel is asked, and behind it.
		if (asked[s] < t[2] || asked[s] > t[8])
			fault("asked for at " asked[s] ", not between " t[2] " and " t[8])
		m = int((t[5] - asked[s] - 1) / period)
		if (missed[s] != m) { fault("missed " m ", told " (missed[s] == "" ? "nothing" : missed[s])); continue }
		if (!m)
			continue
		frames++
		refreshes += m
		last = t[5] - period
		first = t[5] - m * period
		if (!is_possible(at[s]))
			fault(sprintf("told %s; asked %.3f ms before the first refresh that it missed (usually ready after %.3f), ready %.3f ms after the last", at[s], (first - asked[s]) / 1e6, usual / 1e6, (ready - last) / 1e6))
		if (at[s] == "request" && is_by[s] != t[3])
			fault("told the request " is_by[s] ", not " t[3])
		if (at[s] == "unknown") open++
		# The interrupt of the refresh that was to show it came a refresh late: what was late on purpose is not the cause.
		if (at[s] ~ /^(unknown|interrupt)$/ && armed[s] != "" && armed[s] <= last) { late_irq++; continue }
		if (!is_late)
			continue
		late++
		kind[t[6]]++
		if (at[s] == "unknown") late_open++
		else if (is_wanted(at[s])) right++
		else besides++
	}
	if (planned && late < planned) print "only " late + 0 " frames were late as planned"
	if (late_open > 0.05 * late && !damaged) print "of " late " frames that were late on purpose the cause of " late_open " is not told"
	for (k in kind) kinds = kinds " " k ":" kind[k]
	if (facts)
		printf "%d frames, %d refreshes; %d refreshes missed by %d frames, %d of them late on purpose (%d told by that, %d by what was later, %d not known); not known in all %d, armed just as a refresh came %d, before the last refresh missed %d;%s\n",
			n, t[4] - from + 1, refreshes, frames, late, right, besides, late_open, open + unknown, raced, late_irq, kinds >>facts
}
