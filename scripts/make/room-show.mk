# The HTML page's files are in the program. The page allows the script of its own alone, by what it is hashed to.
$B/userspace/show/html_assets.o: $(wildcard userspace/show/html/*)

HTML_HASH := $B/gen/show/html_hash.h

$(HTML_HASH): userspace/show/html_assets.c userspace/show/html_assets.h $(wildcard userspace/show/html/*.js)
	@mkdir -p $(@D)
	$(call step,GEN,$@)scripts/make/html-hash > $@.new && mv $@.new $@

$B/userspace/show/html.o: $(HTML_HASH)

# For the tests of what is exported: reads a trace by the schema.
$(PERFETTO_PB).c $(PERFETTO_PB).h &: tests/perfetto/trace.proto | $B/packages/test
	@mkdir -p $(@D)
	$(call step,GEN,$@)$(PROTOC_C) --c_out=$(@D) -I$(<D) $<

$(PERFETTO_PB).o: $(PERFETTO_PB).c $B/flags/cc
	$(cc)

$B/tests/perfetto/rules.o $B/tests/perfetto/ftrace_rules.o $B/tests/perfetto/gpu_rules.o: $(PERFETTO_PB).h

$B/tests/perfetto/check: $B/tests/perfetto/check.o $B/tests/perfetto/rules.o $B/tests/perfetto/ftrace_rules.o $B/tests/perfetto/gpu_rules.o $(PERFETTO_PB).o $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS) $(PERFETTO_LIBS)

-include $B/tests/perfetto/check.d $B/tests/perfetto/rules.d $B/tests/perfetto/ftrace_rules.d $B/tests/perfetto/gpu_rules.d
