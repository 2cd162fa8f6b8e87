# The test suites: an executable tests/SUITE/run each, which closes with `SUITE: N passed, N failed`. C is tested with sanitizers.
UNIT_SRC := $(sort $(wildcard tests/unit/*_test.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$B/tests/unit/%)
CMOCKA_LIBS = $(shell $(PKGCONFIG) --libs cmocka)

$B/tests/unit/%: $B/tests/unit/%.o $B/tests/unit/check.o $B/libgpulane-papers.a $B/libgpulane-model.a $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS) $(CMOCKA_LIBS)

-include $(UNIT_BIN:=.d) $B/tests/unit/check.d

# Programs beside gpulane that the tests and the demo run.
.PHONY: tools
tools: | $B/packages/test
$(UNIT_BIN:=.o) $B/tests/unit/check.o: | $B/packages/test

# The unit tests' suite runs those with sanitizers: without them they are made when they are asked for.
.PHONY: build-tests unit-tests
build-tests: $(if $(SAN),unit-tests) tools
unit-tests: $(UNIT_BIN)

# Those that take longest are begun first: at the end nothing waits for one alone.
SLOW   := guest hostile html neo packages style unit watch
SUITES := $(patsubst tests/%/run,%,$(sort $(wildcard tests/*/run)))
SUITES := $(filter $(SLOW),$(SUITES)) $(filter-out $(SLOW),$(SUITES))

# These are for a release alone. Of the others check-all runs more.
RELEASE := mutants debian fresh fleet kernelcode
# Debian 13 runs it (tests/debian), with the programs that it needs.
SUITES := $(filter-out programs,$(SUITES))

# The guest's suites one by one: what has passed is not run again.
GUEST_SUITES := $(patsubst tests/guest/suite-%.sh,guest/%,$(sort $(wildcard tests/guest/suite-*.sh)))

.PHONY: check check-all $(SUITES:%=check-%)
check:
	scripts/setup test
	scripts/programs scripts/check $(filter-out $(RELEASE),$(SUITES))

check-all:
	scripts/setup test
	scripts/check --all $(if $(AGAIN),--again) $(RELEASE) $(GUEST_SUITES) $(filter-out guest $(RELEASE),$(SUITES))

$(SUITES:%=check-%): check-%:
	scripts/check $*
