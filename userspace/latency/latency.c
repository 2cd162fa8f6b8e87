// SPDX-License-Identifier: MIT
// The subscriber that adds up: requests by stage, client, context and engine.
#include "latency/latency.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "latency/sums.h"

const char *const lane_idle_names[LANE_IDLE_PLACE_END] = {
	[LANE_IDLE_STARVED] = "starved",
	[LANE_IDLE_OTHER_ENGINE] = "other_engine",
	[LANE_IDLE_SAME_ENGINE] = "wake",
	[LANE_IDLE_BLOCKED] = "blocked",
	[LANE_IDLE_COMPUTING] = "computing",
	[LANE_IDLE_DEPENDENCY] = "dependency",
	[LANE_IDLE_DRIVER] = "driver",
	[LANE_IDLE_UNKNOWN] = "unknown",
	[LANE_IDLE_BEFORE_FIRST] = "before_first",
	[LANE_IDLE_AFTER_LAST] = "after_last",
};

/* Makes *array hold id, zeroed; false: no memory. */
static bool reach(struct lane_latency *latency, void *array, uint32_t *n, uint32_t *cap,
		  size_t size, uint32_t id)
{
	char *base;

	if (id < *n)
		return true;
	if (!lane_vector_reach(array, cap, (size_t)id + 1, size)) {
		latency->no_memory = true;
		return false;
	}
	memcpy(&base, array, sizeof(base));
	memset(base + *n * size, 0, (id + 1 - *n) * size);
	*n = id + 1;
	return true;
}

struct lane_engine_stats *latency_engine_stats(struct lane_latency *latency,
					       const struct lane_engine *engine)
{
	uint32_t n = latency->n_engines, cap = latency->cap_engines;

	if (engine->id >= latency->n_engines) {
		if (!reach(latency, &latency->trace_pl, &n, &cap, sizeof(*latency->trace_pl),
			   engine->id) ||
		    !reach(latency, &latency->engines, &latency->n_engines, &latency->cap_engines,
			   sizeof(*latency->engines), engine->id))
			return NULL;
	}
	latency->engines[engine->id].engine = engine;
	return &latency->engines[engine->id];
}

struct lane_context_stats *latency_context_stats(struct lane_latency *latency,
						 const struct lane_context *context)
{
	if (!reach(latency, &latency->contexts, &latency->n_contexts, &latency->cap_contexts,
		   sizeof(*latency->contexts), context->id))
		return NULL;
	latency->contexts[context->id].context = context;
	return &latency->contexts[context->id];
}

struct lane_client_stats *latency_client_stats(struct lane_latency *latency,
					       const struct lane_client *client)
{
	if (!reach(latency, &latency->clients, &latency->n_clients, &latency->cap_clients,
		   sizeof(*latency->clients), client->id))
		return NULL;
	latency->clients[client->id].client = client;
	return &latency->clients[client->id];
}

static bool is_process(const struct lane_client *client, const char *process)
{
	char *end;
	long pid = strtol(process, &end, 10);

	return (*process && !*end && pid == client->pid) ||
	       !strncmp(client->comm, process, sizeof(client->comm));
}

bool latency_process_selected(const struct lane_latency *latency, int32_t pid,
			      const struct lane_client *client)
{
	const struct lane_client bare = { .pid = pid };

	return !latency->select.process ||
	       is_process(client ? client : &bare, latency->select.process);
}

bool latency_selected(const struct lane_latency *latency, const struct lane_request *rq)
{
	const struct lane_select *select = &latency->select;
	uint64_t last_ns = rq->retire_ns > rq->signal_ns ? rq->retire_ns : rq->signal_ns;

	if (select->by_context && rq->context->ctx != select->context)
		return false;
	if (select->by_seqno && rq->seqno != select->seqno)
		return false;
	if (select->by_engine && (!rq->engine || rq->engine->class != select->class ||
				  rq->engine->instance != select->instance))
		return false;
	if (select->process && !is_process(rq->context->client, select->process))
		return false;
	return !last_ns || (last_ns >= select->from_ns && last_ns <= select->to_ns);
}

static bool is_exact(struct lane_span span)
{
	return span.lo == span.hi;
}

static void add_stage(struct lane_stage_sum *sum, struct lane_span ns)
{
	sum->count++;
	sum->bounded += !is_exact(ns);
	timeline_span_add(&sum->sum, ns);
	if (ns.lo > sum->max.lo)
		sum->max.lo = ns.lo;
	if (ns.hi > sum->max.hi)
		sum->max.hi = ns.hi;
}

