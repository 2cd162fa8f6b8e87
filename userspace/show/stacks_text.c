// SPDX-License-Identifier: MIT
// Stacks in words, in JSON, and collapsed.
#include "show/stacks_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/sort.h"
#include "show/json.h"
#include "show/report.h"
#include "show/report_parts.h"

/* "clock_nanosleep (libc.so.6)" */
static void append_frame(char *text, size_t size, const struct lane_where *where)
{
	char name[256];

	if (!where->function) {
		lane_clean_copy(name, sizeof(name), *where->file ? where->file : "code of no file",
				LANE_CLEAN_LINE);
		show_append(text, size, "%s, without a symbol", name);
		return;
	}
	show_append(text, size, "%s",
		    lane_clean_copy(name, sizeof(name), where->function, LANE_CLEAN_LINE));
	if (*where->file)
		show_append(text, size, " (%s)",
			    lane_clean_copy(name, sizeof(name), where->file, LANE_CLEAN_LINE));
}

/* The innermost first; of who comes behind it how it is known. */
static void append_frames(char *text, size_t size, const struct lane_where *of, uint32_t n,
			  bool is_bare)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			show_append(text, size, of[i].is_around ? ", within " : ", called by ");
		append_frame(text, size, &of[i]);
	}
	if (is_bare)
		show_append(text, size, ", called from where no frame pointer tells");
}

const char *show_stacks_place(const struct lane_stack_place *place, uint64_t whole_ns, char *text,
			      size_t size)
{
	*text = '\0';
	if (place->n) {
		show_append(text, size, ", mostly in ");
		append_frames(text, size, place->of, place->n, place->is_bare);
	}
	if (place->n && place->of_times)
		show_append(text, size, ", in %" PRIu64 " of %" PRIu64 " samples", place->times,
			    place->of_times);
	else if (place->n)
		show_append(text, size, ", for %s",
			    show_rounded_part(place->ns, whole_ns, SHOW_ROOM(96)));
	if (place->owner.tid)
		show_append(text, size, "; for %s it slept for a mutex that %s held",
			    show_rounded_part(place->owner_ns, whole_ns, SHOW_ROOM(96)),
			    SHOW_TASK(place->owner.tid, place->owner.comm));
	return text;
}

static void add_rows(struct json_object *list, const struct lane_where *of, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct json_object *row = show_json_row(list);

		show_json_text(row, "function", of[i].function);
		show_json_text(row, "file", *of[i].file ? of[i].file : NULL);
		show_json_bool(row, "is_direct", !of[i].is_around);
	}
}

void show_stacks_place_json(struct json_object *to, const struct lane_stack_place *place)
{
	struct json_object *where;

	if (place->owner.tid) {
		where = show_json_object(to, "mutex");
		show_json_text(where, "held_by", SHOW_TASK(place->owner.tid, place->owner.comm));
		show_json_uint(where, "ns", place->owner_ns);
	}
	if (!place->n)
		return;
	where = show_json_object(to, "where");
	if (place->of_times) {
		show_json_uint(where, "samples", place->times);
		show_json_uint(where, "of_samples", place->of_times);
	} else {
		show_json_uint(where, "ns", place->ns);
	}
	show_json_bool(where, "no_frame_pointer", place->is_bare);
	add_rows(show_json_list(where, "frames"), place->of, place->n);
}

static void stacks_text_find(const struct lane_latency *latency, int32_t pid, uint32_t number,
			     struct lane_wheres *wheres)
{
	latency_stacks_find((struct lane_stacks *)&latency->stacks, pid, number, wheres);
}

void show_stacks_of_request(FILE *to, const struct lane_latency *latency,
			    const struct lane_request *rq)
{
	struct lane_wheres wheres;
	char text[4096] = "";

	stacks_text_find(latency, rq->pid, rq->stack.user, &wheres);
	if (!wheres.n)
		return;
	append_frames(text, sizeof(text), wheres.of, wheres.n, wheres.is_bare);
	fprintf(to, "Its thread submitted it in %s.\n", text);
}

void show_stacks_of_request_json(struct json_object *to, const struct lane_latency *latency,
				 const struct lane_request *rq)
{
	struct lane_wheres wheres;

	stacks_text_find(latency, rq->pid, rq->stack.user, &wheres);
	if (wheres.n)
		add_rows(show_json_list(to, "stack"), wheres.of, wheres.n);
}

/* A name in a collapsed stack: `;` separates them, and the last space is ahead of the number. */
static void stacks_text_print_text(FILE *to, const char *name)
{
	char text[256];

	lane_clean_copy(text, sizeof(text), name, LANE_CLEAN_LINE);
	for (char *c = text; *c; c++)
		if (*c == ';')
			*c = ':';
	fputs(text, to);
}

static void print_name(FILE *to, const char *before, const char *name, const char *behind)
{
	fprintf(to, ";%s", before);
	stacks_text_print_text(to, name);
	fputs(behind, to);
}

/* A part, the outermost frame first. */
static void print_part(FILE *to, const struct lane_wheres *wheres, const char *behind)
{
	if (wheres->is_cut)
		fputs(";[...]", to);
	for (uint32_t i = wheres->n; i-- > 0;) {
		const struct lane_where *where = &wheres->of[i];

		if (where->function)
			print_name(to, "", where->function, behind);
		else
			print_name(to, "[", *where->file ? where->file : "unknown", "]");
	}
}

LANE_ORDER_OF(by_time, struct lane_stack_sum,
	      LANE_DOWN(ns) ?: LANE_UP(tid) ?: LANE_UP(id.user) ?: LANE_UP(id.kernel))
LANE_ORDER_OF(by_samples, struct lane_stack_sum,
	      LANE_DOWN(samples) ?: LANE_UP(tid) ?: LANE_UP(id.user) ?: LANE_UP(id.kernel))

static void print_sum(FILE *to, const struct lane_latency *latency,
		      const struct lane_stack_sum *sum, uint64_t weight)
{
	struct lane_wheres wheres;
	char comm[17];

	snprintf(comm, sizeof(comm), "%.16s", sum->comm);
	stacks_text_print_text(to, comm);
	stacks_text_find(latency, sum->pid, sum->id.user, &wheres);
	print_part(to, &wheres, "");
	stacks_text_find(latency, sum->pid, sum->id.kernel, &wheres);
	print_part(to, &wheres, "_[k]");
	fprintf(to, " %" PRIu64 "\n", weight);
}

struct lane_error *show_stacks_any(const struct lane_latency *latency)
{
	if (latency->figures.by_kind[LANE_STACK])
		return NULL;
	return lane_error("the recording has no stacks (gpulane record --stacks has)");
}

struct lane_error *show_stacks_collapsed(FILE *to, const struct lane_latency *latency,
					 bool is_asleep)
{
	struct lane_error *err = show_stacks_any(latency);
	const struct lane_stack_sum **of;

	if (err)
		return err;
	of = calloc(latency->n_stack_sums + 1, sizeof(*of));
	if (!of)
		return &lane_enomem;
	for (uint32_t i = 0; i < latency->n_stack_sums; i++)
		of[i] = &latency->stack_sums[i];
	if (is_asleep)
		LANE_SORT(of, latency->n_stack_sums, by_time);
	else
		LANE_SORT(of, latency->n_stack_sums, by_samples);
	for (uint32_t i = 0; i < latency->n_stack_sums; i++) {
		uint64_t weight = is_asleep ? of[i]->ns : of[i]->samples;

		if (weight)
			print_sum(to, latency, of[i], weight);
	}
	free(of);
	return NULL;
}
