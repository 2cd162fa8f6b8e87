# The test suites. Each closes with `NAME: N passed, N failed`; `make check` runs them all.
UNIT_SRC := $(sort $(wildcard tests/unit/*_test.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$B/tests/unit/%)
CMOCKA_LIBS = $(shell $(PKGCONFIG) --libs cmocka)

$B/tests/unit/%: $B/tests/unit/%.o $(TEST_SUPPORT) $B/libgpulane-model.a $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS) $(CMOCKA_LIBS)

-include $(UNIT_BIN:=.d)

# Programs beside gpulane that the tests and the demo run.
.PHONY: tools
tools: | $B/packages/test
$(UNIT_BIN:=.o): | $B/packages/test

.PHONY: build-tests
build-tests: $(UNIT_BIN) tools

# Every suite is an executable tests/SUITE/run, given the build directory; C is tested with sanitizers.
SUITES := $(filter-out guest,$(patsubst tests/%/run,%,$(sort $(wildcard tests/*/run)))) \
          $(if $(wildcard tests/guest/run),guest)

.PHONY: check $(SUITES:%=check-%)
check:
	scripts/setup test
	scripts/check $(SUITES)

$(SUITES:%=check-%): check-%:
	scripts/check $*

# For daily work. By what the mutants name (tests/mutants), these suites notice all but 8 of the 155 breaks that suites
# outside the guest notice. Left out is what takes long, or needs a browser, a guest or another root.
QUICK := style unit golden cli build install laws damage import perfetto oracle sched explain tracepl live top words

.PHONY: check-quick
check-quick:
	@status=0; scripts/check $(QUICK) || status=$$?; \
	echo "not run, make check does: $(filter-out $(QUICK),$(SUITES))"; exit $$status
