// SPDX-License-Identifier: MIT
// What a trace may hold at once (docs/analysis.md, Memory): at each limit reading ends with an
// error, or the oldest are told without; and a long trace takes no more memory than a short one.
#include <malloc.h>
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "latency/latency.h"

#ifdef __SANITIZE_ADDRESS__
/* Of <sanitizer/allocator_interface.h>, which not every compiler comes with. */
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

enum {
	LOOK_EVERY = 1u << 14, /* events between two looks at the memory */
	SHORT = 400000,	       /* all tables are full by then */
	LATER = 1000000,       /* that of threads which nobody sees exit */
	LONG = 3000000,
};

/* A trace in the making, with the figures that `gpulane report` collects. */
struct load {
	struct lane_trace_info info;
	struct lane_timeline *timeline;
	struct lane_latency latency;
	struct lane_hooks adds_up; /* the latency's own */
	struct lane_error *error;  /* of the first event that was refused */
	uint64_t now_ns, events;
	uint64_t told, unended, unretired; /* requests */
	uint64_t out_of_order;		   /* told, though one with a greater seqno had been */
	struct lane_request last;	   /* told */
	uint64_t behind_item_ns;	   /* a job waited so long for its worker's item before */
	size_t before, peak;		   /* bytes allocated */
};

static size_t allocated(void)
{
#ifdef __SANITIZE_ADDRESS__
	return __sanitizer_get_current_allocated_bytes();
#else
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
#endif
}

static void told(void *arg, const struct lane_request *rq)
{
	struct load *l = arg;

	l->out_of_order += l->told && rq->context == l->last.context && rq->seqno < l->last.seqno;
	l->told++;
	l->unended += (rq->doubt & LANE_DOUBT_END) != 0;
	l->unretired += !(rq->seen & LANE_SEEN_RETIRE);
	l->last = *rq;
	if (rq->actors)
		l->behind_item_ns += rq->actors[LANE_ACTOR_ITEM].ns;
	l->adds_up.request(l->adds_up.arg, rq);
}

/* What shows that a request is over is recorded, or not. */
static void begin_recorded(struct load *l, enum lane_presence ends)
{
	static const struct lane_select everything;
	struct lane_hooks hooks;

	memset(l, 0, sizeof(*l));
	l->before = allocated();
	l->info.submission = LANE_SUBMISSION_EXECLISTS;
	memset(l->info.presence, LANE_PRESENCE_RECORDED, sizeof(l->info.presence));
	l->info.presence[LANE_RQ_RETIRE] = l->info.presence[LANE_RQ_OUT] =
		l->info.presence[LANE_FENCE_SIGNALED] = (uint8_t)ends;
	assert_null(latency_init(&l->latency, &l->info, &everything));
	l->adds_up = latency_hooks(&l->latency);
	/* The request's hook is this test's, with the latency's behind it; the others take no part.
	 */
	hooks = (struct lane_hooks){ .arg = l, .request = told };
	assert_null(timeline_create(&l->info, NULL, 0, &hooks, &l->timeline));
}

static void begin(struct load *l)
{
	begin_recorded(l, LANE_PRESENCE_RECORDED);
}

static struct lane_timeline_figures figures(const struct load *l)
{
	struct lane_timeline_figures f;

	timeline_figures(l->timeline, &f);
	return f;
}

static void look(struct load *l)
{
	size_t now = allocated();

	if (now - l->before > l->peak)
		l->peak = now - l->before;
}

static void push(struct load *l, struct lane_event *event)
{
	if (l->error)
		return;
	event->wire.ts_ns = l->now_ns += 10;
	l->error = timeline_push(l->timeline, event);
	if (++l->events % LOOK_EVERY == 0)
		look(l);
}

static void request_by(struct load *l, enum lane_kind kind, uint64_t ctx, uint32_t seqno,
		       int32_t tid, uint16_t instance)
{
	struct lane_event event = { .wire = { .kind = kind, .tid = tid, .pid = tid } };

	event.u.rq.ctx = ctx;
	event.u.rq.seqno = seqno;
	event.u.rq.instance = instance;
	if (kind == LANE_RQ_OUT)
		event.u.i915_request_out.completed = 1;
	push(l, &event);
}

static void request(struct load *l, enum lane_kind kind, uint64_t ctx, uint32_t seqno)
{
	request_by(l, kind, ctx, seqno, 100, 0);
}

