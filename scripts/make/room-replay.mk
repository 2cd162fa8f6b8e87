# Programs that talk to the drivers without hardware (tests/kmod/replay, gl-sched, gl-display), for the guest's tests and the demo.
REPLAY_BIN := $B/tests/replay/gl-client $B/tests/replay/gl-jobs $B/tests/replay/gl-flip $B/tests/replay/gl-shoot $B/tests/replay/gl-syncobj

.PHONY: replay
replay: $(REPLAY_BIN)

$B/tests/replay/gl-%: $B/tests/replay/%.o $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS)

$B/tests/replay/gl-flip: $(addprefix $B/tests/replay/,kms.o fence.o flip_helper.o)

-include $(REPLAY_BIN:$B/tests/replay/gl-%=$B/tests/replay/%.d) $(addprefix $B/tests/replay/,kms.d fence.d flip_helper.d)

tools: replay
