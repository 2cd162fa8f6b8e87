# What others install (docs/packages.md): Debian packages, which `make deb` leaves in $B/deb; one file for any distribution.
.PHONY: deb
deb:
	@scripts/make/build-deb $B/deb $(VERSION) $(LEFT_OUT)

# What is installed, in a folder that can be anywhere. Its programs need the C library alone; LTTng's libraries are loaded where they
# are there.
BUNDLE := gpulane-$(VERSION)-$(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
BUNDLE_LIST = $(filter-out $B/gpulane.service:%,$(patsubst $B/gpulane%:755,$B/static/gpulane%:755,$(INSTALL_ALWAYS)) $(INSTALL_layer) $(INSTALL_man))

$B/static/gpulane: $(CMD_OBJ) $B/libgpulane-model.a $B/libgpulane.a
$B/static/gpulane-model: $(MODEL_CMD_OBJ) $B/libgpulane-model.a $(BASE_OBJ)
$B/static/gpulane $B/static/gpulane-model: $B/flags/ld
	@mkdir -p $(@D)
	$(link) -s -static-libgcc -Wl,-Bstatic $(filter-out -ldl -lm -pthread,$(shell $(PKGCONFIG) --static --libs $(filter-out lttng-ctl,$(PKGS)))) \
	  -Wl,-Bdynamic -lm -lpthread || { echo "gpulane: tarball: this system's libraries cannot be linked in (make it on Debian 12)" >&2; exit 1; }

.PHONY: tarball
tarball: all $B/static/gpulane $B/static/gpulane-model
	@$(if $(filter layer man,$(LEFT_OUT)),echo 'gpulane: tarball: the build leaves out $(filter layer man,$(LEFT_OUT)) (run: make setup)' >&2; exit 1)
	@rm -rf $B/tarball
	@$(call install_files,$(BUNDLE_LIST),$B/tarball/$(BUNDLE),:)
	@cd $B/tarball/$(BUNDLE) && ln -s bin/gpulane share/doc/gpulane/samples . && \
	  strip --strip-unneeded lib/gpulane/*.so lib/gpulane/levelzero/*.so.1 && \
	  sed 's/@VERSION@/$(VERSION)/' $(CURDIR)/scripts/make/tarball-readme >README && sed -i 's,$(prefix)/,./,g' share/man/*/*
	@tar -C $B/tarball --sort=name --owner=0 --group=0 --numeric-owner -cJf $B/$(BUNDLE).tar.xz $(BUNDLE)
	@printf '%s\nIt needs %s or newer.\n' $(abspath $B/$(BUNDLE).tar.xz) "$$(objdump -T $B/tarball/$(BUNDLE)/{bin/*,lib/gpulane/*.so,lib/gpulane/levelzero/*} | \
	  sed -n 's/.*(GLIBC_\([0-9.]*\)).*/glibc \1/p' | sort -uV | tail -n 1)"

# For pkg-config: where the OpenCL layer is.
$B/gpulane-opencl.pc: scripts/make/room-packages.mk docs/changelog.md
	$(call step,GEN,$@)printf '%s\n' 'layer=$${pcfiledir}/../../lib/gpulane/libgpulane-opencl.so' '' \
	  'Name: gpulane-opencl' 'Description: records OpenCL calls, by OPENCL_LAYERS or LD_PRELOAD' 'Version: $(VERSION)' > $@

all: $(call part,layer,$B/gpulane-opencl.pc)
INSTALL_layer += $B/gpulane-opencl.pc:share/pkgconfig/gpulane-opencl.pc:644

# The module's sources, as DKMS builds them.
DKMS_SOURCES := Kbuild $(sort $(wildcard module/*)) userspace/base/events.def \
                $(addprefix scripts/make/,build-dkms build-module unpack-vmlinuz)

.PHONY: install-dkms
install-dkms:
	@$(call install_files,$(foreach f,$(DKMS_SOURCES),$f:$f:$(if $(filter scripts/%,$f),755,644)),$(DESTDIR)$(prefix)/src/gpulane-$(VERSION),echo)
