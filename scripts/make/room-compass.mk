# The analyses are installed, for people to import.
INSTALL_EXTRA += $(foreach x,$(wildcard docs/tracecompass/*.xml),$x:share/gpulane/tracecompass/$(notdir $x):644)

# gl-compass: the interpreter of docs/tracecompass that tests/compass uses.
COMPASS_OBJ := $(patsubst %.c,$B/%.o,$(sort $(wildcard tests/compass/*.c)))

$(COMPASS_OBJ): private ALL_CFLAGS += -Itests/compass $(shell $(PKGCONFIG) --cflags libxml-2.0 2>/dev/null)

$B/tests/compass/gl-compass: $(COMPASS_OBJ) $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS) $(shell $(PKGCONFIG) --libs libxml-2.0)

$(COMPASS_OBJ): | $B/packages/test
build-tests: $B/tests/compass/gl-compass

-include $(COMPASS_OBJ:.o=.d)
