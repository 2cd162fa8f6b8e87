// SPDX-License-Identifier: MIT
// A kernel's advice in sentences, and as JSON.
#include "model/cmd/verb_advice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

#define MOST_CHANGES  3
#define MOST_REFUSALS 8
#define LINES_BYTES   64

/*
 * How a change is written: {a} is the array, {at} its lines with atomics, {op} what adds two up,
 * {reduce} and {scan} what does so over a sub-group, {nothing} the value that changes nothing.
 */
static const char *const pattern_of[LANE_CHANGE_KINDS] = {
	[LANE_CHANGE_COPIES] = "lane l uses copy l mod N of {a} ({at}). Clear each copy; where {a} "
			       "is read, put the\n"
			       "copies together, as {op} does",
	[LANE_CHANGE_PADDING] = "leave a word of {a} free behind every row of 32: index i becomes "
				"i + i / 32, wherever\n"
				"the kernel touches {a}",
	[LANE_CHANGE_HASH] =
		"mix the row into the bank: with xor, index i becomes i ^ (i / 32 % 32), with add\n"
		"i / 32 * 32 + (i + i / 32) % 32, wherever the kernel touches {a}",
	[LANE_CHANGE_TOGETHER] =
		"{at}: put the values together over the sub-group, one lane does the atomic\n"
		"  all = {reduce}(v);   lanes without the atomic take part, with v = {nothing}\n"
		"  if (get_sub_group_local_id() == 0) first = {op}({a}, all);\n"
		"a result that is used becomes what {op} makes of sub_group_broadcast(first, 0)\n"
		"and {scan}(v). They are of {extension}",
	[LANE_CHANGE_PRIVATE] =
		"each group has a copy of {a}, and adds it to {a} at its end\n"
		"  __local ... own[...];   clear it; barrier(CLK_LOCAL_MEM_FENCE)\n"
		"  {at}: the atomics go to own[...]\n"
		"  barrier(CLK_LOCAL_MEM_FENCE); each word w of own: {op}({a}[w], own[w])\n"
		"clear: 0 where the atomics add, else the value that changes nothing. Every "
		"work-item\n"
		"must reach both barriers: `if (...) return;' becomes an if around the work",
	[LANE_CHANGE_BY_GROUP] =
		"a group counts by itself, one work-item fetches its base, each takes base + mine\n"
		"  __local ... own[...], base[...];   clear own; barrier(CLK_LOCAL_MEM_FENCE)\n"
		"  {at}: mine = the same atomic on own[...]; barrier(CLK_LOCAL_MEM_FENCE)\n"
		"  each word w of own: base[w] = {op}({a}[w], own[w]); "
		"barrier(CLK_LOCAL_MEM_FENCE)\n"
		"  the result is base[...] + mine\n"
		"Every work-item must reach the barriers, also one that has no atomic",
	[LANE_CHANGE_GROUP] = "enqueue larger groups; only where the kernel's arrays and loops "
			      "take their size from\n"
			      "get_local_size()",
};

static const char *array_name(const struct model_advice *a, uint32_t array)
{
	return array == LANE_NO_ARRAY ? "" : a->kernel->array[array].name;
}

/* "lines 7, 8, 9": where the array's atomics are. */
static void lines_of(const struct model_advice *a, uint32_t array, char *text, size_t bytes)
{
	uint32_t last = 0;
	size_t n = 0, used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < a->kernel->n_lines && used + 16 < bytes; i++) {
		const struct lane_pattern_line *line = &a->kernel->line[i];

		if (line->array != array || line->access != LANE_ACCESS_ATOMIC || !line->warps ||
		    line->line == last)
			continue;
		last = line->line;
		used += (size_t)snprintf(text + used, bytes - used, "%s%u", n++ ? ", " : "",
					 line->line);
	}
}

/* What puts two of an array's values together; the first is where none of the others is. */
static const struct op {
	const char *name, *nothing, *extension;
} ops[] = {
	{ "add", "0", "cl_khr_subgroups" },
	{ "min", "the largest value", "cl_khr_subgroups" },
	{ "max", "the least value", "cl_khr_subgroups" },
	{ "and", "~0", "cl_khr_subgroup_non_uniform_arithmetic" },
	{ "or", "0", "cl_khr_subgroup_non_uniform_arithmetic" },
	{ "xor", "0", "cl_khr_subgroup_non_uniform_arithmetic" },
};

static const struct op *op_of(const struct model_advice *a, uint32_t array)
{
	for (size_t i = 0; i < a->kernel->n_lines; i++) {
		const struct lane_pattern_line *line = &a->kernel->line[i];

		for (size_t j = 1; j < sizeof(ops) / sizeof(ops[0]); j++)
			if (line->array == array && line->access == LANE_ACCESS_ATOMIC &&
			    !strcmp(line->op, ops[j].name))
				return &ops[j];
	}
	return &ops[0];
}

