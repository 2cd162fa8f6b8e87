// SPDX-License-Identifier: MIT
// The report for people: the verdict in words, then tables.
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "base/plural.h"
#include "show/counter_text.h"
#include "show/cpu_text.h"
#include "show/fault_text.h"
#include "show/memory_text.h"
#include "show/open_text.h"
#include "show/opencl_report.h"
#include "show/report.h"
#include "show/screen.h"
#include "show/sentence.h"
#include "show/wrap.h"

void show_title(const struct lane_tables *t, const char *text)
{
	fprintf(t->to, t->options->has_colour ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

bool show_enough(const struct lane_tables *t, uint32_t row, uint32_t n)
{
	if (!t->options->rows || row < t->options->rows)
		return false;
	fprintf(t->to, "  (%u more; --rows 0 shows all)\n", n - row);
	return true;
}

/* How many are known how far; what is 0 is left out. */
static void requests(FILE *to, const struct lane_completeness *rq)
{
	const struct {
		uint64_t n;
		const char *what;
	} parts[] = { { rq->complete, "complete" },
		      { rq->partial, "partial" },
		      { rq->unknown, "unknown" } };
	int told = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].n)
			fprintf(to, "%s%" PRIu64 " %s", told++ ? ", " : "Requests: ", parts[i].n,
				parts[i].what);
	if (rq->faulted)
		fprintf(to, "%s%" PRIu64 " ended without completing", told++ ? "; " : "Requests: ",
			rq->faulted);
	if (!told)
		return;
	if (rq->open)
		fprintf(to, "; %" PRIu64 " %s not complete at the end", rq->open,
			rq->open == 1 ? "was" : "were");
	if (rq->bursts)
		fprintf(to, "; bursts%s: %" PRIu64, rq->maybe_bursts ? ", perhaps" : "",
			rq->bursts);
	fputs(".\n", to);
}

/* What was asked for. */
static void selected(FILE *to, const struct lane_latency *l)
{
	const struct lane_select *s = &l->select;
	bool by_group = false;

	for (uint32_t i = 0; i < l->n_clients; i++)
		by_group |= l->clients[i].client && l->clients[i].client->group;
	fputs("Selected: requests and commands", to);
	if (s->process) {
		fputs(by_group ? " of cgroup " : " of process ", to);
		lane_clean_print(to, s->process);
	}
	if (s->by_context)
		fprintf(to, " of context %" PRIu64, s->context);
	if (s->by_seqno)
		fprintf(to, ", number %" PRIu32, s->seqno);
	if (s->by_class)
		fprintf(to, " on engine %u:%u", s->class, s->instance);
	else if (s->by_engine)
		fprintf(to, " on %s", s->engine);
	if (s->from_ns > s->zero_ns)
		fprintf(to, ", over after %s", SHOW_DURATION(s->from_ns - s->zero_ns));
	if (s->to_ns && s->to_ns != LANE_NEVER)
		fprintf(to, ", over by %s", SHOW_DURATION(s->to_ns - s->zero_ns));
	fprintf(to, ". Engines and threads are shown whole%s.\n",
		latency_whole_ns(l) < l->figures.end_ns - l->figures.begin_ns ? " in that time"
									      : "");
}

/* How long it is. Shares are of the time up to the last event; where the recording went on for more
 * than a tenth of its time, both are told: "in the first 66.1 ms of 6.93 s". */
static void span(FILE *to, const struct lane_timeline_figures *f)
{
	uint64_t whole_ns = f->until_ns - f->begin_ns;
	bool goes_on = f->until_ns - f->end_ns > whole_ns / 10;

	fprintf(to, goes_on ? " in the first %s" : " in %s",
		SHOW_DURATION(f->end_ns - f->begin_ns));
	if (goes_on)
		fprintf(to, " of %s", SHOW_DURATION(whole_ns));
}

