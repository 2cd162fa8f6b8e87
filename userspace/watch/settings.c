// SPDX-License-Identifier: MIT
// The settings of a watch.
#include "watch/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "watch/missed.h"

#define FILE_BYTES 65536
#define MARKER	   "marker:"

const char *const lane_setting_names[LANE_SETTING_COUNT] = {
#define S(id, name, argument, help) [LANE_SETTING_##id] = name,
	LANE_SETTINGS(S)
#undef S
};

void watch_settings_init(struct lane_watch_settings *settings)
{
	*settings = (struct lane_watch_settings){
		.watch = { .before_ns = 2000000000,
			   .after_ns = 200000000,
			   .of = 1u << LANE_ROW_REQUEST,
			   .stage = -1,
			   .store = { .keep = 20, .per_hour = 5, .disk_bytes = 1ull << 30 } },
		.memory = 64u << 20,
	};
}

static struct lane_error *wrong(enum lane_setting setting, const char *value, const char *want)
{
	return lane_error_usage("%s %s: not %s", lane_setting_names[setting], value, want);
}

/* As 512K, 64M or 2G. */
static bool settings_parse_size(const char *text, uint64_t *bytes)
{
	unsigned long long value;
	unsigned int shift = 0;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end == 'K')
		shift = 10;
	else if (*end == 'M')
		shift = 20;
	else if (*end == 'G')
		shift = 30;
	if (errno || (shift ? end[1] : *end) || !value || value > (1ull << 50) >> shift)
		return false;
	*bytes = value << shift;
	return true;
}

static bool parse_number(const char *text, unsigned int most, unsigned int *number)
{
	unsigned long value;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	*number = (unsigned int)value;
	return !errno && !*end && value && value <= most;
}

static bool parse_of(const char *text, uint32_t *of)
{
	static const enum lane_row_what what[] = { LANE_ROW_REQUEST, LANE_ROW_COMMAND,
						   LANE_ROW_WAIT, LANE_ROW_FRAME };

	*of = 0;
	for (size_t length; *text; text += length + (text[length] == ',')) {
		size_t i = 0;

		length = strcspn(text, ",");
		while (i < sizeof(what) / sizeof(what[0]) &&
		       (strlen(lane_row_what_names[what[i]]) != length ||
			memcmp(lane_row_what_names[what[i]], text, length) != 0))
			i++;
		if (i == sizeof(what) / sizeof(what[0]))
			return false;
		*of |= 1u << what[i];
	}
	return *of;
}

bool watch_settings_frame(char *frame, const char **path, const char **symbol)
{
	char *colon = strrchr(frame, ':');

	*path = NULL;
	if (!strncmp(frame, MARKER, strlen(MARKER))) {
		*symbol = frame + strlen(MARKER);
		return **symbol && strlen(*symbol) < 64;
	}
	if (*frame != '/' || !colon || !colon[1] || strlen(colon + 1) >= 64)
		return false;
	*colon = 0;
	*path = frame;
	*symbol = colon + 1;
	return true;
}

static bool parse_frame(const char *text, char *frame, size_t size)
{
	LANE_CLEANUP(lane_free) char *copy = strdup(text);
	const char *path, *symbol;

	if (!copy || strlen(text) >= size || !watch_settings_frame(copy, &path, &symbol))
		return false;
	snprintf(frame, size, "%s", text);
	return true;
}

static bool parse_stage(const char *text, int *stage)
{
	for (*stage = 0; *stage < LANE_STAGE_COUNT; ++*stage)
		if (!strcmp(text, lane_stage_names[*stage]))
			return true;
	return false;
}

struct lane_error *watch_settings_set(struct lane_watch_settings *settings,
				      enum lane_setting setting, const char *value)
{
	struct lane_watch_config *watch = &settings->watch;
	const char *want = NULL;
	uint64_t bytes = 0;

