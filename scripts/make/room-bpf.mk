# The BPF programs: bpf/gpulane.bpf.c includes one file per subsystem; bpftool turns the object into the
# skeleton that userspace/capture/bpf_load.c includes.
BPF_SKEL := $B/gen/capture/gpulane.skel.h
# Where <asm/types.h> is; clang does not know it when it compiles for another machine.
BPF_ARCH_INCLUDE := -idirafter /usr/include/$(shell $(CC) -print-multiarch 2>/dev/null)
# The machine that runs the programs, by libbpf's names: what stores are seen in their order, what may begin where.
BPF_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))))
BPF_CFLAGS = -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -std=gnu11 -O2 -g -Wall -Wextra -Werror -Wno-unused-parameter \
             -Wno-missing-declarations -Iuserspace -Ibpf $(BPF_ARCH_INCLUDE) -MMD -MP

FLAGS += bpf
FLAGS_bpf = $(CLANG) $(BPF_CFLAGS) $(BPFTOOL)

$B/bpf/gpulane.bpf.o: bpf/gpulane.bpf.c $B/flags/bpf | $B/packages/build
	@mkdir -p $(@D)
	$(call step,BPF,$<)$(CLANG) $(BPF_CFLAGS) -c -o $@ $<

$(BPF_SKEL): $B/bpf/gpulane.bpf.o
	@mkdir -p $(@D)
	$(call step,GEN,$@)$(BPFTOOL) gen skeleton $< name gpulane_bpf > $@.new
	@mv $@.new $@

$B/userspace/capture/bpf_load.o: $(BPF_SKEL)

-include $B/bpf/gpulane.bpf.d

# For the guest's tests: loads every program on the running kernel.
$B/tests/guest/bpf-ways: $B/tests/guest/bpf_ways.o $B/libgpulane.a $B/flags/ld
	$(link) $(LDLIBS)

-include $B/tests/guest/bpf_ways.d
tools: $B/tests/guest/bpf-ways
