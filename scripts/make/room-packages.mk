# What others install (docs/packages.md): Debian packages, which `make deb` leaves in $B/deb; one file for any distribution.
.PHONY: deb
deb:
	@scripts/make/build-deb $B/deb $(VERSION) $(LEFT_OUT)

# What is installed, in a folder that can be anywhere. Its programs need the C library alone; LTTng's libraries are loaded where they
# are there.
BUNDLE := gpulane-$(VERSION)-$(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
BUNDLE_LIST = $(filter-out $B/gpulane.service:%,$(patsubst $B/gpulane%:755,$B/static/gpulane%:755,$(INSTALL_ALWAYS)) $(INSTALL_layer) $(INSTALL_man))

# Ours as one object, which whoever changes a library links anew (scripts/linked), and with the libraries as they are here.
STATIC_LDFLAGS = $(LDFLAGS) $(READ_ONLY)
STATIC_LIBS    = -s -static-libgcc -Wl,-Bstatic $(filter-out -ldl -lm -pthread,$(shell $(PKGCONFIG) --static --libs $(filter-out lttng-ctl,$(PKGS)))) \
                 -Wl,-Bdynamic -lm -lpthread
STATIC         = $B/static/gpulane $B/static/gpulane-model
$B/static/gpulane.o: $(CMD_OBJ) $B/libgpulane-model.a $B/libgpulane.a
$B/static/gpulane-model.o: $(MODEL_CMD_OBJ) $B/libgpulane-model.a $(BASE_OBJ)
$(STATIC:=.o):
	@mkdir -p $(@D)
	$(call step,LD,$@)$(CC) -r -nostdlib -o $@ $(filter %.o %.a,$^) && strip --strip-debug $@
$(STATIC): %: %.o $B/flags/ld
	$(call step,LD,$@)$(CC) $(STATIC_LDFLAGS) -o $@ $< $(STATIC_LIBS) -Wl,-Map=$@.map || \
	  { echo "gpulane: tarball: this system's libraries cannot be linked in (make it on Debian 12)" >&2; exit 1; }

.PHONY: tarball
tarball: all $(STATIC)
	@$(if $(filter layer man,$(LEFT_OUT)),echo 'gpulane: tarball: the build leaves out $(filter layer man,$(LEFT_OUT)) (run: make setup)' >&2; exit 1)
	@rm -rf $B/tarball
	@$(call install_files,$(BUNDLE_LIST),$B/tarball/$(BUNDLE),:)
	@cd $B/tarball/$(BUNDLE) && ln -s bin/gpulane share/doc/gpulane/samples . && \
	  strip --strip-unneeded lib/gpulane/*.so lib/gpulane/levelzero/*.so.1 && \
	  sed 's/@VERSION@/$(VERSION)/' $(CURDIR)/scripts/make/tarball-readme >README && sed -i 's,$(prefix)/,./,g' share/man/*/*
	@NAME=$(BUNDLE) VERSION=$(VERSION) scripts/linked write $B/tarball/$(BUNDLE)/share/doc/gpulane/linked $(STATIC:=.map)
	@$(call install_files,$(foreach s,$(STATIC:=.o),$s:$(notdir $s):644),$B/tarball/$(BUNDLE)/share/doc/gpulane/linked/relink,:)
	@sed 's/@LDFLAGS@/$(STATIC_LDFLAGS)/; s/@LIBS@/$(STATIC_LIBS)/' scripts/make/tarball-relink >$B/relink && \
	  install -m 755 $B/relink $B/tarball/$(BUNDLE)/share/doc/gpulane/linked/relink/relink
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
