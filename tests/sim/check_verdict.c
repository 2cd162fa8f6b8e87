// SPDX-License-Identifier: MIT
// Every sentence of the verdict held against the truth: whose time it was, how much of it, in which
// stage, behind whom, and what an engine's idle time was.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "check.h"
#include "latency/latency.h"
#include "show/report.h"

/* A request that was told of. */
struct told {
	uint32_t request; /* index in the truth */
	uint32_t after;	  /* whose fence is said to have ended its wait, or SIM_NO */
	uint64_t ctx;	  /* it was told under */
	int32_t pid;	  /* of the client that it is counted for */
	bool timed;	  /* from its first event to its last */
	bool from_add;	  /* its first is its `add` */
	bool until_end;	  /* its last is its end */
	bool given;	  /* its `execute` was told, so it is in the sum of host_queue */
};

struct checker {
	const struct sim_truth *truth;
	const struct lane_trace_info *info;
	struct sim_verdict *verdict;
	const char *name;
	FILE *log;
	unsigned int shout;
	struct lane_latency *latency;
	struct lane_hooks adds_up; /* the latency's own */
	struct lane_timeline *timeline;
	struct told *told;
	size_t n, room;
	bool no_memory;
};

/* What a client's requests really spent. Of jobs of drm_sched a stage has bounds (sim_job_stage()).
 */
struct really {
	uint64_t whole, least[SIM_STAGE_COUNT], stages[SIM_STAGE_COUNT];
};

static void wrong(struct checker *c, const char *sentence, const char *why, double is)
{
	c->verdict->wrong++;
	if (!c->shout)
		return;
	c->shout--;
	fprintf(c->log, "%s: \"%s\": %s, is %.2f\n", c->name, sentence, why, is);
}

/* The latency is told of everything. */
LANE_HOOKS(SIM_TELL)

static void on_request(void *arg, const struct lane_request *rq)
{
	struct checker *c = arg;
	struct lane_stages stages;
	struct lane_points p;
	struct told *more;

	tell_request(arg, rq);
	c->verdict->requests++;
	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 256;
		more = reallocarray(c->told, c->room, sizeof(*more));
		if (!more) {
			c->no_memory = true;
			return;
		}
		c->told = more;
	}
	latency_points_of(c->info, rq, &p);
	latency_stages_by(c->info, rq, &p, &stages);
	more = &c->told[c->n++];
	*more = (struct told){ sim_request_of(c->truth, rq),
			       rq->after ? sim_request_named(c->truth, rq->after, rq->after_seqno)
					 : SIM_NO,
			       rq->context->ctx,
			       timeline_client_of(rq)->pid,
			       stages.total_known,
			       p.none[LANE_POINT_QUEUE],
			       !p.known[LANE_POINT_SIGNALLED],
			       rq->seen & LANE_SEEN_EXECUTE };
	if (more->request == SIM_NO)
		c->n--;
}

static void add_job(const struct checker *c, const struct told *told, struct really *sum)
{
	const struct sim_request *r = &c->truth->requests[told->request];
	uint64_t until = !told->until_end ? r->signaled : r->end < r->hw_end ? r->end : r->hw_end;

	if (until != SIM_NONE && until > r->add)
		sum->whole += until - r->add;
	for (int s = 0; s < SIM_STAGE_COUNT; s++) {
		struct lane_span ns = sim_job_stage(c->truth, told->request, (enum sim_stage)s);

		if (s == SIM_SIGNAL && told->until_end)
			continue;
		sum->least[s] += ns.lo;
		sum->stages[s] += ns.hi;
	}
}

/* Of those that were seen from the first event to the last; pid: of that client. */
static struct really really_of(const struct checker *c, int32_t pid)
{
	struct really sum = { 0 };

