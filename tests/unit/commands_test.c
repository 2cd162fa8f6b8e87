// SPDX-License-Identifier: MIT
// OpenCL commands: random programs on a driver that batches, splits and submits from threads of its
// own. What is called exact is what happened; every time is inside its bounds; stages add up.
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "latency/latency.h"

enum {
	PID = 100,
	DRIVER = 150, /* the driver's thread */
	TOLD = 160,   /* the thread in which completions are told */
	MAX_COMMANDS = 400,
	MAX_EVENTS = 40000,
	QUEUES = 3,
};

/* How a queue's driver hands commands over. */
enum way {
	IMMEDIATE, /* a request in each call */
	SPLIT,	   /* two or three requests in each call */
	BATCHED,   /* one request for what has gathered, in a flush or in the call that fills it */
	THREAD,	   /* a request for each command, by the driver's thread */
	USER_MODE, /* no requests */
	WAYS
};

struct command {
	uint64_t number, call_ns, start_ns, end_ns, queued_ns, duration_ns;
	uint32_t seqnos[4], n_seqnos;
	uint64_t ctx;
	enum way way;
	bool told;
};

struct queue {
	uint64_t handle, ctx, free_ns; /* its engine is free from then on */
	uint32_t seqno;
	enum way way;
	struct command *waiting[16];
	uint32_t n_waiting;
};

struct world {
	uint64_t random, now_ns;
	int64_t offset_ns, drift_ppb;
	struct queue queues[QUEUES];
	struct command commands[MAX_COMMANDS];
	uint32_t n_commands;
	struct lane_event *events;
	uint32_t n_events;
	bool times; /* the device's times are there */
	uint64_t last_start_ns;
	uint32_t exact[WAYS], ambiguous[WAYS], none[WAYS], wrong;
};

static uint64_t any(struct world *w, uint64_t below)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (w->random >> 20) % below;
}

static struct lane_event *event(struct world *w, uint64_t ts_ns, enum lane_kind kind, int32_t tid)
{
	struct lane_event *e = &w->events[w->n_events];

	assert_true(w->n_events < MAX_EVENTS);
	memset(e, 0, sizeof(*e));
	e->wire.ts_ns = ts_ns;
	e->wire.kind = kind;
	e->wire.tid = tid;
	e->wire.pid = tid >= PID ? PID : 0;
	e->cpu = tid % 4;
	e->host = w->n_events++;
	return e;
}

static void request_event(struct world *w, uint64_t ts_ns, enum lane_kind kind, int32_t tid,
			  const struct queue *q)
{
	struct lane_event *e = event(w, ts_ns, kind, tid);

	e->u.rq.ctx = q->ctx;
	e->u.rq.seqno = q->seqno;
	e->u.rq.class = (uint16_t)(q->ctx - 7);
}

/* A request that runs for that long; returns when it starts to run, *end_ns is its end. */
static uint64_t request(struct world *w, struct queue *q, int32_t tid, uint64_t made_ns,
			uint64_t running_ns, uint64_t *end_ns)
{
	uint64_t given_ns = made_ns + 30 + any(w, 2000), signal_ns;
	struct lane_event *e;

	q->seqno++;
	if (given_ns < q->free_ns)
		given_ns = q->free_ns;
	*end_ns = given_ns + 100 + running_ns;
	signal_ns = *end_ns + 500 + any(w, 8000);
	request_event(w, made_ns, LANE_RQ_QUEUE, tid, q);
	request_event(w, made_ns + 10, LANE_RQ_ADD, tid, q);
	request_event(w, made_ns + 20, LANE_RQ_SUBMIT, tid, q);
	request_event(w, given_ns, LANE_RQ_EXECUTE, 1, q);
	request_event(w, given_ns + 10, LANE_RQ_IN, 1, q);
	for (int i = 0; i < 2; i++) {
		e = event(w, i ? signal_ns : given_ns + 20,
			  i ? LANE_FENCE_SIGNALED : LANE_FENCE_ENABLE_SIGNAL, 1);
		e->u.fence.context = q->ctx;
		e->u.fence.seqno = q->seqno;
	}
	request_event(w, signal_ns + 20, LANE_RQ_OUT, 1, q);
	w->events[w->n_events - 1].u.i915_request_out.completed = 1;
	request_event(w, signal_ns + 5000, LANE_RQ_RETIRE, 1, q);
	q->free_ns = signal_ns + 50;
	return given_ns + 50;
}

