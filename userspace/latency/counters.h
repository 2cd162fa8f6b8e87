/* SPDX-License-Identifier: MIT */
/* What the GPUs' counters say of a recording (docs/counters.md): bounds, estimates, and whether the
 * requests agree. */
#ifndef LANE_LATENCY_COUNTERS_H
#define LANE_LATENCY_COUNTERS_H

#include "base/counter_kind.h"
#include "timeline/timeline.h"

/* One counter, by its number in the recording. */
struct lane_counter_sum {
	struct lane_p_gpulane_counter is;
	uint64_t samples; /* 0: it was never read */
	/* Between which times it was read first and last, and what. Of a client the most that was
	 * read so far: its value may go back and catch up. */
	struct lane_span first_at, last_at;
	uint64_t first, last;
	uint64_t first_total, last_total; /* the counter's own time; 0: it tells none */
	uint64_t least, most;		  /* of what was read */
	uint64_t set_samples;		  /* samples in which it was not 0 */
	uint64_t bits;			  /* all that were set in one */
	/* Of a gauge: the time between samples that agree, and their value times that; of what
	 * throttles 1, where anything does. */
	uint64_t agreed_ns;
	double agreed_value_ns;
	/* Set by finish: what was counted between the first sample and the last, ns; and in all
	 * of the recording. `sound`: these are bounds. Else rough.lo is an estimate alone. */
	bool is_time, is_sound;
	struct lane_span rough, counted;
};

struct lane_counters {
	struct lane_counter_sum *all;
	uint32_t n, room;
	uint32_t card; /* where has_card: of one that tells its card */
	bool has_card, has_two_cards;
	bool has_other_card; /* a request was seen of a card that none of them is of */
	const struct lane_engine *last_engine; /* of the last request; NULL: none */
	bool no_memory;
};

/* What an engine's counter says of the time in which its requests had it. */
struct lane_audit {
	const struct lane_counter_sum *counter; /* NULL: there is none that tells */
	struct lane_span counted;
	bool requests_exceed; /* they certainly ran longer than it counted */
	bool has_unseen_work; /* it certainly counted longer than they can have run */
};

void latency_counters_event(struct lane_counters *counters, const struct lane_event *event);

void latency_counters_finish(struct lane_counters *counters, uint64_t begin_ns, uint64_t end_ns);

/* To be called of each request. */
void latency_counters_request(struct lane_counters *counters, const struct lane_request *rq);

/* The counters are of one GPU, or of the machine, and no request is known to be another one's: what
 * tells no GPU is that one's. */
bool latency_counters_one_gpu(const struct lane_counters *counters);

/* What is on the engine is of the card that a counter names so. NULL: no GPU is told. */
bool latency_counters_on_card(const struct lane_counters *counters,
			      const struct lane_engine *engine, uint32_t card, const char *dev);

/* busy: the bounds by the requests alone. */
struct lane_audit latency_counters_audit(const struct lane_counters *counters,
					 const struct lane_engine *engine, struct lane_span busy);

void latency_counters_deinit(struct lane_counters *counters);

#endif