static void signaled(struct load *l, uint64_t ctx, uint32_t seqno)
{
	struct lane_event event = { .wire = { .kind = LANE_FENCE_SIGNALED } };

	event.u.fence.context = ctx;
	event.u.fence.seqno = seqno;
	push(l, &event);
}

/* A request from add to its end; its retiring is not seen. */
static void ended(struct load *l, uint64_t ctx, uint32_t seqno)
{
	request(l, LANE_RQ_ADD, ctx, seqno);
	request(l, LANE_RQ_SUBMIT, ctx, seqno);
	request(l, LANE_RQ_EXECUTE, ctx, seqno);
	request(l, LANE_RQ_IN, ctx, seqno);
	request(l, LANE_RQ_OUT, ctx, seqno);
	signaled(l, ctx, seqno);
}

static void whole(struct load *l, uint64_t ctx, uint32_t seqno)
{
	ended(l, ctx, seqno);
	request(l, LANE_RQ_RETIRE, ctx, seqno);
}

static void switches(struct load *l, int32_t prev, int64_t state, int32_t next)
{
	struct lane_event event = { .wire = { .kind = LANE_SWITCH, .tid = prev, .pid = 100 } };

	event.u.sched_switch.prev_tid = prev;
	event.u.sched_switch.prev_state = state;
	event.u.sched_switch.next_tid = next;
	push(l, &event);
}

static void forks(struct load *l, int32_t tid)
{
	struct lane_event event = { .wire = { .kind = LANE_FORK, .tid = 1, .pid = 1 } };

	event.u.sched_process_fork.child_tid = tid;
	event.u.sched_process_fork.child_pid = tid;
	push(l, &event);
}

static void exits(struct load *l, int32_t tid)
{
	struct lane_event event = { .wire = { .kind = LANE_EXIT, .tid = tid, .pid = tid } };

	event.u.sched_process_exit.tid = tid;
	push(l, &event);
}

/* Ends the trace, as a reader does that has met an error, too. */
static void end(struct load *l)
{
	look(l);
	assert_null(timeline_finish(l->timeline, false));
	assert_null(latency_finish(&l->latency, l->timeline));
	assert_int_equal(l->told, l->latency.requests.complete + l->latency.requests.partial +
					  l->latency.requests.unknown);
	latency_deinit(&l->latency);
	timeline_destroy(l->timeline);
	lane_error_free(l->error);
}

/* The trace is refused, in one line that says what there is too much of; what came before is told.
 */
static void ends_with(struct load *l, const char *what, uint64_t requests)
{
	char text[128];

	assert_non_null(l->error);
	assert_int_equal(lane_error_code(l->error), LANE_ERROR_FAILED);
	snprintf(text, sizeof(text), "more %s than any machine", what);
	assert_non_null(strstr(lane_error_message(l->error), text));
	assert_null(strchr(lane_error_message(l->error), '\n'));
	end(l);
	assert_int_equal(l->told, requests);
}

TEST(open_requests)
{
	struct load l;
	uint32_t n = 0;

	begin(&l);
	whole(&l, 1, 1);
	for (; !l.error && n < 1u << 20; n++)
		request(&l, LANE_RQ_ADD, 2 + n % 100, 1 + n / 100);
	assert_int_equal(n, (1u << 18) + 1);
	ends_with(&l, "open requests", 1u << 18 | 1);
}

TEST(contexts)
{
	struct load l;
	uint32_t n = 0;

	begin(&l);
	for (; !l.error && n < 1u << 20; n++)
		whole(&l, 1 + n, 1);
	assert_int_equal(n, (1u << 18) + 1);
	ends_with(&l, "contexts", 1u << 18);
	assert_true(l.peak < 128u << 20);
}

TEST(engines)
{
	struct load l;
	uint32_t n = 0;

	begin(&l);
	for (; !l.error && n < 1u << 20; n++)
		request_by(&l, LANE_RQ_ADD, 1, 1 + n, 100, (uint16_t)n);
	assert_int_equal(n, (1u << 10) + 1);
	ends_with(&l, "engines", 1025);
}

TEST(processes)
{
	struct load l;
	int32_t n = 0;

	begin(&l);
	for (; !l.error && n < 1 << 20; n++)
		request_by(&l, LANE_RQ_ADD, (uint64_t)n + 1, 1, n / 3 * 3 + 1, 0);
	/* three contexts a process; one "process" is that which is not known */
	assert_int_equal(n, 3 * 65535 + 1);
	ends_with(&l, "processes with contexts", 3 * 65535 + 1);
}

