# gl-ctf2-twin: the metadata of CTF 1.8 traces, written anew as CTF 2.
CTF2_TWIN := $B/tests/ctf2/gl-ctf2-twin

$(CTF2_TWIN): $B/tests/ctf2/main.o $B/tests/ctf2/twin.o $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS)

# The layouts that it draws are read as both.
$B/tests/unit/ctf_foreign_test: $B/tests/ctf2/twin.o

build-tests: $(CTF2_TWIN)

-include $B/tests/ctf2/main.d $B/tests/ctf2/twin.d
