# The recordings that come with gpulane, and the pages about them: installed where the documentation is.
SAMPLES := $(sort $(shell find samples -type f))
# Deepest first, as they are removed.
SAMPLE_DIRS := $(addprefix share/doc/gpulane/,$(shell find samples -depth -type d))
INSTALL_EXTRA += $(foreach f,$(SAMPLES),$f:share/doc/gpulane/$f:644)

# Records them anew, in a guest.
.PHONY: samples
samples:
	scripts/make-samples
