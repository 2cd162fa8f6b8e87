// SPDX-License-Identifier: MIT
// What gauges said in most readings while requests were under way: a table of conditions.
#include "latency/steady.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vector.h"

#define READINGS 4096 /* kept of a condition: requests may be told late */
#define GROW	 64
#define PARTS	 512
#define LEAST	 8 /* readings, or nothing is concluded */
/* Classes of engines, as i915 numbers them. */
#define CLASS_COPY  1
#define CLASS_VIDEO 2

enum compare {
	AT_MOST,
	AT_LEAST,
	BESIDE /* at least; the limit may be 0, which no reading may tell */
};

struct test {
	enum lane_counter_what gauge;
	enum compare compare;
	unsigned int percent;
	enum lane_counter_what limit; /* LANE_COUNTS: none */
};

static const struct condition {
	struct test test, and; /* and.gauge LANE_COUNTS: no more */
	unsigned int share;
	bool is_of_copies;
} conditions[LANE_STEADY_COUNT] = {
#define LANE_COUNTS_NONE LANE_COUNTS
#define LANE_COUNTS_OF(gauge, compare, percent, limit)                                             \
	{                                                                                          \
		LANE_COUNTS_##gauge, compare, percent, LANE_COUNTS_##limit                         \
	}
#define ALWAYS (NONE, AT_LEAST, 0, NONE)
#define S(id, test, and, share, is_of_copies)                                                      \
	[LANE_STEADY_##id] = { LANE_COUNTS_OF test, LANE_COUNTS_OF and, share, is_of_copies },
	LANE_STEADIES(S)
#undef S
};

struct steady_reading {
	uint64_t lo, hi, value, limit;
	bool is_so, is_counted;
};

/* Of reading i: i % room. */
struct lane_steady_readings {
	uint64_t n, room;
	struct steady_reading *last;
};

static struct steady_reading *steady_reading_of(const struct lane_steady_readings *of, uint64_t i)
{
	return &of->last[i % of->room];
}

/* --- readings --- */

static struct lane_steady_part *steady_part_of(struct lane_steadies *steadies,
					       const struct lane_p_gpulane_counter *is)
{
	struct lane_steady_part *part;

	for (uint32_t i = 0; i < steadies->n; i++)
		if (steadies->parts[i].card == is->card && steadies->parts[i].gt == is->gt &&
		    steadies->parts[i].client_id == is->client_id)
			return &steadies->parts[i];
	if (steadies->n == PARTS)
		return NULL;
	part = LANE_APPEND(steadies->parts, steadies->n, steadies->room);
	steadies->no_memory |= !part;
	if (!part)
		return NULL;
	part->card = is->card;
	part->gt = is->gt;
	part->client_id = is->client_id;
	part->pid = is->pid;
	memcpy(part->comm, is->comm, sizeof(part->comm) - 1);
	memcpy(part->dev, is->dev, sizeof(part->dev) - 1);
	return part;
}

static bool is_read(const struct lane_steady_part *part, enum lane_counter_what what)
{
	return what == LANE_COUNTS || part->known >> what & 1;
}

static bool passes(const struct lane_steady_part *part, const struct test *test)
{
	uint64_t value, limit;

	if (test->gauge == LANE_COUNTS)
		return true;
	value = part->last[test->gauge];
	if (test->limit == LANE_COUNTS)
		return value;
	limit = part->last[test->limit] * test->percent;
	if (test->compare == BESIDE)
		return value && value * 100 >= limit;
	/* 0 tells nothing of a clock: the GPU slept. */
	return value && limit &&
	       (test->compare == AT_MOST ? value * 100 <= limit : value * 100 >= limit);
}

static struct lane_steady_readings *steady_readings_for(struct lane_steady *steady)
{
	struct lane_steady_readings *readings = steady->readings;

	if (!readings)
		readings = steady->readings = calloc(1, sizeof(*readings));
	if (!readings || readings->n < readings->room || readings->room >= READINGS)
		return readings;
	return LANE_GROW(readings->last, readings->room, readings->room + GROW) ? readings : NULL;
}

static bool steady_keep(struct lane_steady_part *part, enum lane_steady_id id, struct lane_span at)
{
	const struct condition *condition = &conditions[id];
	struct lane_steady *steady = &part->of[id];
	struct lane_steady_readings *readings;

	if ((condition->test.compare != BESIDE && !is_read(part, condition->test.limit)) ||
	    !is_read(part, condition->and.gauge) || !is_read(part, condition->and.limit))
		return true;
	/* A clock that changes is read more often than its limit is. As often as that it counts. */
	if (condition->and.limit != LANE_COUNTS && !steady->has_new_limit)
		return true;
	steady->has_new_limit = false;
	readings = steady_readings_for(steady);
	if (!readings)
		return false;
	*steady_reading_of(readings, readings->n++) = (struct steady_reading){
		.lo = at.lo,
		.hi = at.hi,
		.value = part->last[condition->test.gauge],
		.limit = condition->test.limit == LANE_COUNTS ? 0
							      : part->last[condition->test.limit],
		.is_so = passes(part, &condition->test) && passes(part, &condition->and),
	};
	return true;
}

void latency_steady_sample(struct lane_steadies *steadies, const struct lane_counters *counters,
			   const struct lane_event *event)
{
	const struct lane_p_gpulane_sample *sample = &event->u.gpulane_sample;
	const struct lane_p_gpulane_counter *is;
	struct lane_steady_part *part;
	uint64_t now_ns = event->wire.ts_ns;

	if (event->wire.kind != LANE_SAMPLE || sample->id >= counters->n)
		return;
	is = &counters->all[sample->id].is;
	part = lane_counter_is_gauge(is->what) ? steady_part_of(steadies, is) : NULL;
	if (!part)
		return;
	part->last[is->what] = sample->value;
	part->known |= 1ull << is->what;
	for (int id = 0; id < LANE_STEADY_COUNT; id++) {
		part->of[id].has_new_limit |= conditions[id].and.limit == is->what;
		if (conditions[id].test.gauge == is->what)
			steadies->no_memory |= !steady_keep(
				part, id,
				(struct lane_span){ timeline_sooner(sample->from_ns, now_ns),
						    now_ns });
	}
}

/* --- what was under way --- */

struct lane_span latency_steady_under_way(const struct lane_request *rq)
{
	uint64_t begin_ns = rq->seen & LANE_SEEN_SUBMIT ? rq->submit_ns : rq->execute_ns;

	return (struct lane_span){
		rq->context->is_drm && rq->seen & LANE_SEEN_EXECUTE ? rq->execute_ns : begin_ns,
		rq->seen & LANE_SEEN_SIGNAL && !rq->is_unasked ? rq->end.hi : rq->end.lo,
	};
}

/* What it says while this was under way; nothing is counted twice. */
static void steady_count(struct lane_steady *steady, struct lane_span way)
{
	const struct lane_steady_readings *of = steady->readings;
	uint64_t oldest;

	if (!of)
		return;
	oldest = of->n > of->room ? of->n - of->room : 0;
	steady->has_gone |= oldest && steady_reading_of(of, oldest)->lo > way.lo;
	for (uint64_t i = oldest + LANE_BEFORE(of->n - oldest, k,
					       steady_reading_of(of, oldest + k)->lo < way.lo);
	     i < of->n && steady_reading_of(of, i)->hi <= way.hi; i++) {
		struct steady_reading *reading = steady_reading_of(of, i);

		if (reading->is_counted)
			continue;
		reading->is_counted = true;
		steady->n++;
		if (!reading->is_so)
			continue;
		if (!steady->n_held++)
			steady->least = reading->value;
		steady->least = timeline_sooner(steady->least, reading->value);
		steady->most = timeline_later(steady->most, reading->value);
		steady->limit = timeline_later(steady->limit, reading->limit);
		steady->bits |= reading->value;
	}
}

/* All of them count once. */
static void note_way(struct lane_steadies *steadies, struct lane_steady_part *part,
		     bool is_of_copies, struct lane_span way)
{
	for (int id = 0; id < LANE_STEADY_COUNT; id++)
		if (conditions[id].is_of_copies == is_of_copies)
			steady_count(&part->of[id], way);
	steadies->no_memory |= !latency_ways_add(&part->ways[is_of_copies], way);
}

static bool steady_begins(const struct lane_engine *engine, const char *name, uint16_t class)
{
	return engine->name ? !strncmp(engine->name, name, strlen(name)) : engine->class == class;
}

static bool is_copy(const struct lane_engine *engine)
{
	return steady_begins(engine, "bcs", CLASS_COPY) ||
	       steady_begins(engine, "sdma", CLASS_COPY);
}

static bool steady_has_clock(const struct lane_steady_part *part)
{
	return part->known >> LANE_COUNTS_CLOCK & 1;
}

/* A second GT has the video engines, and a clock of its own (media GTs of xe_pci.c). */
static bool is_of_part(const struct lane_steadies *steadies, const struct lane_steady_part *part,
		       const struct lane_engine *engine)
{
	bool has_second = false;

	for (uint32_t i = 0; i < steadies->n; i++)
		has_second |= steadies->parts[i].card == part->card && steadies->parts[i].gt &&
			      steady_has_clock(&steadies->parts[i]);
	return !steady_has_clock(part) || !has_second ||
	       !!part->gt == (steady_begins(engine, "vcs", CLASS_VIDEO) ||
			      steady_begins(engine, "vecs", CLASS_VIDEO + 1));
}

static bool is_on_card(const struct lane_steady_part *part, const struct lane_counters *counters,
		       const struct lane_request *rq)
{
	const struct lane_client *client = timeline_client_of(rq);

	if (part->client_id &&
	    (rq->drm_client ? part->client_id != rq->drm_client
			    : !client || part->pid < 0 || part->pid != client->pid))
		return false;
	return latency_counters_on_card(counters, rq->engine, part->card, part->dev);
}

void latency_steady_request(struct lane_steadies *steadies, const struct lane_counters *counters,
			    const struct lane_request *rq)
{
	struct lane_span way;

	if (!steadies->n || !timeline_end_is_known(rq))
		return;
	way = latency_steady_under_way(rq);
	if (!way.lo || way.hi <= way.lo)
		return;
	for (uint32_t i = 0; i < steadies->n; i++) {
		struct lane_steady_part *part = &steadies->parts[i];

		if (!is_on_card(part, counters, rq) || !is_of_part(steadies, part, rq->engine))
			continue;
		note_way(steadies, part, false, way);
		if (is_copy(rq->engine))
			note_way(steadies, part, true, way);
	}
}

void latency_steady_run(struct lane_steadies *steadies, const struct lane_counters *counters,
			int32_t pid, struct lane_span ran)
{
	unsigned int n_own = 0;

	if (ran.hi <= ran.lo || !latency_counters_one_gpu(counters))
		return;
	for (uint32_t i = 0; i < steadies->n; i++)
		n_own += steadies->parts[i].client_id && steadies->parts[i].pid == pid;
	/* Of several clients of a process it is not known whose kernel it is. */
	for (uint32_t i = 0; i < steadies->n; i++)
		if ((!steadies->parts[i].client_id ||
		     (steadies->parts[i].pid == pid && n_own == 1)) &&
		    (!steady_has_clock(&steadies->parts[i]) || !steadies->parts[i].gt))
			note_way(steadies, &steadies->parts[i], false, ran);
}

void latency_steady_finish(struct lane_steadies *steadies)
{
	for (uint32_t i = 0; i < steadies->n; i++) {
		struct lane_steady_part *part = &steadies->parts[i];

		latency_ways_sum(&part->ways[0]);
		latency_ways_sum(&part->ways[1]);
		for (int id = 0; id < LANE_STEADY_COUNT; id++)
			part->of[id].ns = part->ways[conditions[id].is_of_copies].ns;
	}
}

bool latency_steady_holds(const struct lane_steady *steady, enum lane_steady_id id,
			  uint64_t whole_ns)
{
	return steady->n >= LEAST && steady->n_held * 3 >= steady->n * 2 &&
	       (double)steady->ns * 100 >= (double)whole_ns * conditions[id].share;
}

void latency_steady_deinit(struct lane_steadies *steadies)
{
	for (uint32_t i = 0; i < steadies->n; i++) {
		latency_ways_deinit(&steadies->parts[i].ways[0]);
		latency_ways_deinit(&steadies->parts[i].ways[1]);
		for (int id = 0; id < LANE_STEADY_COUNT; id++) {
			struct lane_steady_readings *readings = steadies->parts[i].of[id].readings;

			if (readings)
				free(readings->last);
			free(readings);
		}
	}
	free(steadies->parts);
}