static void head(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;

	if (l->is_selective)
		selected(t->to, l);
	fprintf(t->to, "%" PRIu64 " event%s", l->figures.events, lane_s(l->figures.events));
	span(t->to, &l->figures);
	if (l->info.release[0]) {
		fputs(", Linux ", t->to);
		lane_clean_print(t->to, l->info.release);
	}
	fputs(".\n", t->to);
	requests(t->to, &l->requests);
	if (l->figures.lost_uncounted)
		fprintf(t->to, "Lost: %" PRIu64 " or more events", l->lost);
	else
		fprintf(t->to, "Lost: %" PRIu64 " event%s", l->lost, lane_s(l->lost));
	if (l->losses)
		fprintf(t->to,
			l->losses == 1 ? " in %" PRIu64 " interval of %s"
				       : " in %" PRIu64 " intervals of %s together",
			l->losses, SHOW_DURATION(l->loss_ns));
	fprintf(t->to, ".\n");
	if (l->ambiguous)
		fprintf(t->to,
			"Of %" PRIu64 " fence events it is not known whose they are: they tell 32 "
			"bits of their context, which several contexts share.\n",
			l->ambiguous);
	if (l->figures.contradictions)
		fprintf(t->to,
			"Contradicting what was seen before: %u of %" PRIu64 " events. Something "
			"is missing that no loss announces; what it touches is unknown.\n",
			l->figures.contradictions, l->figures.events);
	show_counter_head(t->to, l);
	if (l->figures.unseen_switches)
		fprintf(t->to,
			"Switches of threads are missing: %u time%s a CPU had another thread than "
			"its last switch says (%" PRIu64 " switch%s there).\n",
			l->figures.unseen_switches, lane_s(l->figures.unseen_switches),
			l->figures.by_kind[LANE_SWITCH],
			l->figures.by_kind[LANE_SWITCH] == 1 ? " is" : "es are");
}

/* A part of an engine's time: unknown if it may be nothing as well as everything. */
static const char *engine_time(const struct lane_engine_stats *engine, struct lane_span ns,
			       uint64_t whole, char *buffer, size_t size)
{
	if (timeline_engine_is_virtual(engine->engine))
		return "-";
	return ns.lo || ns.hi < whole || !whole ? show_span_text(ns, buffer, size) : "unknown";
}

static const char *busy_share(const struct lane_engine_stats *engine, uint64_t whole, char *buffer,
			      size_t size)
{
	if (timeline_engine_is_virtual(engine->engine) ||
	    (!engine->busy.lo && engine->busy.hi == whole))
		return "";
	return show_share_text(engine->busy, timeline_span_exact(whole), buffer, size);
}

static void engines(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	uint64_t whole = latency_whole_ns(l);

	if (!l->n_engines)
		return;
	show_title(t, "Engines");
	fprintf(t->to, "  %-14s %9s %20s %14s %20s %9s %9s %9s\n", "engine", "requests", "busy", "",
		"idle", "preempt", "host max", "dev max");
	for (uint32_t i = 0; i < l->n_engines; i++) {
		const struct lane_engine_stats *e = &l->engines[i];

		if (!e->engine)
			continue;
		fprintf(t->to, "  %-14s %9" PRIu64 " %20s %14s %20s %9s %9u %9u\n",
			SHOW_ENGINE(e->engine), e->requests,
			engine_time(e, e->busy, whole, SHOW_ROOM(64)),
			busy_share(e, whole, SHOW_ROOM(48)),
			engine_time(e, e->idle, whole, SHOW_ROOM(64)),
			SHOW_TIMES(e->preemptions, e->nearly_preemptions),
			e->queue_max[LANE_QUEUE_HOST], e->queue_max[LANE_QUEUE_DEVICE]);
	}
}

