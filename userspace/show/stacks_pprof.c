// SPDX-License-Identifier: MIT
// Stacks as pprof reads them: a Profile of github.com/google/pprof, proto/profile.proto, not
// compressed. Numbers of fields are that file's.
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "base/table.h"
#include "show/message.h"
#include "show/stacks_text.h"

/* A profile as it is written: fields may come in any order, texts come in that of their numbers. */
struct profile {
	FILE *to;
	struct lane_table texts;     /* numbers + 1 */
	struct lane_table locations; /* numbers, by function and file */
	struct lane_message head, sample, ids, part, line;
	bool has_failed;
};

static void put_part(struct profile *p, unsigned int field, const void *bytes, size_t n)
{
	p->head.n = 0;
	show_message_bytes(&p->head, field, bytes, n);
	p->has_failed |= p->head.has_failed;
	fwrite(p->head.bytes, 1, p->head.n, p->to);
}

static void put_message(struct profile *p, unsigned int field, struct lane_message *m)
{
	p->has_failed |= m->has_failed;
	put_part(p, field, m->bytes, m->n);
	m->n = 0;
}

/* A message within another one, which is begun anew. */
static void put_within(struct lane_message *m, unsigned int field, struct lane_message *within)
{
	show_message_within(m, field, within);
	within->n = 0;
}

/* The number of a text, which is told as it is used first. */
static uint64_t text_number(struct profile *p, const char *text)
{
	uint64_t hash = lane_hash_text(text);
	uintptr_t number = (uintptr_t)lane_table_get(&p->texts, hash, strlen(text));

	if (number)
		return number - 1;
	number = p->texts.used + 1;
	p->has_failed |= !lane_table_put(&p->texts, hash, strlen(text), (void *)number);
	put_part(p, 6, text, strlen(text));
	return number - 1;
}

static uint64_t clean_number(struct profile *p, const char *text)
{
	char clean[256];

	lane_clean_copy(clean, sizeof(clean), text, LANE_CLEAN_LINE);
	return text_number(p, clean);
}

/* The number of a frame: function and location have the same. */
static uint64_t location_number(struct profile *p, const char *function, const char *file)
{
	uint64_t name = clean_number(p, function), of = clean_number(p, file);
	uintptr_t number = (uintptr_t)lane_table_get(&p->locations, name, of);

	if (number)
		return number;
	number = p->locations.used + 1;
	p->has_failed |= !lane_table_put(&p->locations, name, of, (void *)number);
	show_message_field(&p->part, 1, number); /* Function: id, name, system_name, filename */
	show_message_field(&p->part, 2, name);
	show_message_field(&p->part, 3, name);
	show_message_field(&p->part, 4, of);
	put_message(p, 5, &p->part);
	show_message_field(&p->line, 1, number); /* Line: function_id */
	show_message_field(&p->part, 1, number); /* Location: id, line */
	put_within(&p->part, 4, &p->line);
	put_message(p, 4, &p->part);
	return number;
}

/* The innermost frame first. */
static void put_frames(struct profile *p, const struct lane_wheres *wheres, const char *file)
{
	for (uint32_t i = 0; i < wheres->n; i++) {
		const struct lane_where *where = &wheres->of[i];
		const char *function = where->function ? where->function
				       : *where->file  ? where->file
						       : "unknown";

		show_message_number(&p->ids,
				    location_number(p, function, file ? file : where->file));
	}
	if (wheres->is_cut)
		show_message_number(&p->ids, location_number(p, "[...]", ""));
}

static void stacks_pprof_put_label(struct profile *p, const char *key, const char *text,
				   int64_t number)
{
	show_message_field(&p->line, 1, text_number(p, key)); /* Label: key, str or num */
	if (text)
		show_message_field(&p->line, 2, clean_number(p, text));
	else
		show_message_field(&p->line, 3, (uint64_t)number);
	put_within(&p->sample, 3, &p->line);
}

static void put_sum(struct profile *p, const struct lane_latency *latency,
		    const struct lane_stack_sum *sum)
{
	struct lane_stacks *stacks = (struct lane_stacks *)&latency->stacks;
	struct lane_wheres wheres;
	char comm[17];

	latency_stacks_find(stacks, sum->pid, sum->id.kernel, &wheres);
	put_frames(p, &wheres, "[kernel]");
	latency_stacks_find(stacks, sum->pid, sum->id.user, &wheres);
	put_frames(p, &wheres, NULL);
	/* Sample: location_id, value, label */
	put_within(&p->sample, 1, &p->ids);
	show_message_number(&p->part, sum->samples);
	show_message_number(&p->part, sum->times);
	show_message_number(&p->part, sum->ns);
	put_within(&p->sample, 2, &p->part);
	snprintf(comm, sizeof(comm), "%.16s", sum->comm);
	stacks_pprof_put_label(p, "thread", comm, 0);
	stacks_pprof_put_label(p, "tid", NULL, sum->tid);
	put_message(p, 2, &p->sample);
}

static void put_type(struct profile *p, const char *type, const char *unit)
{
	show_message_field(&p->part, 1, text_number(p, type)); /* ValueType: type, unit */
	show_message_field(&p->part, 2, text_number(p, unit));
	put_message(p, 1, &p->part);
}

struct lane_error *show_stacks_pprof(FILE *to, const struct lane_latency *latency)
{
	struct lane_error *err = show_stacks_any(latency);
	struct profile p = { .to = to };

	if (err)
		return err;
	text_number(&p, ""); /* the first one */
	put_type(&p, "samples", "count");
	put_type(&p, "sleeps", "count");
	put_type(&p, "asleep", "nanoseconds");
	for (uint32_t i = 0; i < latency->n_stack_sums; i++)
		put_sum(&p, latency, &latency->stack_sums[i]);
	lane_table_free(&p.texts);
	lane_table_free(&p.locations);
	show_message_deinit(&p.head);
	show_message_deinit(&p.sample);
	show_message_deinit(&p.ids);
	show_message_deinit(&p.part);
	show_message_deinit(&p.line);
	return p.has_failed ? &lane_enomem : NULL;
}
