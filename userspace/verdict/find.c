// SPDX-License-Identifier: MIT
// All answers to a report, in their order, and how much is unknown.
#include "verdict/found.h"

const struct lane_cause_info lane_causes[LANE_CAUSE_COUNT] = {
#define CAUSE(id, name, kind, sentence, advice) { name, LANE_CAUSE_##kind, sentence, advice },
#include "verdict/causes.def"
#undef CAUSE
};

struct lane_answer *verdict_add(struct lane_answers *answers, enum lane_cause cause)
{
	struct lane_answer *a = &answers->all[answers->n];

	if (answers->n < LANE_ANSWERS)
		answers->n++;
	*a = (struct lane_answer){
		.cause = cause, .advice = cause, .stage = -1, .pid = -1, .n = 1
	};
	return a;
}

void verdict_show(struct lane_answer *a, const struct lane_context *context, uint32_t seqno)
{
	if (a->n_evidence < LANE_ANSWER_EVIDENCE)
		a->evidence[a->n_evidence++] = (struct lane_request_key){ .dev = context->dev,
									  .ctx = context->ctx,
									  .seqno = seqno };
}

static uint64_t all_requests(const struct lane_latency *l)
{
	return l->requests.complete + l->requests.partial + l->requests.unknown;
}

/* The requests whose time can be told: no bursts. */
static uint64_t ending(const struct lane_latency *l)
{
	return all_requests(l) - l->requests.bursts;
}

bool verdict_much_is_unknown(const struct lane_latency *l, unsigned int percent)
{
	const struct lane_spent *spent = &l->spent;
	uint64_t all = ending(l);

	return verdict_share(spent->unknown.hi, spent->total.lo) >= percent ||
	       verdict_share(all - spent->requests, all) >= percent;
}

/* The kinds of event between which a stage lies. */
static const struct {
	enum lane_stage stage;
	enum lane_kind kinds[2];
	bool is_drm; /* of drm_sched's jobs; else of i915's requests */
} borders[] = {
	{ LANE_STAGE_PREPARE, { LANE_RQ_QUEUE, LANE_RQ_ADD }, false },
	{ LANE_STAGE_DEPENDENCY, { LANE_RQ_ADD, LANE_RQ_SUBMIT }, false },
	{ LANE_STAGE_HOST_QUEUE, { LANE_RQ_SUBMIT, LANE_RQ_EXECUTE }, false },
	{ LANE_STAGE_DEVICE_QUEUE, { LANE_RQ_EXECUTE, LANE_FENCE_SIGNALED }, false },
	{ LANE_STAGE_HOST_QUEUE, { LANE_DRM_QUEUE, LANE_DRM_RUN }, true },
	{ LANE_STAGE_DEVICE_QUEUE, { LANE_DRM_DONE, LANE_FENCE_SIGNALED }, true },
	{ LANE_STAGE_SIGNAL, { LANE_FENCE_SIGNALED, LANE_FENCE_INIT }, true },
};

/* The recording has requests of that kind, or none of the other. */
static bool has_borders(const struct lane_latency *l, bool is_drm)
{
	bool has_drm = false, has_i915 = false; /* drivers' own events are of drm_sched's drivers */

	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		if (kind == LANE_AMD_USERQ_EMIT || kind == LANE_AMD_USERQ_WAIT)
			continue; /* of jobs that no scheduler has */
		has_drm |= (lane_is_drm((unsigned int)kind) || lane_is_driver((unsigned int)kind) ||
			    lane_is_own_job((unsigned int)kind)) &&
			   l->figures.by_kind[kind];
		has_i915 |= lane_is_request((unsigned int)kind) && l->figures.by_kind[kind];
	}
	return is_drm ? has_drm
		      : has_i915 || (!has_drm && !l->figures.by_kind[LANE_AMD_USERQ_EMIT]);
}

/* Up to Linux 6.16 the making of fences tells which are a job's. Where that is not recorded no
 * signal is known to be one's. */
static bool find_is_needed(const struct lane_latency *l, enum lane_kind kind)
{
	return kind != LANE_FENCE_INIT ||
	       (l->figures.by_kind[LANE_FENCE_SIGNALED] && latency_times_to_end(l));
}

static bool find_is_named(const struct lane_answer *a, enum lane_kind kind)
{
	for (uint16_t i = 0; i < a->n_kinds; i++)
		if (a->kinds[i] == kind)
			return true;
	return false;
}

/* The events whose absence makes time unknown. */
static void find_absent(const struct lane_latency *l, struct lane_answer *a)
{
	for (size_t i = 0; i < sizeof(borders) / sizeof(borders[0]); i++)
		for (int k = 0; k < 2; k++) {
			enum lane_kind kind = borders[i].kinds[k];

			if (l->figures.by_kind[kind] ||
			    l->info.presence[kind] == LANE_PRESENCE_RECORDED ||
			    find_is_named(a, kind) || !has_borders(l, borders[i].is_drm) ||
			    !find_is_needed(l, kind) || !l->stages[borders[i].stage].unknown)
				continue;
			a->kinds[a->n_kinds++] = kind;
		}
}