	for (size_t i = 0; i < c->n; i++) {
		const struct sim_request *r = &c->truth->requests[c->told[i].request];

		if (c->told[i].pid != pid || !c->told[i].timed)
			continue;
		if (c->truth->is_sched) {
			add_job(c, &c->told[i], &sum);
			continue;
		}
		for (int s = 0; s < SIM_STAGE_COUNT; s++) {
			if (r->stage_ns[s] == SIM_NONE ||
			    (s == SIM_SIGNAL && c->told[i].until_end) ||
			    (s == SIM_PREPARE && c->told[i].from_add))
				continue;
			sum.least[s] += r->stage_ns[s];
			sum.stages[s] += r->stage_ns[s];
			sum.whole += r->stage_ns[s];
		}
	}
	return sum;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static const struct sim_span *first_span(const struct sim_truth *t, uint32_t request)
{
	for (size_t i = 0; i < t->n_spans; i++)
		if (t->spans[i].request == request)
			return &t->spans[i];
	return NULL;
}

/* The context may be a number of gpulane's own: then of what was told under it. */
static bool is_of(const struct checker *c, uint32_t request, uint64_t ctx)
{
	if (ctx < LANE_OWN_CONTEXT)
		return c->truth->requests[request].ctx == ctx;
	for (size_t i = 0; i < c->n; i++)
		if (c->told[i].request == request && c->told[i].ctx == ctx)
			return true;
	return false;
}

/* The request's time in device_queue, if it came to run right behind that context, else 0. */
static uint64_t device_behind(const struct checker *c, uint32_t request, uint64_t ctx)
{
	const struct sim_truth *t = c->truth;
	const struct sim_span *span = first_span(t, request);
	uint64_t ns = t->requests[request].stage_ns[SIM_DEVICE_QUEUE];
	uint32_t before = t->requests[request].before;

	if (t->is_sched)
		return before != SIM_NO && is_of(c, before, ctx)
			       ? sim_job_stage(t, request, SIM_DEVICE_QUEUE).hi
			       : 0;
	for (const struct sim_span *s = span; s && s-- > t->spans;)
		if (s->engine == span->engine)
			return t->requests[s->request].ctx == ctx && ns != SIM_NONE ? ns : 0;
	return 0;
}

/* Its time in host_queue while that context had its engine. */
static uint64_t host_behind(const struct checker *c, uint32_t request, uint64_t ctx)
{
	const struct sim_truth *t = c->truth;
	const struct sim_request *r = &t->requests[request];
	/* A job that the driver did not give to its ring was never there. */
	uint32_t engine = r->executed_on == SIM_NO ? r->engine : r->executed_on;
	uint64_t sum = 0;

	if (r->submit == SIM_NONE || r->execute == SIM_NONE)
		return 0;
	for (size_t i = 0; i < t->n_spans; i++) {
		const struct sim_span *s = &t->spans[i];
		uint64_t from = s->start, to = s->end;

		if (t->is_sched && s->hw_start < from)
			from = s->hw_start;
		if (t->is_sched && (to == SIM_NONE || (s->hw_end != SIM_NONE && s->hw_end > to)))
			to = s->hw_end;
		from = from > r->submit ? from : r->submit;
		to = to < r->execute ? to : r->execute;
		if (s->engine == engine && to > from && is_of(c, s->request, ctx))
			sum += to - from;
	}
	return sum;
}

/* A job's two fences have contexts that follow each other, `scheduled` and `finished`. */
static bool is_of_entity(uint64_t fence, uint64_t finished)
{
	return fence == finished || fence + 1 == finished;
}

/* Its time in dependency, if that ended with a signal of that context. */
static uint64_t fence_behind(const struct checker *c, const struct told *told, uint64_t ctx)
{
	const struct sim_request *r = &c->truth->requests[told->request], *on;

	/* A job may wait until another is given to its ring, or for another fence of its context.
	 */
	for (uint32_t i = 0; c->truth->is_sched && i < r->n_waits; i++)
		if (r->waits[i].at == r->submit && (is_of_entity(r->waits[i].ctx, ctx) ||
						    is_of_entity(r->waits[i].awaited_ctx, ctx)))
			return sim_job_stage(c->truth, told->request, SIM_DEPENDENCY).lo;
	if (c->truth->is_sched || told->after == SIM_NO || r->stage_ns[SIM_DEPENDENCY] == SIM_NONE)
		return 0;
	on = &c->truth->requests[told->after];
	return on->ctx == ctx && on->signaled >= r->add && on->signaled <= r->submit
		       ? r->stage_ns[SIM_DEPENDENCY]
		       : 0;
}

/* A request's time in a stage behind that context. */
static uint64_t behind_in(const struct checker *c, const struct told *told, enum sim_stage stage,
			  uint64_t ctx)
{
	return stage == SIM_DEVICE_QUEUE ? device_behind(c, told->request, ctx)
	       : stage == SIM_HOST_QUEUE ? host_behind(c, told->request, ctx)
	       : stage == SIM_DEPENDENCY ? fence_behind(c, told, ctx)
					 : 0;
}

/* The percentage before that place of the text, 100 where none is there: "all 17.4 ms". */
static double told_percent(const char *text, const char *end)
{
	const char *digits = end;

	if (!end)
		return 100;
	while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	return strtod(digits, NULL);
}

/* "most of it behind requests of NAME (context N)": more than half of what all its requests spent
 * in that stage. Of "its own requests" without a context the sum of all its own counts. */
static void check_behind(struct checker *c, const char *text, int32_t pid, enum sim_stage stage)
{
	const char *most = strstr(text, "most of it "), *number;
	const struct lane_context *context;
	uint64_t sum = 0, whole = 0, ctx;

	if (!most)
		return;
	number = strstr(most, "(context ");
	ctx = number ? strtoull(number + 9, NULL, 10) : 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct told *told = &c->told[i];
		const struct sim_request *r = &c->truth->requests[told->request];
		uint64_t ns = c->truth->is_sched ? sim_job_stage(c->truth, told->request, stage).lo
						 : r->stage_ns[stage];
		uint64_t until = stage == SIM_DEPENDENCY   ? r->submit
				 : stage == SIM_HOST_QUEUE ? r->execute
							   : r->start;

		/* What a recording ends amid is in no sum of it. */
		if (told->pid != pid || ns == SIM_NONE || until >= c->info->end_ns ||
		    (stage == SIM_HOST_QUEUE && !told->given))
			continue;
		whole += ns;
		for (uint32_t id = 0; (context = timeline_context(c->timeline, id)); id++)
			if (number ? context->ctx == ctx
				   : !context->is_shared && context->client->pid == pid)
				sum += behind_in(c, told, stage, context->ctx);
	}
	c->verdict->values++;
	if (percent(sum, whole) < 49.9)
		wrong(c, text, "not most of it", percent(sum, whole));
}

