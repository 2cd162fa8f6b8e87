# What weston says of its frames (first file: its timeline), and its client of the refreshes that showed it (second: weston-presentation-shm -f),
# against what is told of each picture (third: `report --frames`). A line for each picture of which another number of missed refreshes is told.
# -v least=N: at least so many pictures. A line of figures is appended to the file `facts`.
#
# weston posts a frame just before it asks the kernel: a refresh that came in between was not missed.
BEGIN { period = 16666667; OFMT = CONVFMT = "%.0f" }
FILENAME == ARGV[1] && /core_repaint_posted/ { match($0, /\[[0-9]+, *[0-9]+\]/); posted = time(substr($0, RSTART, RLENGTH)) }
FILENAME == ARGV[1] && /core_repaint_finished/ {
	sub(/.*vblank_monotonic/, "")
	match($0, /\[[0-9]+, *[0-9]+\]/)
	us = int(time(substr($0, RSTART, RLENGTH)) / 1000)
	if (posted) post[us] = posted
	posted = 0
}
FILENAME == ARGV[2] && / seq [0-9]+$/ {
	if (presented) gaps += $NF - last - 1
	presented++
	last = $NF
	seen[last] = 1
}
FILENAME == ARGV[2] && /^discarded/ { discarded++ }
FILENAME == ARGV[3] && FNR == 1 { n = split($0, head, ","); for (i = 1; i <= n; i++) col[head[i]] = i }
FILENAME == ARGV[3] && FNR > 1 {
	split($0, t, ",")
	at = t[col["shown_ns"]]
	if (at == "" || t[col["missed"]] == "") { open++; next }
	told[t[col["refresh"]]] = 1
	us = int(at / 1000)
	if (!(us in post)) { unposted++; next }
	frames++
	m = int((at - post[us] - 1) / period)
	# refreshes between weston's word and the kernel's being asked
	between = int((at - post[us]) / period) - int((at - t[col["asked_ns"]]) / period)
	missed += t[col["missed"]]
	westons += m
	since += between
	cause[t[col["at"]]] += t[col["missed"]]
	if (t[col["asked_ns"]] < post[us])
		print "refresh " t[col["refresh"]] ": asked for before weston posted it"
	if (t[col["missed"]] != m - between)
		print "refresh " t[col["refresh"]] ": weston missed " m ", " between " of them before it asked; told " t[col["missed"]]
}
function time(words) { gsub(/[][,]/, " ", words); split(words, part, " "); return part[1] * 1000000000 + part[2] }
END {
	for (s in seen)
		if (!(s in told)) untold++
	if (frames < least) print "only " frames + 0 " pictures"
	if (untold) print untold " refreshes that the client was told of are not told"
	for (c in cause) if (cause[c]) causes = causes " " c ":" cause[c]
	printf "%d pictures, %d of them the client'\''s (%d discarded), %d refreshes in which it showed nothing new; weston missed %d, %d of them before it asked; told %d:%s; %d pictures without weston'\''s word, %d not known, %d of the client'\''s not told\n",
		frames, presented, discarded, gaps, westons, since, missed, causes, unposted, open, untold >>"facts"
}
