// SPDX-License-Identifier: MIT
// Culprits: which context had the engine, and which task the CPU, while others waited. Also the
// causes of idle time.
#include "latency/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vector.h"

/* Of the time in which nobody knows who had the engine. */
#define UNKNOWN_CONTEXT UINT32_MAX

void *latency_sum_new(const struct lane_sums_at *at, uint64_t a, uint64_t b)
{
	uint32_t n = *at->n;
	char *base;

	if (n == at->most)
		return NULL;
	if (!lane_vector_reach(at->array, at->cap, (size_t)n + 1, at->size) ||
	    !lane_table_put(at->index, a, b, (void *)(uintptr_t)(n + 1))) {
		*at->no_memory = true;
		return NULL;
	}
	memcpy(&base, at->array, sizeof(base));
	++*at->n;
	return memset(base + n * at->size, 0, at->size);
}

struct lane_engine_stats *latency_engine_stats_new(struct lane_latency *latency,
						   const struct lane_engine *engine)
{
	struct lane_engine_stats *stats =
		LANE_REACH(latency->engines, latency->n_engines, latency->cap_engines, engine->id);

	latency->no_memory |= !stats;
	if (stats) {
		stats->engine = engine;
		stats->account.from_ns = latency->select.from_ns;
		stats->account.to_ns = latency->select.to_ns;
	}
	return stats;
}

struct lane_context_stats *latency_context_stats_new(struct lane_latency *latency,
						     const struct lane_context *context)
{
	struct lane_context_stats *stats = LANE_REACH(latency->contexts, latency->n_contexts,
						      latency->cap_contexts, context->id);

	latency->no_memory |= !stats;
	if (stats)
		stats->context = context;
	return stats;
}

struct lane_client_stats *latency_client_stats_new(struct lane_latency *latency,
						   const struct lane_client *client)
{
	struct lane_client_stats *stats =
		LANE_REACH(latency->clients, latency->n_clients, latency->cap_clients, client->id);

	latency->no_memory |= !stats;
	if (stats)
		stats->client = client;
	return stats;
}

/* Adds rq's time in a stage to the blame of a client's requests of a context; NULL: it is not known
 * whose. Returns the blame, NULL: there is none. */
static struct lane_blame *add_blame(const struct lane_sums_at *blames,
				    const struct lane_request *rq, const struct lane_engine *engine,
				    const struct lane_context *context, struct lane_client *client,
				    struct lane_span ns)
{
	uint32_t victim = timeline_client_of(rq)->id;
	uint32_t id = context ? context->id : UNKNOWN_CONTEXT;
	struct lane_blame *blame;
	bool fresh;

	client = context ? timeline_one_of_several(context, client) : NULL;
	blame = latency_sum_of(*blames, latency_pair(victim, id),
			       latency_pair(engine->id, client ? client->id + 1 : 0), &fresh);
	if (!blame)
		return NULL;
	if (fresh) {
		blame->victim = victim;
		blame->engine = engine->id;
		blame->context = id;
		blame->client = client;
	}
	blame->requests++;
	timeline_span_add(&blame->ns, ns);
	return blame;
}

/* Each that had the engine while rq was in a queue, for as long as it had it. *sum: these. */
static void blame_queue(struct lane_latency *latency, const struct lane_sums_at *blames,
			const struct lane_request *rq, const struct lane_engine *engine,
			struct lane_span from, struct lane_span to, struct lane_ahead_sum *sum)
{
	/* Of a firmware's engine, or one whose jobs may overlap, little else is known. */
	bool is_told = engine->submission != LANE_SUBMISSION_GUC && !engine->is_unordered;

	latency_ahead_of(&latency->ahead, rq, from, to, sum);
	if (sum->unknown_ns && is_told)
		add_blame(blames, rq, engine, NULL, NULL, timeline_span_exact(sum->unknown_ns));
	for (uint32_t i = 0; i < sum->n; i++) {
		struct lane_blame *blame =
			sum->parts[i].ns.hi ? add_blame(blames, rq, engine, sum->parts[i].context,
							sum->parts[i].client, sum->parts[i].ns)
					    : NULL;

		if (blame && is_told)
			blame->unknown_ns += sum->unknown_ns;
	}
}

