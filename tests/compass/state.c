// SPDX-License-Identifier: MIT
// A state system in memory.
#include "state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *pointer)
{
	if (!pointer) {
		fprintf(stderr, "no memory\n");
		exit(1);
	}
	return pointer;
}

struct state_attribute *state_child(struct state_attribute *parent, const char *name, bool create)
{
	struct state_attribute *child;
	size_t low = 0, high = parent->n_children;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strverscmp(parent->children[middle]->name, name);

		if (!order)
			return parent->children[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (!create)
		return NULL;
	child = checked(calloc(1, sizeof(*child)));
	child->name = checked(strdup(name));
	child->parent = parent;
	parent->children = checked(
		reallocarray(parent->children, parent->n_children + 1, sizeof(*parent->children)));
	memmove(parent->children + low + 1, parent->children + low,
		(parent->n_children - low) * sizeof(*parent->children));
	parent->children[low] = child;
	parent->n_children++;
	return child;
}

static bool equal(const struct state_value *a, const struct state_value *b)
{
	if (a->type != b->type)
		return false;
	if (a->type == STATE_NUMBER)
		return a->number == b->number;
	return a->type == STATE_NULL || !strcmp(a->text, b->text);
}

static void keep(struct state_attribute *attribute, uint64_t end_ns)
{
	if (attribute->value.type == STATE_NULL || end_ns <= attribute->since_ns)
		return;
	/* In powers of two. */
	if (!(attribute->n_intervals & (attribute->n_intervals - 1)))
		attribute->intervals = checked(
			reallocarray(attribute->intervals,
				     attribute->n_intervals ? 2 * attribute->n_intervals : 1,
				     sizeof(*attribute->intervals)));
	attribute->intervals[attribute->n_intervals++] =
		(struct state_interval){ attribute->since_ns, end_ns, attribute->value };
}

void state_modify(struct state_attribute *attribute, uint64_t at_ns,
		  const struct state_value *value)
{
	if (at_ns < attribute->since_ns) {
		fprintf(stderr, "%s: time goes back from %" PRIu64 " to %" PRIu64 "\n",
			attribute->name, attribute->since_ns, at_ns);
		exit(1);
	}
	if (equal(&attribute->value, value))
		return;
	keep(attribute, at_ns);
	attribute->value = *value;
	attribute->since_ns = at_ns;
}

static void close_below(struct state_attribute *attribute, uint64_t end_ns)
{
	keep(attribute, end_ns);
	for (size_t i = 0; i < attribute->n_children; i++)
		close_below(attribute->children[i], end_ns);
}

void state_close(struct state_system *system, uint64_t end_ns)
{
	system->end_ns = end_ns;
	close_below(&system->root, end_ns);
}

static void print_below(const struct state_attribute *attribute, const char *path)
{
	char below[512];

	for (size_t i = 0; i < attribute->n_intervals; i++) {
		const struct state_interval *interval = &attribute->intervals[i];

		printf("%s\t%" PRIu64 "\t%" PRIu64 "\t", path, interval->begin_ns,
		       interval->end_ns);
		if (interval->value.type == STATE_NUMBER)
			printf("%" PRId64 "\n", interval->value.number);
		else
			printf("%s\n", interval->value.text);
	}
	for (size_t i = 0; i < attribute->n_children; i++) {
		snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "",
			 attribute->children[i]->name);
		print_below(attribute->children[i], below);
	}
}

void state_print(const struct state_system *system)
{
	print_below(&system->root, "");
}

static void free_below(struct state_attribute *attribute)
{
	for (size_t i = 0; i < attribute->n_children; i++) {
		free_below(attribute->children[i]);
		free(attribute->children[i]->name);
		free(attribute->children[i]);
	}
	free(attribute->children);
	free(attribute->intervals);
}

void state_free(struct state_system *system)
{
	free_below(&system->root);
}