/* Threads of a process with contexts, none of which ends: none can be forgotten. */
TEST(threads)
{
	struct load l;
	int32_t n = 1;

	begin(&l);
	whole(&l, 1, 1);
	for (; !l.error && n < 1 << 20; n++)
		switches(&l, n, 1, n + 1);
	assert_between(n, (1 << 19) - 2, (1 << 19) + 2);
	ends_with(&l, "threads", 1);
}

TEST(waiting_threads)
{
	struct load l;
	int32_t n = 1;

	begin(&l);
	switches(&l, 0, 0, 1);
	for (; !l.error && n < 1 << 20; n++)
		request_by(&l, LANE_RQ_WAIT_BEGIN, 1, 1, n, 0);
	assert_int_equal(n - 1, (1 << 15) + 1);
	ends_with(&l, "threads that submit or wait", 1);
}

/* Where a thread is never seen to run, it is forgotten when it does not wait any more. */
TEST(submitters_without_switches)
{
	struct load l;

	begin(&l);
	for (int32_t n = 1; n < 100000; n++)
		request_by(&l, LANE_RQ_ADD, 1, (uint32_t)n, n % 60000 + 1, 0);
	assert_null(l.error);
	end(&l);
	assert_int_equal(l.told, 99999);
}

/* 4096 of a context wait for their retire, 256 where none has ever been seen. */
static void work(struct load *l, enum lane_kind kind, uint64_t item)
{
	struct lane_event event = { .wire = { .kind = kind, .tid = 90, .pid = 90, .origin = 0 } };

	event.u.workqueue_queue_work.work = item;
	push(l, &event);
}

static void job(struct load *l, enum lane_kind kind, int32_t tid)
{
	struct lane_event event = { .wire = { .kind = kind, .tid = tid, .pid = tid } };

	event.u.drm_sched_job_run.fence_context = 50;
	event.u.drm_sched_job_run.fence_seqno = 1;
	if (kind != LANE_DRM_DONE) {
		strcpy(event.u.drm_sched_job_run.name, "gfx");
		strcpy(event.u.drm_sched_job_run.dev, "card");
	}
	push(l, &event);
}

/* No event tells that a work item is cancelled. However many were, a job's item is known. */
TEST(cancelled_work_items)
{
	struct load l;

	begin(&l);
	for (uint64_t n = 0; n < 5000; n++)
		work(&l, LANE_WORK_QUEUE, 0x10000 + n);
	work(&l, LANE_WORK_START, 1);
	job(&l, LANE_DRM_QUEUE, 200);
	work(&l, LANE_WORK_QUEUE, 2);
	l.now_ns += 100000;
	work(&l, LANE_WORK_END, 1);
	work(&l, LANE_WORK_START, 2);
	job(&l, LANE_DRM_RUN, 90);
	job(&l, LANE_DRM_DONE, 0);
	assert_null(l.error);
	end(&l);
	assert_int_equal(l.behind_item_ns, 100010);
	assert_true(l.peak < 1u << 20);
}

TEST(unretired)
{
	struct load l;

	begin(&l);
	for (uint32_t n = 1; n <= 10000; n++) {
		ended(&l, 1, n);
		assert_int_equal(l.told, n > 256 ? n - 256 : 0);
	}
	request(&l, LANE_RQ_RETIRE, 1, 10000);
	assert_int_equal(l.told, 10000);
	assert_int_equal(l.unretired, 9999);
	for (uint32_t n = 10001; n <= 20000; n++)
		ended(&l, 1, n);
	assert_int_equal(l.told, 20000 - 4096);
	assert_int_equal(l.last.seqno, 20000 - 4096);
	assert_int_equal(l.last.end.lo, l.last.end.hi);
	assert_int_equal(figures(&l).max_open_requests, 4097);
	/* What comes of them then comes too late, and is no contradiction; a second add is one. */
	request(&l, LANE_RQ_RETIRE, 1, 15000);
	request(&l, LANE_RQ_WAIT_BEGIN, 1, 15000);
	request(&l, LANE_RQ_WAIT_END, 1, 15000);
	assert_int_equal(figures(&l).contradictions, 0);
	request(&l, LANE_RQ_ADD, 1, 15000);
	assert_int_equal(figures(&l).contradictions, 1);
	assert_null(l.error);
	end(&l);
	assert_int_equal(l.told, 20000);
	assert_int_equal(l.unended, 0);
	assert_int_equal(l.out_of_order, 0);
}

