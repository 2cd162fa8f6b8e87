# gpulane: `make` builds everything that needs no kernel; README.md has more of the other targets.
#
#   make                  the program, the BPF programs, the OpenCL layer; the plugin for Oclgrind where it can be built;
#                         one line a step, V=1 prints the commands
#   make module KDIR=...  the LTTng probe provider for i915, for one kernel
#   make models           the models alone, gpulane-model: json-c and OpenCL's headers are all that they need
#   make setup            install the Debian packages that building needs (root); SETS="plugin demo test" for more
#   make demo             record the real driver (in a guest where there is no Intel GPU) and report
#   make check            the tests, before a push; `make check-unit`, `check-golden`, `check-cli`, ... for one suite
#   make check-all        before a release: all of it, every kernel, Debian 13, every mutant; goes on where it stopped
#   make samples          record samples/ anew (in a guest)
#   make bench            the benchmarks, as ratios
#   make fuzz COUNT=N     N fuzzed inputs over all readers and writers, with limits on memory and time
#   make deb              Debian packages, in build/deb
#   make tarball          one file for any distribution, in build: it needs the C library alone
#   make install          DESTDIR and prefix are honoured, so is `make uninstall`
#   make help             this list

MAKEFLAGS += --no-builtin-rules --no-builtin-variables
.DEFAULT_GOAL := all
SHELL     := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SECONDARY:

# The first heading of the changes is the version.
VERSION   := $(shell sed -n 's/^\#\# \([0-9.]*\) .*/\1/p' docs/changelog.md | head -n 1)
prefix    ?= /usr/local
DESTDIR   ?=
CC        ?= gcc
CC        := $(if $(filter default undefined,$(origin CC)),gcc,$(CC))
CXX       := $(if $(filter default undefined,$(origin CXX)),g++,$(CXX))
CLANG     ?= clang
BPFTOOL   ?= $(firstword $(wildcard /usr/lib/linux-tools/*/bpftool /usr/sbin/bpftool) bpftool)
PKGCONFIG ?= pkg-config

# SAN=1 builds everything with AddressSanitizer and UBSan, beside the ordinary build.
B   := build$(if $(SAN),-asan)
SAN := $(or $(SAN),$(if $(filter %build-asan,$B),1))

include scripts/make/steps.mk
include scripts/make/packages.mk

WARN     := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
            -Wvla -Wimplicit-fallthrough -Wwrite-strings
# What a sanitizer tells needs lines alone: debugging that build takes CFLAGS='-O1 -g'. There -O2 takes more to compile than it gains in
# what is run. What fits into a text is seen by -O2 alone. Functions begin at 32 bytes: else a change elsewhere makes a report some 3 % slower.
CFLAGS   ?= $(if $(SAN),-O1 -g1 -Wno-format-truncation,-O2 -g -falign-functions=32)
ALL_CFLAGS = -std=gnu11 $(CFLAGS) $(WARN) $(if $(SAN),-fsanitize=address$(comma)undefined \
             -fno-sanitize-recover=all -fno-omit-frame-pointer,-D_FORTIFY_SOURCE=2 -fstack-protector-strong) \
             -D_GNU_SOURCE -DGPULANE_VERSION='"$(VERSION)"' -Iuserspace -I$B/gen $(PKG_CFLAGS) $(if $(HAS_SQLITE),-DGPULANE_SQLITE) -MMD -MP
# What is linked is bound when it starts, and its tables are read-only from then on.
READ_ONLY  := -Wl,-z,relro,-z,now
# At a place of their own, programs with sanitizers start without a hundred thousand relocations.
ALL_LDFLAGS = $(LDFLAGS) $(READ_ONLY) $(if $(SAN),-fsanitize=address$(comma)undefined $(if $(filter %.so,$@),,-no-pie))
LDLIBS    = $(PKG_LIBS) -lm -lpthread

# A file's own flags are CFLAGS_path_of_the_file. What is linked is linked anew when a file comes or goes, too.
FLAGS   += cc ld
FLAGS_cc = $(CC) $(ALL_CFLAGS) $(foreach v,$(sort $(filter CFLAGS_%,$(.VARIABLES))),$v $($v))
FLAGS_ld = $(CC) $(ALL_LDFLAGS) $(LDLIBS) $(foreach v,$(sort $(filter-out FUZZ_OBJ,$(filter %_OBJ,$(.VARIABLES)))),$($v))

ROOMS := base capture decode norm timeline latency verdict session compare clock show watch
LIB_SRC := $(foreach r,$(ROOMS),$(sort $(wildcard userspace/$r/*.c userspace/$r/*/*.c)))
CMD_SRC := userspace/main.c $(sort $(wildcard userspace/cmd/*.c))
LIB_SRC := $(filter-out $(if $(HAS_SQLITE),,userspace/show/sqlite%),$(LIB_SRC))
LIB_OBJ := $(LIB_SRC:%.c=$B/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$B/%.o)

.PHONY: all
all: $B/gpulane models $(if $(LEFT_OUT),left-out)

# Rooms add what is theirs alone (generated sources, further targets) in files of their own.
include $(sort $(wildcard scripts/make/room-*.mk))

$B/libgpulane.a: $(LIB_OBJ) $B/flags/ld
	$(archive)

# `report --pattern` needs the models' library, nothing else does.
$B/gpulane: $(CMD_OBJ) $B/libgpulane-model.a $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS)

# What one does next, once it has been built.
all: $B/next
$B/next: $B/gpulane | $(call part,man,$(MAN_PAGES))
	@touch $@
	$(if $(quiet),@printf '%s\n' 'To try it:         $B/gpulane report samples/starvation' \
	  'As what it prints: PATH=$$PWD/$B:$$PATH' 'What else there is: make help')

.PHONY: help
help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' Makefile

$B/%.o: %.c $B/flags/cc | $B/packages/$(NEEDED)
	@mkdir -p $(@D)
	$(cc)

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d)

include scripts/make/tests.mk
include scripts/make/install.mk

.PHONY: setup
setup:
	scripts/setup $(SETS)

# Setting up comes first, and may bring what the build needs.
.PHONY: demo
demo:
	@[ "$$(id -u)" -eq 0 ] || { echo 'gpulane: demo: it installs packages and traces: that needs root (sudo make demo)' >&2; exit 1; }
	@scripts/setup $(if $(filter guest,$(shell scripts/demo --where)),demo,build)
	@printf '\n== building gpulane\n'
	@$(MAKE) --no-print-directory -s $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) all
	@scripts/demo

# Each benchmark is a script of its own, scripts/bench-NAME; `make bench-NAME` runs one.
BENCHES := $(patsubst scripts/bench-%,%,$(sort $(wildcard scripts/bench-*)))

.PHONY: bench $(BENCHES:%=bench-%)
bench: $(BENCHES:%=bench-%)

$(BENCHES:%=bench-%): bench-%: all
	B=$B scripts/bench-$*

bench-capture bench-watch: replay

.PHONY: clean
clean:
	rm -rf build build-asan demo

$(foreach f,$(FLAGS),$(eval $(call remember_flags,$f)))
