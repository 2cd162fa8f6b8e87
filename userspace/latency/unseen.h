/* SPDX-License-Identifier: MIT */
/* Who is not recorded and may have had the GPU: the processes that had bursts open while commands
 * waited and no command ran that is recorded. */
#ifndef LANE_LATENCY_UNSEEN_H
#define LANE_LATENCY_UNSEEN_H

#include "timeline/timeline.h"

#define LANE_BURSTS 256

/* Commands of a process waited so, while the client had bursts open. */
struct lane_unseen_sum {
	int32_t pid;
	struct lane_client *client;
	uint64_t count, ns; /* so many commands, for so long at most */
};

struct lane_unseen {
	/* The last bursts that were handed over, a ring; n so far. */
	struct lane_burst {
		struct lane_client *client;
		const struct lane_context *context;
		uint32_t seqno;
		bool is_copys; /* of an engine that copies, and runs no kernels */
		uint64_t begin_ns;
		uint64_t over_ns; /* it was over by then; LANE_NEVER: not known */
	} of[LANE_BURSTS];
	uint64_t n;
	struct lane_unseen_sum *sums; /* after finish: most time first */
	uint32_t n_sums, cap_sums;
	bool no_memory;
};

/* rq is now in its state, it was in `from`. */
void latency_unseen_state(struct lane_unseen *unseen, const struct lane_request *rq,
			  enum lane_request_state from, uint64_t now_ns);
void latency_unseen_command(struct lane_unseen *unseen, const struct lane_command *command);
/* is_recorded says whether commands of a process are. */
void latency_unseen_finish(struct lane_unseen *unseen, bool (*is_recorded)(void *arg, int32_t pid),
			   void *arg);

#endif
