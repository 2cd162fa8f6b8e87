# The law of tests/laws on every request's critical path.
$B/tests/laws/paths: $B/tests/laws/paths.o $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS)

build-tests: $B/tests/laws/paths

-include $B/tests/laws/paths.d
