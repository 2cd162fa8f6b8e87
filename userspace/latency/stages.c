// SPDX-License-Identifier: MIT
// The stages of one request, from its times: what is known, what is bounded, what is unknown.
#include "latency/latency.h"

#include <string.h>

const char *const lane_stage_names[LANE_STAGE_COUNT] = {
#define S(id, name, help) [LANE_STAGE_##id] = name,
	LANE_STAGES(S)
#undef S
};

const char *const lane_stage_helps[LANE_STAGE_COUNT] = {
#define S(id, name, help) [LANE_STAGE_##id] = help,
	LANE_STAGES(S)
#undef S
};

/* The times that bound the stages, in order. */
enum point {
	QUEUE,
	ADD,
	SUBMIT,
	EXECUTE,
	END,
	SIGNALLED,
	POINTS
};

struct points {
	struct lane_span at[POINTS];
	bool known[POINTS];
	bool none[POINTS]; /* this request never has it */
};

static void take(struct points *p, enum point which, bool known, uint64_t at_ns)
{
	p->known[which] = known;
	p->at[which] = lane_span_exact(at_ns);
}

static bool recorded(const struct lane_trace_info *info, enum lane_kind kind)
{
	return info->presence[kind] != LANE_PRESENCE_ABSENT;
}

static void points_of(const struct lane_trace_info *info, const struct lane_request *rq,
		      struct points *p)
{
	memset(p, 0, sizeof(*p));
	take(p, QUEUE, rq->seen & LANE_SEEN_QUEUE, rq->queue_ns);
	take(p, ADD, rq->seen & LANE_SEEN_ADD, rq->add_ns);
	take(p, SUBMIT, rq->seen & LANE_SEEN_SUBMIT, rq->submit_ns);
	take(p, EXECUTE, (rq->seen & LANE_SEEN_EXECUTE) && !(rq->doubt & LANE_DOUBT_EXECUTE),
	     rq->execute_ns);
	take(p, SIGNALLED, rq->seen & LANE_SEEN_SIGNAL, rq->signal_ns);
	p->known[END] = rq->state == LANE_RQ_STATE_ENDED && !(rq->doubt & LANE_DOUBT_END);
	p->at[END] = rq->end;
	/* The kernel's own requests begin at add, its heartbeats at submit. */
	if (!rq->context->user && recorded(info, LANE_RQ_QUEUE)) {
		p->none[QUEUE] = !p->known[QUEUE];
		p->none[ADD] = !p->known[QUEUE] && !p->known[ADD] && p->known[SUBMIT] &&
			       recorded(info, LANE_RQ_ADD);
	}
	/* A fence that nobody has ever heard of again is bounded by nothing. */
	if (p->known[END] && p->at[END].hi == LANE_NEVER)
		p->known[END] = false;
}

static void known(struct lane_stages *stages, enum lane_stage stage, struct lane_span ns)
{
	stages->ns[stage] = ns;
	stages->known |= 1u << stage;
}

/* The three stages with the hardware. */
static void device_stages(const struct lane_request *rq, const struct points *p,
			  struct lane_stages *stages)
{
	if (!p->known[EXECUTE] || !p->known[END] || !rq->started ||
	    (rq->doubt & LANE_DOUBT_DEVICE)) {
		stages->unknown |= 1u << LANE_STAGE_DEVICE_QUEUE | 1u << LANE_STAGE_RUNNING |
				   1u << LANE_STAGE_PREEMPTED;
		return;
	}
	known(stages, LANE_STAGE_DEVICE_QUEUE, lane_span_between(p->at[EXECUTE], rq->start));
	known(stages, LANE_STAGE_RUNNING, rq->running);
	known(stages, LANE_STAGE_PREEMPTED, rq->preempted);
}

static void after(const struct lane_trace_info *info, const struct lane_request *rq,
		  struct lane_stages *stages)
{
	if ((rq->seen & LANE_SEEN_RETIRE) && (rq->seen & LANE_SEEN_SIGNAL))
		known(stages, LANE_STAGE_RETIRE,
		      lane_span_exact(rq->retire_ns > rq->signal_ns ? rq->retire_ns - rq->signal_ns
								    : 0));
	else if (!(rq->doubt & LANE_DOUBT_GONE) && recorded(info, LANE_RQ_RETIRE))
		stages->unknown |= 1u << LANE_STAGE_RETIRE;
	if (!rq->waits || !(rq->seen & LANE_SEEN_SIGNAL))
		return;
	known(stages, LANE_STAGE_WAKE, lane_span_exact(rq->wake_ns));
	known(stages, LANE_STAGE_WAKE_RUNQUEUE, lane_span_exact(rq->wake_runqueue_ns));
	known(stages, LANE_STAGE_WAKE_CPU, lane_span_exact(rq->wake_ns - rq->wake_runqueue_ns));
}

void lane_stages_of(const struct lane_trace_info *info, const struct lane_request *rq,
		    struct lane_stages *stages)
{
	static const enum lane_stage between[] = { LANE_STAGE_PREPARE, LANE_STAGE_DEPENDENCY,
						   LANE_STAGE_HOST_QUEUE };
	struct points p;
	int first = -1, last = -1;
	struct lane_span sum = { 0, 0 };

	points_of(info, rq, &p);
	memset(stages, 0, sizeof(*stages));
	for (int i = QUEUE; i < EXECUTE; i++) {
		if (p.known[i] && p.known[i + 1])
			known(stages, between[i], lane_span_between(p.at[i], p.at[i + 1]));
		else if (!p.none[i])
			stages->unknown |= 1u << between[i];
	}
	device_stages(rq, &p, stages);
	if (p.known[END] && p.known[SIGNALLED])
		known(stages, LANE_STAGE_SIGNAL, lane_span_between(p.at[END], p.at[SIGNALLED]));
	else
		stages->unknown |= 1u << LANE_STAGE_SIGNAL;
	after(info, rq, stages);

	for (int i = 0; i < POINTS; i++) {
		if (!p.known[i])
			continue;
		first = first < 0 ? i : first;
		last = i;
	}
	if (first < 0 || first == last)
		return;
	stages->total = lane_span_between(p.at[first], p.at[last]);
	stages->total_known = true;
	/* What lies between the first and the last known time and in no known stage is one
	 * interval. */
	for (int i = 0; i < LANE_STAGE_PATH; i++)
		if (stages->known & 1u << i)
			lane_span_add(&sum, stages->ns[i]);
	if (!(stages->unknown & ((1u << LANE_STAGE_PATH) - 1)))
		return;
	stages->merged_known = true;
	stages->merged.lo = stages->total.lo > sum.hi ? stages->total.lo - sum.hi : 0;
	stages->merged.hi = stages->total.hi > sum.lo ? stages->total.hi - sum.lo : 0;
}
