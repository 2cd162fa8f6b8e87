// SPDX-License-Identifier: MIT
/*
 * Reads groups of histories (the output of gpulane-enumerate) and shows each group's events to the
 * timeline. What the timeline says of a request must hold for every history of the group: a bound
 * that leaves one out is wrong. A bound that is wider than the histories is weak. With --free a
 * second output is read, of a walk in which interrupts take any time: then weak is what is wider
 * than those histories of the same events.
 *
 * usage: gpulane-hull execlists|guc|ring [--absent KIND]... [--free FILE] [--show N]
 *        [--weak VALUE] <groups
 * Prints a line for each value: exact, bounds, unknown, weak, wrong. Shows the first N groups of
 * which something wrong is said, or, of that VALUE, something weak. Exits 1 if anything is wrong.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "latency/latency.h"

/* A tick is long for whatever takes part, and its events lie close together in its middle. */
#define TICK_NS	      4000000
#define STEP_NS	      100 /* from one event of a tick to the next */
#define BASE_NS	      1000000000
#define BEFORE_NS     90000000 /* so long before, the machine has its last request */
#define NEVER	      UINT64_MAX
#define MOST_EVENTS   256
#define MOST_REQUESTS 4

enum value {
	START,
	END,
	RUNNING,
	PREEMPTED,
	PREEMPTIONS,
	WHY,
	VALUES
};

static const char *const names[VALUES] = { "start",	"end",	       "running",
					   "preempted", "preemptions", "why" };

struct hull {
	uint64_t lo, hi;
};

/* A request of a group: the truth, and what was told. */
struct request {
	char ctx;
	uint32_t seqno;
	struct hull truth[VALUES], free[VALUES];
	char why[16], culprit[16];
	bool told;
	struct lane_request rq;
	struct lane_stages stages;
	uint64_t preemptions;
	char told_why[16], told_culprit[16];
	bool why_differs;
};

static struct {
	char text[MOST_EVENTS + MOST_REQUESTS][160];
	size_t lines;
	struct lane_event events[MOST_EVENTS];
	size_t n;
	struct request requests[MOST_REQUESTS];
	size_t n_requests;
	uint64_t window; /* its last tick, and one */
	bool has_loss;
	struct lane_loss loss;
} group;

/* What may be at most, of a request of a group of the free walk. */
struct free_hull {
	uint64_t events; /* hash of the group's */
	char ctx;
	uint32_t seqno;
	struct hull truth[VALUES];
};

static struct {
	struct free_hull *v;
	size_t n, cap;
} free_walk;

static struct lane_trace_info info;
static uint64_t groups, contradictions, shown, show;
static const char *show_weak;
static struct {
	uint64_t exact, bounds, unknown, weak, wrong;
} sums[VALUES];

static void fail(const char *what)
{
	fprintf(stderr, "gpulane-hull: %s\n", what);
	exit(2);
}

static struct request *find(char ctx, uint32_t seqno)
{
	for (size_t i = 0; i < group.n_requests; i++)
		if (group.requests[i].ctx == ctx && group.requests[i].seqno == seqno)
			return &group.requests[i];
	return NULL;
}

static struct request *find_rq(const struct lane_request *rq)
{
	return find((char)('A' + rq->context->ctx - 1), rq->seqno);
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct request *request = find_rq(rq);

	(void)arg;
	if (!request)
		return;
	request->told = true;
	request->rq = *rq;
	latency_stages_of(&info, rq, &request->stages);
}

static void on_preemption(void *arg, const struct lane_preemption *preemption)
{
	struct request *request = find_rq(preemption->victim);
	const char *why = lane_preemption_why_names[preemption->why];

	(void)arg;
	if (!request)
		return;
	if (request->preemptions++ && strcmp(request->told_why, why) != 0)
		request->why_differs = true;
	snprintf(request->told_why, sizeof(request->told_why), "%s", why);
	if (preemption->culprit)
		snprintf(request->told_culprit, sizeof(request->told_culprit), "%c%u",
			 (char)('A' + preemption->culprit->ctx - 1), preemption->culprit_seqno);
}

static uint64_t ticks(uint64_t ns)
{
	return ns < BASE_NS ? 0 : (ns - BASE_NS) / TICK_NS;
}

static uint64_t tick_of(const struct lane_event *event)
{
	return ticks(event->wire.ts_ns);
}

