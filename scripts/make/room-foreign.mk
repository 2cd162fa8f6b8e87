# What the tests of other tracers' files need: compressed packets of Perfetto's.
$B/tests/foreign/pack: $B/tests/foreign/pack.o $B/flags/ld
	$(link) $(LDLIBS)

-include $B/tests/foreign/pack.d

tools: $B/tests/foreign/pack
