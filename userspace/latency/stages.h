/* SPDX-License-Identifier: MIT */
/* The stages of one request: exact, with bounds, or unknown (docs/analysis.md). */
#ifndef LANE_LATENCY_STAGES_H
#define LANE_LATENCY_STAGES_H

#include "timeline/timeline.h"

/* LANE_STAGES(S) calls S(ID, name) for each stage, in the order of a request's life. show/words.def
 * explains the stages. */
#define LANE_STAGES(S)                                                                             \
	S(PREPARE, "prepare")                                                                      \
	S(DEPENDENCY, "dependency")                                                                \
	S(HOST_QUEUE, "host_queue")                                                                \
	S(DEVICE_QUEUE, "device_queue")                                                            \
	S(RUNNING, "running")                                                                      \
	S(PREEMPTED, "preempted")                                                                  \
	S(SIGNAL, "signal")                                                                        \
	S(WAKE, "wake")                                                                            \
	S(WAKE_RUNQUEUE, "wake_runqueue")                                                          \
	S(WAKE_CPU, "wake_cpu")                                                                    \
	S(RETIRE, "retire")

enum lane_stage {
#define S(id, name) LANE_STAGE_##id,
	LANE_STAGES(S)
#undef S
	LANE_STAGE_COUNT,
	LANE_STAGE_PATH = LANE_STAGE_WAKE, /* the stages before add up to signalled - queue */
};

extern const char *const lane_stage_names[LANE_STAGE_COUNT];

/* The times between a request's stages, in order. */
enum lane_stage_point {
	LANE_POINT_QUEUE,
	LANE_POINT_ADD,
	LANE_POINT_SUBMIT,
	LANE_POINT_EXECUTE,
	LANE_POINT_END,
	LANE_POINT_SIGNALLED,
	LANE_POINT_COUNT
};

struct lane_points {
	struct lane_span at[LANE_POINT_COUNT];
	bool known[LANE_POINT_COUNT];
	bool none[LANE_POINT_COUNT]; /* the request never has this time */
	bool is_only_done; /* the signal is not recorded: its place has drm_sched_job_done */
};

/* The times of a reported request. info: which events the trace has. */
void latency_points_of(const struct lane_trace_info *info, const struct lane_request *rq,
		       struct lane_points *points);

/* Most gaps of a request. Two known times with an unknown time between them can form a gap: six
 * times leave room for two. A third can lie between a known execute and a known end. */
#define LANE_GAPS 3

/* What is known of a request's stages. */
struct lane_stages {
	struct lane_span ns[LANE_STAGE_COUNT];
	uint16_t known;	  /* bit per stage: ns is exact or bounded */
	uint16_t unknown; /* bit per stage: the request had it, its length is unknown */
	/* Time between two known times that cannot be divided into stages. */
	struct lane_gap {
		uint16_t stages; /* bit per stage that may have been in the gap */
		struct lane_span ns;
	} gaps[LANE_GAPS];
	uint8_t n_gaps;
	struct lane_span merged; /* sum of the gaps */
	bool merged_known;	 /* there is a sum, perhaps 0: some stage is unknown */
	/* From the request's first time to its signal; where no signals are recorded, to its end.
	 * Known only if both times are. */
	struct lane_span total;
	bool total_known;
};

/* How many of a request's stages are known. */
enum lane_wholeness {
	LANE_COMPLETE, /* every one */
	LANE_PARTIAL,  /* some */
	LANE_UNKNOWN,  /* none */
	LANE_COMPLETE_COUNT
};

extern const char *const lane_complete_names[LANE_COMPLETE_COUNT];

enum lane_wholeness latency_completeness(const struct lane_stages *stages);

/* The stages of a reported request (docs/analysis.md). latency_stages_by takes its times, too.
 * info: which events the trace has. */
void latency_stages_by(const struct lane_trace_info *info, const struct lane_request *rq,
		       const struct lane_points *points, struct lane_stages *stages);
void latency_stages_of(const struct lane_trace_info *info, const struct lane_request *rq,
		       struct lane_stages *stages);

/*
 * Gives bounds to device_queue, running and preempted where they are unknown between a known
 * execute and a known end. Sets the three stages in *stages, and the bounds of the start in *start.
 * Each stage gets the whole time as its upper bound, though the three share that time. So the
 * bounds are good for one request, not for sums. False: nothing changed.
 */
bool latency_bound_device(const struct lane_trace_info *info, const struct lane_request *rq,
			  struct lane_stages *stages, struct lane_span *start);

#endif
