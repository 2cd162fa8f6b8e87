# The enumeration of tests/enumerate: every history of a small machine, and what the timeline says of each.
ENUMERATE_SRC := $(filter-out tests/enumerate/hull.c,$(sort $(wildcard tests/enumerate/*.c)))
ENUMERATE_OBJ := $(ENUMERATE_SRC:%.c=$B/%.o)

$B/tests/enumerate/gpulane-enumerate: $(ENUMERATE_OBJ) $B/flags/ld
	$(link)

$B/tests/enumerate/gpulane-hull: $B/tests/enumerate/hull.o $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS)

.PHONY: build-enumerate
build-enumerate: $B/tests/enumerate/gpulane-enumerate $B/tests/enumerate/gpulane-hull

build-tests: build-enumerate

-include $(ENUMERATE_OBJ:.o=.d) $B/tests/enumerate/hull.d
