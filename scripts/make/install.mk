# Install and uninstall work from lists: source, destination below prefix, mode. Parts that are left out are not
# installed, but removed: an earlier build may have had them.
INSTALL_ALWAYS = $B/gpulane:bin/gpulane:755 $(INSTALL_EXTRA)
INSTALL_LIST   = $(INSTALL_ALWAYS) $(foreach p,$(PARTS),$(call part,$p,$(INSTALL_$p)))
UNINSTALL_LIST = $(INSTALL_ALWAYS) $(foreach p,$(PARTS),$(INSTALL_$p))
# Directories that are gpulane's alone, and go when they are empty.
INSTALL_DIRS   = share/gpulane/devices share/gpulane/graphs share/gpulane/tracecompass share/gpulane $(SAMPLE_DIRS) share/doc/gpulane lib/gpulane/levelzero lib/gpulane
# $(call install_files,LIST,FOLDER,SAY)
install_files  = for entry in $1; do IFS=: read -r src dst mode <<<"$$entry"; install -D -m "$$mode" "$$src" "$2/$$dst"; $3 "installed $2/$$dst"; done

.PHONY: install uninstall
install: all
	@$(call install_files,$(INSTALL_LIST),$(DESTDIR)$(prefix),echo)

uninstall:
	@for entry in $(UNINSTALL_LIST); do IFS=: read -r src dst mode <<<"$$entry"; \
	  file="$(DESTDIR)$(prefix)/$$dst"; [ -e "$$file" ] || continue; \
	  rm -f "$$file"; echo "removed $$file"; done
	@for dir in $(INSTALL_DIRS); do dir="$(DESTDIR)$(prefix)/$$dir"; [ ! -d "$$dir" ] || rmdir --ignore-fail-on-non-empty "$$dir"; done