static void show_group(const char *what, const struct request *request, enum value value,
		       struct hull told)
{
	if (shown++ >= show)
		return;
	printf("%s: %c%u %s told %" PRIu64 "..%" PRIu64 " why %s\n", what, request->ctx,
	       request->seqno, names[value], told.lo, told.hi,
	       request->told_why[0] ? request->told_why : "-");
	for (size_t i = 0; i < group.lines; i++)
		fputs(group.text[i], stdout);
}

static void count_weak(const struct request *request, enum value value, struct hull told)
{
	sums[value].weak++;
	if (show_weak && !strcmp(show_weak, names[value]))
		show_group("weak", request, value, told);
}

/* Counts what was told of a value. */
static void judge(const struct request *request, enum value value, bool known, struct hull told)
{
	const struct hull *truth = &request->truth[value], *most = &request->free[value];

	if (!known) {
		sums[value].unknown++;
		count_weak(request, value, (struct hull){ 0, NEVER });
		return;
	}
	if (told.lo == told.hi)
		sums[value].exact++;
	else
		sums[value].bounds++;
	if (told.lo > truth->lo || (told.hi < truth->hi && truth->hi != NEVER) ||
	    (truth->lo == NEVER && told.hi < group.window)) {
		sums[value].wrong++;
		show_group("wrong", request, value, told);
	} else if (told.lo < most->lo || (told.hi > most->hi && value != PREEMPTIONS)) {
		count_weak(request, value, told);
	}
}

static bool known(const struct request *request, enum lane_stage stage)
{
	return request->stages.known >> stage & 1;
}

static struct hull times(struct lane_span span)
{
	return (struct hull){ ticks(span.lo), ticks(span.hi) };
}

/* A look of the driver comes up to LANE_LOOK_NS before the event that tells it, in the same tick.
 */
static struct hull durations(struct lane_span span)
{
	return (struct hull){ (span.lo + LANE_LOOK_NS) / TICK_NS, span.hi / TICK_NS };
}

static void judge_request(const struct request *request)
{
	const struct lane_request *rq = &request->rq;
	const struct lane_stages *stages = &request->stages;
	bool ended = request->told && rq->state == LANE_RQ_STATE_ENDED;

	if (!ended || request->truth[END].hi == NEVER) /* what is not over is not told */
		return;
	judge(request, START, known(request, LANE_STAGE_DEVICE_QUEUE), times(rq->start));
	judge(request, END, true, times(rq->end));
	judge(request, RUNNING, known(request, LANE_STAGE_RUNNING),
	      durations(stages->ns[LANE_STAGE_RUNNING]));
	judge(request, PREEMPTED, known(request, LANE_STAGE_PREEMPTED),
	      durations(stages->ns[LANE_STAGE_PREEMPTED]));
	judge(request, PREEMPTIONS, true, (struct hull){ request->preemptions, NEVER });
	if (!request->preemptions)
		return;
	if (!strcmp(request->told_why, "unknown") || request->why_differs) {
		sums[WHY].unknown++;
		sums[WHY].weak += strcmp(request->why, "either") != 0;
		return;
	}
	sums[WHY].exact++;
	if (strcmp(request->told_why, request->why) != 0 ||
	    (request->told_culprit[0] && strcmp(request->culprit, "either") != 0 &&
	     strcmp(request->told_culprit, request->culprit) != 0)) {
		sums[WHY].wrong++;
		show_group("wrong", request, WHY, (struct hull){ 0, 0 });
	}
}

static uint64_t hash_of_events(void)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i < group.lines; i++)
		for (const char *c = group.text[i]; *c && strchr("EL", *group.text[i]); c++)
			hash = (hash ^ (unsigned char)*c) * 1099511628211u;
	return hash;
}

static int compare_free(const void *a, const void *b)
{
	const struct free_hull *x = a, *y = b;

	if (x->events != y->events)
		return x->events < y->events ? -1 : 1;
	return x->ctx != y->ctx ? x->ctx - y->ctx : (x->seqno > y->seqno) - (x->seqno < y->seqno);
}

/* A group of the free walk. */
static void keep_free(void)
{
	uint64_t events = hash_of_events();

	for (size_t i = 0; i < group.n_requests; i++) {
		const struct request *request = &group.requests[i];
		struct free_hull *hull;

		if (free_walk.n == free_walk.cap) {
			free_walk.cap = free_walk.cap ? 2 * free_walk.cap : 4096;
			free_walk.v = reallocarray(free_walk.v, free_walk.cap, sizeof(*hull));
			if (!free_walk.v)
				fail("no memory");
		}
		hull = &free_walk.v[free_walk.n++];
		*hull = (struct free_hull){ events, request->ctx, request->seqno, { { 0, 0 } } };
		memcpy(hull->truth, request->truth, sizeof(hull->truth));
	}
}