void latency_blame(struct lane_latency *latency, const struct lane_request *rq,
		   const struct lane_stages *stages, struct lane_ahead_part *ahead)
{
	struct lane_ahead_sum sum;

	if (stages->known & 1u << LANE_STAGE_HOST_QUEUE)
		blame_queue(latency, &LANE_SUMS_AT(latency, host_blames), rq,
			    rq->first_engine ? rq->first_engine : rq->engine,
			    timeline_submitted(rq), timeline_span_exact(rq->execute_ns), &sum);
	if (stages->total_known && stages->known & 1u << LANE_STAGE_HOST_QUEUE)
		for (uint32_t i = 0; rq->heads && i < LANE_HEADS && rq->heads[i].after; i++)
			add_blame(&LANE_SUMS_AT(latency, head_blames), rq, rq->engine,
				  rq->heads[i].after, NULL, timeline_span_exact(rq->heads[i].ns));
	if (stages->known & 1u << LANE_STAGE_DEVICE_QUEUE) {
		blame_queue(latency, &LANE_SUMS_AT(latency, blames), rq, rq->engine,
			    timeline_span_exact(rq->execute_ns), rq->start, &sum);
		*ahead = latency_ahead_most(&sum, stages->ns[LANE_STAGE_DEVICE_QUEUE].hi / 2);
	}
	if (rq->after && stages->known & 1u << LANE_STAGE_DEPENDENCY)
		add_blame(&LANE_SUMS_AT(latency, fence_blames), rq, rq->engine, rq->after,
			  rq->after_client, stages->ns[LANE_STAGE_DEPENDENCY]);
}

void latency_on_preemption(void *arg, const struct lane_preemption *p)
{
	struct lane_latency *latency = arg;
	struct lane_engine_stats *engine = latency_engine_stats(latency, p->engine);
	uint32_t victim = timeline_client_of(p->victim)->id;
	uint32_t culprit = p->culprit ? p->culprit_client->id : 0;
	struct lane_client_stats *client;
	struct lane_preemption_sum *sum;
	bool fresh;

	if (!latency_selected(latency, p->victim))
		return;
	client = latency_client_stats(latency, timeline_client_of(p->victim));
	sum = LANE_SUM_OF(latency, preemptions, latency_pair(victim, culprit),
			  (uint64_t)p->engine->id << 3 | (p->culprit ? 4 : 0) | p->why, &fresh);
	if (!sum || !engine || !client)
		return;
	if (fresh)
		*sum = (struct lane_preemption_sum){ .engine = p->engine->id,
						     .victim = victim,
						     .culprit = culprit,
						     .culprit_known = p->culprit != NULL,
						     .why = p->why };
	timeline_span_add(&sum->ns, p->lasted);
	latency_keep_longest(&sum->max_ns, &sum->max_at_ns, p->lasted.lo, p->at.hi);
	if (p->unless_ns) {
		sum->nearly++;
		engine->nearly_preemptions++;
		client->nearly_preempted++;
		return;
	}
	sum->count++;
	engine->preemptions++;
	engine->timeslices += p->why == LANE_PREEMPTION_TIMESLICE;
	client->preempted++;
}

/* A task may rename itself. Its last name is the best known. What comes behind its exit has none.
 */
static void attribute_keep_name(char *name, const char *comm)
{
	if (*comm)
		memcpy(name, comm, sizeof(((struct lane_idle_sum *)NULL)->comm));
}

/* Who had a CPU, for a key: of the idle task, in which of the CPU's idle states. */
static uint32_t culprit_key(int32_t tid, const char *comm)
{
	if (tid || !*comm)
		return (uint32_t)tid;
	return (uint32_t)lane_hash_text(comm) | 1u << 31; /* no thread has it */
}

