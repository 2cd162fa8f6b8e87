// SPDX-License-Identifier: MIT
// The stages of one request, from its times: exact, with bounds, or unknown.
#include "latency/latency.h"

#include <string.h>

const char *const lane_stage_names[LANE_STAGE_COUNT] = {
#define S(id, name) [LANE_STAGE_##id] = name,
	LANE_STAGES(S)
#undef S
};

const char *const lane_complete_names[LANE_COMPLETE_COUNT] = { "complete", "partial", "unknown" };

enum lane_wholeness latency_completeness(const struct lane_stages *stages)
{
	const unsigned int path = (1u << LANE_STAGE_PATH) - 1;

	if (!(stages->unknown & path))
		return LANE_COMPLETE;
	return stages->known & path ? LANE_PARTIAL : LANE_UNKNOWN;
}

static void stages_take(struct lane_points *p, enum lane_stage_point which, bool known,
			uint64_t at_ns)
{
	p->known[which] = known;
	p->at[which] = timeline_span_exact(at_ns);
}

static bool stages_is_recorded(const struct lane_trace_info *info, enum lane_kind kind)
{
	return info->presence[kind] != LANE_PRESENCE_ABSENT;
}

/*
 * A request ends after its other known times. An end without a lower bound is unknown.
 */
static void bound_end(struct lane_points *p)
{
	struct lane_span *end = &p->at[LANE_POINT_END];

	for (int i = 0; i < LANE_POINT_END; i++)
		if (p->known[i] && end->lo < p->at[i].hi)
			end->lo = p->at[i].hi < end->hi ? p->at[i].hi : end->hi;
	if (!end->lo)
		p->known[LANE_POINT_END] = false;
}

void latency_points_of(const struct lane_trace_info *info, const struct lane_request *rq,
		       struct lane_points *p)
{
	memset(p, 0, sizeof(*p));
	stages_take(p, LANE_POINT_QUEUE, rq->seen & LANE_SEEN_QUEUE, rq->queue_ns);
	stages_take(p, LANE_POINT_ADD, rq->seen & LANE_SEEN_ADD, rq->add_ns);
	stages_take(p, LANE_POINT_SUBMIT, rq->seen & LANE_SEEN_SUBMIT, rq->submit_ns);
	if (rq->freed_ns) {
		p->known[LANE_POINT_SUBMIT] = true;
		p->at[LANE_POINT_SUBMIT] = timeline_submitted(rq);
	}
	stages_take(p, LANE_POINT_EXECUTE,
		    (rq->seen & LANE_SEEN_EXECUTE) && !(rq->doubt & LANE_DOUBT_EXECUTE),
		    rq->execute_ns);
	stages_take(p, LANE_POINT_SIGNALLED, timeline_signal_is_known(rq), rq->signal_ns);
	/* Straight before its fence is signalled (drm_sched_job_done(), sched_main.c) */
	p->is_only_done = rq->context->is_drm && rq->out_ns && !p->known[LANE_POINT_SIGNALLED] &&
			  !(rq->doubt & LANE_DOUBT_BURST);
	if (p->is_only_done)
		stages_take(p, LANE_POINT_SIGNALLED, true, rq->out_ns);
	p->known[LANE_POINT_END] = timeline_end_is_known(rq);
	p->at[LANE_POINT_END] = rq->end;
	/* No event shows when a job of drm_sched is built. i915's own requests have no queue event.
	 * Its heartbeats have no add event, either: heartbeat_commit()
	 * (gt/intel_engine_heartbeat.c) does not call i915_request_add(). */
	if (rq->context->is_drm) {
		p->none[LANE_POINT_QUEUE] = true;
	} else if (!rq->context->is_user && stages_is_recorded(info, LANE_RQ_QUEUE)) {
		p->none[LANE_POINT_QUEUE] = !p->known[LANE_POINT_QUEUE];
		p->none[LANE_POINT_ADD] =
			!p->known[LANE_POINT_QUEUE] && !p->known[LANE_POINT_ADD] &&
			p->known[LANE_POINT_SUBMIT] && stages_is_recorded(info, LANE_RQ_ADD);
	}
	bound_end(p);
}

static void known(struct lane_stages *stages, enum lane_stage stage, struct lane_span ns)
{
	stages->ns[stage] = ns;
	stages->known |= 1u << stage;
}

/* Caps a request's time running, or its time preempted, at the time from its start to its end. */
static struct lane_span at_most(struct lane_span sum, uint64_t most_ns)
{
	if (sum.hi > most_ns && sum.lo <= most_ns)
		sum.hi = most_ns;
	return sum;
}

