// SPDX-License-Identifier: MIT
// Two sides compared, in words.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clean.h"
#include "base/plural.h"
#include "show/diff.h"
#include "show/report.h"

struct diff_writing {
	FILE *to;
	const struct compare_result *r;
	const struct lane_diff_options *options;
	bool has_head; /* of the part that is written */
	const char *head;
	bool has_said; /* anything that differs */
};

#define DIFF_ROW(row) show_diff_row(row, SHOW_ROOM(256))

const char *show_diff_row(const struct compare_row *row, char *buffer, size_t size)
{
	const struct compare_thing *thing = row->any;

	switch (thing->kind) {
	case COMPARE_REQUESTS:
		snprintf(buffer, size, "%s's requests%s%s", thing->who, *thing->what ? " on " : "",
			 thing->what);
		break;
	case COMPARE_KERNEL:
		snprintf(buffer, size, "%s's runs of kernel %s", thing->who, thing->what);
		break;
	case COMPARE_ENGINE:
		snprintf(buffer, size, "%s", thing->what);
		break;
	case COMPARE_PROCESS:
		snprintf(buffer, size, "%s", thing->who);
		break;
	case COMPARE_ANSWER:
		snprintf(buffer, size, "%s%s%s%s%s", thing->what, *thing->who ? ": " : "",
			 thing->who, *thing->by ? ", by " : "", thing->by);
		break;
	}
	return lane_clean(buffer, LANE_CLEAN_LINE);
}

static void diff_text_head(struct diff_writing *w)
{
	if (!w->has_head)
		fprintf(w->to, "\n%s%s%s\n", w->options->has_colour ? "\033[1m" : "", w->head,
			w->options->has_colour ? "\033[0m" : "");
	w->has_head = w->has_said = true;
}

static void begin_part(struct diff_writing *w, const char *text)
{
	w->has_head = false;
	w->head = text;
}

static const char *diff_text_value_text(int quantity, double value, char *buffer, size_t size)
{
	switch (compare_quantity_unit(quantity)) {
	case COMPARE_IN_NS:
		return show_duration((uint64_t)value, buffer, size);
	case COMPARE_A_SECOND:
		snprintf(buffer, size, "%.3g a second", value);
		break;
	case COMPARE_OF_TIME:
		snprintf(buffer, size, "%.0f %% of the time", value * 100);
		break;
	}
	return buffer;
}

#define VALUE(quantity, value) diff_text_value_text(quantity, value, SHOW_ROOM(48))

/* In per cent; of shares in points. */
static double percent_of(int quantity, double change)
{
	return 100 * (compare_quantity_unit(quantity) == COMPARE_OF_TIME ? change : change - 1);
}

static const char *percent_unit(int quantity)
{
	return compare_quantity_unit(quantity) == COMPARE_OF_TIME ? "points" : "%";
}

static double change_of(int quantity, const struct compare_test *test)
{
	return compare_quantity_unit(quantity) == COMPARE_OF_TIME ? test->new - test->base
								  : test->new / test->base;
}

/* "+12 %", or "+12 points" */
static const char *change_text(int quantity, const struct compare_test *test, char *buffer,
			       size_t size)
{
	snprintf(buffer, size, "%+.0f %s", percent_of(quantity, change_of(quantity, test)),
		 percent_unit(quantity));
	return buffer;
}

#define CHANGE(quantity, test) change_text(quantity, test, SHOW_ROOM(48))

/* Of what there was next to nothing of no part can be told. */
static bool has_change(int quantity, const struct compare_test *test)
{
	return compare_quantity_unit(quantity) == COMPARE_IN_NS ? test->base >= 1000
								: test->base > 0;
}

/* "+8 to +16 %" */
static const char *interval_text(int quantity, const struct compare_test *test, char *buffer,
				 size_t size)
{
	if (!has_change(quantity, test) || !isfinite(test->change.lo) || !isfinite(test->change.hi))
		return "";
	snprintf(buffer, size, "%+.0f to %+.0f %s", percent_of(quantity, test->change.lo),
		 percent_of(quantity, test->change.hi), percent_unit(quantity));
	return buffer;
}

#define INTERVAL(quantity, test) interval_text(quantity, test, SHOW_ROOM(64))

