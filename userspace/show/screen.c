// SPDX-License-Identifier: MIT
// The report's first screen: a bar of stages, a line for each engine, the worst requests.
#include "show/screen.h"

#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/plural.h"
#include "session/session.h"
#include "show/report_parts.h"
#include "verdict/verdict.h"

#define BAR	60 /* characters, at most */
#define ENGINES 4  /* lines */
#define CAUSES	2  /* of an engine's idle time */
#define WORST	3
#define PARTS	3 /* of a request's time */
#define THREADS 5 /* of a recording without a GPU */

/* The letter of a stage in the bar. */
static const char letters[LANE_STAGE_PATH + 1] = {
	[LANE_STAGE_PREPARE] = 'p',    [LANE_STAGE_DEPENDENCY] = 'd',
	[LANE_STAGE_HOST_QUEUE] = 'h', [LANE_STAGE_DEVICE_QUEUE] = 'q',
	[LANE_STAGE_RUNNING] = '=',    [LANE_STAGE_PREEMPTED] = '!',
	[LANE_STAGE_SIGNAL] = 's',     [LANE_STAGE_PATH] = '?',
};

unsigned int show_screen_parts(const struct lane_latency *latency,
			       struct lane_screen_part parts[LANE_SCREEN_PARTS])
{
	const struct lane_spent *spent = &latency->spent;
	unsigned int n = 0;

	for (int stage = 0; stage < LANE_SCREEN_PARTS; stage++) {
		bool is_known = stage < LANE_STAGE_PATH;
		struct lane_screen_part part = {
			.name = is_known ? lane_stage_names[stage] : "unknown",
			.letter = letters[stage],
		};
		unsigned int at = n;

		if (!is_known)
			part.ns = spent->unknown;
		else if (spent->stages[stage].hi)
			part.ns = latency_spent_in(spent, stage);
		show_share_text(part.ns, spent->total, part.share, sizeof(part.share));
		if (!part.ns.hi || !strcmp(part.share, "0.0 %"))
			continue;
		for (; at && parts[at - 1].ns.lo < part.ns.lo; at--)
			parts[at] = parts[at - 1];
		parts[at] = part;
		n++;
	}
	return n;
}

/* Fills a bar of so many characters with what each stage certainly took; the rest is question
 * marks. */
static void screen_fill(char *bar, int length, const struct lane_screen_part *parts, unsigned int n,
			uint64_t whole)
{
	uint64_t sum = 0;
	int filled = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (parts[i].letter == '?')
			continue;
		sum += parts[i].ns.lo;
		while (filled < length &&
		       (double)filled + 0.5 < (double)sum / (double)whole * length)
			bar[filled++] = parts[i].letter;
	}
	memset(bar + filled, '?', (size_t)(length - filled));
	bar[length] = 0;
}

void show_screen_bar(FILE *to, const struct lane_latency *latency, unsigned int columns)
{
	const struct lane_spent *spent = &latency->spent;
	struct lane_screen_part parts[LANE_SCREEN_PARTS];
	int length = columns && columns < BAR + 4 ? (int)columns - 4 : BAR;
	char bar[BAR + 1];
	unsigned int n;

	if (!spent->requests || !spent->total.hi)
		return;
	n = show_screen_parts(latency, parts);
	screen_fill(bar, length, parts, n, spent->total.hi);
	fprintf(to, "\nWhere %" PRIu64 " request%s spent %s %s%s\n  [%s]\n  ", spent->requests,
		spent->requests == 1 ? "" : "s", spent->requests == 1 ? "its" : "their",
		SHOW_SPAN(spent->total),
		!latency_times_to_end(latency) ? ""
		: latency->figures.by_kind[LANE_FENCE_SIGNALED]
			? " up to their end (no dma_fence_init in the recording)"
			: " up to their end (no dma_fence_signaled in the recording)",
		bar);
	for (unsigned int i = 0; i < n; i++)
		fprintf(to, "%s%c %s %s", i ? "   " : "", parts[i].letter, parts[i].name,
			parts[i].share);
	if (strchr(bar, '?') && !spent->unknown.hi)
		fprintf(to, "   ? between the bounds");
	fputc('\n', to);
}

