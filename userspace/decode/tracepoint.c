// SPDX-License-Identifier: MIT
// Plans for reading the kernel's tracepoints, from their formats.
#include "decode/tracepoint.h"

#include <event-parse.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/sort.h"
#include "base/vector.h"

enum {
	SMALL_IDS = 4096, /* ids below are found without a search */
	MAX_OFFSET = 4096,
	FIELDS = 64,	     /* no event that is read has as many */
	FIELDS_BYTES = 8192, /* their lines; Linux's longest have some 2,000 */
	WORDS = 16,	     /* of a type and a name; libtraceevent copies all of them for each */
};

/*
 * What libtraceevent gets to see. Its parser leaks memory on text that is no format, and was never
 * meant for what a stranger wrote; so each line is looked at before:
 *
 *	field:TYPE NAME;	offset:NUMBER;	size:NUMBER;	signed:NUMBER;
 *
 * TYPE is words, stars and brackets, NAME a word, perhaps with brackets behind it.
 */
static bool tracepoint_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Goes over `[...]`; false: it is not closed, or holds more than a word. */
static bool skip_brackets(const char **at)
{
	const char *c = *at + 1;

	while (tracepoint_is_word(*c))
		c++;
	if (*c != ']')
		return false;
	*at = c + 1;
	return true;
}

/* True for the first words of `__data_loc char[] name`. */
static bool is_located(const char *at)
{
	return !strncmp(at, "__data_loc ", 11) || !strncmp(at, "__rel_loc ", 10);
}

/* Goes over `TYPE NAME;`. Brackets are the name's, but for what is located: there the type's. */
static bool skip_declaration(const char **at)
{
	bool is_array = false, located = is_located(*at);
	unsigned int words = 0;
	const char *c = *at;

	for (;;) {
		while (*c == ' ' || *c == '*')
			c++;
		if (*c == ';')
			break;
		if (!tracepoint_is_word(*c) || (*c >= '0' && *c <= '9') || (is_array && !located))
			return false;
		while (tracepoint_is_word(*c))
			c++;
		if (*c == '[') {
			if (is_array || !skip_brackets(&c))
				return false;
			is_array = true;
			if (located && *c == ';')
				return false;
		}
		words++;
		if (*c != ' ' && *c != '*' && *c != ';')
			return false;
	}
	if (words < 2 || words > WORDS || c[-1] == ' ' || c[-1] == '*' || (located && !is_array))
		return false;
	*at = c + 1;
	return true;
}

/* Goes over `\tKEY:NUMBER;`. */
static bool skip_number(const char **at, const char *key)
{
	const char *c = *at;
	size_t n = strlen(key), digits;

	if (*c != '\t' || strncmp(c + 1, key, n) != 0 || c[1 + n] != ':')
		return false;
	c += n + 2;
	digits = strspn(c, "0123456789");
	if (!digits || digits > 9 || c[digits] != ';')
		return false;
	*at = c + digits + 1;
	return true;
}

/* A line of a field, up to its end. */
static bool is_field(const char *at)
{
	static const char key[] = "\tfield:";

	if (strncmp(at, key, sizeof(key) - 1) != 0)
		return false;
	at += sizeof(key) - 1;
	if (!skip_declaration(&at) || !skip_number(&at, "offset") || !skip_number(&at, "size"))
		return false;
	skip_number(&at, "signed"); /* kernels before 2.6.33 do not say it */
	return *at == '\n' || !*at;
}

/* Behind the name `ID: NUMBER`, `format:`, and then fields; empty lines divide them. */
static bool is_format(const char *text)
{
	unsigned int line = 0;

	for (const char *at = text; *at; line++) {
		size_t length = strcspn(at, "\n");

		if (line == 1) {
			size_t digits = strncmp(at, "ID: ", 4) ? 0 : strspn(at + 4, "0123456789");

			if (!digits || digits > 9 || digits + 4 != length)
				return false;
		} else if (line == 2) {
			if (length != 7 || memcmp(at, "format:", 7) != 0)
				return false;
		} else if (line > 2 && length && !is_field(at)) {
			return false;
		}
		at += length + (at[length] == '\n');
	}
	/* libtraceevent takes three words of that ending for strings, and forgets them. */
	return line > 3 && !strstr(text, "_PR_FMT");
}