/* "1.20 ms, was 0.96 ms: +25 % (+20 to +31 %)" */
static void write_values(struct diff_writing *w, int quantity, const struct compare_test *test)
{
	fprintf(w->to, "%s, was %s", VALUE(quantity, test->new), VALUE(quantity, test->base));
	if (compare_quantity_unit(quantity) != COMPARE_OF_TIME && has_change(quantity, test))
		fprintf(w->to, ": %s", CHANGE(quantity, test));
	if (test->change.hi - test->change.lo >= 0.01 && isfinite(test->change.hi) &&
	    has_change(quantity, test))
		fprintf(w->to, " (%s)", INTERVAL(quantity, test));
}

/* What is told of items: first one figure, then further ones that differ, then where. */
static void write_items(struct diff_writing *w, const struct compare_row *row, int first,
			enum compare_verdict verdict)
{
	int stage = compare_row_stage(row, verdict);
	const char *name = compare_quantity_name(row->any->kind, first);

	if (first == COMPARE_RATE)
		fputs(", ", w->to);
	else if (first >= COMPARE_STAGE)
		fprintf(w->to, ", in %s, each: ", name);
	else
		fprintf(w->to, ", %s: ", name);
	write_values(w, first, &row->tests[first]);
	for (int q = first + 1; first < COMPARE_RATE && q <= COMPARE_P99; q++)
		if (row->tests[q].is_made && row->tests[q].verdict == verdict &&
		    has_change(q, &row->tests[q]))
			fprintf(w->to, "; %s %s", compare_quantity_name(row->any->kind, q),
				CHANGE(q, &row->tests[q]));
	if (stage >= 0 && stage != first)
		fprintf(w->to, "; most of it in %s: %s each, was %s",
			compare_quantity_name(row->any->kind, stage),
			VALUE(stage, row->tests[stage].new), VALUE(stage, row->tests[stage].base));
}

static void write_row(struct diff_writing *w, const struct compare_row *row,
		      enum compare_verdict verdict)
{
	int first = compare_row_first(row, verdict);

	fprintf(w->to, "  %s", DIFF_ROW(row));
	if (first == COMPARE_BUSY)
		fputs(" was busy: ", w->to);
	else if (first == COMPARE_ON_CPU)
		fputs(" was on a CPU: ", w->to);
	else if (first == COMPARE_RUNNABLE)
		fputs(" waited for a CPU: ", w->to);
	if (first == COMPARE_BUSY || first == COMPARE_ON_CPU || first == COMPARE_RUNNABLE)
		write_values(w, first, &row->tests[first]);
	else
		write_items(w, row, first, verdict);
	fputc('\n', w->to);
}

/* --- parts --- */

static void write_side(struct diff_writing *w, unsigned int side)
{
	const struct compare_recording *of = w->r->recordings + side * w->r->n[0];

	fprintf(w->to, "%s:", side ? "new" : "base");
	for (unsigned int i = 0; i < w->r->n[side]; i++) {
		fputc(' ', w->to);
		lane_clean_print(w->to, of[i].path);
	}
	fputc('\n', w->to);
}

static void write_claim(struct diff_writing *w)
{
	const struct compare_result *r = w->r;

	write_side(w, 0);
	write_side(w, 1);
	if (r->is_tested)
		fprintf(w->to,
			"What is worse, better or changed below differs by more than chance makes "
			"such recordings differ. The risk that any of it is wrong is %.0f %%.\n",
			100 * COMPARE_LEVEL);
	else if (r->n[0] == 1 && r->n[1] == 1)
		fputs("These two recordings differ as below. Whether a change made them differ, "
		      "one "
		      "recording of each cannot tell: 4 of each can.\n",
		      w->to);
	else
		fputs("What is below holds between all recordings of one side and all of the "
		      "other. "
		      "Whether it was chance, so few cannot tell: 4 of each can.\n",
		      w->to);
}

static void write_verdict(struct diff_writing *w, enum compare_verdict verdict, const char *text)
{
	unsigned int n = 0, more = 0;

	begin_part(w, text);
	for (uint32_t i = 0; i < w->r->n_rows; i++) {
		const struct compare_row *row = &w->r->rows[i];

		if (row->any->kind == COMPARE_ANSWER || compare_row_first(row, verdict) < 0)
			continue;
		if (w->options->rows && n == w->options->rows) {
			more++;
			continue;
		}
		diff_text_head(w);
		write_row(w, row, verdict);
		n++;
	}
	if (more)
		fprintf(w->to, "  %u more: --all\n", more);
}

