/* SPDX-License-Identifier: MIT */
/*
 * The collector's side of one CPU's BPF ring buffer.
 *
 * libbpf's own consumer reads until a ring is empty and does not tell why it stopped; here a drain
 * is bounded and says whether all that was there before it has been read, which is what puts
 * records that interrupted each other back in order.
 */
#ifndef LANE_CAPTURE_BPF_RING_H
#define LANE_CAPTURE_BPF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/event.h"

struct lane_bpf_ring {
	unsigned int cpu;
	int fd;
	size_t bytes; /* a power of two */
	size_t page_bytes;
	unsigned long *consumer;       /* its page; read by the kernel */
	const unsigned long *producer; /* its page, then the data twice; written by the kernel */
	const char *data;
};

/* What one drain found. */
struct lane_bpf_drained {
	uint64_t records;
	size_t filled; /* bytes that were in the ring when the drain began */
	bool complete; /* all that was reserved before the drain began has been read */
};

/* Called with each record; an error ends the drain. */
typedef struct lane_error *lane_bpf_record_fn(void *data, const struct lane_wire *record);

/* Creates the ring of a CPU. *ring is filled; lane_bpf_ring_close gives everything back. */
struct lane_error *lane_bpf_ring_open(struct lane_bpf_ring *ring, unsigned int cpu,
				      size_t bytes) LANE_MUST_CHECK;

/*
 * Reads what was in the ring when the call began, up to a record that is still being written. Fails
 * on what record says, and on a record that no program of ours has written.
 */
struct lane_error *lane_bpf_ring_drain(struct lane_bpf_ring *ring, lane_bpf_record_fn *record,
				       void *data,
				       struct lane_bpf_drained *drained) LANE_MUST_CHECK;

void lane_bpf_ring_close(struct lane_bpf_ring *ring);

#endif