/* Who had the CPU of the threads that were starved while the engine was idle, for the longest. */
static void starved_by(const struct lane_latency *latency, uint32_t engine, char *text, size_t size)
{
	const struct lane_idle_sum *most = NULL;
	uint64_t most_ns = 0;

	for (uint32_t i = 0; i < latency->n_idles; i++) {
		const struct lane_idle_sum *a = &latency->idles[i];
		uint64_t sum_ns = 0;

		if (a->engine != engine || a->cause != LANE_IDLE_STARVED || a->culprit_tid < 0)
			continue;
		for (uint32_t j = i; j < latency->n_idles; j++) {
			const struct lane_idle_sum *b = &latency->idles[j];

			if (b->engine == engine && b->cause == a->cause &&
			    b->culprit_tid == a->culprit_tid)
				sum_ns += b->ns;
		}
		if (sum_ns > most_ns) {
			most = a;
			most_ns = sum_ns;
		}
	}
	if (most)
		snprintf(text, size, " (%s %s)",
			 most->culprit_tid ? SHOW_TASK(most->culprit_tid, most->culprit_comm)
					   : "waking up on an idle CPU",
			 SHOW_DURATION(most_ns));
}

unsigned int show_screen_idle(const struct lane_latency *latency, uint32_t engine,
			      struct lane_screen_idle list[LANE_IDLE_PLACE_END])
{
	uint64_t causes_ns[LANE_IDLE_PLACE_END];
	unsigned int n = 0;

	latency_idle_causes(latency, engine, causes_ns);
	for (int cause = 0; cause < LANE_IDLE_PLACE_END; cause++) {
		struct lane_screen_idle idle = { .cause = cause, .ns = causes_ns[cause] };
		char by[128] = "", ns[32];
		unsigned int at = n;

		if (!idle.ns)
			continue;
		if (cause == LANE_IDLE_STARVED)
			starved_by(latency, engine, by, sizeof(by));
		snprintf(idle.text, sizeof(idle.text), "%s %s%s", lane_idle_names[cause],
			 show_duration(idle.ns, ns, sizeof(ns)), by);
		for (; at && list[at - 1].ns < idle.ns; at--)
			list[at] = list[at - 1];
		list[at] = idle;
		n++;
	}
	return n;
}

const char *show_screen_busy(const struct lane_latency *latency, uint32_t engine, char *buffer,
			     size_t size)
{
	const struct lane_engine_stats *e = &latency->engines[engine];
	uint64_t whole = latency_whole_ns(latency);

	if (timeline_engine_is_virtual(e->engine))
		snprintf(buffer, size, "each run by another engine");
	else if (e->busy.lo || e->busy.hi < whole)
		snprintf(buffer, size, "busy %s", SHOW_SHARE(e->busy, timeline_span_exact(whole)));
	else
		snprintf(buffer, size, "when it was busy is unknown%s",
			 e->bursts ? ": user space submits in bursts" : "");
	return buffer;
}

bool show_screen_causes(const struct lane_screen_idle *idle, unsigned int n, char *text,
			size_t size)
{
	uint64_t outside_ns = 0;
	unsigned int told = 0;

	*text = 0;
	for (unsigned int i = 0; i < n; i++)
		if (idle[i].cause >= LANE_IDLE_CAUSE_COUNT)
			outside_ns += idle[i].ns;
	if (outside_ns)
		snprintf(text, size, " (%s of it before its first request or after its last)",
			 SHOW_DURATION(outside_ns));
	for (unsigned int i = 0; i < n && told < CAUSES; i++)
		if (idle[i].cause < LANE_IDLE_CAUSE_COUNT)
			snprintf(text + strlen(text), size - strlen(text), "%s%s",
				 told++ ? ", " : ": ", idle[i].text);
	return told;
}

