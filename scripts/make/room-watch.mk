# Watching without a GPU: events that never happened, through the functions of gpulane watch. And the unit that watches.
$B/tests/watch/gpulane-watchload: $B/tests/watch/load.o $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS)

$B/tests/watch/gpulane-switches: $B/tests/watch/switches.o $B/flags/ld
	$(link) $(LDLIBS)

-include $B/tests/watch/load.d $B/tests/watch/switches.d
tools: $B/tests/watch/gpulane-watchload $B/tests/watch/gpulane-switches

FLAGS += unit
FLAGS_unit = $(prefix)

all: $B/gpulane.service
$B/gpulane.service: scripts/systemd/gpulane.service.in $B/flags/unit
	$(call step,GEN,$@)sed 's,@bindir@,$(prefix)/bin,g' $< > $@

INSTALL_EXTRA += $B/gpulane.service:lib/systemd/system/gpulane.service:644 \
                 scripts/systemd/watch.conf:share/doc/gpulane/watch.conf:644