/* The name in the first line: `name: sched_switch`. */
static bool tracepoint_find_name(const char *text, size_t bytes, const char **name, size_t *length)
{
	static const char key[] = "name: ";
	const size_t n = sizeof(key) - 1;
	size_t at = n;

	if (bytes < n || memcmp(text, key, n) != 0)
		return false;
	while (at < bytes && tracepoint_is_word(text[at]))
		at++;
	*name = text + n;
	*length = at - n;
	return *length && at < bytes && text[at] == '\n';
}

void decode_tracepoints_init(struct lane_tracepoints *tracepoints, const struct lane_names *names)
{
	*tracepoints = (struct lane_tracepoints){ .names = names };
	tep_set_loglevel(TEP_LOG_NONE);
}

void decode_tracepoints_deinit(struct lane_tracepoints *tracepoints)
{
	free(tracepoints->plans);
	free(tracepoints->by_id);
	*tracepoints = (struct lane_tracepoints){ 0 };
}

static void free_tep(struct tep_handle **tep)
{
	tep_free(*tep);
}

/* How a field can be read into a slot of that type; false when it cannot. */
static bool loading(const struct tep_format_field *field, enum lane_type type, enum lane_load *load)
{
	unsigned long flags = field->flags;

	if (!lane_type_is_text(type)) {
		*load = flags & TEP_FIELD_IS_SIGNED ? LANE_LOAD_SIGNED : LANE_LOAD_UNSIGNED;
		return !(flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC)) &&
		       (field->size == 1 || field->size == 2 || field->size == 4 ||
			field->size == 8);
	}
	if (flags & TEP_FIELD_IS_DYNAMIC) {
		*load = flags & TEP_FIELD_IS_RELATIVE ? LANE_LOAD_RELATIVE : LANE_LOAD_DYNAMIC;
		return field->size == 4;
	}
	*load = LANE_LOAD_ARRAY;
	return flags & TEP_FIELD_IS_ARRAY;
}

static void tracepoint_add_step(struct lane_tracepoint *plan, const struct tep_format_field *field,
				const struct lane_field_slot *slot)
{
	struct lane_tracepoint_step *step = &plan->steps[plan->n_steps];
	unsigned int end;

	if (plan->n_steps == LANE_TRACEPOINT_STEPS || field->offset < 0 || field->size <= 0 ||
	    field->offset > MAX_OFFSET || field->size > MAX_OFFSET ||
	    !loading(field, slot->type, &step->load))
		return;
	step->offset = (uint16_t)field->offset;
	step->size = (uint16_t)field->size;
	step->slot = *slot;
	plan->n_steps++;
	end = (unsigned int)field->offset + (unsigned int)field->size;
	if (end > plan->fixed_bytes)
		plan->fixed_bytes = (uint16_t)end;
}

static void add_field(struct lane_tracepoint *plan, const struct lane_names *names,
		      const struct tep_format_field *field)
{
	struct lane_field_slot slot;

	if (!decode_names_slot(names, plan->kind, field->name, strlen(field->name), &slot))
		return;
	tracepoint_add_step(plan, field, &slot);
	if (lane_is_fence(plan->kind) && !strcmp(field->name, "context"))
		plan->is_narrow = field->size < 8;
}

/* The thread that ran, of the fields that all events begin with. */
static void add_common(struct lane_tracepoint *plan, struct tep_event *event)
{
	const struct tep_format_field *field = tep_find_common_field(event, "common_pid");

	plan->fixed_bytes = LANE_RECORD_BYTES;
	if (!field || field->size != 4 || field->offset <= 0 || field->offset > MAX_OFFSET)
		return;
	plan->pid_offset = (uint16_t)field->offset;
	if (plan->fixed_bytes < field->offset + 4)
		plan->fixed_bytes = (uint16_t)(field->offset + 4);
}