/* What each request of the group may be at most: by the free walk, or by this one. */
static void find_free(void)
{
	uint64_t events = hash_of_events();

	for (size_t i = 0; i < group.n_requests; i++) {
		struct request *request = &group.requests[i];
		struct free_hull key = { events, request->ctx, request->seqno, { { 0, 0 } } };
		const struct free_hull *hull = free_walk.n ? bsearch(&key, free_walk.v, free_walk.n,
								     sizeof(key), compare_free)
							   : NULL;

		if (!hull && free_walk.n)
			fail("the free walk does not have a group");
		memcpy(request->free, hull ? hull->truth : request->truth, sizeof(request->free));
	}
}

/* The engine has had something, and is idle: what comes does not stand behind something unseen. */
static void push_before(struct lane_timeline *timeline)
{
	static const enum lane_kind life[] = {
		LANE_RQ_SUBMIT, LANE_FENCE_ENABLE_SIGNAL, LANE_RQ_EXECUTE,
		LANE_RQ_IN,	LANE_FENCE_SIGNALED,	  LANE_RQ_OUT,
		LANE_RQ_RETIRE,
	};
	const size_t n = sizeof(life) / sizeof(life[0]);

	for (size_t i = 0; i < n; i++) {
		struct lane_event event = { .cpu = i >= 2 && i + 1 < n ? 0 : 1 };

		if (info.presence[life[i]] == LANE_PRESENCE_ABSENT)
			continue;
		event.wire.kind = life[i];
		event.wire.ts_ns = BASE_NS - BEFORE_NS + i * TICK_NS;
		event.wire.tid = event.wire.pid = event.cpu ? 100 : 0;
		if (lane_is_request(life[i])) {
			event.u.rq.ctx = 26;
			event.u.rq.seqno = 1;
		} else {
			event.u.fence.context = 26;
			event.u.fence.seqno = 1;
		}
		if (life[i] == LANE_RQ_OUT)
			event.u.i915_request_out.completed = 1;
		if (timeline_push(timeline, &event))
			fail("the timeline takes no event");
	}
}

static void push(struct lane_timeline *timeline, const struct lane_event *event)
{
	if (timeline_push(timeline, event))
		fail("the timeline takes no event");
}

/* The walk begins with its requests made, and added to their contexts. */
static void push_adds(struct lane_timeline *timeline)
{
	for (size_t i = 0; i < group.n_requests; i++) {
		struct lane_event event = { .cpu = 1 };

		event.wire.kind = LANE_RQ_ADD;
		event.wire.ts_ns = BASE_NS + i * STEP_NS;
		event.wire.tid = event.wire.pid = 100;
		event.u.rq.ctx = (uint64_t)(group.requests[i].ctx - 'A' + 1);
		event.u.rq.seqno = group.requests[i].seqno;
		push(timeline, &event);
	}
}

/*
 * The lost event came behind one of its CPU's events of the tick before, or it was the first, and
 * ahead of one of the tick after, or it was the last.
 */
static void read_loss(const char *line)
{
	uint64_t before, after;
	int cpu;

	if (sscanf(line, "L %" SCNu64 " %" SCNu64 " cpu=%d", &before, &after, &cpu) != 3)
		fail("no loss");
	group.has_loss = true;
	group.loss = (struct lane_loss){ .cpu = cpu,
					 .begin_ns = BASE_NS + before * TICK_NS +
						     MOST_REQUESTS * STEP_NS,
					 .end_ns = BASE_NS + (after + 1) * TICK_NS - 1,
					 .count = 1 };
	for (size_t i = group.n; before && i--;)
		if (group.events[i].cpu == cpu && tick_of(&group.events[i]) == before)
			group.loss.begin_ns = group.events[i].wire.ts_ns;
	for (size_t i = 0; i < group.n; i++)
		if (group.events[i].cpu == cpu && tick_of(&group.events[i]) == after)
			group.loss.end_ns = group.events[i].wire.ts_ns;
}

