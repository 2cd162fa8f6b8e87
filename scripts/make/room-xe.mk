# The emulated xe device (tests/xe), a library that is preloaded, and the programs that the suite neo runs on it (tests/neo). Their headers
# are those of the runtime's packages: they are built where XE_RUNTIME is the directory that scripts/guest.d/intel-newest prints.
ifneq ($(XE_RUNTIME),)
XE_OBJ     := $(patsubst %.c,$B/xe/%.o,$(sort $(wildcard tests/xe/*.c)))
XE_PROGRAM := $(patsubst tests/neo/%.c,$B/xe/%,$(sort $(wildcard tests/neo/*.c)))

XE_SAN     = $(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
XE_CFLAGS  = -std=gnu11 $(CFLAGS) $(WARN) -Wno-cast-qual -D_GNU_SOURCE -fPIC -isystem $(XE_RUNTIME)/usr/include $(XE_SAN) -MMD -MP
XE_LDFLAGS = $(LDFLAGS) -Wl,-Bsymbolic
FLAGS += xe
FLAGS_xe = $(CC) $(XE_CFLAGS) $(XE_LDFLAGS)

.PHONY: xe
xe: $B/xe/libgpulane-xe.so $(XE_PROGRAM)

$B/xe/%.o: %.c $B/flags/xe
	@mkdir -p $(@D)
	$(call step,CC,$<)$(CC) $(XE_CFLAGS) -c -o $@ $<

$B/xe/libgpulane-xe.so: $(XE_OBJ) $B/flags/xe
	$(call step,LD,$@)$(CC) $(XE_LDFLAGS) $(XE_SAN) -shared -o $@ $(XE_OBJ) -lpthread -ldl

# With the runtime's libraries, which may need a later C library than this machine's; what they do not find here is found there.
$(XE_PROGRAM): $B/xe/%: $B/xe/tests/neo/%.o $B/flags/xe
	$(call step,LD,$@)$(CC) $(XE_LDFLAGS) $(XE_SAN) -o $@ $< -L$(XE_RUNTIME)/usr/lib/x86_64-linux-gnu -Wl,--allow-shlib-undefined \
	  $(if $(findstring levelzero.h,$(file <tests/neo/$*.c)),-l:libze_loader.so.1) -lOpenCL -lpthread

-include $(XE_OBJ:.o=.d) $(XE_PROGRAM:$B/xe/%=$B/xe/tests/neo/%.d)
endif
