// SPDX-License-Identifier: MIT
// Entries to rows, as Trace Compass's DataDrivenOutputEntry, XmlTimeGraphView and
// XmlPresentationProvider do it (2026).
#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "provider.h"

xmlNode *view_find(xmlNode *parent, const char *name)
{
	for (xmlNode *n = xml_element(parent->children); n; n = xml_element(n->next))
		if (!strcmp((const char *)n->name, name))
			return n;
	return NULL;
}

xmlNode *view_defined(xmlNode *view, int64_t number)
{
	for (xmlNode *n = xml_element(view->children); n; n = xml_element(n->next))
		if (!strcmp((const char *)n->name, "definedValue") &&
		    strtoll(xml_get(n, "value"), NULL, 10) == number)
			return n;
	return NULL;
}

/*
 * The entry's <name> is a path from the attribute: the row's name is the first value there that is
 * not null, whatever it is; `self` is the attribute's own first value, not its name. Without a
 * value, and without a <name>, it is the attribute's name.
 */
static void set_name(xmlNode *entry, struct view_row *row)
{
	xmlNode *name = view_find(entry, "name");
	struct state_attribute *from = row->attribute;

	if (name && !strcmp(xml_get(name, "type"), "constant"))
		from = state_child(from, xml_get(name, "value"), false);
	snprintf(row->name, sizeof(row->name), "%s", row->attribute->name);
	if (!name || !from || !from->n_intervals)
		return;
	if (from->intervals[0].value.type == STATE_NUMBER)
		snprintf(row->name, sizeof(row->name), "%lld",
			 (long long)from->intervals[0].value.number);
	else if (from->intervals[0].value.text[0])
		snprintf(row->name, sizeof(row->name), "%s", from->intervals[0].value.text);
}

/* Rows stand in the order of their numbers where both are numbers, else of their names. */
static int by_name(const void *a, const void *b)
{
	const struct view_row *x = *(struct view_row *const *)a, *y = *(struct view_row *const *)b;
	char *x_end, *y_end;
	long long n = strtoll(x->name, &x_end, 0), m = strtoll(y->name, &y_end, 0);

	if (*x->name && *y->name && !*x_end && !*y_end)
		return (n > m) - (n < m);
	return strcmp(x->name, y->name);
}

static void append(struct view_rows *rows, struct view_row *row)
{
	rows->rows = reallocarray(rows->rows, rows->n + 1, sizeof(*rows->rows));
	if (!rows->rows)
		exit(1);
	rows->rows[rows->n++] = row;
}

/* The attributes that a path with wildcards leads to: every one, whether it ever had a value. */
static void follow(struct view_rows *found, xmlNode *entry, const char *path,
		   struct state_attribute *from, const struct view_row *parent)
{
	size_t length = strcspn(path, "/");
	char part[64];

	if (!*path) {
		struct view_row *row = calloc(1, sizeof(*row));

		if (!row)
			exit(1);
		row->entry = entry;
		row->attribute = from;
		row->parent = parent;
		row->depth = parent ? parent->depth + 1 : 0;
		row->text = !strcmp(xml_get(entry, "displayText"), "true");
		set_name(entry, row);
		append(found, row);
		return;
	}
	snprintf(part, sizeof(part), "%.*s", (int)length, path);
	path += length + (path[length] == '/');
	for (size_t i = 0; i < from->n_children; i++)
		if (!strcmp(part, "*") || !strcmp(part, from->children[i]->name))
			follow(found, entry, path, from->children[i], parent);
}

/* The rows of the entries below an element, each with those below it. */
static void build(struct view_rows *rows, xmlNode *above, struct state_attribute *from,
		  const struct view_row *parent)
{
	struct view_rows found = { 0 };

	for (xmlNode *n = xml_element(above->children); n; n = xml_element(n->next))
		if (!strcmp((const char *)n->name, "entry"))
			follow(&found, n, xml_get(n, "path"), from, parent);
	if (found.n)
		qsort(found.rows, found.n, sizeof(*found.rows), by_name);
	for (size_t i = 0; i < found.n; i++) {
		append(rows, found.rows[i]);
		build(rows, found.rows[i]->entry, found.rows[i]->attribute, found.rows[i]);
	}
	free(found.rows);
}

void view_build(xmlNode *view, const struct state_system *system, struct view_rows *rows)
{
	memset(rows, 0, sizeof(*rows));
	build(rows, view, (struct state_attribute *)&system->root, NULL);
}

void view_free(struct view_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free(rows->rows[i]);
	free(rows->rows);
}

static bool is_view(const xmlNode *node)
{
	return !strcmp((const char *)node->name, "timeGraphView") ||
	       !strcmp((const char *)node->name, "xyView");
}

static const char *title(xmlNode *view)
{
	return xml_get(view_find(view_find(view, "head"), "label"), "value");
}

void view_print(xmlDoc *document, const struct state_system *system)
{
	xmlNode *root = xmlDocGetRootElement(document);

	for (xmlNode *view = xml_element(root->children); view; view = xml_element(view->next)) {
		struct view_rows rows;

		if (!is_view(view))
			continue;
		view_build(view, system, &rows);
		printf("%s\n", title(view));
		for (size_t i = 0; i < rows.n; i++)
			printf("%*s%s\n", 2 + 2 * rows.rows[i]->depth, "", rows.rows[i]->name);
		view_free(&rows);
	}
}

/* Text has no text in the picture; a number without a definedValue is shown as that number. */
static bool check_states(xmlNode *view, const struct view_row *row, FILE *to)
{
	for (size_t i = 0; i < row->attribute->n_intervals; i++) {
		const struct state_value *value = &row->attribute->intervals[i].value;

		if (value->type == STATE_NUMBER && view_defined(view, value->number))
			continue;
		fprintf(to, "%s: row %s: a state without a name\n", title(view), row->name);
		return false;
	}
	return true;
}

static bool check_names(xmlNode *view, const struct view_rows *rows, FILE *to)
{
	bool good = true;

	for (size_t i = 0; i < rows->n; i++)
		for (size_t j = i + 1; j < rows->n && rows->rows[j]->depth >= rows->rows[i]->depth;
		     j++)
			if (rows->rows[i]->parent == rows->rows[j]->parent &&
			    !strcmp(rows->rows[i]->name, rows->rows[j]->name)) {
				fprintf(to, "%s: two rows %s\n", title(view), rows->rows[i]->name);
				good = false;
				break;
			}
	return good;
}

bool view_check(xmlDoc *document, const struct state_system *system, FILE *to)
{
	xmlNode *root = xmlDocGetRootElement(document);
	bool good = true;

	for (xmlNode *view = xml_element(root->children); view; view = xml_element(view->next)) {
		struct view_rows rows;

		if (!is_view(view))
			continue;
		view_build(view, system, &rows);
		good &= check_names(view, &rows, to);
		for (size_t i = 0; i < rows.n; i++)
			if (!strcmp((const char *)view->name, "timeGraphView"))
				good &= check_states(view, rows.rows[i], to);
		view_free(&rows);
	}
	return good;
}
