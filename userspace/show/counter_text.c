// SPDX-License-Identifier: MIT
// What the GPUs' counters say, for people and programs: bounds, and what is an estimate.
#include "show/report_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/percent.h"
#include "base/clean.h"
#include "show/report_rows.h"

/* So many of an engine's clients are named. */
#define MAX_CLIENTS 4

static const struct {
	const char *unit;
} counts[LANE_COUNTS] = {
#define C(id, name, unit) { unit },
	LANE_COUNTERS(C)
#undef C
};

/* Whose it is: "rcs0", "viewer[410] render", "gt0". */
static const char *counter_text_owner_of(const struct lane_p_gpulane_counter *is, char *text,
					 size_t size)
{
	static const char *const classes[] = { "rcs", "bcs", "vcs", "vecs", "ccs" };

	if (is->what == LANE_COUNTS_CLIENT_BUSY || is->what >= LANE_COUNTS_CLIENT_VRAM)
		snprintf(text, size, "%s %.31s", SHOW_TASK(is->pid, is->comm), is->name);
	else if (is->what == LANE_COUNTS_VF_BUSY)
		snprintf(text, size, "VF %llu %s%u", is->client_id,
			 is->class < 5 ? classes[is->class] : "", is->instance);
	else if (is->what == LANE_COUNTS_ENGINE_BUSY && is->class < 5)
		snprintf(text, size, "%s%u", classes[is->class], is->instance);
	else if (is->what == LANE_COUNTS_ENGINE_BUSY)
		snprintf(text, size, "%.31s", is->name);
	else if (is->what == LANE_COUNTS_MEMORY_PRESSURE)
		snprintf(text, size, "machine");
	else if (is->gt >= LANE_COUNTER_LINK)
		snprintf(text, size, "link %u", is->gt - LANE_COUNTER_LINK);
	else
		snprintf(text, size, "gt%u", is->gt);
	return lane_clean(text, LANE_CLEAN_LINE);
}

