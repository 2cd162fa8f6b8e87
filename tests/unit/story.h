/* SPDX-License-Identifier: MIT */
/*
 * Little stories for the tests of timeline/ and latency/: a few words an event, and what came out
 * of it.
 *
 * A line is `TS CPU TID EVENT ARGS`. Requests are CTX.SEQNO, with @CLASS.INSTANCE for another
 * engine than 0.0 (which a context then keeps) and #DEV for another device than 0:
 *   queue|add|submit|exec|unsub|retire|wb|we RQ     wb, we: wait_begin, wait_end
 *   in RQ PORT [PRIO]          out RQ COMPLETED
 *   enable|signal RQ           ports RQ0 [RQ1]      0.0: none
 *   switch PREV STATE NEXT     waking TID CPU       migrate TID CPU       exit TID
 *   lost COUNT BEGIN END CPU
 * What a tracer may not have written is left out or, amid a line, `-`: COMPLETED, STATE, CPU of
 * waking.
 */
#ifndef TESTS_UNIT_STORY_H
#define TESTS_UNIT_STORY_H

#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "latency/latency.h"

#define MAX_TOLD 64

struct told_request {
	struct lane_request rq;
	struct lane_stages stages;
	uint64_t ctx;
};

struct told_preemption {
	uint64_t victim, culprit;
	uint32_t victim_seqno, culprit_seqno;
	struct lane_span at, lasted;
	enum lane_preemption_why why;
};

struct told_interval {
	int32_t tid;
	enum lane_thread_state state;
	uint64_t begin_ns, end_ns;
	bool waits;
	int32_t waker_tid;
};

struct story {
	struct lane_trace_info info;
	struct lane_timeline *timeline;
	struct told_request requests[MAX_TOLD];
	struct told_preemption preemptions[MAX_TOLD];
	struct lane_idle idles[MAX_TOLD];
	struct lane_starvation starved[MAX_TOLD];
	struct lane_wait waits[MAX_TOLD];
	struct told_interval intervals[MAX_TOLD];
	unsigned int n_requests, n_preemptions, n_idles, n_starved, n_waits, n_intervals;
	int64_t queue_ns[2]; /* integral of the lengths, all engines */
	struct lane_span busy;
	struct lane_timeline_figures figures;
	struct lane_loss losses[8]; /* foreseen */
	unsigned int n_losses;
};

static void told_request(void *arg, const struct lane_request *rq)
{
	struct story *s = arg;

	assert_true(s->n_requests < MAX_TOLD);
	s->requests[s->n_requests].rq = *rq;
	s->requests[s->n_requests].ctx = rq->context->ctx;
	latency_stages_of(&s->info, rq, &s->requests[s->n_requests].stages);
	s->n_requests++;
}

static void told_preemption(void *arg, const struct lane_preemption *p)
{
	struct story *s = arg;

	assert_true(s->n_preemptions < MAX_TOLD);
	s->preemptions[s->n_preemptions++] = (struct told_preemption){
		.victim = p->victim->context->ctx,
		.victim_seqno = p->victim->seqno,
		.culprit = p->culprit ? p->culprit->ctx : 0,
		.culprit_seqno = p->culprit_seqno,
		.at = p->at,
		.lasted = p->lasted,
		.why = p->why,
	};
}

static void told_idle(void *arg, const struct lane_idle *idle)
{
	struct story *s = arg;

	assert_true(s->n_idles < MAX_TOLD);
	s->idles[s->n_idles++] = *idle;
}

static void told_starvation(void *arg, const struct lane_starvation *starvation)
{
	struct story *s = arg;

	assert_true(s->n_starved < MAX_TOLD);
	s->starved[s->n_starved++] = *starvation;
}

static void told_wait(void *arg, const struct lane_wait *wait)
{
	struct story *s = arg;

	assert_true(s->n_waits < MAX_TOLD);
	s->waits[s->n_waits++] = *wait;
}

static void told_thread(void *arg, const struct lane_thread_interval *interval)
{
	struct story *s = arg;

	assert_true(s->n_intervals < MAX_TOLD);
	s->intervals[s->n_intervals++] = (struct told_interval){
		.tid = interval->thread->tid,
		.state = interval->state,
		.begin_ns = interval->begin_ns,
		.end_ns = interval->end_ns,
		.waits = interval->wait != NULL,
		.waker_tid = interval->waker_tid,
	};
}

static void told_queue(void *arg, const struct lane_engine *engine, enum lane_queue queue,
		       const struct lane_request *rq, int delta, uint64_t now_ns)
{
	struct story *s = arg;

	(void)engine;
	(void)rq;
	s->queue_ns[queue] -= delta * (int64_t)now_ns;
}

static void told_run(void *arg, const struct lane_run *run)
{
	struct story *s = arg;

	timeline_span_add(&s->busy, timeline_span_between(run->begin, run->end));
}

