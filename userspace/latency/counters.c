// SPDX-License-Identifier: MIT
// Bounds from the GPUs' counters. A counter was read between two times; it says nothing of when it
// was counted in between.
#include "latency/counters.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

/* More than any machine has; a damaged recording may have any number. */
#define MOST (1u << 20)

static bool is_gauge(const struct lane_counter_sum *sum)
{
	return lane_counter_is_gauge(sum->is.what);
}

static void counters_describe(struct lane_counters *counters,
			      const struct lane_p_gpulane_counter *is)
{
	struct lane_counter_sum *sum;

	if (is->id >= MOST)
		return;
	sum = LANE_REACH(counters->all, counters->n, counters->room, is->id);
	counters->no_memory |= !sum;
	if (!sum)
		return;
	*sum = (struct lane_counter_sum){ .is = *is };
	/* fdinfo does not tell the card, but its place on the bus. */
	for (uint32_t i = 0; i < counters->n && sum->is.card == LANE_COUNTER_NO_CARD; i++)
		if (*is->dev && !strncmp(counters->all[i].is.dev, is->dev, sizeof(is->dev)))
			sum->is.card = counters->all[i].is.card;
	if (sum->is.card == LANE_COUNTER_NO_CARD)
		return;
	counters->has_two_cards |= counters->has_card && sum->is.card != counters->card;
	counters->has_card = true;
	counters->card = sum->is.card;
}

bool latency_counters_one_gpu(const struct lane_counters *counters)
{
	return counters->n && !counters->has_two_cards && !counters->has_other_card;
}

bool latency_counters_on_card(const struct lane_counters *counters,
			      const struct lane_engine *engine, uint32_t card, const char *dev)
{
	if (engine && !engine->name)
		return card == engine->dev;
	return engine && *engine->device ? !strcmp(dev, engine->device)
					 : latency_counters_one_gpu(counters);
}

/* Some counters tell their cards, and the engine's is none of these. */
static bool is_elsewhere(const struct lane_counters *counters, const struct lane_engine *engine)
{
	bool has_card = false;

	for (uint32_t i = 0; i < counters->n; i++) {
		const struct lane_p_gpulane_counter *is = &counters->all[i].is;

		if (engine->name ? !*is->dev || !*engine->device : is->card == LANE_COUNTER_NO_CARD)
			continue;
		if (latency_counters_on_card(counters, engine, is->card, is->dev))
			return false;
		has_card = true;
	}
	return has_card;
}

void latency_counters_request(struct lane_counters *counters, const struct lane_request *rq)
{
	if (rq->engine == counters->last_engine || counters->has_other_card)
		return;
	counters->last_engine = rq->engine;
	counters->has_other_card = is_elsewhere(counters, rq->engine);
}

/* Of reasons of throttling readings agree whether there was any. */
static void add_gauge(struct lane_counter_sum *sum, uint64_t value, struct lane_span at)
{
	bool is_flag = sum->is.what == LANE_COUNTS_THROTTLED;
	uint64_t is = is_flag ? !!value : value, was = is_flag ? !!sum->last : sum->last;

	if (is == was && at.lo > sum->last_at.hi) {
		sum->agreed_ns += at.lo - sum->last_at.hi;
		sum->agreed_value_ns += (double)is * (double)(at.lo - sum->last_at.hi);
	}
	sum->last = value;
}

static void add_sample(struct lane_counter_sum *sum, const struct lane_p_gpulane_sample *sample,
		       uint64_t now_ns)
{
	struct lane_span at = { sample->from_ns < now_ns ? sample->from_ns : now_ns, now_ns };
	uint64_t value = sample->value;

	if (!sum->samples++) {
		sum->first_at = sum->last_at = at;
		sum->first = sum->last = sum->least = sum->most = value;
		sum->first_total = sample->total;
	} else if (is_gauge(sum)) {
		add_gauge(sum, value, at);
	} else if (value > sum->last) {
		sum->last = value;
	}
	sum->last_at = at;
	sum->last_total = sample->total;
	sum->least = value < sum->least ? value : sum->least;
	sum->most = value > sum->most ? value : sum->most;
	sum->set_samples += value != 0;
	sum->bits |= value;
}

void latency_counters_event(struct lane_counters *counters, const struct lane_event *event)
{
	const struct lane_p_gpulane_sample *sample = &event->u.gpulane_sample;

	if (event->wire.kind == LANE_COUNTER)
		counters_describe(counters, &event->u.gpulane_counter);
	else if (sample->id < counters->n)
		add_sample(&counters->all[sample->id], sample, event->wire.ts_ns);
}

