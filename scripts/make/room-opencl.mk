# The OpenCL layer: one shared object, for OPENCL_LAYERS and for LD_PRELOAD (docs/opencl.md).
CL_LAYER   := $B/libgpulane-opencl.so
CL_SRC     := $(sort $(wildcard userspace/opencl/*.c))
# Of base the layers have what shortens names, and what looks for atomics.
CL_OBJ     := $(CL_SRC:%.c=$B/%.o) $(addprefix $B/userspace/base/,fit.o kernel_atomics.o vector.o)
CFLAGS_userspace_base_fit += -fPIC
CFLAGS_userspace_base_kernel_atomics += -fPIC
CFLAGS_userspace_base_vector += -fPIC
# LTTng's macros shadow names of their own.
CL_CFLAGS  := -fPIC -fvisibility=hidden -Wno-shadow -Wno-missing-prototypes

$(foreach f,$(CL_SRC:%.c=%),$(eval CFLAGS_$(subst /,_,$f) := $(CL_CFLAGS)))

$(CL_LAYER): $(CL_OBJ) userspace/opencl/exports.map $B/flags/ld
	$(link) -shared -Wl,--version-script=userspace/opencl/exports.map -Wl,-z,nodelete -Wl,-soname,$(notdir $@) $(shell $(PKGCONFIG) --libs lttng-ust) -ldl -lpthread

-include $(CL_OBJ:.o=.d)

all: $(call part,layer,$(CL_LAYER))
INSTALL_layer += $(CL_LAYER):lib/gpulane/libgpulane-opencl.so:755

# What the suite tests/opencl runs.
CL_TESTS := $(patsubst %.c,$B/%,$(sort $(wildcard tests/opencl/*.c)))

$(CL_TESTS): %: %.o $B/flags/ld
	$(link) -lOpenCL -lpthread

-include $(CL_TESTS:=.d)

build-tests: $(CL_TESTS)

# The test has the layer in itself, on a driver of its own.
CFLAGS_tests_unit_opencl_layer_test := -Wno-shadow -Wno-missing-prototypes
