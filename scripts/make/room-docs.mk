# Man pages, from the page of each command in docs/; the completion of the shell.
COMMANDS  := $(shell sed -n 's/^COMMAND.\([a-z]*\),.*/\1/p' userspace/cmd/commands.def)
MAN_PAGES := $(COMMANDS:%=$B/man/gpulane-%.1) $B/man/gpulane.1

.PHONY: man
man: $(MAN_PAGES)

$B/man/gpulane-%.1: docs/%.md
	@mkdir -p $(@D)
	@lowdown -s -Tman -M section=1 -M title=gpulane-$* -M source="gpulane $(VERSION)" -o $@ $<

$B/man/gpulane.1: docs/gpulane.md
	@mkdir -p $(@D)
	@lowdown -s -Tman -M section=1 -M title=gpulane -M source="gpulane $(VERSION)" -o $@ $<

all: $(call part,man,man)
INSTALL_EXTRA += scripts/gpulane.bash:share/bash-completion/completions/gpulane:644
INSTALL_man   := $(foreach m,$(MAN_PAGES),$m:share/man/man1/$(notdir $m):644)
