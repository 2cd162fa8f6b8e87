// SPDX-License-Identifier: MIT
// Answers on processes' requests: the stages that took most, who was ahead, who took the engine.
#include "verdict/found.h"

#include <string.h>

/* A further stage of a client is an answer of its own from this share of its time on. */
#define SECOND_PERCENT 15

/* A time that counters alone tell is an answer from this share on. */
#define COUNTED_PERCENT 20

/* Clients looked at: those with most delay. */
#define MAX_CLIENTS 16

/* A blame's process. */
static const struct lane_client *of_clients_owner_of(const struct lane_latency *l,
						     const struct lane_blame *blame)
{
	const struct lane_context *context = timeline_context(l->timeline, blame->context);

	return context->is_shared ? blame->client : context->client;
}

/* The time of all blames of a client that are of the same process as this one. */
static uint64_t blamed_ns(const struct lane_latency *l, const struct lane_blame *blames, uint32_t n,
			  const struct lane_blame *of)
{
	const struct lane_client *owner = of_clients_owner_of(l, of);
	uint64_t ns = 0;

	for (uint32_t i = 0; i < n; i++)
		if (blames[i].victim == of->victim &&
		    (&blames[i] == of || (owner && of_clients_owner_of(l, &blames[i]) == owner)))
			ns += blames[i].ns.lo;
	return ns;
}

/* Of whose process a client waited for longest, and how long for all of that process; NULL: for
 * nobody that is known. */
static const struct lane_blame *most_blamed(const struct lane_latency *l,
					    const struct lane_client *client,
					    const struct lane_blame *blames, uint32_t n,
					    uint64_t *most_ns)
{
	const struct lane_blame *most = NULL;

	*most_ns = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t ns;

		if (blames[i].victim != client->id)
			continue;
		ns = blamed_ns(l, blames, n, &blames[i]);
		if (!ns || ns < *most_ns || (ns == *most_ns && blames[i].ns.lo <= most->ns.lo))
			continue;
		*most_ns = ns;
		most = &blames[i];
	}
	return most;
}

/* A client has the engine from another one by its priority. */
static bool has_priority_over(const struct lane_latency *l, const struct lane_client *winner,
			      const struct lane_client *loser)
{
	for (uint32_t i = 0; i < l->n_preemptions; i++) {
		const struct lane_preemption_sum *p = &l->preemptions[i];

		if (p->victim == loser->id && p->culprit_known && p->culprit == winner->id &&
		    p->why == LANE_PREEMPTION_PRIORITY)
			return true;
	}
	return false;
}

/* The cause of waiting behind its own requests, or those of another one. */
static enum lane_cause cause_behind(const struct lane_latency *l, const struct lane_client *client,
				    const struct lane_client *owner, int stage)
{
	if (stage == LANE_STAGE_DEPENDENCY)
		return owner == client ? LANE_CAUSE_IS_OWN_DEPENDENCY : LANE_CAUSE_IS_DEPENDENCY;
	if (owner == client)
		return LANE_CAUSE_IS_OWN_QUEUE;
	return owner && has_priority_over(l, client, owner) ? LANE_CAUSE_IS_LOWER_QUEUE
							    : LANE_CAUSE_IS_QUEUE;
}

/* Whom requests waited for in a stage, so many. */
static const struct lane_blame *blames_of(const struct lane_latency *l, int stage, uint32_t *n)
{
	switch (stage) {
	case LANE_STAGE_DEPENDENCY:
		*n = l->n_fence_blames;
		return l->fence_blames;
	case LANE_STAGE_DEVICE_QUEUE:
		*n = l->n_blames;
		return l->blames;
	default:
		*n = l->n_host_blames;
		return l->host_blames;
	}
}

/* What of a stage a client certainly did not wait for its own requests, ns; 0: that may have been
 * half of it. */
static uint64_t others_ns(const struct lane_latency *l, const struct lane_answer *a)
{
	uint32_t n;
	const struct lane_blame *blames = blames_of(l, a->stage, &n);
	uint64_t own_ns = a->ns.hi - a->ns.lo; /* nothing tells what was in there */

	for (uint32_t i = 0; i < n; i++)
		if (blames[i].victim == a->who.client->id &&
		    of_clients_owner_of(l, &blames[i]) == a->who.client)
			own_ns += blames[i].ns.hi;
	return own_ns < a->ns.lo / 2 ? a->ns.lo - own_ns : 0;
}

