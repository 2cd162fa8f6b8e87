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

/* Drivers' names for what the table has one name for (norm/aliases.def). */
static const char *other_name(const char *event, const char *name)
{
	if (!strcmp(name, "job"))
		return !strncmp(event, "amdgpu_", 7) ? "sched_job_id"
		       : !strncmp(event, "lima_", 5) ? "task_id"
						     : name;
	return !strcmp(name, "ring") && !strncmp(event, "lima_", 5) ? "pipe" : name;
}

/* A plain integer inside the record, or NULL. */
static const struct tep_format_field *bpf_format_integer(struct tep_event *event, const char *name)
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
static const char *bpf_format_parse(const char *text, size_t bytes, const char *name,
				    struct tep_handle **tep, struct tep_event **event)
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

/* Notes where the payload's numbers come from; false when a field without which the event says
 * nothing is not there. Older kernels have fewer fields: the payload's then stays 0. */
static bool take_numbers(struct tep_event *event, const struct lane_kind_info *info,
			 bool (*is_needed)(const char *name), struct lane_bpf_layout *layout)
{
	unsigned int n = 0;

	memset(layout, 0, sizeof(*layout));
	for (unsigned int i = 0; i < info->n_fields; i++) {
		const struct tep_format_field *field =
			bpf_format_integer(event, other_name(info->name, info->fields[i].name));
		struct lane_bpf_copy *copy = &layout->copy[n];

		if (lane_type_is_text(info->fields[i].type))
			continue;
		n++;
		if (!field && is_needed(info->fields[i].name))
			return false;
		if (!field)
			continue;
		copy->from = field->offset;
		copy->to = info->fields[i].offset;
		/* Little endian: the low bytes come first on both sides. */
		copy->bytes =
			field->size < info->fields[i].size ? field->size : info->fields[i].size;
	}
	return true;
}

const char *capture_bpf_format_layout(const char *text, size_t bytes, int kind,
				      struct lane_bpf_layout *layout)
{
	LANE_CLEANUP(free_tep) struct tep_handle *tep = NULL;
	struct tep_event *event;
	const struct lane_kind_info *info = &lane_kinds[kind];
	const char *why = bpf_format_parse(text, bytes, info->name, &tep, &event);

	if (why)
		return why;
	if (info->n_fields > LANE_BPF_MAX_FIELDS || info->struct_bytes > LANE_BPF_GENERIC_PAYLOAD)
		return "its fields cannot be read by format";
	return take_numbers(event, info, is_key, layout) ? NULL
							 : "its format in tracefs lacks a field";
}

/* Where the word is that says where a text is; 0: there is no such text. */
static __u16 text_place(struct tep_event *event, const char *name)
{
	const struct tep_format_field *field = tep_find_field(event, name);

	if (!field || !(field->flags & TEP_FIELD_IS_DYNAMIC) || field->size != 4 ||
	    field->offset <= 0 || field->offset > MAX_RECORD - 8)
		return 0;
	return (__u16)field->offset;
}

static bool is_none(const char *name)
{
	(void)name;
	return false;
}

/* The fields by which events of these names tell their job. */
static const struct {
	const char *event;
	const char *field;
	const char *why;
} drm_keys[] = {
#define KEY(event, field)                                                                          \
	{                                                                                          \
#event, #field, "its format in tracefs lacks the field " #field                    \
	}
#define KEYS(event) KEY(event, fence_context), KEY(event, fence_seqno)
	KEYS(drm_sched_job_queue),
	KEY(drm_sched_job_queue, name),
	KEYS(drm_sched_job_run),
	KEY(drm_sched_job_run, name),
	KEYS(drm_sched_job_add_dep),
	KEY(drm_sched_job_add_dep, ctx),
	KEY(drm_sched_job_add_dep, seqno),
	KEYS(drm_sched_job_unschedulable),
	KEY(drm_sched_job_unschedulable, ctx),
	KEY(drm_sched_job_unschedulable, seqno),
	KEYS(drm_sched_job_done),
	/* before Linux 6.17 */
	KEY(drm_sched_job, entity),
	KEY(drm_sched_job, fence),
	KEY(drm_run_job, entity),
	KEY(drm_run_job, fence),
	KEY(drm_sched_job_wait_dep, ctx),
	KEY(drm_sched_job_wait_dep, seqno),
	KEY(drm_sched_process_job, fence),
#undef KEYS
#undef KEY
};

