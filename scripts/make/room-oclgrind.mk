# The plugin for Oclgrind (docs/models/pattern.md): C++ by Oclgrind's and LLVM's interfaces, of the
# LLVM that Oclgrind itself is built with ($(LLVM) in packages.mk). Left out where they are not there.
OCLGRIND_PLUGIN := $B/libgpulane-oclgrind.so
OCLGRIND_SRC    := $(sort $(wildcard userspace/oclgrind/*.cpp))
OCLGRIND_OBJ    := $B/userspace/oclgrind/plugin.o
OCLGRIND_FLAGS   = -std=gnu++17 -O2 -g -Wall -Wextra -Werror -Wno-unused-parameter -fPIC -fno-rtti \
                   -fvisibility=hidden -isystem $(LLVM)/include -MMD -MP
OCLGRIND_LDFLAGS = $(LDFLAGS) $(READ_ONLY) -shared

FLAGS += oclgrind
FLAGS_oclgrind = $(CXX) $(OCLGRIND_FLAGS) $(OCLGRIND_LDFLAGS)

# All of it at once: LLVM's headers take far longer than what includes them.
$(OCLGRIND_OBJ): $(OCLGRIND_SRC) $B/flags/oclgrind | $B/packages/build
	@mkdir -p $(@D)
	$(call step,CXX,userspace/oclgrind)printf '#include "%s"\n' $(OCLGRIND_SRC) | $(CXX) $(OCLGRIND_FLAGS) -I. -x c++ -c -o $@ -

$(OCLGRIND_PLUGIN): $(OCLGRIND_OBJ) $B/flags/oclgrind
	$(call step,LD,$@)$(CXX) $(OCLGRIND_LDFLAGS) -o $@ $(OCLGRIND_OBJ) -loclgrind -L$(LLVM)/lib -lLLVM-14

-include $(OCLGRIND_OBJ:.o=.d)

# It runs in Oclgrind, which has no sanitizers.
ifeq ($(SAN),)
all: $(call part,plugin,$(OCLGRIND_PLUGIN))
INSTALL_plugin := $(OCLGRIND_PLUGIN):lib/gpulane/libgpulane-oclgrind.so:755
endif
