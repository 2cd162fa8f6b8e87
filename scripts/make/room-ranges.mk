# The library of ranges: one shared object that ITT and NVTX load, and that stands before ROCTX (docs/ranges.md).
RANGES_LIB := $B/libgpulane-ranges.so
RANGES_SRC := $(sort $(wildcard userspace/ranges/*.c))
RANGES_OBJ := $(RANGES_SRC:%.c=$B/%.o)

# Its functions have the names and the types that others give them, and go by pointers without one.
$(foreach f,$(RANGES_SRC:%.c=%),$(eval CFLAGS_$(subst /,_,$f) := -fPIC -fvisibility=hidden))

$(RANGES_LIB): $(RANGES_OBJ) userspace/ranges/exports.map $B/flags/ld
	$(link) -shared -Wl,--version-script=userspace/ranges/exports.map -Wl,-z,nodelete -Wl,-soname,$(notdir $@) -ldl -lpthread

-include $(RANGES_OBJ:.o=.d)

all: $(call part,layer,$(RANGES_LIB))
INSTALL_layer += $(RANGES_LIB):lib/gpulane/libgpulane-ranges.so:755
