# The oracle of tests/oracle: the second simulator of i915's submission, and the checker of what gpulane says.
ORACLE_SRC := $(filter-out tests/oracle/check%.c,$(sort $(wildcard tests/oracle/*.c)))
ORACLE_OBJ := $(ORACLE_SRC:%.c=$B/%.o)
ORACLE_CHECK_SRC := $(sort $(wildcard tests/oracle/check*.c))
ORACLE_CHECK_OBJ := $(ORACLE_CHECK_SRC:%.c=$B/%.o)

$B/tests/oracle/gpulane-oracle: $(ORACLE_OBJ) $B/flags/ld
	$(link)

$B/tests/oracle/gpulane-oracle-check: $(ORACLE_CHECK_OBJ) $B/flags/ld
	$(link) $(LDLIBS)

.PHONY: build-oracle
build-oracle: $B/tests/oracle/gpulane-oracle $B/tests/oracle/gpulane-oracle-check

build-tests: build-oracle

-include $(ORACLE_OBJ:.o=.d) $(ORACLE_CHECK_OBJ:.o=.d)