/* No ring holds more than 4096 requests: the oldest are over, and nothing tells when they ended. */
TEST(unended)
{
	struct lane_stages stages;
	struct load l;

	begin(&l);
	whole(&l, 2, 1);
	for (uint32_t n = 1; n <= 10000; n++) {
		request(&l, LANE_RQ_ADD, 1, n);
		request(&l, LANE_RQ_SUBMIT, 1, n);
		if (n < 5000)
			request(&l, LANE_RQ_EXECUTE, 1, n);
	}
	assert_int_equal(l.told, 1 + 10000 - 4096);
	assert_int_equal(l.unended, 10000 - 4096);
	latency_stages_of(&l.info, &l.last, &stages);
	assert_int_equal(stages.known, 1u << LANE_STAGE_DEPENDENCY);
	assert_false(stages.total_known);
	assert_null(l.error);
	end(&l);
	assert_int_equal(l.told, 10001);
}

/* A recording begins with more requests than wait where nothing shows an end: they are kept for it.
 */
TEST(many_before_an_end)
{
	struct load l;

	begin(&l);
	for (uint32_t n = 1; n <= 4000; n++) {
		request(&l, LANE_RQ_ADD, 1, n);
		request(&l, LANE_RQ_SUBMIT, 1, n);
	}
	assert_int_equal(l.told, 0);
	for (uint32_t n = 1; n <= 4000; n++) {
		request(&l, LANE_RQ_EXECUTE, 1, n);
		request(&l, LANE_RQ_RETIRE, 1, n);
	}
	assert_int_equal(figures(&l).contradictions, 0);
	assert_null(l.error);
	end(&l);
	assert_int_equal(l.told, 4000);
	assert_int_equal(l.unended, 0);
}

/* More `in`s than an engine has ports, and no `out`: that cannot be, and takes no memory. */
TEST(fifo)
{
	struct load l;

	begin(&l);
	request(&l, LANE_RQ_ADD, 1, 1);
	request(&l, LANE_RQ_EXECUTE, 1, 1);
	for (uint32_t n = 0; n < 1u << 18; n++)
		request(&l, LANE_RQ_IN, 1, 1);
	assert_null(l.error);
	assert_between(figures(&l).contradictions, 1, (1u << 18) / 16);
	end(&l);
}

static uint32_t random32(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (uint32_t)(x >> 16);
}

/* A context's requests in any order: few steps each, and what is out of reach is counted. */
TEST(descending)
{
	struct load l;

	begin(&l);
	for (uint32_t n = 0; n < SHORT; n++)
		request(&l, LANE_RQ_ADD, 1, SHORT - n);
	assert_null(l.error);
	assert_int_equal(figures(&l).open_requests, 4096);
	assert_int_equal(figures(&l).contradictions, SHORT - 4096);
	end(&l);
	assert_int_equal(l.told, 4096);
	assert_int_equal(l.out_of_order, 0);
}

TEST(at_random)
{
	struct load l;
	uint64_t refused;

	begin(&l);
	whole(&l, 2, 1);
	for (uint32_t n = 0; n < SHORT; n++)
		request(&l, LANE_RQ_ADD, 1, 1 + (random32() & 0xffffff));
	assert_null(l.error);
	refused = figures(&l).contradictions;
	assert_between(refused, SHORT / 2, SHORT);
	end(&l);
	/* those that had been met before are neither */
	assert_between(l.told + refused, SHORT - 1000, SHORT + 1);
	assert_int_equal(l.out_of_order, 0);
	assert_true(l.peak < 16u << 20);
}

/* A walk up, each at random among the next 4096: the list is as long as it gets all the time. */
TEST(shuffled)
{
	struct load l;

	begin(&l);
	whole(&l, 2, 1);
	for (uint32_t n = 0; n < SHORT; n++)
		request(&l, LANE_RQ_ADD, 1, 1 + n + (random32() & 0xfff));
	assert_null(l.error);
	assert_between(figures(&l).contradictions, 1, SHORT);
	end(&l);
	assert_int_equal(l.out_of_order, 0);
}

/* Within reach every one has its place: blocks backwards, and those in flight when a trace begins.
 */
