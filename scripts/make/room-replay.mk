# Programs that talk to the drivers without hardware (tests/kmod/replay, gl-sched, gl-display), for the guest's tests and the demo.
REPLAY_BIN := $B/tests/replay/gl-client $B/tests/replay/gl-jobs $B/tests/replay/gl-flip $B/tests/replay/gl-shoot

.PHONY: replay
replay: $(REPLAY_BIN)

$B/tests/replay/gl-%: $B/tests/replay/%.o $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS)

$B/tests/replay/gl-flip: $B/tests/replay/kms.o

-include $(REPLAY_BIN:$B/tests/replay/gl-%=$B/tests/replay/%.d) $B/tests/replay/kms.d

tools: replay