/* tid, comm: the thread that was to act. ns: not 0. */
static void add_idle_of(struct lane_latency *latency, const struct lane_idle *idle,
			unsigned int cause, int32_t tid, const char *comm,
			const struct lane_cpu_culprit *culprit, uint64_t ns)
{
	int32_t culprit_tid = culprit ? culprit->tid : -1;
	uint32_t cpu = culprit ? (uint32_t)culprit->cpu & 0xffff : 0xffff;
	struct lane_idle_sum *sum;
	bool fresh;

	sum = LANE_SUM_OF(
		latency, idles,
		latency_pair((uint32_t)tid, culprit_key(culprit_tid, culprit ? culprit->comm : "")),
		latency_pair(idle->engine->id, cause << 16 | cpu), &fresh);
	if (!sum)
		return;
	if (fresh) {
		sum->engine = idle->engine->id;
		sum->cause = cause;
		sum->tid = tid;
		sum->culprit_tid = culprit_tid;
		sum->cpu = culprit ? culprit->cpu : -1;
	}
	attribute_keep_name(sum->comm, comm);
	if (culprit)
		attribute_keep_name(sum->culprit_comm, culprit->comm);
	sum->count++;
	sum->ns += ns;
	latency_keep_longest(&sum->max_ns, &sum->max_at_ns, ns, idle->begin_ns);
}

static void add_idle(struct lane_latency *latency, const struct lane_idle *idle, unsigned int cause,
		     const struct lane_cpu_culprit *culprit, uint64_t ns)
{
	if (ns)
		add_idle_of(latency, idle, cause, idle->thread ? idle->thread->tid : -1,
			    idle->thread ? idle->thread->comm : "", culprit, ns);
}

/* The driver had the request in hand: for a part of that its thread had no CPU. */
static void add_driver(struct lane_latency *latency, const struct lane_idle *idle)
{
	const struct lane_actor_wait *wait = idle->request && idle->request->actors
						     ? &idle->request->actors[LANE_ACTOR_HAND_OVER]
						     : NULL;
	uint64_t ns = idle->cause_ns[LANE_IDLE_DRIVER], starved_ns = 0;

	if (ns && wait && wait->by.ns) {
		starved_ns = timeline_sooner(ns, wait->by.ns);
		add_idle_of(latency, idle, LANE_IDLE_DRIVER, wait->tid, wait->comm, &wait->by,
			    starved_ns);
	}
	add_idle(latency, idle, LANE_IDLE_DRIVER, NULL, ns - starved_ns);
}

/* Adds where the thread was while the engine was idle. */
static void add_idle_stack(struct lane_latency *latency, const struct lane_engine *engine,
			   const struct lane_thread *thread, const struct lane_idle_stack *stack)
{
	struct lane_idle_stack_sum *sum;
	bool fresh;

	/* Engines are fewer than 64, numbers of threads have 22 bits. */
	sum = LANE_SUM_OF(latency, idle_stacks,
			  latency_pair((uint32_t)thread->tid, (uint32_t)stack->owner.tid << 10 |
								      engine->id << 4 |
								      stack->cause),
			  latency_pair(stack->id.kernel, stack->id.user), &fresh);
	latency->has_more_stacks |= !sum;
	if (!sum)
		return;
	if (fresh) {
		sum->engine = engine->id;
		sum->cause = stack->cause;
		sum->tid = thread->tid;
		sum->pid = thread->pid;
		sum->id = stack->id;
		sum->owner = stack->owner;
	}
	sum->ns += stack->ns;
	sum->times += stack->times;
}

/* What a thread did with a stack. NULL: no memory, there is no stack, or too many. */
static struct lane_stack_sum *stack_sum(struct lane_latency *latency,
					const struct lane_thread *thread, struct lane_stack_id id)
{
	struct lane_stack_sum *sum;
	bool fresh;

	if (!id.user && !id.kernel)
		return NULL;
	sum = LANE_SUM_OF(latency, stack_sums,
			  latency_pair((uint32_t)thread->tid, (uint32_t)thread->pid),
			  latency_pair(id.kernel, id.user), &fresh);
	if (sum && fresh) {
		sum->tid = thread->tid;
		sum->pid = thread->pid;
		memcpy(sum->comm, thread->comm, sizeof(sum->comm));
		sum->id = id;
	}
	return sum;
}

