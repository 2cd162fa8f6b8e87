// SPDX-License-Identifier: MIT
// Which answer comes first: what it certainly cost the program that is asked about, then the
// others.
#include "verdict/found.h"

/* The parts of a report, in their order. */
enum part {
	PART_FAULTS,
	PART_UNKNOWN, /* so much of the requests' time is unknown that nothing else is sure to be
			 more */
	PART_FRAMES,  /* what people see */
	PART_PROGRAM, /* the recorded command, or --process */
	PART_ASIDE,   /* what failed, and harmed nothing of that */
	PART_OTHERS,
	PART_UNCERTAIN, /* what it cost is not certain, or is not known */
	PART_NOTES,
	PARTS
};

bool verdict_is_asked(const struct lane_latency *l, int32_t pid)
{
	const struct lane_client *client = NULL;

	if (pid < 0 || !l->select.process)
		return pid > 0 && pid == l->info.command_pid;
	for (uint32_t i = 0; i < l->n_clients; i++)
		if (l->clients[i].client && l->clients[i].client->pid == pid)
			client = l->clients[i].client;
	return latency_selects_process(&l->select, pid, client);
}

static bool is_itself(const struct lane_party *who, const struct lane_party *by)
{
	return who->kind == LANE_PARTY_CLIENT && by->kind == LANE_PARTY_CONTEXT &&
	       (by->context->is_shared ? by->client : by->context->client) == who->client;
}

/* Those that name who did it, not the program itself. */
static bool names_another(const struct lane_answer *a)
{
	return a->cost_ns && a->by.kind != LANE_PARTY_NONE && !is_itself(&a->who, &a->by);
}

/* A stage of the same requests took more than twice as much. All their sums may be more than the
 * whole recording: what they cost does not tell. */
static bool is_dwarfed(const struct lane_answers *answers, const struct lane_answer *a)
{
	for (uint32_t i = 0; i < answers->n && a->stage >= 0; i++) {
		const struct lane_answer *b = &answers->all[i];

		if (b->stage >= 0 && b->who.client == a->who.client && b->cost_ns &&
		    b->ns.lo / 2 > a->ns.lo)
			return true;
	}
	return false;
}

static enum part rank_part_of(const struct lane_latency *l, const struct lane_answer *a)
{
	switch (lane_causes[a->cause].kind) {
	case LANE_CAUSE_FAULT:
		return a->is_aside ? PART_ASIDE : PART_FAULTS;
	case LANE_CAUSE_LATE:
		if (a->is_seen)
			return PART_FRAMES;
		if (!a->cost_ns)
			return PART_UNCERTAIN;
		return verdict_is_asked(l, a->pid) ? PART_PROGRAM : PART_OTHERS;
	case LANE_CAUSE_UNKNOWN:
		return PART_UNCERTAIN;
	default:
		return PART_NOTES;
	}
}

/* Sums of requests that wait at the same time may both be more than the whole recording. */
static bool costs_more(const struct lane_answer *a, const struct lane_answer *b)
{
	bool is_unknown = lane_causes[b->cause].kind == LANE_CAUSE_UNKNOWN;

	if (a->cost_ns != b->cost_ns)
		return a->cost_ns > b->cost_ns;
	return a->cost_ns && a->ns.lo > (is_unknown ? b->ns.hi : b->ns.lo);
}

/* The unknown time of requests may be more than anything that is known. */
static bool is_most(const struct lane_answers *answers, const struct lane_answer *unknown)
{
	for (uint32_t i = 0; i < answers->n; i++)
		if (lane_causes[answers->all[i].cause].kind == LANE_CAUSE_LATE &&
		    costs_more(&answers->all[i], unknown))
			return false;
	return true;
}

/*
 * Of a part, those come first that name whose doing it was, if they cost at least half as much as
 * the costliest: a wait that names nobody is often what such a doing led to.
 */
static bool rank_is_before(const struct lane_answer *a, const struct lane_answer *b)
{
	if (a->part != b->part)
		return a->part < b->part;
	if (a->is_named_first != b->is_named_first)
		return a->is_named_first;
	return costs_more(a, b);
}

void verdict_rank(struct lane_answers *answers)
{
	uint64_t most[PARTS] = { 0 };

	for (uint32_t i = 0; i < answers->n; i++) {
		struct lane_answer *a = &answers->all[i];

		a->part = rank_part_of(answers->latency, a);
		if (lane_causes[a->cause].kind == LANE_CAUSE_UNKNOWN && a->cost_ns &&
		    is_most(answers, a))
			a->part = PART_UNKNOWN;
		if (a->cost_ns > most[a->part])
			most[a->part] = a->cost_ns;
	}
	for (uint32_t i = 0; i < answers->n; i++) {
		struct lane_answer *a = &answers->all[i];

		a->is_named_first = names_another(a) && a->cost_ns >= (most[a->part] + 1) / 2 &&
				    !is_dwarfed(answers, a);
	}
	for (uint32_t i = 0; i < answers->n; i++) {
		struct lane_answer a = answers->all[i];
		uint32_t at = i;

		for (; at && rank_is_before(&a, &answers->all[at - 1]); at--)
			answers->all[at] = answers->all[at - 1];
		answers->all[at] = a;
	}
	if (answers->n > answers->most)
		answers->n = answers->most;
}