/* "A request of NAME[PID] spent on average T of T (N %) in STAGE, ...; T of T (N %) preempted, ..."
 */
static void check_client(struct checker *c, const char *text, int32_t pid)
{
	const char *in = strstr(text, " in "), *sign = strstr(text, " %) in ");
	const char *aside = strstr(text, " %) preempted");
	struct really really = really_of(c, pid);
	int stage = -1;

	for (int s = 0; in && s < SIM_STAGE_COUNT; s++)
		if (!strncmp(in + 4, sim_stage_names[s], strlen(sim_stage_names[s])))
			stage = s;
	if (stage < 0) {
		wrong(c, text, "not understood", 0);
		return;
	}
	c->verdict->values += 2;
	if (told_percent(text, sign) > percent(really.stages[stage], really.whole) + 0.51)
		wrong(c, text, "its share", percent(really.stages[stage], really.whole));
	for (int s = 0; s < SIM_STAGE_COUNT; s++)
		if (s != SIM_RUNNING && really.least[s] > really.stages[stage]) {
			wrong(c, text, sim_stage_names[s], percent(really.stages[s], really.whole));
			break;
		}
	check_behind(c, text, pid, (enum sim_stage)stage);
	if (!aside)
		return;
	c->verdict->values++;
	if (told_percent(text, aside) > percent(really.stages[SIM_PREEMPTED], really.whole) + 0.51)
		wrong(c, text, "preempted", percent(really.stages[SIM_PREEMPTED], really.whole));
}

/* The TID of NAME[TID] right behind a word; -1: none. */
static int32_t tid_behind(const char *text, const char *word)
{
	const char *at = strstr(text, word), *tid = at ? strchr(at, '[') : NULL;

	return tid ? (int32_t)strtol(tid + 1, NULL, 10) : -1;
}

/* The time in [from, to) in which the thread is in the state; by: only while that one has its CPU,
 * or -1. */