/* Who was in front in a client's device_queue, or host_queue, or whose fences it waited for. Nobody
 * is named who is not known to have been for a time worth a word, an eighth of it. */
static void find_ahead(const struct lane_latency *l, const struct lane_client_stats *c,
		       struct lane_answer *a)
{
	bool is_device = a->stage == LANE_STAGE_DEVICE_QUEUE;
	/* Half of what the measured requests spent in it, and all that the others did: who was
	 * ahead of which of them is not kept. */
	uint64_t all_ns = c->stages[a->stage].sum.hi, measured_ns = c->spent.stages[a->stage].hi;
	uint64_t most_ns, half_ns = timeline_later(all_ns, measured_ns) - measured_ns / 2;
	uint32_t n_blames;
	const struct lane_blame *blames = blames_of(l, a->stage, &n_blames);
	const struct lane_blame *blame = most_blamed(l, c->client, blames, n_blames, &most_ns);
	const struct lane_client *owner;

	a->advice = LANE_CAUSE_IS_NONE;
	if (verdict_share(most_ns, c->spent.total.hi) < VERDICT_PERCENT || most_ns < a->ns.lo / 8)
		return;
	owner = of_clients_owner_of(l, blame);
	a->cause = cause_behind(l, c->client, owner, a->stage);
	a->by = (struct lane_party){ .kind = LANE_PARTY_CONTEXT,
				     .context = timeline_context(l->timeline, blame->context),
				     .client = blame->client };
	a->how = !c->hidden[a->stage] && most_ns >= half_ns ? LANE_BY_MOST : LANE_BY_SOME;
	a->is_one_context = a->how == LANE_BY_MOST && blame->ns.lo >= half_ns;
	if (a->how == LANE_BY_MOST && owner)
		a->advice = a->cause;
	/* Nothing on a ring is overtaken, and under FAIR a priority is no order: none helps there.
	 */
	if (a->advice == LANE_CAUSE_IS_QUEUE && timeline_engine(l->timeline, blame->engine)->name &&
	    (is_device || !strcmp(l->info.limits.sched_policy, "fair")))
		a->advice = LANE_CAUSE_IS_LOWER_QUEUE;
}

/* Who took the engine from a client for longest, for one reason; NULL: nobody who is known. */
static const struct lane_preemption_sum *most_preempting(const struct lane_latency *l,
							 const struct lane_client *victim)
{
	const struct lane_preemption_sum *most = NULL;

	for (uint32_t i = 0; i < l->n_preemptions; i++) {
		const struct lane_preemption_sum *p = &l->preemptions[i];

		if (p->victim == victim->id && p->culprit_known &&
		    (!most || p->ns.lo > most->ns.lo))
			most = p;
	}
	return most;
}

/* Nobody else is known to have taken the engine from that client, and nobody unknown. What is not
 * told lies within the bounds of all its time off the engine. */
static bool is_only_culprit(const struct lane_latency *l, const struct lane_preemption_sum *most)
{
	for (uint32_t i = 0; i < l->n_preemptions; i++) {
		const struct lane_preemption_sum *p = &l->preemptions[i];

		if (p->victim == most->victim && (!p->culprit_known || p->culprit != most->culprit))
			return false;
	}
	return true;
}

void verdict_preempting(const struct lane_latency *l, const struct lane_client_stats *c,
			uint64_t of_ns, uint64_t at_most_ns, struct lane_answer *a)
{
	const struct lane_preemption_sum *most = most_preempting(l, c->client);
	uint64_t ns = 0, most_ns = 0;

	if (!most)
		return;
	/* Each reason has a row of its own. */
	for (uint32_t i = 0; i < l->n_preemptions; i++) {
		const struct lane_preemption_sum *p = &l->preemptions[i];

		if (p->victim != most->victim || !p->culprit_known || p->culprit != most->culprit)
			continue;
		a->why_times[p->why] += p->count;
		a->times += p->count;
		a->nearly += p->nearly;
		ns += p->ns.lo;
		most_ns += p->ns.hi;
		if (p->max_ns > a->longest_ns) {
			a->longest_ns = p->max_ns;
			a->longest_at_ns = p->max_at_ns;
		}
	}
	a->why = most->why;
	a->is_more_often = latency_may_be_preempted_more(c);
	a->by = verdict_client(timeline_client(l->timeline, most->culprit));
	if (ns >= of_ns - timeline_sooner(ns, of_ns))
		a->how = LANE_BY_MOST;
	else if (is_only_culprit(l, most) && most_ns >= at_most_ns)
		a->how = LANE_BY_ONE;
}