/* A thread that submits or waits has slept. */
static void add_sleep(struct lane_latency *latency, const struct lane_thread_interval *interval,
		      uint64_t ns)
{
	struct lane_stack_sum *sum = stack_sum(latency, interval->thread, interval->stack);

	if (!sum)
		return;
	sum->ns += ns;
	sum->times++;
}

/* While the engine is idle. Whose idle time it is its end tells. */
static void note_sample(struct lane_latency *latency, const struct lane_engine *engine, int32_t tid,
			struct lane_stack_id id)
{
	struct lane_samples **place = &latency->samples[engine->id];
	struct lane_samples *all = *place ?: (*place = calloc(1, sizeof(*all)));
	uint32_t i = 0;

	latency->no_memory |= !all;
	if (!all)
		return;
	while (i < all->n && (all->of[i].tid != tid || all->of[i].id.kernel != id.kernel ||
			      all->of[i].id.user != id.user))
		i++;
	if (i == LANE_SAMPLED) {
		all->more++;
		return;
	}
	all->of[i].tid = tid;
	all->of[i].id = id;
	all->of[i].times = i < all->n ? all->of[i].times + 1 : 1;
	all->n += i == all->n;
}

/* NULL: there are none. */
static struct lane_samples *samples_of(const struct lane_latency *latency,
				       const struct lane_engine *engine)
{
	return engine->id < LANE_SAMPLED ? latency->samples[engine->id] : NULL;
}

/* The engine's idle time is over: of those of the thread whose it is where it was; of what there
 * was no room for it is not known. */
static void take_samples(struct lane_latency *latency, const struct lane_idle *idle)
{
	struct lane_samples *all = samples_of(latency, idle->engine);
	struct lane_idle_stack one = { .cause = LANE_IDLE_COMPUTING };

	for (uint32_t i = 0; all && idle->thread && i < all->n; i++) {
		if (all->of[i].tid != idle->thread->tid)
			continue;
		one.id = all->of[i].id;
		one.times = all->of[i].times;
		add_idle_stack(latency, idle->engine, idle->thread, &one);
	}
	one.id = (struct lane_stack_id){ 0 };
	one.times = all ? all->more : 0;
	if (one.times && idle->thread)
		add_idle_stack(latency, idle->engine, idle->thread, &one);
}

static void forget_samples(struct lane_latency *latency, const struct lane_engine *engine)
{
	struct lane_samples *all = samples_of(latency, engine);

	if (all)
		all->n = all->more = 0;
}

void latency_on_sample(void *arg, const struct lane_thread *thread,
		       const struct lane_engine *engine, struct lane_stack_id id, uint64_t ns)
{
	struct lane_latency *latency = arg;
	struct lane_stack_sum *sum;

	if (ns < latency->select.from_ns || ns >= latency->select.to_ns || !thread->client)
		return;
	if (engine) {
		note_sample(latency, engine, thread->tid, id);
		return;
	}
	sum = stack_sum(latency, thread, id);
	if (sum)
		sum->samples++;
}

/* Adds to the engine's idle time, whichever requests are selected. */
static void count_idle(struct lane_engine_stats *engine, const struct lane_idle *idle)
{
	uint64_t left_ns = latency_engine_time_idle(&engine->account, idle->begin_ns, idle->end_ns);

	for (int i = 0; i < LANE_IDLE_CAUSE_COUNT; i++) {
		uint64_t ns = idle->cause_ns[i] < left_ns ? idle->cause_ns[i] : left_ns;

		engine->idle_cause_ns[i] += ns;
		left_ns -= ns;
	}
}

/*
 * The part of an idle time that lies in the selected times. When in it a cause held is not told: as
 * much of the cause as there is no room for outside certainly lies within, the rest is unknown.
 */
static struct lane_idle cut_idle(const struct lane_select *select, const struct lane_idle *idle)
{
	uint64_t left_ns = latency_within(select, idle->begin_ns, idle->end_ns);
	uint64_t outside_ns = idle->end_ns - idle->begin_ns - left_ns;
	struct lane_idle cut = *idle;