static void engine_line(FILE *to, const struct lane_latency *latency, uint32_t id)
{
	const struct lane_engine_stats *engine = &latency->engines[id];
	struct lane_screen_idle idle[LANE_IDLE_PLACE_END];
	unsigned int n = show_screen_idle(latency, id, idle);
	char causes[LANE_SCREEN_CAUSES];
	bool has_causes = show_screen_causes(idle, n, causes, sizeof(causes));

	fprintf(to, "  %-14s %" PRIu64 " request%s", SHOW_ENGINE(engine->engine), engine->requests,
		engine->requests == 1 ? "" : "s");
	fprintf(to, ", %s", show_screen_busy(latency, id, SHOW_ROOM(LANE_SHOW_ENGINE)));
	if (n || engine->busy.lo)
		fprintf(to, ", idle %s", SHOW_SPAN(engine->idle));
	fputs(causes, to);
	if (engine->preemptions)
		fprintf(to, "%s %s%" PRIu64 " preemption%s", has_causes ? ";" : ",",
			engine->may_be_preempted_more ? "at least " : "", engine->preemptions,
			lane_s(engine->preemptions));
	else if (engine->nearly_preemptions)
		fprintf(to, "%s perhaps preemptions", has_causes ? ";" : ",");
	fputc('\n', to);
}

static void screen_engines(FILE *to, const struct lane_latency *latency)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < latency->n_engines; i++)
		n += latency->engines[i].engine && latency->engines[i].requests;
	if (!n)
		return;
	fputs("\nEngines\n", to);
	n = 0;
	for (uint32_t i = 0; i < latency->n_engines; i++)
		if (latency->engines[i].engine && latency->engines[i].requests && n++ < ENGINES)
			engine_line(to, latency, i);
	if (n > ENGINES)
		fprintf(to, "  (%u more: --tables engines)\n", n - ENGINES);
	show_counter_engines(to, latency);
}

/* The longest parts of a request's time, and who was ahead of it. */
static void screen_worst_line(FILE *to, const struct lane_worst *worst)
{
	const struct lane_request *rq = &worst->request;
	bool told[LANE_STAGE_PATH] = { 0 };

	fprintf(to, "  %" PRIu64 ":%u of %s", rq->context->ctx, rq->seqno,
		show_client_name(timeline_client_of(rq), SHOW_ROOM(64)));
	fprintf(to, ": %s", SHOW_SPAN(worst->stages.total));
	for (int part = 0; part < PARTS; part++) {
		int most = -1;

		for (int s = 0; s < LANE_STAGE_PATH; s++)
			if ((worst->stages.known & 1u << s) && !told[s] && worst->stages.ns[s].hi &&
			    (most < 0 || worst->stages.ns[s].hi > worst->stages.ns[most].hi))
				most = s;
		if (most < 0)
			break;
		told[most] = true;
		fprintf(to, ", %s %s", lane_stage_names[most], SHOW_SPAN(worst->stages.ns[most]));
		if (most == LANE_STAGE_DEVICE_QUEUE && worst->ahead.context)
			fprintf(to, " behind %s",
				SHOW_SUBMITTER(worst->ahead.context, worst->ahead.client));
	}
	if (worst->stages.merged_known && worst->stages.merged.hi)
		fprintf(to, ", unknown %s", SHOW_SPAN(worst->stages.merged));
	fputc('\n', to);
}

static void screen_worst(FILE *to, const struct lane_latency *latency, uint32_t most)
{
	if (!latency->n_worst || !most)
		return;
	fputs("\nThe worst requests, CONTEXT:SEQNO\n", to);
	for (uint32_t i = 0; i < latency->n_worst && i < most; i++)
		screen_worst_line(to, &latency->worst[i]);
}

