/* SPDX-License-Identifier: MIT */
/*
 * The last events of the machine in memory, as a recording holds them: a ring of wire records for
 * each CPU. The rings share one memory of a fixed size, cut in chunks; when there is no free one,
 * the one whose last event is the oldest makes room, whichever CPU has it. So all CPUs reach back
 * equally far, however much each of them has.
 */
#ifndef LANE_WATCH_RING_H
#define LANE_WATCH_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ctf.h"

#define LANE_RING_MIN_BYTES (1u << 20)

struct lane_ring;

/* A ring of that much memory, at least LANE_RING_MIN_BYTES, since begin_ns. *ring is the caller's.
 */
struct lane_error *watch_ring_create(size_t bytes, uint64_t begin_ns,
				     struct lane_ring **ring) LANE_MUST_CHECK;

/* Adds a record of a CPU (as on the wire, copied), in the order in which it was drained. */
struct lane_error *watch_ring_record(struct lane_ring *ring, unsigned int cpu,
				     const struct lane_wire *record) LANE_MUST_CHECK;

/* The CPU has lost `total` events in all up to at_ns. */
struct lane_error *watch_ring_lost(struct lane_ring *ring, unsigned int cpu, uint64_t total,
				   uint64_t at_ns) LANE_MUST_CHECK;

/* Nothing of this CPU that is older than ns is to come. */
struct lane_error *watch_ring_horizon(struct lane_ring *ring, unsigned int cpu,
				      uint64_t ns) LANE_MUST_CHECK;

/* From then on all CPUs' events are here. */
uint64_t watch_ring_since(const struct lane_ring *ring);

/* What is in [from_ns, to_ns]: records, their bytes, events lost. */
struct lane_ring_part {
	uint64_t records, bytes, lost;
};

void watch_ring_measure(const struct lane_ring *ring, uint64_t from_ns, uint64_t to_ns,
			struct lane_ring_part *part);

/*
 * Writes what is in [from_ns, to_ns] as a trace `env` describes to the folder `name` below dir_fd
 * (base/ctf.h); first, as of from_ns, the n_first records `first`. Each CPU that has anything in
 * the ring has a stream. *part: what was written.
 */
struct lane_error *watch_ring_write(const struct lane_ring *ring, int dir_fd, const char *name,
				    const struct lane_ctf_env *env, uint64_t from_ns,
				    uint64_t to_ns, const struct lane_wire *const *first,
				    size_t n_first, struct lane_ring_part *part) LANE_MUST_CHECK;

/* Frees; NULL is allowed. */
void watch_ring_destroy(struct lane_ring *ring);

#endif
