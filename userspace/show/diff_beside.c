// SPDX-License-Identifier: MIT
// What differs between two sides beside what is compared: it may be the reason.
#include "show/diff.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clean.h"
#include "show/report.h"

#define TEXT 160

/* What one recording says of itself. */
typedef void say_fn(const struct compare_recording *recording, char text[TEXT]);

static void say_host(const struct compare_recording *recording, char text[TEXT])
{
	snprintf(text, TEXT, "%s", recording->info.host);
}

static void say_kernel(const struct compare_recording *recording, char text[TEXT])
{
	snprintf(text, TEXT, "%s", recording->info.release);
}

static void say_tracer(const struct compare_recording *recording, char text[TEXT])
{
	snprintf(text, TEXT, "%s%s%s", recording->info.tracer,
		 *recording->info.tracer_version ? " " : "", recording->info.tracer_version);
}

static void say_submission(const struct compare_recording *recording, char text[TEXT])
{
	static const char *const names[] = { [LANE_SUBMISSION_UNKNOWN] = "",
					     [LANE_SUBMISSION_EXECLISTS] = "execlists",
					     [LANE_SUBMISSION_PER_REQUEST] = "execlists",
					     [LANE_SUBMISSION_GUC] = "GuC",
					     [LANE_SUBMISSION_RING] = "ring" };

	if (recording->info.submission < sizeof(names) / sizeof(names[0]))
		snprintf(text, TEXT, "%s", names[recording->info.submission]);
}

static void say_policy(const struct compare_recording *recording, char text[TEXT])
{
	snprintf(text, TEXT, "%s", recording->info.limits.sched_policy);
}

static void say_followed(const struct compare_recording *recording, char text[TEXT])
{
	snprintf(text, TEXT, "%s",
		 recording->info.follows_some ? "some processes" : "the whole system");
}

static void say_events(const struct compare_recording *recording, char text[TEXT])
{
	unsigned int n = 0;

	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		n += recording->info.presence[kind] != LANE_PRESENCE_ABSENT;
	snprintf(text, TEXT, "%u", n);
}

static void say_losses(const struct compare_recording *recording, char text[TEXT])
{
	if (recording->is_damaged)
		snprintf(text, TEXT, "damaged");
	else if (recording->losses && !recording->lost)
		snprintf(text, TEXT, "some");
	else
		snprintf(text, TEXT, "%" PRIu64, recording->lost);
}

static const struct {
	const char *name;
	say_fn *say;
} facts[] = {
	{ "machine", say_host },	   { "kernel", say_kernel },
	{ "submission", say_submission },  { "drm_sched's policy", say_policy },
	{ "recorded by", say_tracer },	   { "recorded", say_followed },
	{ "kinds of events", say_events }, { "lost events", say_losses },
};

/* What a side's recordings say, each once. */
static void say_side(const struct compare_result *r, unsigned int side, say_fn *say,
		     char text[TEXT])
{
	char one[TEXT], with[TEXT + 4], so_far[TEXT + 4];

	*text = '\0';
	for (unsigned int i = 0; i < r->n[side]; i++) {
		*one = '\0';
		say(&r->recordings[i + side * r->n[0]], one);
		lane_clean(one, LANE_CLEAN_LINE);
		snprintf(with, sizeof(with), ", %s,", one);
		snprintf(so_far, sizeof(so_far), ", %s,", text);
		if (*one && !strstr(so_far, with))
			show_append(text, TEXT, "%s%s", *text ? ", " : "", one);
	}
	if (!*text)
		snprintf(text, TEXT, "unknown");
}

/* The mean of a counter over a side's recordings that have read it; false: none has. */
static bool counter_of(const struct compare_result *r, unsigned int side,
		       const struct compare_counter *of, double *value)
{
	unsigned int n = 0;

	*value = 0;
	for (unsigned int i = 0; i < r->n[side]; i++) {
		const struct compare_recording *recording = &r->recordings[i + side * r->n[0]];

		for (uint32_t k = 0; k < recording->n_counters; k++) {
			if (strcmp(recording->counters[k].name, of->name) != 0)
				continue;
			*value += recording->counters[k].value;
			n++;
		}
	}
	*value /= n ? n : 1;
	return n;
}

static void say_counter(const struct compare_counter *counter, bool is_known, double value,
			char text[TEXT])
{
	if (!is_known)
		snprintf(text, TEXT, "not read");
	else if (!*counter->unit)
		snprintf(text, TEXT, "%.0f %% of the time", value * 100);
	else if (!strcmp(counter->unit, "reasons"))
		snprintf(text, TEXT, "about %.0f %% of the time", value * 100);
	else
		snprintf(text, TEXT, "%.0f %s", value, counter->unit);
}

static bool is_first_of_name(const struct compare_recording *recording, uint32_t number)
{
	for (uint32_t i = 0; i < number; i++)
		if (!strcmp(recording->counters[i].name, recording->counters[number].name))
			return false;
	return true;
}

static void counters_beside(const struct compare_result *r,
			    void (*fn)(void *, const char *, const char *, const char *), void *arg)
{
	const struct compare_recording *any = &r->recordings[0];
	char text[2][TEXT];
	double value[2];

	for (unsigned int i = 1; i < r->n[0] + r->n[1]; i++)
		if (r->recordings[i].n_counters > any->n_counters)
			any = &r->recordings[i];
	for (uint32_t i = 0; i < any->n_counters; i++) {
		const struct compare_counter *counter = &any->counters[i];
		bool base = counter_of(r, 0, counter, &value[0]);
		bool new = counter_of(r, 1, counter, &value[1]);

		if (!is_first_of_name(any, i) ||
		    (base && new &&fabs(value[1] - value[0]) <=
				     0.05 * fmax(fabs(value[0]), fabs(value[1]))))
			continue;
		say_counter(counter, base, value[0], text[0]);
		say_counter(counter, new, value[1], text[1]);
		if (strcmp(text[0], text[1]) != 0)
			fn(arg, counter->name, text[0], text[1]);
	}
}

void show_diff_beside(const struct compare_result *result,
		      void (*fn)(void *arg, const char *name, const char *base, const char *new),
		      void *arg)
{
	char text[2][TEXT];

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		say_side(result, 0, facts[i].say, text[0]);
		say_side(result, 1, facts[i].say, text[1]);
		if (strcmp(text[0], text[1]) != 0)
			fn(arg, facts[i].name, text[0], text[1]);
	}
	counters_beside(result, fn, arg);
}