/* As one can type it; in quotes where a shell would read it otherwise. */
static const char *quoted(const char *text, char *buffer, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_./+@%:=-";
	size_t n = 0;

	if (text[strspn(text, plain)] == 0) {
		snprintf(buffer, size, "%s", text);
		return buffer;
	}
	buffer[n++] = '\'';
	for (const char *at = text; *at && n + 6 < size; at++) {
		const char *written = *at == '\'' ? "'\\''" : (const char[]){ *at, 0 };

		memcpy(buffer + n, written, strlen(written));
		n += strlen(written);
	}
	buffer[n++] = '\'';
	buffer[n] = 0;
	return lane_clean(buffer, LANE_CLEAN_LINE);
}

/* The recording as one can type it, and which of its machines. */
static const char *typed(const struct lane_place *place, char *buffer, size_t size)
{
	char path[1024], machine[256];

	if (!place || !*place->path || !strcmp(place->path, "-"))
		return "RECORDING";
	snprintf(buffer, size, "%s%s", *place->path == '-' ? "./" : "",
		 quoted(place->path, path, sizeof(path)));
	if (place->machine)
		snprintf(buffer + strlen(buffer), size - strlen(buffer), " --machine %s",
			 quoted(place->machine, machine, sizeof(machine)));
	return buffer;
}

/* "=0.012-0.101": the time in which what the first answer says of a thread lasted longest. "": it
 * says nothing of one; then the longest request shows most. */
static const char *first_time(const struct lane_latency *latency, char *buffer, size_t size)
{
	struct lane_answers answers;
	const struct lane_answer *first = &answers.all[0];
	uint64_t from_ns, unit_ns;

	verdict_find(latency, 1, &answers);
	*buffer = 0;
	if (!answers.n || first->longest_at_ns < latency->figures.begin_ns ||
	    (first->who.kind != LANE_PARTY_TASK && first->who.kind != LANE_PARTY_ENGINE))
		return buffer;
	from_ns = first->longest_at_ns - latency->figures.begin_ns;
	unit_ns = first->longest_ns < 10000000 ? 1000 : 1000000;
	snprintf(buffer, size, "=%.*f-%.*f", unit_ns == 1000 ? 6 : 3,
		 (double)(from_ns / unit_ns * unit_ns) / 1e9, unit_ns == 1000 ? 6 : 3,
		 (double)((from_ns + first->longest_ns) / unit_ns * unit_ns + unit_ns) / 1e9);
	return buffer;
}

static void how_to_go_on(FILE *to, const struct lane_latency *latency,
			 const struct lane_report_options *options)
{
	char buffer[1536];
	const char *path = typed(options->place, buffer, sizeof(buffer));

	if (options->brevity >= 2) {
		fprintf(to, "\nMore: gpulane report --all %s, or --html FILE: the timeline\n",
			path);
		return;
	}
	fputs("\nMore\n", to);
	fprintf(to, "  gpulane report --all %s  (or --tables stages,waits,...)\n", path);
	if (latency->n_worst) {
		fprintf(to, "  gpulane explain %s %" PRIu64 ":%u  the events behind its times\n",
			path, latency->worst[0].request.context->ctx,
			latency->worst[0].request.seqno);
		fprintf(to, "  gpulane report --critical%s %s  what it waited for, step by step\n",
			first_time(latency, SHOW_ROOM(48)), path);
	}
	fprintf(to, "  gpulane report --html page.html %s  the timeline, in a browser\n", path);
}

void show_screen_rest(FILE *to, struct lane_latency *latency,
		      const struct lane_report_options *options)
{
	struct lane_report_options few = *options;

	if (few.rows == SHOW_ROWS)
		few.rows = THREADS;
	screen_engines(to, latency);
	screen_worst(to, latency, options->brevity == 0 ? WORST : options->brevity < 4);
	if (!options->columns || options->columns >= SHOW_CPU_COLUMNS)
		show_cpu_threads(
			&(struct lane_tables){ .to = to, .latency = latency, .options = &few });
	how_to_go_on(to, latency, options);
}