/* Sets device_queue, running and preempted. A job of drm_sched that may never have been in the
 * hardware has bounds, too. */
static void device_stages(const struct lane_request *rq, const struct lane_points *p,
			  struct lane_stages *stages)
{
	uint64_t on_engine = timeline_span_between(rq->start, p->at[LANE_POINT_END]).hi;

	if (!p->known[LANE_POINT_EXECUTE] || !p->known[LANE_POINT_END] ||
	    !timeline_has_started(rq) ||
	    ((rq->doubt & LANE_DOUBT_DEVICE) && !rq->context->is_drm)) {
		stages->unknown |= 1u << LANE_STAGE_DEVICE_QUEUE | 1u << LANE_STAGE_RUNNING |
				   1u << LANE_STAGE_PREEMPTED;
		return;
	}
	known(stages, LANE_STAGE_DEVICE_QUEUE,
	      timeline_span_between(p->at[LANE_POINT_EXECUTE], rq->start));
	known(stages, LANE_STAGE_RUNNING, at_most(rq->running, on_engine));
	known(stages, LANE_STAGE_PREEMPTED, at_most(rq->preempted, on_engine));
}

/* Sets the stages of the wake. Only the scheduler's events show its division. */
static void wake_stages(const struct lane_request *rq, struct lane_stages *stages)
{
	if (rq->wake_known)
		known(stages, LANE_STAGE_WAKE, timeline_span_exact(rq->wake_ns));
	else
		stages->unknown |= 1u << LANE_STAGE_WAKE;
	if (!rq->wake_known || !rq->wake_runqueue_known) {
		stages->unknown |= 1u << LANE_STAGE_WAKE_RUNQUEUE | 1u << LANE_STAGE_WAKE_CPU;
		return;
	}
	known(stages, LANE_STAGE_WAKE_RUNQUEUE, timeline_span_exact(rq->wake_runqueue_ns));
	known(stages, LANE_STAGE_WAKE_CPU, timeline_span_exact(rq->wake_ns - rq->wake_runqueue_ns));
}

static void retire_and_wake(const struct lane_trace_info *info, const struct lane_request *rq,
			    struct lane_stages *stages)
{
	if ((rq->seen & LANE_SEEN_RETIRE) && (rq->seen & LANE_SEEN_SIGNAL))
		known(stages, LANE_STAGE_RETIRE,
		      timeline_span_exact(
			      rq->retire_ns > rq->signal_ns ? rq->retire_ns - rq->signal_ns : 0));
	else if (!(rq->doubt & LANE_DOUBT_GONE) && stages_is_recorded(info, LANE_RQ_RETIRE) &&
		 !rq->context->is_drm)
		stages->unknown |= 1u << LANE_STAGE_RETIRE;
	if (rq->waits)
		wake_stages(rq, stages);
}

/* The unknown stages between two known times that follow each other. */
static uint16_t unknown_between(const struct lane_points *p, const struct lane_stages *stages,
				int from, int to)
{
	static const uint16_t after_point[] = {
		[LANE_POINT_QUEUE] = 1u << LANE_STAGE_PREPARE,
		[LANE_POINT_ADD] = 1u << LANE_STAGE_DEPENDENCY,
		[LANE_POINT_SUBMIT] = 1u << LANE_STAGE_HOST_QUEUE,
		[LANE_POINT_EXECUTE] = 1u << LANE_STAGE_DEVICE_QUEUE | 1u << LANE_STAGE_RUNNING |
				       1u << LANE_STAGE_PREEMPTED,
		[LANE_POINT_END] = 1u << LANE_STAGE_SIGNAL,
	};
	uint16_t missing = 0;

	for (int i = from; i < to; i++)
		if (!p->none[i])
			missing |= after_point[i];
	return missing & stages->unknown;
}

static void stages_add_gap(struct lane_stages *stages, uint16_t missing, struct lane_span ns)
{
	if (stages->n_gaps < LANE_GAPS)
		stages->gaps[stages->n_gaps++] = (struct lane_gap){ missing, ns };
	timeline_span_add(&stages->merged, ns);
}

/*
 * The first and the last time of a request are known. One without a queue event begins at its add
 * event, unless the queue event may be lost. One without queue and add, such as a heartbeat, may
 * have been built before the recording.
 */
static bool has_both_ends(const struct lane_request *rq, const struct lane_points *p)
{
	bool begins = p->known[LANE_POINT_QUEUE] ||
		      (p->none[LANE_POINT_QUEUE] && p->known[LANE_POINT_ADD] &&
		       (rq->context->is_drm || rq->context->is_kernel));

	return begins &&
	       (p->known[LANE_POINT_SIGNALLED] || (p->known[LANE_POINT_END] && !rq->has_signals));
}