static void write_one_side(struct diff_writing *w, unsigned int side, const char *text)
{
	begin_part(w, text);
	for (uint32_t i = 0; i < w->r->n_rows; i++) {
		const struct compare_row *row = &w->r->rows[i];

		if (row->any->kind == COMPARE_ANSWER || row->n_of[!side] ||
		    row->n_of[side] < w->r->n[side] || row->any->kind == COMPARE_PROCESS)
			continue;
		diff_text_head(w);
		fprintf(w->to, "  %s", DIFF_ROW(row));
		if (row->time_share)
			fprintf(w->to, ", %.2g of them at once on average", row->time_share);
		fputc('\n', w->to);
	}
}

static void write_causes(struct diff_writing *w)
{
	begin_part(w, "Causes (`gpulane help NAME` says what each is)");
	for (uint32_t i = 0; i < w->r->n_rows; i++) {
		const struct compare_row *row = &w->r->rows[i];
		const struct compare_test *test = &row->tests[COMPARE_COST];

		if (row->any->kind != COMPARE_ANSWER || test->verdict == COMPARE_ALIKE)
			continue;
		diff_text_head(w);
		fprintf(w->to, "  %s: ", DIFF_ROW(row));
		if (row->n_of[0] && row->n_of[1])
			fputs("in both", w->to);
		else
			fprintf(w->to, "in %s only", row->n_of[1] ? "new" : "base");
		if (fmax(test->new, test->base) >= 0.005)
			fprintf(w->to, "; it cost at least %.0f %% of the time, was %.0f %%",
				100 * test->new, 100 * test->base);
		fputc('\n', w->to);
	}
}

static void write_beside(void *arg, const char *name, const char *base, const char *new)
{
	struct diff_writing *w = arg;
	bool has_said = w->has_said;

	diff_text_head(w);
	w->has_said = has_said;
	fprintf(w->to, "  %s: %s, was %s\n", name, new, base);
}

static void diff_text_write_all(struct diff_writing *w)
{
	static const char *const verdicts[] = { [COMPARE_ALIKE] = "alike",
						[COMPARE_WORSE] = "worse",
						[COMPARE_BETTER] = "better",
						[COMPARE_OTHER] = "differs",
						[COMPARE_UNTOLD] = "cannot be told" };

	fprintf(w->to, "\n%-44s %-13s %16s %16s %22s %6s  %s\n", "what", "figure", "base", "new",
		"change", "p", "");
	for (uint32_t i = 0; i < w->r->n_rows; i++)
		for (int q = 0; q < COMPARE_QUANTITY_COUNT; q++) {
			const struct compare_row *row = &w->r->rows[i];
			const struct compare_test *test = &row->tests[q];
			char p[16] = "";

			if (!test->is_made)
				continue;
			if (test->p < 1)
				snprintf(p, sizeof(p), "%.3f", test->p);
			fprintf(w->to, "%-44s %-13s %16s %16s %22s %6s  %s\n", DIFF_ROW(row),
				compare_quantity_name(row->any->kind, q), VALUE(q, test->base),
				VALUE(q, test->new), INTERVAL(q, test), p, verdicts[test->verdict]);
		}
}

struct lane_error *show_diff_text(FILE *to, const struct compare_result *result,
				  const struct lane_diff_options *options)
{
	struct diff_writing w = { .to = to, .r = result, .options = options };

	write_claim(&w);
	write_verdict(&w, COMPARE_WORSE, "Worse");
	write_verdict(&w, COMPARE_BETTER, "Better");
	write_verdict(&w, COMPARE_OTHER, "Changed, neither better nor worse");
	write_one_side(&w, 1, "In new only");
	write_one_side(&w, 0, "In base only");
	write_causes(&w);
	if (!w.has_said)
		fputs("\nNo difference is shown.\n", to);
	write_verdict(&w, COMPARE_UNTOLD,
		      "Cannot be told: what is not known is larger than the difference");
	begin_part(&w, "Beside that they differ in");
	show_diff_beside(result, write_beside, &w);
	fprintf(to, "\nOf %u other figure%s no difference of 5 %% could be shown%s.\n",
		result->alike, lane_s(result->alike), options->has_all ? "" : " (--all: each one)");
	if (options->has_all)
		diff_text_write_all(&w);
	return ferror(to) ? lane_error("it could not be written") : NULL;
}
