/* SPDX-License-Identifier: MIT */
/*
 * What the GPUs' counters said in most readings while requests were under way (docs/counters.md): a
 * clock that is capped, memory at a low clock, a narrow link. Nothing is compared with: what was so
 * all the time is found, too.
 */
#ifndef LANE_LATENCY_STEADY_H
#define LANE_LATENCY_STEADY_H

#include "latency/counters.h"
#include "latency/ways.h"

/* LANE_STEADIES(S) calls S(ID, test, and, share, is_of_copies): both tests hold, while requests
 * (or copies) were under way for that share of the recording, in per cent. A test is GAUGE, AT_MOST
 * or AT_LEAST, so many per cent of LIMIT; NONE: of nothing, it is not 0. BESIDE: at least so many,
 * also of a LIMIT that is 0: a client that has nothing in the GPU's memory has no reading of it. */
#define LANE_STEADIES(S)                                                                           \
	S(CAPPED, (CLOCK_CAP, AT_MOST, 90, CLOCK_MOST), (CLOCK, AT_LEAST, 95, CLOCK_CAP), 33,      \
	  false)                                                                                   \
	S(HELD_DOWN, (THROTTLED, AT_LEAST, 0, NONE), (CLOCK, AT_MOST, 90, CLOCK_MOST), 33, false)  \
	S(POWER, (POWER, AT_LEAST, 95, POWER_MOST), (CLOCK, AT_MOST, 90, CLOCK_MOST), 33, false)   \
	S(HEAT, (HEAT, AT_LEAST, 95, HEAT_MOST), (CLOCK, AT_MOST, 90, CLOCK_MOST), 33, false)      \
	S(MEMORY, (MEMORY_CLOCK, AT_MOST, 75, MEMORY_CLOCK_MOST), ALWAYS, 33, false)               \
	S(WIDTH, (LINK_WIDTH, AT_MOST, 50, LINK_WIDTH_MOST), ALWAYS, 20, true)                     \
	S(SPEED, (LINK_SPEED, AT_MOST, 50, LINK_SPEED_MOST), ALWAYS, 20, true)                     \
	S(EVICTED, (CLIENT_EVICTED, BESIDE, 10, CLIENT_VRAM), ALWAYS, 33, false)

enum lane_steady_id {
#define S(id, test, and, share, is_of_copies) LANE_STEADY_##id,
	LANE_STEADIES(S)
#undef S
	LANE_STEADY_COUNT
};

struct lane_steady {
	struct lane_steady_readings *readings; /* NULL: none yet */
	uint64_t n, n_held;		       /* readings while they were under way; that held */
	bool has_gone;			       /* older ones were not kept */
	bool has_new_limit;		       /* it was read since the last reading that is kept */
	uint64_t least, most, limit;	       /* of the gauge in these, and its limit */
	uint64_t bits;			       /* all that were set in one */
	uint64_t ns;			       /* they were under way for so long; set by finish */
};

/* What has its own clocks, or is one link; or a client, by its own counters. */
struct lane_steady_part {
	uint32_t card, gt;
	uint64_t client_id; /* 0: it is no client */
	int32_t pid;
	char dev[32], comm[16];
	uint64_t known; /* bits: these gauges have been read */
	uint64_t last[LANE_COUNTS];
	struct lane_steady of[LANE_STEADY_COUNT];
	struct lane_ways ways[2]; /* of all requests, of copies */
};

struct lane_steadies {
	struct lane_steady_part *parts;
	uint32_t n, room;
	bool no_memory;
};

/* From when a request was handed over to when it certainly was not over. */
struct lane_span latency_steady_under_way(const struct lane_request *rq);

void latency_steady_sample(struct lane_steadies *steadies, const struct lane_counters *counters,
			   const struct lane_event *event);

void latency_steady_request(struct lane_steadies *steadies, const struct lane_counters *counters,
			    const struct lane_request *rq);

/* A run of a kernel of process pid, which tells no GPU. */
void latency_steady_run(struct lane_steadies *steadies, const struct lane_counters *counters,
			int32_t pid, struct lane_span ran);

void latency_steady_finish(struct lane_steadies *steadies);

/* It held in two of three readings, and there was enough to do. */
bool latency_steady_holds(const struct lane_steady *steady, enum lane_steady_id id,
			  uint64_t whole_ns);

void latency_steady_deinit(struct lane_steadies *steadies);

#endif
