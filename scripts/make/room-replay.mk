# Programs that talk to the drivers without hardware (tests/kmod/replay, tests/kmod/gl-sched), for the guest's tests and the demo.
REPLAY_BIN := $B/tests/replay/gl-client $B/tests/replay/gl-jobs $B/tests/replay/gl-shoot

.PHONY: replay
replay: $(REPLAY_BIN)

$B/tests/replay/gl-%: $B/tests/replay/%.o $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS)

-include $(REPLAY_BIN:$B/tests/replay/gl-%=$B/tests/replay/%.d)

tools: replay
