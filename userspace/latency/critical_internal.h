/* SPDX-License-Identifier: MIT */
/* What the critical path keeps of an interval, and what its files share. */
#ifndef LANE_LATENCY_CRITICAL_INTERNAL_H
#define LANE_LATENCY_CRITICAL_INTERNAL_H

#include "base/table.h"
#include "latency/critical.h"

struct lane_crit_state {
	uint64_t begin_ns, end_ns;
	int32_t tid;
	int32_t waker;
	uint32_t wait_context, wait_seqno; /* NONE: no request */
	uint8_t state;
};

struct lane_crit_slice {
	uint64_t begin_ns, end_ns;
	int32_t victim, tid;
	char comm[16];
};

struct lane_crit_run {
	uint64_t begin_ns, end_ns;
	uint32_t engine, context, seqno;
};

struct lane_crit_request {
	uint64_t add_ns, submit_ns, execute_ns, start_ns, end_ns, signal_ns; /* 0: not known */
	uint32_t context, seqno, engine;
	int32_t tid;
};

/* A request whose submit came out of another's signal, or submit. */
struct lane_crit_dep {
	uint64_t ctx, on_ctx;
	uint32_t seqno, on_seqno, dev;
};

struct lane_crit_cpu {
	uint64_t ctx;
	uint32_t seqno;
	bool valid;
};

#define LANE_CRIT_VEC(type)                                                                        \
	struct {                                                                                   \
		type *v;                                                                           \
		size_t n, room;                                                                    \
	}

struct lane_critical {
	uint64_t from_ns, to_ns;
	LANE_CRIT_VEC(struct lane_crit_state) states;
	LANE_CRIT_VEC(struct lane_crit_slice) slices;
	LANE_CRIT_VEC(struct lane_crit_run) runs;
	LANE_CRIT_VEC(struct lane_crit_request) requests;
	LANE_CRIT_VEC(struct lane_crit_dep) deps;
	LANE_CRIT_VEC(struct lane_critical_segment) segments;
	struct lane_table by_request; /* (context id, seqno) -> index + 1 in requests */
	struct lane_table by_fence;   /* (fence context, seqno) -> the same */
	struct lane_table by_dep;     /* (ctx, dev << 32 | seqno) -> index + 1 in deps */
	struct lane_crit_cpu *cpus;
	uint32_t n_cpus;
	bool guc;
	bool full, no_memory;
};

/* A new last element of a vector, zeroed; NULL: no memory, or the interval holds too much. */
void *lane_crit_push(struct lane_critical *c, void *vec, size_t size);

/* The walk back; false: no memory. */
bool lane_critical_walk(struct lane_critical *c, const struct lane_timeline *timeline,
			const struct lane_critical_end *end);

#endif
