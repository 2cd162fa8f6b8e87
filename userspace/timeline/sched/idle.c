// SPDX-License-Identifier: MIT
// Why an engine idled: what the thread that submits the next request was doing meanwhile.
#include "timeline/sched/idle.h"
#include "timeline/losses.h"
#include "timeline/objects.h"
#include "timeline/state.h"
#include "timeline/sched/thread_time.h"

#include <stdlib.h>
#include <string.h>

/*
 * Requests that were on the ports before the recording give them back ahead of all requests that
 * were seen to be handed over. So if the order is proven, nothing was lost and nothing unseen has
 * shown itself, nothing had the engine before the first request that ran. Up to Linux 5.3 only the
 * last request of a port has an `out`: a request from before may have been ahead on the same port.
 */
void timeline_idle_lead(struct lane_timeline *tl, struct lane_eng *eng)
{
	struct lane_idle idle = { .engine = &eng->pub,
				  .begin_ns = tl->figures.begin_ns,
				  .end_ns = eng->first_ns,
				  .is_first = true };

	if (eng->pub.idle_until_ns || !eng->first_ns || !timeline_engine_lost_nothing(eng) ||
	    timeline_engine_unproven(eng) || !eng->model->has_sets || eng->proof.is_from_before ||
	    eng->proof.hidden_ns)
		return;
	eng->pub.idle_until_ns = eng->first_ns;
	idle.cause_ns[LANE_IDLE_UNKNOWN] = idle.end_ns - idle.begin_ns;
	if (idle.begin_ns < idle.end_ns && tl->hooks.idle)
		tl->hooks.idle(tl->hooks.arg, &idle);
}

void timeline_idle_cut(struct lane_timeline *tl, struct lane_eng *eng, uint64_t at_ns)
{
	timeline_idle_lead(tl, eng);
	timeline_idle_end(tl, eng, NULL, at_ns, timeline_engine_unproven(eng));
}

void timeline_idle_forget(struct lane_timeline *tl, struct lane_eng *eng)
{
	eng->idle.since_ns = 0;
	if (eng->pub.id < 64)
		tl->idle_mask &= ~(1ull << eng->pub.id);
}

void timeline_idle_begin(struct lane_timeline *tl, struct lane_eng *eng, uint64_t at_ns)
{
	if (eng->tasklet.is_cut || tl->info.follows_some)
		return; /* events may be missing; or other processes' requests are not recorded */
	/* After a loss an unseen request may have run since the last end that was seen. */
	eng->idle.since_ns = timeline_engine_lost_nothing(eng) && at_ns >= eng->proof.doubt_until_ns
				     ? at_ns
				     : tl->now.ns;
	eng->idle.epoch++;
	timeline_idle_lead(tl, eng);
	if (eng->pub.id < 64)
		tl->idle_mask |= 1ull << eng->pub.id;
}

/* The thread's time counts as waiting for a request of eng. */
static bool waits_here(const struct lane_thr *thr, const struct lane_eng *eng)
{
	return timeline_thread_doing(thr) == LANE_DOING_WAITING &&
	       timeline_thread_waits_on(thr) == &eng->pub;
}

/* What the thread's clocks show at at_ns, or at its last change if that was later. */
static void read_clocks(const struct lane_thr *thr, const struct lane_eng *eng, uint64_t at_ns,
			struct lane_idle_slot *to)
{
	uint64_t part = at_ns > thr->pub.since_ns ? at_ns - thr->pub.since_ns : 0;

	memcpy(to->clock, thr->clock, sizeof(to->clock));
	to->clock[timeline_thread_doing(thr)] += part;
	to->waiting_here = thr->waiting[eng->pub.id] + (waits_here(thr, eng) ? part : 0);
}

/* Before the thread's clocks move on: remembers, if eng became idle since they last did, what they
 * showed as it became idle. */
static void snapshot_one(struct lane_thr *thr, const struct lane_eng *eng)
{
	struct lane_idle_slot *slot = &thr->slots[eng->pub.id];

	if (slot->epoch == eng->idle.epoch)
		return;
	*slot = (struct lane_idle_slot){ .epoch = eng->idle.epoch };
	if (thr->stacks)
		memset(thr->stacks[eng->pub.id], 0, sizeof(*thr->stacks));
	read_clocks(thr, eng, eng->idle.since_ns, slot);
}

