# gl-packets: whether Trace Compass takes every packet of a trace that gpulane has written.
PACKETS := $B/tests/packets/gl-packets

$(PACKETS): $B/tests/packets/packets.o $B/flags/ld
	$(link)

build-tests: $(PACKETS)

-include $B/tests/packets/packets.d
