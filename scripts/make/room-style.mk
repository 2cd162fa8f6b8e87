# The pages that are made from what the program says of itself; the style suite checks they are current.
$B/tools/events-doc: $B/scripts/make/events-doc.o $B/userspace/base/event.o $B/flags/ld
	@mkdir -p $(@D)
	$(link)

-include $B/scripts/make/events-doc.d

.PHONY: docs
docs: $B/tools/events-doc
	$B/tools/events-doc > docs/events.md.new
	cmp -s docs/events.md.new docs/events.md || cp docs/events.md.new docs/events.md
	rm -f docs/events.md.new

build-tests: $B/tools/events-doc

# Formats all C that is in git, but for files that say `clang-format off`.
.PHONY: format
format:
	git ls-files '*.c' '*.h' | xargs grep -L 'clang-format off' | xargs clang-format -i