	switch (setting) {
	case LANE_SETTING_SLOWER_THAN:
		if (!watch_limit_parse(value, &watch->slower))
			want = "a time (16ms) or a multiple of a percentile (p99.9x3)";
		break;
	case LANE_SETTING_OF:
		if (!parse_of(value, &watch->of))
			want = "one of request, command, wait, frame";
		break;
	case LANE_SETTING_STAGE:
		if (!parse_stage(value, &watch->stage))
#define S(id, name) " " name
			want = "one of" LANE_STAGES(S);
#undef S
		break;
	case LANE_SETTING_PROCESS:
		if (!*value || strlen(value) >= sizeof(watch->process))
			want = "the name (up to 15 characters) or number of a process";
		else
			snprintf(watch->process, sizeof(watch->process), "%s", value);
		break;
	case LANE_SETTING_OPEN:
		if (!watch_time_parse(value, &watch->open_ns))
			want = "a time (2s)";
		break;
	case LANE_SETTING_STARVED:
		if (!watch_time_parse(value, &watch->starved_ns))
			want = "a time (5ms)";
		break;
	case LANE_SETTING_MISSED:
		if (!parse_number(value, LANE_MISSED_MOST, &watch->missed))
			want = "1 to 1000 refreshes";
		break;
	case LANE_SETTING_FRAME:
		if (!parse_frame(value, settings->frame, sizeof(settings->frame)))
			want = "marker:TEXT, or PATH:SYMBOL with an absolute path";
		else if (!settings->is_set[LANE_SETTING_OF])
			watch->of = 1u << LANE_ROW_FRAME;
		break;
	case LANE_SETTING_BEFORE:
	case LANE_SETTING_AFTER:
		if (!watch_time_parse(value, setting == LANE_SETTING_BEFORE ? &watch->before_ns
									    : &watch->after_ns))
			want = "a time (200ms)";
		break;
	case LANE_SETTING_KEEP:
		if (!parse_number(value, LANE_STORE_KEEP, &watch->store.keep))
			want = "1 to 1000 recordings";
		break;
	case LANE_SETTING_PER_HOUR:
		if (!parse_number(value, LANE_STORE_HOURLY, &watch->store.per_hour))
			want = "1 to 1000 recordings";
		break;
	case LANE_SETTING_DISK:
		if (!settings_parse_size(value, &watch->store.disk_bytes))
			want = "a size (1G)";
		break;
	case LANE_SETTING_MEMORY:
		if (!settings_parse_size(value, &bytes) || bytes < LANE_RING_MIN_BYTES ||
		    bytes > 1ull << 36)
			want = "a size from 1M to 64G";
		settings->memory = (size_t)bytes;
		break;
	default:
		return NULL;
	}
	settings->is_set[setting] = true;
	return want ? wrong(setting, value, want) : NULL;
}

/* A line without its end. */
static struct lane_error *settings_read_line(struct lane_watch_settings *settings,
					     const bool *before, char *line)
{
	size_t length = strlen(line);
	char *value;
	int i = 0;

	while (length &&
	       (line[length - 1] == ' ' || line[length - 1] == '\t' || line[length - 1] == '\r'))
		line[--length] = 0;
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return NULL;
	value = line + strcspn(line, " \t");
	if (*value)
		*value++ = 0;
	value += strspn(value, " \t");
	while (i < LANE_SETTING_COUNT && strcmp(lane_setting_names[i], line) != 0)
		i++;
	if (i == LANE_SETTING_COUNT)
		return lane_error_usage("%s: no such setting", line);
	return before[i] ? NULL : watch_settings_set(settings, (enum lane_setting)i, value);
}

struct lane_error *watch_settings_read(struct lane_watch_settings *settings, const char *text,
				       const char *path)
{
	LANE_CLEANUP(lane_free) char *copy = strdup(text);
	bool before[LANE_SETTING_COUNT];
	struct lane_error *err = NULL;
	char *rest = copy, *line;
	unsigned int number = 0;

	if (!copy)
		return &lane_enomem;
	memcpy(before, settings->is_set, sizeof(before));
	while (!err && (line = strsep(&rest, "\n"))) {
		number++;
		err = lane_error_context(settings_read_line(settings, before, line), "%s: line %u",
					 path, number);
	}
	return err;
}

struct lane_error *watch_settings_file(struct lane_watch_settings *settings, const char *path)
{
	LANE_CLEANUP(lane_fclose) FILE *file = NULL;
	LANE_CLEANUP(lane_free) char *text = calloc(1, FILE_BYTES + 1);
	struct lane_error *err = lane_file_fopen(path, &file);
	size_t n;

	if (err)
		return err;
	if (!text)
		return &lane_enomem;
	n = fread(text, 1, FILE_BYTES + 1, file);
	if (ferror(file))
		return lane_error_errno(errno, "%s", path);
	if (n > FILE_BYTES || memchr(text, 0, n))
		return lane_error("%s: is no configuration file", path);
	text[n] = 0;
	return watch_settings_read(settings, text, path);
}

struct lane_error *watch_settings_check(const struct lane_watch_settings *settings)
{
	const struct lane_watch_config *watch = &settings->watch;

	if (watch->stage >= 0 && !(watch->of & 1u << LANE_ROW_REQUEST))
		return lane_error_usage("stage: only requests have stages (see of)");
	if ((settings->is_set[LANE_SETTING_OF] || watch->stage >= 0) && !watch->slower.is_set)
		return lane_error_usage("%s: needs slower-than",
					watch->stage >= 0 ? "stage" : "of");
	return NULL;
}