/* Sets the total, and the gaps: times between known times without a known stage. */
static void total_and_gaps(const struct lane_request *rq, const struct lane_points *p,
			   struct lane_stages *stages)
{
	const unsigned int path = (1u << LANE_STAGE_PATH) - 1;
	bool is_whole = !(stages->unknown & path); /* all stages are known: no gaps */
	int first = -1, last = -1;
	uint16_t missing;

	for (int i = 0; i < LANE_POINT_COUNT; i++) {
		if (!p->known[i])
			continue;
		missing = is_whole || last < 0 ? 0 : unknown_between(p, stages, last, i);
		if (missing)
			stages_add_gap(stages, missing,
				       timeline_span_between(p->at[last], p->at[i]));
		first = first < 0 ? i : first;
		last = i;
	}
	if (first < 0 || first == last)
		return;
	stages->merged_known = !is_whole;
	stages->total_known = has_both_ends(rq, p);
	if (stages->total_known)
		stages->total = timeline_span_between(p->at[first], p->at[last]);
}

/* While its engine waited for another one (a semaphore), a request that was handed over waited for
 * its dependencies. */
static void semaphore(const struct lane_request *rq, struct lane_stages *stages)
{
	struct lane_span *running = &stages->ns[LANE_STAGE_RUNNING];
	uint64_t most;

	if (!rq->spin_until_ns || !(stages->known >> LANE_STAGE_RUNNING & 1) ||
	    !(stages->known >> LANE_STAGE_DEPENDENCY & 1) || rq->spin_until_ns <= rq->start.lo)
		return;
	most = timeline_sooner(timeline_sooner(rq->spin_until_ns, rq->end.hi) - rq->start.lo,
			       running->hi);
	running->lo -= timeline_sooner(running->lo, most);
	stages->ns[LANE_STAGE_DEPENDENCY].hi += most;
}

void latency_stages_by(const struct lane_trace_info *info, const struct lane_request *rq,
		       const struct lane_points *p, struct lane_stages *stages)
{
	static const enum lane_stage between[] = { LANE_STAGE_PREPARE, LANE_STAGE_DEPENDENCY,
						   LANE_STAGE_HOST_QUEUE };

	memset(stages, 0, sizeof(*stages));
	for (int i = LANE_POINT_QUEUE; i < LANE_POINT_EXECUTE; i++) {
		if (p->known[i] && p->known[i + 1])
			known(stages, between[i], timeline_span_between(p->at[i], p->at[i + 1]));
		else if (!p->none[i])
			stages->unknown |= 1u << between[i];
	}
	device_stages(rq, p, stages);
	if (p->known[LANE_POINT_END] && p->known[LANE_POINT_SIGNALLED] && !p->is_only_done)
		known(stages, LANE_STAGE_SIGNAL,
		      timeline_span_between(p->at[LANE_POINT_END], p->at[LANE_POINT_SIGNALLED]));
	else
		stages->unknown |= 1u << LANE_STAGE_SIGNAL;
	semaphore(rq, stages);
	retire_and_wake(info, rq, stages);
	total_and_gaps(rq, p, stages);
}

void latency_stages_of(const struct lane_trace_info *info, const struct lane_request *rq,
		       struct lane_stages *stages)
{
	struct lane_points points;

	latency_points_of(info, rq, &points);
	latency_stages_by(info, rq, &points, stages);
}

bool latency_bound_device(const struct lane_trace_info *info, const struct lane_request *rq,
			  struct lane_stages *stages, struct lane_span *start)
{
	struct lane_span all = { 0 };
	struct lane_points points;

	latency_points_of(info, rq, &points);
	if (!(stages->unknown >> LANE_STAGE_RUNNING & 1) || rq->context->is_drm ||
	    !points.known[LANE_POINT_EXECUTE] || !points.known[LANE_POINT_END])
		return false;
	*start = (struct lane_span){ points.at[LANE_POINT_EXECUTE].lo,
				     points.at[LANE_POINT_END].hi };
	all.hi = timeline_span_between(points.at[LANE_POINT_EXECUTE], points.at[LANE_POINT_END]).hi;
	known(stages, LANE_STAGE_DEVICE_QUEUE, all);
	known(stages, LANE_STAGE_RUNNING, all);
	known(stages, LANE_STAGE_PREEMPTED, all);
	return true;
}
