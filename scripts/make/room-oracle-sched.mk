# The oracle of tests/oracle-sched: a simulator of the DRM scheduler, written from the kernel's sources alone.
ORACLE_SCHED_SRC := $(sort $(wildcard tests/oracle-sched/*.c)) tests/oracle/machine.c
ORACLE_SCHED_OBJ := $(ORACLE_SCHED_SRC:%.c=$B/%.o)

$B/tests/oracle-sched/gpulane-oracle-sched: $(ORACLE_SCHED_OBJ) $B/flags/ld
	$(link)

.PHONY: build-oracle-sched
build-oracle-sched: $B/tests/oracle-sched/gpulane-oracle-sched

build-tests: build-oracle-sched

-include $(ORACLE_SCHED_OBJ:.o=.d)