/* Who took the engine from a client most. */
static void find_preempting(const struct lane_latency *l, const struct lane_client_stats *c,
			    struct lane_answer *a)
{
	bool is_hidden = c->hidden[LANE_STAGE_PREEMPTED];

	a->advice = LANE_CAUSE_IS_NONE;
	verdict_preempting(l, c, is_hidden ? UINT64_MAX : c->stages[LANE_STAGE_PREEMPTED].sum.hi,
			   a->ns.hi, a);
	if (a->by.kind == LANE_PARTY_NONE || a->why == LANE_PREEMPTION_UNKNOWN)
		return;
	a->cause = a->why == LANE_PREEMPTION_PRIORITY ? LANE_CAUSE_IS_PRIORITY
						      : LANE_CAUSE_IS_TIMESLICE;
	a->advice = a->cause;
}

/* Of the worst requests those of the client that spent a quarter of their time in the stage. */
static void find_evidence(const struct lane_latency *l, struct lane_answer *a)
{
	for (uint32_t i = 0; i < l->n_worst; i++) {
		const struct lane_worst *worst = &l->worst[i];

		if (timeline_client_of(&worst->request) == a->who.client &&
		    worst->stages.known & 1u << a->stage &&
		    worst->stages.ns[a->stage].lo >= worst->total_ns / 4)
			verdict_show(a, worst->request.context, worst->request.seqno);
	}
}

static struct lane_answer *add_stage(struct lane_answers *answers,
				     const struct lane_client_stats *c, int stage)
{
	static const enum lane_cause causes[LANE_STAGE_PATH] = {
		[LANE_STAGE_PREPARE] = LANE_CAUSE_IS_PREPARE,
		[LANE_STAGE_DEPENDENCY] = LANE_CAUSE_IS_DEPENDENCY,
		[LANE_STAGE_HOST_QUEUE] = LANE_CAUSE_IS_QUEUE,
		[LANE_STAGE_DEVICE_QUEUE] = LANE_CAUSE_IS_QUEUE,
		[LANE_STAGE_PREEMPTED] = LANE_CAUSE_IS_PREEMPTED,
		[LANE_STAGE_SIGNAL] = LANE_CAUSE_IS_SIGNAL,
	};
	struct lane_answer *a = verdict_add(answers, causes[stage]);

	a->in.client = c;
	a->who = verdict_client(c->client);
	a->stage = stage;
	a->ns = latency_spent_in(&c->spent, stage);
	a->of = c->spent.total;
	a->n = c->spent.requests;
	a->of_n = c->requests.complete + c->requests.partial + c->requests.unknown;
	find_evidence(answers->latency, a);
	return a;
}

/* Of the same client, of threads that act for it in the same way, with their CPU had by the same
 * task, or by one of its name: short ones come one after the other; or busy with the same. */
static bool is_same_actor(const struct lane_starved_sum *a, const struct lane_starved_sum *b)
{
	return a->victim == b->victim && a->actor == b->actor && b->tid > 0 &&
	       (a->function ? a->function == b->function
			    : a->tid == b->tid ||
				      (*a->comm && !memcmp(a->comm, b->comm, sizeof(a->comm))));
}

/* The part of a stage in which the threads that act for a client's requests had no CPU, because one
 * task had it, or were busy with something else, most first: added as an answer. Returns how long
 * that was, ns; 0: it is none. */
