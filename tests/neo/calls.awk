# SPDX-License-Identifier: MIT
# How long a program's calls take (tests/neo/calls.c), alone and recorded: two files, a call a line.
#
#   fault ...        a call that took seconds while no command of the GPU's could begin: it waits for one
#   CALL N ...       for each function: calls, and the median, the 99th percentile and the worst of each, in us
#
# -v way=TEXT: what the program does, for a line of a table in Markdown.
function percentile(which, name, share, i) {
	i = int(share * n[which, name] + 0.999)
	return v[which, name, i < 1 ? 1 : i] / 1000
}
function sort(which, name, count, gap, i, j, x) {
	for (gap = int(count / 2); gap > 0; gap = int(gap / 2))
		for (i = gap + 1; i <= count; i++) {
			x = v[which, name, i]
			for (j = i; j > gap && v[which, name, j - gap] > x; j -= gap) v[which, name, j] = v[which, name, j - gap]
			v[which, name, j] = x
		}
}
FNR == 1 { which++ }
{
	ns = $NF
	sub(/ [0-9]+$/, "")
	if (!($0 in seen)) names[++m] = $0
	seen[$0]
	v[which, $0, ++n[which, $0]] = ns
	if (/gate closed/ && ns > 2e9)
		printf "fault %s, %s: %.1f ms\n", which == 1 ? "alone" : "recorded", $0, ns / 1e6
}
END {
	for (i = 1; i <= m; i++) {
		name = names[i]
		for (w = 1; w <= 2; w++) sort(w, name, n[w, name])
		printf way ? "| " way " | `%s` | %d |" : "%s %d", name, n[2, name]
		for (w = 1; w <= 2; w++)
			printf way ? " %.1f | %.1f | %.1f |" : " %.1f %.1f %.1f", percentile(w, name, 0.5), percentile(w, name, 0.99), percentile(w, name, 1)
		printf "\n"
	}
}
