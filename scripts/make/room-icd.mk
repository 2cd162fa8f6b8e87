# The simulated OpenCL GPU (tests/icd): a driver for the OpenCL loader, OCL_ICD_VENDORS=$B/icd/gl.icd.
ICD_SRC := $(sort $(wildcard tests/icd/*.c)) userspace/base/table.c
ICD_OBJ := $(ICD_SRC:%.c=$B/pic/%.o)
ICD     := $B/icd/libgl-icd.so

.PHONY: icd
icd: $(ICD) $B/icd/gl.icd

# Not with the sanitizers: programs that are not load it.
ICD_CFLAGS  = -std=gnu11 $(CFLAGS) $(WARN) -Wno-deprecated-declarations -Wno-cast-qual -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 \
              -Iuserspace -fPIC -fvisibility=hidden -MMD -MP
# Without -Bsymbolic its calls would be taken for the program's.
ICD_LDFLAGS = $(LDFLAGS) -shared -Wl,-soname,libgl-icd.so -Wl,-Bsymbolic -Wl,--no-undefined
FLAGS += icd
FLAGS_icd = $(CC) $(ICD_CFLAGS) $(ICD_LDFLAGS) $(ICD_OBJ)

$B/pic/%.o: %.c $B/flags/icd | $B/packages/build
	@mkdir -p $(@D)
	$(call step,CC,$<)$(CC) $(ICD_CFLAGS) -c -o $@ $<

$(ICD_OBJ): | $B/packages/demo
$(ICD): $(ICD_OBJ) $B/flags/icd
	@mkdir -p $(@D)
	$(call step,LD,$@)$(CC) $(ICD_LDFLAGS) -o $@ $(ICD_OBJ) -lm -lpthread -ldl

$B/icd/gl.icd: $(ICD)
	@echo $(abspath $(ICD)) > $@

-include $(ICD_OBJ:.o=.d)

tools: icd

# The workloads' kernels as the simulated GPU compiles them, so that nothing has to be compiled in a guest.
.PHONY: icd-cache
icd-cache: $B/icd/cache/done

# The workloads are named here: their room comes later.
$B/icd/cache/done: $B/icd/gl.icd $(patsubst %,$B/workloads/%,histogram hough kmeans micro events)
	@mkdir -p $(@D)
	$(call step,GEN,$(@D))for program in histogram "histogram --global" hough kmeans micro events; do \
	  OCL_ICD_VENDORS=$(abspath $B/icd/gl.icd) GPULANE_ICD=cache=$(abspath $(@D)),kernel-us=1 \
	    $B/workloads/$$program >/dev/null; done
	@touch $@
