// SPDX-License-Identifier: MIT
// Sums of requests by stage, client, context and engine: the hooks of the timeline.
#include "latency/latency.h"

#include <stdio.h>
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

/* By its number, its name, or both as reports print them: NAME[PID]. */
static bool is_process(const struct lane_client *client, const char *process)
{
	size_t bytes = strnlen(client->comm, sizeof(client->comm));
	const char *number = process;
	char *end;
	long pid;

	if (client->group)
		return !strcmp(client->group, process);
	if (!strncmp(client->comm, process, bytes) && bytes) {
		if (!process[bytes])
			return true;
		number += process[bytes] == '[' ? bytes + 1 : 0;
	}
	pid = strtol(number, &end, 10);
	return end != number && pid == client->pid && !strcmp(end, number > process ? "]" : "");
}

static bool is_engine(const struct lane_engine *engine, const struct lane_select *select)
{
	const char *name = select->engine, *device = engine->device;
	size_t bytes = select->device_bytes;

	if (bytes && engine->name) {
		if (!strncmp(device, "0000:", 5)) /* as it is printed */
			device += 5;
		if (strlen(device) != bytes || memcmp(device, name, bytes) != 0)
			return false;
	} else if (bytes &&
		   (strncmp(name, "card", 4) != 0 || strtoul(name + 4, NULL, 10) != engine->dev)) {
		return false;
	}
	if (engine->name && !select->by_class)
		return !strcmp(engine->name, name + bytes + (bytes > 0));
	return engine->class == select->class && engine->instance == select->instance;
}

bool latency_selects_all(const struct lane_select *select)
{
	return !select->process && !select->by_context && !select->by_seqno && !select->by_engine &&
	       !select->from_ns && !select->to_ns;
}

bool latency_selects_process(const struct lane_select *select, int32_t pid,
			     const struct lane_client *client)
{
	const struct lane_client bare = { .pid = pid };

	return !select->process || is_process(client ? client : &bare, select->process);
}

/* What was over then is; time 0: it is not over. */
static bool selects_time(const struct lane_select *select, uint64_t last_ns)
{
	return !last_ns ||
	       (last_ns >= select->from_ns && (!select->to_ns || last_ns <= select->to_ns));
}