void timeline_idle_snapshot(struct lane_timeline *tl, struct lane_thr *thr, bool is_unsure)
{
	for (uint64_t mask = tl->idle_mask; mask; mask &= mask - 1) {
		uint32_t id = (uint32_t)__builtin_ctzll(mask);

		if (id >= thr->n_slots)
			continue;
		snapshot_one(thr, tl->engine_by_id[id]);
		thr->slots[id].is_unsure |= is_unsure;
	}
}

/* Who had the CPU for longest comes first. Those without a name stay the last. */
static void order_culprits(struct lane_cpu_culprit *culprits)
{
	for (int i = 1; i < LANE_IDLE_CULPRITS && culprits[i].ns && culprits[i].tid >= 0; i++) {
		struct lane_cpu_culprit one = culprits[i];
		int k = i;

		for (; k && culprits[k - 1].ns < one.ns; k--)
			culprits[k] = culprits[k - 1];
		culprits[k] = one;
	}
}

/* Adds a slice, of which ns count, to who had the thread's CPU. Those for whom there is no place
 * are the last of the list, without a name. */
static void add_culprit(struct lane_cpu_culprit *culprits, const struct lane_starvation *slice,
			uint64_t ns)
{
	struct lane_cpu_culprit *culprit = culprits;
	const struct lane_cpu_culprit *others = culprits + LANE_IDLE_CULPRITS - 1;

	while (culprit < others && culprit->ns &&
	       (culprit->tid != slice->tid || culprit->cpu != slice->cpu ||
		(!slice->tid && strncmp(culprit->comm, slice->comm, sizeof(culprit->comm)) != 0)))
		culprit++;
	if (!culprit->ns) {
		culprit->tid = culprit == others ? -1 : slice->tid;
		culprit->cpu = slice->cpu;
		if (culprit != others)
			memcpy(culprit->comm, slice->comm, sizeof(culprit->comm));
	}
	if (culprit->cpu != slice->cpu)
		culprit->cpu = -1;
	culprit->ns += ns;
}

void timeline_idle_starved(struct lane_timeline *tl, struct lane_thr *thr,
			   const struct lane_starvation *slice)
{
	for (uint64_t mask = tl->idle_mask; mask; mask &= mask - 1) {
		uint32_t id = (uint32_t)__builtin_ctzll(mask);
		struct lane_eng *eng = tl->engine_by_id[id];
		uint64_t begin_ns = slice->begin_ns;

		if (id >= thr->n_slots || eng->idle.since_ns >= slice->end_ns)
			continue;
		snapshot_one(thr, eng);
		if (begin_ns < eng->idle.since_ns)
			begin_ns = eng->idle.since_ns;
		add_culprit(thr->slots[id].culprits, slice, slice->end_ns - begin_ns);
	}
}

/* As what the thread's time counts that it sleeps; LANE_IDLE_UNKNOWN: as nothing that a stack tells
 * of. */
static enum lane_idle_cause cause_now(const struct lane_thr *thr, const struct lane_eng *eng)
{
	switch (timeline_thread_doing(thr)) {
	case LANE_DOING_BLOCKED:
		return LANE_IDLE_BLOCKED;
	case LANE_DOING_WAITING:
		return waits_here(thr, eng) ? LANE_IDLE_SAME_ENGINE : LANE_IDLE_OTHER_ENGINE;
	default:
		return LANE_IDLE_UNKNOWN;
	}
}

/* Those for which there is no place are left out: then it is not known where the thread was. */
static void add_stack(struct lane_idle_stack *stacks, const struct lane_idle_stack *one)
{
	for (int i = 0; i < LANE_IDLE_STACKS; i++) {
		struct lane_idle_stack *sum = &stacks[i];

		if (sum->times &&
		    (sum->cause != one->cause || sum->id.kernel != one->id.kernel ||
		     sum->id.user != one->id.user || sum->owner.tid != one->owner.tid))
			continue;
		sum->id = one->id;
		sum->owner = one->owner;
		sum->cause = one->cause;
		sum->times++;
		sum->ns += one->ns;
		return;
	}
}

