# What the build needs from Debian; a package that is missing stops it with one line.
PKGS := libbpf libelf libtraceevent libtracefs babeltrace2 lttng-ctl json-c libcap zlib ncurses libprotobuf-c
PKG_DEB_libbpf        := libbpf-dev
PKG_DEB_libelf        := libelf-dev
PKG_DEB_libtraceevent := libtraceevent-dev
PKG_DEB_libtracefs    := libtracefs-dev
PKG_DEB_babeltrace2   := libbabeltrace2-dev
PKG_DEB_lttng-ctl     := liblttng-ctl-dev
PKG_DEB_json-c        := libjson-c-dev
PKG_DEB_libcap        := libcap-dev
PKG_DEB_zlib          := zlib1g-dev
PKG_DEB_ncurses       := libncurses-dev
# What only a part of it is built with, checked and not linked to the program.
PKGS_PARTS := lttng-ust OpenCL
PKG_DEB_lttng-ust     := liblttng-ust-dev
PKG_DEB_OpenCL        := ocl-icd-opencl-dev
PKG_DEB_libprotobuf-c := libprotobuf-c-dev
TOOLS := $(CC) $(CXX) $(CLANG) $(BPFTOOL) protoc-c
PKG_DEB_clang    := clang
PKG_DEB_bpftool  := bpftool
PKG_DEB_gcc      := gcc
PKG_DEB_g++      := g++
# Headers of what has no .pc file.
HEADERS := /usr/include/oclgrind/Plugin.h /usr/lib/llvm-14/include/llvm/IR/Instruction.h
PKG_DEB_Plugin.h      := liboclgrind-dev
PKG_DEB_Instruction.h := llvm-14-dev
PKG_DEB_protoc-c := protobuf-c-compiler

PKG_CFLAGS = $(shell $(PKGCONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   = $(shell $(PKGCONFIG) --libs $(PKGS) 2>/dev/null)
# The compiler is started once a file: ask pkg-config once for all.
PKG_CFLAGS := $(PKG_CFLAGS)
PKG_LIBS   := $(PKG_LIBS)

.PHONY: packages
packages:
	@command -v $(PKGCONFIG) >/dev/null || { echo "gpulane: build: pkg-config is missing (run: make setup, or apt-get install pkg-config)" >&2; exit 1; }
	@missing=; $(foreach p,$(PKGS) $(PKGS_PARTS),$(PKGCONFIG) --exists $p || missing="$$missing $(PKG_DEB_$p)"; ) \
	$(foreach t,$(TOOLS),command -v $t >/dev/null || missing="$$missing $(or $(PKG_DEB_$(notdir $t)),$t)"; ) \
	$(foreach h,$(HEADERS),test -e $h || missing="$$missing $(PKG_DEB_$(notdir $h))"; ) \
	if [ -n "$$missing" ]; then echo "gpulane: build: packages are missing:$$missing (run: make setup, or apt-get install$$missing)" >&2; exit 1; fi