	cut.begin_ns = timeline_later(idle->begin_ns, select->from_ns);
	cut.end_ns = cut.begin_ns + left_ns;
	for (int i = 0; i < LANE_IDLE_CAUSE_COUNT; i++) {
		cut.cause_ns[i] -= timeline_sooner(cut.cause_ns[i], outside_ns);
		left_ns -= timeline_sooner(cut.cause_ns[i], left_ns);
	}
	if (outside_ns && !idle->is_last)
		cut.cause_ns[LANE_IDLE_UNKNOWN] += left_ns;
	for (int i = 0; i < LANE_IDLE_CULPRITS; i++)
		cut.culprits[i].ns -= timeline_sooner(cut.culprits[i].ns, outside_ns);
	for (int i = 0; i < LANE_IDLE_STACKS; i++)
		cut.stacks[i].ns -= timeline_sooner(cut.stacks[i].ns, outside_ns);
	return cut;
}

static void add_causes(struct lane_latency *latency, const struct lane_idle *idle)
{
	uint64_t named_ns = 0;

	if (idle->is_last) {
		add_idle(latency, idle, LANE_IDLE_AFTER_LAST, NULL, idle->end_ns - idle->begin_ns);
		return;
	}
	for (unsigned int i = 0; i < LANE_IDLE_CAUSE_COUNT; i++) {
		if (i == LANE_IDLE_DRIVER)
			add_driver(latency, idle);
		else if (i != LANE_IDLE_STARVED && idle->cause_ns[i])
			add_idle(latency, idle, i, NULL, idle->cause_ns[i]);
	}
	for (int i = 0; i < LANE_IDLE_CULPRITS; i++) {
		add_idle(latency, idle, LANE_IDLE_STARVED, &idle->culprits[i],
			 idle->culprits[i].ns);
		named_ns += idle->culprits[i].ns;
	}
	for (int i = 0; i < LANE_IDLE_STACKS && idle->stacks[i].times && idle->thread; i++)
		add_idle_stack(latency, idle->engine, idle->thread, &idle->stacks[i]);
	if (idle->cause_ns[LANE_IDLE_STARVED] > named_ns)
		add_idle(latency, idle, LANE_IDLE_STARVED, NULL,
			 idle->cause_ns[LANE_IDLE_STARVED] - named_ns);
}

void latency_on_idle(void *arg, const struct lane_idle *idle)
{
	struct lane_latency *latency = arg;
	struct lane_engine_stats *engine = latency_engine_stats(latency, idle->engine);
	struct lane_idle cut;

	if (idle->is_first) /* latency_idle_before_first() */
		return;
	latency_ahead_idle(&latency->ahead, idle);
	if (engine && !idle->is_unsure)
		take_samples(latency, idle);
	forget_samples(latency, idle->engine);
	if (!engine || idle->is_unsure)
		return;
	if (latency->is_selective) {
		cut = cut_idle(&latency->select, idle);
		idle = &cut;
	}
	if (idle->end_ns == idle->begin_ns)
		return;
	count_idle(engine, idle);
	add_causes(latency, idle);
}

void latency_idle_before_first(struct lane_latency *latency, struct lane_engine_stats *engine)
{
	struct lane_idle idle = { .engine = engine->engine,
				  .begin_ns = latency->figures.begin_ns,
				  .end_ns = engine->engine->idle_until_ns };
	uint64_t ns;

	if (idle.end_ns <= idle.begin_ns)
		return;
	ns = latency_engine_time_idle(&engine->account, idle.begin_ns, idle.end_ns);
	engine->idle_cause_ns[LANE_IDLE_UNKNOWN] += ns;
	if (ns)
		add_idle(latency, &idle, LANE_IDLE_BEFORE_FIRST, NULL, ns);
}