TEST(within_reach)
{
	struct load l;

	begin(&l);
	whole(&l, 2, 1);
	for (uint32_t n = 0; n < 4096; n++)
		request(&l, LANE_RQ_ADD, 1, 10000 + (n ^ 0xff));
	for (uint32_t n = 0; n < 200; n++)
		request(&l, LANE_RQ_EXECUTE, 3, 5000 + n);
	for (uint32_t n = 0; n < 200; n++)
		request(&l, LANE_RQ_EXECUTE, 3, 4000 + n);
	request(&l, LANE_RQ_ADD, 1, 10000); /* the driver is through with its dequeue */
	assert_int_equal(figures(&l).contradictions, 0);
	assert_int_equal(figures(&l).open_requests, 4096 + 400);
	assert_null(l.error);
	end(&l);
	assert_int_equal(l.told, 1 + 4096 + 400);
	assert_int_equal(l.out_of_order, 0);
}

static void story_of_no_end(struct load *l, uint32_t n)
{
	request(l, LANE_RQ_ADD, 1 + n % 3, n);
	request(l, LANE_RQ_SUBMIT, 1 + n % 3, n);
	request(l, LANE_RQ_EXECUTE, 1 + n % 3, n);
}

static void story_of_no_retire(struct load *l, uint32_t n)
{
	ended(l, 1 + n % 50, n);
}

static void story_of_whole(struct load *l, uint32_t n)
{
	whole(l, 1 + n % 50, n);
}

static void story_of_other_contexts(struct load *l, uint32_t n)
{
	whole(l, 1 + n * 7919u % 20000, n);
}

/* Threads that fork, run and exit, or are only seen to leave for good, or only to fork, some to
 * exit. */
static void story_of_exits(struct load *l, uint32_t n)
{
	int32_t tid = (int32_t)(n + 1);

	forks(l, tid);
	switches(l, 0, 0, tid);
	request_by(l, LANE_RQ_WAIT_BEGIN, 1, 1, tid, 0);
	exits(l, tid);
	switches(l, tid, 16, 0);
}

static void story_of_dead(struct load *l, uint32_t n)
{
	switches(l, (int32_t)(n + 1), 32, (int32_t)(n + 2));
}

static void story_of_unseen_exits(struct load *l, uint32_t n)
{
	forks(l, (int32_t)(n + 1));
	if (n % 2)
		exits(l, (int32_t)(n + 1));
}

static void story_of_waiters(struct load *l, uint32_t n)
{
	request_by(l, LANE_RQ_WAIT_BEGIN, 1, 1, (int32_t)(1 + n % 20000), 0);
}

static void lost(struct load *l, uint64_t begin_ns, uint64_t end_ns)
{
	struct lane_event event = { .wire = { .kind = LANE_LOST } };

	event.u.gpulane_lost.begin_ns = begin_ns;
	event.u.gpulane_lost.end_ns = end_ns;
	event.u.gpulane_lost.count = 1;
	push(l, &event);
}

static void story_of_losses(struct load *l, uint32_t n)
{
	(void)n;
	lost(l, l->now_ns + 5, l->now_ns + 10);
}

/* Of too many losses the ones closest to each other are taken together. */
TEST(bursts_of_losses)
{
	const struct lane_loss *losses;
	struct load l;
	uint64_t sum = 0;
	size_t n;

	begin(&l);
	for (uint32_t burst = 0; burst < 50; burst++) {
		for (uint32_t i = 0; i < 1000; i++)
			story_of_losses(&l, i);
		l.now_ns += 1000000;
	}
	assert_null(l.error);
	losses = timeline_losses(l.timeline, &n);
	assert_between(n, 50, 1 << 14);
	for (size_t i = 0; i < n; i++) {
		assert_true(losses[i].end_ns - losses[i].begin_ns < 1000000);
		assert_true(!i || losses[i].begin_ns > losses[i - 1].end_ns);
		sum += losses[i].count;
	}
	assert_int_equal(sum, 50000);
	assert_int_equal(figures(&l).lost, 50000);
	end(&l);
}

/* Foreseen, the last first, and then met: each when it is passed. */
TEST(foreseen_losses)
{
	enum {
		MANY = 40000
	};
	struct lane_loss *foreseen = calloc(MANY, sizeof(*foreseen));
	struct lane_hooks none = { 0 };
	struct load l = { 0 };
	size_t n;

	assert_non_null(foreseen);
	memset(l.info.presence, LANE_PRESENCE_RECORDED, sizeof(l.info.presence));
	for (uint32_t i = 0; i < MANY; i++)
		foreseen[i] = (struct lane_loss){ .begin_ns = 100 * (uint64_t)(i + 1),
						  .end_ns = 100 * (uint64_t)(i + 1) + 50,
						  .count = 1 };
	assert_null(timeline_create(&l.info, foreseen, MANY, &none, &l.timeline));
	for (uint32_t i = 0; i < MANY; i++) {
		l.now_ns = 100 * (uint64_t)(i + 1) + 50;
		request(&l, LANE_RQ_ADD, 1, i + 1);
		lost(&l, foreseen[i].begin_ns, foreseen[i].end_ns);
	}
	assert_null(l.error);
	assert_false(figures(&l).loss_unforeseen);
	assert_int_equal(figures(&l).lost, MANY);
	timeline_losses(l.timeline, &n);
	assert_between(n, 1, 1 << 14);
	assert_null(timeline_finish(l.timeline, false));
	timeline_destroy(l.timeline);
	free(foreseen);
}

