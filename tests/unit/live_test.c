// SPDX-License-Identifier: MIT
// Live events come in order, and what was lost between; the sums of a sliding window are those of
// its time.
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "latency/window.h"
#include "norm/live.h"

static struct lane_live *make(void)
{
	struct lane_trace_info info = { .release = "6.1.0", .begin_ns = 10 };
	struct lane_live *live;

	assert_null(norm_live_create(&info, &live));
	return live;
}

static void put(struct lane_live *live, unsigned int cpu, uint64_t at_ns, uint32_t seqno)
{
	struct lane_event event = { .wire = { .ts_ns = at_ns, .kind = LANE_RQ_ADD } };

	event.u.rq.ctx = 5;
	event.u.rq.seqno = seqno;
	assert_null(norm_live_record(live, cpu, &event.wire));
}

/* The next event's seqno, 0: none. */
static uint32_t get(struct lane_live *live, uint64_t upto_ns, int32_t cpu)
{
	const struct lane_event *event;

	assert_null(norm_live_next(live, upto_ns, &event));
	if (!event)
		return 0;
	assert_int_equal(event->cpu, cpu);
	return event->u.rq.seqno;
}

TEST(order_of_time)
{
	struct lane_live *live = make();
	uint64_t lost, moved;

	put(live, 0, 100, 1);
	put(live, 0, 300, 3);
	put(live, 0, 250, 2); /* interrupted the one before */
	put(live, 1, 200, 4);
	assert_int_equal(get(live, 99, 0), 0);
	assert_int_equal(get(live, 260, 0), 1);
	assert_int_equal(get(live, 260, 1), 4);
	assert_int_equal(get(live, 260, 0), 2);
	assert_int_equal(get(live, 260, 0), 0);
	put(live, 1, 280, 5);
	assert_int_equal(get(live, 1000, 1), 5);
	assert_int_equal(get(live, 1000, 0), 3);
	assert_int_equal(get(live, 1000, 0), 0);
	put(live, 1, 200, 6); /* too late */
	assert_int_equal(get(live, 1000, 1), 6);
	norm_live_counts(live, &lost, &moved);
	assert_int_equal(lost, 0);
	assert_int_equal(moved, 1);
	norm_live_destroy(live);
}

#define MANY 5000

struct sent {
	uint64_t at_ns;
	uint32_t seqno;
};

static int earlier(const void *a, const void *b)
{
	const struct sent *x = a, *y = b;

	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	return x->seqno < y->seqno ? -1 : x->seqno > y->seqno;
}

/* Records of so many CPUs, one CPU after the other, each nearly in order, many of one time: all
 * come, the earliest first, those of one time as they came. In two rounds: what the first one
 * leaves comes in the second. */
static void many_cpus(unsigned int n_cpus)
{
	struct lane_live *live = make();
	static struct sent sent[MANY];
	const struct lane_event *event;
	uint32_t state = 12345 + n_cpus;
	size_t n = 0;

	for (unsigned int round = 0; round < 2; round++)
		for (unsigned int cpu = 0; cpu < n_cpus; cpu++)
			for (unsigned int i = 0; i < MANY / 2 / n_cpus; i++, n++) {
				state = state * 1664525 + 1013904223;
				sent[n].at_ns = 1000 + round * 20000 + i * 4 + (state >> 28);
				sent[n].seqno = (uint32_t)n + 1;
				put(live, cpu, sent[n].at_ns, sent[n].seqno);
			}
	qsort(sent, n, sizeof(sent[0]), earlier);
	for (size_t i = 0; i < n; i++) {
		/* Nothing is due, and what is left moves. */
		if (i % 1000 == 999) {
			assert_null(norm_live_next(live, 0, &event));
			assert_null(event);
		}
		assert_null(
			norm_live_next(live, i < n / 3 ? sent[n / 3].at_ns : UINT64_MAX, &event));
		assert_non_null(event);
		assert_int_equal(event->wire.ts_ns, sent[i].at_ns);
		assert_int_equal(event->u.rq.seqno, sent[i].seqno);
	}
	assert_null(norm_live_next(live, UINT64_MAX, &event));
	assert_null(event);
	norm_live_destroy(live);
}

TEST(order_of_many)
{
	many_cpus(1);
	many_cpus(2);
	many_cpus(7);
	many_cpus(64);
}

/* The next event and its time. */
static void comes(struct lane_live *live, uint32_t seqno, uint64_t at_ns)
{
	const struct lane_event *event;

	assert_null(norm_live_next(live, UINT64_MAX, &event));
	assert_non_null(event);
	assert_int_equal(event->u.rq.seqno, seqno);
	assert_int_equal(event->wire.ts_ns, at_ns);
}

