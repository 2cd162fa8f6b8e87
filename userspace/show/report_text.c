// SPDX-License-Identifier: MIT
// The report for people: the verdict in words, then tables.
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "base/plural.h"
#include "show/report_parts.h"
#include "show/report_tables.h"
#include "show/screen.h"
#include "show/sentence.h"
#include "show/wrap.h"

void show_title(const struct lane_tables *t, const char *text)
{
	fprintf(t->to, t->options->has_colour ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

void show_head(const struct lane_tables *t, const char *title, const char *columns)
{
	show_title(t, title);
	fprintf(t->to, "  %s\n", columns);
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
		fprintf(to, "%s%" PRIu64 " ended without completing",
			told++ ? "; " : "Requests: ", rq->faulted);
	if (!told)
		return;
	if (rq->open)
		fprintf(to, "; %" PRIu64 " %s not complete at the end", rq->open,
			rq->open == 1 ? "was" : "were");
	if (rq->bursts)
		fprintf(to, "; bursts%s: %" PRIu64, rq->maybe_bursts ? ", perhaps" : "",
			rq->bursts);
	fputs(".\n", to);
	if (rq->by_silence)
		fprintf(to,
			"Of %" PRIu64 " of them the least running time assumes that no interrupt "
			"came more than 1 ms late (R13).\n",
			rq->by_silence);
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
static void report_text_span(FILE *to, const struct lane_timeline_figures *f)
{
	uint64_t whole_ns = f->until_ns - f->begin_ns;
	bool goes_on = f->until_ns - f->end_ns > whole_ns / 10;

	fprintf(to, goes_on ? " in the first %s" : " in %s",
		SHOW_DURATION(f->end_ns - f->begin_ns));
	if (goes_on)
		fprintf(to, " of %s", SHOW_DURATION(whole_ns));
}

static void report_text_head(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	const struct lane_timeline_figures *f = &l->figures;
	FILE *to = t->to;

	if (l->is_selective)
		selected(to, l);
	fprintf(to, "%" PRIu64 " event%s", f->events, lane_s(f->events));
	report_text_span(to, f);
	if (l->info.release[0]) {
		fputs(", Linux ", to);
		lane_clean_print(to, l->info.release);
	}
	fputs(".\n", to);
	requests(to, &l->requests);
	if (f->lost_uncounted)
		fprintf(to, "Lost: %" PRIu64 " or more events", l->lost);
	else
		fprintf(to, "Lost: %" PRIu64 " event%s", l->lost, lane_s(l->lost));
	if (l->losses)
		fprintf(to,
			l->losses == 1 ? " in %" PRIu64 " interval of %s"
				       : " in %" PRIu64 " intervals of %s together",
			l->losses, SHOW_DURATION(l->loss_ns));
	fprintf(to, ".\n");
	if (l->ambiguous)
		fprintf(to,
			"Of %" PRIu64 " fence events it is not known whose they are: they tell 32 "
			"bits of their context, which several contexts share.\n",
			l->ambiguous);
	if (f->contradictions)
		fprintf(to,
			"Contradicting what was seen before: %u of %" PRIu64 " events. Something "
			"is missing that no loss announces; what it touches is unknown.\n",
			f->contradictions, f->events);
	show_counter_head(to, l);
	if (f->unseen_switches)
		fprintf(to,
			"Switches of threads are missing: %u time%s a CPU had another thread than "
			"its last switch says (%" PRIu64 " switch%s there).\n",
			f->unseen_switches, lane_s(f->unseen_switches), f->by_kind[LANE_SWITCH],
			f->by_kind[LANE_SWITCH] == 1 ? " is" : "es are");
}

const char *const lane_report_table_names[LANE_TABLE_COUNT] = {
#define T(id, name) [LANE_TABLE_##id] = name,
	LANE_REPORT_TABLES(T)
#undef T
};

static void report_text_write_all(FILE *to, struct lane_latency *latency,
				  const struct lane_report_options *options)
{
	static const unsigned int sentences[SHOW_BREVITIES] = { 6, 6, 6, 4, 3, 2, 1 };
	struct lane_tables t = { .to = to, .latency = latency, .options = options };
	struct lane_sentences s;

	show_sentences_begin(&s, latency, sentences[options->brevity]);
	show_sentences_write(to, &s, options->has_colour);
	report_text_head(&t);
	show_screen_bar(to, latency, options->columns);
	for (int i = 0; i < LANE_TABLE_COUNT; i++)
		if ((options->tables >> i & 1) &&
		    (!lane_table_writers[i].needs_clients || latency->n_clients))
			lane_table_writers[i].write(&t);
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
		report_text_write_all(memory, latency, &fit);
		if (fclose(memory))
			return &lane_enomem;
		fits = fit.tables || show_wrapped(NULL, text, fit.columns) < fit.lines ||
		       fit.brevity == SHOW_BREVITIES - 1;
		if (fits)
			show_wrapped(to, text, fit.columns);
	}
	return NULL;
}

static struct lane_error *report_text_write_text(FILE *to, struct lane_latency *latency,
						 const struct lane_report_options *options)
{
	struct lane_error *err = NULL;

	if (options->columns)
		err = write_screen(to, latency, options);
	else
		report_text_write_all(to, latency, options);
	return err ? err : ferror(to) ? lane_error_errno(errno, "it could not be written") : NULL;
}

const struct lane_report_format lane_report_text = {
	.name = "text",
	.help = "for people: one screen, and tables",
	.write = report_text_write_text,
};
