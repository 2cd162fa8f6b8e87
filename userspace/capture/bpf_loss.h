/* SPDX-License-Identifier: MIT */
/*
 * How many events the BPF programs have lost, from the counters that they and the kernel keep.
 *
 * A program of the classic tracepoint type is not run when it interrupts any other of that type,
 * and before 6.7 the kernel does not count that. A raw tracepoint program, `fired`, counts ahead of
 * it: what fired and was not seen behind the guard was dropped. Since 6.1 `fired` is guarded, too,
 * by itself: an event that interrupts it is not counted as fired but by the kernel, as a recursion
 * miss without a CPU, and it may well be recorded. In all, then, fired + missed - seen were
 * dropped. Where a tracepoint's programs may run on two CPUs (Linux 7.3: the thread was moved
 * between them), one is dropped too many: at most.
 */
#ifndef LANE_CAPTURE_BPF_LOSS_H
#define LANE_CAPTURE_BPF_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/bpf_shared.h"

/* How often the kernel has not run a program because it interrupted itself. */
struct lane_bpf_missed {
	uint64_t fired;	 /* the program that counts ahead of others */
	uint64_t events; /* programs that record: as many events are lost */
};

/* Dropped, of which a part may still be on its way. */
struct lane_bpf_dropped {
	uint64_t before; /* as of the last call */
	uint64_t total;	 /* what has come to stay */
};

/* Of one CPU; zeroed at first. */
struct lane_bpf_loss {
	struct lane_bpf_dropped here;
	struct lane_bpf_dropped elsewhere; /* on CPUs that are not known, told with this one's */
};

/*
 * How many events a CPU has lost by now, all told; never less than before. Between the counts ahead
 * of and behind the guard an event may be on its way: a difference counts when it was there at the
 * last call, too, or when this is the last one. *at_ns: when they had been lost.
 */
uint64_t capture_bpf_loss_cpu(struct lane_bpf_loss *loss, const volatile struct lane_bpf_cpu *cpu,
			      bool last, uint64_t *at_ns);

/* Events of a CPU that interrupted `fired` and were recorded, at least. */
uint64_t capture_bpf_loss_spared(const volatile struct lane_bpf_cpu *cpu);

/* Counts what was lost on CPUs that the kernel does not tell: it is told with one CPU's. spared:
 * the sum over all CPUs. */
void capture_bpf_loss_elsewhere(struct lane_bpf_loss *loss, const struct lane_bpf_missed *missed,
				uint64_t spared, bool last);

#endif
