# SPDX-License-Identifier: MIT
# What `gpulane diff` says against what is true: awk -f judge.awk TRUTH FIGURES. TRUTH is the `# true` lines of make.awk. FIGURES is a line a figure, its
# fields separated by tabs: kind|who|what|figure, verdict, base, new, change_min, change_max. Prints one line: told or untold, then
# turned=KEY where it is told the wrong way round, false=KEY where what the change does not touch is told, and inside or outside: whether the interval holds the ratio that is known.
# A time that is up and a rate that is down is worse; of a share nothing says which is, so that it may be any.
function is_right(key, way, verdict, base, new) {
	if (verdict == "differs" || key ~ /^answer/)
		return way == "any" || key ~ /^answer/ || (way == "up") == (new > base)
	if (key ~ /[|](busy|on_cpu|runnable)$/)
		return way == "any" || (way == "up") == (new > base)
	return way == "any" || (verdict == "worse") == (key ~ /[|]rate$/ ? way == "down" : way == "up")
}
/^# true / { n++; what[n] = $3; way[n] = $4; must[n] = $5 == "must"; ratio[n] = $6; next }
{
	split($0, field, "\t")
	key = field[1]
	for (i = 1; i <= n && key !~ what[i]; i++)
		;
	if (i <= n && ratio[i] != "-")
		holds = (field[5] == "" || field[5] + 0 <= ratio[i]) && (field[6] == "" || field[6] + 0 >= ratio[i]) ? " inside" : " outside"
	if (field[2] !~ /^(worse|better|differs)$/)
		next
	if (i > n)
		said = said " false=" key ":" field[2]
	else if (!is_right(key, way[i], field[2], field[3] + 0, field[4] + 0))
		said = said " turned=" key ":" field[2]
	else if (must[i] && field[2] == "worse")
		is_told = 1
}
END { print (is_told ? "told" : "untold") said holds }
