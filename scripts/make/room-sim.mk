# The simulator of tests/sim: a library for tests and the program gpulane-sim.
SIM_SRC := $(filter-out tests/sim/main.c tests/sim/check_main.c,$(sort $(wildcard tests/sim/*.c)))
SIM_OBJ := $(SIM_SRC:%.c=$B/%.o)
ALL_CFLAGS += -Itests/sim
TEST_SUPPORT += $B/tests/sim/libsim.a

$B/tests/sim/libsim.a: $(SIM_OBJ) $B/flags/ld
	$(archive)

$B/tests/sim/gpulane-sim: $B/tests/sim/main.o $B/tests/sim/libsim.a $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS)

$B/tests/sim/gpulane-simcheck: $B/tests/sim/check_main.o $B/tests/sim/libsim.a $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS)

build-tests: $B/tests/sim/gpulane-sim $B/tests/sim/gpulane-simcheck

-include $(SIM_OBJ:.o=.d) $B/tests/sim/main.d $B/tests/sim/check_main.d
