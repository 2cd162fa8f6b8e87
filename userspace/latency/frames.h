/* SPDX-License-Identifier: MIT */
/* Refreshes that were missed, by what held the picture up. */
#ifndef LANE_LATENCY_FRAMES_H
#define LANE_LATENCY_FRAMES_H

#include "latency/ahead.h"
#include "latency/frame_threads.h"
#include "latency/stages.h"

#define LANE_FRAME_SCREENS 64
#define LANE_FRAME_MISSES  256
#define LANE_FRAME_OVER	   256 /* requests that were over last */
#define LANE_FRAME_AWAITED 64
#define LANE_FRAME_FOUND   4 /* of one name, of several devices */

struct lane_screen_sum {
	uint32_t dev;
	int32_t crtc;
	char connector[LANE_CONNECTOR_BYTES];
	uint64_t shown;	  /* commits that a refresh has shown */
	uint64_t late;	  /* of these: they missed some */
	uint64_t missed;  /* refreshes */
	uint64_t unknown; /* commits of which that is not known */
	uint64_t lost;	  /* that no refresh is known to have shown */
	uint64_t period_ns;
	/* Of those that missed none: what the thread that asked did since the refresh before, all
	 * together. */
	struct lane_frame_did did;
	uint64_t did_n;
};

/* How long pictures took from the asking to the refresh that showed them, in parts. */
struct lane_frame_parts {
	struct lane_span
		stages[LANE_STAGE_PATH]; /* of the request that they waited for, since then */
	uint64_t gpu_ns;		 /* of it from its hand-over to its signal */
	bool is_gpu_divided; /* in device_queue, running, preempted and signal, exactly */
	uint64_t update_ns;  /* until the hardware had all */
	uint64_t refresh_ns; /* from then on */
	uint64_t whole_ns;
	bool is_known;
};

/* Refreshes of a CRTC that were missed for one cause. */
struct lane_miss_sum {
	uint32_t screen; /* of the screens, its number */
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
	/* What the thread that was late did: of LANE_MISS_ASK since the refresh before, of
	 * LANE_MISS_UPDATE since all fences were signalled. */
	struct lane_frame_did did;
	uint64_t did_ns;	/* that time */
	uint64_t slept_more_ns; /* of LANE_MISS_ASK: so much more than usual */
	bool has_slept;		/* for half of what it was late by, or longer */
	/* Of LANE_MISS_ASK: before it a commit was refused that would have been in time. */
	int32_t refused; /* negative, as errno; 0: none was */
	struct lane_frame_parts parts;
	const struct lane_context *context; /* a request that shows it; NULL: none */
	uint32_t seqno;
};

/* What is kept of a request for a commit that waited for it. */
struct lane_frame_request {
	const struct lane_context *context;
	uint32_t seqno;
	const struct lane_client *client, *behind;
	int stage;
	struct lane_points points;
	struct lane_stages stages;
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
		struct lane_flip flip;
	} awaited[LANE_FRAME_AWAITED];
	uint32_t n_awaited;
	struct lane_frame_threads threads;
	struct lane_flip found[LANE_FRAME_FOUND]; /* that were sought by name */
	uint32_t n_found;
};

/* Hooks; frames is zeroed at first. ahead: who had the engine for half of the device's queue. */
void latency_frames_request(struct lane_frames *frames, const struct lane_trace_info *info,
			    const struct lane_request *rq, const struct lane_stages *stages,
			    const struct lane_ahead_part *ahead);
void latency_frames_flip(struct lane_frames *frames, const struct lane_flip *flip);
/* One of those that were over last; NULL: it is none. */
const struct lane_frame_request *latency_frames_over(const struct lane_frames *frames,
						     uint64_t context, uint32_t seqno);
/* What is usual of its display's pictures; latency_frames_flip() does it, too. */
void latency_frames_learn(struct lane_frames *frames, const struct lane_flip *flip);
/* It is one that is sought. */
void latency_frames_keep(struct lane_frames *frames, const struct lane_flip *flip);

void latency_frames_finish(struct lane_frames *frames);

#endif
