/* SPDX-License-Identifier: MIT */
/* What the critical path keeps of an interval, and what its files share. */
#ifndef LANE_LATENCY_CRITICAL_INTERNAL_H
#define LANE_LATENCY_CRITICAL_INTERNAL_H

#include "base/table.h"
#include "latency/latency.h"

struct lane_crit_state {
	uint64_t begin_ns, end_ns;
	int32_t tid;
	int32_t waker;
	uint32_t wait_context, wait_seqno; /* NONE: no request */
	uint32_t client;		   /* id, NONE: its process owned no context then */
	uint8_t state;
	char comm[16];
};

struct lane_crit_slice {
	uint64_t begin_ns, end_ns;
	int32_t victim, tid;
	char comm[16];
};

struct lane_crit_run {
	struct lane_span begin, end;
	uint32_t engine, context, seqno;
};

struct lane_crit_away {
	uint32_t context, seqno, engine; /* it was taken from */
	struct lane_span at, lasted;
};

struct lane_crit_request {
	struct lane_points points;
	struct lane_span start, device, running, preempted;
	uint32_t context, seqno, engine;
	uint32_t after, after_seqno; /* the context its submit came out of, NONE: not known */
	uint32_t preemptions;
	int32_t tid;
	bool has_run; /* its stages with the hardware are known */
};

#define LANE_CRIT_VEC(type)                                                                        \
	struct {                                                                                   \
		type *v;                                                                           \
		size_t n, room;                                                                    \
	}

struct lane_critical {
	uint64_t from_ns, to_ns;
	struct lane_trace_info info;
	LANE_CRIT_VEC(struct lane_crit_state) states;
	LANE_CRIT_VEC(struct lane_crit_slice) slices;
	LANE_CRIT_VEC(struct lane_crit_run) runs;
	LANE_CRIT_VEC(struct lane_crit_away) aways;
	LANE_CRIT_VEC(struct lane_crit_request) requests;
	LANE_CRIT_VEC(struct lane_critical_segment) segments;
	struct lane_span kinds[LANE_CRITICAL_KIND_COUNT];
	struct lane_table by_request; /* (context id, seqno) -> index + 1 in requests */
	bool sorted;
	bool is_full, no_memory;
};

/* A new last element of a vector, zeroed; NULL: no memory, or the interval holds too much. */
void *latency_crit_push(struct lane_critical *c, void *vec, size_t size);

/* The walk back from to_ns to from_ns; false: no memory, or no such end. */
bool latency_critical_walk(struct lane_critical *c, const struct lane_timeline *timeline,
			   uint64_t from_ns, uint64_t to_ns, const struct lane_critical_end *end);

#endif