/* The group's events, and the loss as its end is come to. */
static void push_group(struct lane_timeline *timeline)
{
	const struct lane_loss *loss = &group.loss;
	struct lane_event lost = { .cpu = loss->cpu };
	bool is_told = !group.has_loss;

	lost.wire.kind = LANE_LOST;
	lost.wire.ts_ns = loss->end_ns;
	lost.wire.tid = lost.wire.pid = -1;
	lost.u.gpulane_lost = (struct lane_p_gpulane_lost){ .count = 1,
							    .begin_ns = loss->begin_ns,
							    .end_ns = loss->end_ns,
							    .lost_cpu = loss->cpu };
	for (size_t i = 0; i < group.n; i++) {
		if (!is_told && group.events[i].wire.ts_ns >= loss->end_ns) {
			push(timeline, &lost);
			is_told = true;
		}
		push(timeline, &group.events[i]);
	}
	if (!is_told)
		push(timeline, &lost);
}

static void judge_group(void)
{
	struct lane_hooks hooks = { .request = on_request, .preemption = on_preemption };
	struct lane_timeline_figures figures;
	struct lane_timeline *timeline;

	info.begin_ns = BASE_NS - BEFORE_NS - 1;
	info.end_ns = BASE_NS + group.window * TICK_NS;
	if (timeline_create(&info, &group.loss, group.has_loss, &hooks, &timeline))
		fail("no timeline");
	find_free();
	push_before(timeline);
	push_adds(timeline);
	push_group(timeline);
	if (timeline_finish(timeline, false))
		fail("the timeline does not finish");
	timeline_figures(timeline, &figures);
	contradictions += figures.contradictions;
	if (figures.contradictions && shown++ < show) {
		printf("contradiction:\n");
		for (size_t i = 0; i < group.lines; i++)
			fputs(group.text[i], stdout);
	}
	for (size_t i = 0; i < group.n_requests; i++)
		judge_request(&group.requests[i]);
	timeline_destroy(timeline);
	groups++;
}

static const struct {
	const char *word;
	enum lane_kind kind;
} kinds[] = {
	{ "submit", LANE_RQ_SUBMIT },
	{ "execute", LANE_RQ_EXECUTE },
	{ "unsubmit", LANE_RQ_UNSUBMIT },
	{ "in", LANE_RQ_IN },
	{ "out", LANE_RQ_OUT },
	{ "enable_signal", LANE_FENCE_ENABLE_SIGNAL },
	{ "signal", LANE_FENCE_SIGNALED },
	{ "retire", LANE_RQ_RETIRE },
};

static enum lane_kind kind_of(const char *word)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].word, word))
			return kinds[i].kind;
	fail("an unknown kind of event");
	return LANE_RQ_SUBMIT;
}

static int number(const char *line, const char *key, int otherwise)
{
	const char *at = strstr(line, key);

	return at ? atoi(at + strlen(key)) : otherwise;
}

static void read_event(const char *line)
{
	struct lane_event *event = &group.events[group.n];
	unsigned int t, cpu, seqno;
	char word[24], ctx;

	if (group.n == MOST_EVENTS ||
	    sscanf(line, "E %u %u %23s %c %u", &t, &cpu, word, &ctx, &seqno) != 5)
		fail("no event");
	group.n++;
	memset(event, 0, sizeof(*event));
	event->wire.kind = kind_of(word);
	event->wire.ts_ns = BASE_NS + (uint64_t)t * TICK_NS + TICK_NS / 2 + group.n * STEP_NS;
	event->cpu = (int32_t)cpu;
	event->wire.tid = event->wire.pid = cpu ? 100 : 0;
	if (!lane_is_request(event->wire.kind)) {
		event->u.fence.context = (uint64_t)(ctx - 'A' + 1);
		event->u.fence.seqno = seqno;
		return;
	}
	event->u.rq.ctx = (uint64_t)(ctx - 'A' + 1);
	event->u.rq.seqno = seqno;
	if (event->wire.kind == LANE_RQ_IN) {
		event->u.i915_request_in.port = (uint32_t)number(line, "port=", 0);
		event->u.i915_request_in.prio = number(line, "prio=", 0);
	} else if (event->wire.kind == LANE_RQ_OUT) {
		event->u.i915_request_out.completed = (uint32_t)number(line, "completed=", 0);
	}
}

static struct hull read_hull(const char *line, const char *key)
{
	const char *at = strstr(line, key), *dots = at ? strstr(at, "..") : NULL;

	if (!dots)
		fail("no hull");
	at += strlen(key);
	return (struct hull){ *at == 'n' ? NEVER : strtoull(at, NULL, 10),
			      dots[2] == 'n' ? NEVER : strtoull(dots + 2, NULL, 10) };
}