static void add_stages(struct lane_stage_sum *sums, const struct lane_stages *stages)
{
	for (int i = 0; i < LANE_STAGE_COUNT; i++) {
		if (stages->known & 1u << i)
			add_stage(&sums[i], stages->ns[i]);
		else if (stages->unknown & 1u << i)
			sums[i].unknown++;
	}
}

static bool is_recorded(const struct lane_latency *latency, enum lane_kind kind)
{
	return latency->info.presence[kind] != LANE_PRESENCE_ABSENT;
}

/*
 * Its time is known from its first event to its last. Of what was neither built nor added while
 * recording, as heartbeats are, nobody knows whether it has only not been seen; nor, where events
 * were lost, of what was not built.
 */
static bool is_timed(const struct lane_latency *latency, const struct lane_points *p)
{
	bool begins = p->known[LANE_POINT_QUEUE] ||
		      (p->none[LANE_POINT_QUEUE] && p->known[LANE_POINT_ADD] && !latency->losses);

	return begins && (p->known[LANE_POINT_SIGNALLED] ||
			  (p->known[LANE_POINT_END] && !is_recorded(latency, LANE_FENCE_SIGNALED)));
}

/* The request has left the stage, or everything. */
static bool is_past(const struct lane_request *rq, const struct lane_points *p, int stage)
{
	static const enum lane_stage_point ends[LANE_STAGE_PATH] = {
		[LANE_STAGE_PREPARE] = LANE_POINT_ADD,
		[LANE_STAGE_DEPENDENCY] = LANE_POINT_SUBMIT,
		[LANE_STAGE_HOST_QUEUE] = LANE_POINT_EXECUTE,
		[LANE_STAGE_DEVICE_QUEUE] = LANE_POINT_END,
		[LANE_STAGE_RUNNING] = LANE_POINT_END,
		[LANE_STAGE_PREEMPTED] = LANE_POINT_END,
		[LANE_STAGE_SIGNAL] = LANE_POINT_SIGNALLED,
	};

	if (!(rq->doubt & LANE_DOUBT_GONE))
		return true;
	for (int i = ends[stage]; i < LANE_POINT_COUNT; i++)
		if (p->known[i])
			return true;
	return false;
}

/* What is not recorded may have happened. */
static bool may_be_executed(const struct lane_latency *latency, const struct lane_points *p)
{
	return p->known[LANE_POINT_EXECUTE] || !is_recorded(latency, LANE_RQ_EXECUTE);
}

/* The trace ends, and it may have been in device_queue since its last time. */
static void add_queued(struct lane_client_stats *client, const struct lane_points *p)
{
	uint64_t since_ns = 0;

	for (int i = 0; i <= LANE_POINT_EXECUTE; i++)
		if (p->known[i])
			since_ns = p->at[i].lo;
	client->queued_at_end++;
	client->queued_since_ns += since_ns;
}

static void add_spent(struct lane_spent *spent, const struct lane_stages *stages)
{
	spent->requests++;
	timeline_span_add(&spent->total, stages->total);
	timeline_span_add(&spent->unknown, stages->merged);
	for (int i = 0; i < LANE_STAGE_PATH; i++) {
		if (stages->known & 1u << i)
			timeline_span_add(&spent->stages[i], stages->ns[i]);
		for (unsigned int g = 0; g < stages->n_gaps; g++)
			if (stages->gaps[g].stages & 1u << i)
				spent->maybe_ns[i] += stages->gaps[g].ns.hi;
	}
}

static void add_percentiles(struct lane_latency *latency, const struct lane_stages *stages)
{
	for (int i = 0; i < LANE_STAGE_COUNT; i++) {
		if (!(stages->known & 1u << i))
			continue;
		if (!latency_histogram_add(&latency->lo[i], stages->ns[i].lo) ||
		    !latency_histogram_add(&latency->hi[i], stages->ns[i].hi))
			latency->no_memory = true;
	}
}

static void count(struct lane_completeness *requests, const struct lane_request *rq,
		  const struct lane_stages *stages)
{
	const unsigned int path = (1u << LANE_STAGE_PATH) - 1;

	if (!(stages->unknown & path))
		requests->complete++;
	else if (stages->known & path)
		requests->partial++;
	else
		requests->unknown++;
	requests->open += (rq->doubt & LANE_DOUBT_GONE) != 0;
}

static void keep_worst(struct lane_latency *latency, const struct lane_request *rq,
		       const struct lane_stages *stages)
{
	uint64_t total_ns = stages->total.hi;
	uint32_t at = latency->n_worst;

	if (!stages->total_known || (rq->doubt & LANE_DOUBT_GONE))
		return;
	if (at == LANE_WORST && latency->worst[at - 1].total_ns >= total_ns)
		return;
	if (at < LANE_WORST)
		latency->n_worst++;
	else
		at--;
	for (; at && latency->worst[at - 1].total_ns < total_ns; at--)
		latency->worst[at] = latency->worst[at - 1];
	latency->worst[at].request = *rq;
	latency->worst[at].stages = *stages;
	latency->worst[at].total_ns = total_ns;
}

