# What feeds the counts for a fleet with what is known beforehand (tests/fleet, scripts/fleet).
$B/tests/fleet/feed: $B/tests/fleet/feed.o $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS)

-include $B/tests/fleet/feed.d
tools: $B/tests/fleet/feed

$B/tests/fleet/attack: $B/tests/fleet/attack.o $B/flags/ld
	$(link)

-include $B/tests/fleet/attack.d
tools: $B/tests/fleet/attack
