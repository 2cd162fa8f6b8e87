// SPDX-License-Identifier: MIT
// Sums over a sliding window. Each part has its own sum; a part that leaves is subtracted.
#include "latency/window.h"
#include "latency/latency.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

void latency_window_init(struct lane_window *window, const struct lane_trace_info *info,
			 uint64_t span_ns)
{
	memset(window, 0, sizeof(*window));
	window->info = info;
	window->part_ns = span_ns / LANE_WINDOW_PARTS;
	if (!window->part_ns)
		window->part_ns = 1;
}

void latency_window_deinit(struct lane_window *window)
{
	free(window->engines);
	free(window->clients);
	window->engines = NULL;
	window->clients = NULL;
	window->n_engines = window->n_clients = 0;
}

/* The begin of the window, ns. */
static uint64_t oldest(const struct lane_window *window)
{
	uint64_t part = window->now_ns / window->part_ns;

	return part < LANE_WINDOW_PARTS ? 0 : (part - LANE_WINDOW_PARTS + 1) * window->part_ns;
}

uint64_t latency_window_covers(const struct lane_window *window)
{
	uint64_t from = oldest(window);

	if (from < window->begin_ns)
		from = window->begin_ns;
	return window->now_ns > from ? window->now_ns - from : 1;
}

static void add_to(const struct lane_window *window, struct lane_sliding *sum, uint64_t at_ns,
		   int64_t amount)
{
	if (at_ns < oldest(window))
		return;
	/* The timeline may report a time that now_ns has not reached. It counts as now. */
	if (at_ns > window->now_ns)
		at_ns = window->now_ns;
	sum->part[at_ns / window->part_ns % LANE_WINDOW_PARTS] += amount;
	sum->sum += amount;
}

/* Adds the time from begin to end, multiplied by `times`. */
static void window_add_time(const struct lane_window *window, struct lane_sliding *sum,
			    uint64_t begin_ns, uint64_t end_ns, int64_t times)
{
	uint64_t from = oldest(window);

	if (begin_ns < from)
		begin_ns = from;
	if (end_ns > window->now_ns)
		end_ns = window->now_ns;
	while (begin_ns < end_ns) {
		uint64_t next = (begin_ns / window->part_ns + 1) * window->part_ns;
		uint64_t to = next < end_ns ? next : end_ns;

		add_to(window, sum, begin_ns, times * (int64_t)(to - begin_ns));
		begin_ns = to;
	}
}

/* Moves the sum on by `steps` parts, from part `last`. */
static void slide(struct lane_sliding *sum, uint64_t last, uint64_t steps)
{
	if (steps >= LANE_WINDOW_PARTS) {
		memset(sum, 0, sizeof(*sum));
		return;
	}
	for (uint64_t i = 1; i <= steps; i++) {
		int64_t *part = &sum->part[(last + i) % LANE_WINDOW_PARTS];

		sum->sum -= *part;
		*part = 0;
	}
}

static void slide_all(struct lane_window *w, uint64_t last, uint64_t steps)
{
	slide(&w->requests, last, steps);
	slide(&w->preemptions, last, steps);
	slide(&w->timeslices, last, steps);
	slide(&w->events, last, steps);
	for (uint32_t i = 0; i < w->n_engines; i++) {
		slide(&w->engines[i].busy_ns, last, steps);
		slide(&w->engines[i].unsure_ns, last, steps);
		slide(&w->engines[i].runs, last, steps);
		slide(&w->engines[i].preemptions, last, steps);
	}
	for (uint32_t i = 0; i < w->n_clients; i++) {
		slide(&w->clients[i].gpu_ns, last, steps);
		slide(&w->clients[i].unsure_ns, last, steps);
		slide(&w->clients[i].wait_ns, last, steps);
		slide(&w->clients[i].requests, last, steps);
		slide(&w->clients[i].preempted, last, steps);
	}
}

static struct lane_window_engine *window_engine_of(struct lane_window *w,
						   const struct lane_engine *engine)
{
	if (!LANE_GROW(w->engines, w->n_engines, (size_t)engine->id + 1)) {
		w->no_memory = true;
		return NULL;
	}
	w->engines[engine->id].engine = engine;
	return &w->engines[engine->id];
}

static struct lane_window_client *window_client_of(struct lane_window *w,
						   const struct lane_client *client)
{
	if (!LANE_GROW(w->clients, w->n_clients, (size_t)client->id + 1)) {
		w->no_memory = true;
		return NULL;
	}
	w->clients[client->id].client = client;
	return &w->clients[client->id];
}

