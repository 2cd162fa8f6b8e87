# SPDX-License-Identifier: MIT
# usage: awk -v kind=KIND -v seed=N [-v lie=1] [-v slow=N] -v runs=FILE -f counters.awk EVENTS
# Puts counters into events as text: what the kernel's would have said, by the runs that really were. FILE has a line for each run:
# KEY CLIENT BEGIN END, KEY an engine as class/instance, CLIENT a number. KIND, each as its driver and kernel counts (docs/counters.md):
#   guc        i915's PMU under the GuC: exact to a tick of 19.2 MHz, the time of switching in it
#   execlists  i915's PMU: from the hand-over until the driver sees the end
#   saved      i915's fdinfo under the GuC: a context counts when it leaves the engine
#   live       xe's fdinfo since Linux 7.3: cycles, with what runs; now and then a value goes back and catches up
#   late       xe's fdinfo of before: cycles, and a context counts when it leaves
#   fences     amdgpu's: from fences
# lie: engines count a tenth. slow: readings are so many times rarer. What each counter counted between info begin_ns and end_ns goes to the file `counted`, if any:
# KEY NS BOUNDS, BOUNDS 1 where docs/counters.md says that it bounds something.
function drawn(most) { return int(rand() * most) }
function floor_to_tick(ns) { return int(int(ns * 0.0192) / 0.0192) }
# The runs of a key, each widened as the counter sees it; joined where an engine's overlap.
function widen(key, i,    n) {
	n = ++n_of[key]
	b[key, n] = begin[i] - before * rand()
	e[key, n] = end[i] + after * rand()
	if (is_engine && n > 1 && b[key, n] < e[key, n - 1]) {
		b[key, n] = e[key, n - 1]
		if (e[key, n] < b[key, n])
			e[key, n] = b[key, n]
	}
}
function busy(key, at,    i, sum) {
	for (i = 1; i <= n_of[key]; i++)
		if (b[key, i] < at && (!is_late || e[key, i] <= at))
			sum += (e[key, i] < at ? e[key, i] : at) - b[key, i]
	return sum + 0
}
function counter(key, id,    part) {
	split(key, part, "/")
	return sprintf("- -/- snapshot gpulane_counter client_id=%d per_second=%d id=%d what=%d trust=%d card=0 gt=0 capacity=%d pid=%d class=%d instance=%d comm=\"%s\" dev=0000:00:02.0 name=%s",
		is_engine ? 0 : part[2], is_cycles ? 0 : 1000000000, id, is_engine ? 0 : 1, trust, is_engine ? 1 : 8,
		is_engine ? -1 : part[2], part[1], is_engine ? part[2] : 65535, is_engine ? "" : "c", "n" id)
}
# One reading between `from` and `at`, at some time in between.
function sample(key, id, from, at,    when, value, shown) {
	when = from + drawn(at - from + 1)
	value = busy(key, when)
	value = is_cycles ? int(value * 0.0192) : kind == "guc" ? floor_to_tick(value) : int(value)
	if (lie)
		value = int(value / 10)
	shown = value
	if (kind == "live" && drawn(8) == 0 && most[key] > 2)
		shown = most[key] - 1 - drawn(most[key] < 200 ? most[key] - 1 : 200)
	if (shown > most[key])
		most[key] = shown
	return sprintf("- -/- snapshot gpulane_sample value=%d total=%d from_ns=%d id=%d", shown, is_cycles ? int(when * 0.0192) : 0, from, id)
}
function read_all(at,    k, from) {
	for (k = 1; k <= n_keys; k++) {
		from = at + drawn(300)
		at = from + 1 + drawn(drawn(10) ? 2000 : 40000)
		queue[++n_queued] = at " " sample(keys[k], k - 1, from, at)
	}
	return at
}
# One after the other: readings are told in their order, and what is told is never before what was.
function tell(now,    time) {
	while (n_told < n_queued) {
		time = queue[n_told + 1] + 0
		if (time > now)
			return
		print queue[++n_told]
		at_last = time
		delete queue[n_told]
	}
}
BEGIN {
	srand(seed)
	is_engine = kind == "guc" || kind == "execlists"
	is_late = kind == "saved" || kind == "late"
	is_cycles = kind == "live" || kind == "late"
	trust = kind == "guc" ? 1 : kind == "execlists" ? 3 : kind == "live" ? 9 : kind == "late" ? 8 : kind == "fences" ? 4 : 0
	before = kind == "execlists" ? 8000 : kind == "guc" ? 300 : kind == "fences" ? 5000 : 0
	after = kind == "execlists" ? 20000 : kind == "guc" ? 200 : kind == "fences" ? 9000 : 0
	while ((getline line < runs) > 0) {
		split(line, part, " ")
		key_of[++n] = is_engine ? part[1] : (part[1] + 0) "/" part[2]
		begin[n] = part[3]
		end[n] = part[4]
	}
	for (i = 1; i <= n; i++) {
		if (!n_of[key_of[i]])
			keys[++n_keys] = key_of[i]
		widen(key_of[i], i)
	}
	period = (2000 + drawn(drawn(2) ? 30000 : 300000)) * (slow ? slow : 1)
}
$1 == "info" && $2 == "begin_ns" { first = $3 }
$1 == "info" && $2 == "end_ns" { last = $3 }
/^[0-9]/ {
	if (!has_begun) {
		has_begun = 1
		for (k = 1; k <= n_keys; k++)
			print $1, counter(keys[k], k - 1)
		next_at = $1 + drawn(period)
	}
	if (!last)
		while (next_at < $1)
			next_at = read_all(next_at) + period
	else if (!is_read) {
		is_read = 1
		while (next_at + 100000 < last)
			next_at = read_all(next_at) + period
	}
	tell($1)
	at_last = $1
}
{ print }
END {
	tell(last ? last : at_last)
	for (k = 1; counted && k <= n_keys; k++) {
		is_late = 0
		printf "%s %d %d\n", keys[k], busy(keys[k], at_last) - busy(keys[k], first), trust % 2 > counted
	}
}