uint64_t latency_within(const struct lane_select *select, uint64_t begin_ns, uint64_t end_ns)
{
	begin_ns = timeline_later(begin_ns, select->from_ns);
	end_ns = timeline_sooner(end_ns, select->to_ns);
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

uint64_t latency_whole_ns(const struct lane_latency *latency)
{
	return latency_within(&latency->select, latency->figures.begin_ns, latency->figures.end_ns);
}

bool latency_selects_command(const struct lane_select *select, const struct lane_command *command)
{
	uint64_t last_ns =
		command->known_ns ? command->known_ns : command->time_ns[LANE_COMMAND_END];

	return selects_time(select, last_ns) &&
	       latency_selects_process(select, command->pid,
				       command->request ? timeline_client_of(command->request)
							: NULL);
}

bool latency_selects_flip(const struct lane_select *select, const struct lane_flip *flip)
{
	return !select->by_flip ||
	       (flip->shown_ns && flip->crtc == select->crtc &&
		(uint32_t)flip->seq - select->refresh <= (uint32_t)flip->missed);
}

bool latency_selects(const struct lane_select *select, const struct lane_request *rq)
{
	uint64_t last_ns = rq->retire_ns > rq->signal_ns ? rq->retire_ns : rq->signal_ns;

	if (select->by_context && rq->context->ctx != select->context)
		return false;
	if (select->by_seqno && rq->seqno != select->seqno)
		return false;
	if (select->by_engine && (!rq->engine || !is_engine(rq->engine, select)))
		return false;
	if (select->process && !is_process(timeline_client_of(rq), select->process))
		return false;
	return selects_time(select, last_ns);
}

static bool is_exact(struct lane_span span)
{
	return span.lo == span.hi;
}

static void add_stage(struct lane_stage_sum *sum, struct lane_span ns)
{
	sum->count++;
	if (!ns.hi)
		return;
	if (!is_exact(ns))
		sum->bounded++;
	timeline_span_add(&sum->sum, ns);
	if (ns.lo > sum->max.lo)
		sum->max.lo = ns.lo;
	if (ns.hi > sum->max.hi)
		sum->max.hi = ns.hi;
}

static void add_unknown_stages(struct lane_stage_sum *sums, const struct lane_stages *stages)
{
	for (unsigned int left = stages->unknown & ~stages->known; left; left &= left - 1)
		sums[__builtin_ctz(left)].unknown++;
}

/* Adds the stages of a request that did not complete. */
static void add_faulted(struct lane_stage_sum *sums, const struct lane_stages *stages)
{
	for (unsigned int left = stages->known; left; left &= left - 1)
		add_stage(&sums[__builtin_ctz(left)], stages->ns[__builtin_ctz(left)]);
	add_unknown_stages(sums, stages);
}

bool latency_times_to_end(const struct lane_latency *latency)
{
	return !latency->has_signals;
}

/* Adds to the time that a client's requests spent, but for its stages; which of the known stages
 * are a part of that. The time of a request whose end nobody had asked to be told of goes to its
 * end: its signal came late for nobody. */
static unsigned int add_spent(struct lane_spent *spent, const struct lane_request *rq,
			      const struct lane_stages *stages)
{
	unsigned int path = (1u << LANE_STAGE_PATH) - 1;
	struct lane_span total = stages->total;

	if (!stages->total_known)
		return 0;
	if (rq->is_unasked && stages->known & 1u << LANE_STAGE_SIGNAL) {
		path &= ~(1u << LANE_STAGE_SIGNAL);
		total.lo -= timeline_sooner(stages->ns[LANE_STAGE_SIGNAL].hi, total.lo);
		total.hi -= stages->ns[LANE_STAGE_SIGNAL].lo;
	}
	spent->requests++;
	timeline_span_add(&spent->total, total);
	timeline_span_add(&spent->unknown, stages->merged);
	for (unsigned int g = 0; g < stages->n_gaps; g++)
		for (unsigned int left = stages->gaps[g].stages & path; left; left &= left - 1)
			spent->maybe_ns[__builtin_ctz(left)] += stages->gaps[g].ns.hi;
	return path;
}

static bool add_percentile(struct lane_latency *latency, int stage, struct lane_span ns)
{
	if (is_exact(ns))
		return latency_histogram_add(&latency->exact[stage], ns.lo);
	return latency_histogram_add(&latency->lo[stage], ns.lo) &&
	       latency_histogram_add(&latency->hi[stage], ns.hi);
}

static void add_stages(struct lane_latency *latency, struct lane_client_stats *client,
		       const struct lane_request *rq, const struct lane_stages *stages)
{
	unsigned int spent = add_spent(&client->spent, rq, stages);

	for (unsigned int left = stages->known; left; left &= left - 1) {
		int i = __builtin_ctz(left);

		add_stage(&client->stages[i], stages->ns[i]);
		if (spent >> i & 1)
			timeline_span_add(&client->spent.stages[i], stages->ns[i]);
		latency->no_memory |= !add_percentile(latency, i, stages->ns[i]);
	}
	add_unknown_stages(client->stages, stages);
}

/* An exact time is both its bounds. */
static void finish_percentiles(struct lane_latency *latency)
{
	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		latency->no_memory |=
			!latency_histogram_add_all(&latency->lo[i], &latency->exact[i]) ||
			!latency_histogram_add_all(&latency->hi[i], &latency->exact[i]);
}

/* The stages whose times are not known. */
static void add_hidden(struct lane_client_stats *client, unsigned int stages)
{
	for (unsigned int left = stages; left; left &= left - 1)
		client->hidden[__builtin_ctz(left)]++;
}

static void latency_count(struct lane_completeness *requests, const struct lane_request *rq,
			  const struct lane_stages *stages)
{
	enum lane_wholeness complete = latency_completeness(stages);

	requests->complete += complete == LANE_COMPLETE;
	requests->partial += complete == LANE_PARTIAL;
	requests->unknown += complete == LANE_UNKNOWN;
	requests->open += (rq->doubt & LANE_DOUBT_GONE) && rq->state != LANE_RQ_STATE_ENDED;
	requests->by_silence += rq->end_why.lo.rule == LANE_RULE_UNHEARD;
	requests->bursts += (rq->doubt & LANE_DOUBT_BURST) != 0;
	requests->maybe_bursts += (rq->doubt & LANE_DOUBT_BURST) && !rq->context->is_long_running;
}

static void keep_worst(struct lane_latency *latency, const struct lane_request *rq,
		       const struct lane_stages *stages, const struct lane_ahead_part *ahead)
{
	uint64_t total_ns = stages->total.hi;
	uint32_t at = latency->n_worst;

	if (!stages->total_known)
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
	latency->worst[at].ahead = *ahead;
}

/* Adds to the busy time: a request that was never preempted ran from its start to its end. */
static void add_whole_run(struct lane_latency *latency, const struct lane_request *rq,
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

static void add_to_context(struct lane_context_stats *context, const struct lane_request *rq,
			   const struct lane_stages *stages)
{
	context->requests++;
	if (stages->known & 1u << LANE_STAGE_RUNNING) {
		timeline_span_add(&context->running, stages->ns[LANE_STAGE_RUNNING]);
		context->n_running++;
	}
	if ((stages->known & 1u << LANE_STAGE_RUNNING) && timeline_end_is_known(rq))
		latency_longest_add(&context->longest, stages->ns[LANE_STAGE_RUNNING], rq->start.lo,
				    rq, 0);
	if (stages->total_known) {
		timeline_span_add(&context->total, stages->total);
		context->n_total++;
	}
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct lane_latency *latency = arg;
	struct lane_context_stats *context;
	struct lane_engine_stats *engine = NULL;
	struct lane_client_stats *client;
	struct lane_stages stages;
	struct lane_points points;
	struct lane_ahead_part ahead = { 0 };

	latency->has_signals |= rq->has_signals;
	latency_points_of(&latency->info, rq, &points);
	latency_stages_by(&latency->info, rq, &points, &stages);
	add_whole_run(latency, rq, &stages);
	if (!latency_selected(latency, rq))
		return;
	latency_awake_request(&latency->awakes, &latency->counters, rq);
	context = latency_context_stats(latency, rq->context);
	client = latency_client_stats(latency, timeline_client_of(rq));
	if (rq->engine)
		engine = latency_engine_stats(latency, rq->engine);
	if (!context || !client || (rq->engine && !engine))
		return;
	if (rq->fault) {
		context->engine = engine ? rq->engine->id : context->engine;
		client->requests.faulted++;
		add_faulted(latency->faulted, &stages);
		return;
	}
	latency_memory_request(&latency->memory, rq, &stages);
	latency_count(&client->requests, rq, &stages);
	add_stages(latency, client, rq, &stages);
	if (!(rq->doubt & LANE_DOUBT_GONE))
		add_hidden(client, ~stages.known & ((1u << LANE_STAGE_PATH) - 1));
	add_to_context(context, rq, &stages);
	latency_actors(latency, rq, &stages);
	if (engine) {
		engine->requests++;
		engine->may_be_preempted_more |=
			!(stages.known & 1u << LANE_STAGE_PREEMPTED) ||
			stages.ns[LANE_STAGE_PREEMPTED].lo < stages.ns[LANE_STAGE_PREEMPTED].hi;
		engine->bursts += (rq->doubt & LANE_DOUBT_BURST) != 0;
		context->engine = rq->engine->id;
		latency_blame(latency, rq, &stages, &ahead);
		latency_trace_pl_request(engine, rq);
		latency_counters_request(&latency->counters, rq);
		latency_slow_request(&latency->slows, &latency->counters, rq);
		latency_steady_request(&latency->steadies, &latency->counters, rq);
	}
	if (stages.total_known)
		add_stage(&latency->total, stages.total);
	if (latency->has_frames || latency->marks.n_series)
		latency_frames_request(&latency->frames, &latency->info, rq, &stages, &ahead);
	if (latency->marks.n_series)
		latency_marks_request(&latency->marks, &latency->frames);
	keep_worst(latency, rq, &stages, &ahead);
	if (rq->doubt & LANE_DOUBT_GONE)
		latency_open_add(&latency->opens, rq);
}

static void on_run(void *arg, const struct lane_run *run)
{
	struct lane_latency *latency = arg;
	struct lane_engine_stats *engine = latency_engine_stats(latency, run->engine);

	latency_ahead_run(&latency->ahead, run, false);
	latency_marks_run(&latency->ranges, run);
	if (!engine)
		return;
	engine->runs++;
	latency_engine_time_run(&engine->account, run);
}

static void on_state(void *arg, const struct lane_request *rq, enum lane_request_state from,
		     uint64_t now_ns)
{
	struct lane_latency *latency = arg;

	latency_ahead_state(&latency->ahead, rq, from, now_ns);
	if (from == LANE_RQ_STATE_BURST || rq->state == LANE_RQ_STATE_BURST)
		latency_unseen_state(&latency->unseen, rq, from, now_ns);
	if (!latency_selected(latency, rq))
		return;
	if (from == LANE_RQ_STATE_NEW)
		latency_memory_submit(latency, rq, now_ns);
	if (rq->state == LANE_RQ_STATE_ENDED)
		latency_memory_ended(&latency->memory, rq, now_ns);
}

static void on_maybe_run(void *arg, const struct lane_run *run)
{
	latency_ahead_run(&((struct lane_latency *)arg)->ahead, run, true);
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
	if (delta > 0)
		engine->queue_delta_ns[queue] += now_ns;
	else
		engine->queue_delta_ns[queue] -= now_ns;
	if (length > engine->queue_max[queue])
		engine->queue_max[queue] = length;
}

static void on_loss(void *arg, const struct lane_loss *loss)
{
	struct lane_latency *latency = arg;

	latency_ahead_loss(&latency->ahead, loss);
	if (loss->is_ambiguous) {
		latency->ambiguous++;
		return;
	}
	latency->losses++;
	latency->lost += loss->count;
	latency->loss_ns += loss->end_ns - loss->begin_ns;
}

static void on_flip(void *arg, const struct lane_flip *flip)
{
	struct lane_latency *latency = arg;
	uint64_t at_ns = flip->shown_ns ? flip->shown_ns : flip->asked_ns;

	latency->has_frames = true;
	if (at_ns < latency->select.from_ns || at_ns > latency->select.to_ns)
		return;
	if (!latency_selects_flip(&latency->select, flip)) {
		if (latency->select.by_flip)
			latency_frames_learn(&latency->frames, flip);
		return;
	}
	if (latency->select.by_flip)
		latency_frames_keep(&latency->frames, flip);
	latency_frames_flip(&latency->frames, flip);
}

static void on_mark(void *arg, const struct lane_mark *mark)
{
	struct lane_latency *latency = arg;
	const struct lane_select *select = &latency->select;

	if (!select->by_flip && mark->begin_ns <= select->to_ns && mark->end_ns <= select->to_ns &&
	    (!mark->end_ns || mark->end_ns >= select->from_ns) &&
	    latency_selects_process(select, mark->thread->pid, mark->thread->client))
		latency_marks_mark(mark->is_range ? &latency->ranges : &latency->marks, mark);
}

static void on_stall(void *arg, const struct lane_stall *stall)
{
	latency_memory_stall(arg, stall);
}

static void on_unended(void *arg, const struct lane_unended *unended)
{
	struct lane_latency *latency = arg;
	struct lane_client client = {
		.pid = unended->wait   ? unended->wait->pid
		       : unended->call ? unended->call->pid
				       : unended->command->pid,
	};

	snprintf(client.comm, sizeof(client.comm), "%.15s", unended->comm);
	if (latency_selects_process(&latency->select, client.pid, &client))
		latency_open_call_add(&latency->open_calls, unended);
}

static void on_counter(void *arg, const struct lane_event *event)
{
	struct lane_latency *latency = arg;

	latency_counters_event(&latency->counters, event);
	latency_slow_sample(&latency->slows, &latency->counters, event);
	latency_steady_sample(&latency->steadies, &latency->counters, event);
	latency_awake_sample(&latency->awakes, &latency->counters, event);
}

static void on_stack_frame(void *arg, const struct lane_event *event)
{
	struct lane_latency *latency = arg;

	latency->no_memory |= !latency_stacks_frame(&latency->stacks, event);
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
	latency->is_selective = !latency_selects_all(select);
	latency_memory_init(&latency->memory, info);
	latency->has_frames = info->presence[LANE_FLIP] == LANE_PRESENCE_RECORDED;
	latency->sums = calloc(1, sizeof(*latency->sums));
	return latency->sums ? NULL : &lane_enomem;
}

void latency_select_times(struct lane_latency *latency, const struct lane_select *times)
{
	latency->select.zero_ns = times->zero_ns;
	latency->select.from_ns = times->from_ns;
	latency->select.to_ns = times->to_ns;
	latency->is_selective = true;
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
		.queue = on_queue,
		.state = on_state,
		.run = on_run,
		.maybe_run = on_maybe_run,
		.preemption = latency_on_preemption,
		.idle = latency_on_idle,
		.thread = latency_on_thread,
		.starvation = latency_on_starvation,
		.wait = latency_on_wait,
		.loss = on_loss,
		.fault = latency_on_fault,
		.stall = on_stall,
		.flip = on_flip,
		.mark = on_mark,
		.counter = on_counter,
		.sample = latency_on_sample,
		.stack_frame = on_stack_frame,
		.call = latency_on_call,
		.unended = on_unended,
		.command = latency_on_command,
	};
}

/* Sets an engine's busy and idle time. */
static void finish_engine(struct lane_latency *latency, struct lane_engine_stats *engine)
{
	uint64_t whole_ns = latency_whole_ns(latency);

	if (!engine->engine || timeline_engine_is_virtual(engine->engine))
		return;
	latency_idle_before_first(latency, engine);
	latency_engine_time_bounds(&engine->account, whole_ns, &engine->busy, &engine->idle);
	/* The counter's sum is the recording's. */
	if (whole_ns < latency->figures.end_ns - latency->figures.begin_ns)
		return;
	engine->audit = latency_counters_audit(&latency->counters, engine->engine, engine->busy);
	/* So long, at least, it had no context. */
	if (engine->audit.counter && engine->audit.counted.hi < engine->busy.hi &&
	    !engine->audit.requests_exceed) {
		engine->idle_cause_ns[LANE_IDLE_UNKNOWN] +=
			engine->busy.hi - engine->audit.counted.hi;
		engine->idle.lo += engine->busy.hi - engine->audit.counted.hi;
		engine->busy.hi = engine->audit.counted.hi;
	}
}

static void latency_cap(struct lane_span *sum, uint64_t most_ns)
{
	if (sum->hi > most_ns)
		sum->hi = most_ns > sum->lo ? most_ns : sum->lo;
}

/*
 * Caps the upper bounds of running times. Two requests may share a boundary that has bounds only.
 * The span of the boundary is then in both their times. But an engine runs one request at a time,
 * so all requests together ran no longer than the engines were busy. Where a firmware placed a
 * virtual engine's requests nobody tells which engines these were.
 */
static void cap_running(struct lane_latency *latency)
{
	uint64_t busy_ns = 0, whole_ns = latency->figures.end_ns - latency->figures.begin_ns;

	/* A request that is over in the selected times may have run before. */
	if (latency_whole_ns(latency) < whole_ns)
		return;
	for (uint32_t i = 0; i < latency->n_engines; i++) {
		const struct lane_engine_stats *engine = &latency->engines[i];

		if (engine->runs && timeline_engine_is_virtual(engine->engine))
			return;
		busy_ns += engine->busy.hi;
	}
	latency_cap(&latency->stages[LANE_STAGE_RUNNING].sum, busy_ns);
	for (uint32_t i = 0; i < latency->n_clients; i++)
		latency_cap(&latency->clients[i].stages[LANE_STAGE_RUNNING].sum, busy_ns);
	/* A context runs its requests one after the other. */
	for (uint32_t i = 0; i < latency->n_contexts; i++)
		latency_cap(&latency->contexts[i].running, busy_ns < whole_ns ? busy_ns : whole_ns);
}

static void add_sum(struct lane_stage_sum *sum, const struct lane_stage_sum *part)
{
	sum->count += part->count;
	sum->bounded += part->bounded;
	sum->unknown += part->unknown;
	timeline_span_add(&sum->sum, part->sum);
	sum->max.lo = part->max.lo > sum->max.lo ? part->max.lo : sum->max.lo;
	sum->max.hi = part->max.hi > sum->max.hi ? part->max.hi : sum->max.hi;
}

/* Adds a client's sums to those of all clients. */
static void add_client(struct lane_latency *latency, const struct lane_client_stats *client)
{
	latency->requests.complete += client->requests.complete;
	latency->requests.partial += client->requests.partial;
	latency->requests.unknown += client->requests.unknown;
	latency->requests.open += client->requests.open;
	latency->requests.bursts += client->requests.bursts;
	latency->requests.maybe_bursts += client->requests.maybe_bursts;
	latency->requests.by_silence += client->requests.by_silence;
	latency->requests.faulted += client->requests.faulted;
	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		add_sum(&latency->stages[i], &client->stages[i]);
	latency->spent.requests += client->spent.requests;
	timeline_span_add(&latency->spent.total, client->spent.total);
	timeline_span_add(&latency->spent.unknown, client->spent.unknown);
	for (int i = 0; i < LANE_STAGE_PATH; i++) {
		timeline_span_add(&latency->spent.stages[i], client->spent.stages[i]);
		latency->spent.maybe_ns[i] += client->spent.maybe_ns[i];
	}
}

struct lane_error *latency_finish(struct lane_latency *latency,
				  const struct lane_timeline *timeline)
{
	latency->timeline = timeline;
	timeline_figures(timeline, &latency->figures);
	for (uint32_t i = 0; i < latency->n_clients; i++)
		add_client(latency, &latency->clients[i]);
	finish_percentiles(latency);
	latency_counters_finish(&latency->counters, latency->figures.begin_ns,
				latency->figures.end_ns);
	latency_slow_finish(&latency->slows, &latency->counters);
	latency_steady_finish(&latency->steadies);
	latency_awake_finish(
		&latency->awakes, &latency->counters,
		(struct lane_span){ latency->figures.begin_ns, latency->figures.end_ns },
		!latency->losses && !latency->is_damaged && !latency->is_selective &&
			!latency->info.follows_some);
	for (uint32_t i = 0; i < latency->n_engines; i++)
		finish_engine(latency, &latency->engines[i]);
	cap_running(latency);
	latency_sort_sums(latency);
	latency_memory_finish(&latency->memory, timeline, latency_whole_ns(latency));
	latency_frames_finish(&latency->frames);
	latency_marks_finish(&latency->marks);
	latency_marks_finish(&latency->ranges);
	latency_commands_finish(latency->commands);
	latency_unseen_finish(&latency->unseen, latency_commands_has_process, latency->commands);
	if (latency->commands && latency->commands->no_memory)
		return &lane_enomem;
	if (latency->counters.no_memory || latency->slows.no_memory ||
	    latency->steadies.no_memory || latency->awakes.no_memory || latency->no_memory ||
	    latency->ahead.no_memory || latency->memory.no_memory || latency->unseen.no_memory ||
	    latency->marks.no_memory || latency->ranges.no_memory)
		return &lane_enomem;
	if (!latency->figures.by_kind[LANE_SWITCH])
		latency_cpu_destroy(LANE_TAKE(latency->cpu));
	return latency->cpu ? latency_cpu_finish(latency->cpu) : NULL;
}

void latency_deinit(struct lane_latency *latency)
{
	for (int i = 0; i < LANE_STAGE_COUNT; i++) {
		latency_histogram_free(&latency->exact[i]);
		latency_histogram_free(&latency->lo[i]);
		latency_histogram_free(&latency->hi[i]);
	}
#define S(kind)                                                                                    \
	if (latency->sums)                                                                         \
		lane_table_free(&latency->sums->kind);                                             \
	free(latency->kind);
	LANE_SUMS(S)
#undef S
	latency_counters_deinit(&latency->counters);
	latency_memory_deinit(&latency->memory);
	latency_marks_deinit(&latency->marks);
	latency_marks_deinit(&latency->ranges);
	latency_slow_deinit(&latency->slows);
	latency_steady_deinit(&latency->steadies);
	latency_awake_deinit(&latency->awakes);
	latency_commands_destroy(latency->commands);
	latency_cpu_destroy(latency->cpu);
	free(latency->sums);
	free(latency->clients);
	for (uint32_t i = 0; i < latency->n_contexts; i++)
		free(latency->contexts[i].longest.octaves);
	free(latency->contexts);
	latency_ahead_deinit(&latency->ahead);
	free(latency->unseen.sums);
	free(latency->engines);
	for (uint32_t i = 0; i < LANE_SAMPLED; i++)
		free(latency->samples[i]);
	latency_stacks_deinit(&latency->stacks);
	memset(latency, 0, sizeof(*latency));
}

void latency_idle_causes(const struct lane_latency *latency, uint32_t engine,
			 uint64_t ns[LANE_IDLE_PLACE_END])
{
	memset(ns, 0, LANE_IDLE_PLACE_END * sizeof(*ns));
	memcpy(ns, latency->engines[engine].idle_cause_ns,
	       sizeof(latency->engines[engine].idle_cause_ns));
	for (uint32_t i = 0; i < latency->n_idles; i++) {
		const struct lane_idle_sum *sum = &latency->idles[i];
		uint64_t part = sum->ns < ns[LANE_IDLE_UNKNOWN] ? sum->ns : ns[LANE_IDLE_UNKNOWN];

		if (sum->engine != engine || sum->cause < LANE_IDLE_CAUSE_COUNT)
			continue;
		ns[sum->cause] += part;
		ns[LANE_IDLE_UNKNOWN] -= part;
	}
}

bool latency_open_has_more(const struct lane_latency *latency)
{
	const struct lane_opens *opens = &latency->opens;

	return opens->is_cut &&
	       latency->figures.until_ns >= opens->of[LANE_OPENS - 1].since_ns + LANE_OPEN_LONG_NS;
}

const struct lane_open_call *latency_open_call_told(const struct lane_latency *latency, uint32_t i,
						    bool goes_on)
{
	const struct lane_open_calls *calls = &latency->open_calls;
	uint64_t until_ns = latency->figures.until_ns;

	for (uint32_t k = 0; k < calls->n; k++)
		if ((goes_on || !latency_open_call_goes_on(&calls->of[k], until_ns)) &&
		    latency_open_call_is_certain(latency->timeline, &calls->of[k], until_ns,
						 LANE_OPEN_LONG_NS) &&
		    !i--)
			return &calls->of[k];
	return NULL;
}

/* A call or a command is told with the request. */
static bool is_carrier(const struct lane_latency *latency, const struct lane_request *rq)
{
	const struct lane_open_call *open;

	for (uint32_t i = 0; (open = latency_open_call_told(latency, i, true)); i++)
		if (open->has_request && !open->has_wait && open->request.context == rq->context &&
		    open->request.seqno == rq->seqno)
			return true;
	return false;
}

const struct lane_open *latency_open_told(const struct lane_latency *latency, uint32_t i,
					  bool has_bursts)
{
	const struct lane_opens *opens = &latency->opens;

	for (uint32_t k = 0; k < opens->n; k++)
		if ((has_bursts || !(opens->of[k].request.doubt & LANE_DOUBT_BURST)) &&
		    latency_open_is_certain(latency->timeline, &opens->of[k],
					    latency->figures.until_ns, LANE_OPEN_LONG_NS) &&
		    !is_carrier(latency, &opens->of[k].request) && !i--)
			return &opens->of[k];
	return NULL;
}
