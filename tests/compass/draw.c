// SPDX-License-Identifier: MIT
// A time graph: the rows that the view's entries name, their states in the view's colours.
#include "draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "provider.h"
#include "view.h"

enum {
	ROW = 22,
	NAMES = 200,
	WIDTH = 1200,
	MARGIN = 10,
	HEAD = 56,
};

struct drawing {
	xmlNode *view;
	const struct state_system *system;
	int y;
};

static void put_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '<' || *text == '&' || *text == '>')
			printf("&#%d;", *text);
		else
			putchar(*text);
	}
}

static void label(int x, int y, const char *anchor, const char *text)
{
	printf("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
	put_text(text);
	puts("</text>");
}

static double x_of(const struct drawing *d, uint64_t ns)
{
	double all = (double)(d->system->end_ns - d->system->begin_ns);

	return NAMES +
	       (WIDTH - NAMES - MARGIN) * (double)(ns - d->system->begin_ns) / (all > 0 ? all : 1);
}

static void draw_interval(const struct drawing *d, const struct state_interval *interval, bool text)
{
	double x = x_of(d, interval->begin_ns), end = x_of(d, interval->end_ns);
	bool number = interval->value.type == STATE_NUMBER;
	xmlNode *how = number ? view_defined(d->view, interval->value.number) : NULL;
	const char *name = how ? xml_get(how, "name") : interval->value.text;

	printf("<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>", x,
	       d->y + 3, end - x < 0.3 ? 0.3 : end - x, ROW - 6,
	       how ? xml_get(how, "color") : "#BBBBBB");
	put_text(name);
	printf(" %" PRIu64 " ns</title></rect>\n", interval->end_ns - interval->begin_ns);
	/* Only what has a definedValue has its name on it. */
	if (text && how && end - x > 7.0 * (double)strlen(name) + 6)
		label((int)x + 3, d->y + 15, "start", name);
}

static void draw_row(struct drawing *d, const struct view_row *row)
{
	label(MARGIN + 12 * row->depth, d->y + 15, "start", row->name);
	for (size_t i = 0; i < row->attribute->n_intervals; i++)
		draw_interval(d, &row->attribute->intervals[i], row->text);
	d->y += ROW;
}

static void draw_legend(struct drawing *d)
{
	int x = MARGIN, y = d->y + 16;

	for (xmlNode *n = xml_element(d->view->children); n; n = xml_element(n->next)) {
		int width = 34 + 7 * (int)strlen(xml_get(n, "name"));

		if (strcmp((const char *)n->name, "definedValue"))
			continue;
		if (x + width > WIDTH) {
			x = MARGIN;
			y += ROW;
		}
		printf("<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"14\" fill=\"%s\"/>\n", x, y,
		       xml_get(n, "color"));
		label(x + 20, y + 12, "start", xml_get(n, "name"));
		x += width;
	}
	d->y = y + ROW;
}

/* How many rows there will be is known when they are drawn: the height is said at the end. */
void draw(xmlDoc *document, const struct state_system *system)
{
	struct drawing d = { .system = system, .y = HEAD };
	char *body = NULL;
	size_t size;
	FILE *out = stdout, *memory = open_memstream(&body, &size);
	struct view_rows rows;
	char scale[96];

	d.view = view_find(xmlDocGetRootElement(document), "timeGraphView");
	if (!memory || !d.view)
		exit(1);
	stdout = memory;
	label(MARGIN, 22, "start", xml_get(view_find(view_find(d.view, "head"), "label"), "value"));
	snprintf(scale, sizeof(scale), "%.3f ms",
		 (double)(system->end_ns - system->begin_ns) / 1e6);
	label(WIDTH - MARGIN, 44, "end", scale);
	label(NAMES, 44, "start", "0");
	view_build(d.view, system, &rows);
	for (size_t i = 0; i < rows.n; i++)
		draw_row(&d, rows.rows[i]);
	view_free(&rows);
	draw_legend(&d);
	fclose(memory);
	stdout = out;
	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
	       "font-family=\"sans-serif\" font-size=\"12\">\n"
	       "<rect width=\"100%%\" height=\"100%%\" fill=\"#FFFFFF\"/>\n",
	       WIDTH, d.y);
	fwrite(body, 1, size, stdout);
	puts("</svg>");
	free(body);
}