static void told_idle(void *arg, const struct lane_idle *idle)
{
	struct lane_idle *last = arg;

	*last = *idle;
}

/*
 * What no report shows, since it knows of losses beforehand, but who reads live is told. The last
 * run of the tasklet is cut off, by a loss or by the recording's end: from its dequeue on the
 * engine is not certainly idle, and why it was until then is not known. A loss may hide more of
 * that run.
 */
TEST(run_that_is_cut_off)
{
	for (int is_lost = 0; is_lost < 2; is_lost++) {
		struct lane_loss foreseen = { .begin_ns = 152, .end_ns = 155, .count = 1 };
		struct lane_idle idle = { 0 };
		struct lane_hooks hooks = { .arg = &idle, .idle = told_idle };
		struct load l = { 0 };

		l.info.submission = LANE_SUBMISSION_EXECLISTS;
		memset(l.info.presence, LANE_PRESENCE_RECORDED, sizeof(l.info.presence));
		l.info.presence[LANE_PORTS] = LANE_PRESENCE_ABSENT;
		assert_null(timeline_create(&l.info, &foreseen, is_lost, &hooks, &l.timeline));
		whole(&l, 6, 1); /* its out is at 50 */
		l.now_ns = 110;
		request(&l, LANE_RQ_ADD, 7, 2);
		request(&l, LANE_RQ_SUBMIT, 7, 2);
		request(&l, LANE_RQ_EXECUTE, 7, 2); /* at 140 */
		request(&l, LANE_RQ_IN, 7, 2);
		if (is_lost) {
			lost(&l, 152, 155);
			request(&l, LANE_RQ_OUT, 7, 2);
		}
		assert_null(l.error);
		assert_null(timeline_finish(l.timeline, false));
		timeline_destroy(l.timeline);
		assert_int_equal(idle.is_unsure, is_lost);
		assert_int_equal(idle.begin_ns, 50);
		assert_int_equal(idle.end_ns, 140);
		assert_int_equal(idle.cause_ns[LANE_IDLE_UNKNOWN], 90);
	}
}

/* So much memory at most, and it does not grow with the trace. */
static void flat(void (*story)(struct load *, uint32_t), enum lane_presence ends, uint64_t full,
		 size_t most)
{
	/* In `make check` not much longer than it is full: what grows shows. */
	uint64_t last = getenv("CHECK_ALL") ? LONG : full + full / 4;
	struct load l;
	size_t at_short;
	uint32_t n = 1;

	begin_recorded(&l, ends);
	while (l.events < full)
		story(&l, n++);
	look(&l);
	at_short = l.peak;
	while (l.events < last && !l.error)
		story(&l, n++);
	look(&l);
	assert_null(l.error);
	if (l.peak > at_short + at_short / 32 || l.peak > most)
		fail_msg("%zu bytes, %zu when the trace was short", l.peak, at_short);
	end(&l);
}

#define FLAT(name, full, most)                                                                     \
	TEST(flat_##name)                                                                          \
	{                                                                                          \
		flat(story_of_##name, LANE_PRESENCE_RECORDED, full, most);                         \
	}

TEST(flat_no_end)
{
	flat(story_of_no_end, LANE_PRESENCE_UNKNOWN, SHORT, 2u << 20);
}

/* What shows an end is recorded, and does not come. */
TEST(flat_no_end_yet)
{
	flat(story_of_no_end, LANE_PRESENCE_RECORDED, SHORT, 6u << 20);
}

FLAT(no_retire, SHORT, 27u << 20)
FLAT(whole, SHORT, 1u << 20)
FLAT(other_contexts, SHORT, 18u << 20)
FLAT(exits, SHORT, 1u << 20)
FLAT(dead, SHORT, 1u << 20)
FLAT(unseen_exits, LATER, 192u << 20)
FLAT(waiters, SHORT, 160u << 20)
FLAT(losses, SHORT, 2u << 20)
