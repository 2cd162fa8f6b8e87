/* SPDX-License-Identifier: MIT */
/*
 * Why requests were late, as far as the GPUs' counters tell (docs/counters.md): like ones, the
 * requests of one context or a process's runs of one kernel, are compared with and without a
 * condition, and the condition is named if it explains more than half of what the late ones took
 * longer.
 */
#ifndef LANE_LATENCY_SLOW_H
#define LANE_LATENCY_SLOW_H

#include "base/table.h"
#include "latency/counters.h"
#include "latency/histogram.h"

/* LANE_SLOWS(S) calls S(ID, name); of two that explain as much the first one is named. */
#define LANE_SLOWS(S)                                                                              \
	S(THROTTLED, "throttled")                                                                  \
	S(CLOCK, "low_clock")                                                                      \
	S(SUSPENDED, "suspended")                                                                  \
	S(C6, "c6")                                                                                \
	S(OTHER, "other_client")                                                                   \
	S(VF, "other_vf")

#define LANE_SLOW_NAME 64

enum lane_slow_cause {
#define S(id, name) LANE_SLOW_##id,
	LANE_SLOWS(S)
#undef S
	LANE_SLOW_CAUSES
};

extern const char *const lane_slow_names[LANE_SLOW_CAUSES];

/* The GPU's clock around requests or runs. */
struct lane_slow_clock {
	uint64_t readings, counted; /* of the first GT; up to which they are counted */
	uint64_t most, allowed;	    /* of what was read of any GT, and may be, MHz */
	bool is_high;		    /* a reading came near what is allowed, or that is not known */
	uint64_t ns, until_ns;	    /* so long they were under way, at least; the last one's end */
};

/* A context's requests, from the submit to the end, or runs of a kernel of one size; of these also
 * the way from their call to their start. */
struct lane_slow {
	const struct lane_context *context; /* NULL: runs of a kernel */
	bool is_start;
	char kernel[LANE_SLOW_NAME];
	int32_t pid; /* whose */
	uint64_t size, group;
	struct lane_histogram all, with[LANE_SLOW_CAUSES], without[LANE_SLOW_CAUSES];
	struct lane_histogram unsure[LANE_SLOW_CAUSES]; /* of starts: of which that is not known */
	uint64_t throttles;				/* the reasons */
	struct lane_slow_clock clock;
	/* The counters of the client and of the virtual function that most often had most of the
	 * GPU, if any did, and more than half of the times (Boyer and Moore). */
	struct lane_slow_other {
		uint32_t counter, votes;
	} others[LANE_SLOW_CAUSES];
	/* Set by finish. is_named: cause explains permille of what the late ones took longer. */
	bool is_named;
	enum lane_slow_cause cause;
	unsigned int permille;
	uint64_t with_ns, without_ns; /* medians */
	uint64_t n_without;
	bool is_unsure; /* of those without it is not known whether they were */
};

struct lane_slows {
	struct lane_slow *all;
	uint32_t n, room;
	struct lane_table index;
	struct lane_slow_readings *readings; /* by a counter's number */
	uint32_t n_readings, room_readings;
	uint32_t *asked; /* numbers of the counters that tell of requests */
	uint32_t n_asked, room_asked;
	bool has_more;		  /* than are asked */
	struct lane_slow_gt *gts; /* what counters are of */
	uint32_t n_gts, room_gts;
	struct lane_table gt_index;
	struct lane_slow_waiting *waiting; /* requests whose counters are still to be read */
	uint32_t first_waiting, n_waiting;
	uint64_t most_gap_ns;	/* between two readings of a counter */
	uint64_t busy_until_ns; /* the last known end */
	bool no_memory;
};

struct lane_kernel_stats;

void latency_slow_sample(struct lane_slows *slows, const struct lane_counters *counters,
			 const struct lane_event *event);

void latency_slow_request(struct lane_slows *slows, const struct lane_counters *counters,
			  const struct lane_request *rq);

/* A run of the kernel, and how it came to it. ran_ns: by the device's clock. */
void latency_slow_command(struct lane_slows *slows, const struct lane_counters *counters,
			  const struct lane_kernel_stats *kernel,
			  const struct lane_command *command, uint64_t ran_ns);

void latency_slow_finish(struct lane_slows *slows, const struct lane_counters *counters);

/* All readings of the clock were low, and there were some. Nothing is compared with. */
bool latency_slow_is_low(const struct lane_slow *slow);

void latency_slow_deinit(struct lane_slows *slows);

#endif