/* One of the words in braces that are of what the atomic does. */
static void print_op(const struct op *op, const char *word)
{
	const char *of = strstr(op->extension, "uniform") ? "non_uniform_" : "";

	if (!strncmp(word, "{op}", 4))
		printf("atomic_%s", op->name);
	else if (!strncmp(word, "{reduce}", 8))
		printf("sub_group_%sreduce_%s", of, op->name);
	else if (!strncmp(word, "{scan}", 6))
		printf("sub_group_%sscan_exclusive_%s", of, op->name);
	else if (!strncmp(word, "{nothing}", 9))
		fputs(op->nothing, stdout);
	else
		fputs(op->extension, stdout);
}

/* Prints a template, indented; what is in braces is replaced. */
static void print_pattern(const struct model_advice *a, enum lane_change_kind kind, uint32_t array)
{
	char lines[LINES_BYTES];

	lines_of(a, array, lines, sizeof(lines));
	fputs("       ", stdout);
	for (const char *p = pattern_of[kind]; *p; p++) {
		if (!strncmp(p, "{a}", 3))
			fputs(array_name(a, array), stdout);
		else if (!strncmp(p, "{at}", 4))
			printf("line%s %s", strchr(lines, ',') ? "s" : "", lines);
		else if (*p == '{')
			print_op(op_of(a, array), p);
		else
			putchar(*p);
		if (*p == '{')
			p = strchr(p, '}');
		else if (*p == '\n')
			fputs("       ", stdout);
	}
	putchar('\n');
}

/* What the time is bound by, as a word for JSON and as a sentence. */
static const char *bound_of(const struct model_advice *a)
{
	const struct lane_prediction *p = &a->now;

	if (p->swap_cycles > 0 && p->swap_cycles >= p->total)
		return "compare-and-exchange";
	if (p->slices_cycles > 0 && p->slices_cycles >= p->total)
		return "contention";
	return p->saves[LANE_PART_ATOMICS] > p->saves[LANE_PART_MEMORY] &&
			       p->saves[LANE_PART_ATOMICS] > p->saves[LANE_PART_COMPUTE]
		       ? "atomics"
	       : p->saves[LANE_PART_MEMORY] > p->saves[LANE_PART_COMPUTE] ? "memory"
									  : "compute";
}

static void print_bound(const struct model_advice *a)
{
	const struct lane_prediction *p = &a->now;
	const struct lane_pattern_array *array =
		a->kernel->n_arrays ? &a->kernel->array[p->array] : NULL;
	const char *bound = bound_of(a);
	double ms = p->ns_a_cycle / 1e6;

	if (!strcmp(bound, "compare-and-exchange"))
		printf("  bound by  %s: %.0f compare-and-exchanges of one word, one after the "
		       "other\n",
		       array->name, array->swaps / (double)a->kernel->launches);
	else if (!strcmp(bound, "contention"))
		printf("  bound by  %s (%llu bytes of global memory): the groups' atomics meet in "
		       "the "
		       "cache\n            that all compute units share; without them %.3g ms\n",
		       array->name, (unsigned long long)array->bytes, p->unit_cycles * ms);
	else
		printf("  bound by  a compute unit's own %s (without its atomics it saves %.3g ms, "
		       "without\n            loads and stores %.3g ms, without arithmetic %.3g "
		       "ms)\n",
		       bound, p->saves[LANE_PART_ATOMICS] * ms, p->saves[LANE_PART_MEMORY] * ms,
		       p->saves[LANE_PART_COMPUTE] * ms);
}

static void print_time(const struct model_advice *a)
{
	const struct lane_prediction *p = &a->now;

	printf("\n%s: %llu groups of %.0f work-items\n", a->kernel->name,
	       (unsigned long long)a->groups,
	       (double)a->kernel->work_items / (double)a->kernel->groups);
	if (p->missing.text[0]) {
		printf("  time      at least %.3g ms: the device does not know\n"
		       "            %s\n"
		       "            gpulane calibrate --out FILE   on such a machine measures it, "
		       "then "
		       "--device FILE\n"
		       "            --device nvidia-h100           what to change, on a GPU that "
		       "was "
		       "measured\n",
		       p->least_ns / 1e6, p->missing.text);
		return;
	}
	if (isnan(p->most_ns))
		printf("  time      %.3g ms (at least %.3g; %s)\n", p->ns / 1e6, p->least_ns / 1e6,
		       p->unbounded);
	else
		printf("  time      %.3g ms (%.3g to %.3g)\n", p->ns / 1e6, p->least_ns / 1e6,
		       p->most_ns / 1e6);
	print_bound(a);
}