static uint64_t of_actor(struct lane_answers *answers, const struct lane_client_stats *c, int stage,
			 enum lane_actor actor)
{
	static const enum lane_cause causes[LANE_ACTORS] = {
		[LANE_ACTOR_HAND_OVER] = LANE_CAUSE_IS_HAND_OVER,
		[LANE_ACTOR_ITEM] = LANE_CAUSE_IS_EARLIER_ITEM,
		[LANE_ACTOR_SIGNAL] = LANE_CAUSE_IS_IRQ_THREAD,
	};
	const struct lane_latency *l = answers->latency;
	const struct lane_starved_sum *most = NULL;
	struct lane_answer *a;
	uint64_t most_ns = 0;

	for (uint32_t i = 0; i < l->n_starved; i++) {
		const struct lane_starved_sum *s = &l->starved[i];
		uint64_t ns = 0;

		if (s->victim != c->client->id || s->actor != actor || s->tid <= 0)
			continue;
		for (uint32_t k = 0; k < l->n_starved; k++)
			ns += is_same_actor(s, &l->starved[k]) ? l->starved[k].ns : 0;
		if (ns > most_ns) {
			most = s;
			most_ns = ns;
		}
	}
	if (!most || verdict_share(most_ns, c->spent.total.hi) < VERDICT_PERCENT)
		return 0;
	a = add_stage(answers, c, stage);
	a->cause = a->advice = causes[actor];
	if (actor == LANE_ACTOR_ITEM)
		a->what = most->function;
	a->by = verdict_task(most->tid, most->comm);
	a->how = LANE_BY_MOST;
	a->thread = verdict_task(most->victim_tid, most->victim_comm);
	a->ns.lo = most_ns;
	for (uint32_t i = 0; i < l->n_starved; i++) {
		const struct lane_starved_sum *s = &l->starved[i];

		if (!is_same_actor(most, s))
			continue;
		a->is_of_several |= s->victim_tid != most->victim_tid;
		a->is_by_several |= s->tid != most->tid;
		a->times += s->slices;
		latency_keep_longest(&a->longest_ns, &a->longest_at_ns, s->max_ns, s->max_at_ns);
	}
	verdict_cost(answers, a, c->client->pid, most_ns);
	return most_ns;
}

static uint64_t of_actors(struct lane_answers *answers, const struct lane_client_stats *c,
			  int stage)
{
	if (stage == LANE_STAGE_SIGNAL)
		return of_actor(answers, c, stage, LANE_ACTOR_SIGNAL);
	return of_actor(answers, c, stage, LANE_ACTOR_HAND_OVER) +
	       of_actor(answers, c, stage, LANE_ACTOR_ITEM);
}

/* The part of host_queue in which an earlier request of its queue waited for another one. Returns
 * as of_actors(). */
static uint64_t of_head(struct lane_answers *answers, const struct lane_client_stats *c, int stage)
{
	const struct lane_latency *l = answers->latency;
	const struct lane_blame *most;
	struct lane_answer *a;
	uint64_t most_ns;

	most = most_blamed(l, c->client, l->head_blames, l->n_head_blames, &most_ns);
	if (stage != LANE_STAGE_HOST_QUEUE || !most ||
	    verdict_share(most_ns, c->spent.total.hi) < VERDICT_PERCENT)
		return 0;
	a = add_stage(answers, c, stage);
	a->cause = a->advice = LANE_CAUSE_IS_HEAD_OF_QUEUE;
	a->by = (struct lane_party){ .kind = LANE_PARTY_CONTEXT,
				     .context = timeline_context(l->timeline, most->context) };
	a->how = LANE_BY_MOST;
	a->ns.lo = most_ns;
	if (of_clients_owner_of(l, most) != c->client)
		verdict_cost(answers, a, c->client->pid, most_ns);
	return most_ns;
}

/* A process that keeps a device busy with its commands waits for its own: that is as it should be.
 */
static bool keeps_busy(const struct lane_latency *l, int32_t pid)
{
	const struct lane_commands *c = l->commands;

	for (uint32_t i = 0; c && i < c->n_devices; i++)
		if (c->devices[i].pid == pid && verdict_is_busy(&c->devices[i]))
			return true;
	return false;
}

/* The stage before or after running, none of those told already, that certainly took most; -1: no
 * further one took anything. */
