// SPDX-License-Identifier: MIT
// Which request, context and engine of the truth the timeline speaks of.
#include <string.h>

#include "check.h"

/* A job's ring by its names: up to Linux 6.16 no event has the device's, and rings of two devices
 * may be told as one. */
static bool is_ring(const struct sim_engine *truth, const struct lane_engine *engine)
{
	return !strcmp(truth->name, engine->name) &&
	       (!*truth->device || !*engine->device || !strcmp(truth->device, engine->device));
}

bool sim_is_engine(const struct sim_truth *t, uint32_t index, const struct lane_engine *engine)
{
	const struct sim_engine *truth = &t->engines[index];

	if (engine->name)
		return is_ring(truth, engine);
	return truth->dev == engine->dev && truth->class == engine->class &&
	       truth->instance == engine->instance;
}

/* A ring that no job comes to is in no event. */
static bool is_seen(const struct sim_truth *t, uint32_t index)
{
	for (size_t i = 0; i < t->n_requests; i++)
		if (t->requests[i].engine == index || t->requests[i].ran_on == index)
			return true;
	return !t->is_sched;
}

bool sim_has_twin(const struct sim_truth *t, uint32_t index)
{
	const struct sim_engine *engine = &t->engines[index];

	for (uint32_t i = 0; t->is_sched && i < t->n_engines; i++)
		if (i != index && !*engine->device && !strcmp(t->engines[i].name, engine->name) &&
		    is_seen(t, i))
			return true;
	return false;
}

uint32_t sim_engine_of(const struct sim_truth *t, const struct lane_engine *engine)
{
	uint32_t found = SIM_NO;

	for (uint32_t i = 0; engine && i < t->n_engines; i++) {
		if (!sim_is_engine(t, i, engine) || !is_seen(t, i))
			continue;
		if (found != SIM_NO)
			return SIM_NO;
		found = i;
	}
	return found;
}

/* A job with a number of gpulane's own: its seqno is its number in the ring's scheduler. */
uint32_t sim_find_own(const struct sim_truth *t, const struct lane_request *rq)
{
	for (uint32_t i = 0; i < t->n_requests; i++) {
		const struct sim_request *r = &t->requests[i];

		if ((uint32_t)r->id != rq->seqno ||
		    (rq->engine && strcmp(rq->engine->name, t->engines[r->engine].name)))
			continue;
		if ((!(rq->seen & LANE_SEEN_ADD) || r->add == rq->add_ns) &&
		    (!(rq->seen & LANE_SEEN_EXECUTE) || r->execute == rq->execute_ns))
			return i;
	}
	return SIM_NO;
}

uint32_t sim_request_named(const struct sim_truth *t, const struct lane_context *context,
			   uint32_t seqno)
{
	for (uint32_t i = 0; i < t->n_requests; i++)
		if (t->requests[i].ctx == context->ctx && t->requests[i].seqno == seqno &&
		    (context->is_drm || t->requests[i].dev == context->dev))
			return i;
	return SIM_NO;
}

uint32_t sim_request_of(const struct sim_truth *t, const struct lane_request *rq)
{
	if (rq->context->is_drm && rq->context->ctx >= LANE_OWN_CONTEXT)
		return sim_find_own(t, rq);
	return sim_request_named(t, rq->context, rq->seqno);
}

/* From one time to another, both before the fence's signal; 0 where one does not exist. */
static uint64_t before_signal(const struct sim_request *r, uint64_t from, uint64_t to)
{
	if (to > r->signaled)
		to = r->signaled;
	return from == SIM_NONE || to == SIM_NONE || to < from ? 0 : to - from;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

struct lane_span sim_job_stage(const struct sim_truth *t, uint32_t request, enum sim_stage stage)
{
	const struct sim_request *r = &t->requests[request];
	uint64_t whole = before_signal(r, r->add, r->signaled), ns;

	switch (stage) {
	case SIM_DEPENDENCY:
		return timeline_span_exact(before_signal(r, r->add, r->submit));
	case SIM_HOST_QUEUE:
		return timeline_span_exact(before_signal(r, r->submit, r->execute));
	case SIM_DEVICE_QUEUE:
		return (struct lane_span){
			before_signal(r, r->execute, least(r->start, r->hw_start)),
			before_signal(r, r->execute, most(r->start, r->hw_start))
		};
	case SIM_PREEMPTED:
		ns = r->stage_ns[SIM_PREEMPTED];
		return (struct lane_span){ 0, ns == SIM_NONE ? whole : ns };
	case SIM_RUNNING:
		return (struct lane_span){ 0, before_signal(r, r->execute, r->signaled) };
	case SIM_SIGNAL:
		if (r->end == SIM_NONE && r->hw_end == SIM_NONE)
			return (struct lane_span){ 0, whole };
		return (struct lane_span){
			before_signal(r,
				      most(r->end == SIM_NONE ? 0 : r->end,
					   r->hw_end == SIM_NONE ? 0 : r->hw_end),
				      r->signaled),
			before_signal(r, least(r->end, r->hw_end), r->signaled)
		};
	default:
		return timeline_span_exact(0);
	}
}
