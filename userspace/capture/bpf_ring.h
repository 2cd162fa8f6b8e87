/* SPDX-License-Identifier: MIT */
/*
 * The collector's side of the CPUs' rings: memory that the BPF programs write (bpf/common.bpf.h).
 *
 * A drain is bounded and says whether all that was there before it has been read, which is what
 * puts records that interrupted each other back in order.
 */
#ifndef LANE_CAPTURE_BPF_RING_H
#define LANE_CAPTURE_BPF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/event.h"
#include "capture/bpf_shared.h"

/* The rings of one size; all of them are one map. */
struct lane_bpf_memory {
	int fd; /* -1: there are none */
	unsigned int n;
	size_t bytes; /* of a ring, a power of two; behind it LANE_BPF_RING_SLACK */
	char *map;
};

/* The ring of one CPU. */
struct lane_bpf_ring {
	unsigned int cpu;
	size_t bytes;
	char *data;
	volatile struct lane_bpf_cpu *on;  /* shared with the programs */
	uint64_t stood_at, stood_since_ns; /* its next record is incomplete since; 0: it is not */
};

/* What one drain found. */
struct lane_bpf_drained {
	uint64_t records;
	size_t filled;	  /* bytes that were in the ring when the drain began */
	bool is_complete; /* all that was reserved before the drain began has been read */
};

/* Called with each record; an error ends the drain. */
typedef struct lane_error *lane_bpf_record_fn(void *data, const struct lane_wire *record);

/* Allocates n rings; none is nothing. capture_bpf_memory_close() gives all back, after a failure,
 * too.
 */
struct lane_error *capture_bpf_memory_open(struct lane_bpf_memory *memory, unsigned int n,
					   size_t bytes) LANE_MUST_CHECK;
void capture_bpf_memory_close(struct lane_bpf_memory *memory);

/* The ring number i of the memory becomes a CPU's; of all rings it is number `number`. */
void capture_bpf_ring_give(struct lane_bpf_ring *ring, const struct lane_bpf_memory *memory,
			   unsigned int i, unsigned int number, unsigned int cpu,
			   volatile struct lane_bpf_cpu *on);

/*
 * Reads what was in the ring when the call began, up to a record that is still being written. Fails
 * on what record says, and on a record that no program of ours has written.
 */
struct lane_error *capture_bpf_ring_drain(struct lane_bpf_ring *ring, lane_bpf_record_fn *record,
					  void *data,
					  struct lane_bpf_drained *drained) LANE_MUST_CHECK;

/* For how long, ns, up to now_ns, the record that the last drain has found incomplete has been so.
 */
uint64_t capture_bpf_ring_stood(struct lane_bpf_ring *ring, const struct lane_bpf_drained *drained,
				uint64_t now_ns);

#endif
