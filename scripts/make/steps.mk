# How a step shows itself, and what it depends on besides files.
#
# A step prints one line, `  CC      userspace/main.c`. V=1 prints the commands instead, `make -s` nothing.
V      ?=
quiet  := $(if $(filter 1,$V),,$(if $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),,yes))
# $(call step,CC,FILE) - the first words of a recipe's line
step    = $(if $(quiet),@printf '  %-7s %s\n' '$1' '$2'; )

# The steps that nearly every room has. What is linked is the objects and archives among the prerequisites.
cc      = $(call step,CC,$<)$(CC) $(ALL_CFLAGS) $(CFLAGS_$(subst /,_,$*)) -c -o $@ $<
archive = $(call step,AR,$@)rm -f $@; ar rcs $@ $(filter %.o,$^)
link    = $(call step,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o %.a,$^)

# The flags of a kind of step are written to a file of their own when they change. Its results depend on that file, so that
# they are made anew with other flags:
#
#   FLAGS_NAME = what the steps are called with
#   FLAGS += NAME          then $B/flags/NAME is a prerequisite
#
# Makefile asks for the files when everything is included: a room may still add to the flags.
FLAGS :=
space := $(subst ,, )
comma := ,
quote := '
# $(call differ,A,B) - nothing when the two texts are equal
differ = $(subst x$1x,,x$2x)$(subst x$2x,,x$1x)
flags_file = $(or $(FLAGS_DIR_$1),$B/flags)/$1

# The flags are those of here and now: a target's own additions are not what the file says.
define remember_flags
FLAGS_NOW_$1 := $(strip $(FLAGS_$1))
$(flags_file): $(if $(call differ,$(strip $(file <$(flags_file))),$(strip $(FLAGS_$1))),FORCE)
	@mkdir -p $$(@D)
	@printf '%s\n' '$$(subst $$(quote),$$(quote)\$$(quote)$$(quote),$$(FLAGS_NOW_$1))' > $$@
endef

.PHONY: FORCE
FORCE:
