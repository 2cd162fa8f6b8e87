# SPDX-License-Identifier: MIT
# What a report says of counters against what they counted (the lines of counters.awk's `counted`): what is wrong, a line each.
# For an engine `of` is its name; for a client NAME[PID] CLASS. usage: jq -r --rawfile counted FILE -f told.jq
["rcs", "bcs", "vcs", "vecs", "ccs"] as $engines |
($counted | split("\n") | map(select(. != "") | split(" ")) | map({key: .[0], value: {ns: (.[1] | tonumber), bounds: (.[2] == "1")}})
	| from_entries) as $truth |
.counters[] | . as $c |
(if $c.counter == "engine_busy" then
	$c.of | capture("^(?<class>[a-z]+)(?<instance>[0-9]+)$") | "\(.class as $n | $engines | index($n))/\(.instance)"
else
	($truth | keys[] | select($c.of | contains("[" + .[2:] + "]")))
end) as $key |
select($truth[$key] != null) | $truth[$key] as $t |
if $c.counted == null then
	select($t.bounds and $c.samples > 1) | "\($c.of): it bounds, and that is not told"
elif $t.bounds | not then "\($c.of): it bounds nothing, and bounds are told"
elif $t.ns + 100 < $c.counted.min_ns or $t.ns > $c.counted.max_ns + 100 then
	"\($c.of): \($t.ns) ns, told \($c.counted.min_ns)..\($c.counted.max_ns)"
else empty end
