// SPDX-License-Identifier: MIT
// Two sides compared, as a page: the words, and of what was done again and again how long it took
// on both sides, and when. No script: it is drawn here.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "show/diff.h"
#include "show/html_assets.h"
#include "show/report.h"

enum {
	ROWS_MOST = 24,
	WIDTH = 960,
	CHART = 72,	/* the height of one side's bars */
	LANE = 36,	/* of one side's line of a timeline */
	NARROWEST = 12, /* bins of a histogram */
};

struct diff_page {
	FILE *to;
	const struct compare_result *r;
	double whole_s; /* the longer one of the two recordings whose timelines are drawn */
};

static const char *const sides[] = { "base", "new" };

/* Nothing runs, and nothing is fetched. */
static const char page_policy[] =
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"style-src 'unsafe-inline'; img-src data:\">\n";

static const char page_style[] =
	"svg { display: block; width: 100%; height: auto; }\n"
	"svg text { font-size: 12px; fill: var(--dim); }\n"
	".base { fill: var(--c1); } .new { fill: var(--c6); }\n"
	".axis { stroke: var(--line); }\n"
	"pre { white-space: pre-wrap; overflow-wrap: anywhere; }\n"
	"i.key { display: inline-block; width: .8em; height: .8em; }\n"
	"i.base { background: var(--c1); } i.new { background: var(--c6); }\n";

static void put_label(struct diff_page *p, double x, double y, const char *anchor, const char *text)
{
	fprintf(p->to, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\">", x, y, anchor);
	show_html_text(p->to, text);
	fputs("</text>\n", p->to);
}

/* --- how long --- */

/* Adds the items of one recording; those that are kept stand for all. */
static double add_shape(double shape[COMPARE_SHAPE], const struct compare_thing *thing)
{
	double kept = 0;

	for (int bin = 0; bin < COMPARE_SHAPE; bin++)
		kept += thing->shape[bin];
	for (int bin = 0; kept > 0 && bin < COMPARE_SHAPE; bin++)
		shape[bin] += thing->shape[bin] * (double)thing->count / kept;
	return kept > 0 ? (double)thing->count : 0;
}

/* The items of a side by how long they took, as shares. False: there are none. */
static bool shape_of(const struct diff_page *p, const struct compare_row *row, unsigned int side,
		     double shape[COMPARE_SHAPE])
{
	double sum = 0;

	memset(shape, 0, COMPARE_SHAPE * sizeof(*shape));
	for (unsigned int i = 0; i < p->r->n[side]; i++)
		if (row->of[side * p->r->n[0] + i])
			sum += add_shape(shape, row->of[side * p->r->n[0] + i]);
	for (int bin = 0; sum > 0 && bin < COMPARE_SHAPE; bin++)
		shape[bin] /= sum;
	return sum > 0;
}

/* Base's bars stand on the axis, new's hang below it. */
static void put_bars(struct diff_page *p, const double *shape, unsigned int side, int first, int n,
		     double most)
{
	double wide = (double)WIDTH / n;

	for (int bin = 0; bin < n; bin++) {
		double high = shape[first + bin] / most * CHART;

		if (shape[first + bin] <= 0)
			continue;
		fprintf(p->to,
			"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">"
			"<title>%s: %.1f %% of those whose time is known took %s",
			sides[side], bin * wide, side ? CHART : CHART - high, wide - 1, high,
			sides[side], 100 * shape[first + bin],
			SHOW_DURATION((uint64_t)exp2((first + bin) / 4.0)));
		if (first + bin + 1 < COMPARE_SHAPE)
			fprintf(p->to, " to %s",
				SHOW_DURATION((uint64_t)exp2((first + bin + 1) / 4.0)));
		else
			fputs(" or longer", p->to);
		fputs("</title></rect>\n", p->to);
	}
}

static void put_histogram(struct diff_page *p, const struct compare_row *row)
{
	double shape[2][COMPARE_SHAPE], most = 0;
	int first = COMPARE_SHAPE, last = 0;
	bool is_there[2];

	for (unsigned int side = 0; side < 2; side++)
		is_there[side] = shape_of(p, row, side, shape[side]);
	for (int bin = 0; bin < COMPARE_SHAPE; bin++) {
		double high = fmax(shape[0][bin], shape[1][bin]);

		if (high <= 0)
			continue;
		first = bin < first ? bin : first;
		last = bin;
		most = fmax(most, high);
	}
	if (!is_there[0] && !is_there[1])
		return;
	while (last - first < NARROWEST && last - first < COMPARE_SHAPE - 1) {
		first -= first > 0;
		last += last < COMPARE_SHAPE - 1;
	}
	fprintf(p->to,
		"<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"How long they took\">\n",
		WIDTH, 2 * CHART + 18);
	for (unsigned int side = 0; side < 2; side++)
		put_bars(p, shape[side], side, first, last - first + 1, most);
	fprintf(p->to, "<line class=\"axis\" x1=\"0\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", WIDTH,
		CHART, CHART);
	put_label(p, 0, 2 * CHART + 14, "start", SHOW_DURATION((uint64_t)exp2(first / 4.0)));
	put_label(p, WIDTH / 2.0, 2 * CHART + 14, "middle",
		  SHOW_DURATION((uint64_t)exp2((first + last + 1) / 8.0)));
	put_label(p, WIDTH, 2 * CHART + 14, "end", SHOW_DURATION((uint64_t)exp2((last + 1) / 4.0)));
	fputs("</svg>\n", p->to);
}

/* --- when --- */

