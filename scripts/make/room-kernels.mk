# The kernels that gpulane has been tried with, for doctor: as scripts/kernels.list has them, written down there alone.
TRIED := $B/gen/capture/tried.h

$(TRIED): scripts/kernels.list scripts/make/room-kernels.mk
	@mkdir -p $(@D)
	$(call step,GEN,$@)awk '!/^#/ && NF { printf "TRIED(\"%s\")\n", $$2 }' $< > $@.new
	@mv $@.new $@

$B/userspace/capture/probe_kernel.o: $(TRIED)