/* "bins, privatise"; of the kernel the change alone. */
static void print_what(const struct model_advice *a, enum lane_change_kind kind, uint32_t array)
{
	printf("%s%s%s", array_name(a, array), array == LANE_NO_ARRAY ? "" : ", ",
	       lane_change_names[kind]);
}

static void print_change(const struct model_advice *a, uint32_t i)
{
	const struct lane_proposal *p = &a->found.proposal[i];

	printf("\n  %u. ", i + 1);
	print_what(a, p->kind, p->array);
	printf(" (%s): %.1f times as fast (%.1f to %.1f)\n", p->detail, p->gain, p->least, p->most);
	print_pattern(a, p->kind, p->array);
}

/* Changes that were tried without gain are one line, behind the others. */
static void print_refusals(const struct model_advice *a)
{
	const struct lane_proposals *f = &a->found;
	uint32_t told = 0, slow = 0;

	if (f->n_refused)
		printf("\n  not proposed\n");
	for (uint32_t i = 0; i < f->n_refused; i++) {
		const struct lane_refusal *r = &f->refused[i];

		if (!strcmp(r->why, LANE_NO_FASTER) || told++ >= MOST_REFUSALS)
			continue;
		printf("     ");
		print_what(a, r->kind, r->array);
		printf(": %s\n", r->why);
	}
	for (uint32_t i = 0; i < f->n_refused; i++) {
		const struct lane_refusal *r = &f->refused[i];

		if (strcmp(r->why, LANE_NO_FASTER) != 0)
			continue;
		fputs(slow++ ? "; " : "     ", stdout);
		print_what(a, r->kind, r->array);
	}
	if (slow)
		printf(": " LANE_NO_FASTER "\n");
}

/* A loop with compare-and-exchange may be an addition, of floats for example: that is not known. */
static void print_swaps(const struct model_advice *a)
{
	const struct lane_prediction *p = &a->now;

	if (p->swap_cycles > 0)
		printf("\n  What the loop around compare-and-exchange on %s computes is not known "
		       "here. "
		       "If it\n  adds, add up in each group first: then there is one for a group "
		       "and "
		       "word.\n",
		       array_name(a, p->array));
}

void model_advice_print(const struct model_advice *a)
{
	print_time(a);
	for (uint32_t i = 0; i < a->found.n && i < MOST_CHANGES; i++)
		print_change(a, i);
	if (!a->found.missing.text[0])
		print_refusals(a);
	print_swaps(a);
}

static void put_ms(json_object *row, const char *key, double ns)
{
	if (isnan(ns))
		model_put_nothing(row, key);
	else
		model_put_real(row, key, ns / 1e6, 6);
}

static void put_changes(json_object *row, const struct model_advice *a)
{
	json_object *changes = json_object_new_array();
	json_object *refused = json_object_new_array();

	for (uint32_t i = 0; i < a->found.n; i++) {
		const struct lane_proposal *p = &a->found.proposal[i];
		json_object *one = json_object_new_object();

		model_put_text(one, "change", lane_change_names[p->kind]);
		model_put_text(one, "array", array_name(a, p->array));
		model_put_text(one, "detail", p->detail);
		model_put_real(one, "gain", p->gain, 3);
		model_put_real(one, "gain_least", p->least, 3);
		model_put_real(one, "gain_most", p->most, 3);
		json_object_array_add(changes, one);
	}
	for (uint32_t i = 0; i < a->found.n_refused; i++) {
		const struct lane_refusal *r = &a->found.refused[i];
		json_object *one = json_object_new_object();

		model_put_text(one, "change", lane_change_names[r->kind]);
		model_put_text(one, "array", array_name(a, r->array));
		model_put_text(one, "why", r->why);
		json_object_array_add(refused, one);
	}
	json_object_object_add(row, "changes", changes);
	json_object_object_add(row, "refused", refused);
}

void model_advice_put(json_object *result, const struct model_advice *a)
{
	const struct lane_prediction *p = &a->now;
	int is_bound = p->missing.text[0] != 0;
	json_object *row = model_row(result);

	model_put_text(row, "kernel", a->kernel->name);
	model_put_whole(row, "groups", (int64_t)a->groups);
	put_ms(row, "time_ms", is_bound ? NAN : p->ns);
	put_ms(row, "least_ms", p->least_ns);
	put_ms(row, "most_ms", is_bound ? NAN : p->most_ns);
	model_put_text(row, "missing", is_bound ? p->missing.text : "-");
	model_put_text(row, "bound_by", is_bound ? "-" : bound_of(a));
	model_put_text(row, "array", a->kernel->n_arrays ? array_name(a, p->array) : "-");
	put_changes(row, a);
}