/* Too late events get the time of the last one, each of them; what is in order keeps its time. */
TEST(late_events_are_moved)
{
	struct lane_live *live = make();
	uint64_t lost, moved;

	put(live, 0, 300, 1);
	comes(live, 1, 300);
	put(live, 1, 200, 2);
	put(live, 1, 100, 3);
	put(live, 1, 300, 4);
	put(live, 1, 301, 5);
	comes(live, 3, 300); /* the oldest first */
	comes(live, 2, 300);
	comes(live, 4, 300);
	comes(live, 5, 301);
	norm_live_counts(live, &lost, &moved);
	assert_int_equal(moved, 2);
	norm_live_destroy(live);
}

TEST(losses_lie_between)
{
	struct lane_live *live = make();
	const struct lane_event *event;
	uint64_t lost, moved;

	assert_null(norm_live_lost(live, 3, 0, 500));
	assert_null(norm_live_lost(live, 3, 7, 900));
	assert_null(norm_live_lost(live, 3, 7, 950));
	put(live, 3, 800, 1);
	assert_int_equal(get(live, 2000, 3), 1);
	assert_null(norm_live_next(live, 2000, &event));
	assert_non_null(event);
	assert_int_equal(event->wire.kind, LANE_LOST);
	assert_int_equal(event->u.gpulane_lost.count, 7);
	assert_int_equal(event->u.gpulane_lost.begin_ns, 500);
	assert_int_equal(event->u.gpulane_lost.end_ns, 900);
	assert_int_equal(event->u.gpulane_lost.lost_cpu, 3);
	assert_null(norm_live_next(live, 2000, &event));
	assert_null(event);
	norm_live_counts(live, &lost, &moved);
	assert_int_equal(lost, 7);
	norm_live_destroy(live);
}

static void next_loss(struct lane_live *live, int32_t cpu, uint64_t count, uint64_t begin_ns,
		      uint64_t end_ns)
{
	const struct lane_event *event;

	assert_null(norm_live_next(live, UINT64_MAX, &event));
	assert_non_null(event);
	assert_int_equal(event->wire.kind, LANE_LOST);
	assert_int_equal(event->u.gpulane_lost.lost_cpu, cpu);
	assert_int_equal(event->u.gpulane_lost.count, count);
	assert_int_equal(event->u.gpulane_lost.begin_ns, begin_ns);
	assert_int_equal(event->u.gpulane_lost.end_ns, end_ns);
}

/* A loss is what a CPU has lost since its last look; the first one goes back to the beginning. */
TEST(losses_are_differences)
{
	struct lane_live *live = make();
	uint64_t lost, moved;

	assert_null(norm_live_lost(live, 1, 5, 400));
	assert_null(norm_live_lost(live, 0, 2, 450));
	assert_null(norm_live_lost(live, 1, 5, 500));
	assert_null(norm_live_lost(live, 1, 8, 600));
	assert_null(norm_live_lost(live, 0, 3, 700));
	next_loss(live, 1, 5, 10, 400);
	next_loss(live, 0, 2, 10, 450);
	next_loss(live, 1, 3, 500, 600);
	next_loss(live, 0, 1, 450, 700);
	norm_live_counts(live, &lost, &moved);
	assert_int_equal(lost, 11);
	assert_int_equal(moved, 0);
	norm_live_destroy(live);
}

/* More than the limit does not wait for its time. */
TEST(bounded)
{
	struct lane_live *live = make();
	const struct lane_event *event;
	uint32_t n = LANE_LIVE_BYTES / sizeof(struct lane_wire);
	uint32_t out = 0;

	for (uint32_t i = 0; i < n; i++)
		put(live, 0, 1000 + i, i + 1);
	for (;;) {
		assert_null(norm_live_next(live, 0, &event));
		if (!event)
			break;
		assert_int_equal(event->u.rq.seqno, ++out);
	}
	assert_true(out > 0);
	norm_live_destroy(live);
}

/* A window over one client's requests on one engine. */
struct world {
	struct lane_client client;
	struct lane_context context;
	struct lane_engine engine;
	struct lane_request rq;
	struct lane_trace_info info;
	struct lane_window window;
	struct lane_hooks hooks;
};

static void world_init(struct world *w)
{
	*w = (struct world){ .client.pid = 1 };
	w->context.client = &w->client;
	w->rq.context = &w->context;
	w->rq.engine = &w->engine;
	latency_window_init(&w->window, &w->info, 2000);
	w->hooks = latency_window_hooks(&w->window);
}

/* A run of 100 to 150 ns every 300 ns; what runs now counts up to now, whatever is told of it
 * later. */
