// SPDX-License-Identifier: MIT
// Collects the items of series.
#include "compare/series.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "compare/statistics.h"

static_assert(1 + (int)LANE_STAGE_PATH <= COMPARE_COLUMNS, "a request has no more stages");

static const struct compare_bounds unknown = { 0, INFINITY };

static struct compare_bounds series_bounds_of(struct lane_span span)
{
	return (struct compare_bounds){ (float)span.lo, (float)span.hi };
}

/* Forgets the items whose draw is above it. */
static void series_thin(struct compare_series *series, uint32_t most_draw)
{
	uint32_t n = 0;

	series->most_draw = most_draw;
	for (uint32_t i = 0; i < series->n_kept; i++)
		if (series->kept[i].draw <= series->most_draw)
			series->kept[n++] = series->kept[i];
	series->n_kept = n;
}

static bool series_keep(struct compare_series *series, const struct compare_item *item)
{
	while (series->n_kept >= COMPARE_KEPT)
		series_thin(series, series->most_draw / 2);
	if (item->draw > series->most_draw)
		return true;
	if (!LANE_GROW(series->kept, series->room, series->n_kept + 1))
		return false;
	series->kept[series->n_kept++] = *item;
	return true;
}

static void sum_up(struct compare_sum *sum, struct compare_bounds bounds)
{
	sum->lo += bounds.lo;
	if (isinf(bounds.hi)) {
		sum->unknown++;
		return;
	}
	sum->hi += bounds.hi;
}

static void add_item(struct compare_collection *c, struct compare_series *series,
		     struct compare_item *item)
{
	series->count++;
	for (int i = 0; i < COMPARE_COLUMNS; i++)
		sum_up(&series->sums[i], item->of[i]);
	item->draw = (uint32_t)(compare_draw(&series->draws) >> 32);
	c->has_no_memory |= !series_keep(series, item);
}

static struct compare_series *series_series_of(struct compare_collection *c, uint64_t a, uint64_t b)
{
	struct compare_series *series = lane_table_get(&c->index, a, b);

	if (series || c->n == COMPARE_SERIES) {
		c->left_out += !series;
		return series;
	}
	series = calloc(1, sizeof(*series));
	if (!series || !lane_table_put(&c->index, a, b, series)) {
		free(series);
		c->has_no_memory = true;
		return NULL;
	}
	series->most_draw = UINT32_MAX;
	c->all[c->n++] = series;
	return series;
}

/* Its beginning or its end lies outside the recording, or was not seen. */
static bool is_cut(const struct lane_request *rq)
{
	return !(rq->seen & (LANE_SEEN_QUEUE | LANE_SEEN_ADD)) || rq->state != LANE_RQ_STATE_ENDED;
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct compare_collection *c = arg;
	struct compare_item item = { .at_ns = rq->add_ns };
	struct lane_client *client = timeline_client_of(rq);
	struct compare_series *series;
	struct lane_stages stages;

	if (!latency_selects(c->select, rq) || rq->fault || rq->doubt & LANE_DOUBT_BURST)
		return;
	series = series_series_of(
		c, (uint64_t)client->id << 32 | (rq->engine ? rq->engine->id + 1 : 0), 0);
	if (!series)
		return;
	series->client = client;
	series->engine = rq->engine;
	if (is_cut(rq)) {
		series->cut++;
		return;
	}
	latency_stages_of(c->info, rq, &stages);
	item.of[0] = stages.total_known ? series_bounds_of(stages.total) : unknown;
	for (int i = 0; i < LANE_STAGE_PATH; i++) {
		if (stages.known >> i & 1)
			item.of[1 + i] = series_bounds_of(stages.ns[i]);
		else if (stages.unknown >> i & 1)
			item.of[1 + i] =
				stages.merged_known
					? (struct compare_bounds){ 0, (float)stages.merged.hi }
					: unknown;
	}
	add_item(c, series, &item);
}

/* So far the best values of its times can be wrong: all of its stages lie between two of them. */
static uint64_t width_of(const struct lane_command *command)
{
	uint64_t widest_ns = 0;

	for (int i = 0; i < LANE_COMMAND_TIMES; i++)
		widest_ns = timeline_later(widest_ns, command->time[i].hi - command->time[i].lo);
	return widest_ns;
}

static void on_command(void *arg, const struct lane_command *command)
{
	struct compare_collection *c = arg;
	struct compare_item item = { .at_ns = command->call_ns };
	struct lane_command_stages stages;
	struct compare_series *series;
	float width_ns;

	if (!*command->name || !latency_selects_command(c->select, command) || command->status < 0)
		return;
	series = series_series_of(c, lane_hash_text(command->name),
				  1ull << 32 | (uint32_t)command->pid);
	if (!series)
		return;
	if (!series->is_kernel) {
		series->is_kernel = true;
		series->pid = command->pid;
		memcpy(series->who, command->queue->comm, sizeof(series->who));
		snprintf(series->kernel, sizeof(series->kernel), "%s", command->name);
	}
	latency_command_stages_of(command, &stages);
	if (!stages.known) {
		series->cut++;
		return;
	}
	width_ns = (float)width_of(command);
	item.of[0] = series_bounds_of(timeline_span_exact(command->known_ns - command->call_ns));
	for (int i = 0; i < LANE_CSTAGE_COUNT; i++) {
		struct compare_bounds *of = &item.of[1 + i];

		*of = series_bounds_of(timeline_span_exact(stages.ns[i]));
		if (!(stages.possible >> i & 1) || i == LANE_CSTAGE_CALL)
			continue;
		of->lo = of->lo > width_ns ? of->lo - width_ns : 0;
		of->hi += width_ns;
	}
	add_item(c, series, &item);
}

struct lane_hooks compare_collection_begin(struct compare_collection *collection,
					   const struct lane_trace_info *info,
					   const struct lane_select *select)
{
	compare_collection_deinit(collection);
	collection->info = info;
	collection->select = select;
	return (struct lane_hooks){ .arg = collection,
				    .request = on_request,
				    .command = on_command };
}

static int by_time(const void *a, const void *b)
{
	const struct compare_item *x = a, *y = b;

	return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

bool compare_series_join(struct compare_series *to, struct compare_series *from)
{
	bool has_memory = true;

	series_thin(to, from->most_draw < to->most_draw ? from->most_draw : to->most_draw);
	to->count += from->count;
	to->cut += from->cut;
	for (int i = 0; i < COMPARE_COLUMNS; i++) {
		to->sums[i].lo += from->sums[i].lo;
		to->sums[i].hi += from->sums[i].hi;
		to->sums[i].unknown += from->sums[i].unknown;
	}
	for (uint32_t i = 0; i < from->n_kept && has_memory; i++)
		has_memory = series_keep(to, &from->kept[i]);
	qsort(to->kept, to->n_kept, sizeof(*to->kept), by_time);
	compare_series_free(from);
	return has_memory;
}

void compare_series_free(struct compare_series *series)
{
	if (series)
		free(series->kept);
	free(series);
}

void compare_collection_deinit(struct compare_collection *collection)
{
	for (uint32_t i = 0; i < collection->n; i++)
		compare_series_free(collection->all[i]);
	lane_table_free(&collection->index);
	memset(collection, 0, sizeof(*collection));
}