const char *capture_bpf_format_drm(const char *text, size_t bytes, int kind, const char *name,
				   struct lane_bpf_layout *layout,
				   struct lane_bpf_drm_places *places)
{
	LANE_CLEANUP(free_tep) struct tep_handle *tep = NULL;
	struct tep_event *event;
	const char *why = bpf_format_parse(text, bytes, name, &tep, &event);

	if (why)
		return why;
	for (size_t i = 0; i < sizeof(drm_keys) / sizeof(drm_keys[0]); i++)
		if (!strcmp(drm_keys[i].event, name) &&
		    !(bpf_format_integer(event, drm_keys[i].field) ||
		      text_place(event, drm_keys[i].field)))
			return drm_keys[i].why;
	memset(layout, 0, sizeof(*layout));
	if (strcmp(name, lane_kinds[kind].name))
		return NULL;
	take_numbers(event, &lane_kinds[kind], is_none, layout);
	if (kind == LANE_DRM_QUEUE || kind == LANE_DRM_RUN) {
		places->name = text_place(event, "name");
		places->dev = text_place(event, "dev");
	}
	return NULL;
}

/* Why a driver's event that lacks this field is refused. */
static const char *lacks(const char *field)
{
	static const struct {
		const char *field, *why;
	} reasons[] = {
#define LACKS(field) { #field, "its format in tracefs lacks the field " #field }
		LACKS(guc_id), LACKS(class),	  LACKS(asid),		LACKS(context),
		LACKS(seqno),  LACKS(bo_size),	  LACKS(old_placement), LACKS(address),
		LACKS(ticks),  LACKS(ringid),	  LACKS(start_ticks),	LACKS(end_ticks),
		LACKS(purged), LACKS(ring_id_to), LACKS(evicted),	LACKS(is_render),
		LACKS(dev),    LACKS(start),	  LACKS(size),
#undef LACKS
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (!strcmp(reasons[i].field, field))
			return reasons[i].why;
	return "its format in tracefs lacks a field";
}

const char *capture_bpf_format_driver(const char *text, size_t bytes, int kind,
				      struct lane_bpf_layout *layout)
{
	LANE_CLEANUP(free_tep) struct tep_handle *tep = NULL;
	const struct lane_kind_info *info = &lane_kinds[kind];
	const struct lane_need *need = lane_needs[kind];
	unsigned int n = 0;
	struct tep_event *event;
	const char *why = bpf_format_parse(text, bytes, info->name, &tep, &event);

	if (why)
		return why;
	for (const struct lane_need *end = need + LANE_NEEDS; need < end && need->field; need++)
		if (!bpf_format_integer(event, need->field))
			return lacks(need->field);
	take_numbers(event, info, is_none, layout);
	for (unsigned int i = 0; i < info->n_fields && n < LANE_BPF_MAX_TEXTS; i++) {
		const struct lane_field *field = &info->fields[i];
		struct lane_bpf_copy *copy = &layout->text[n];

		if (!lane_type_is_text(field->type))
			continue;
		copy->from = text_place(event, other_name(info->name, field->name));
		copy->to = (__u8)field->offset;
		copy->bytes = (__u8)field->size;
		n += copy->from != 0;
	}
	return NULL;
}

const char *capture_bpf_format_names(const char *text, size_t bytes, struct lane_bpf_names *names)
{
	LANE_CLEANUP(free_tep) struct tep_handle *tep = NULL;
	struct tep_event *event;
	const struct tep_format_field *driver, *timeline, *context, *seqno;
	const char *why = bpf_format_parse(text, bytes, "dma_fence_init", &tep, &event);

	if (why)
		return why;
	driver = tep_find_field(event, "driver");
	timeline = tep_find_field(event, "timeline");
	context = bpf_format_integer(event, "context");
	seqno = bpf_format_integer(event, "seqno");
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
