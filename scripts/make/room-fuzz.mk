# libFuzzer targets (clang), with AddressSanitizer and UBSan; the fuzz suite runs them for a while.
FUZZ_B    := build-fuzz
FUZZ_SRC  := $(sort $(wildcard tests/fuzz/*_fuzz.c))
FUZZ_BIN  := $(FUZZ_SRC:tests/fuzz/%.c=$(FUZZ_B)/%)
FUZZ_ROOM := $(filter-out userspace/out/perfetto%,$(sort $(foreach r,base clock decode norm model timeline latency out,$(wildcard userspace/$r/*.c)))) \
             $(addprefix userspace/cmd/,damage.c read.c hooks.c)
FUZZ_OBJ  := $(FUZZ_ROOM:%.c=$(FUZZ_B)/%.o)
FUZZ_CFLAGS = -std=gnu11 -O1 -g -fsanitize=fuzzer-no-link$(comma)address$(comma)undefined \
              -fno-sanitize-recover=all -fno-omit-frame-pointer -D_GNU_SOURCE \
              -DGPULANE_VERSION='"$(VERSION)"' -Iuserspace $(PKG_CFLAGS) -MMD -MP

$(FUZZ_B)/%.o: %.c | packages
	@mkdir -p $(@D)
	$(CLANG) $(FUZZ_CFLAGS) -c -o $@ $<

$(FUZZ_BIN): $(FUZZ_B)/%: $(FUZZ_B)/tests/fuzz/%.o $(FUZZ_OBJ)
	$(CLANG) -fsanitize=fuzzer$(comma)address$(comma)undefined -o $@ $^ \
	  $(shell $(PKGCONFIG) --libs babeltrace2 json-c zlib) -lm

-include $(FUZZ_OBJ:.o=.d) $(FUZZ_BIN:$(FUZZ_B)/%=$(FUZZ_B)/tests/fuzz/%.d)

.PHONY: fuzz-targets fuzz
fuzz-targets: $(FUZZ_BIN)

# COUNT inputs over all targets
fuzz:
	scripts/fuzz $(COUNT)

clean: clean-fuzz
.PHONY: clean-fuzz
clean-fuzz:
	rm -rf $(FUZZ_B)
