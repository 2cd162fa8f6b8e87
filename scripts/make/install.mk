# Install and uninstall work from one list: source, destination below prefix, mode.
INSTALL_LIST = $B/gpulane:bin/gpulane:755 $(INSTALL_EXTRA)

.PHONY: install uninstall
install: all
	@for entry in $(INSTALL_LIST); do IFS=: read -r src dst mode <<<"$$entry"; \
	  install -D -m "$$mode" "$$src" "$(DESTDIR)$(prefix)/$$dst"; echo "installed $(DESTDIR)$(prefix)/$$dst"; done

uninstall:
	@for entry in $(INSTALL_LIST); do IFS=: read -r src dst mode <<<"$$entry"; \
	  rm -f "$(DESTDIR)$(prefix)/$$dst"; echo "removed $(DESTDIR)$(prefix)/$$dst"; done
