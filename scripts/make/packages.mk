# What the build needs from Debian. A package that the program needs stops the build with one line that names it; a
# part whose packages are missing is left out, and one line says which and why.
PKGS := libbpf libelf libtraceevent libtracefs lttng-ctl json-c libcap zlib libzstd ncurses libprotobuf-c
PKG_DEB_libbpf        := libbpf-dev
PKG_DEB_libelf        := libelf-dev
PKG_DEB_libtraceevent := libtraceevent-dev
PKG_DEB_libtracefs    := libtracefs-dev
PKG_DEB_lttng-ctl     := liblttng-ctl-dev
PKG_DEB_json-c        := libjson-c-dev
PKG_DEB_libcap        := libcap-dev
PKG_DEB_zlib          := zlib1g-dev
PKG_DEB_libzstd       := libzstd-dev
PKG_DEB_ncurses       := libncurses-dev
PKG_DEB_libprotobuf-c := libprotobuf-c-dev
# protoc-c is the older way, which warns where it is on its way out.
PROTOC_C := $(if $(and $(shell command -v protoc),$(shell command -v protoc-gen-c)),protoc,protoc-c)
TOOLS := $(CC) $(CLANG) $(BPFTOOL) $(PROTOC_C)
PKG_DEB_gcc      := gcc
PKG_DEB_clang    := clang
PKG_DEB_bpftool  := bpftool
PKG_DEB_protoc-c := protobuf-c-compiler
# Headers of what has no .pc file, as <names>.
HEADERS := CL/cl.h
PKG_DEB_CL/cl.h  := opencl-headers

# Of these, what the models need: all that `make models` by itself asks for.
PKGS_models    := json-c
TOOLS_models   := $(CC)
PKG_LIBS_models := $(shell $(PKGCONFIG) --libs $(PKGS_models) 2>/dev/null)
NEEDED := $(if $(MAKECMDGOALS),$(if $(filter-out models,$(MAKECMDGOALS)),build,models),build)

PKG_CFLAGS = $(shell $(PKGCONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   = $(shell $(PKGCONFIG) --libs $(PKGS) 2>/dev/null)
# The compiler is started once a file: ask pkg-config once for all.
PKG_CFLAGS := $(PKG_CFLAGS)
# liblttng-ctl is loaded by whoever needs it: userspace/capture/lttng_library.c
PKG_LIBS   := $(filter-out -llttng-ctl,$(PKG_LIBS))

# The parts that can be left out. What misses_PART prints is missing; a part is built when that is nothing.
# $(call lacks_pc,NAME,PACKAGE), lacks_program, lacks_file: the package, where it is missing
lacks_pc      = $(shell $(PKGCONFIG) --exists $1 2>/dev/null || echo $2)
lacks_program = $(shell command -v $1 >/dev/null 2>&1 || echo $2)
lacks_file    = $(if $(wildcard $1),,$2)

LLVM := /usr/lib/llvm-14
PARTS          := layer plugin man
NAME_layer     := the OpenCL layer
NAME_plugin    := the plugin for Oclgrind
NAME_man       := the man pages
MISSES_layer   := $(call lacks_pc,lttng-ust,liblttng-ust-dev)
MISSES_plugin  := $(call lacks_program,$(CXX),g++) $(call lacks_file,/usr/include/oclgrind/Plugin.h,liboclgrind-dev) \
                  $(call lacks_file,$(LLVM)/include/llvm/IR/Instruction.h,llvm-14-dev)
MISSES_man     := $(call lacks_program,lowdown,lowdown)
LEFT_OUT       := $(strip $(foreach p,$(PARTS),$(if $(strip $(MISSES_$p)),$p)))
# $(call part,NAME,TARGET): the target, unless the part is left out
part = $(if $(filter $1,$(LEFT_OUT)),,$2)

# one line: the parts, each with what it misses
define left_out_line
$(subst $(space)|$(space),; ,$(strip $(foreach p,$(LEFT_OUT),$(if $(filter-out $(firstword $(LEFT_OUT)),$p),|) $(NAME_$p) (no $(strip $(MISSES_$p))))))
endef

# $(call check_packages,PKGS,TOOLS)
define check_packages
	@command -v $(PKGCONFIG) >/dev/null || { echo "gpulane: build: pkg-config is missing (run: make setup, or apt-get install pkg-config)" >&2; exit 1; }
	@missing=; $(foreach p,$1,$(PKGCONFIG) --exists $p || missing="$$missing $(PKG_DEB_$p)"; ) \
	$(foreach t,$2,command -v $t >/dev/null || missing="$$missing $(or $(PKG_DEB_$(notdir $t)),$t)"; ) \
	$(foreach h,$(HEADERS),echo '#include <$h>' | $(CC) -E - >/dev/null 2>&1 || missing="$$missing $(PKG_DEB_$h)"; ) \
	if [ -n "$$missing" ]; then echo "gpulane: build: packages are missing:$$missing (run: make setup, or apt-get install$$missing)" >&2; exit 1; fi
endef

.PHONY: packages left-out
packages:
	$(call check_packages,$(PKGS),$(TOOLS))

# The build asks once, and again when what it found there has changed.
FLAGS += packages
FLAGS_packages = $(shell command -v $(PKGCONFIG) $(TOOLS)) $(PKG_CFLAGS) $(PKG_LIBS) $(wildcard $(HEADERS:%=/usr/include/%))

$B/packages/build: $B/flags/packages
	$(call check_packages,$(PKGS),$(TOOLS))
	@mkdir -p $(@D) && touch $@
$B/packages/models: $B/flags/packages
	$(call check_packages,$(PKGS_models),$(TOOLS_models))
	@mkdir -p $(@D) && touch $@

left-out: | $B/gpulane
	@$(if $(LEFT_OUT),echo "gpulane: left out: $(strip $(left_out_line))" >&2,:)

# What only the demo's programs and the tests are built with: $(call set_package,PC-NAME,PACKAGE)
set_package = $(PKGCONFIG) --exists $1 || missing="$$missing $2";
define check_demo_packages
	@missing=; $(call set_package,OpenCL,ocl-icd-opencl-dev) \
	if [ -n "$$missing" ]; then echo "gpulane: build: packages are missing for the demo:$$missing (run: scripts/setup demo, or apt-get install$$missing)" >&2; exit 1; fi
endef

define check_test_packages
	@missing=; $(call set_package,cmocka,libcmocka-dev) $(call set_package,libxml-2.0,libxml2-dev) \
	if [ -n "$$missing" ]; then echo "gpulane: build: packages are missing for the tests:$$missing (run: scripts/setup test, or apt-get install$$missing)" >&2; exit 1; fi
endef

.PHONY: demo-packages test-packages
demo-packages:
	$(check_demo_packages)
test-packages: demo-packages
	$(check_test_packages)

FLAGS += demo-packages test-packages
FLAGS_demo-packages = $(shell $(PKGCONFIG) --libs OpenCL 2>/dev/null)
FLAGS_test-packages = $(shell $(PKGCONFIG) --libs cmocka 2>/dev/null) $(shell $(PKGCONFIG) --libs libxml-2.0 2>/dev/null)

$B/packages/demo: $B/flags/demo-packages
	$(check_demo_packages)
	@mkdir -p $(@D) && touch $@
$B/packages/test: $B/flags/test-packages | $B/packages/demo
	$(check_test_packages)
	@mkdir -p $(@D) && touch $@