/* Now that its story is over: a request that nothing took off had its engine all the time. */
static void ran_through(struct lane_latency *latency, const struct lane_request *rq,
			const struct lane_stages *stages)
{
	struct lane_engine_stats *engine;

	if (!(stages->known & 1u << LANE_STAGE_RUNNING) || rq->preemptions ||
	    stages->ns[LANE_STAGE_PREEMPTED].hi)
		return;
	engine = latency_engine_stats(latency, rq->engine);
	if (engine)
		latency_engine_time_busy_in(&engine->account, rq->start.hi, rq->end.lo);
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct lane_latency *latency = arg;
	struct lane_context_stats *context;
	struct lane_engine_stats *engine = NULL;
	struct lane_client_stats *client;
	struct lane_stages stages;
	struct lane_points points;

	latency_stages_of(&latency->info, rq, &stages);
	ran_through(latency, rq, &stages);
	if (!latency_selected(latency, rq))
		return;
	context = latency_context_stats(latency, rq->context);
	client = latency_client_stats(latency, rq->context->client);
	if (rq->engine)
		engine = latency_engine_stats(latency, rq->engine);
	if (!context || !client || (rq->engine && !engine))
		return;
	count(&latency->requests, rq, &stages);
	count(&client->requests, rq, &stages);
	add_stages(latency->stages, &stages);
	add_stages(client->stages, &stages);
	add_percentiles(latency, &stages);
	latency_points_of(&latency->info, rq, &points);
	for (int i = 0; i < LANE_STAGE_PATH; i++)
		client->hidden[i] += !(stages.known >> i & 1) && is_past(rq, &points, i);
	if (rq->doubt & LANE_DOUBT_GONE && !(stages.known >> LANE_STAGE_DEVICE_QUEUE & 1) &&
	    !is_past(rq, &points, LANE_STAGE_DEVICE_QUEUE) && may_be_executed(latency, &points))
		add_queued(client, &points);
	if (is_timed(latency, &points)) {
		add_spent(&latency->spent, &stages);
		add_spent(&client->spent, &stages);
	}
	context->requests++;
	if (stages.known & 1u << LANE_STAGE_RUNNING) {
		timeline_span_add(&context->running, stages.ns[LANE_STAGE_RUNNING]);
		context->n_running++;
	}
	if (stages.total_known) {
		timeline_span_add(&context->total, stages.total);
		context->n_total++;
	}
	if (engine) {
		engine->requests++;
		context->engine = rq->engine->id;
		latency_blame_device(latency, rq, &stages);
		latency_blame_fence(latency, rq, &stages);
		latency_trace_pl_request(latency, rq);
	}
	if (stages.total_known)
		add_stage(&latency->total, stages.total);
	keep_worst(latency, rq, &stages);
}

static void on_run(void *arg, const struct lane_run *run)
{
	struct lane_latency *latency = arg;
	struct lane_engine_stats *engine = latency_engine_stats(latency, run->engine);

	if (!engine)
		return;
	engine->runs++;
	latency_engine_time_run(&engine->account, run);
}

static void on_queue(void *arg, const struct lane_engine *which, enum lane_queue queue,
		     const struct lane_request *rq, int delta, uint64_t now_ns)
{
	struct lane_latency *latency = arg;
	struct lane_engine_stats *engine = latency_engine_stats(latency, which);
	uint32_t length = queue == LANE_QUEUE_HOST ? which->host_len : which->device_len;

	(void)rq;
	if (!engine)
		return;
	engine->queue_now[queue] += delta;
	engine->queue_delta_ns[queue] += (__int128)delta * now_ns;
	if (length > engine->queue_max[queue])
		engine->queue_max[queue] = length;
}

static void on_loss(void *arg, const struct lane_loss *loss)
{
	struct lane_latency *latency = arg;

	latency->losses++;
	latency->lost += loss->count;
	latency->loss_ns += loss->end_ns - loss->begin_ns;
}

