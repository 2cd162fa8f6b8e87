# The test suites. Each closes with `NAME: N passed, N failed`; `make check` runs them all.
UNIT_SRC := $(sort $(wildcard tests/unit/*_test.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$B/tests/unit/%)
CMOCKA_LIBS = $(shell $(PKGCONFIG) --libs cmocka)

$B/tests/unit/%: $B/tests/unit/%.o $(TEST_SUPPORT) $B/libgpulane.a
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS) $(CMOCKA_LIBS)

-include $(UNIT_BIN:=.d)

# Programs beside gpulane that the tests and the demo run.
.PHONY: tools
tools: | test-packages
$(UNIT_BIN:=.o): | test-packages

.PHONY: build-tests
build-tests: $(UNIT_BIN) tools | test-packages

# Every suite is an executable tests/SUITE/run, given the build directory; C is tested with sanitizers.
SUITES := $(filter-out guest,$(patsubst tests/%/run,%,$(sort $(wildcard tests/*/run)))) \
          $(if $(wildcard tests/guest/run),guest)

.PHONY: check $(SUITES:%=check-%)
check:
	scripts/setup test
	scripts/check $(SUITES)

$(SUITES:%=check-%): check-%:
	scripts/check $*