/* How many of the items of the side's first recording were under way, in each column. */
static double columns_of(const struct diff_page *p, const struct compare_row *row,
			 unsigned int side, double columns[WIDTH])
{
	const struct compare_recording *recording = &p->r->recordings[side * p->r->n[0]];
	const struct compare_thing *thing = row->of[side * p->r->n[0]];
	const struct compare_series *series =
		thing && thing->series && thing->series->n_kept ? thing->series : NULL;
	double column_ns = p->whole_s * 1e9 / WIDTH, most = 0;

	memset(columns, 0, WIDTH * sizeof(*columns));
	for (uint32_t i = 0; series && i < series->n_kept; i++) {
		const struct compare_item *item = &series->kept[i];
		double from = ((double)item->at_ns - (double)recording->begin_ns) / column_ns;
		double to = from + (double)item->of[0].lo / column_ns;

		if (isinf(item->of[0].hi))
			continue;
		for (int x = (int)fmax(from, 0); x < to && x < WIDTH; x++)
			columns[x] += fmin(to, x + 1) - fmax(from, x);
	}
	for (int x = 0; series && x < WIDTH; x++) {
		columns[x] *= (double)series->count / series->n_kept;
		most = fmax(most, columns[x]);
	}
	return most;
}

static void put_timeline(struct diff_page *p, const struct compare_row *row)
{
	double columns[2][WIDTH], most = 0;

	for (unsigned int side = 0; side < 2; side++)
		most = fmax(most, columns_of(p, row, side, columns[side]));
	if (most <= 0)
		return;
	fprintf(p->to, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"When\">\n", WIDTH,
		2 * LANE + 18);
	for (unsigned int side = 0; side < 2; side++) {
		int floor = (int)(side + 1) * LANE;
		double at = -1;

		fprintf(p->to, "<path class=\"%s\" d=\"M0 %d", sides[side], floor);
		for (int x = 0; x < WIDTH; x++) {
			double high = columns[side][x] / most * (LANE - 4);

			if (high != at)
				fprintf(p->to, "H%dV%.1f", x, floor - high);
			at = high;
		}
		fprintf(p->to, "H%dV%dZ\"><title>%s</title></path>\n", WIDTH, floor, sides[side]);
		fprintf(p->to, "<line class=\"axis\" x1=\"0\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n",
			WIDTH, floor, floor);
	}
	put_label(p, 0, 2 * LANE + 14, "start", "0 s");
	put_label(p, WIDTH, 2 * LANE + 14, "end", SHOW_DURATION((uint64_t)(p->whole_s * 1e9)));
	fputs("</svg>\n", p->to);
}

static uint64_t items_of(const struct diff_page *p, const struct compare_row *row,
			 unsigned int side)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < p->r->n[side]; i++)
		if (row->of[side * p->r->n[0] + i])
			n += row->of[side * p->r->n[0] + i]->count;
	return n;
}

static void diff_html_put_row(struct diff_page *p, const struct compare_row *row)
{
	fputs("<section class=\"card\"><h2>", p->to);
	show_html_text(p->to, show_diff_row(row, SHOW_ROOM(256)));
	fprintf(p->to,
		"</h2>\n<p><i class=\"key base\"></i> base: %" PRIu64
		" &nbsp; <i class=\"key new\"></i> new: %" PRIu64 "</p>\n<h3>How long</h3>\n",
		items_of(p, row, 0), items_of(p, row, 1));
	put_histogram(p, row);
	fputs("<h3>When: how many were under way</h3>\n", p->to);
	put_timeline(p, row);
	fputs("</section>\n", p->to);
}

/* The words of the text, as they stand there. */
static struct lane_error *put_words(struct diff_page *p, const struct lane_diff_options *options)
{
	struct lane_diff_options plain = *options;
	LANE_CLEANUP(lane_free) char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);
	struct lane_error *err;

	if (!memory)
		return &lane_enomem;
	plain.has_colour = false;
	err = show_diff_text(memory, p->r, &plain);
	if (fclose(memory) && !err)
		err = &lane_enomem;
	if (err)
		return err;
	fputs("<section class=\"card\"><pre>", p->to);
	show_html_text(p->to, text);
	fputs("</pre></section>\n", p->to);
	return NULL;
}

struct lane_error *show_diff_html(FILE *to, const struct compare_result *result,
				  const struct lane_diff_options *options)
{
	struct diff_page p = { .to = to, .r = result };
	struct lane_error *err;
	unsigned int n = 0;

	p.whole_s = fmax(result->recordings[0].whole_s, result->recordings[result->n[0]].whole_s);
	fputs(lane_html_head, to);
	fputs(page_policy, to);
	fputs("<title>base and new - gpulane diff</title>\n<style>\n", to);
	fputs(lane_html_style, to);
	fputs(page_style, to);
	fputs("</style>\n</head>\n<body>\n<div class=\"top\"><div><h1>Base and new, "
	      "compared</h1></div></div>\n<main>\n",
	      to);
	err = put_words(&p, options);
	for (uint32_t i = 0; !err && i < result->n_rows && n < ROWS_MOST; i++) {
		const struct compare_row *row = &result->rows[i];

		if (row->any->kind != COMPARE_REQUESTS && row->any->kind != COMPARE_KERNEL)
			continue;
		diff_html_put_row(&p, row);
		n++;
	}
	if (err)
		return err;
	fprintf(to,
		"<p>Times are on a scale of powers of two. Timelines are those of the first "
		"recording of "
		"each side, from its begin on, on one axis; of more than %d items they are made of "
		"that many, drawn by chance.</p>\n</main>\n</body>\n</html>\n",
		COMPARE_KEPT);
	return ferror(to) ? lane_error("it could not be written") : NULL;
}
