/* SPDX-License-Identifier: MIT */
/* The kept parts of an interval, from which the critical path is found. Shared by critical*.c. */
#ifndef LANE_LATENCY_CRITICAL_INTERNAL_H
#define LANE_LATENCY_CRITICAL_INTERNAL_H

#include "base/table.h"
#include "base/vector.h"
#include "latency/latency.h"

/* An interval of a thread. */
struct lane_crit_state {
	uint64_t begin_ns, end_ns;
	int32_t tid;
	int32_t waker;
	uint32_t wait_context, wait_seqno; /* the request it waited for, NONE: none */
	uint32_t client;		   /* id, NONE: its process owned no context then */
	uint8_t state;			   /* enum lane_thread_state */
	char comm[16];
};

/* Thread tid had the CPU for which thread victim waited. */
struct lane_crit_slice {
	uint64_t begin_ns, end_ns;
	int32_t victim, tid;
	char comm[16];
};

/* A request had the engine. */
struct lane_crit_run {
	struct lane_span begin, end;
	uint32_t engine, context, seqno, client;
};

/* The request context:seqno was preempted on the engine. */
struct lane_crit_preemption {
	uint32_t context, seqno, engine;
	struct lane_span at, lasted;
};

struct lane_crit_request {
	struct lane_points points;
	struct lane_span start, device, running, preempted;
	uint32_t context, seqno, client, engine;
	uint32_t after, after_seqno; /* request whose signal caused its submit, NONE: not known */
	uint32_t preemptions;
	struct lane_cpu_culprit starved_by[LANE_ACTORS]; /* ns 0: the thread was not */
	int32_t tid;
	bool has_run; /* device_queue, running and preempted are known */
};

#define LANE_CRIT_VEC(type)                                                                        \
	struct {                                                                                   \
		type *v;                                                                           \
		size_t n, room;                                                                    \
	}

struct lane_critical {
	uint64_t from_ns, to_ns;
	size_t most; /* elements of one vector: an interval with more of them is refused */
	struct lane_trace_info info;
	LANE_CRIT_VEC(struct lane_crit_state) states;
	LANE_CRIT_VEC(struct lane_crit_slice) slices;
	LANE_CRIT_VEC(struct lane_crit_run) runs;
	LANE_CRIT_VEC(struct lane_crit_preemption) preemptions;
	LANE_CRIT_VEC(struct lane_crit_request) requests;
	LANE_CRIT_VEC(struct lane_critical_segment) segments;
	struct lane_span kinds[LANE_CRITICAL_KIND_COUNT];
	struct lane_table by_request; /* (context id, seqno) -> index + 1 in requests */
	bool is_sorted;
	bool is_full, no_memory;
};

/* Appends a zeroed element to a vector. NULL: no memory, or the interval holds too many. */
#define LANE_CRIT_PUSH(c, vec)                                                                     \
	({                                                                                         \
		__typeof__((c)->vec.v) pushed_ = NULL;                                             \
                                                                                                   \
		if ((c)->vec.n == (c)->most)                                                       \
			(c)->is_full = true;                                                       \
		else                                                                               \
			pushed_ = LANE_APPEND((c)->vec.v, (c)->vec.n, (c)->vec.room);              \
		(c)->no_memory |= !pushed_ && !(c)->is_full;                                       \
		pushed_;                                                                           \
	})

/* Walks back from `end` at to_ns to from_ns. False: no memory, or `end` is not in the interval. */
bool latency_critical_walk(struct lane_critical *c, const struct lane_timeline *timeline,
			   uint64_t from_ns, uint64_t to_ns, const struct lane_critical_end *end);

#endif
