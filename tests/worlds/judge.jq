# SPDX-License-Identifier: MIT
# Judges a report of one world. Input: `gpulane report -n 0 --format json`. $truth: the world's truth as an object of texts; $causes: the names by
# which its cause may be told; $own: what may be said of any program, as it names nobody and says how the program itself works.
# Output: one line, `named`, `named first`, `not named`, `silent` or `false CAUSE: SENTENCE`, then `too much CAUSE TOLD TRUE` where a least time is more than the truth.
($truth.who) as $who | ($truth.cost | tonumber) as $cost | ($truth.turns | tonumber) as $turns
| (.verdict as $v | [.answers | to_entries[] | .value + { place_in: .key, says: ($v[.key] // "") }]) as $all
| [$all[] | select(.kind == "late" or .kind == "fault")] as $late
# An answer is about the program if it names it, or a device, an engine or nobody.
| [$late[] | select(.who == $who or (.who // "" | test("\\[") | not))] as $about
| [$about[] | select(.cause as $c | any($causes[]; . == $c))] as $hits
| (if $truth.side == "harm" then
	[$hits[] | select($truth.by == "-" or .by == $truth.by or (.says | contains($truth.by))) | select(.says | contains($truth.says // ""))] as $right
	| if ($right | length) == 0 then "not named: " + ([$about[].cause] | join(" "))
	  elif $right[0].place_in == 0 then "named first" else "named" end,
	  # Waking up and switching takes some us of each turn, and counts for what comes before.
	  ($right[] | select($cost > 0 and .lasted != null and .lasted.min_ns > $cost + $turns * 15000)
		| "too much \(.cause) \(.lasted.min_ns) \($cost | floor)"),
	  ($late[] | select($truth.innocent != null and .by == $truth.innocent and .who == $who) | "false \(.cause): \(.says)")
  else
	[if $truth.kind == "none" then $late[] else $late[] | select(.who == $who) end, $hits[]] | unique
	| [.[] | select(.cause as $c | any($own[]; . == $c) and true | not)]
	| if length == 0 then "silent" else "false \(.[0].cause): \(.[0].says)" end
  end)