/* Counts the time of the client's waiting requests up to at_ns. */
static void count_waiting(const struct lane_window *w, struct lane_window_client *client,
			  uint64_t at_ns)
{
	if (at_ns <= client->counted_ns)
		return;
	if (client->waiting)
		window_add_time(w, &client->wait_ns, client->counted_ns, at_ns, client->waiting);
	client->counted_ns = at_ns;
}

/* Adds a time in which a client had the engine; times -1 subtracts the time again. */
static void count_run(struct lane_window *w, struct lane_window_engine *engine,
		      const struct lane_client *of, uint64_t begin_ns, uint64_t end_ns,
		      int64_t times)
{
	struct lane_window_client *client = window_client_of(w, of);

	window_add_time(w, &engine->busy_ns, begin_ns, end_ns, times);
	if (client)
		window_add_time(w, &client->gpu_ns, begin_ns, end_ns, times);
}

/* Adds a time in which nobody knows whether the client had the engine. */
static void count_unsure(struct lane_window *w, struct lane_window_engine *engine,
			 const struct lane_client *of, uint64_t begin_ns, uint64_t end_ns)
{
	struct lane_window_client *client = window_client_of(w, of);

	window_add_time(w, &engine->unsure_ns, begin_ns, end_ns, 1);
	if (client)
		window_add_time(w, &client->unsure_ns, begin_ns, end_ns, 1);
}

/* Counts the time of the running request up to now. */
static void count_running(struct lane_window *w, struct lane_window_engine *engine)
{
	if (!engine->context || engine->counted_ns >= w->now_ns)
		return;
	count_run(w, engine, engine->client, engine->counted_ns, w->now_ns, 1);
	engine->counted_ns = w->now_ns;
}

static bool window_waits(uint8_t state)
{
	return (state >= LANE_RQ_STATE_DEPENDENCY && state <= LANE_RQ_STATE_DEVICE) ||
	       state == LANE_RQ_STATE_PREEMPTED;
}

static void begin_run(struct lane_window *w, const struct lane_request *rq, uint64_t at_ns)
{
	struct lane_window_engine *engine = rq->engine ? window_engine_of(w, rq->engine) : NULL;

	if (!engine)
		return;
	engine->context = rq->context;
	engine->client = timeline_client_of(rq);
	engine->seqno = rq->seqno;
	engine->since_ns = engine->counted_ns =
		at_ns > engine->last_end_ns ? at_ns : engine->last_end_ns;
}

/* From a burst on nothing is said of how busy its engine and its client are. */
static void note_burst(struct lane_window *w, struct lane_window_client *client,
		       const struct lane_request *rq)
{
	struct lane_window_engine *engine = rq->engine ? window_engine_of(w, rq->engine) : NULL;

	client->has_bursts = true;
	if (!engine)
		return;
	engine->has_bursts = true;
	if (engine->context == rq->context && engine->seqno == rq->seqno)
		engine->context = NULL;
}

static void on_state(void *arg, const struct lane_request *rq, enum lane_request_state from,
		     uint64_t now_ns)
{
	struct lane_window *w = arg;
	struct lane_window_client *client = window_client_of(w, timeline_client_of(rq));
	uint64_t at_ns = now_ns > w->now_ns ? w->now_ns : now_ns;

	if (!client)
		return;
	if (window_waits((uint8_t)from) != window_waits(rq->state)) {
		count_waiting(w, client, at_ns);
		if (window_waits(rq->state))
			client->waiting++;
		else if (client->waiting)
			client->waiting--;
	}
	if (rq->state == LANE_RQ_STATE_RUNNING)
		begin_run(w, rq, at_ns);
	if (rq->doubt & LANE_DOUBT_BURST)
		note_burst(w, client, rq);
	if (rq->engine && rq->engine->id < w->n_engines)
		w->engines[rq->engine->id].bursts +=
			(rq->state == LANE_RQ_STATE_BURST) - (from == LANE_RQ_STATE_BURST);
}

/*
 * Replaces the time that was counted while the request ran by the time of the ended run. Runs with
 * bounds may overlap: the part before last_end_ns is counted already.
 */
static void on_run(void *arg, const struct lane_run *run)
{
	struct lane_window *w = arg;
	struct lane_window_engine *engine = window_engine_of(w, run->engine);
	uint64_t begin_ns = run->begin.lo;

	if (!engine)
		return;
	if (begin_ns < engine->last_end_ns)
		begin_ns = engine->last_end_ns;
	if (run->end.lo > engine->last_end_ns)
		engine->last_end_ns = run->end.lo;
	if (engine->context)
		count_run(w, engine, engine->client, engine->since_ns, engine->counted_ns, -1);
	engine->context = NULL;
	count_run(w, engine, timeline_client_of(run->request), begin_ns, run->end.lo, 1);
	count_unsure(w, engine, timeline_client_of(run->request), run->begin.lo, run->begin.hi);
	count_unsure(w, engine, timeline_client_of(run->request), run->end.lo, run->end.hi);
	add_to(w, &engine->runs, run->end.lo, 1);
}

