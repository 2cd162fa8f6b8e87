# What a filtered recording holds against an unfiltered one around it, both as babeltrace2 --clock-cycles
# prints them:
#
#   awk -v check=process|attached|engine|culprits -v who=PID|CLASS:INSTANCE [-v lost=N] -f filtered.awk ALL FILTERED
#
# process    the requests of the contexts that process `who` queues requests in, all of them, and no others
# attached   the same for a process that was there before and goes on after: from the first request that the
#            filtered recording saw queued to the last one it saw retired
# engine     the requests of engine `who`, and no others
# culprits   every switch of thread `who`, and those of a CPU on which it could run and did not
#
# lost: what both have counted as lost; of so many events each may be missing on one side, and of no more.
# Silent, exit code 0, when all is well.

# value(TEXT, NAME): of a field; text without its quotes
function value(text, name,    rest) {
	if (!match(text, "(^|[ {])" name " = "))
		return ""
	rest = substr(text, RSTART + RLENGTH)
	match(rest, /^("[^"]*"|[^ ,]+)/)
	return substr(rest, 1, RLENGTH)
}

function wrong(text) {
	print text
	bad = 1
}

# an event is missing on one side: wrong, unless it is one of those that were lost
function missing_one(text) {
	if (++missing_all > lost + 0)
		wrong(text)
}

# one event in the order of its kind and context
function keep(kind, ctx, what) {
	place = kind SUBSEP ctx
	places[place]
	n[side, place]++
	list[side, place, n[side, place]] = what
}

function request(    ctx, engine) {
	ctx = value(payload, "ctx")
	engine = value(payload, "class") ":" value(payload, "instance")
	if (check == "engine" && engine != who) {
		if (side)
			wrong("another engine\047s: " $0)
		else
			others++
		return
	}
	if (!((side, ctx) in seen)) {
		seen[side, ctx]
		contexts[ctx]
	}
	if (!side && kind == "i915_request_queue" && value(context, "pid") == who)
		owned[ctx]
	seqno = value(payload, "seqno") + 0
	if (side && kind == "i915_request_queue" && !(ctx in first))
		first[ctx] = seqno
	if (side && kind == "i915_request_retire")
		last[ctx] = seqno
	keep(kind, ctx, seqno)
}

FNR == 1 { side = NR > 1 }
{
	kind = $4
	sub(/:$/, "", kind)
	split($0, part, /\}, \{/)
	context = part[2]
	payload = part[3]
}
kind ~ /^i915_request_/ && check != "culprits" { request() }
kind ~ /^dma_fence_/ && kind !~ /_wait_/ && check !~ /engine|culprits/ {
	keep(kind, value(payload, "context"), value(payload, "seqno") + 0)
}
check == "culprits" && side {
	if (!begin)
		begin = $1
	end = $1
	if (kind == "sched_switch")
		have[value(part[1], "cpu_id"), value(payload, "prev_tid"), value(payload, "next_tid")]++
}
check == "culprits" && !side && kind == "sched_switch" { switched[++switches] = $0 }
# when the thread came to wait is for the filtered recording to say: its programs run after the others', and
# in between another CPU may have switched
check == "culprits" && side && kind ~ /^sched_(wakeup|wakeup_new|migrate_task)$/ && value(payload, "tid") == who {
	woken[++wakes] = $0
}

# two lists of one place, cut to what both can have
function compare(place,    at, i, j, low, high, a, b) {
	split(place, at, SUBSEP)
	if (check != "engine" && !(at[2] in owned))
		return
	low = -1
	high = 1e18
	if (check == "attached") {
		low = at[2] in first ? first[at[2]] : 1e18
		high = at[2] in last ? last[at[2]] : -1
	}
	i = j = 1
	for (;;) {
		while (i <= n[0, place] && (list[0, place, i] <= low || list[0, place, i] >= high))
			i++
		while (j <= n[1, place] && (list[1, place, j] <= low || list[1, place, j] >= high))
			j++
		a = i <= n[0, place] ? list[0, place, i] : "none"
		b = j <= n[1, place] ? list[1, place, j] : "none"
		if (a != b) {
			missing_one(at[1] " of context " at[2] ": request " a " of the unfiltered, " b " of the filtered (" \
				n[0, place] + 0 " and " n[1, place] + 0 " in all)")
			if (bad)
				return
			if (a == "none" || (b != "none" && b < a))
				j++
			else
				i++
			continue
		}
		if (a == "none")
			return
		compared[at[1]]++
		i++
		j++
	}
}

function requests(    ctx, place, foreign, some) {
	for (ctx in contexts) {
		if (check == "engine" || ctx in owned) {
			some++
			if (!((1, ctx) in seen))
				wrong("context " ctx ": none of its requests")
		} else {
			foreign++
			if ((1, ctx) in seen)
				wrong("context " ctx ": not one to record")
		}
	}
	if (!some)
		wrong("nothing to record")
	if (!foreign && !others)
		wrong("nothing to leave out")
	for (place in places)
		compare(place)
	for (kind in wanted)
		if (!compared["i915_request_" kind])
			wrong("no " kind " to compare")
}

function culprits(    i, k, cpu, prev, to, waits, ours, short, all) {
	waits = ""
	k = 1
	for (i = 1; i <= switches;) {
		# of one time the switch comes first
		if (k <= wakes && substr(woken[k], 1, 22) < substr(switched[i], 1, 22))
			$0 = woken[k++]
		else
			$0 = switched[i++]
		if ($1 < begin || $1 > end)
			continue
		kind = $4
		split($0, part, /\}, \{/)
		payload = part[3]
		cpu = value(part[1], "cpu_id")
		if (kind ~ /wakeup/)
			waits = value(payload, "target_cpu")
		if (kind ~ /migrate/ && waits != "")
			waits = value(payload, "dest_cpu")
		if (kind !~ /switch/)
			continue
		prev = value(payload, "prev_tid")
		to = value(payload, "next_tid")
		all++
		ours = who == prev || who == to
		if (ours || cpu == waits) {
			foreign += !ours
			if (have[cpu, prev, to])
				have[cpu, prev, to]--
			else {
				# a switch at the moment of a wake-up or a move may be on either side of it
				if (ours)
					missing_one("missing: " $0)
				else
					missing[++short] = $0
			}
		} else
			left++
		if (to == who || prev == who)
			waits = ""
		if (prev == who && value(payload, "prev_state") == 0)
			waits = cpu
	}
	if (short > 2)
		for (i = 1; i <= short; i++)
			wrong("missing, " short " of " foreign ": " missing[i])
	if (!foreign)
		wrong("nobody ran in the thread\047s place")
	if (!left)
		wrong("nothing to leave out")
}

END {
	split("execute in out retire", names, " ")
	for (i in names)
		wanted[names[i]]
	if (check == "culprits")
		culprits()
	else
		requests()
	exit bad
}