static uint64_t thread_ns(const struct checker *c, int32_t tid, enum sim_thread_state state,
			  int32_t by, uint64_t from, uint64_t to)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->truth->n_states; i++) {
		const struct sim_state *s = &c->truth->states[i];
		uint64_t a = s->from > from ? s->from : from, b = s->to < to ? s->to : to;

		if (s->tid == tid && s->state == state && a < b && (by < 0 || s->culprit == by))
			sum += b - a;
	}
	return sum;
}

/* "rcs0 was idle for T of T (N %) because NAME[TID] had NAME[TID]'s CPU", or "while NAME[TID] ...",
 * or for other reasons. */
static double idle_percent(const struct checker *c, const char *text, uint32_t engine)
{
	const struct sim_truth *t = c->truth;
	const struct lane_timeline_figures *f = &c->latency->figures;
	bool is_woken = strstr(text, "was woken: its CPU was idle");
	int32_t by = is_woken ? 0 : tid_behind(text, "because ");
	int32_t tid = by > 0 ? tid_behind(text, "] had ")
		      : strstr(text, "while a request") || strstr(text, "while the driver")
			      ? -1
			      : tid_behind(text, "while ");
	enum sim_thread_state state = by >= 0			      ? SIM_RUNNABLE
				      : strstr(text, "was computing") ? SIM_RUNNING_ON_CPU
								      : SIM_BLOCKED;
	uint64_t since = f->begin_ns, sum = 0;
	bool is_idle = true;

	for (size_t i = 0; i <= t->n_steps; i++) {
		uint64_t at = i < t->n_steps ? t->steps[i].at : f->end_ns;

		if (i < t->n_steps && t->steps[i].engine != engine)
			continue;
		at = at < f->begin_ns ? f->begin_ns : at > f->end_ns ? f->end_ns : at;
		if (is_idle && at > since)
			sum += tid >= 0 ? thread_ns(c, tid, state, by, since, at) : at - since;
		since = at;
		is_idle = i < t->n_steps && !t->steps[i].busy;
	}
	return percent(sum, f->end_ns - f->begin_ns);
}

/* In a recording that is cut there may be jobs of one ring of a name, and of another nothing. */
static void check_engine(struct checker *c, const char *text, const struct lane_engine *told)
{
	double most = 0, is;

	for (uint32_t engine = 0; engine < c->truth->n_engines; engine++) {
		is = sim_is_engine(c->truth, engine, told) ? idle_percent(c, text, engine) : 0;
		most = is > most ? is : most;
	}
	c->verdict->values++;
	if (told_percent(text, strstr(text, " %)")) > most + 0.51)
		wrong(c, text, "idle so", most);
}

/* "NAME[TID] waited for T of T (N %) while NAME[TID] had its CPU" */
static void check_starved(struct checker *c, const char *text)
{
	const struct lane_timeline_figures *f = &c->latency->figures;
	double is = percent(thread_ns(c, tid_behind(text, ""), SIM_RUNNABLE,
				      tid_behind(text, "while "), f->begin_ns, f->end_ns),
			    f->end_ns - f->begin_ns);

	c->verdict->values++;
	if (told_percent(text, strstr(text, " %)")) > is + 0.51)
		wrong(c, text, "starved so", is);
}

static const struct lane_engine *engine_of(const struct checker *c, const char *text)
{
	const struct lane_engine *e;
	char name[LANE_SHOW_ENGINE];

	for (uint32_t id = 0; (e = timeline_engine(c->timeline, id)); id++) {
		show_engine_name(e, name, sizeof(name));
		if (!strncmp(text, name, strlen(name)) && text[strlen(name)] == ' ')
			return e;
	}
	return NULL;
}

/* No stage of any client has so much of its time. */
static void check_nothing(struct checker *c, const char *text)
{
	for (size_t i = 0; i < c->n; i++) {
		struct really really = really_of(c, c->told[i].pid);

		for (int s = 0; s < SIM_STAGE_COUNT; s++)
			if (s != SIM_RUNNING && percent(really.least[s], really.whole) > 5.51) {
				wrong(c, text, sim_stage_names[s],
				      percent(really.least[s], really.whole));
				return;
			}
	}
	c->verdict->values++;
}

