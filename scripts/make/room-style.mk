# The page that has a table made of rules.def; the style suite checks that it is current.
.PHONY: docs
docs:
	@scripts/make/rules-doc > docs/analysis.md.new
	@cmp -s docs/analysis.md.new docs/analysis.md || cp docs/analysis.md.new docs/analysis.md
	@rm docs/analysis.md.new

# Formats all C that is in git, but for files that say `clang-format off`.
.PHONY: format
format:
	git ls-files '*.c' '*.h' | xargs grep -L 'clang-format off' | xargs clang-format -i