void timeline_idle_at(struct lane_timeline *tl, struct lane_thr *thr, uint64_t now_ns)
{
	if (!thr->stacks && thr->n_slots)
		thr->stacks = calloc(thr->n_slots, sizeof(*thr->stacks));
	if (!thr->stacks) {
		tl->no_memory |= thr->n_slots > 0;
		return;
	}
	for (uint64_t mask = tl->idle_mask; mask; mask &= mask - 1) {
		uint32_t id = (uint32_t)__builtin_ctzll(mask);
		const struct lane_eng *eng = tl->engine_by_id[id];
		uint64_t from_ns = timeline_later(thr->pub.since_ns, eng->idle.since_ns);
		struct lane_idle_stack one = { .id = thr->place->sleeps_at,
					       .owner = thr->place->sleeps_behind };

		if (id >= thr->n_slots || from_ns >= now_ns)
			continue;
		snapshot_one(thr, eng);
		one.cause = cause_now(thr, eng);
		one.ns = now_ns - from_ns;
		if (one.cause != LANE_IDLE_UNKNOWN)
			add_stack(thr->stacks[id], &one);
	}
}

void timeline_idle_sample(struct lane_timeline *tl, const struct lane_thr *thr,
			  struct lane_stack_id stack, uint64_t now_ns)
{
	if (!tl->hooks.sample || timeline_thread_doing(thr) != LANE_DOING_RUNNING)
		return;
	tl->hooks.sample(tl->hooks.arg, &thr->pub, NULL, stack, now_ns);
	for (uint64_t mask = tl->idle_mask; mask; mask &= mask - 1) {
		const struct lane_eng *eng = tl->engine_by_id[__builtin_ctzll(mask)];

		if (eng->idle.since_ns <= now_ns)
			tl->hooks.sample(tl->hooks.arg, &thr->pub, &eng->pub, stack, now_ns);
	}
}

/* An idle engine on which rq may be the next to run: its own or, for a virtual engine, one of its
 * class. NULL: none. */
static struct lane_eng *idle_engine_for(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	struct lane_eng *own = (struct lane_eng *)rq->pub.engine;

	if (own && own->idle.since_ns)
		return own->pub.id < 64 ? own : NULL;
	if (!own || own->pub.instance != LANE_VIRTUAL_INSTANCE)
		return NULL;
	for (uint64_t mask = tl->idle_mask; mask; mask &= mask - 1) {
		struct lane_eng *eng = tl->engine_by_id[__builtin_ctzll(mask)];

		if (eng->pub.dev == own->pub.dev && eng->pub.class == own->pub.class)
			return eng;
	}
	return NULL;
}

void timeline_idle_note(struct lane_timeline *tl, struct lane_rq *rq, struct lane_thr *thr,
			uint64_t now_ns)
{
	struct lane_eng *eng = idle_engine_for(tl, rq);
	struct lane_idle_note *note;
	struct lane_idle_slot before;

	if (!eng || rq->note || eng->pub.id >= thr->n_slots)
		return;
	snapshot_one(thr, eng);
	if (thr->slots[eng->pub.id].is_unsure || timeline_thread_is_unknown(tl, thr, now_ns) ||
	    (tl->n_losses && timeline_loss_between(tl, thr->pub.since_ns, now_ns)))
		return;
	note = lane_pool_get(&tl->note_pool);
	if (!note) {
		tl->no_memory = true;
		return;
	}
	rq->note = note;
	note->engine = eng->pub.id;
	note->until_ns = now_ns;
	note->did = before = thr->slots[eng->pub.id];
	if (thr->stacks)
		memcpy(note->stacks, thr->stacks[eng->pub.id], sizeof(note->stacks));
	read_clocks(thr, eng, now_ns, &note->did);
	for (int i = 0; i < LANE_DOING_COUNT; i++)
		note->did.clock[i] -= before.clock[i];
	/* The request that it waits for may have gone to another engine meanwhile. */
	if (note->did.waiting_here < before.waiting_here)
		note->did.waiting_here = before.waiting_here;
	note->did.waiting_here -= before.waiting_here;
	if (note->did.waiting_here > note->did.clock[LANE_DOING_WAITING])
		note->did.waiting_here = note->did.clock[LANE_DOING_WAITING];
}

