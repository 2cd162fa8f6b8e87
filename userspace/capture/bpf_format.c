// SPDX-License-Identifier: MIT
// The places of a tracepoint's fields, from its format in tracefs, as libtraceevent reads it.
#include "capture/bpf_format.h"

#include <event-parse.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/event.h"

/* A record of a tracepoint is never longer (PERF_MAX_TRACE_SIZE). */
#define MAX_RECORD 8192

/* The kernel's formats are text of a few lines; anything else does not reach the parser. */
static bool is_text(const char *text, size_t bytes)
{
	if (!bytes || bytes > LANE_BPF_FORMAT_MAX_BYTES)
		return false;
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = text[i];

		if (c >= 0x7f || (c < 0x20 && c != '\n' && c != '\t'))
			return false;
	}
	return true;
}

/*
 * The head of a format up to its `print fmt`: that line is a program for printing, which nobody
 * needs here and which is by far the larger part of what could go wrong.
 */
static char *fields_only(const char *text, size_t bytes)
{
	static const char fmt[] = "\nprint fmt:";
	static const char none[] = "\nprint fmt: \"\"\n";
	const char *end = memmem(text, bytes, fmt, sizeof(fmt) - 1);
	size_t length = end ? (size_t)(end - text) : bytes;
	char *copy = malloc(length + sizeof(none));

	if (copy) {
		memcpy(copy, text, length);
		memcpy(copy + length, none, sizeof(none));
	}
	return copy;
}

static void free_tep(struct tep_handle **tep)
{
	tep_free(*tep);
}

/* A plain integer inside the record, or NULL. */
static const struct tep_format_field *integer(struct tep_event *event, const char *name)
{
	const struct tep_format_field *field = tep_find_field(event, name);
	const unsigned long other = TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC | TEP_FIELD_IS_STRING;

	if (!field || (field->flags & other) || field->offset < 0 || field->offset > MAX_RECORD - 8)
		return NULL;
	if (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8)
		return NULL;
	return field;
}

/* Without these an event says nothing. */
static bool is_key(const char *name)
{
	return !strcmp(name, "ctx") || !strcmp(name, "seqno") || !strcmp(name, "guc_id");
}

/* *event is owned by *tep, which the caller frees whatever happens. */
static const char *parse(const char *text, size_t bytes, const char *name, struct tep_handle **tep,
			 struct tep_event **event)
{
	LANE_CLEANUP(lane_free) char *fields = NULL;

	if (!is_text(text, bytes))
		return "its format in tracefs is damaged";
	fields = fields_only(text, bytes);
	*tep = tep_alloc();
	if (!fields || !*tep)
		return "no memory";
	tep_set_loglevel(TEP_LOG_NONE);
	if (tep_parse_event(*tep, fields, strlen(fields), "gpulane"))
		return "its format in tracefs is damaged";
	*event = tep_find_event_by_name(*tep, "gpulane", name);
	return *event ? NULL : "its format in tracefs is another event's";
}

const char *lane_bpf_format_layout(const char *text, size_t bytes, int kind,
				   struct lane_bpf_layout *layout)
{
	LANE_CLEANUP(free_tep) struct tep_handle *tep = NULL;
	struct tep_event *event;
	const struct lane_kind_info *info = &lane_kinds[kind];
	const char *why = parse(text, bytes, info->name, &tep, &event);

	if (why)
		return why;
	if (info->n_fields > LANE_BPF_MAX_FIELDS || info->struct_bytes > LANE_BPF_GENERIC_PAYLOAD)
		return "its fields cannot be read by format";
	memset(layout, 0, sizeof(*layout));
	for (unsigned int i = 0; i < info->n_fields; i++) {
		const struct tep_format_field *field = integer(event, info->fields[i].name);
		struct lane_bpf_copy *copy = &layout->copy[i];

		if (!field && is_key(info->fields[i].name))
			return "its format in tracefs lacks a field";
		if (!field)
			continue; /* older drivers have fewer; the payload's field stays 0 */
		copy->from = field->offset;
		copy->to = info->fields[i].offset;
		/* Little endian: the low bytes come first on both sides. */
		copy->bytes =
			field->size < info->fields[i].size ? field->size : info->fields[i].size;
	}
	return NULL;
}

const char *lane_bpf_format_names(const char *text, size_t bytes, struct lane_bpf_names *names)
{
	LANE_CLEANUP(free_tep) struct tep_handle *tep = NULL;
	struct tep_event *event;
	const struct tep_format_field *driver, *timeline, *context, *seqno;
	const char *why = parse(text, bytes, "dma_fence_init", &tep, &event);

	if (why)
		return why;
	driver = tep_find_field(event, "driver");
	timeline = tep_find_field(event, "timeline");
	context = integer(event, "context");
	seqno = integer(event, "seqno");
	if (!driver || !timeline || !context || !seqno)
		return "its format in tracefs lacks a field";
	/* __data_loc: a word that says where in the record the string is. */
	if (!(driver->flags & timeline->flags & TEP_FIELD_IS_DYNAMIC) || driver->size != 4 ||
	    timeline->size != 4 || driver->offset <= 0 || timeline->offset <= 0 ||
	    driver->offset > MAX_RECORD - 8 || timeline->offset > MAX_RECORD - 8)
		return "its names are not where they are expected";
	names->context = context->offset;
	names->seqno = seqno->offset;
	names->driver = driver->offset;
	names->timeline = timeline->offset;
	return NULL;
}