static uint64_t counters_times(uint64_t value, uint64_t by, uint64_t over)
{
	__int128 result = (__int128)value * by / over;

	return result > INT64_MAX ? INT64_MAX : (uint64_t)result;
}

/* Units as ns. Both readings are cut off: what lies between them may be a unit less, or more. */
static struct lane_span as_ns(const struct lane_counter_sum *sum, uint64_t units)
{
	uint64_t less = units ? units - 1 : 0, total = sum->last_total - sum->first_total;

	if (sum->is.per_second)
		return (struct lane_span){
			counters_times(less, 1000000000, sum->is.per_second),
			counters_times(units + 1, 1000000000, sum->is.per_second) + 1
		};
	return (struct lane_span){
		counters_times(less, sum->last_at.lo - sum->first_at.hi, total + 1),
		counters_times(units + 1, sum->last_at.hi - sum->first_at.lo, total - 1) + 1
	};
}

/*
 * Whether what was counted bounds what happened. i915 adds to a running context's time what has
 * passed since the driver saw it begin, which may be too little or too much (i915's
 * lrc_runtime_start()); and to rc6-residency, while it is suspended, the time since then. So its
 * clients' times and its sleep are estimates. The kernel's own count of suspended time is not, nor
 * are hardware's registers.
 */
static bool is_sound(const struct lane_counter_sum *sum)
{
	bool is_live = sum->is.trust & LANE_TRUST_LIVE && !(sum->is.trust & LANE_TRUST_FENCES);

	switch (sum->is.what) {
	case LANE_COUNTS_ENGINE_BUSY:
		return is_live;
	case LANE_COUNTS_CLIENT_BUSY:
		return is_live && sum->first_total;
	case LANE_COUNTS_C6:
		return sum->is.per_second == 1000;
	default:
		return sum->is.what == LANE_COUNTS_SUSPENDED ||
		       sum->is.what == LANE_COUNTS_MEMORY_PRESSURE;
	}
}

/* Before the first sample and after the last one all is possible. */
static void counters_finish(struct lane_counter_sum *sum, uint64_t begin_ns, uint64_t end_ns)
{
	uint32_t capacity = sum->is.capacity ? sum->is.capacity : 1;
	uint64_t head, tail, most;
	bool has_unit = sum->is.per_second || (sum->last_total > sum->first_total + 1 &&
					       sum->last_at.lo > sum->first_at.hi);

	sum->is_time = !is_gauge(sum) && sum->samples > 1 && has_unit;
	if (!sum->is_time)
		return;
	head = sum->first_at.hi > begin_ns ? sum->first_at.hi - begin_ns : 0;
	tail = end_ns > sum->last_at.lo ? end_ns - sum->last_at.lo : 0;
	most = (end_ns - begin_ns) * capacity;
	sum->rough = as_ns(sum, sum->last - sum->first);
	sum->counted =
		(struct lane_span){ sum->rough.lo, sum->rough.hi + (head + tail) * capacity };
	/* Of an engine, or of sleep: no more than the time between. */
	if (sum->counted.hi > most)
		sum->counted.hi = most;
	if (sum->counted.lo > sum->counted.hi)
		sum->counted.lo = sum->counted.hi;
	sum->is_sound = is_sound(sum);
	/* From the hand-over on: at most so much of it ran. */
	if (sum->is.trust & LANE_TRUST_OVER)
		sum->counted.lo = 0;
}

void latency_counters_finish(struct lane_counters *counters, uint64_t begin_ns, uint64_t end_ns)
{
	for (uint32_t i = 0; i < counters->n; i++)
		counters_finish(&counters->all[i], begin_ns, end_ns);
}

static bool counters_is_of(const struct lane_counter_sum *sum, const struct lane_engine *engine)
{
	return sum->is.what == LANE_COUNTS_ENGINE_BUSY && sum->is_sound && !engine->name &&
	       sum->is.card == engine->dev && sum->is.class == engine->class &&
	       sum->is.instance == engine->instance;
}

struct lane_audit latency_counters_audit(const struct lane_counters *counters,
					 const struct lane_engine *engine, struct lane_span busy)
{
	for (uint32_t i = 0; i < counters->n; i++) {
		const struct lane_counter_sum *sum = &counters->all[i];

		if (counters_is_of(sum, engine))
			return (struct lane_audit){ .counter = sum,
						    .counted = sum->counted,
						    .requests_exceed = busy.lo > sum->counted.hi,
						    .has_unseen_work = sum->counted.lo > busy.hi };
	}
	return (struct lane_audit){ 0 };
}

void latency_counters_deinit(struct lane_counters *counters)
{
	free(counters->all);
}
