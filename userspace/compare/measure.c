// SPDX-License-Identifier: MIT
// The measures of one recording.
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "compare/quantile.h"

#define THINGS_MOST 4096

static const struct compare_quantity_info {
	const char *name;
	enum compare_unit unit;
	int bad;
} quantities[COMPARE_STAGE] = {
#define Q(id, name, unit, bad) { name, COMPARE_##unit, bad },
	COMPARE_QUANTITIES(Q)
#undef Q
};

const char *compare_quantity_name(enum compare_kind kind, int quantity)
{
	int stage = quantity - COMPARE_STAGE;

	if (stage < 0)
		return quantities[quantity].name;
	if (kind == COMPARE_KERNEL)
		return lane_command_stage_names[stage];
	return stage < (int)LANE_STAGE_PATH ? lane_stage_names[stage] : "";
}

enum compare_unit compare_quantity_unit(int quantity)
{
	return quantity < COMPARE_STAGE ? quantities[quantity].unit : COMPARE_IN_NS;
}

int compare_quantity_bad(int quantity)
{
	return quantity < COMPARE_STAGE ? quantities[quantity].bad : 1;
}

struct measuring {
	const struct lane_latency *l;
	struct compare_recording *to;
	compare_name_fn *name;
	bool keeps_items;
	bool has_no_memory;
};

static void set(struct compare_thing *thing, int quantity, double lo, double hi)
{
	thing->value[quantity] = (struct compare_value){ true, lo, hi };
}

/* The thing of those names, made if there is none; NULL: there is no room. */
static struct compare_thing *thing_of(struct measuring *m, enum compare_kind kind, const char *who,
				      const char *what, const char *by)
{
	struct compare_recording *to = m->to;
	struct compare_thing *thing;

	for (uint32_t i = 0; i < to->n_things; i++) {
		thing = &to->things[i];
		if (thing->kind == kind && !strcmp(thing->who, who) && !strcmp(thing->what, what) &&
		    !strcmp(thing->by, by))
			return thing;
	}
	if (to->n_things == THINGS_MOST) {
		to->left_out++;
		return NULL;
	}
	thing = LANE_APPEND(to->things, to->n_things, to->room);
	if (!thing) {
		m->has_no_memory = true;
		return NULL;
	}
	thing->kind = kind;
	snprintf(thing->who, sizeof(thing->who), "%s", who);
	snprintf(thing->what, sizeof(thing->what), "%s", what);
	snprintf(thing->by, sizeof(thing->by), "%s", by);
	return thing;
}

/* Another run of a program has another number: "hist[1234]" becomes "hist". */
static const char *measure_name_of(const struct measuring *m, const struct lane_party *party,
				   char *buffer)
{
	char *number, *end;

	if (party->kind == LANE_PARTY_NONE)
		return strcpy(buffer, "");
	if (m->name(m->l, party, buffer, COMPARE_NAME) != buffer)
		return strcpy(buffer, "unknown");
	number = strrchr(buffer, '[');
	end = number ? number + 1 + strspn(number + 1, "0123456789") : NULL;
	if (number && end > number + 1 && !strcmp(end, "]"))
		*number = '\0';
	return buffer;
}

static struct compare_thing *thing_of_series(struct measuring *m,
					     const struct compare_series *series)
{
	const struct lane_party who = { .kind = series->is_kernel ? LANE_PARTY_PROCESS
								  : LANE_PARTY_CLIENT,
					.id = series->pid,
					.client = series->client };
	const struct lane_party engine = { .kind = series->engine ? LANE_PARTY_ENGINE
								  : LANE_PARTY_NONE,
					   .engine = series->engine };
	char who_name[COMPARE_NAME], what[COMPARE_NAME];

	measure_name_of(m, &who, who_name);
	if (series->is_kernel)
		snprintf(what, sizeof(what), "%s", series->kernel);
	else
		measure_name_of(m, &engine, what);
	return thing_of(m, series->is_kernel ? COMPARE_KERNEL : COMPARE_REQUESTS, who_name, what,
			"");
}

/* Requests of which a loss has taken the begin or the end may have been any: they count as unknown.
 */
static uint64_t hidden_in(const struct measuring *m, const struct compare_series *series)
{
	return m->l->losses || m->l->is_damaged ? series->cut : 0;
}

static void set_mean(struct compare_thing *thing, int quantity, const struct compare_sum *sum,
		     uint64_t hidden)
{
	double n = (double)(thing->count + hidden);

	set(thing, quantity, sum->lo / n,
	    (sum->hi + (double)(sum->unknown + hidden) * thing->series->whole_ns) / n);
	thing->value[quantity].is_known = sum->unknown < thing->count;
}

