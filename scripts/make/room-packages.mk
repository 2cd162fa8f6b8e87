# Debian packages (docs/packages.md): `make deb` leaves them in $B/deb.
.PHONY: deb
deb:
	@scripts/make/build-deb $B/deb $(VERSION) $(LEFT_OUT)

# For pkg-config: where the OpenCL layer is.
FLAGS += prefix
FLAGS_prefix = $(prefix) $(VERSION)

$B/gpulane-opencl.pc: $B/flags/prefix
	$(call step,GEN,$@)printf '%s\n' 'prefix=$(prefix)' 'layer=$${prefix}/lib/gpulane/libgpulane-opencl.so' '' \
	  'Name: gpulane-opencl' 'Description: records OpenCL calls, by OPENCL_LAYERS or LD_PRELOAD' 'Version: $(VERSION)' > $@

all: $(call part,layer,$B/gpulane-opencl.pc)
INSTALL_layer += $B/gpulane-opencl.pc:share/pkgconfig/gpulane-opencl.pc:644

# The module's sources, as DKMS builds them.
DKMS_SOURCES := Kbuild $(sort $(wildcard module/*)) userspace/base/events.def \
                $(addprefix scripts/make/,build-dkms build-module unpack-vmlinuz)

.PHONY: install-dkms
install-dkms:
	@for file in $(DKMS_SOURCES); do mode=644; [ ! -x "$$file" ] || mode=755; \
	  install -D -m "$$mode" "$$file" "$(DESTDIR)$(prefix)/src/gpulane-$(VERSION)/$$file"; done
	@echo "installed $(DESTDIR)$(prefix)/src/gpulane-$(VERSION)"
