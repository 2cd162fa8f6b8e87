// SPDX-License-Identifier: MIT
// A time graph: the rows that the view's entries name, their states in the view's colours.
#include "draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "provider.h"

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

static xmlNode *find(xmlNode *parent, const char *name)
{
	for (xmlNode *n = xml_element(parent->children); n; n = xml_element(n->next))
		if (!strcmp((const char *)n->name, name))
			return n;
	return NULL;
}

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

/* The view's definedValue for a number, NULL when it has none. */
static xmlNode *defined(const struct drawing *d, int64_t number)
{
	for (xmlNode *n = xml_element(d->view->children); n; n = xml_element(n->next))
		if (!strcmp((const char *)n->name, "definedValue") &&
		    strtoll(xml_get(n, "value"), NULL, 10) == number)
			return n;
	return NULL;
}

static void draw_interval(const struct drawing *d, const struct state_interval *interval, bool text)
{
	double x = x_of(d, interval->begin_ns), end = x_of(d, interval->end_ns);
	bool number = interval->value.type == STATE_NUMBER;
	xmlNode *how = number ? defined(d, interval->value.number) : NULL;
	const char *name = how ? xml_get(how, "name") : interval->value.text;

	printf("<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>", x,
	       d->y + 3, end - x < 0.3 ? 0.3 : end - x, ROW - 6,
	       how ? xml_get(how, "color") : "#BBBBBB");
	put_text(name);
	printf(" %" PRIu64 " ns</title></rect>\n", interval->end_ns - interval->begin_ns);
	if (text && end - x > 7.0 * (double)strlen(name) + 6)
		label((int)x + 3, d->y + 15, "start", name);
}

/* The text that an entry's <name> says, else the attribute's own name. */
static const char *name_of(xmlNode *entry, struct state_attribute *attribute)
{
	xmlNode *name = find(entry, "name");
	struct state_attribute *from;

	if (!name || strcmp(xml_get(name, "type"), "constant"))
		return attribute->name;
	from = state_child(attribute, xml_get(name, "value"), false);
	if (!from || !from->n_intervals || from->intervals[0].value.type != STATE_TEXT)
		return attribute->name;
	return from->intervals[0].value.text;
}

static void draw_entries(struct drawing *d, xmlNode *parent, struct state_attribute *from,
			 int depth);

static void draw_row(struct drawing *d, xmlNode *entry, struct state_attribute *attribute,
		     int depth)
{
	bool text = !strcmp(xml_get(entry, "displayText"), "true");
	const char *name = name_of(entry, attribute);
	char both[160];

	snprintf(both, sizeof(both), name == attribute->name ? "%s" : "%s (%s)", name,
		 attribute->name);
	label(MARGIN + 12 * depth, d->y + 15, "start", both);
	for (size_t i = 0; i < attribute->n_intervals; i++)
		draw_interval(d, &attribute->intervals[i], text);
	d->y += ROW;
	draw_entries(d, entry, attribute, depth + 1);
}

/* The attributes that a path with wildcards leads to. */
static void follow(struct drawing *d, xmlNode *entry, const char *path,
		   struct state_attribute *from, int depth)
{
	size_t length = strcspn(path, "/");
	char part[64];

	if (!*path) {
		draw_row(d, entry, from, depth);
		return;
	}
	snprintf(part, sizeof(part), "%.*s", (int)length, path);
	path += length + (path[length] == '/');
	for (size_t i = 0; i < from->n_children; i++) {
		struct state_attribute *child = from->children[i];

		if (strcmp(part, "*") ? !strcmp(part, child->name)
				      : child->n_children || child->n_intervals)
			follow(d, entry, path, child, depth);
	}
}

static void draw_entries(struct drawing *d, xmlNode *parent, struct state_attribute *from,
			 int depth)
{
	for (xmlNode *n = xml_element(parent->children); n; n = xml_element(n->next))
		if (!strcmp((const char *)n->name, "entry"))
			follow(d, n, xml_get(n, "path"), from, depth);
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
	char scale[96];

	d.view = find(xmlDocGetRootElement(document), "timeGraphView");
	if (!memory || !d.view)
		exit(1);
	stdout = memory;
	label(MARGIN, 22, "start", xml_get(find(find(d.view, "head"), "label"), "value"));
	snprintf(scale, sizeof(scale), "%.3f ms",
		 (double)(system->end_ns - system->begin_ns) / 1e6);
	label(WIDTH - MARGIN, 44, "end", scale);
	label(NAMES, 44, "start", "0");
	draw_entries(&d, d.view, (struct state_attribute *)&system->root, 0);
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