static void read_request(const char *line)
{
	struct request *request = &group.requests[group.n_requests];
	const char *why = strstr(line, "why="), *culprit = strstr(line, "culprit=");

	if (group.n_requests == MOST_REQUESTS || !why || !culprit ||
	    sscanf(line, "H %c%u", &request->ctx, &request->seqno) != 2 ||
	    sscanf(why, "why=%15s", request->why) != 1 ||
	    sscanf(culprit, "culprit=%15s", request->culprit) != 1)
		fail("no request");
	group.n_requests++;
	request->truth[START] = read_hull(line, "start=");
	request->truth[END] = read_hull(line, " end=");
	request->truth[RUNNING] = read_hull(line, "running=");
	request->truth[PREEMPTED] = read_hull(line, "preempted=");
	request->truth[PREEMPTIONS] = read_hull(line, "preemptions=");
}

static void keep(const char *line)
{
	if (group.lines == sizeof(group.text) / sizeof(group.text[0]))
		fail("a group is too long");
	snprintf(group.text[group.lines++], sizeof(group.text[0]), "%s", line);
}

static void begin(const char *model)
{
	enum lane_submission submission = LANE_SUBMISSION_EXECLISTS;

	if (!strcmp(model, "guc"))
		submission = LANE_SUBMISSION_GUC;
	else if (!strcmp(model, "ring"))
		submission = LANE_SUBMISSION_RING;
	else if (strcmp(model, "execlists") != 0)
		fail("no such model");
	info.submission = submission;
	strcpy(info.release, "6.1.0");
	memset(info.presence, LANE_PRESENCE_ABSENT, sizeof(info.presence));
	info.presence[LANE_RQ_ADD] = LANE_PRESENCE_RECORDED;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		info.presence[kinds[i].kind] = LANE_PRESENCE_RECORDED;
	if (submission == LANE_SUBMISSION_RING)
		info.presence[LANE_RQ_IN] = LANE_PRESENCE_ABSENT;
	if (submission == LANE_SUBMISSION_RING || submission == LANE_SUBMISSION_GUC)
		info.presence[LANE_RQ_OUT] = info.presence[LANE_RQ_UNSUBMIT] = LANE_PRESENCE_ABSENT;
}

/* Reads groups, and does `done` with each. */
static void read_groups(FILE *from, void (*done)(void))
{
	char line[160];

	for (;;) {
		const char *more = fgets(line, sizeof(line), from);

		if (!more || *line == 'G') {
			if (group.lines)
				done();
			memset(&group.requests, 0, sizeof(group.requests));
			group.lines = group.n = group.n_requests = 0;
			group.has_loss = false;
		}
		if (!more)
			return;
		keep(line);
		if (*line == 'E')
			read_event(line);
		else if (*line == 'L')
			read_loss(line);
		else if (*line == 'H')
			read_request(line);
	}
}

static void read_free(const char *path)
{
	FILE *from = fopen(path, "r");

	if (!from)
		fail("the groups of the free walk cannot be read");
	read_groups(from, keep_free);
	fclose(from);
	qsort(free_walk.v, free_walk.n, sizeof(*free_walk.v), compare_free);
}

static const char usage[] = "usage: gpulane-hull MODEL [--absent KIND]... [--free FILE] [--show N] "
			    "[--weak VALUE]";

int main(int argc, char **argv)
{
	uint64_t wrong = 0;

	if (argc < 2 || argc % 2)
		fail(usage);
	begin(argv[1]);
	group.window = 16;
	for (int i = 2; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--absent"))
			info.presence[kind_of(argv[i + 1])] = LANE_PRESENCE_ABSENT;
		else if (!strcmp(argv[i], "--free"))
			read_free(argv[i + 1]);
		else if (!strcmp(argv[i], "--show"))
			show = strtoull(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--weak"))
			show_weak = argv[i + 1];
		else
			fail(usage);
	}
	read_groups(stdin, judge_group);
	printf("%" PRIu64 " groups, %" PRIu64 " contradictions\n", groups, contradictions);
	for (int i = 0; i < VALUES; i++) {
		printf("%-12s %9" PRIu64 " exact %9" PRIu64 " bounds %9" PRIu64 " unknown %9" PRIu64
		       " weak %9" PRIu64 " wrong\n",
		       names[i], sums[i].exact, sums[i].bounds, sums[i].unknown, sums[i].weak,
		       sums[i].wrong);
		wrong += sums[i].wrong;
	}
	free(free_walk.v);
	return wrong || contradictions ? 1 : 0;
}
