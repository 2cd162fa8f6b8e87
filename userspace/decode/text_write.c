// SPDX-License-Identifier: MIT
// Writes the text format (docs/text-format.md).
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/opencl.h"
#include "decode/known_names.h"

static void write_fact(FILE *to, const char *key, const char *value)
{
	if (!*value)
		return;
	fprintf(to, "info %s ", key);
	lane_clean_print(to, value);
	fputc('\n', to);
}

void decode_text_write_head(FILE *to, const struct lane_trace_info *info)
{
	fputs("gpulane-events 1\n", to);
	write_fact(to, "host", info->host);
	write_fact(to, "release", info->release);
	write_fact(to, "clock_uuid", info->clock_uuid);
	write_fact(to, "tracer", info->tracer);
	if (info->epoch_offset_ns)
		fprintf(to, "info epoch_offset_ns %" PRId64 "\n", info->epoch_offset_ns);
	if (info->begin_ns)
		fprintf(to, "info begin_ns %" PRIu64 "\n", info->begin_ns);
	if (info->end_ns)
		fprintf(to, "info end_ns %" PRIu64 "\n",
			info->stop_ns ? info->stop_ns : info->end_ns);
	if (info->submission != LANE_SUBMISSION_UNKNOWN)
		fprintf(to, "info submission %s\n", decode_submission_name(info->submission));
	if (info->follows_some)
		fputs("info filter processes\n", to);
	if (info->followed_pid)
		fprintf(to, "info followed_pid %" PRId32 "\n", info->followed_pid);
	for (uint32_t i = 0; i < info->limits.n; i++) {
		const struct lane_engine_limits *row = &info->limits.of[i];

		fprintf(to, "info limits %" PRIu32 " %s %s", row->card, *row->dev ? row->dev : "-",
			row->engine);
		for (int kind = 0; kind < LANE_LIMIT_KINDS; kind++)
			if (row->ns[kind])
				fprintf(to, " %s=%" PRIu64, lane_limit_names[kind], row->ns[kind]);
		fputc('\n', to);
	}
	write_fact(to, "dumps", info->limits.dumps);
	write_fact(to, "idle_states", info->limits.idle_states);
	write_fact(to, "sched_policy", info->limits.sched_policy);
	if (info->command_pid)
		fprintf(to, "info command_pid %" PRId32 "\n", info->command_pid);
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (info->presence[kind] != LANE_PRESENCE_UNKNOWN)
			fprintf(to, "%s %s\n",
				info->presence[kind] == LANE_PRESENCE_ABSENT ? "absent"
									     : "recorded",
				lane_kinds[kind].name);
}

static void write_optional(FILE *to, int32_t value, char after)
{
	if (value == -1)
		fputc('-', to);
	else
		fprintf(to, "%" PRId32, value);
	fputc(after, to);
}

/* Text bare where that can be read back, else in quotes with escapes. */
static void text_write_write_text(FILE *to, const char *text, size_t size)
{
	size_t length = strnlen(text, size);
	bool bare = length > 0;

	for (size_t i = 0; i < length && bare; i++)
		bare = isascii((unsigned char)text[i]) && isgraph((unsigned char)text[i]) &&
		       text[i] != '"' && text[i] != '\\';
	if (bare) {
		fwrite(text, 1, length, to);
		return;
	}
	fputc('"', to);
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c < ' ' || c >= 0x7f)
			fprintf(to, "\\x%02x", c);
		else
			fputc(c, to);
	}
	fputc('"', to);
}

/* A number that has a name, unless it has none. */
static void write_name(FILE *to, const char *name, uint64_t number)
{
	if (name)
		fputs(name, to);
	else
		fprintf(to, "%" PRIu64, number);
}

static void write_value(FILE *to, const struct lane_field *field, const char *at)
{
	uint64_t number = 0;

	if (lane_type_is_text(field->type)) {
		text_write_write_text(to, at, field->size);
		return;
	}
	memcpy(&number, at, field->size); /* the machine is little-endian: asserted in names.h */
	switch (field->type) {
	case LANE_TYPE_s32:
		fprintf(to, "%" PRId32, (int32_t)number);
		break;
	case LANE_TYPE_s64:
		fprintf(to, "%" PRId64, (int64_t)number);
		break;
	case LANE_TYPE_clf:
		write_name(to, lane_cl_function_name((unsigned int)number), number);
		break;
	case LANE_TYPE_clc:
		write_name(to, lane_cl_command_name((unsigned int)number), number);
		break;
	case LANE_TYPE_x32:
	case LANE_TYPE_x64:
		fprintf(to, "0x%" PRIx64, number);
		break;
	default:
		fprintf(to, "%" PRIu64, number);
	}
}

/* True when the field holds what stands there when nobody has said it, and that is not just 0. */
static bool is_unknown(const struct lane_event *event, const struct lane_event *unknown,
		       const struct lane_field *field)
{
	const char *at = (const char *)&event->u + field->offset;
	const char *none = (const char *)&unknown->u + field->offset;
	static const char zeros[sizeof(uint64_t)];

	return !lane_type_is_text(field->type) && !memcmp(at, none, field->size) &&
	       memcmp(at, zeros, field->size);
}

/* Everything behind the time and the machine. */
static void write_rest(FILE *to, const struct lane_event *event)
{
	const struct lane_kind_info *info = &lane_kinds[event->wire.kind];
	struct lane_event unknown;

	decode_event_clear(&unknown, (int)event->wire.kind);
	write_optional(to, event->cpu, ' ');
	write_optional(to, event->wire.pid, '/');
	write_optional(to, event->wire.tid, ' ');
	if (event->wire.origin == LANE_ORIGIN_UNKNOWN)
		fputc('-', to);
	else
		fputs(lane_origin_name(event->wire.origin), to);
	fprintf(to, " %s", info->name);
	for (unsigned int i = 0; i < info->n_fields; i++) {
		if (is_unknown(event, &unknown, &info->fields[i]))
			continue;
		fprintf(to, " %s=", info->fields[i].name);
		write_value(to, &info->fields[i], (const char *)&event->u + info->fields[i].offset);
	}
	fputc('\n', to);
}

void decode_text_write_event(FILE *to, const struct lane_event *event)
{
	fprintf(to, "%" PRIu64 " ", (uint64_t)event->wire.ts_ns);
	write_rest(to, event);
}

void decode_text_write_event_of(FILE *to, const struct lane_event *event, const char *machine,
				uint64_t half_ns)
{
	fprintf(to, "%" PRIu64, (uint64_t)event->wire.ts_ns);
	if (half_ns)
		fprintf(to, "±%" PRIu64, half_ns);
	fputc(' ', to);
	lane_clean_print(to, machine);
	fputc(':', to);
	write_rest(to, event);
}