static int next_stage(const struct lane_spent *spent, unsigned int told)
{
	int stage = -1;

	for (int i = 0; i < LANE_STAGE_PATH; i++)
		if (i != LANE_STAGE_RUNNING && i != LANE_STAGE_PREEMPTED && !(told >> i & 1) &&
		    spent->stages[i].lo > (stage < 0 ? 0 : spent->stages[stage].lo))
			stage = i;
	return stage;
}

/* Most of a client's requests are seen from their beginning to their end; bursts have none. */
static bool is_mostly_timed(const struct lane_client_stats *c)
{
	uint64_t all = c->requests.complete + c->requests.partial + c->requests.unknown;

	return c->spent.requests &&
	       c->spent.requests >= all - c->requests.bursts - c->spent.requests;
}

/* A stage that took much. Of a wait for its own requests the part that certainly was none is a
 * cost. */
static void of_stage(struct lane_answers *answers, const struct lane_client_stats *c, int stage)
{
	struct lane_answer *a;
	uint64_t rest_ns;
	bool is_own;

	/* What the thread that had to act waited for, or the queue's first, is not told again. */
	if ((stage == LANE_STAGE_HOST_QUEUE || stage == LANE_STAGE_SIGNAL) &&
	    of_actors(answers, c, stage) + of_head(answers, c, stage) >
		    c->spent.stages[stage].lo / 2)
		return;
	a = add_stage(answers, c, stage);
	if (stage == LANE_STAGE_DEPENDENCY || stage == LANE_STAGE_HOST_QUEUE ||
	    stage == LANE_STAGE_DEVICE_QUEUE)
		find_ahead(answers->latency, c, a);
	is_own = a->cause == LANE_CAUSE_IS_OWN_DEPENDENCY || a->cause == LANE_CAUSE_IS_OWN_QUEUE;
	if (is_own && keeps_busy(answers->latency, c->client->pid))
		answers->n--;
	else if (!is_own)
		verdict_cost(answers, a, c->client->pid, a->ns.lo);
	else if ((rest_ns = others_ns(answers->latency, a)))
		verdict_cost(answers, a, c->client->pid, rest_ns);
}

/* A client's context whose requests are known as a whole; *engine: where the last one ran. */
static bool is_counted(const struct lane_latency *l, const struct lane_client *client,
		       const struct lane_context_stats *c, const struct lane_engine **engine)
{
	if (!c->context || c->context->client != client || !c->n_total)
		return false;
	*engine = timeline_engine(l->timeline, c->engine);
	return *engine;
}

/* The counter is of the class of engines on which the context's requests ran. */
static bool is_counter_of(const struct lane_counter_sum *sum, const struct lane_engine *engine)
{
	const struct lane_p_gpulane_counter *is = &sum->is;

	return is->what == LANE_COUNTS_ENGINE_BUSY && is->class == engine->class &&
	       is->card == engine->dev;
}

/* It is one of an earlier context of the client, too. */
static bool is_counted_already(const struct lane_latency *l, const struct lane_client *client,
			       const struct lane_counter_sum *sum, uint32_t before)
{
	const struct lane_engine *engine;

	for (uint32_t i = 0; i < before; i++)
		if (is_counted(l, client, &l->contexts[i], &engine) && is_counter_of(sum, engine))
			return true;
	return false;
}

/* How long a client's requests ran at most, by their engines' counters; UINT64_MAX: they do not
 * tell. *engine: one of them. No counter is of a ring, whose engine nothing names; its client's own
 * does not tell either, as requests may wait behind others of their client. */
static uint64_t counted_ns(const struct lane_latency *l, const struct lane_client_stats *c,
			   const struct lane_engine **engine)
{
	const struct lane_engine *of;
	uint64_t most_ns = 0, n = 0;

	for (uint32_t i = 0; i < l->n_contexts; i++) {
		bool has_counter = false;

		if (!is_counted(l, c->client, &l->contexts[i], &of))
			continue;
		for (uint32_t k = 0; k < l->counters.n && !of->name; k++) {
			const struct lane_counter_sum *sum = &l->counters.all[k];

			if (!is_counter_of(sum, of))
				continue;
			if (!sum->is_sound)
				return UINT64_MAX;
			has_counter = true;
			if (!is_counted_already(l, c->client, sum, i))
				most_ns += sum->counted.hi;
		}
		if (!has_counter)
			return UINT64_MAX;
		*engine = of;
		n += l->contexts[i].n_total;
	}
	/* Else some of its requests are of contexts that it shares with others. */
	return n && n >= c->spent.requests ? most_ns : UINT64_MAX;
}