static void idles(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;

	if (!l->n_idles)
		return;
	show_title(t, "Idle engines, by what the thread that ended it was doing");
	fprintf(t->to, "  %-14s %-13s %-24s %10s %8s  %s\n", "engine", "cause", "thread", "time",
		"times", "culprit");
	for (uint32_t i = 0; i < l->n_idles && !show_enough(t, i, l->n_idles); i++) {
		const struct lane_idle_sum *s = &l->idles[i];

		fprintf(t->to, "  %-14s %-13s %-24s %10s %8" PRIu64 "  ",
			SHOW_ENGINE(l->engines[s->engine].engine), lane_idle_names[s->cause],
			s->cause < LANE_IDLE_CAUSE_COUNT ? SHOW_TASK(s->tid, s->comm) : "-",
			SHOW_DURATION(s->ns), s->count);
		if (s->cause == LANE_IDLE_STARVED)
			fputs(SHOW_TASK(s->culprit_tid, s->culprit_comm), t->to);
		if (s->cause == LANE_IDLE_STARVED && s->cpu >= 0)
			fprintf(t->to, " on CPU %d", s->cpu);
		fputc('\n', t->to);
	}
}

/* The sum of a stage; of requests none of which is known to have spent a time in it there is none.
 */
static const char *sum_text(const struct lane_stage_sum *stage, char *buffer, size_t size)
{
	return stage->unknown && !stage->count ? "unknown"
					       : show_span_text(stage->sum, buffer, size);
}

static void clients(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	bool has_switches = l->figures.by_kind[LANE_SWITCH];

	show_title(t, "Clients");
	fprintf(t->to, "  %-24s %9s %9s %9s %18s %18s %10s %10s %10s\n", "process", "complete",
		"partial", "unknown", "running", "device_queue", "CPU", "runnable", "waited");
	for (uint32_t i = 0; i < l->n_clients && !show_enough(t, i, l->n_clients); i++) {
		const struct lane_client_stats *s = &l->clients[i];

		if (!s->client)
			continue;
		fprintf(t->to,
			"  %-24s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %18s %18s %10s %10s %10s\n",
			SHOW_CLIENT(s->client), s->requests.complete, s->requests.partial,
			s->requests.unknown,
			sum_text(&s->stages[LANE_STAGE_RUNNING], SHOW_ROOM(64)),
			sum_text(&s->stages[LANE_STAGE_DEVICE_QUEUE], SHOW_ROOM(64)),
			has_switches ? SHOW_DURATION(s->cpu_ns) : "unknown",
			has_switches ? SHOW_DURATION(s->runnable_ns) : "unknown",
			SHOW_DURATION(s->wait_ns));
	}
}

static void contexts(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;

	show_title(t, "Contexts");
	fprintf(t->to, "  %10s %-14s %-24s %9s %18s %18s\n", "context", "engine", "process",
		"requests", "running", "in all");
	for (uint32_t i = 0; i < l->n_contexts && !show_enough(t, i, l->n_contexts); i++) {
		const struct lane_context_stats *s = &l->contexts[i];

		if (!s->context)
			continue;
		fprintf(t->to, "  %10" PRIu64 " %-14s %-24s %9" PRIu64 " %18s %18s\n",
			s->context->ctx,
			s->engine < l->n_engines && l->engines[s->engine].engine
				? SHOW_ENGINE(l->engines[s->engine].engine)
				: "-",
			SHOW_OWNER(s->context), s->requests,
			s->n_running ? SHOW_SPAN(s->running) : "unknown",
			s->n_total ? SHOW_SPAN(s->total) : "unknown");
	}
}

static void stages(const struct lane_tables *t)
{
	static const unsigned int permilles[] = { 500, 950, 990 };
	struct lane_latency *l = t->latency;

	show_title(t, "Stages");
	fprintf(t->to, "  %-13s %9s %18s %18s %18s %18s %18s %18s %9s\n", "stage", "count", "mean",
		"p50", "p95", "p99", "max", "sum", "unknown");
	for (int i = 0; i < LANE_STAGE_COUNT; i++) {
		const struct lane_stage_sum *s = &l->stages[i];
		struct lane_span mean = { 0, 0 };

		if (!s->count && !s->unknown)
			continue;
		if (s->count)
			mean = (struct lane_span){ s->sum.lo / s->count, s->sum.hi / s->count };
		fprintf(t->to, "  %-13s %9" PRIu64 " %18s", lane_stage_names[i], s->count,
			s->count ? SHOW_SPAN(mean) : "-");
		for (size_t p = 0; p < sizeof(permilles) / sizeof(permilles[0]); p++) {
			struct lane_span at = {
				latency_histogram_percentile(&l->lo[i], permilles[p]),
				latency_histogram_percentile(&l->hi[i], permilles[p]),
			};

			fprintf(t->to, " %18s", s->count ? SHOW_SPAN(at) : "-");
		}
		fprintf(t->to, " %18s", s->count ? SHOW_SPAN(s->max) : "-");
		fprintf(t->to, " %18s %9" PRIu64 "\n", s->count ? SHOW_SPAN(s->sum) : "-",
			s->unknown);
	}
}

