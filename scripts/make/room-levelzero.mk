# The Level Zero layer: one shared object, which the loader takes for its tracing layer (docs/levelzero.md).
ZE_LAYER   := $B/libgpulane-levelzero.so
ZE_SRC     := $(sort $(wildcard userspace/levelzero/*.c))
ZE_OBJ     := $(ZE_SRC:%.c=$B/%.o) $(addprefix $B/userspace/base/,fit.o kernel_atomics.o vector.o)

$(foreach f,$(ZE_SRC:%.c=%),$(eval CFLAGS_$(subst /,_,$f) := -fPIC -fvisibility=hidden -Wno-shadow -Wno-missing-prototypes))
# A hook whose name is mistyped would do nothing.
CFLAGS_userspace_levelzero_ze_wrappers += -Wunused-macros

$(ZE_LAYER): $(ZE_OBJ) userspace/levelzero/exports.map $B/flags/ld
	$(link) -shared -Wl,--version-script=userspace/levelzero/exports.map -Wl,-z,nodelete -Wl,-soname,libze_tracing_layer.so.1 $(shell $(PKGCONFIG) --libs lttng-ust) -ldl -lpthread

# In a folder of its own, under the name that the loader looks for.
$B/levelzero/libze_tracing_layer.so.1: $(ZE_LAYER)
	$(call step,LN,$@)mkdir -p $(@D) && ln -sf ../libgpulane-levelzero.so $@

-include $(ZE_OBJ:.o=.d)

all: $(call part,layer,$(ZE_LAYER) $B/levelzero/libze_tracing_layer.so.1)
INSTALL_layer += $(ZE_LAYER):lib/gpulane/levelzero/libze_tracing_layer.so.1:755

# The test has the layer in itself, on a driver of its own.
CFLAGS_tests_unit_levelzero_test := -Wno-shadow -Wno-missing-prototypes