static uint64_t story_number(char **at)
{
	char *end;
	uint64_t value = strtoull(*at, &end, 10);

	assert_ptr_not_equal(end, *at);
	*at = end + strspn(end, " ");
	return value;
}

struct story_rq {
	uint64_t ctx;
	uint32_t seqno, dev;
	uint16_t class, instance;
};

/* A request; the engine of a context is what was last said of it. */
static struct story_rq story_rq(char **at)
{
	static struct {
		uint16_t class, instance;
	} engines[64];
	struct story_rq rq = { 0 };

	rq.ctx = strtoull(*at, at, 10);
	assert_int_equal(**at, '.');
	++*at;
	rq.seqno = (uint32_t)strtoul(*at, at, 10);
	if (**at == '@') {
		++*at;
		engines[rq.ctx % 64].class = (uint16_t)strtoul(*at, at, 10);
		++*at;
		engines[rq.ctx % 64].instance = (uint16_t)strtoul(*at, at, 10);
	}
	rq.class = engines[rq.ctx % 64].class;
	rq.instance = engines[rq.ctx % 64].instance;
	if (**at == '#') {
		++*at;
		rq.dev = (uint32_t)strtoul(*at, at, 10);
	}
	*at += strspn(*at, " ");
	return rq;
}

static void story_request_event(struct lane_event *event, char *at)
{
	struct story_rq rq = story_rq(&at);

	event->u.rq.ctx = rq.ctx;
	event->u.rq.seqno = rq.seqno;
	event->u.rq.dev = rq.dev;
	event->u.rq.class = rq.class;
	event->u.rq.instance = rq.instance;
	if (event->wire.kind == LANE_RQ_IN) {
		event->u.i915_request_in.port = (uint32_t)story_number(&at);
		if (*at)
			event->u.i915_request_in.prio = (int32_t)strtol(at, NULL, 10);
	} else if (event->wire.kind == LANE_RQ_OUT) {
		event->u.i915_request_out.completed =
			*at ? (uint32_t)story_number(&at) : LANE_COMPLETED_UNKNOWN;
	}
}

static void story_other_event(struct lane_event *event, char *at)
{
	struct story_rq rq;

	switch (event->wire.kind) {
	case LANE_FENCE_ENABLE_SIGNAL:
	case LANE_FENCE_SIGNALED:
		rq = story_rq(&at);
		event->u.fence.context = rq.ctx;
		event->u.fence.seqno = rq.seqno;
		break;
	case LANE_PORTS:
		rq = story_rq(&at);
		event->u.i915_engine_ports.ctx0 = rq.ctx;
		event->u.i915_engine_ports.seqno0 = rq.seqno;
		event->u.i915_engine_ports.class = rq.class;
		event->u.i915_engine_ports.instance = rq.instance;
		if (*at) {
			rq = story_rq(&at);
			event->u.i915_engine_ports.ctx1 = rq.ctx;
			event->u.i915_engine_ports.seqno1 = rq.seqno;
		}
		break;
	case LANE_SWITCH:
		event->u.sched_switch.prev_tid = (int32_t)story_number(&at);
		event->u.sched_switch.prev_state = LANE_STATE_UNKNOWN;
		if (*at == '-')
			at += 2;
		else
			event->u.sched_switch.prev_state = (int64_t)story_number(&at);
		event->u.sched_switch.next_tid = (int32_t)story_number(&at);
		break;
	case LANE_WAKING:
		event->u.sched_waking.tid = (int32_t)story_number(&at);
		event->u.sched_waking.target_cpu =
			*at ? (uint32_t)story_number(&at) : LANE_CPU_UNKNOWN;
		break;
	case LANE_MIGRATE:
		event->u.sched_migrate_task.tid = (int32_t)story_number(&at);
		event->u.sched_migrate_task.dest_cpu = (uint32_t)story_number(&at);
		break;
	case LANE_EXIT:
		event->u.sched_process_exit.tid = (int32_t)story_number(&at);
		break;
	case LANE_LOST:
		event->u.gpulane_lost.count = story_number(&at);
		event->u.gpulane_lost.begin_ns = story_number(&at);
		event->u.gpulane_lost.end_ns = story_number(&at);
		event->u.gpulane_lost.lost_cpu = (int32_t)strtol(at, NULL, 10);
		break;
	default:
		fail_msg("no such event in a story");
	}
}

static struct lane_event story_event(char *line)
{
	static const struct {
		const char *word;
		enum lane_kind kind;
	} words[] = {
		{ "queue", LANE_RQ_QUEUE },
		{ "add", LANE_RQ_ADD },
		{ "submit", LANE_RQ_SUBMIT },
		{ "exec", LANE_RQ_EXECUTE },
		{ "unsub", LANE_RQ_UNSUBMIT },
		{ "in", LANE_RQ_IN },
		{ "out", LANE_RQ_OUT },
		{ "retire", LANE_RQ_RETIRE },
		{ "wb", LANE_RQ_WAIT_BEGIN },
		{ "we", LANE_RQ_WAIT_END },
		{ "enable", LANE_FENCE_ENABLE_SIGNAL },
		{ "signal", LANE_FENCE_SIGNALED },
		{ "ports", LANE_PORTS },
		{ "switch", LANE_SWITCH },
		{ "waking", LANE_WAKING },
		{ "migrate", LANE_MIGRATE },
		{ "exit", LANE_EXIT },
		{ "lost", LANE_LOST },
		{ "guc", LANE_RQ_GUC_SUBMIT },
	};
	struct lane_event event = { 0 };
	size_t length, i;
	char *at = line;