static void spent_row(const struct lane_tables *t, const struct lane_client_stats *c,
		      const char *stage, struct lane_span ns)
{
	fprintf(t->to, "  %-24s %-13s %9" PRIu64 " %20s %14s\n", SHOW_CLIENT(c->client), stage,
		c->spent.requests, SHOW_SPAN(ns), SHOW_SHARE(ns, c->spent.total));
}

/* What the sentences about processes are drawn from. */
static void spent(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	uint32_t row = 0;

	if (!l->spent.requests)
		return;
	show_title(t, "What the requests of each process spent their time on");
	fprintf(t->to, "  %-24s %-13s %9s %20s %14s\n", "process", "stage", "requests", "time",
		"share");
	for (uint32_t i = 0; i < l->n_clients; i++) {
		const struct lane_client_stats *c = &l->clients[i];

		if (!c->client || !c->spent.requests)
			continue;
		if (t->options->rows && row++ >= t->options->rows) {
			fprintf(t->to, "  (more; --rows 0 shows all)\n");
			return;
		}
		for (int s = 0; s < LANE_STAGE_PATH; s++)
			if (c->spent.stages[s].hi)
				spent_row(t, c, lane_stage_names[s],
					  latency_spent_in(&c->spent, s));
		if (c->spent.unknown.hi)
			spent_row(t, c, "unknown", c->spent.unknown);
	}
}

static void behind_rows(const struct lane_tables *t, const char *stage,
			const struct lane_blame *blames, uint32_t n)
{
	const struct lane_latency *l = t->latency;

	for (uint32_t i = 0; i < n && !show_enough(t, i, n); i++) {
		const struct lane_blame *b = &blames[i];
		const struct lane_context *context = timeline_context(l->timeline, b->context);

		fprintf(t->to, "  %-24s %-13s %10" PRIu64 " %-24s %-14s %9" PRIu64 " %20s\n",
			SHOW_CLIENT(timeline_client(l->timeline, b->victim)), stage, context->ctx,
			SHOW_SUBMITTER(context, b->client),
			SHOW_ENGINE(timeline_engine(l->timeline, b->engine)), b->requests,
			SHOW_SPAN(b->ns));
	}
}

static void behind(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;

	if (!l->n_fence_blames && !l->n_host_blames && !l->n_blames)
		return;
	show_title(
		t,
		"Whom requests waited for: the context ahead in a queue, or whose fence came last");
	fprintf(t->to, "  %-24s %-13s %10s %-24s %-14s %9s %20s\n", "process", "stage", "context",
		"of process", "engine", "requests", "time");
	behind_rows(t, "dependency", l->fence_blames, l->n_fence_blames);
	behind_rows(t, "host_queue", l->host_blames, l->n_host_blames);
	behind_rows(t, "device_queue", l->blames, l->n_blames);
}

static void preemptions(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;

	if (!l->n_preemptions)
		return;
	show_title(t, "GPU preemptions");
	fprintf(t->to, "  %-14s %-24s %-24s %-10s %8s %18s\n", "engine", "victim", "culprit", "why",
		"times", "off the engine");
	for (uint32_t i = 0; i < l->n_preemptions && !show_enough(t, i, l->n_preemptions); i++) {
		const struct lane_preemption_sum *s = &l->preemptions[i];

		fprintf(t->to, "  %-14s %-24s %-24s %-10s %8s %18s\n",
			SHOW_ENGINE(l->engines[s->engine].engine),
			SHOW_CLIENT(timeline_client(l->timeline, s->victim)),
			s->culprit_known ? SHOW_CLIENT(timeline_client(l->timeline, s->culprit))
					 : "unknown",
			lane_preemption_why_names[s->why], SHOW_TIMES(s->count, s->nearly),
			SHOW_SPAN(s->ns));
	}
}

