/* SPDX-License-Identifier: MIT */
/* The rows and series of a view, named and ordered as Trace Compass does it. */
#ifndef LANE_TESTS_COMPASS_VIEW_H
#define LANE_TESTS_COMPASS_VIEW_H

#include <libxml/tree.h>
#include <stdbool.h>
#include <stdio.h>

#include "state.h"

/* One row. Its name is what people read: nothing else of the attribute is shown. */
struct view_row {
	xmlNode *entry;
	struct state_attribute *attribute; /* whose states it shows */
	const struct view_row *parent;	   /* NULL: the trace */
	char name[80];
	int depth;
	bool text; /* states have their names written on them */
};

struct view_rows {
	struct view_row **rows; /* in the order they are shown in, all of them open */
	size_t n;
};

/* The element of this name below another, NULL when there is none. */
xmlNode *view_find(xmlNode *parent, const char *name);

/* The rows of a timeGraphView, or the series of an xyView. */
void view_build(xmlNode *view, const struct state_system *system, struct view_rows *rows);

void view_free(struct view_rows *rows);

/* The view's definedValue for a number, NULL when it has none. */
xmlNode *view_defined(xmlNode *view, int64_t number);

/* Prints the rows of all views of a document: the view, then a row a line, indented. */
void view_print(xmlDoc *document, const struct state_system *system);

/* Prints what nobody could read in a document's views, a line each; true when there is nothing. */
bool view_check(xmlDoc *document, const struct state_system *system, FILE *to);

#endif
