# Holds how requests ended, by `report --requests` (CSV), against what was injected, which is read first, a line each:
#     WORD CONTEXT SEQNO PID FROM TO     a pattern of `ended`, and between which times its fence was signalled
# All other requests are complete. With -v lost=1 a request, or whose it is, may not be told. Prints what is wrong, and last `told N of M`.
BEGIN { SLACK = 2000000 }

FILENAME == ARGV[1] {
	key = $2 ":" $3
	word[key] = $1; pid[key] = $4; from[key] = $5 - SLACK; to[key] = $6 + SLACK
	m++
	next
}

FNR == 1 {
	FS = ","
	$0 = $0
	for (i = 1; i <= NF; i++)
		at[$i] = i
	next
}

{
	key = $at["context"] ":" $at["seqno"]
	ended = $at["ended"]
	if (!(key in word)) {
		if (ended != "" && ended != "complete") {
			printf "%s of %s: nothing was done to it, told %s\n", key, $at["process"], ended
			bad++
		}
		next
	}
	if (ended == "")
		next
	n++
	seen[key]
	if (ended !~ "^(" word[key] ")$" || $at["pid"] != pid[key] && !(lost && $at["pid"] == "") || $at["signal_ns"] != "" && ($at["signal_ns"] < from[key] || $at["signal_ns"] > to[key])) {
		printf "%s is %s of %s at %s..%s: told %s of %s at %s\n", key, word[key], pid[key], from[key], to[key], ended, $at["pid"], $at["signal_ns"]
		bad++
	}
}

END {
	for (key in word)
		if (!(key in seen) && !lost) {
			printf "%s is %s of %s: not told\n", key, word[key], pid[key]
			bad++
		}
	printf "told %d of %d\n", n, m
	exit bad > 0
}
