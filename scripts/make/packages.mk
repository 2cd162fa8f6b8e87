# What the build needs from Debian. A package that the program needs stops the build with one line that names it; a
# part whose packages are missing is left out, and one line says which and why.
PKGS := libbpf libelf libtraceevent libtracefs lttng-ctl json-c libcap zlib libzstd ncurses
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
TOOLS := $(CC) $(CLANG) $(BPFTOOL)
PKG_DEB_gcc      := gcc
PKG_DEB_clang    := clang
PKG_DEB_bpftool  := bpftool
# Without it `export --to sqlite` is left out.
HAS_SQLITE := $(shell $(PKGCONFIG) --exists sqlite3 2>/dev/null && echo yes)
PKGS += $(if $(HAS_SQLITE),sqlite3)
PKG_DEB_sqlite3  := libsqlite3-dev
# Headers of what has no .pc file, as <names>.
HEADERS := CL/cl.h
PKG_DEB_CL/cl.h  := opencl-headers

PKG_DEB_OpenCL     := ocl-icd-opencl-dev
PKG_DEB_cmocka     := libcmocka-dev
PKG_DEB_libxml-2.0 := libxml2-dev
# The tests read what is exported to Perfetto by the schema. protoc-c is the older way, which warns where it is on its way out.
PROTOC_C := $(if $(and $(shell command -v protoc),$(shell command -v protoc-gen-c)),protoc,protoc-c)
PKG_DEB_libprotobuf-c := libprotobuf-c-dev
PKG_DEB_protoc-c      := protobuf-c-compiler
PERFETTO_PB   := $B/gen/perfetto/trace.pb-c
PERFETTO_LIBS  = $(shell $(PKGCONFIG) --libs libprotobuf-c)

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
PARTS          := layer sqlite plugin man
NAME_layer     := the OpenCL layer
NAME_sqlite    := the export to SQLite
NAME_plugin    := the plugin for Oclgrind
NAME_man       := the man pages
MISSES_layer   := $(call lacks_pc,lttng-ust,liblttng-ust-dev)
MISSES_sqlite  := $(if $(HAS_SQLITE),,libsqlite3-dev)
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

# What is asked for: build, for all; models, for `make models` by itself; demo and test, for what only their programs are built with.
# $(call package_set,NAME,PKGS,TOOLS,FOR,WHAT-BRINGS-THEM): $B/packages/NAME, made anew when what is found has changed, and NAME-packages
define package_set
FLAGS += packages-$1
FLAGS_packages-$1 = $$(shell command -v $$(PKGCONFIG) $3) $$(shell $$(PKGCONFIG) --cflags --libs $2 2>/dev/null) $$(wildcard $$(HEADERS:%=/usr/include/%))

.PHONY: $1-packages
$B/packages/$1: $B/flags/packages-$1
$1-packages $B/packages/$1:
	@command -v $$(PKGCONFIG) >/dev/null || { echo "gpulane: build: pkg-config is missing (run: make setup, or apt-get install pkg-config)" >&2; exit 1; }
	@missing=; $(foreach p,$2,$$(PKGCONFIG) --exists $p || missing="$$$$missing $(PKG_DEB_$p)"; ) \
	$(if $(filter libbpf,$2),if $$(PKGCONFIG) --max-version=0.99 libbpf; then missing="$$$$missing libbpf-dev (1.0 or newer)"; fi;) \
	$(foreach t,$3,command -v $t >/dev/null || missing="$$$$missing $(or $(PKG_DEB_$(notdir $t)),$t)"; ) \
	$(foreach h,$(HEADERS),echo '#include <$h>' | $$(CC) -E - >/dev/null 2>&1 || missing="$$$$missing $(PKG_DEB_$h)"; ) \
	if [ -n "$$$$missing" ]; then echo "gpulane: build: packages are missing$4:$$$$missing (run: $5, or apt-get install$$$$missing)" >&2; exit 1; fi
	@$$(if $$(filter /%,$$(@:$B/%=/%)),mkdir -p $$(@D) && touch $$@,:)
endef

$(eval $(call package_set,build,$(PKGS),$(TOOLS),,make setup))
$(eval $(call package_set,models,$(PKGS_models),$(TOOLS_models),,make setup))
$(eval $(call package_set,demo,OpenCL,$(CC), for the demo,scripts/setup demo))
$(eval $(call package_set,test,cmocka libxml-2.0 libprotobuf-c,$(CC) $(PROTOC_C), for the tests,scripts/setup test))
test-packages: demo-packages
$B/packages/test: | $B/packages/demo

.PHONY: packages left-out
packages: build-packages

left-out: | $B/gpulane
	@$(if $(LEFT_OUT),echo "gpulane: left out: $(strip $(left_out_line))" >&2,:)
