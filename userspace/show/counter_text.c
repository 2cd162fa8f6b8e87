// SPDX-License-Identifier: MIT
// What the GPUs' counters say, for people and programs: bounds, and what is an estimate.
#include "show/counter_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/percent.h"
#include "base/clean.h"
#include "show/json.h"
#include "show/report.h"

static const struct {
	const char *name, *unit;
} counts[LANE_COUNTS] = {
#define C(id, name, unit) { name, unit },
	LANE_COUNTERS(C)
#undef C
};

static const char *name_of(const struct lane_p_gpulane_counter *is)
{
	return is->what < LANE_COUNTS ? counts[is->what].name : "unknown";
}

static const char *what_of(const struct lane_counter_sum *sum)
{
	return name_of(&sum->is);
}

/* Whose it is: "rcs0", "viewer[410] render", "gt0". */
static const char *owner_of(const struct lane_p_gpulane_counter *is, char *text, size_t size)
{
	static const char *const classes[] = { "rcs", "bcs", "vcs", "vecs", "ccs" };

	if (is->what == LANE_COUNTS_CLIENT_BUSY)
		snprintf(text, size, "%s %.31s", SHOW_TASK(is->pid, is->comm), is->name);
	else if (is->what == LANE_COUNTS_VF_BUSY)
		snprintf(text, size, "VF %llu %s%u", is->client_id,
			 is->class < 5 ? classes[is->class] : "", is->instance);
	else if (is->what == LANE_COUNTS_ENGINE_BUSY && is->class < 5)
		snprintf(text, size, "%s%u", classes[is->class], is->instance);
	else if (is->what == LANE_COUNTS_ENGINE_BUSY)
		snprintf(text, size, "%.31s", is->name);
	else
		snprintf(text, size, "gt%u", is->gt);
	return lane_clean(text, LANE_CLEAN_LINE);
}

static const char *whose(const struct lane_counter_sum *sum, char *text, size_t size)
{
	return owner_of(&sum->is, text, size);
}

const char *show_counter_name(const struct lane_p_gpulane_counter *is, char *text, size_t size)
{
	bool is_known = is->what < LANE_COUNTS;
	char owner[96];

	snprintf(text, size, "%s %s, %s", name_of(is), owner_of(is, owner, sizeof(owner)),
		 is_known && *counts[is->what].unit ? counts[is->what].unit : "%");
	return text;
}

static uint64_t rough_ns(const struct lane_counter_sum *sum)
{
	return sum->rough.lo + (sum->rough.hi - sum->rough.lo) / 2;
}

const char *show_throttle_reasons(uint64_t bits, char *text, size_t size)
{
	static const char *const names[LANE_COUNTER_REASONS] = {
#define T(name) #name,
		LANE_THROTTLES(T)
#undef T
	};
	size_t used = 0;

	*text = '\0';
	for (unsigned int i = 0; i < LANE_COUNTER_REASONS && used < size; i++)
		if (bits >> i & 1)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 names[i]);
	return text;
}

static const char *value_text(const struct lane_counter_sum *sum, uint64_t whole_ns, char *text,
			      size_t size)
{
	uint64_t all_ns = whole_ns * (sum->is.capacity ? sum->is.capacity : 1);

	if (sum->is.what == LANE_COUNTS_VF_BUSY && sum->last_total > sum->first_total)
		snprintf(text, size, "%u %% of its share",
			 lane_percent(sum->last - sum->first, sum->last_total - sum->first_total,
				      0.5));
	else if (sum->is_time && sum->is_sound)
		snprintf(text, size, "%s (%s)", SHOW_SPAN(sum->counted),
			 SHOW_SHARE(sum->counted, timeline_span_exact(all_ns)));
	else if (sum->is_time)
		snprintf(text, size, "about %s", SHOW_DURATION(rough_ns(sum)));
	else if (sum->is.what == LANE_COUNTS_THROTTLED)
		snprintf(text, size, "in %" PRIu64 " samples%s%s", sum->set_samples,
			 sum->bits ? ": " : "", show_throttle_reasons(sum->bits, SHOW_ROOM(96)));
	else if (sum->is.what < LANE_COUNTS && *counts[sum->is.what].unit)
		snprintf(text, size, "%" PRIu64 "..%" PRIu64 " %s", sum->least, sum->most,
			 counts[sum->is.what].unit);
	else
		snprintf(text, size, "unknown");
	return text;
}

static void audit_line(FILE *to, const struct lane_engine_stats *engine)
{
	const struct lane_audit *audit = &engine->audit;

	if (audit->requests_exceed)
		fprintf(to,
			"%s: its requests ran for at least %s, its counter says at most %s: "
			"something of the recording is wrong or missing.\n",
			SHOW_ENGINE(engine->engine), SHOW_DURATION(engine->busy.lo),
			SHOW_DURATION(audit->counted.hi));
	if (audit->has_unseen_work)
		fprintf(to,
			"%s: its counter says that it was busy for at least %s, its requests ran "
			"for at most %s: somebody's requests are not in the recording.\n",
			SHOW_ENGINE(engine->engine), SHOW_DURATION(audit->counted.lo),
			SHOW_DURATION(engine->busy.hi));
}