void latency_on_thread(void *arg, const struct lane_thread_interval *interval)
{
	struct lane_latency *latency = arg;
	struct lane_client_stats *client;
	uint64_t ns = latency_within(&latency->select, interval->begin_ns, interval->end_ns);

	if (latency->cpu)
		latency_cpu_thread(latency->cpu, interval, &latency->select);
	latency_frame_threads_state(&latency->frames.threads, interval);
	if (latency->marks.n_series)
		latency_marks_thread(&latency->marks, &latency->frames, interval);
	if (latency->ranges.n_series)
		latency_marks_thread(&latency->ranges, NULL, interval);
	if (!interval->thread->client)
		return;
	add_sleep(latency, interval, ns);
	client = latency_client_stats(latency, interval->thread->client);
	if (!client)
		return;
	if (interval->state == LANE_THREAD_RUNNING)
		client->cpu_ns += ns;
	else if (interval->state == LANE_THREAD_RUNNABLE)
		client->runnable_ns += ns;
	else if (interval->state == LANE_THREAD_BLOCKED)
		client->blocked_ns += ns;
	else if (interval->state == LANE_THREAD_UNKNOWN) {
		client->unknown_ns += ns;
		client->runnable_most_ns += timeline_sooner(ns, interval->runnable_most_ns);
	}
}

void latency_on_starvation(void *arg, const struct lane_starvation *starvation)
{
	struct lane_latency *latency = arg;
	uint64_t ns = latency_within(&latency->select, starvation->begin_ns, starvation->end_ns);
	struct lane_starved_sum *sum;
	bool fresh;

	latency_marks_starved(&latency->marks, starvation);
	if (!ns && starvation->end_ns > starvation->begin_ns)
		return;
	if (latency->cpu)
		latency_cpu_starvation(latency->cpu, starvation, ns);
	if (!starvation->victim->client)
		return;
	sum = LANE_SUM_OF(latency, starved,
			  latency_pair((uint32_t)starvation->victim->tid,
				       culprit_key(starvation->tid, starvation->comm)),
			  (uint32_t)starvation->cpu, &fresh);
	if (!sum)
		return;
	if (fresh) {
		sum->victim = starvation->victim->client->id;
		sum->actor = LANE_ACTORS;
		sum->victim_tid = starvation->victim->tid;
		sum->tid = starvation->tid;
		sum->cpu = starvation->cpu;
	}
	attribute_keep_name(sum->comm, starvation->comm);
	attribute_keep_name(sum->victim_comm, starvation->victim->comm);
	sum->slices++;
	sum->ns += ns;
	latency_keep_longest(&sum->max_ns, &sum->max_at_ns, ns,
			     timeline_later(starvation->begin_ns, latency->select.from_ns));
}

/* Where a thread that acts was kept, for a key: on which CPU, or in which function. */
static uint32_t place_key(const struct lane_actor_wait *wait)
{
	return wait->function ? (uint32_t)lane_hash_text(wait->function) : (uint32_t)wait->by.cpu;
}

void latency_actors(struct lane_latency *latency, const struct lane_request *rq,
		    const struct lane_stages *stages)
{
	static const enum lane_stage of[LANE_ACTORS] = {
		[LANE_ACTOR_HAND_OVER] = LANE_STAGE_HOST_QUEUE,
		[LANE_ACTOR_ITEM] = LANE_STAGE_HOST_QUEUE,
		[LANE_ACTOR_SIGNAL] = LANE_STAGE_SIGNAL,
	};
	uint32_t victim = timeline_client_of(rq)->id;

	for (uint8_t actor = 0; rq->actors && actor < LANE_ACTORS; actor++) {
		const struct lane_actor_wait *wait = &rq->actors[actor];
		struct lane_starved_sum *sum;
		bool fresh;

		if (!wait->by.ns || !stages->total_known || !(stages->known >> of[actor] & 1))
			continue;
		sum = LANE_SUM_OF(
			latency, starved, latency_pair((uint32_t)wait->tid, (uint32_t)wait->by.tid),
			latency_pair(victim * LANE_ACTORS + actor + 1, place_key(wait)), &fresh);
		if (!sum)
			return;
		if (fresh) {
			sum->victim = victim;
			sum->actor = actor;
			sum->victim_tid = wait->tid;
			sum->tid = wait->by.tid;
			sum->cpu = wait->by.cpu;
			if (wait->function)
				sum->function =
					*wait->function ? wait->function : "another work item";
		}
		attribute_keep_name(sum->comm, wait->by.comm);
		attribute_keep_name(sum->victim_comm, wait->comm);
		sum->slices++;
		sum->ns += wait->by.ns;
		latency_keep_longest(&sum->max_ns, &sum->max_at_ns, wait->by.ns, wait->at_ns);
	}
}

