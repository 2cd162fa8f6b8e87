# Programs that talk to the drivers without hardware (tests/kmod/replay, gl-sched, gl-display), for the guest's tests and the demo.
REPLAY_BIN := $B/tests/replay/gl-client $B/tests/replay/gl-jobs $B/tests/replay/gl-flip $B/tests/replay/gl-shoot $B/tests/replay/gl-syncobj
STACK_BIN  := $B/tests/replay/gl-stack $B/tests/replay/gl-stack-bare $B/tests/replay/gl-stack-stripped

.PHONY: replay
replay: $(REPLAY_BIN) $(STACK_BIN)

$B/tests/replay/gl-%: $B/tests/replay/%.o $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS)

$B/tests/replay/gl-flip: $(addprefix $B/tests/replay/,kms.o fence.o flip_helper.o)

# One program, with frame pointers, without them, and without its symbols: as programs are, whatever the others are built with.
STACK_FLAGS = -std=gnu11 -O2 $(WARN) -D_GNU_SOURCE
$B/tests/replay/gl-stack: FRAMES := -fno-omit-frame-pointer
$B/tests/replay/gl-stack-bare: FRAMES := -fomit-frame-pointer
$B/tests/replay/gl-stack $B/tests/replay/gl-stack-bare: tests/replay/stack.c tests/replay/device.h tests/kmod/gl-sched/uapi.h $B/flags/cc
	@mkdir -p $(@D)
	$(call step,LD,$@)$(CC) $(STACK_FLAGS) $(FRAMES) -o $@ $<
$B/tests/replay/gl-stack-stripped: $B/tests/replay/gl-stack
	$(call step,STRIP,$@)strip -o $@ $<

-include $(REPLAY_BIN:$B/tests/replay/gl-%=$B/tests/replay/%.d) $(addprefix $B/tests/replay/,kms.d fence.d flip_helper.d)

tools: replay
