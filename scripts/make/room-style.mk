# The pages that are made from tables of the program, whole or in part; the style suite checks they are current.
$B/tools/events-doc: $B/scripts/make/events-doc.o $B/userspace/base/event.o $B/flags/ld
	@mkdir -p $(@D)
	$(link)

-include $B/scripts/make/events-doc.d

.PHONY: docs
docs: $B/tools/events-doc
	@for page in $B/tools/events-doc:events scripts/make/rules-doc:analysis; do \
	  file=docs/$${page#*:}.md; \
	  $${page%:*} > $$file.new || exit 1; \
	  cmp -s $$file.new $$file || cp $$file.new $$file; \
	  rm -f $$file.new; \
	done

build-tests: $B/tools/events-doc

# Formats all C that is in git, but for files that say `clang-format off`.
.PHONY: format
format:
	git ls-files '*.c' '*.h' | xargs grep -L 'clang-format off' | xargs clang-format -i