/* What a client's requests certainly did not run: counters say for how long their engines ran
 * anything at all. */
static void of_counters(struct lane_answers *answers, const struct lane_client_stats *c)
{
	const struct lane_spent *spent = &c->spent;
	const struct lane_engine *engine = NULL;
	uint64_t most_ns = counted_ns(answers->latency, c, &engine), other_ns = 0, ns;
	struct lane_answer *a;

	for (int stage = 0; stage < LANE_STAGE_PATH; stage++)
		if (stage < LANE_STAGE_DEVICE_QUEUE || stage == LANE_STAGE_SIGNAL)
			other_ns += latency_spent_in(spent, stage).hi;
	if (most_ns >= spent->total.lo || spent->total.lo - most_ns <= other_ns)
		return;
	ns = spent->total.lo - most_ns - other_ns;
	if (verdict_share(ns, spent->total.hi) < COUNTED_PERCENT)
		return;
	a = add_stage(answers, c, LANE_STAGE_DEVICE_QUEUE);
	a->cause = a->advice = LANE_CAUSE_IS_COUNTED;
	a->engine = engine;
	a->counted_ns = most_ns;
	a->ns = (struct lane_span){ ns, spent->total.hi };
	verdict_cost(answers, a, c->client->pid, a->ns.lo);
}

static void of_client(struct lane_answers *answers, const struct lane_client_stats *c)
{
	uint64_t preempted_ns = c->spent.stages[LANE_STAGE_PREEMPTED].lo;
	unsigned int told = 0, percent = VERDICT_PERCENT;
	struct lane_answer *a;
	int stage;

	if (!is_mostly_timed(c))
		return;
	while ((stage = next_stage(&c->spent, told)) >= 0 &&
	       verdict_share(c->spent.stages[stage].lo, c->spent.total.hi) >= percent) {
		of_stage(answers, c, stage);
		told |= 1u << stage;
		percent = SECOND_PERCENT;
	}
	if (verdict_share(preempted_ns, c->spent.total.hi) < VERDICT_PERCENT) {
		if (!told)
			of_counters(answers, c);
		return;
	}
	a = add_stage(answers, c, LANE_STAGE_PREEMPTED);
	find_preempting(answers->latency, c, a);
	if (a->by.client != c->client)
		verdict_cost(answers, a, c->client->pid, a->ns.lo);
}

/* What of its requests' time a client's requests did not run, at most. */
static uint64_t delay_ns(const struct lane_client_stats *c)
{
	uint64_t sum = c->spent.unknown.hi;

	for (int i = 0; i < LANE_STAGE_PATH; i++)
		sum += i == LANE_STAGE_RUNNING ? 0 : c->spent.stages[i].hi;
	return sum;
}

/*
 * The client after `last` (NULL: the first) in the order of delay_ns, most first; NULL: none is
 * left. There may be many clients and few are told of, so they are not sorted.
 */
static const struct lane_client_stats *next_client(const struct lane_latency *l,
						   const struct lane_client_stats *last)
{
	const struct lane_client_stats *best = NULL;

	for (uint32_t i = 0; i < l->n_clients; i++) {
		const struct lane_client_stats *c = &l->clients[i];
		uint64_t ns = delay_ns(c);

		if (!c->client)
			continue;
		if (last && (ns > delay_ns(last) || (ns == delay_ns(last) && c <= last)))
			continue;
		if (!best || ns > delay_ns(best))
			best = c;
	}
	return best;
}

void verdict_of_clients(struct lane_answers *answers)
{
	const struct lane_client_stats *c = next_client(answers->latency, NULL);

	for (unsigned int i = 0; c && i < MAX_CLIENTS; i++) {
		of_client(answers, c);
		c = next_client(answers->latency, c);
	}
}
