# SPDX-License-Identifier: MIT
# Compares `gpulane report --requests --format json` with the oracle's truth. It knows nothing of how gpulane comes to what it says.
# docs/oracle.md has what counts as right.
# usage: awk [-v show=N] [-v strict=1] -f tests/oracle/check.awk TRUTH REPORT
# show: the first N wrong things, on stderr; strict: fails when anything is wrong. Figures are `KEY VALUE` lines, which compare adds up.

BEGIN { n_values = split("queue add submit execute start end running preempted signal retire", value, " ") }

# -- the truth --

FNR == NR && /^(dev|at)=/ {
	for (i = 1; i <= NF; i++)
		key[substr($i, 1, index($i, "=") - 1)] = substr($i, index($i, "=") + 1)
}

FNR == NR && /^dev=/ {
	id = key["ctx"] ":" key["seqno"]
	for (i = 1; i <= n_values; i++)
		at[id, value[i]] = key[value[i]]
	n_runs[id] = n = split(key["runs_stamps"], run, ",")
	for (i = 1; i <= n; i++) {
		split(run[i], side, "-")
		begins[id, i] = side[1]
		ends[id, i] = side[2]
	}
}

FNR == NR && /^at=/ {
	id = key["victim"]
	i = ++n_preemptions[id]
	stamps[id, i] = key["stamps"]
	culprit[id, i] = key["culprit"]
	why[id, i] = key["why"]
}

FNR == NR { next }

# -- what agrees with it: [low, high] is what the report tells --

function in_bounds(time) { return time >= low && time <= high }

# Whether one of the stamps lies in the bounds; else `away` is how far the nearest one is.
function meets(list,    all, n, i, off) {
	n = split(list, all, "/")
	away = 1e30
	for (i = 1; i <= n; i++) {
		off = all[i] < low ? low - all[i] : all[i] - high
		if (off <= 0)
			return 1
		away = off < away ? off : away
	}
	return 0
}

# Whether a sum of the runs, or of the gaps between them, lies in the bounds: one choice of stamps for each begin and each end. An interval
# that is empty in a report may really be a little negative. Of too many sums the window from the least to the greatest counts.
function sum_meets(id, is_running,    sums, longer, lengths, from, to, n, m, i, j, k, d, s, least, most, n_sums, n_lengths, short, long) {
	if (in_bounds(at[id, is_running ? "running" : "preempted"] + 0))
		return 1 # the hardware's own
	sums[0]
	n_sums = 1
	for (k = is_running ? 1 : 2; k <= n_runs[id]; k++) {
		n = split(is_running ? begins[id, k] : ends[id, k - 1], from, "/")
		m = split(is_running ? ends[id, k] : begins[id, k], to, "/")
		split("", lengths)
		n_lengths = long = 0
		short = 1e30
		for (i = 1; i <= n; i++)
			for (j = 1; j <= m; j++) {
				d = to[j] > from[i] ? to[j] - from[i] : 0
				n_lengths += !(d in lengths)
				lengths[d]
				short = d < short ? d : short
				long = d > long ? d : long
			}
		least += short
		most += long
		if (!n_sums || n_sums * n_lengths > 65536) {
			n_sums = 0
			continue
		}
		split("", longer)
		for (s in sums)
			for (d in lengths)
				longer[s + d]
		split("", sums)
		n_sums = 0
		for (s in longer) {
			sums[s]
			n_sums++
		}
	}
	if (!n_sums)
		return most >= low && least <= high
	for (s in sums)
		if (in_bounds(s + 0))
			return 1
	return 0
}

function value_meets(id, name) {
	if (name == "start")
		return meets(begins[id, 1])
	if (name == "end")
		return meets(ends[id, n_runs[id]])
	if (name == "running" || name == "preempted")
		return sum_meets(id, name == "running")
	return at[id, name] ~ /^[0-9]/ && in_bounds(at[id, name] + 0)
}

# -- the report --

function wrong(id, what) {
	if (n_shown++ < show)
		printf "%s: %s\n", id, what | "cat >&2"
}

function told() { return " " low " to " high }

# Takes the bounds, as they stand behind a value's name; whether there are any.
function take(part, i,    is_range) {
	is_range = part[i + 1] == "\"min\""
	low = part[i + (is_range ? 2 : 1)]
	high = part[i + (is_range ? 4 : 1)]
	if (low !~ /^[0-9]/ && high !~ /^[0-9]/) {
		low = 0
		high = 1e30
		return 0
	}
	low += 0 # null: 0
	high = high ~ /^[0-9]/ ? high + 0 : 18446744073709551615
	return 1
}

