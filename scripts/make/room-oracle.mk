# The oracle of tests/oracle: the second simulator of i915's submission.
ORACLE_SRC := $(sort $(wildcard tests/oracle/*.c))
ORACLE_OBJ := $(ORACLE_SRC:%.c=$B/%.o)

$B/tests/oracle/gpulane-oracle: $(ORACLE_OBJ) $B/flags/ld
	$(link)

.PHONY: build-oracle
build-oracle: $B/tests/oracle/gpulane-oracle

build-tests: build-oracle

-include $(ORACLE_OBJ:.o=.d)
