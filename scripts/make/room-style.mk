# The pages that are made from what the program says of itself; the style suite checks they are current.
$B/tools/words-doc: $B/scripts/make/words-doc.o $B/userspace/show/words.o $B/flags/ld
	@mkdir -p $(@D)
	$(link)

$B/tools/events-doc: $B/scripts/make/events-doc.o $B/userspace/base/event.o $B/flags/ld
	@mkdir -p $(@D)
	$(link)

-include $B/scripts/make/events-doc.d $B/scripts/make/words-doc.d

.PHONY: docs
docs: $B/tools/events-doc $B/tools/words-doc
	@for page in events words; do \
	  $B/tools/$$page-doc > docs/$$page.md.new; \
	  cmp -s docs/$$page.md.new docs/$$page.md || cp docs/$$page.md.new docs/$$page.md; \
	  rm -f docs/$$page.md.new; \
	done

build-tests: $B/tools/events-doc $B/tools/words-doc

# Formats all C that is in git, but for files that say `clang-format off`.
.PHONY: format
format:
	git ls-files '*.c' '*.h' | xargs grep -L 'clang-format off' | xargs clang-format -i