static void idle_divide(const struct lane_rq *rq, const struct lane_idle_note *note,
			struct lane_idle *idle)
{
	uint64_t begin_ns = idle->begin_ns, end_ns = idle->end_ns;
	uint64_t there_ns = begin_ns, known_ns = 0, submit_ns;

	if (rq->pub.seen & LANE_SEEN_ADD)
		there_ns = rq->pub.add_ns;
	else if (rq->pub.seen & LANE_SEEN_SUBMIT)
		there_ns = rq->pub.submit_ns;
	there_ns = there_ns < begin_ns ? begin_ns : there_ns > end_ns ? end_ns : there_ns;
	if (note && note->until_ns >= begin_ns) {
		idle->cause_ns[LANE_IDLE_STARVED] = note->did.clock[LANE_DOING_RUNNABLE];
		idle->cause_ns[LANE_IDLE_COMPUTING] = note->did.clock[LANE_DOING_RUNNING];
		idle->cause_ns[LANE_IDLE_BLOCKED] = note->did.clock[LANE_DOING_BLOCKED];
		idle->cause_ns[LANE_IDLE_SAME_ENGINE] = note->did.waiting_here;
		idle->cause_ns[LANE_IDLE_OTHER_ENGINE] =
			note->did.clock[LANE_DOING_WAITING] - note->did.waiting_here;
		for (int i = 0; i < LANE_IDLE_UNKNOWN; i++)
			known_ns += idle->cause_ns[i];
		memcpy(idle->culprits, note->did.culprits, sizeof(idle->culprits));
		order_culprits(idle->culprits);
		memcpy(idle->stacks, note->stacks, sizeof(idle->stacks));
	}
	if (there_ns - begin_ns > known_ns)
		idle->cause_ns[LANE_IDLE_UNKNOWN] = there_ns - begin_ns - known_ns;
	if (!(rq->pub.seen & LANE_SEEN_SUBMIT)) {
		idle->cause_ns[LANE_IDLE_UNKNOWN] += end_ns - there_ns;
		return;
	}
	submit_ns = rq->pub.submit_ns;
	submit_ns = submit_ns < there_ns ? there_ns : submit_ns > end_ns ? end_ns : submit_ns;
	idle->cause_ns[LANE_IDLE_DEPENDENCY] = submit_ns - there_ns;
	idle->cause_ns[LANE_IDLE_DRIVER] = end_ns - submit_ns;
}

void timeline_idle_end(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		       uint64_t at_ns, bool doubtful)
{
	struct lane_idle idle = { .engine = &eng->pub,
				  .begin_ns = eng->idle.since_ns,
				  .end_ns = at_ns,
				  /* Events of the tasklet's run that is being read may be
				   * missing; at the recording's end none before that. */
				  .is_unsure =
					  doubtful || (eng->tasklet.is_cut && !tl->is_finishing) };
	const struct lane_idle_note *note = rq ? rq->note : NULL;
	struct lane_thr *thr = rq ? timeline_thread_get(tl, rq->pub.tid) : NULL;

	if (!idle.begin_ns)
		return;
	timeline_idle_forget(tl, eng);
	if (at_ns <= idle.begin_ns || !tl->hooks.idle)
		return;
	if (note && (note->engine != eng->pub.id || note->did.epoch != eng->idle.epoch))
		note = NULL;
	if (rq) {
		idle.request = &rq->pub;
		idle.thread = thr ? &thr->pub : NULL;
		idle_divide(rq, note, &idle);
	} else {
		idle.is_last = tl->is_finishing && at_ns == tl->figures.end_ns;
		idle.cause_ns[LANE_IDLE_UNKNOWN] = at_ns - idle.begin_ns;
	}
	tl->hooks.idle(tl->hooks.arg, &idle);
}