	event.wire.ts_ns = story_number(&at);
	event.cpu = (int32_t)story_number(&at);
	event.wire.tid = (int32_t)story_number(&at);
	event.wire.pid = event.wire.tid;
	length = strcspn(at, " ");
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == length && !strncmp(at, words[i].word, length))
			break;
	if (i == sizeof(words) / sizeof(words[0]))
		fail_msg("what event is %s", at);
	at += length + strspn(at + length, " ");
	event.wire.kind = words[i].kind;
	if (lane_is_request(event.wire.kind))
		story_request_event(&event, at);
	else
		story_other_event(&event, at);
	return event;
}

/* Everything recorded, execlists of today. */
static void story_init(struct story *s, enum lane_submission submission)
{
	memset(s, 0, sizeof(*s));
	s->info.submission = submission;
	memset(s->info.presence, LANE_PRESENCE_RECORDED, sizeof(s->info.presence));
}

static void story_tell(struct story *s, const char *text)
{
	struct lane_hooks hooks = { .arg = s,
				    .request = told_request,
				    .preemption = told_preemption,
				    .idle = told_idle,
				    .starvation = told_starvation,
				    .wait = told_wait,
				    .thread = told_thread,
				    .queue = told_queue,
				    .run = told_run };
	char *copy = strdup(text), *rest = copy, *line;

	assert_non_null(copy);
	assert_null(timeline_create(&s->info, s->losses, s->n_losses, &hooks, &s->timeline));
	while ((line = strsep(&rest, "\n"))) {
		struct lane_event event;

		if (!*line)
			continue;
		event = story_event(line);
		/* A story without `queue` is one of user's requests, but for odd seqnos. */
		if (event.wire.kind == LANE_RQ_ADD && !(event.u.rq.seqno & 1) &&
		    !strstr(text, "queue")) {
			event.wire.kind = LANE_RQ_QUEUE;
			assert_null(timeline_push(s->timeline, &event));
			event.wire.kind = LANE_RQ_ADD;
		}
		assert_null(timeline_push(s->timeline, &event));
	}
	timeline_figures(s->timeline, &s->figures);
	assert_null(timeline_finish(s->timeline, false));
	free(copy);
}

static void story_end(struct story *s)
{
	timeline_destroy(s->timeline);
}

static const struct told_request *story_find(const struct story *s, uint64_t ctx, uint32_t seqno)
{
	for (unsigned int i = 0; i < s->n_requests; i++)
		if (s->requests[i].ctx == ctx && s->requests[i].rq.seqno == seqno)
			return &s->requests[i];
	fail_msg("request %llu.%u was not told", (unsigned long long)ctx, seqno);
	return NULL;
}

/* Stages in order prepare..signal; -1: unknown, -2: none. */
static void story_expect(const struct story *s, uint64_t ctx, uint32_t seqno, const int64_t *want)
{
	const struct told_request *told = story_find(s, ctx, seqno);
	char text[512] = "";
	bool right = true;

	for (int i = 0; i < LANE_STAGE_PATH; i++) {
		const struct lane_span *ns = &told->stages.ns[i];
		int64_t is = told->stages.known & 1u << i     ? (int64_t)ns->lo
			     : told->stages.unknown & 1u << i ? -1
							      : -2;

		right &= is == want[i] && (is < 0 || ns->lo == ns->hi);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s %lld..%lld",
			 lane_stage_names[i], (long long)is,
			 is < 0 ? (long long)is : (long long)ns->hi);
	}
	if (!right)
		fail_msg("%llu.%u has%s", (unsigned long long)ctx, seqno, text);
	if (told->stages.total_known && !(told->stages.unknown & ((1u << LANE_STAGE_PATH) - 1))) {
		struct lane_span sum = { 0, 0 };

		for (int i = 0; i < LANE_STAGE_PATH; i++)
			timeline_span_add(&sum, told->stages.ns[i]);
		assert_int_equal(sum.lo, told->stages.total.lo);
	}
}

#define EXPECT_STAGES(s, ctx, seqno, ...)                                                          \
	story_expect(s, ctx, seqno, (const int64_t[LANE_STAGE_PATH]){ __VA_ARGS__ })

static void story_expect_span(struct lane_span is, uint64_t lo, uint64_t hi)
{
	assert_int_equal(is.lo, lo);
	assert_int_equal(is.hi, hi);
}

#endif