static uint64_t device_ns(const struct world *w, uint64_t cpu_ns)
{
	__int128 scaled = (__int128)cpu_ns * (1000000000 + w->drift_ppb);

	return (uint64_t)(scaled / 1000000000 + w->offset_ns);
}

/* The program is told that a command is over. */
static void tell(struct world *w, const struct queue *q, struct command *c)
{
	struct lane_event *e = event(w, c->end_ns + 12000 + any(w, 20000), LANE_CL_COMMAND, TOLD);

	e->u.opencl_command.command = c->number;
	e->u.opencl_command.queue = q->handle;
	e->u.opencl_command.type = LANE_CLC_NDRANGE_KERNEL;
	if (!w->times)
		return;
	e->u.opencl_command.queued_ns = device_ns(w, c->queued_ns);
	e->u.opencl_command.submitted_ns = device_ns(w, c->queued_ns + 10);
	e->u.opencl_command.start_ns = device_ns(w, c->start_ns);
	e->u.opencl_command.end_ns = device_ns(w, c->end_ns);
}

/* All that waits goes into one request, one after the other. */
static void hand_over(struct world *w, struct queue *q, int32_t tid, uint64_t made_ns)
{
	uint64_t running_ns = 200, start_ns, end_ns;

	for (uint32_t i = 0; i < q->n_waiting; i++)
		running_ns += q->waiting[i]->duration_ns + 100;
	if (!q->n_waiting)
		return;
	start_ns = request(w, q, tid, made_ns, running_ns, &end_ns) + 100;
	for (uint32_t i = 0; i < q->n_waiting; i++) {
		struct command *c = q->waiting[i];

		c->start_ns = start_ns;
		c->end_ns = start_ns + c->duration_ns;
		start_ns = c->end_ns + 100;
		c->seqnos[c->n_seqnos++] = q->seqno;
		tell(w, q, c);
	}
	q->n_waiting = 0;
}

/* One command in two or three requests, half of it in each. */
static void split(struct world *w, struct queue *q, struct command *c, uint64_t made_ns)
{
	uint32_t parts = 2 + (uint32_t)any(w, 2);

	for (uint32_t i = 0; i < parts; i++) {
		uint64_t end_ns, start_ns;

		start_ns = request(w, q, PID, made_ns + 100 * i, c->duration_ns / parts, &end_ns);
		c->seqnos[c->n_seqnos++] = q->seqno;
		if (!i)
			c->start_ns = start_ns + 10;
		c->end_ns = end_ns - 10;
	}
	tell(w, q, c);
}

static void enqueue(struct world *w, struct queue *q)
{
	struct command *c = &w->commands[w->n_commands++];
	struct lane_event *e = event(w, w->now_ns, LANE_CL_ENTRY, PID);
	uint64_t inside_ns = w->now_ns + 1000;

	*c = (struct command){ .number = w->n_commands,
			       .call_ns = w->now_ns,
			       .queued_ns = w->now_ns + 500,
			       .duration_ns = 30000 + any(w, 300000),
			       .ctx = q->ctx,
			       .way = q->way };
	e->u.opencl_call_entry.queue = q->handle;
	e->u.opencl_call_entry.function = LANE_CLF_clEnqueueNDRangeKernel;
	switch (q->way) {
	case SPLIT:
		split(w, q, c, inside_ns);
		break;
	case USER_MODE:
		c->start_ns = inside_ns > q->free_ns ? inside_ns : q->free_ns;
		c->end_ns = q->free_ns = c->start_ns + c->duration_ns;
		tell(w, q, c);
		break;
	case THREAD:
		q->waiting[q->n_waiting++] = c;
		hand_over(w, q, DRIVER, w->now_ns + 5000 + any(w, 30000));
		break;
	default:
		q->waiting[q->n_waiting++] = c;
		if (q->way == IMMEDIATE || (q->n_waiting == 8 && q->way == BATCHED))
			hand_over(w, q, PID, inside_ns);
	}
	w->now_ns += 3000;
	e = event(w, w->now_ns, LANE_CL_EXIT, PID);
	e->u.opencl_call_exit.queue = q->handle;
	e->u.opencl_call_exit.function = LANE_CLF_clEnqueueNDRangeKernel;
	e->u.opencl_call_exit.command = c->number;
}

