# SPDX-License-Identifier: MIT
# A long recording of a short one, in the text format: its events again and again, each time behind the one before, the requests with
# numbers of their own.
# usage: awk -v times=N -f tests/traces/repeat.awk TEXT
/^info end_ns / { next }
!/^[0-9]/ { print; next }
{
	time[++n] = $1
	sub(/^[0-9]+/, "")
	event[n] = $0
	if (match($0, / seqno=[0-9]+/) && substr($0, RSTART + 7, RLENGTH - 7) + 0 > most)
		most = substr($0, RSTART + 7, RLENGTH - 7) + 0
}
END {
	for (k = 0; k < times; k++)
		for (i = 1; i <= n; i++)
			if (!k || event[i] !~ / snapshot /)
				printf "%.0f%s\n", time[i] + k * (time[n] - time[1] + 1000), later(event[i])
}
function later(text,    head) {
	if (k && match(text, / seqno=/)) {
		head = substr(text, 1, RSTART + 6)
		return head (substr(text, RSTART + 7) + k * most) rest(substr(text, RSTART + 7))
	}
	while (k && match(text, /seqno[01]=[1-9][0-9]*/)) {
		head = head substr(text, 1, RSTART + 6) substr(text, RSTART + 7, RLENGTH - 7) + k * most
		text = substr(text, RSTART + RLENGTH)
	}
	return head text
}
function rest(text) {
	sub(/^[0-9]+/, "", text)
	return text
}
