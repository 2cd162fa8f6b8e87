/* SPDX-License-Identifier: MIT */
/* The stages of one request: what is known, what is bounded, what is unknown (docs/analysis.md). */
#ifndef LANE_LATENCY_STAGES_H
#define LANE_LATENCY_STAGES_H

#include "timeline/timeline.h"

/* LANE_STAGES(S) calls S(ID, name) for each stage, in order of a request's life; show/words.def
 * says what each is. */
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
	LANE_STAGE_PATH = LANE_STAGE_WAKE, /* those before add up to signalled - queue */
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
	bool none[LANE_POINT_COUNT]; /* this request never has it */
};

/* The times of a request whose story is over. info: what the trace has of events. */
void latency_points_of(const struct lane_trace_info *info, const struct lane_request *rq,
		       struct lane_points *points);

/* Of six times at most two pairs of neighbours have no time between them that is known, and one
 * more the stages with the hardware. */
#define LANE_GAPS 3

/* What is known of a request's stages. */
struct lane_stages {
	struct lane_span ns[LANE_STAGE_COUNT];
	uint16_t known;	  /* bit per stage: ns is exact or bounded */
	uint16_t unknown; /* bit per stage: it had it, for how long is not known */
	/* Between two known times with no stage between them that is known. */
	struct lane_gap {
		uint16_t stages; /* bit per stage that may have been in it */
		struct lane_span ns;
	} gaps[LANE_GAPS];
	uint8_t n_gaps;
	struct lane_span merged; /* what the gaps lasted together */
	bool merged_known;
	struct lane_span total; /* its first time to its last (signalled or end) */
	bool total_known;
};

/* The stages of a request whose story is over (docs/analysis.md). info: what the trace has of
 * events. */
void latency_stages_of(const struct lane_trace_info *info, const struct lane_request *rq,
		       struct lane_stages *stages);

/*
 * Where the stages with the hardware are unknown, and the times around them are not: bounds for
 * each, within those times, in *stages and for its start. False, with nothing changed: there are
 * none. Together they last no longer than each may; that is for whoever looks at one request alone.
 */
bool latency_bound_device(const struct lane_trace_info *info, const struct lane_request *rq,
			  struct lane_stages *stages, struct lane_span *start);

#endif