static void starved(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	char cpu[16];

	if (!l->n_starved)
		return;
	show_title(t, "CPU preemption: threads that could run, and who ran");
	fprintf(t->to, "  %-24s %-24s %4s %10s %9s\n", "thread", "who ran", "CPU", "time", "times");
	for (uint32_t i = 0; i < l->n_starved && !show_enough(t, i, l->n_starved); i++) {
		const struct lane_starved_sum *s = &l->starved[i];

		snprintf(cpu, sizeof(cpu), "%d", s->cpu);
		fprintf(t->to, "  %-24s %-24s %4s %10s %9" PRIu64 "\n",
			SHOW_TASK(s->victim_tid, s->victim_comm), SHOW_TASK(s->tid, s->comm),
			s->cpu < 0 ? "-" : cpu, SHOW_DURATION(s->ns), s->slices);
	}
}

/* A sum over `count` waits, of which so many are not known and not in it. */
static const char *at_least(uint64_t ns, uint64_t unknown, uint64_t count, char *buffer,
			    size_t size)
{
	if (unknown == count)
		return "unknown";
	snprintf(buffer, size, "%s%s", unknown ? ">= " : "", SHOW_DURATION(ns));
	return buffer;
}

static const char *slept_waits(const struct lane_wait_sum *s, char *buffer, size_t size)
{
	if (s->slept_unknown == s->count)
		return "unknown";
	if (s->slept_unknown)
		snprintf(buffer, size, "%" PRIu64 "..%" PRIu64, s->slept,
			 s->slept + s->slept_unknown);
	else
		snprintf(buffer, size, "%" PRIu64, s->slept);
	return buffer;
}

static void waits(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;

	if (!l->n_waits)
		return;
	show_title(t, "Waits: who waited for whom");
	fprintf(t->to, "  %-24s %-24s %-14s %8s %10s %10s %12s %12s\n", "process",
		"for requests of", "engine", "waits", "slept", "time", "wake", "runqueue");
	for (uint32_t i = 0; i < l->n_waits && !show_enough(t, i, l->n_waits); i++) {
		const struct lane_wait_sum *s = &l->waits[i];

		fprintf(t->to, "  %-24s %-24s %-14s %8" PRIu64 " %10s %10s %12s %12s\n",
			SHOW_CLIENT(timeline_client(l->timeline, s->waiter)),
			SHOW_CLIENT(timeline_client(l->timeline, s->owner)),
			s->engine == UINT32_MAX
				? "-"
				: SHOW_ENGINE(timeline_engine(l->timeline, s->engine)),
			s->count, slept_waits(s, SHOW_ROOM(48)), SHOW_DURATION(s->ns),
			at_least(s->wake_ns, s->wake_unknown, s->count, SHOW_ROOM(48)),
			at_least(s->runqueue_ns, s->runqueue_unknown, s->count, SHOW_ROOM(48)));
	}
}

static void worst(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;

	if (!l->n_worst)
		return;
	show_title(t, "The worst requests, CONTEXT:SEQNO");
	for (uint32_t i = 0; i < l->n_worst; i++) {
		const struct lane_worst *w = &l->worst[i];

		fprintf(t->to, "  %" PRIu64 ":%u of %s on %s: %s =", w->request.context->ctx,
			w->request.seqno, SHOW_CLIENT(timeline_client_of(&w->request)),
			w->request.engine ? SHOW_ENGINE(w->request.engine) : "-",
			SHOW_SPAN(w->stages.total));
		for (int s = 0; s < LANE_STAGE_PATH; s++)
			if ((w->stages.known & 1u << s) && w->stages.ns[s].hi)
				fprintf(t->to, " %s %s", lane_stage_names[s],
					SHOW_SPAN(w->stages.ns[s]));
		if (w->stages.merged_known && w->stages.merged.hi)
			fprintf(t->to, " unknown %s", SHOW_SPAN(w->stages.merged));
		if (w->request.seen & LANE_SEEN_ADD)
			fprintf(t->to, ", added at %.9f s",
				(double)(w->request.add_ns - l->figures.begin_ns) / 1e9);
		fputc('\n', t->to);
	}
	fputs("  `gpulane explain RECORDING CONTEXT:SEQNO` shows the events behind a request's "
	      "times.\n",
	      t->to);
}