static void on_preemption(void *arg, const struct lane_preemption *p)
{
	struct lane_window *w = arg;
	struct lane_window_engine *engine = window_engine_of(w, p->engine);
	struct lane_window_client *client = window_client_of(w, timeline_client_of(p->victim));

	if (p->unless_ns)
		return;
	add_to(w, &w->preemptions, p->at.lo, 1);
	if (p->why == LANE_PREEMPTION_TIMESLICE)
		add_to(w, &w->timeslices, p->at.lo, 1);
	if (engine)
		add_to(w, &engine->preemptions, p->at.lo, 1);
	if (client)
		add_to(w, &client->preempted, p->at.lo, 1);
}

static struct lane_span stage_of(const struct lane_stages *stages, enum lane_stage stage)
{
	return stages->known >> stage & 1 ? stages->ns[stage] : (struct lane_span){ 0, LANE_NEVER };
}

/* The worst are those of the report, by the longest time that each may have taken. */
static void window_keep_worst(struct lane_window *w, struct lane_window_client *client,
			      const struct lane_request *rq)
{
	struct lane_window_worst *worst = &w->worst;
	struct lane_points points;
	struct lane_stages stages;

	latency_points_of(w->info, rq, &points);
	latency_stages_by(w->info, rq, &points, &stages);
	if (!stages.total_known)
		return;
	if (stages.total.hi > client->worst.hi)
		client->worst = stages.total;
	if (stages.total.hi <= worst->total.hi)
		return;
	*worst = (struct lane_window_worst){ .total = stages.total,
					     .context = rq->context,
					     .client = timeline_client_of(rq),
					     .engine = rq->engine,
					     .seqno = rq->seqno,
					     .wait = { 0, LANE_NEVER },
					     .running = stage_of(&stages, LANE_STAGE_RUNNING),
					     .preempted = stage_of(&stages, LANE_STAGE_PREEMPTED) };
	if (timeline_has_started(rq) && rq->start.hi != LANE_NEVER)
		worst->wait = timeline_span_between(
			points.at[points.known[LANE_POINT_QUEUE] ? LANE_POINT_QUEUE
								 : LANE_POINT_ADD],
			rq->start);
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct lane_window *w = arg;
	struct lane_window_client *client = window_client_of(w, timeline_client_of(rq));
	uint64_t over_ns;

	if (rq->engine && rq->engine->id < w->n_engines) {
		struct lane_window_engine *engine = &w->engines[rq->engine->id];

		if (engine->context == rq->context && engine->seqno == rq->seqno)
			engine->context = NULL;
	}
	if (!client)
		return;
	if (rq->doubt & LANE_DOUBT_BURST)
		note_burst(w, client, rq);
	if (window_waits(rq->state) && client->waiting) {
		count_waiting(w, client, w->now_ns);
		client->waiting--;
	}
	if ((rq->doubt & LANE_DOUBT_GONE) && !timeline_end_is_known(rq))
		return;
	/* Where its last event is not recorded it is told as the recording ends. */
	over_ns = rq->doubt & LANE_DOUBT_GONE ? rq->end.hi : w->now_ns;
	add_to(w, &w->requests, over_ns, 1);
	add_to(w, &client->requests, over_ns, 1);
	window_keep_worst(w, client, rq);
}

struct lane_hooks latency_window_hooks(struct lane_window *window)
{
	return (struct lane_hooks){ .arg = window,
				    .request = on_request,
				    .state = on_state,
				    .run = on_run,
				    .preemption = on_preemption };
}

struct lane_error *latency_window_advance(struct lane_window *w, uint64_t now_ns, uint64_t n_events)
{
	if (!w->now_ns)
		w->begin_ns = w->now_ns = now_ns;
	if (now_ns > w->now_ns) {
		uint64_t last = w->now_ns / w->part_ns, part = now_ns / w->part_ns;

		w->now_ns = now_ns;
		if (part > last)
			slide_all(w, last, part - last);
		for (uint32_t i = 0; part > last && i < w->n_clients; i++)
			if (w->clients[i].client)
				count_waiting(w, &w->clients[i], now_ns);
		for (uint32_t i = 0; part > last && i < w->n_engines; i++)
			if (w->engines[i].engine)
				count_running(w, &w->engines[i]);
	}
	add_to(w, &w->events, now_ns, (int64_t)n_events);
	return w->no_memory ? &lane_enomem : NULL;
}
