# gl-packets: whether Trace Compass takes every packet of a trace that gpulane has written.
PACKETS := $B/tests/packets/gl-packets

$(PACKETS): $B/tests/packets/packets.o
	$(CC) $(ALL_LDFLAGS) -o $@ $^

build-tests: $(PACKETS)

-include $B/tests/packets/packets.d