int64_t latency_queue_ns(const struct lane_latency *latency, uint32_t engine, enum lane_queue queue)
{
	const struct lane_engine_stats *e = &latency->engines[engine];

	const __int128 ns =
		(__int128)e->queue_now[queue] * latency->figures.end_ns - e->queue_delta_ns[queue];

	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

struct lane_error *latency_init(struct lane_latency *latency, const struct lane_trace_info *info,
				const struct lane_select *select)
{
	memset(latency, 0, sizeof(*latency));
	latency->info = *info;
	latency->select = *select;
	if (!latency->select.to_ns)
		latency->select.to_ns = LANE_NEVER;
	latency->sums = calloc(1, sizeof(*latency->sums));
	return latency->sums ? NULL : &lane_enomem;
}

struct lane_error *latency_follow_all(struct lane_latency *latency)
{
	return latency_cpu_create(&latency->cpu);
}

struct lane_hooks latency_hooks(struct lane_latency *latency)
{
	return (struct lane_hooks){
		.arg = latency,
		.request = on_request,
		.state = latency_on_state,
		.queue = on_queue,
		.run = on_run,
		.preemption = latency_on_preemption,
		.idle = latency_on_idle,
		.thread = latency_on_thread,
		.starvation = latency_on_starvation,
		.wait = latency_on_wait,
		.loss = on_loss,
		.fault = latency_on_fault,
		.call = latency_on_call,
		.command = latency_on_command,
	};
}

/* What an engine's time comes to. */
static void finish_engine(struct lane_latency *latency, struct lane_engine_stats *engine)
{
	uint64_t whole_ns = latency->figures.end_ns - latency->figures.begin_ns;

	if (!engine->engine || timeline_engine_is_virtual(engine->engine))
		return;
	latency_idle_before_first(latency, engine);
	engine->busy = latency_engine_time_busy(&engine->account, whole_ns);
	engine->idle = latency_engine_time_idle_span(&engine->account, whole_ns);
}

static void cap(struct lane_span *sum, uint64_t most_ns)
{
	if (sum->hi > most_ns)
		sum->hi = most_ns > sum->lo ? most_ns : sum->lo;
}

/*
 * An engine runs one thing at a time. Requests that share a boundary which is known within bounds
 * only have its doubt in both their times; together they ran for no longer than the engines were
 * busy.
 */
static void cap_running(struct lane_latency *latency)
{
	uint64_t busy_ns = 0, whole_ns = latency->figures.end_ns - latency->figures.begin_ns;

	for (uint32_t i = 0; i < latency->n_engines; i++)
		busy_ns += latency->engines[i].busy.hi;
	cap(&latency->stages[LANE_STAGE_RUNNING].sum, busy_ns);
	for (uint32_t i = 0; i < latency->n_clients; i++)
		cap(&latency->clients[i].stages[LANE_STAGE_RUNNING].sum, busy_ns);
	/* A context runs its requests one after the other. */
	for (uint32_t i = 0; i < latency->n_contexts; i++)
		cap(&latency->contexts[i].running, busy_ns < whole_ns ? busy_ns : whole_ns);
}

struct lane_error *latency_finish(struct lane_latency *latency,
				  const struct lane_timeline *timeline)
{
	latency->timeline = timeline;
	timeline_figures(timeline, &latency->figures);
	for (uint32_t i = 0; i < latency->n_engines; i++)
		finish_engine(latency, &latency->engines[i]);
	cap_running(latency);
	latency_trace_pl_finish(latency);
	latency_sort_sums(latency);
	latency_commands_finish(latency->commands);
	if (latency->commands && latency->commands->no_memory)
		return &lane_enomem;
	if (latency->no_memory)
		return &lane_enomem;
	if (!latency->figures.by_kind[LANE_SWITCH])
		latency_cpu_destroy(LANE_TAKE(latency->cpu));
	return latency->cpu ? latency_cpu_finish(latency->cpu) : NULL;
}

void latency_deinit(struct lane_latency *latency)
{
	for (int i = 0; i < LANE_STAGE_COUNT; i++) {
		latency_histogram_free(&latency->lo[i]);
		latency_histogram_free(&latency->hi[i]);
	}
	if (latency->sums) {
		lane_table_free(&latency->sums->host_blames);
		lane_table_free(&latency->sums->fence_blames);
		lane_table_free(&latency->sums->blames);
		lane_table_free(&latency->sums->preemptions);
		lane_table_free(&latency->sums->starved);
		lane_table_free(&latency->sums->idles);
		lane_table_free(&latency->sums->waits);
		lane_table_free(&latency->sums->faults);
	}
	latency_commands_destroy(latency->commands);
	latency_cpu_destroy(latency->cpu);
	free(latency->sums);
	free(latency->clients);
	free(latency->contexts);
	for (uint32_t i = 0; i < latency->n_engines; i++)
		free(latency->engines[i].recent);
	free(latency->engines);
	free(latency->trace_pl);
	free(latency->host_blames);
	free(latency->fence_blames);
	free(latency->blames);
	free(latency->preemptions);
	free(latency->starved);
	free(latency->idles);
	free(latency->waits);
	free(latency->faults);
	memset(latency, 0, sizeof(*latency));
}