function check_value(id, name, is_known,    is_right, kind) {
	if (!is_known) {
		count[name ".unknown"]++
		return
	}
	kind = low == high ? "exact" : "bounds"
	count[name "." kind]++
	count[name ".wide_us"] += (high - low) / 1000
	if (value_meets(id, name))
		return
	count[name (kind == "exact" ? ".wrong" : ".violated")]++
	count[name ".far"] += (name == "start" || name == "end") && away > 10000
	wrong(id, name told())
}

# The true preemption that the told one can be: of those, the one with the same culprit first.
function match_of(id, who,    i, found) {
	for (i = 1; i <= n_preemptions[id]; i++)
		if (!((id, i) in matched) && meets(stamps[id, i]) && (!found || culprit[id, i] == who && culprit[id, found] != who))
			found = i
	return found
}

function check_preemption(id, text, is_nearly,    part, who, reason, i) {
	split("\"at_ns\":" text, part, /[,:{}]+/)
	take(part, 1)
	who = match(text, /"culprit":"[^"]*/) ? substr(text, RSTART + 11, RLENGTH - 11) : ""
	reason = match(text, /"why":"[^"]*/) ? substr(text, RSTART + 7, RLENGTH - 7) : ""
	i = match_of(id, who)
	count["preemptions.told"]++
	if (is_nearly && (!i || who != "" && who != culprit[id, i])) {
		count["preemptions.none_nearly"]++ # told to be none if another had ended then
		return
	}
	if (!i) {
		count["preemptions.none_such"]++
		wrong(id, "no such preemption" told())
		return
	}
	matched[id, i]
	if (who != "") {
		count["culprits.told"]++
		if (who != culprit[id, i]) {
			count["culprits.wrong"]++
			wrong(id, "wrong culprit" told())
		}
	}
	if (reason != "" && reason != "unknown") {
		count["whys.told"]++
		if (reason != why[id, i]) {
			count["whys.wrong"]++
			wrong(id, "wrong why" told())
		}
	}
}

# A missed one is no lie when the request's bounds have room for it. Those that may be none come last: what is certain has its true one by then.
function check_preemptions(id, text, is_held,    list, n, i, is_nearly) {
	n = split(text, list, /\{"at_ns":/)
	for (is_nearly = 0; is_nearly < 2; is_nearly++)
		for (i = 2; i <= n; i++)
			if ((list[i] ~ /"unless_ns"/) == is_nearly)
				check_preemption(id, list[i], is_nearly)
	count["preemptions.true"] += n_preemptions[id]
	for (i = 1; i <= n_preemptions[id]; i++) {
		if ((id, i) in matched)
			continue
		count["preemptions.missed" (is_held ? "_held" : "")]++
		if (!is_held)
			wrong(id, "missed preemption")
	}
}

/^\{.*\}$/ {
	text = index($0, "\"preemptions\"")
	n = split(substr($0, 1, text - 1), part, /[,:{}]+/)
	split("", place)
	for (i = 1; i < n; i++)
		place[part[i]] = i
	id = part[place["\"context\""] + 1] ":" part[place["\"seqno\""] + 1]
	if (!(id in n_runs)) {
		count["requests.no_such"]++
		next
	}
	is_told[id]
	count["requests.told"]++
	for (i = 1; i <= n_values; i++) {
		is_known = place["\"" value[i] "_ns\""] && take(part, place["\"" value[i] "_ns\""])
		check_value(id, value[i], is_known)
		if (value[i] == "preempted")
			is_held = !is_known || low != high && sum_meets(id, 0)
	}
	check_preemptions(id, substr($0, text), is_held)
	next
}

/^\{/ {
	print "not JSON: " substr($0, 1, 60) | "cat >&2"
	failed = 1
}

END {
	for (id in n_runs)
		count["requests.not_told"] += !(id in is_told)
	for (i = 1; i <= n_values; i++)
		count[value[i] ".exact"] += 0
	for (what in count) {
		printf "%s %.0f\n", what, count[what]
		if (what ~ /\.(wrong|violated|none_such|no_such|missed)$/)
			bad += count[what]
	}
	exit failed || strict && bad
}
