/* SPDX-License-Identifier: MIT */
/* What threads that ask for pictures, or give them to the hardware, did of late. */
#ifndef LANE_LATENCY_FRAME_THREADS_H
#define LANE_LATENCY_FRAME_THREADS_H

#include "timeline/timeline.h"

#define LANE_FRAME_THREADS 16 /* that were last met */
#define LANE_FRAME_STATES  64 /* of each, the last ones */

struct lane_frame_threads {
	struct lane_frame_thread {
		int32_t tid;
		uint64_t met; /* 0: no thread */
		struct lane_frame_state {
			uint64_t begin_ns, end_ns;
			enum lane_thread_state state;
		} last[LANE_FRAME_STATES]; /* a ring, n so far */
		uint64_t n;
	} of[LANE_FRAME_THREADS];
	uint64_t met; /* so often one was met */
};

/* What a thread did in a time, ns; the rest of it is not known. */
struct lane_frame_did {
	uint64_t ran_ns, waited_ns, slept_ns; /* waited: for a CPU */
};

/* From now on it is of interest. */
void latency_frame_threads_meet(struct lane_frame_threads *threads, int32_t tid);

/* A hook. */
void latency_frame_threads_state(struct lane_frame_threads *threads,
				 const struct lane_thread_interval *interval);

struct lane_frame_did latency_frame_threads_did(const struct lane_frame_threads *threads,
						int32_t tid, uint64_t from_ns, uint64_t to_ns);

#endif
