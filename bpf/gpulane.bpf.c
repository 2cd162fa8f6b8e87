// SPDX-License-Identifier: GPL-2.0 OR MIT
// The one object that is loaded: all subsystems write to the same rings with the same counters.
#include "display.bpf.c"
#include "dma_fence.bpf.c"
#include "drm_sched.bpf.c"
#include "gpu_driver.bpf.c"
#include "i915.bpf.c"
#include "irq.bpf.c"
#include "lock.bpf.c"
#include "mark.bpf.c"
#include "opencl.bpf.c"
#include "sample.bpf.c"
#include "sched.bpf.c"
#include "syncobj.bpf.c"
#include "workqueue.bpf.c"

/* Attached to every event that a program of the classic tracepoint type records, ahead of it. */
SEC("raw_tp")
int fired(void *ctx)
{
	if (enabled)
		__sync_fetch_and_add(&this_cpu()->fired, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
