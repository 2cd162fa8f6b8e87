/* SPDX-License-Identifier: MIT */
/*
 * Holds what the timeline tells of a simulated trace against the truth.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include "sim.h"
#include "timeline/timeline.h"

struct sim_verdict {
	uint64_t requests;    /* told of */
	uint64_t values;      /* stages, intervals, ... held against the truth */
	uint64_t exact;	      /* of the stages: known exactly */
	uint64_t bounded;     /* of the stages: known within bounds */
	uint64_t unknown;     /* of the stages: unknown, or the request was not told of */
	uint64_t wrong;	      /* contradicts the truth */
	uint64_t missing;     /* exact in the truth, not known, though nothing was lost */
	uint64_t preemptions; /* told of */
};

enum sim_demand {
	SIM_SOUND, /* what is said must be true */
	SIM_FULL,  /* and what is exact in the truth must be known: every event is there */
};

/*
 * Runs the timeline over the events, compares, adds to *verdict. The first `shout` differences are
 * written to `log` (may be NULL), each a line that begins with `name`.
 */
struct lane_error *sim_check(const char *name, const struct sim_truth *truth,
			     const struct lane_trace_info *info, const struct lane_event *events,
			     size_t n, enum sim_demand demand, struct sim_verdict *verdict,
			     FILE *log, unsigned int shout) LANE_MUST_CHECK;

/*
 * The same for critical paths. Of the longest request, and of the whole of the thread that
 * submitted it: each piece is what the truth says. Of every request that is told: the sums by kind
 * are the request's stages, bounds and all. Pieces and sums are counted as values. truth may be
 * NULL: then only the sums are held against anything.
 */
struct lane_error *sim_check_critical(const char *name, const struct sim_truth *truth,
				      const struct lane_trace_info *info,
				      const struct lane_event *events, size_t n,
				      enum sim_demand demand, struct sim_verdict *verdict,
				      FILE *log, unsigned int shout) LANE_MUST_CHECK;

/*
 * The same for whom requests are said to have stood behind: each in the device's queue, and if
 * demand is SIM_FULL the sums over those in the driver's, by client, engine and context.
 */
struct lane_error *sim_check_behind(const char *name, const struct sim_truth *truth,
				    const struct lane_trace_info *info,
				    const struct lane_event *events, size_t n,
				    enum sim_demand demand, struct sim_verdict *verdict, FILE *log,
				    unsigned int shout) LANE_MUST_CHECK;

/*
 * The same for the verdict: each sentence that report would print.
 */
struct lane_error *sim_check_verdict(const char *name, const struct sim_truth *truth,
				     const struct lane_trace_info *info,
				     const struct lane_event *events, size_t n,
				     enum sim_demand demand, struct sim_verdict *verdict, FILE *log,
				     unsigned int shout) LANE_MUST_CHECK;

/* check_name.c: index in the truth of what the timeline tells of; SIM_NO: of nothing there, or of
 * several. */
uint32_t sim_find_own(const struct sim_truth *t, const struct lane_request *rq);
uint32_t sim_request_of(const struct sim_truth *t, const struct lane_request *rq);
uint32_t sim_request_named(const struct sim_truth *t, const struct lane_context *context,
			   uint32_t seqno);
/* Another ring has its name, and no event tells them apart. */
bool sim_has_twin(const struct sim_truth *t, uint32_t index);
bool sim_is_engine(const struct sim_truth *t, uint32_t index, const struct lane_engine *engine);
uint32_t sim_engine_of(const struct sim_truth *t, const struct lane_engine *engine);

/*
 * Of a job, what events tell and what the hardware did are both right: a stage's least and most.
 * Its time ends when its fence is signalled, also that of a long-running job that the hardware
 * still has then.
 */
struct lane_span sim_job_stage(const struct sim_truth *t, uint32_t request, enum sim_stage stage);

/* The recording has jobs of drm_sched. */
bool sim_has_jobs(const struct lane_trace_info *info);

/*
 * Gives the events to a new timeline, whose losses are known beforehand, and finishes it. *timeline
 * is the caller's, also where this fails (NULL before it was made).
 */
struct lane_error *sim_feed(const struct lane_trace_info *info, const struct lane_event *events,
			    size_t n, const struct lane_hooks *hooks,
			    struct lane_timeline **timeline) LANE_MUST_CHECK;

/* A hook of a `struct checker`, told on to its `adds_up`. */
#define SIM_TELL(name, parameters, arguments)                                                      \
	static void tell_##name parameters                                                         \
	{                                                                                          \
		const struct checker *c = arg;                                                     \
                                                                                                   \
		arg = c->adds_up.arg;                                                              \
		if (c->adds_up.name)                                                               \
			c->adds_up.name arguments;                                                 \
	}

#endif
