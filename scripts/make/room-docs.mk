# Man pages, from the pages of docs/: commands in section 1, all others in section 7; the completion of the shell.
COMMANDS  := $(shell sed -n 's/^COMMAND.\([a-z]*\),.*/\1/p' userspace/cmd/commands.def)
# gpulane-events(7) is made of the table of events.
MAN_TOPICS := events $(filter-out gpulane README $(COMMANDS),$(patsubst docs/%.md,%,$(sort $(wildcard docs/*.md))))
MAN_MODELS := $(patsubst docs/models/%.md,%,$(sort $(wildcard docs/models/*.md)))
MAN_GUIDES := $(patsubst docs/guides/%.md,%,$(filter-out %/README.md,$(sort $(wildcard docs/guides/*.md))))
MAN_PAGES := $B/man/gpulane.1 $(COMMANDS:%=$B/man/gpulane-%.1) $(MAN_TOPICS:%=$B/man/gpulane-%.7) $(MAN_MODELS:%=$B/man/gpulane-model-%.7) \
             $(MAN_GUIDES:%=$B/man/gpulane-guide-%.7) $B/man/gpulane-guides.7 $B/man/gpulane-tracecompass.7

.PHONY: man
man: $(MAN_PAGES)

FLAGS += man
FLAGS_man = $(VERSION) $(prefix) $(notdir $(MAN_PAGES))

$B/man/gpulane.1: docs/gpulane.md
$(COMMANDS:%=$B/man/gpulane-%.1): $B/man/gpulane-%.1: docs/%.md
$(MAN_MODELS:%=$B/man/gpulane-model-%.7): $B/man/gpulane-model-%.7: docs/models/%.md
$(MAN_GUIDES:%=$B/man/gpulane-guide-%.7): $B/man/gpulane-guide-%.7: docs/guides/%.md
$B/man/gpulane-guides.7 $B/man/gpulane-tracecompass.7: $B/man/gpulane-%.7: docs/%/README.md
$(patsubst %,$B/man/gpulane-%.7,$(filter-out events,$(MAN_TOPICS))): $B/man/gpulane-%.7: docs/%.md
$B/man/gpulane-events.7: $B/gen/events.md

$B/tools/events-doc: $B/scripts/make/events-doc.o $B/userspace/base/event.o $B/flags/ld
	@mkdir -p $(@D)
	$(link)

-include $B/scripts/make/events-doc.d

$B/gen/events.md: $B/tools/events-doc
	@mkdir -p $(@D)
	$(call step,GEN,$@)$< > $@

$(MAN_PAGES): scripts/make/man-page userspace/cmd/commands.def $B/flags/man
	$(call step,MAN,$@)mkdir -p $(@D) && scripts/make/man-page $(basename $(@F)) "$(notdir $(MAN_PAGES))" $(VERSION) $(prefix) $(filter %.md,$^) > $@.new && mv $@.new $@

# The events' names stand in the one table.
$B/gpulane.bash: scripts/gpulane.bash userspace/base/events.def
	@mkdir -p $(@D)
	$(call step,GEN,$@)sed "s/@EVENTS@ ;;/$$(sed -n 's/^[ \t]*E([A-Z0-9_]*, *\([a-z0-9_]*\),.*/\1/p' userspace/base/events.def | paste -sd' ') ;;/" $< > $@

all: $(call part,man,man) $B/gpulane.bash
INSTALL_EXTRA += $B/gpulane.bash:share/bash-completion/completions/gpulane:644 \
                 $(foreach l,LICENSE LICENSE.GPL-2.0 LICENSE.Apache-2.0,$l:share/doc/gpulane/$l:644)
INSTALL_man   := $(foreach m,$(MAN_PAGES),$m:share/man/man$(subst .,,$(suffix $m))/$(notdir $m):644)
