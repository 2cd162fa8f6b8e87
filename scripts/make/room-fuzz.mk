# libFuzzer targets (clang), with AddressSanitizer and UBSan; the fuzz suite runs them for a while.
FUZZ_B    := build-fuzz
FUZZ_SRC  := $(sort $(wildcard tests/fuzz/*_fuzz.c))
FUZZ_BIN  := $(FUZZ_SRC:tests/fuzz/%.c=$(FUZZ_B)/%)
FUZZ_ROOM := $(sort $(foreach r,base clock decode norm model timeline latency session show watch,$(wildcard userspace/$r/*.c)))
# These record, or write recordings: capture/ is not fuzzed.
FUZZ_ROOM := $(filter-out $(addprefix userspace/,session/copy.c session/lately.c session/running.c session/stream.c watch/feed.c),$(FUZZ_ROOM))
FUZZ_ROOM += userspace/watch/cgroups.c userspace/watch/http.c
# What the targets share; the rules that a Perfetto trace keeps are its suite's.
FUZZ_OBJ  := $(FUZZ_ROOM:%.c=$(FUZZ_B)/%.o) $(FUZZ_B)/gen/trace.pb-c.o \
             $(addprefix $(FUZZ_B)/tests/,fuzz/decoder.o fuzz/file.o fuzz/hostile.o fuzz/output.o perfetto/rules.o perfetto/ftrace_rules.o perfetto/gpu_rules.o)
FUZZ_CFLAGS = -std=gnu11 -O1 -gline-tables-only -fsanitize=fuzzer-no-link$(comma)address$(comma)undefined \
              -fno-sanitize-recover=all -fno-omit-frame-pointer -D_GNU_SOURCE \
              -DGPULANE_VERSION='"$(VERSION)"' -Iuserspace -I$B/gen $(PKG_CFLAGS) -MMD -MP

# A folder of its own has flags of its own.
FLAGS += fuzz
FLAGS_DIR_fuzz = $(FUZZ_B)/flags
FLAGS_fuzz = $(CLANG) $(FUZZ_CFLAGS) $(FUZZ_OBJ)

$(FUZZ_B)/%.o: %.c $(FUZZ_B)/flags/fuzz | $B/packages/build $(PERFETTO_PB).h
	@mkdir -p $(@D)
	$(call step,FUZZ,$<)$(CLANG) $(FUZZ_CFLAGS) -c -o $@ $<

$(FUZZ_B)/gen/trace.pb-c.o: $(PERFETTO_PB).c $(FUZZ_B)/flags/fuzz
	@mkdir -p $(@D)
	$(call step,FUZZ,$<)$(CLANG) $(FUZZ_CFLAGS) -c -o $@ $<

$(FUZZ_BIN): $(FUZZ_B)/%: $(FUZZ_B)/tests/fuzz/%.o $(FUZZ_OBJ) $(FUZZ_B)/flags/fuzz
	$(call step,LD,$@)$(CLANG) -fsanitize=fuzzer$(comma)address$(comma)undefined -o $@ $(filter %.o,$^) \
	  $(shell $(PKGCONFIG) --libs json-c zlib libzstd libtraceevent) $(PERFETTO_LIBS) $(if $(HAS_SQLITE),-lsqlite3) -lm

-include $(FUZZ_OBJ:.o=.d) $(FUZZ_BIN:$(FUZZ_B)/%=$(FUZZ_B)/tests/fuzz/%.d)

# The same targets in one program without libFuzzer, built as all tests are: what `make check` runs.
FUZZ_NAMES  := $(FUZZ_SRC:tests/fuzz/%_fuzz.c=%)
REPLAY_OBJ  := $(FUZZ_NAMES:%=$B/tests/fuzz/%_replay.o) $(addprefix $B/tests/,fuzz/replay.o fuzz/decoder.o fuzz/file.o fuzz/hostile.o fuzz/output.o perfetto/rules.o perfetto/ftrace_rules.o perfetto/gpu_rules.o) $(PERFETTO_PB).o
CFLAGS_tests_fuzz_replay = '-DTARGETS=$(patsubst %,TARGET(%),$(FUZZ_NAMES))'

$B/tests/fuzz/%_replay.o: tests/fuzz/%_fuzz.c $B/flags/cc
	@mkdir -p $(@D)
	$(call step,CC,$<)$(CC) $(ALL_CFLAGS) -DLLVMFuzzerTestOneInput=$*_one -DLLVMFuzzerInitialize=$*_initialize \
	  -DLLVMFuzzerCustomMutator=$*_mutate -c -o $@ $<

$B/tests/fuzz/gpulane-fuzz-replay: $(REPLAY_OBJ) $B/libgpulane-model.a $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS) $(PERFETTO_LIBS)

build-tests: $B/tests/fuzz/gpulane-fuzz-replay

-include $(REPLAY_OBJ:.o=.d)

.PHONY: fuzz-targets fuzz
fuzz-targets: $(FUZZ_BIN)

# COUNT inputs over all targets
fuzz:
	scripts/fuzz $(COUNT)

clean: clean-fuzz
.PHONY: clean-fuzz
clean-fuzz:
	rm -rf $(FUZZ_B)