const char *show_counter_name(const struct lane_p_gpulane_counter *is, char *text, size_t size)
{
	bool is_known = is->what < LANE_COUNTS;
	char owner[96];

	snprintf(text, size, "%s %s, %s", lane_counter_name(is->what),
		 counter_text_owner_of(is, owner, sizeof(owner)),
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

/* Who had an engine, by their counters: those of its kind, if there is one engine of it. */
static void clients_of(FILE *to, const struct lane_counters *counters,
		       const struct lane_counter_sum *of, uint64_t whole_ns)
{
	const struct lane_counter_sum *last = NULL;

	for (unsigned int told = 0; told < MAX_CLIENTS; told++) {
		const struct lane_counter_sum *most = NULL;

		for (uint32_t i = 0; i < counters->n; i++) {
			const struct lane_counter_sum *sum = &counters->all[i];

			if (sum->is.card != of->is.card || sum->is.class != of->is.class)
				continue;
			if (sum->is.what == LANE_COUNTS_ENGINE_BUSY && sum != of)
				return;
			if (sum->is.what == LANE_COUNTS_CLIENT_BUSY && sum->is_sound &&
			    sum->counted.lo && (!most || sum->counted.lo > most->counted.lo) &&
			    (!last || sum->counted.lo < last->counted.lo))
				most = sum;
		}
		if (!most)
			return;
		fprintf(to, "%s %s %s", told ? "," : ":", SHOW_TASK(most->is.pid, most->is.comm),
			SHOW_SHARE(most->counted, timeline_span_exact(whole_ns)));
		last = most;
	}
}

void show_counter_engines(FILE *to, const struct lane_latency *latency)
{
	const struct lane_counters *counters = &latency->counters;
	uint64_t whole_ns = latency_whole_ns(latency);

	for (uint32_t i = 0; i < counters->n; i++) {
		const struct lane_counter_sum *sum = &counters->all[i];
		bool is_audited = false;

		for (uint32_t k = 0; k < latency->n_engines && !is_audited; k++)
			is_audited = latency->engines[k].audit.counter == sum;
		if (sum->is.what != LANE_COUNTS_ENGINE_BUSY || !sum->is_sound || is_audited ||
		    !sum->counted.lo)
			continue;
		fprintf(to, "  %-14s by its counter busy %s",
			counter_text_owner_of(&sum->is, SHOW_ROOM(LANE_SHOW_ENGINE)),
			SHOW_SHARE(sum->counted, timeline_span_exact(whole_ns)));
		clients_of(to, counters, sum, whole_ns);
		fputc('\n', to);
	}
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

/* Those that are in the recording without a reading. */
static void left_alone_line(FILE *to, const struct lane_counters *counters)
{
	uint64_t said = 0;

	for (uint32_t i = 0; i < counters->n; i++) {
		const struct lane_counter_sum *sum = &counters->all[i];

		if (sum->samples || !(sum->is.trust & LANE_TRUST_WAKES) ||
		    sum->is.what >= LANE_COUNTS || said >> sum->is.what & 1)
			continue;
		fprintf(to, "%s%s", said ? ", " : "Counters that were not read: ",
			lane_counter_name(sum->is.what));
		said |= 1ull << sum->is.what;
	}
	if (said)
		fputs(". Reading them keeps a GPU awake (record --counters RATE,wake); nothing is "
		      "concluded from them here.\n",
		      to);
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
	left_alone_line(to, counters);
	for (uint32_t i = 0; i < counters->n; i++)
		if (counters->all[i].samples && counters->all[i].is.trust & LANE_TRUST_WAKES) {
			fputs("Reading the counters kept a GPU awake (--counters RATE,wake): it "
			      "slept less than it would have.\n",
			      to);
			return;
		}
}

static void slow_tree(const struct lane_latency *latency, struct json_object *tree)
{
	struct json_object *list = NULL, *to;
	const struct lane_slow_other *other;

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
		/* The client, or the virtual function, that most often had more than half of the
		 * GPU. */
		other = &slow->others[slow->cause];
		if (other->votes)
			show_json_text(
				to, "client",
				counter_text_owner_of(&latency->counters.all[other->counter].is,
						      SHOW_ROOM(96)));
		if (slow->cause == LANE_SLOW_THROTTLED)
			show_json_text(to, "reasons",
				       show_throttle_reasons(slow->throttles, SHOW_ROOM(96)));
		show_json_real(to, "share", slow->permille / 1000.0);
		show_json_uint(to, "with", slow->with[slow->cause].count);
		show_json_uint(to, "with_p50_ns", slow->with_ns);
		show_json_uint(to, "without", slow->n_without);
		show_json_uint(to, "without_p50_ns", slow->without_ns);
		if (slow->is_unsure)
			show_json_bool(to, "without_is_unsure", true);
	}
}

static void counter_row(struct lane_cells *rows, const struct lane_counter_sum *sum,
			uint64_t whole_ns)
{
	char dev[33];

	snprintf(dev, sizeof(dev), "%.32s", sum->is.dev);
	show_cell_text(rows, -13, "counter", lane_counter_name(sum->is.what));
	show_json_text(rows->json, "device", dev);
	show_cell(rows, -14, "%s", lane_clean(dev, LANE_CLEAN_LINE));
	show_cell_text(rows, -28, "of", counter_text_owner_of(&sum->is, SHOW_ROOM(96)));
	show_json_uint(rows->json, "capacity", sum->is.capacity);
	show_json_bool(rows->json, "wakes", sum->is.trust & LANE_TRUST_WAKES);
	show_cell_uint(rows, 8, "samples", sum->samples);
	show_cell(rows, 0, "%s", value_text(sum, whole_ns, SHOW_ROOM(160)));
	show_json_known_span(rows->json, "counted", sum->counted, sum->is_time && sum->is_sound);
	if (sum->is_time && sum->is.what != LANE_COUNTS_VF_BUSY)
		show_json_uint(rows->json, "estimate_ns", rough_ns(sum));
	if (!sum->is_time) {
		show_json_uint(rows->json, "min", sum->least);
		show_json_uint(rows->json, "max", sum->most);
	}
	if (sum->is.what == LANE_COUNTS_THROTTLED) {
		show_json_uint(rows->json, "throttled_samples", sum->set_samples);
		show_json_text(rows->json, "reasons",
			       show_throttle_reasons(sum->bits, SHOW_ROOM(96)));
	}
	if (sum->is.what == LANE_COUNTS_CLOCK && sum->agreed_ns) {
		show_json_uint(rows->json, "agreed_ns", sum->agreed_ns);
		show_json_real(rows->json, "agreed_mhz",
			       sum->agreed_value_ns / (double)sum->agreed_ns);
	}
}

void show_counter_table(const struct lane_tables *t)
{
	const struct lane_counters *counters = &t->latency->counters;
	const struct lane_timeline_figures *figures = &t->latency->figures;
	struct lane_cells rows = { .t = t, .n = counters->n };
	uint32_t told = 0, most = show_most(t, UINT32_MAX);

	if (!t->tree && counters->n)
		show_title(t, "The GPUs' counters");
	for (uint32_t i = 0; i < counters->n && told < most; i++) {
		if (!counters->all[i].samples)
			continue;
		if (!told++) {
			rows = show_table(t, "counters", counters->n, NULL, NULL);
			rows.is_whole = true;
			show_cell(&rows, 0,
				  "counter       device         of                            "
				  "samples  value");
		}
		show_row(&rows, i);
		counter_row(&rows, &counters->all[i], figures->end_ns - figures->begin_ns);
	}
	show_row(&rows, counters->n);
	if (t->tree)
		slow_tree(t->latency, t->tree);
}