/* A quantile says something from so many items on: some ten beyond it. */
static bool set_quantiles(struct compare_thing *thing, const struct compare_series *series,
			  uint64_t hidden)
{
	uint32_t n = series->n_kept;
	double kept = (double)n / (double)series->count;
	uint32_t more = (uint32_t)ceil((double)hidden * kept);
	LANE_CLEANUP(lane_free) float *lo = malloc((n + 1) * sizeof(*lo));
	LANE_CLEANUP(lane_free) float *hi = malloc((n + 1) * sizeof(*hi));

	if (!lo || !hi)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		lo[i] = series->kept[i].of[0].lo;
		hi[i] = series->kept[i].of[0].hi;
	}
	compare_sort(lo, n);
	compare_sort(hi, n);
	for (int i = 0; i < COMPARE_QUANTILES; i++) {
		const struct compare_quantile *q = &compare_quantiles[i];
		/* Of those that are hidden all may be shorter, or all longer. */
		double least = compare_at(lo, n, q->permille, more, 0);
		double most = compare_at(hi, n, q->permille, 0, more);

		set(thing, q->quantity, least, most);
		thing->value[q->quantity].is_known = series->count >= q->items && !isinf(most);
	}
	return true;
}

static void set_shape(struct compare_thing *thing, const struct compare_series *series)
{
	for (uint32_t i = 0; i < series->n_kept; i++) {
		const struct compare_bounds *of = &series->kept[i].of[0];
		double ns = ((double)of->lo + (double)of->hi) / 2;
		int bin = ns > 1 ? (int)(4 * log2(ns)) : 0;

		if (!isinf(of->hi))
			thing->shape[bin < COMPARE_SHAPE ? bin : COMPARE_SHAPE - 1]++;
	}
}

static void measure_items(struct measuring *m, struct compare_thing *thing)
{
	struct compare_series *series = thing->series;
	uint64_t hidden = hidden_in(m, series);
	int stages = series->is_kernel ? (int)LANE_CSTAGE_COUNT : (int)LANE_STAGE_PATH;

	series->whole_ns = m->to->whole_s * 1e9;
	thing->count = series->count;
	set(thing, COMPARE_RATE, (double)series->count / m->to->whole_s,
	    (double)(series->count + series->cut) / m->to->whole_s);
	thing->value[COMPARE_RATE].is_known = !m->l->losses && !m->l->is_damaged;
	set_mean(thing, COMPARE_MEAN, &series->sums[0], hidden);
	for (int i = 0; i < stages; i++)
		set_mean(thing, COMPARE_STAGE + i, &series->sums[1 + i], hidden);
	m->has_no_memory |= !set_quantiles(thing, series, hidden);
	set_shape(thing, series);
}

static void measure_series(struct measuring *m, struct compare_collection *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		struct compare_thing *thing =
			c->all[i]->count ? thing_of_series(m, c->all[i]) : NULL;

		if (!thing)
			continue;
		if (thing->series)
			m->has_no_memory |= !compare_series_join(thing->series, c->all[i]);
		else
			thing->series = c->all[i];
		c->all[i] = NULL;
	}
	for (uint32_t i = 0; i < m->to->n_things; i++) {
		measure_items(m, &m->to->things[i]);
		if (!m->keeps_items)
			compare_series_free(LANE_TAKE(m->to->things[i].series));
	}
	m->to->left_out += c->left_out;
}

static void measure_engines(struct measuring *m)
{
	double whole_ns = m->to->whole_s * 1e9;
	char name[COMPARE_NAME];

	for (uint32_t i = 0; i < m->l->n_engines; i++) {
		const struct lane_engine_stats *e = &m->l->engines[i];
		const struct lane_party party = { .kind = LANE_PARTY_ENGINE, .engine = e->engine };
		struct compare_thing *thing;

		if (!e->engine || timeline_engine_is_virtual(e->engine) ||
		    !(e->busy.hi || e->idle.hi))
			continue;
		thing = thing_of(m, COMPARE_ENGINE, "", measure_name_of(m, &party, name), "");
		if (thing)
			set(thing, COMPARE_BUSY, (double)e->busy.lo / whole_ns,
			    (double)e->busy.hi / whole_ns);
	}
}

/* Adds to a share, from one process of the name to the next. */
static void measure_add_share(struct compare_thing *thing, int quantity, double lo, double hi)
{
	set(thing, quantity, thing->value[quantity].lo + lo, thing->value[quantity].hi + hi);
}

static void measure_processes(struct measuring *m)
{
	double whole_ns = m->to->whole_s * 1e9;
	char name[COMPARE_NAME];

	if (m->l->info.presence[LANE_SWITCH] == LANE_PRESENCE_ABSENT)
		return;
	for (uint32_t i = 0; i < m->l->n_clients; i++) {
		const struct lane_client_stats *c = &m->l->clients[i];
		const struct lane_party party = { .kind = LANE_PARTY_CLIENT, .client = c->client };
		struct compare_thing *thing;

		if (!c->client || c->client->pid < 0 ||
		    !latency_selects_process(&m->l->select, c->client->pid, c->client))
			continue;
		thing = thing_of(m, COMPARE_PROCESS, measure_name_of(m, &party, name), "", "");
		if (!thing)
			continue;
		measure_add_share(thing, COMPARE_ON_CPU, (double)c->cpu_ns / whole_ns,
				  (double)(c->cpu_ns + c->unknown_ns) / whole_ns);
		measure_add_share(thing, COMPARE_RUNNABLE, (double)c->runnable_ns / whole_ns,
				  (double)(c->runnable_ns + c->runnable_most_ns) / whole_ns);
	}
}