void latency_on_wait(void *arg, const struct lane_wait *wait)
{
	struct lane_latency *latency = arg;
	const struct lane_request *rq = wait->request;
	struct lane_engine_stats *engine =
		rq->engine ? latency_engine_stats(latency, rq->engine) : NULL;
	struct lane_client_stats *client;
	struct lane_wait_sum *sum;
	bool fresh;

	if (engine && latency_selected(latency, rq))
		engine->trace_pl.wait_ns += wait->end_ns - wait->begin_ns;
	latency_memory_wait(&latency->memory, wait);
	/* A process without a context is no client. */
	if (!wait->thread->client || !latency_selected(latency, rq))
		return;
	client = latency_client_stats(latency, wait->thread->client);
	sum = LANE_SUM_OF(latency, waits,
			  latency_pair(wait->thread->client->id, timeline_client_of(rq)->id),
			  rq->engine ? rq->engine->id : UINT32_MAX, &fresh);
	if (!client || !sum)
		return;
	if (fresh) {
		sum->waiter = wait->thread->client->id;
		sum->owner = timeline_client_of(rq)->id;
		sum->engine = rq->engine ? rq->engine->id : UINT32_MAX;
	}
	sum->count++;
	sum->slept += wait->slept;
	sum->slept_unknown += !wait->slept_known;
	sum->ns += wait->end_ns - wait->begin_ns;
	sum->wake_ns += wait->signal_ns ? wait->end_ns - wait->signal_ns : 0;
	sum->wake_unknown += !wait->signal_ns;
	sum->runqueue_ns += wait->runqueue_known ? wait->runqueue_ns : 0;
	sum->runqueue_unknown += !wait->runqueue_known;
	client->waits++;
	client->wait_ns += wait->end_ns - wait->begin_ns;
}

LANE_ORDER(blames_by_ns, struct lane_blame, LANE_DOWN(ns.hi))
LANE_ORDER(preemptions_by_ns, struct lane_preemption_sum, LANE_DOWN(ns.hi))
LANE_ORDER(starved_by_ns, struct lane_starved_sum, LANE_DOWN(ns))
LANE_ORDER(idles_by_ns, struct lane_idle_sum, LANE_DOWN(ns))
LANE_ORDER(waits_by_ns, struct lane_wait_sum, LANE_DOWN(ns))

/* Each context may have had the engine, too, whenever nobody knows who had it while the victim's
 * requests were in the queue. What is unknown is of no context: it is told as that alone. */
static void add_unknown(struct lane_table *index, struct lane_blame *blames, uint32_t *n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *n; i++) {
		struct lane_blame *blame = &blames[i];
		uintptr_t place = (uintptr_t)lane_table_get(
			index, latency_pair(blame->victim, UNKNOWN_CONTEXT),
			latency_pair(blame->engine, 0));

		if (place && blame->context != UNKNOWN_CONTEXT)
			blame->ns.hi += blames[place - 1].ns.lo - blame->unknown_ns;
	}
	for (uint32_t i = 0; i < *n; i++)
		if (blames[i].context != UNKNOWN_CONTEXT)
			blames[kept++] = blames[i];
	*n = kept;
}

void latency_sort_sums(struct lane_latency *latency)
{
	add_unknown(&latency->sums->host_blames, latency->host_blames, &latency->n_host_blames);
	add_unknown(&latency->sums->blames, latency->blames, &latency->n_blames);
	LANE_SORT(latency->host_blames, latency->n_host_blames, blames_by_ns);
	LANE_SORT(latency->head_blames, latency->n_head_blames, blames_by_ns);
	LANE_SORT(latency->fence_blames, latency->n_fence_blames, blames_by_ns);
	LANE_SORT(latency->blames, latency->n_blames, blames_by_ns);
	LANE_SORT(latency->preemptions, latency->n_preemptions, preemptions_by_ns);
	LANE_SORT(latency->starved, latency->n_starved, starved_by_ns);
	LANE_SORT(latency->idles, latency->n_idles, idles_by_ns);
	LANE_SORT(latency->waits, latency->n_waits, waits_by_ns);
}