/* What happened to the engines of half of the requests that are not measured, or of more. */
static enum lane_cause why_of_engines(const struct lane_latency *l, uint64_t unmeasured)
{
	uint64_t reset = 0, idled = 0;

	for (uint32_t i = 0; i < l->n_engines; i++) {
		const struct lane_engine *engine = l->engines[i].engine;

		reset += engine && engine->resets ? l->engines[i].requests : 0;
		idled += engine && engine->idled ? l->engines[i].requests : 0;
	}
	if (reset && reset >= unmeasured / 2)
		return LANE_CAUSE_IS_ENGINE_RESET;
	return idled && idled >= unmeasured / 2 ? LANE_CAUSE_IS_ENGINE_IDLED
						: LANE_CAUSE_IS_ENDS_UNSEEN;
}

static enum lane_cause why_unknown(const struct lane_latency *l, uint64_t unmeasured)
{
	if (l->info.follows_some)
		return LANE_CAUSE_IS_OTHERS_UNRECORDED;
	if (l->losses)
		return l->is_damaged ? LANE_CAUSE_IS_FILES_DAMAGED : LANE_CAUSE_IS_EVENTS_LOST;
	if (l->ambiguous)
		return LANE_CAUSE_IS_FENCES_AMBIGUOUS;
	if (l->figures.contradictions)
		return LANE_CAUSE_IS_UNANNOUNCED;
	return why_of_engines(l, unmeasured);
}

/* How much is unknown, and why. */
static void of_unknown(struct lane_answers *answers)
{
	const struct lane_latency *l = answers->latency;
	struct lane_answer *a = verdict_add(answers, LANE_CAUSE_IS_EVENTS_ABSENT);

	a->ns = l->spent.unknown;
	a->of = l->spent.total;
	a->n = l->spent.requests;
	a->of_n = all_requests(l);
	a->times = ending(l) - l->spent.requests; /* of these no time is known */
	find_absent(l, a);
	if (!a->n_kinds)
		a->cause = a->advice = why_unknown(l, a->times);
	/* All of it may have been lost, where most requests have no time. */
	verdict_cost(answers, a, -1,
		     verdict_share(a->times, ending(l)) >= 50 ? latency_whole_ns(l) : a->ns.hi);
}

/* No stage of any client can have so much of its time that it is an answer. */
static bool nothing_stands_out(const struct lane_latency *l)
{
	if (verdict_much_is_unknown(l, VERDICT_PERCENT))
		return false;
	for (uint32_t i = 0; i < l->n_clients; i++)
		for (int stage = 0; l->clients[i].client && stage < LANE_STAGE_PATH; stage++)
			if (stage != LANE_STAGE_RUNNING &&
			    verdict_share(latency_spent_in(&l->clients[i].spent, stage).hi,
					  l->clients[i].spent.total.lo) >= VERDICT_PERCENT)
				return false;
	return true;
}

void verdict_find_of_request(const struct lane_latency *latency, struct lane_answers *answers)
{
	*answers = (struct lane_answers){ .latency = latency, .most = LANE_ANSWERS };
	if (latency->select.by_flip)
		verdict_of_frames(answers);
	else if (latency->requests.faulted)
		verdict_of_faults(answers);
	else if (latency->spent.requests == 1)
		verdict_of_clients(answers);
	verdict_rank(answers);
}

void verdict_find(const struct lane_latency *latency, unsigned int most,
		  struct lane_answers *answers)
{
	const struct lane_completeness *requests = &latency->requests;

	*answers = (struct lane_answers){ .latency = latency, .most = most };
	verdict_of_faults(answers);
	verdict_of_open_calls(answers);
	verdict_of_open(answers);
	verdict_of_longest(answers);
	verdict_of_lates(answers);
	verdict_of_failures(answers);
	verdict_of_slows(answers);
	verdict_of_steady(answers);
	verdict_of_clocks(answers);
	if (latency_has_requests(requests)) {
		if (verdict_much_is_unknown(latency, VERDICT_PERCENT))
			of_unknown(answers);
		verdict_of_clients(answers);
		verdict_of_engines(answers);
		verdict_of_starved(answers);
	}
	verdict_of_commands(answers);
	verdict_of_frames(answers);
	verdict_of_marks(answers);
	verdict_of_bursts(answers);
	if (!latency_has_requests(requests))
		verdict_of_recording(answers);
	else if (!answers->n)
		verdict_add(answers, nothing_stands_out(latency) ? LANE_CAUSE_IS_NOTHING
								 : LANE_CAUSE_IS_NOTHING_CERTAIN);
	verdict_rank(answers);
}