const char *const lane_report_table_names[LANE_TABLE_COUNT] = {
#define T(id, name) [LANE_TABLE_##id] = name,
	LANE_REPORT_TABLES(T)
#undef T
};

static void write_all(FILE *to, struct lane_latency *latency,
		      const struct lane_report_options *options)
{
	static const struct {
		void (*write)(const struct lane_tables *t);
		bool needs_clients; /* only where there are any */
	} tables[LANE_TABLE_COUNT] = {
		[LANE_TABLE_ENGINES] = { engines, false },
		[LANE_TABLE_IDLE] = { idles, false },
		[LANE_TABLE_CLIENTS] = { clients, true },
		[LANE_TABLE_CONTEXTS] = { contexts, true },
		[LANE_TABLE_STAGES] = { stages, true },
		[LANE_TABLE_SPENT] = { spent, true },
		[LANE_TABLE_BEHIND] = { behind, true },
		[LANE_TABLE_PREEMPTIONS] = { preemptions, false },
		[LANE_TABLE_OPEN] = { show_open_table, false },
		[LANE_TABLE_CAUSES] = { show_fault_table, false },
		[LANE_TABLE_MEMORY] = { show_memory_table, false },
		[LANE_TABLE_COUNTERS] = { show_counter_table, false },
		[LANE_TABLE_STARVED] = { starved, false },
		[LANE_TABLE_WAITS] = { waits, false },
		[LANE_TABLE_WORST] = { worst, false },
		[LANE_TABLE_CPU] = { show_cpu_tables, false },
		[LANE_TABLE_OPENCL] = { show_opencl_tables, false },
	};
	static const unsigned int sentences[SHOW_BREVITIES] = { 6, 6, 6, 4, 3, 2, 1 };
	struct lane_tables t = { to, latency, options };
	struct lane_sentences s;

	show_sentences_begin(&s, latency, sentences[options->brevity]);
	show_sentences_write(to, &s, options->has_colour);
	head(&t);
	show_screen_bar(to, latency, options->columns);
	for (int i = 0; i < LANE_TABLE_COUNT; i++)
		if ((options->tables >> i & 1) && (!tables[i].needs_clients || latency->n_clients))
			tables[i].write(&t);
	if (!options->tables)
		show_screen_rest(to, latency, options);
}

/* Wrapped; of the first screen less and less is said until it fits. */
static struct lane_error *write_screen(FILE *to, struct lane_latency *latency,
				       const struct lane_report_options *options)
{
	struct lane_report_options fit = *options;
	bool fits = false;

	for (; !fits && fit.brevity < SHOW_BREVITIES; fit.brevity++) {
		LANE_CLEANUP(lane_free) char *text = NULL;
		size_t size;
		FILE *memory = open_memstream(&text, &size);

		if (!memory)
			return &lane_enomem;
		write_all(memory, latency, &fit);
		if (fclose(memory))
			return &lane_enomem;
		fits = fit.tables || show_wrapped(NULL, text, fit.columns) < fit.lines ||
		       fit.brevity == SHOW_BREVITIES - 1;
		if (fits)
			show_wrapped(to, text, fit.columns);
	}
	return NULL;
}

static struct lane_error *write_text(FILE *to, struct lane_latency *latency,
				     const struct lane_report_options *options)
{
	struct lane_error *err = NULL;

	if (options->columns)
		err = write_screen(to, latency, options);
	else
		write_all(to, latency, options);
	return err ? err : ferror(to) ? lane_error_errno(errno, "it could not be written") : NULL;
}

const struct lane_report_format lane_report_text = {
	.name = "text",
	.help = "for people: one screen, and tables",
	.write = write_text,
};
