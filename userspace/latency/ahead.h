/* SPDX-License-Identifier: MIT */
/* Whose requests had an engine while another request waited: the one routine of report's tables and
 * of explain. */
#ifndef LANE_LATENCY_AHEAD_H
#define LANE_LATENCY_AHEAD_H

#include "timeline/timeline.h"

/* Most contexts that are told apart in one wait. */
#define LANE_AHEAD_CONTEXTS 64
#define LANE_AHEAD_LOSSES   256

struct lane_ahead_line; /* the last runs of an engine */

struct lane_ahead {
	struct lane_ahead_line **lines; /* by engine id */
	uint32_t n;
	bool no_memory;
	struct lane_ahead_loss {
		struct lane_span span;
		uint64_t until_ns;   /* neither it nor one before it reaches beyond this */
	} losses[LANE_AHEAD_LOSSES]; /* the last ones */
	uint64_t n_losses;	     /* so far */
	uint64_t lossy_until_ns;     /* none of all reaches beyond it */
};

/* A context's requests, of one process, had the engine for so long: at least, and at most. */
struct lane_ahead_part {
	const struct lane_context *context;
	struct lane_client *client; /* NULL: the context's */
	struct lane_span ns;
};

/* Who had the engine in a wait. */
struct lane_ahead_sum {
	struct lane_ahead_part parts[LANE_AHEAD_CONTEXTS];
	uint32_t n;
	uint64_t unknown_ns; /* for so long nobody is known to have had it, nor that it was idle */
};

/* For latency_ahead_state() only: rq runs since at_ns, or has run until then. */
void latency_ahead_runs(struct lane_ahead *ahead, const struct lane_request *rq, uint64_t at_ns);

/* What the timeline tells, as it tells it. */
static inline void latency_ahead_state(struct lane_ahead *ahead, const struct lane_request *rq,
				       enum lane_request_state from, uint64_t at_ns)
{
	if (from == LANE_RQ_STATE_RUNNING || rq->state == LANE_RQ_STATE_RUNNING)
		latency_ahead_runs(ahead, rq, at_ns);
}

/* is_maybe: it may have been none. */
void latency_ahead_run(struct lane_ahead *ahead, const struct lane_run *run, bool is_maybe);
void latency_ahead_loss(struct lane_ahead *ahead, const struct lane_loss *loss);
void latency_ahead_idle(struct lane_ahead *ahead, const struct lane_idle *idle);

/* Events may have been lost between the two times, as far as it was told. */
bool latency_ahead_is_lossy(const struct lane_ahead *ahead, uint64_t from_ns, uint64_t to_ns);

/* For how long of that time events were lost, at most; UINT64_MAX: there were more losses than are
 * kept. */
uint64_t latency_ahead_lost_ns(const struct lane_ahead *ahead, uint64_t from_ns, uint64_t to_ns);

/* Who had rq's engine from `from` to `to`. rq has just been told: what ran before it is known.
 */
void latency_ahead_of(const struct lane_ahead *ahead, const struct lane_request *rq,
		      struct lane_span from, struct lane_span to, struct lane_ahead_sum *sum);

/* Whose requests, of one process, had the engine for longest, if that was half_ns or longer;
 * context NULL: nobody's. */
struct lane_ahead_part latency_ahead_most(const struct lane_ahead_sum *sum, uint64_t half_ns);

/* Frees what it holds. */
void latency_ahead_deinit(struct lane_ahead *ahead);

#endif