static void check_sentence(struct checker *c, const char *text)
{
	const char *spent = strstr(text, " spent "), *digits = spent;

	if (!strncmp(text, "nothing stands out", 18))
		check_nothing(c, text);
	else if (strstr(text, "idle ") && engine_of(c, text))
		check_engine(c, text, engine_of(c, text));
	else if (strstr(text, " had its CPU"))
		check_starved(c, text);
	else if (spent && !strncmp(text, "A request of ", 13)) {
		digits -= spent[-1] == ']';
		while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
			digits--;
		check_client(c, text, (int32_t)strtol(digits, NULL, 10));
	} else if (!strstr(text, " is unknown: ") && !strstr(text, "is sure to be") &&
		   !strstr(text, "the recording is empty") && !strstr(text, "no request of"))
		wrong(c, text, "not understood", 0);
}

/* A client of which all is known exactly has its sentence, if there is one to say. */
static void check_told(struct checker *c, const char *text)
{
	for (uint32_t i = 0; i < c->latency->n_clients; i++) {
		const struct lane_client_stats *s = &c->latency->clients[i];
		struct really really;
		uint64_t most = 0, second = 0;
		char name[48];

		if (!s->client || s->client->pid < 0)
			continue;
		really = really_of(c, s->client->pid);
		for (int k = 0; k < SIM_STAGE_COUNT; k++) {
			if (k == SIM_RUNNING)
				continue;
			second = really.stages[k] > most     ? most
				 : really.stages[k] > second ? really.stages[k]
							     : second;
			most = really.stages[k] > most ? really.stages[k] : most;
		}
		if (s->requests.complete != s->spent.requests || s->requests.partial ||
		    s->requests.unknown ||
		    s->spent.stages[LANE_STAGE_HOST_QUEUE].lo !=
			    s->spent.stages[LANE_STAGE_HOST_QUEUE].hi ||
		    s->spent.stages[LANE_STAGE_DEVICE_QUEUE].lo !=
			    s->spent.stages[LANE_STAGE_DEVICE_QUEUE].hi ||
		    s->spent.stages[LANE_STAGE_PREEMPTED].lo !=
			    s->spent.stages[LANE_STAGE_PREEMPTED].hi ||
		    s->spent.stages[LANE_STAGE_SIGNAL].lo !=
			    s->spent.stages[LANE_STAGE_SIGNAL].hi ||
		    most == second || percent(most, really.whole) < 6)
			continue;
		c->verdict->values++;
		show_client_name(s->client, name, sizeof(name));
		if (strstr(text, name))
			continue;
		c->verdict->missing++;
		if (c->shout) {
			c->shout--;
			fprintf(c->log, "%s: nothing is said of %s, a stage of which is %.2f %%\n",
				c->name, name, percent(most, really.whole));
		}
	}
}

static struct lane_error *check_all(struct checker *c, enum sim_demand demand)
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	char *rest, *line;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return &lane_enomem;
	show_verdict(to, c->latency, &(struct lane_verdict_style){ 100, "", "", false });
	if (fclose(to))
		return &lane_enomem;
	if (demand == SIM_FULL)
		check_told(c, text);
	for (rest = text; (line = strsep(&rest, "\n"));)
		if (*line)
			check_sentence(c, line);
	return NULL;
}

struct lane_error *sim_check_verdict(const char *name, const struct sim_truth *truth,
				     const struct lane_trace_info *info,
				     const struct lane_event *events, size_t n,
				     enum sim_demand demand, struct sim_verdict *verdict, FILE *log,
				     unsigned int shout)
{
	static const struct lane_select everything;
	struct lane_latency latency;
	struct checker c = { .truth = truth,
			     .info = info,
			     .verdict = verdict,
			     .name = name,
			     .log = log,
			     .shout = shout,
			     .latency = &latency };
	struct lane_error *err = latency_init(&latency, info, &everything);
	struct lane_hooks hooks = { .arg = &c };

	if (err)
		return err;
	c.adds_up = latency_hooks(&latency);
#define H(name, parameters, arguments) hooks.name = tell_##name;
	LANE_HOOKS(H)
#undef H
	hooks.request = on_request;
	err = sim_feed(info, events, n, &hooks, &c.timeline);
	if (!err)
		err = latency_finish(&latency, c.timeline);
	if (!err)
		err = c.no_memory ? &lane_enomem : check_all(&c, demand);
	free(c.told);
	latency_deinit(&latency);
	timeline_destroy(c.timeline);
	return err;
}