static void measure_answers(struct measuring *m)
{
	LANE_CLEANUP(lane_free) struct lane_answers *answers = malloc(sizeof(*answers));
	char who[COMPARE_NAME], by[COMPARE_NAME];

	m->has_no_memory |= !answers;
	if (!answers)
		return;
	verdict_find(m->l, LANE_ANSWERS, answers);
	for (uint32_t i = 0; i < answers->n; i++) {
		const struct lane_answer *a = &answers->all[i];
		enum lane_cause_kind kind = lane_causes[a->cause].kind;
		struct compare_thing *thing;

		if (kind != LANE_CAUSE_FAULT && kind != LANE_CAUSE_LATE)
			continue;
		measure_name_of(m, &a->who, who);
		if (m->l->select.process && strcmp(who, m->l->select.process) != 0)
			continue;
		thing = thing_of(m, COMPARE_ANSWER, who, lane_causes[a->cause].name,
				 measure_name_of(m, &a->by, by));
		if (thing)
			measure_add_share(thing, COMPARE_COST,
					  (double)a->cost_ns / 1e9 / m->to->whole_s,
					  (double)a->cost_ns / 1e9 / m->to->whole_s);
	}
}

static void measure_counters(struct measuring *m)
{
	static const struct {
		const char *name, *unit;
	} what[] = {
#define C(id, name, unit) { name, unit },
		LANE_COUNTERS(C)
#undef C
	};
	struct compare_recording *to = m->to;

	for (uint32_t i = 0; i < m->l->counters.n && to->n_counters < COMPARE_COUNTERS; i++) {
		const struct lane_counter_sum *sum = &m->l->counters.all[i];
		struct compare_counter *counter = &to->counters[to->n_counters];

		if (!sum->samples || sum->is.what >= LANE_COUNTS ||
		    sum->is.what == LANE_COUNTS_ENGINE_BUSY ||
		    sum->is.what == LANE_COUNTS_CLIENT_BUSY)
			continue;
		snprintf(counter->name, sizeof(counter->name), "%s", what[sum->is.what].name);
		counter->unit = what[sum->is.what].unit;
		if (sum->agreed_ns &&
		    (sum->is.what == LANE_COUNTS_CLOCK || sum->is.what == LANE_COUNTS_THROTTLED))
			counter->value = sum->agreed_value_ns / (double)sum->agreed_ns;
		else if (sum->is_time)
			counter->value = (double)(sum->last - sum->first) / 1e9 / to->whole_s;
		else if (sum->is.what == LANE_COUNTS_THROTTLED)
			counter->value = (double)sum->set_samples / (double)sum->samples;
		else
			counter->value = ((double)sum->least + (double)sum->most) / 2;
		to->n_counters++;
	}
}

static struct lane_error *measure_things(const struct session *session, compare_name_fn *name,
					 bool keeps_items, struct compare_collection *c,
					 struct compare_recording *to)
{
	const struct lane_latency *l = &session->latency;
	struct measuring m = { l, to, name, keeps_items, c->has_no_memory };

	to->path = session->place->path;
	to->info = l->info;
	to->begin_ns = l->figures.begin_ns;
	to->whole_s = (double)latency_whole_ns(l) / 1e9;
	to->losses = l->losses;
	to->lost = l->lost;
	to->is_damaged = l->is_damaged;
	if (to->whole_s <= 0)
		return lane_error("%s: the recording has no time in it: nothing can be compared",
				  to->path);
	measure_series(&m, c);
	if (l->select.process && !to->n_things)
		return lane_error(
			"%s: --process %s: no request and no command of it is complete there",
			to->path, l->select.process);
	measure_engines(&m);
	measure_processes(&m);
	measure_answers(&m);
	measure_counters(&m);
	return m.has_no_memory ? &lane_enomem : NULL;
}

struct side_reading {
	struct compare_collection collection;
	const struct lane_select *select;
};

static struct lane_error *measure_begin(void *arg, const struct lane_trace_info *info,
					struct lane_hooks *hooks)
{
	struct side_reading *reading = arg;

	*hooks = compare_collection_begin(&reading->collection, info, reading->select);
	return NULL;
}

struct lane_error *compare_read(struct session *session, compare_name_fn *name, bool keeps_items,
				struct compare_recording *to)
{
	struct side_reading reading = { .select = &session->select };
	const struct session_listener listener = { &reading, measure_begin, NULL };
	struct lane_error *err;

	session->listeners = &listener;
	session->n_listeners = 1;
	session->depth = SESSION_FIGURES;
	err = session_read(session);
	if (!err)
		err = measure_things(session, name, keeps_items, &reading.collection, to);
	compare_collection_deinit(&reading.collection);
	session->listeners = NULL;
	session->n_listeners = 0;
	return err;
}

void compare_recording_deinit(struct compare_recording *recording)
{
	for (uint32_t i = 0; i < recording->n_things; i++)
		compare_series_free(recording->things[i].series);
	free(recording->things);
	memset(recording, 0, sizeof(*recording));
}
