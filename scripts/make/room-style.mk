# The pages that are made from what the program says of itself; the style suite checks they are current.
$B/tools/events-doc: $B/scripts/make/events-doc.o $B/userspace/base/event.o
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^

-include $B/scripts/make/events-doc.d

.PHONY: docs
docs: $B/tools/events-doc
	$B/tools/events-doc > docs/events.md.new
	mv docs/events.md.new docs/events.md

build-tests: $B/tools/events-doc

# Formats all C that is in git, but for files that say `clang-format off`.
.PHONY: format
format:
	git ls-files '*.c' '*.h' | xargs grep -L 'clang-format off' | xargs clang-format -i