TEST(window_slides)
{
	struct world w;

	world_init(&w);
	assert_null(latency_window_advance(&w.window, 3000, 0));
	for (uint64_t at = 3000; at < 9000; at += 300) {
		struct lane_run run = { .engine = &w.engine,
					.request = &w.rq,
					.begin = { at, at },
					.end = { at + 100, at + 150 } };

		assert_null(latency_window_advance(&w.window, at, 1));
		w.rq.state = LANE_RQ_STATE_RUNNING;
		w.hooks.state(&w.window, &w.rq, LANE_RQ_STATE_DEVICE, at);
		assert_null(latency_window_advance(&w.window, at + 200, 0)); /* told late */
		w.hooks.run(&w.window, &run);
		w.rq.state = LANE_RQ_STATE_ENDED;
		w.hooks.state(&w.window, &w.rq, LANE_RQ_STATE_RUNNING, at + 100);
	}
	assert_null(latency_window_advance(&w.window, 9000, 0));
	/* The parts are 100 ns: the window begins at 7100, runs are in it from 7200 on. */
	assert_int_equal(latency_window_covers(&w.window), 9000 - 7100);
	assert_int_equal(w.window.engines[0].busy_ns.sum, 6 * 100);
	assert_int_equal(w.window.clients[0].gpu_ns.sum, 6 * 100);
	assert_int_equal(w.window.engines[0].unsure_ns.sum, 6 * 50);
	assert_int_equal(w.window.clients[0].unsure_ns.sum, 6 * 50);
	assert_int_equal(w.window.engines[0].runs.sum, 6);
	assert_null(latency_window_advance(&w.window, 20000, 0));
	assert_int_equal(w.window.engines[0].busy_ns.sum, 0);
	assert_int_equal(w.window.engines[0].unsure_ns.sum, 0);
	assert_int_equal(w.window.engines[0].runs.sum, 0);
	assert_int_equal(w.window.clients[0].gpu_ns.sum, 0);
	assert_int_equal(w.window.clients[0].unsure_ns.sum, 0);
	latency_window_deinit(&w.window);
}

/* What is told ahead of the time counts from now on, for as long as anything of now. */
TEST(window_is_told_ahead)
{
	struct world w;
	struct lane_run run;

	world_init(&w);
	run = (struct lane_run){ .engine = &w.engine,
				 .request = &w.rq,
				 .begin = { 3000, 3000 },
				 .end = { 3150, 3150 } };
	assert_null(latency_window_advance(&w.window, 3050, 0));
	w.hooks.run(&w.window, &run);
	assert_int_equal(w.window.engines[0].runs.sum, 1);
	assert_null(latency_window_advance(&w.window, 3250, 0));
	assert_int_equal(w.window.engines[0].runs.sum, 1);
	assert_null(latency_window_advance(&w.window, 4999, 0));
	assert_int_equal(w.window.engines[0].runs.sum, 1);
	assert_null(latency_window_advance(&w.window, 5000, 0));
	assert_int_equal(w.window.engines[0].runs.sum, 0);
	latency_window_deinit(&w.window);
}

/* Runs known within bounds may overlap: an engine's time, and its clients', is counted once. */
TEST(window_counts_once)
{
	struct world w;

	world_init(&w);
	assert_null(latency_window_advance(&w.window, 3000, 0));
	assert_null(latency_window_advance(&w.window, 4000, 1));
	for (uint64_t at = 3000; at < 3500; at += 100) {
		struct lane_run run = { .engine = &w.engine,
					.request = &w.rq,
					.begin = { 3000, at + 100 },
					.end = { at + 100, at + 100 } };

		w.hooks.run(&w.window, &run);
	}
	assert_int_equal(w.window.engines[0].busy_ns.sum, 500);
	assert_int_equal(w.window.clients[0].gpu_ns.sum, 500);
	assert_int_equal(w.window.engines[0].runs.sum, 5);
	latency_window_deinit(&w.window);
}

/* Two requests wait for 500 ns, one of them for 300 ns more. */
TEST(window_counts_waiting)
{
	struct world w;

	world_init(&w);
	assert_null(latency_window_advance(&w.window, 10000, 0));
	w.rq.state = LANE_RQ_STATE_HOST;
	w.hooks.state(&w.window, &w.rq, LANE_RQ_STATE_NEW, 10000);
	w.hooks.state(&w.window, &w.rq, LANE_RQ_STATE_NEW, 10000);
	assert_null(latency_window_advance(&w.window, 10500, 0));
	w.rq.state = LANE_RQ_STATE_RUNNING;
	w.hooks.state(&w.window, &w.rq, LANE_RQ_STATE_DEVICE, 10500);
	assert_null(latency_window_advance(&w.window, 10800, 0));
	assert_int_equal(w.window.clients[0].wait_ns.sum, 2 * 500 + 300);
	assert_int_equal(w.window.clients[0].gpu_ns.sum, 300);
	latency_window_deinit(&w.window);
}
