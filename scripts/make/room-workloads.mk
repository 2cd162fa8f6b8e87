# OpenCL programs as a user would write them (tests/workloads), for the tests of everything that watches such.
WORKLOAD_NAMES := histogram hough kmeans micro events
WORKLOADS := $(WORKLOAD_NAMES:%=$B/workloads/%)
OPENCL_LIBS := -lOpenCL

.PHONY: workloads
workloads: $(WORKLOADS)

$(WORKLOAD_NAMES:%=$B/tests/workloads/%.o) $B/tests/workloads/common.o: | $B/packages/demo
$(WORKLOADS): $B/workloads/%: $B/tests/workloads/%.o $B/tests/workloads/common.o $B/flags/ld
	@mkdir -p $(@D)
	$(link) $(OPENCL_LIBS) -lm -lpthread

-include $(WORKLOAD_NAMES:%=$B/tests/workloads/%.d) $B/tests/workloads/common.d

tools: workloads
