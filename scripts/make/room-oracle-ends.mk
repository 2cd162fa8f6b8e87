# The oracle of tests/oracle-ends: worlds in which GPU work ends in every way that Linux knows, written from the kernel's sources alone.
ORACLE_ENDS_SRC := $(sort $(wildcard tests/oracle-ends/*.c))
ORACLE_ENDS_OBJ := $(ORACLE_ENDS_SRC:%.c=$B/%.o)

$B/tests/oracle-ends/gpulane-oracle-ends: $(ORACLE_ENDS_OBJ) $B/flags/ld
	$(link)

.PHONY: build-oracle-ends
build-oracle-ends: $B/tests/oracle-ends/gpulane-oracle-ends

build-tests: build-oracle-ends

-include $(ORACLE_ENDS_OBJ:.o=.d)
