# The LTTng probe provider for i915, for one kernel and one i915 (docs/module.md):
#
#   make module [KDIR=...] [LTTNG_MODULES=DIR] [I915_KO=FILE | I915_BTF=FILE] [VMLINUX=FILE] [MODULE_DIR=DIR]
#
# HOOKS=function hooks functions also where the driver has a tracepoint: to compare the two.
KDIR       ?= /lib/modules/$(shell uname -r)/build
MODULE_DIR ?= $B/module

GEN_LAYOUT_CFLAGS = -std=gnu11 -O2 -g $(WARN) -D_GNU_SOURCE -I. -Iuserspace
FLAGS += gen-layout
FLAGS_gen-layout = $(CC) $(GEN_LAYOUT_CFLAGS)

$B/module-tools/gen-layout: module/gen-layout.c module/layout.def module/identity.h userspace/base/events.def $B/flags/gen-layout
	@mkdir -p $(@D)
	$(call step,CC,$<)$(CC) $(GEN_LAYOUT_CFLAGS) -o $@ $< -lbpf

.PHONY: module
module: $B/module-tools/gen-layout
	@CC="$(CC)" LANE_VERSION="$(VERSION)" scripts/make/build-module "$<" "$(MODULE_DIR)" "$(KDIR)" "$(LTTNG_MODULES)" \
	  "$(I915_KO)" "$(I915_BTF)" "$(VMLINUX)" $(if $(filter function,$(HOOKS)),--functions)

.PHONY: install-module
install-module:
	@scripts/make/install-module "$(MODULE_DIR)" "$(KDIR)" "$(LTTNG_MODULES)" "$(DESTDIR)"