static const char *make_plan(const char *text, int kind, const struct lane_names *names,
			     struct lane_tracepoint *plan)
{
	LANE_CLEANUP(free_tep) struct tep_handle *tep = tep_alloc();
	struct tep_event *event = NULL;
	unsigned int n = 0;

	if (!tep)
		return "no memory";
	tep_set_long_size(tep, 8);
	if (tep_parse_event(tep, text, strlen(text), "gpulane"))
		return "it is damaged";
	event = tep_get_first_event(tep);
	if (!event || event->id < 0)
		return "it is damaged";
	*plan = (struct lane_tracepoint){ .id = (uint32_t)event->id, .kind = kind };
	add_common(plan, event);
	for (const struct tep_format_field *field = event->format.fields; field && n < FIELDS;
	     field = field->next, n++)
		add_field(plan, names, field);
	return NULL;
}

static const char no_fmt[] = "\nprint fmt: \"\"\n";

/*
 * The head of a format up to its `print fmt`, with room for another: that line is a program for
 * printing, which nobody needs here, and by far the larger part of what could go wrong.
 */
static char *fields_only(const char *text, size_t bytes)
{
	static const char fmt[] = "\nprint fmt:";
	const char *end = memmem(text, bytes, fmt, sizeof(fmt) - 1);
	size_t length = end ? (size_t)(end - text) : bytes;
	char *copy = malloc(length + sizeof(no_fmt));

	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

const char *decode_tracepoints_add(struct lane_tracepoints *tracepoints, const char *text,
				   size_t bytes)
{
	LANE_CLEANUP(lane_free) char *fields = NULL;
	struct lane_tracepoint plan;
	const char *name, *why;
	size_t length;
	int kind;

	if (!tracepoint_find_name(text, bytes, &name, &length))
		return "it has no name";
	kind = decode_names_kind(tracepoints->names, name, length);
	if (kind < 0 || lane_is_derived((unsigned int)kind))
		return NULL;
	if (tracepoints->n_plans == LANE_FORMATS)
		return "there are too many";
	fields = fields_only(text, bytes);
	if (!fields)
		return "no memory";
	if (bytes > LANE_FORMAT_BYTES || strlen(fields) > FIELDS_BYTES || !is_format(fields))
		return "it is damaged";
	strcat(fields, no_fmt);
	why = make_plan(fields, kind, tracepoints->names, &plan);
	if (why)
		return why;
	plan.is_engine_notify =
		length == strlen(LANE_ENGINE_NOTIFY) && !memcmp(name, LANE_ENGINE_NOTIFY, length);
	if (!LANE_GROW(tracepoints->plans, tracepoints->cap_plans, tracepoints->n_plans + 1))
		return "no memory";
	tracepoints->plans[tracepoints->n_plans++] = plan;
	return NULL;
}

LANE_ORDER(compare_plans, struct lane_tracepoint, LANE_UP(id))

struct lane_error *decode_tracepoints_done(struct lane_tracepoints *tracepoints)
{
	tracepoints->by_id = calloc(SMALL_IDS, sizeof(*tracepoints->by_id));
	if (!tracepoints->by_id)
		return &lane_enomem;
	LANE_SORT(tracepoints->plans, tracepoints->n_plans, compare_plans);
	for (size_t i = 0; i < tracepoints->n_plans; i++)
		if (tracepoints->plans[i].id < SMALL_IDS)
			tracepoints->by_id[tracepoints->plans[i].id] = &tracepoints->plans[i];
	return NULL;
}

const struct lane_tracepoint *decode_tracepoints_find(const struct lane_tracepoints *tracepoints,
						      uint32_t id)
{
	struct lane_tracepoint key = { .id = id };

	if (id < SMALL_IDS)
		return tracepoints->by_id[id];
	if (!tracepoints->n_plans)
		return NULL;
	return bsearch(&key, tracepoints->plans, tracepoints->n_plans, sizeof(key), compare_plans);
}

/* An `out` that does not say whether the request is complete (Linux up to 4.18) is as good as none.
 */
static bool tracepoint_is_half(const struct lane_tracepoint *plan)
{
	const size_t at = offsetof(struct lane_event, u.i915_request_out.completed);

	if (plan->kind != LANE_RQ_OUT)
		return false;
	for (unsigned int i = 0; i < plan->n_steps; i++)
		if (plan->steps[i].slot.offset == at)
			return false;
	return true;
}

void decode_tracepoint_presence(const struct lane_tracepoint *plan, uint8_t *presence)
{
	int kind = plan->is_engine_notify ? LANE_FENCE_SIGNALED : plan->kind;

	presence[kind] = tracepoint_is_half(plan) ? LANE_PRESENCE_ABSENT : LANE_PRESENCE_RECORDED;
}

void decode_tracepoints_presence(const struct lane_tracepoints *tracepoints, uint8_t *presence)
{
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (!lane_is_derived((unsigned int)kind))
			presence[kind] = LANE_PRESENCE_ABSENT;
	for (size_t i = 0; i < tracepoints->n_plans; i++)
		decode_tracepoint_presence(&tracepoints->plans[i], presence);
}

static uint64_t tracepoint_load(const struct lane_tracepoint_step *step, const uint8_t *from)
{
	uint64_t value = 0;

	switch (step->size) {
	case 1:
		return step->load == LANE_LOAD_SIGNED ? (uint64_t)(int8_t)*from : *from;
	case 2:
		memcpy(&value, from, 2);
		return step->load == LANE_LOAD_SIGNED ? (uint64_t)(int16_t)value : value;
	case 4:
		memcpy(&value, from, 4);
		return step->load == LANE_LOAD_SIGNED ? (uint64_t)(int32_t)value : value;
	default:
		memcpy(&value, from, 8);
		return value;
	}
}

/* Copies characters up to their NUL. */
static void load_text(const uint8_t *from, size_t bytes, const struct lane_field_slot *slot,
		      struct lane_event *to)
{
	decode_slot_text((char *)to + slot->offset, slot, (const char *)from,
			 strnlen((const char *)from, bytes));
}

bool decode_tracepoint_read(const struct lane_tracepoint *plan, const void *record, size_t bytes,
			    struct lane_event *to)
{
	const uint8_t *from = record;

	if (bytes < plan->fixed_bytes)
		return false;
	decode_event_clear(to, plan->kind);
	to->wire.origin = LANE_ORIGIN_TRACEPOINT;
	to->raw.narrow = plan->is_narrow;
	to->raw.engine_notify = plan->is_engine_notify;
	if (plan->pid_offset)
		memcpy(&to->wire.tid, from + plan->pid_offset, sizeof(to->wire.tid));
	for (unsigned int i = 0; i < plan->n_steps; i++) {
		const struct lane_tracepoint_step *step = &plan->steps[i];
		size_t at = step->offset, n = step->size;
		uint32_t place;

		switch (step->load) {
		case LANE_LOAD_UNSIGNED:
		case LANE_LOAD_SIGNED:
			decode_slot_store(to, &step->slot, tracepoint_load(step, from + at));
			continue;
		case LANE_LOAD_ARRAY:
			break;
		default:
			memcpy(&place, from + at, sizeof(place));
			at = (step->load == LANE_LOAD_RELATIVE ? at + sizeof(place) : 0) +
			     (place & 0xffff);
			n = place >> 16;
			if (at > bytes || n > bytes - at)
				return false;
		}
		load_text(from + at, n, &step->slot, to);
	}
	return true;
}
