/* SPDX-License-Identifier: MIT */
/* Refreshes that were missed, by what held the picture up. */
#ifndef LANE_LATENCY_FRAMES_H
#define LANE_LATENCY_FRAMES_H

#include "latency/stages.h"

#define LANE_FRAME_SCREENS 64
#define LANE_FRAME_MISSES  256
#define LANE_FRAME_OVER	   256 /* requests that were over last */
#define LANE_FRAME_AWAITED 64
#define LANE_FRAME_FOUND   4 /* of one name, of several devices */

struct lane_screen_sum {
	uint32_t dev;
	int32_t crtc;
	uint64_t shown;	  /* commits that a refresh has shown */
	uint64_t late;	  /* of these: they missed some */
	uint64_t missed;  /* refreshes */
	uint64_t unknown; /* commits of which that is not known */
	uint64_t lost;	  /* that no refresh is known to have shown */
	uint64_t period_ns;
};

/* Refreshes of a CRTC that were missed for one cause. */
struct lane_miss_sum {
	uint32_t dev;
	int32_t crtc;
	enum lane_miss cause;
	int32_t tid, pid; /* who asked */
	char comm[16];
	/* Of LANE_MISS_REQUEST: whose request it was, in which stage it was longest, and whom it
	 * stood behind there. */
	const struct lane_client *client, *behind;
	int stage;			/* enum lane_stage; -1: not known */
	struct lane_cpu_culprit by;	/* had the CPU of who was late; tid -1: nobody is known */
	uint64_t count, missed;		/* commits, refreshes */
	uint64_t ns, max_ns, max_at_ns; /* by so much the commits came later than they could have */
	uint32_t refresh;		/* that showed the one of max_ns */
	uint64_t late_ns;		/* of LANE_MISS_ASK: from the asking to the refresh */
	uint64_t usual_ns;		/* and so long it takes usually */
	const struct lane_context *context; /* a request that shows it; NULL: none */
	uint32_t seqno;
};

/* What is kept of a request for a commit that waited for it. */
struct lane_frame_request {
	const struct lane_context *context;
	uint32_t seqno;
	const struct lane_client *client, *behind;
	int stage;
};

struct lane_frames {
	struct lane_screen_sum screens[LANE_FRAME_SCREENS];
	uint32_t n_screens;
	struct lane_miss_sum misses[LANE_FRAME_MISSES]; /* after finish: the most refreshes first */
	uint32_t n_misses;
	uint64_t left_out;				 /* refreshes of further kinds of misses */
	struct lane_frame_request over[LANE_FRAME_OVER]; /* a ring, n_over so far */
	uint64_t n_over;
	/* Commits whose request is not over yet, as events tell. */
	struct lane_frame_awaited {
		struct lane_miss_sum miss;
		uint64_t fence_ctx, fence_seqno;
	} awaited[LANE_FRAME_AWAITED];
	uint32_t n_awaited;
	struct lane_flip found[LANE_FRAME_FOUND]; /* that were sought by name */
	uint32_t n_found;
};

/* Hooks; frames is zeroed at first. */
void latency_frames_request(struct lane_frames *frames, const struct lane_request *rq,
			    const struct lane_stages *stages);
void latency_frames_flip(struct lane_frames *frames, const struct lane_flip *flip);
/* It is one that is sought. */
void latency_frames_keep(struct lane_frames *frames, const struct lane_flip *flip);

void latency_frames_finish(struct lane_frames *frames);

#endif