static void flush(struct world *w, struct queue *q)
{
	struct lane_event *e = event(w, w->now_ns, LANE_CL_ENTRY, PID);

	e->u.opencl_call_entry.queue = q->handle;
	e->u.opencl_call_entry.function = LANE_CLF_clFlush;
	hand_over(w, q, PID, w->now_ns + 500);
	w->now_ns += 2000;
	e = event(w, w->now_ns, LANE_CL_EXIT, PID);
	e->u.opencl_call_exit.queue = q->handle;
	e->u.opencl_call_exit.function = LANE_CLF_clFlush;
}

static struct world *make(uint64_t seed)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->events = calloc(MAX_EVENTS, sizeof(*w->events));
	assert_non_null(w->events);
	w->random = seed * 0x9e3779b97f4a7c15ull + 1;
	for (int i = 0; i < 10; i++)
		any(w, 2);
	w->now_ns = 5000000000 + any(w, 1000000000);
	w->offset_ns = seed % 3 ? (int64_t)any(w, 1000000000000000) : 0;
	w->drift_ppb = seed % 3 ? (int64_t)any(w, 200000) - 100000 : 0;
	w->times = seed % 5 != 0;
	for (uint32_t i = 0; i < QUEUES; i++) {
		struct lane_event *e = event(w, w->now_ns, LANE_CL_QUEUE, PID);

		w->queues[i] = (struct queue){ .handle = 0x1000 + i,
					       .ctx = 7 + i,
					       .way = (enum way)any(w, WAYS) };
		e->u.opencl_queue.queue = w->queues[i].handle;
		e->u.opencl_queue.device = 0xd0 + i;
		snprintf(e->u.opencl_queue.name, sizeof(e->u.opencl_queue.name), "GPU");
	}
	for (int op = 0; op < 150; op++) {
		struct queue *q = &w->queues[any(w, QUEUES)];

		w->now_ns += 1000 + any(w, any(w, 10) ? 50000 : 2000000);
		if (any(w, 4))
			enqueue(w, q);
		else
			flush(w, q);
	}
	for (uint32_t i = 0; i < QUEUES; i++)
		flush(w, &w->queues[i]);
	return w;
}

static int by_time(const void *x, const void *y)
{
	const struct lane_event *a = x, *b = y;

	if (a->wire.ts_ns != b->wire.ts_ns)
		return a->wire.ts_ns < b->wire.ts_ns ? -1 : 1;
	return (a->host > b->host) - (a->host < b->host);
}

/* The requests named are all of those that carried it. */
static bool is_truth(const struct command *c, const struct lane_command *told)
{
	if (told->n_requests != c->n_seqnos)
		return false;
	for (uint32_t i = 0; i < c->n_seqnos; i++)
		if (told->requests[i].ctx != c->ctx || told->requests[i].seqno != c->seqnos[i])
			return false;
	return true;
}

static void expect_inside(const struct lane_command *told, enum lane_command_time which,
			  uint64_t true_ns)
{
	assert_true(told->time[which].lo <= true_ns && true_ns <= told->time[which].hi);
	assert_between(told->time_ns[which], told->time[which].lo, told->time[which].hi);
}

