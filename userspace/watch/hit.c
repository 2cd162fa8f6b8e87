// SPDX-License-Identifier: MIT
// A hit as a line for people, and as a file.
#include "watch/hit.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "base/clean.h"
#include "base/plural.h"
#include "watch/escaped.h"

#define FIRST_LINE "gpulane-hit 1"

uint64_t watch_hit_telling(const struct lane_hit *hit)
{
	double times = hit->limit_ns ? (double)hit->total_ns / (double)hit->limit_ns : 1e9;

	return (uint64_t)(times < 1e9 ? times * 1000 : 1e12);
}

const char *watch_hit_duration(uint64_t ns, char *buffer, size_t size)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	unsigned int unit = 0;

	while (value >= 999.5 && unit < 3) {
		value /= 1000;
		unit++;
	}
	snprintf(buffer, size,
		 value < 9.995	 ? "%.2f %s"
		 : value < 99.95 ? "%.1f %s"
				 : "%.0f %s",
		 value, units[unit]);
	return buffer;
}

static void print_when(FILE *to, int64_t epoch_ns)
{
	time_t seconds = (time_t)(epoch_ns / 1000000000);
	struct tm tm;
	char text[32] = "";

	if (epoch_ns < 0 || !gmtime_r(&seconds, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(text, sizeof(text), "-");
	fprintf(to, "%s.%03dZ", text, epoch_ns < 0 ? 0 : (int)(epoch_ns / 1000000 % 1000));
}

/* "request 1:1032 of hist[154] on rcs0" */
static void print_what(FILE *to, const struct lane_hit *hit)
{
	fputs(lane_row_what_names[hit->what], to);
	if (hit->what == LANE_ROW_REQUEST)
		fprintf(to, " %" PRIu64 ":%" PRIu32, hit->ctx, hit->seqno);
	if (*hit->text) {
		fputs(" \"", to);
		lane_clean_print(to, hit->text);
		fputc('"', to);
	}
	if (*hit->process || hit->pid >= 0)
		fputs(" of ", to);
	lane_clean_print(to, hit->process);
	if (hit->pid >= 0)
		fprintf(to, *hit->process ? "[%" PRId32 "]" : "%" PRId32, hit->pid);
	if (*hit->engine) {
		fputs(" on ", to);
		lane_clean_print(to, hit->engine);
	}
}

void watch_hit_print(FILE *to, const struct lane_hit *hit)
{
	char ns[24], limit[24];

	print_when(to, hit->epoch_ns);
	fputc(' ', to);
	print_what(to, hit);
	if (hit->limit_ns)
		fprintf(to, ": %s%s%s, the limit was %s", hit->stage, *hit->stage ? " " : "",
			watch_hit_duration(hit->total_ns, ns, sizeof(ns)),
			watch_hit_duration(hit->limit_ns, limit, sizeof(limit)));
	if (*hit->cause) {
		fprintf(to, "; %s", hit->cause);
		if (hit->cause_ns)
			fprintf(to, " %s", watch_hit_duration(hit->cause_ns, ns, sizeof(ns)));
	}
	if (*hit->culprit) {
		fputs(" by ", to);
		lane_clean_print(to, hit->culprit);
	}
}

static void describe_time(FILE *to, const char *name, uint64_t ns)
{
	char text[24];

	fprintf(to, "  %-14s %s\n", name, watch_hit_duration(ns, text, sizeof(text)));
}

void watch_hit_describe(FILE *to, const struct lane_hit *hit)
{
	char text[24];

	watch_hit_print(to, hit);
	fputc('\n', to);
	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		if (hit->known & 1u << i)
			describe_time(to, lane_stage_names[i], hit->stages[i]);
	if (*hit->driver || *hit->gpu) {
		fputs("  gpu            ", to);
		lane_clean_print(to, hit->gpu);
		fputs(*hit->driver ? ", " : "", to);
		lane_clean_print(to, hit->driver);
		fputc('\n', to);
	}
	if (hit->to_ns <= hit->from_ns)
		return;
	fprintf(to, "  recording      %s, %" PRIu64 " event%s, %" PRIu64 " lost\n",
		watch_hit_duration(hit->to_ns - hit->from_ns, text, sizeof(text)), hit->events,
		lane_s(hit->events), hit->lost);
	if (hit->from_ns > hit->wanted_from_ns)
		fprintf(to,
			"  it begins %s late: the memory (--memory), or watching, reached no "
			"further "
			"back\n",
			watch_hit_duration(hit->from_ns - hit->wanted_from_ns, text, sizeof(text)));
}

/* --- the file --- */

/* Its fields but the stages, one line each. */
enum type {
	TEXT,
	U64,
	S64,
	U32,
	PID
};

static const struct field {
	const char *name;
	enum type type;
	size_t at, bytes;
} fields[] = {
#define FIELD(name, type)                                                                          \
	{                                                                                          \
#name, type, offsetof(struct lane_hit, name), sizeof(((struct lane_hit *)0)->name) \
	}
	FIELD(number, U64),   FIELD(epoch_ns, S64), FIELD(begin_ns, U64),
	FIELD(end_ns, U64),   FIELD(limit_ns, U64), FIELD(total_ns, U64),
	FIELD(stage, TEXT),   FIELD(process, TEXT), FIELD(pid, PID),
	FIELD(driver, TEXT),  FIELD(gpu, TEXT),	    FIELD(engine, TEXT),
	FIELD(ctx, U64),      FIELD(seqno, U32),    FIELD(cause, TEXT),
	FIELD(culprit, TEXT), FIELD(cause_ns, U64), FIELD(text, TEXT),
	FIELD(from_ns, U64),  FIELD(to_ns, U64),    FIELD(wanted_from_ns, U64),
	FIELD(events, U64),   FIELD(lost, U64),
#undef FIELD
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

static void save_field(const struct lane_hit *hit, const struct field *field, FILE *to)
{
	const char *at = (const char *)hit + field->at;
	uint64_t number = 0;

	fputs(field->name, to);
	if (field->type == TEXT) {
		watch_words_put(to, at);
	} else if (field->type == PID) {
		if (*(const int32_t *)at >= 0)
			fprintf(to, " %" PRId32, *(const int32_t *)at);
	} else {
		memcpy(&number, at, field->bytes);
		fprintf(to, " %" PRIu64, number);
	}
	fputc('\n', to);
}

void watch_hit_save(const struct lane_hit *hit, FILE *to)
{
	fprintf(to, FIRST_LINE "\nwhat %s\n", lane_row_what_names[hit->what]);
	for (size_t i = 0; i < N_FIELDS; i++)
		save_field(hit, &fields[i], to);
	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		if (hit->known & 1u << i)
			fprintf(to, "took %s %" PRIu64 "\n", lane_stage_names[i], hit->stages[i]);
	fputs("end\n", to);
}

static bool load_field(struct lane_hit *hit, const struct field *field, const char *rest)
{
	char *at = (char *)hit + field->at;
	uint64_t most = field->type == U32   ? UINT32_MAX
			: field->type == PID ? INT32_MAX
			: field->type == S64 ? INT64_MAX
					     : UINT64_MAX;
	uint64_t number;

	if (field->type == TEXT) {
		memset(at, 0, field->bytes);
		return watch_words_get(&rest, at, field->bytes) && !*rest;
	}
	if (field->type == PID && !*rest)
		return true;
	if (!watch_words_number(&rest, most, &number) || *rest)
		return false;
	memcpy(at, &number, field->bytes);
	return true;
}

static bool load_what(struct lane_hit *hit, const char *rest)
{
	char word[16];

	if (!watch_words_get(&rest, word, sizeof(word)))
		return false;
	for (int i = 0; i < LANE_ROW_WHAT_COUNT; i++) {
		if (strcmp(lane_row_what_names[i], word) != 0)
			continue;
		hit->what = (enum lane_row_what)i;
		return true;
	}
	return false;
}

static bool load_stage(struct lane_hit *hit, const char *rest)
{
	char word[16];
	uint64_t ns;

	if (!watch_words_get(&rest, word, sizeof(word)) ||
	    !watch_words_number(&rest, UINT64_MAX, &ns))
		return false;
	for (int i = 0; i < LANE_STAGE_COUNT; i++) {
		if (strcmp(lane_stage_names[i], word) != 0)
			continue;
		hit->known |= (uint16_t)(1u << i);
		hit->stages[i] = ns;
	}
	return true;
}

/* A line; what has a name that nobody knows is of a later version. */
static bool load_line(struct lane_hit *hit, const char *line)
{
	const char *rest = line;
	char name[24];

	if (!watch_words_get(&rest, name, sizeof(name)))
		return false;
	if (!strcmp(name, "what"))
		return load_what(hit, rest);
	if (!strcmp(name, "took"))
		return load_stage(hit, rest);
	for (size_t i = 0; i < N_FIELDS; i++)
		if (!strcmp(name, fields[i].name))
			return load_field(hit, &fields[i], rest);
	return true;
}

bool watch_hit_load(struct lane_hit *hit, const char *text)
{
	char line[512];
	bool is_first = true;

	*hit = (struct lane_hit){ .pid = -1 };
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length >= sizeof(line) || text[length] != '\n')
			return false;
		memcpy(line, text, length);
		line[length] = 0;
		text += length + 1;
		if (is_first && strcmp(line, FIRST_LINE) != 0)
			return false;
		if (!is_first && !strcmp(line, "end"))
			return !*text;
		if (!is_first && !load_line(hit, line))
			return false;
		is_first = false;
	}
	return false;
}