void show_counter_head(FILE *to, const struct lane_latency *latency)
{
	const struct lane_counters *counters = &latency->counters;
	const struct lane_limits *limits = &latency->info.limits;

	for (uint32_t i = 0; i < limits->n; i++)
		if (limits->of[i].ns[LANE_LIMIT_VIRTUAL])
			fprintf(to,
				"card%u is a virtual function: a gap may be another one's turn.\n",
				limits->of[i].card);
	for (uint32_t i = 0; i < latency->n_engines; i++)
		if (latency->engines[i].engine)
			audit_line(to, &latency->engines[i]);
	for (uint32_t i = 0; i < counters->n; i++)
		if (counters->all[i].samples && counters->all[i].is.trust & LANE_TRUST_WAKES) {
			fputs("Reading the counters kept a GPU awake (--counters RATE,wake): it "
			      "slept less than it would have.\n",
			      to);
			return;
		}
}

/* The client, or the virtual function, that most often had most of the GPU; NULL: none had more
 * than half of the times, or it is not about that. */
static const struct lane_counter_sum *other_of(const struct lane_latency *latency,
					       const struct lane_slow *slow)
{
	const struct lane_slow_other *other = &slow->others[slow->cause];

	return other->votes ? &latency->counters.all[other->counter] : NULL;
}

void show_counter_table(const struct lane_tables *t)
{
	const struct lane_latency *latency = t->latency;
	uint32_t rows = t->options->rows;
	uint64_t whole_ns = latency->figures.end_ns - latency->figures.begin_ns;
	char dev[33];
	uint32_t told = 0;

	if (latency->counters.n)
		show_title(t, "The GPUs' counters");
	for (uint32_t i = 0; i < latency->counters.n && (!rows || told < rows); i++) {
		const struct lane_counter_sum *sum = &latency->counters.all[i];

		if (!sum->samples)
			continue;
		if (!told++)
			fprintf(t->to, "  %-13s %-14s %-28s %8s  %s\n", "counter", "device", "of",
				"samples", "value");
		snprintf(dev, sizeof(dev), "%.32s", sum->is.dev);
		fprintf(t->to, "  %-13s %-14s %-28s %8" PRIu64 "  %s\n", what_of(sum),
			lane_clean(dev, LANE_CLEAN_LINE), whose(sum, SHOW_ROOM(96)), sum->samples,
			value_text(sum, whole_ns, SHOW_ROOM(160)));
	}
}

static void slow_tree(const struct lane_latency *latency, struct json_object *tree)
{
	struct json_object *list = NULL, *to;

	for (uint32_t i = 0; i < latency->slows.n; i++) {
		const struct lane_slow *slow = &latency->slows.all[i];

		if (!list)
			list = show_json_list(tree, "slow");
		to = show_json_row(list);
		if (slow->context) {
			show_json_uint(to, "context", slow->context->ctx);
			show_json_uint(to, "device", slow->context->dev);
		} else {
			show_json_text(to, "process", SHOW_PROCESS(latency, slow->pid));
			show_json_text(to, "kernel", slow->kernel);
			show_json_uint(to, "size", slow->size);
			show_json_uint(to, "group", slow->group);
		}
		show_json_uint(to, slow->context ? "requests" : "runs", slow->all.count);
		if (!slow->is_named) {
			show_json_null(to, "cause");
			continue;
		}
		show_json_text(to, "cause", lane_slow_names[slow->cause]);
		if (other_of(latency, slow))
			show_json_text(to, "client", whose(other_of(latency, slow), SHOW_ROOM(96)));
		if (slow->cause == LANE_SLOW_THROTTLED)
			show_json_text(to, "reasons",
				       show_throttle_reasons(slow->throttles, SHOW_ROOM(96)));
		show_json_real(to, "share", slow->permille / 1000.0);
		show_json_uint(to, "with", slow->with[slow->cause].count);
		show_json_uint(to, "with_p50_ns", slow->with_ns);
		show_json_uint(to, "without", slow->without[slow->cause].count);
		show_json_uint(to, "without_p50_ns", slow->without_ns);
	}
}

void show_counter_tree(const struct lane_latency *latency, struct json_object *tree)
{
	struct json_object *list = NULL, *to;
	char dev[33];

	for (uint32_t i = 0; i < latency->counters.n; i++) {
		const struct lane_counter_sum *sum = &latency->counters.all[i];

		if (!sum->samples)
			continue;
		if (!list)
			list = show_json_list(tree, "counters");
		to = show_json_row(list);
		snprintf(dev, sizeof(dev), "%.32s", sum->is.dev);
		show_json_text(to, "counter", what_of(sum));
		show_json_text(to, "device", dev);
		show_json_text(to, "of", whose(sum, SHOW_ROOM(96)));
		show_json_uint(to, "capacity", sum->is.capacity);
		show_json_bool(to, "wakes", sum->is.trust & LANE_TRUST_WAKES);
		show_json_uint(to, "samples", sum->samples);
		show_json_known_span(to, "counted", sum->counted, sum->is_time && sum->is_sound);
		if (sum->is_time && sum->is.what != LANE_COUNTS_VF_BUSY)
			show_json_uint(to, "estimate_ns", rough_ns(sum));
		if (!sum->is_time) {
			show_json_uint(to, "min", sum->least);
			show_json_uint(to, "max", sum->most);
		}
		if (sum->is.what == LANE_COUNTS_THROTTLED) {
			show_json_uint(to, "throttled_samples", sum->set_samples);
			show_json_text(to, "reasons",
				       show_throttle_reasons(sum->bits, SHOW_ROOM(96)));
		}
		if (sum->is.what == LANE_COUNTS_CLOCK && sum->agreed_ns) {
			show_json_uint(to, "agreed_ns", sum->agreed_ns);
			show_json_real(to, "agreed_mhz",
				       sum->agreed_mhz_ns / (double)sum->agreed_ns);
		}
	}
	slow_tree(latency, tree);
}