static void on_command(void *arg, const struct lane_command *told)
{
	struct world *w = arg;
	struct lane_command_stages stages;
	struct command *c;
	uint64_t sum_ns = 0;

	assert_between(told->number, 1, w->n_commands);
	c = &w->commands[told->number - 1];
	assert_false(c->told);
	c->told = true;
	assert_int_equal(told->call_ns, c->call_ns);
	assert_int_equal(told->timed, w->times);
	if (told->certainty == LANE_CERTAIN_EXACT) {
		w->exact[c->way]++;
		w->wrong += !is_truth(c, told);
	} else if (told->certainty == LANE_CERTAIN_AMBIGUOUS) {
		w->ambiguous[c->way]++;
	} else {
		w->none[c->way]++;
		w->wrong += c->n_seqnos > 0;
	}
	latency_command_stages_of(told, &stages);
	assert_int_equal(stages.known, w->times);
	if (!w->times)
		return;
	expect_inside(told, LANE_COMMAND_QUEUED, c->queued_ns);
	expect_inside(told, LANE_COMMAND_START, c->start_ns);
	expect_inside(told, LANE_COMMAND_END, c->end_ns);
	for (int i = 0; i < LANE_CSTAGE_COUNT; i++) {
		assert_true(stages.at_ns[i] <= stages.at_ns[i + 1]);
		sum_ns += stages.ns[i];
	}
	assert_int_equal(sum_ns, told->known_ns - told->call_ns);
}

static void run(struct world *w, uint32_t drop)
{
	struct lane_hooks hooks = { .arg = w, .command = on_command };
	struct lane_trace_info info = { .submission = LANE_SUBMISSION_EXECLISTS };
	struct lane_timeline *timeline;

	memset(info.presence, LANE_PRESENCE_RECORDED, sizeof(info.presence));
	qsort(w->events, w->n_events, sizeof(*w->events), by_time);
	assert_null(timeline_create(&info, NULL, 0, &hooks, &timeline));
	for (uint32_t i = 0; i < w->n_events; i++)
		if (!drop || i % drop || w->events[i].wire.kind > LANE_RQ_WAIT_END)
			assert_null(timeline_push(timeline, &w->events[i]));
	assert_null(timeline_finish(timeline, false));
	timeline_destroy(timeline);
	for (uint32_t i = 0; i < w->n_commands; i++)
		assert_true(w->commands[i].told);
}

TEST(test_random)
{
	static const char *const names[WAYS] = { "immediate", "split", "batched", "thread",
						 "user mode" };
	uint32_t exact[WAYS] = { 0 }, ambiguous[WAYS] = { 0 }, none[WAYS] = { 0 };
	uint32_t timed_all[WAYS] = { 0 }, timed_exact[WAYS] = { 0 };

	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct world *w = make(seed);

		run(w, 0);
		if (w->wrong)
			fail_msg("seed %llu: %u commands are tied to the wrong requests",
				 (unsigned long long)seed, w->wrong);
		for (int way = 0; way < WAYS; way++) {
			exact[way] += w->exact[way];
			ambiguous[way] += w->ambiguous[way];
			none[way] += w->none[way];
			timed_exact[way] += w->times ? w->exact[way] : 0;
			timed_all[way] +=
				w->times ? w->exact[way] + w->ambiguous[way] + w->none[way] : 0;
		}
		free(w->events);
		free(w);
	}
	for (int way = 0; way < WAYS; way++)
		print_message("%-10s %6u exact %6u ambiguous %6u none\n", names[way], exact[way],
			      ambiguous[way], none[way]);
	/* In the call, or in one request of a flush, there is nothing to doubt. */
	assert_int_equal(ambiguous[IMMEDIATE] + none[IMMEDIATE], 0);
	assert_int_equal(ambiguous[SPLIT] + none[SPLIT], 0);
	assert_int_equal(exact[USER_MODE], 0);
	/* Elsewhere the times decide, and once it is known whose a context is. */
	assert_true(timed_exact[BATCHED] * 100 >= timed_all[BATCHED] * 95);
	assert_true(timed_exact[THREAD] * 100 >= timed_all[THREAD] * 45);
}

/* Every command is told once whatever is missing of its requests, and its times stay inside. */
TEST(test_missing)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct world *w = make(seed);

		run(w, 3 + (uint32_t)(seed % 5));
		free(w->events);
		free(w);
	}
}
