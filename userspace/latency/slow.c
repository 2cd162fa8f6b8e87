// SPDX-License-Identifier: MIT
// What made requests late: conditions that the GPUs' counters tell, by comparing like requests with
// and without.
#include "latency/slow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vector.h"
#include "latency/commands.h"
#include "latency/steady.h"
#include "latency/sums.h"

#define READINGS 64   /* kept of a counter */
#define CLOCKS	 8192 /* of one that tells of commands, which may come late: command_order.c */
#define WAITING	 4096 /* requests that wait for the counters' next readings */
#define CONTEXTS 256  /* those that came first */
#define COUNTERS 1024 /* that are asked of a request: those that were read first */
/* Classes of engines, as i915 numbers them; of xe's counters, too. */
#define CLASS_RENDER  0
#define CLASS_COMPUTE 4
#define ANY_CLASS     0xffff
#define KERNELS	      0xfffe /* a command's kernel: an engine that renders, or computes */
#define LEAST	      8	     /* requests with and without, or nothing is concluded */
/* A clock is low up to this share of the highest that was seen, in per cent; high from that on. */
#define LOW	    75
#define HIGH	    90
#define REST_NS	    1000000 /* nothing was on the GPU for so long: it may have gone to sleep */
#define MOST_GAP_NS 10000000000

const char *const lane_slow_names[LANE_SLOW_CAUSES] = {
#define S(id, name) [LANE_SLOW_##id] = name,
	LANE_SLOWS(S)
#undef S
};

struct slow_reading {
	uint64_t lo, hi, value, total;
};

struct lane_slow_readings {
	struct slow_reading *last; /* of reading i: i % room, a power of two */
	uint64_t n, room;
	uint64_t first; /* of the last window: the next one is near */
	uint32_t gt;
};

/* A GT of a card: a tile, or the part of the device that has the video engines. */
struct lane_slow_gt {
	uint64_t top;	  /* the highest clock that was seen, or is allowed */
	uint64_t allowed; /* 0: not known */
	uint32_t classes; /* of its engines, by their own counters */
	bool has_engines;
};

struct lane_slow_waiting {
	uint32_t slow; /* whose it is */
	uint64_t took_ns, begin_ns, end_ns, drm_client;
	uint64_t given_ns; /* it was handed over; the run's begin */
	uint64_t until_ns; /* so long it was certainly under way, or waited for by somebody */
	const struct lane_engine *engine; /* NULL: a command's, no GPU is told */
	uint16_t class;			  /* ANY_CLASS: its ring's name does not tell it; KERNELS */
	int32_t pid;
	uint64_t rested_ns; /* nothing was on the GPU from then to its begin */
};

/* What holds of a request. Of several parts of a device each has its counters: where one says that
 * it holds and another that it does not, that is not known. */
enum holds {
	UNKNOWN = 0,
	HOLDS = 1 << 0,
	DOES_NOT = 1 << 1,
};

/* The readings from the last one before `from` to the first one behind `to`. */
struct window {
	const struct lane_slow_readings *of;
	uint64_t first, last;
	bool is_known;
};

static const struct slow_reading *reading_of(const struct lane_slow_readings *of, uint64_t i)
{
	return &of->last[i & (of->room - 1)];
}

static struct window window_of(struct lane_slow_readings *of, uint64_t from, uint64_t to)
{
	uint64_t oldest = of->n > of->room ? of->n - of->room : 0, near = of->first;
	struct window window = { .of = of };

	/* The first reading that is not over by then. */
	if (near >= oldest && near + 1 < of->n && reading_of(of, near)->hi <= from &&
	    reading_of(of, near + 1)->hi > from)
		window.last = near + 1;
	else
		window.last = oldest + LANE_BEFORE(of->n - oldest, i,
						   reading_of(of, oldest + i)->hi <= from);
	if (window.last == oldest)
		return window;
	of->first = window.first = window.last - 1;
	for (; window.last < of->n; window.last++)
		if (reading_of(of, window.last)->lo >= to) {
			window.is_known = true;
			break;
		}
	return window;
}

static const struct slow_reading *reading_at(const struct window *window, uint64_t i)
{
	return reading_of(window->of, i);
}

/* All readings of the window lie between the bounds; 0 tells nothing of a clock: the GPU slept. */
static struct lane_span range_of(const struct window *window, bool counts_zero)
{
	struct lane_span range = { UINT64_MAX, 0 };

	for (uint64_t i = window->first; i <= window->last; i++) {
		uint64_t value = reading_at(window, i)->value;

		if (!value && !counts_zero)
			continue;
		range.lo = value < range.lo ? value : range.lo;
		range.hi = value > range.hi ? value : range.hi;
	}
	return range;
}

static enum holds is_throttled(const struct window *window)
{
	struct lane_span range = range_of(window, true);

	return range.lo ? HOLDS : range.hi ? UNKNOWN : DOES_NOT;
}

static enum holds is_low(const struct window *window, uint64_t top)
{
	struct lane_span range = range_of(window, false);

	if (!range.hi || !top)
		return UNKNOWN;
	if (range.hi * 100 <= top * LOW)
		return HOLDS;
	return range.lo * 100 >= top * HIGH ? DOES_NOT : UNKNOWN;
}

/*
 * Whether it slept between the request before and this one. The window reaches beyond that: all
 * that it may have slept there does not count.
 */
static enum holds has_slept(const struct window *window, uint64_t per_second,
			    const struct lane_slow_waiting *rq)
{
	const struct slow_reading *from = reading_at(window, window->first);
	const struct slow_reading *to = reading_at(window, window->last);
	uint64_t outside_ns = rq->rested_ns - from->lo;

	if (to->value <= from->value)
		return DOES_NOT;
	outside_ns += to->hi > rq->end_ns ? to->hi - rq->end_ns : 0;
	return per_second && (double)(to->value - from->value) * 1e9 / (double)per_second >
				       (double)outside_ns
		       ? HOLDS
		       : UNKNOWN;
}

/* The share of the window's time that a client was counted, in per cent. */
static double counted_percent(const struct lane_counter_sum *sum, const struct window *window)
{
	const struct slow_reading *from = reading_at(window, window->first);
	const struct slow_reading *to = reading_at(window, window->last);
	double units = to->value > from->value ? (double)(to->value - from->value) : 0;
	double whole = sum->is.per_second
			       ? (double)(to->hi - from->lo) * 1e-9 * (double)sum->is.per_second
			       : (double)(to->total - from->total);

	return whole > 0 ? 100 * units / whole : 0;
}

static bool is_of_class(const struct lane_p_gpulane_counter *is, uint16_t class)
{
	if (class == KERNELS)
		return is->class == CLASS_RENDER || is->class == CLASS_COMPUTE;
	return class == ANY_CLASS || is->class == class;
}

static bool is_another(const struct lane_counters *counters,
		       const struct lane_p_gpulane_counter *is, const struct lane_slow_waiting *rq,
		       enum lane_slow_cause cause)
{
	bool is_client = is->what == LANE_COUNTS_CLIENT_BUSY && is->pid != rq->pid &&
			 (!rq->drm_client || is->client_id != rq->drm_client);

	return (cause == LANE_SLOW_VF ? is->what == LANE_COUNTS_VF_BUSY : is_client) &&
	       is_of_class(is, rq->class) &&
	       latency_counters_on_card(counters, rq->engine, is->card, is->dev);
}

/* Another client had more than half of the engines' time, or a virtual function of what is its
 * share; or no one a quarter. */
static enum holds slow_is_taken(const struct lane_slows *slows,
				const struct lane_counters *counters, struct lane_slow *slow,
				const struct lane_slow_waiting *rq, enum lane_slow_cause cause)
{
	struct lane_slow_other *other = &slow->others[cause];
	double most = -1;
	uint32_t who = 0;

	for (uint32_t k = 0; k < slows->n_asked; k++) {
		uint32_t i = slows->asked[k];
		const struct lane_counter_sum *sum = &counters->all[i];
		struct window window;
		double percent;

		if (!is_another(counters, &sum->is, rq, cause))
			continue;
		window = window_of(&slows->readings[i], rq->begin_ns, rq->end_ns);
		percent = window.is_known ? counted_percent(sum, &window) : -1;
		if (percent > most) {
			most = percent;
			who = i;
		}
	}
	if (most < 25)
		return most < 0 || slows->has_more ? UNKNOWN : DOES_NOT;
	if (most < 50)
		return UNKNOWN;
	if (!other->votes)
		other->counter = who;
	if (other->counter == who)
		other->votes++;
	else
		other->votes--;
	return HOLDS;
}

/* Readings of a clock around it. 0 tells nothing: the GPU slept. */
static void note_clock(const struct lane_p_gpulane_counter *is, uint64_t allowed,
		       const struct window *window, struct lane_slow_clock *clock)
{
	for (uint64_t i = window->first; i <= window->last; i++) {
		uint64_t value = reading_at(window, i)->value;

		if (!value)
			continue;
		clock->readings += !is->gt && i >= clock->counted;
		clock->is_high |= value * 100 > allowed * LOW;
		clock->most = value > clock->most ? value : clock->most;
		clock->allowed = allowed > clock->allowed ? allowed : clock->allowed;
	}
	if (!is->gt)
		clock->counted = window->last + 1;
}

/* They come by their ends. What lies before the last end counts once. */
static void note_under_way(const struct lane_slow_waiting *rq, struct lane_slow_clock *clock)
{
	uint64_t from_ns = timeline_later(rq->given_ns, clock->until_ns);

	if (rq->until_ns <= from_ns)
		return;
	clock->ns += rq->until_ns - from_ns;
	clock->until_ns = rq->until_ns;
}

bool latency_slow_is_low(const struct lane_slow *slow)
{
	return slow->clock.readings >= LEAST && !slow->clock.is_high;
}

/* The request may have run on the GT. */
static bool may_be_of_gt(const struct lane_slow_gt *gt, uint16_t class)
{
	uint32_t kernels = 1u << CLASS_RENDER | 1u << CLASS_COMPUTE;

	if (!gt->has_engines || class == ANY_CLASS)
		return true;
	return gt->classes & (class == KERNELS ? kernels : class < 32 ? 1u << class : 0);
}

static void judge_counter(const struct lane_slows *slows, const struct lane_counters *counters,
			  uint32_t id, struct lane_slow *slow, const struct lane_slow_waiting *rq,
			  enum holds of[LANE_SLOW_CAUSES])
{
	const struct lane_p_gpulane_counter *is = &counters->all[id].is;
	bool is_sleep = is->what == LANE_COUNTS_C6 || is->what == LANE_COUNTS_SUSPENDED;
	const struct lane_slow_gt *gt = &slows->gts[slows->readings[id].gt];
	struct window window;

	if (!is_sleep && is->what != LANE_COUNTS_CLOCK && is->what != LANE_COUNTS_THROTTLED)
		return;
	/* A kernel that runs keeps the GPU awake. */
	if (is_sleep ? !slow->context && !slow->is_start : slow->is_start)
		return;
	window = window_of(&slows->readings[id], is_sleep ? rq->rested_ns : rq->begin_ns,
			   is_sleep ? rq->begin_ns : rq->end_ns);
	if (!window.is_known || !may_be_of_gt(gt, rq->class) ||
	    !latency_counters_on_card(counters, rq->engine, is->card, is->dev))
		return;
	switch (is->what) {
	case LANE_COUNTS_THROTTLED:
		of[LANE_SLOW_THROTTLED] |= is_throttled(&window);
		slow->throttles |= reading_at(&window, window.last)->value;
		return;
	case LANE_COUNTS_CLOCK:
		of[LANE_SLOW_CLOCK] |= is_low(&window, gt->top);
		note_clock(is, gt->allowed, &window, &slow->clock);
		if (!is->gt)
			note_under_way(rq, &slow->clock);
		return;
	case LANE_COUNTS_SUSPENDED:
		of[LANE_SLOW_SUSPENDED] |= has_slept(&window, is->per_second, rq);
		return;
	case LANE_COUNTS_C6:
		of[LANE_SLOW_C6] |= has_slept(&window, is->per_second, rq);
		return;
	default:
		return;
	}
}

/*
 * The number of those that are alike: the context's requests, or (no context) the kernel's runs of
 * the command's size, or their starts. CONTEXTS: they are too many, or there is no memory.
 */
static uint32_t slow_of(struct lane_slows *slows, const struct lane_context *context,
			const struct lane_kernel_stats *kernel, const struct lane_command *command,
			bool is_start)
{
	uint64_t of = context ? context->id : (is_start ? 3ull : 1ull) << 32 | kernel->id;
	uint64_t size = command ? command->size : 0, group = command ? command->group : 0;
	bool fresh;
	struct lane_slow *slow = latency_sum_of(
		(struct lane_sums_at){ &slows->index, &slows->all, &slows->n, &slows->room,
				       CONTEXTS, sizeof(*slows->all), &slows->no_memory },
		group << 34 | of, size, &fresh);

	if (!slow)
		return CONTEXTS;
	if (!fresh)
		return (uint32_t)(slow - slows->all);
	slow->context = context;
	slow->is_start = is_start;
	slow->pid = kernel ? kernel->pid : 0;
	slow->size = size;
	slow->group = group;
	snprintf(slow->kernel, sizeof(slow->kernel), "%s", kernel ? kernel->name : "");
	return slows->n - 1;
}

static void slow_judge(struct lane_slows *slows, const struct lane_counters *counters,
		       const struct lane_slow_waiting *rq)
{
	struct lane_slow *slow = &slows->all[rq->slow];
	enum holds of[LANE_SLOW_CAUSES] = {};

	for (uint32_t i = 0; i < slows->n_asked; i++)
		judge_counter(slows, counters, slows->asked[i], slow, rq, of);
	if (!slow->is_start)
		of[LANE_SLOW_OTHER] = slow_is_taken(slows, counters, slow, rq, LANE_SLOW_OTHER);
	if (slow->context)
		of[LANE_SLOW_VF] = slow_is_taken(slows, counters, slow, rq, LANE_SLOW_VF);
	slows->no_memory |= !latency_histogram_add(&slow->all, rq->took_ns);
	for (int i = 0; i < LANE_SLOW_CAUSES; i++)
		if (of[i] == HOLDS || of[i] == DOES_NOT)
			slows->no_memory |= !latency_histogram_add(
				of[i] == HOLDS ? &slow->with[i] : &slow->without[i], rq->took_ns);
		else if (slow->is_start && (i == LANE_SLOW_C6 || i == LANE_SLOW_SUSPENDED))
			slows->no_memory |= !latency_histogram_add(&slow->unsure[i], rq->took_ns);
}

static void judge_up_to(struct lane_slows *slows, const struct lane_counters *counters,
			uint64_t end_ns)
{
	while (slows->n_waiting && slows->waiting[slows->first_waiting].end_ns <= end_ns) {
		slow_judge(slows, counters, &slows->waiting[slows->first_waiting]);
		slows->first_waiting = (slows->first_waiting + 1) % WAITING;
		slows->n_waiting--;
	}
}

static bool is_of_commands(enum lane_counter_what what)
{
	return what == LANE_COUNTS_CLOCK || what == LANE_COUNTS_THROTTLED ||
	       what == LANE_COUNTS_C6 || what == LANE_COUNTS_SUSPENDED ||
	       what == LANE_COUNTS_CLIENT_BUSY;
}

/* From its first reading on it is asked of requests, by the counters' numbers. */
static bool slow_ask(struct lane_slows *slows, uint32_t id)
{
	uint32_t at;

	if (slows->n_asked == COUNTERS) {
		slows->has_more = true;
		return true;
	}
	if (!LANE_GROW(slows->asked, slows->room_asked, slows->n_asked + 1))
		return false;
	at = (uint32_t)LANE_BEFORE(slows->n_asked, i, slows->asked[i] < id);
	memmove(slows->asked + at + 1, slows->asked + at,
		(slows->n_asked++ - at) * sizeof(*slows->asked));
	slows->asked[at] = id;
	return true;
}

/* What the counter is of. NULL: no memory. */
static struct lane_slow_gt *slow_gt_of(struct lane_slows *slows,
				       const struct lane_p_gpulane_counter *is)
{
	bool fresh;

	return latency_sum_of((struct lane_sums_at){ &slows->gt_index, &slows->gts, &slows->n_gts,
						     &slows->room_gts, UINT32_MAX,
						     sizeof(*slows->gts), &slows->no_memory },
			      is->card, is->gt, &fresh);
}

static void slow_counter(struct lane_slows *slows, const struct lane_p_gpulane_counter *is)
{
	struct lane_slow_gt *gt;

	if (is->what != LANE_COUNTS_ENGINE_BUSY || is->class == ANY_CLASS)
		return;
	gt = slow_gt_of(slows, is);
	if (!gt)
		return;
	gt->has_engines = true;
	gt->classes |= is->class < 32 ? 1u << is->class : 0;
}

/* The counter's readings, with room for one more. NULL: no memory. */
static struct lane_slow_readings *readings_for(struct lane_slows *slows, uint32_t id,
					       const struct lane_p_gpulane_counter *is,
					       uint64_t value)
{
	uint64_t most = is_of_commands(is->what) ? CLOCKS : READINGS;
	struct lane_slow_readings *readings =
		LANE_REACH(slows->readings, slows->n_readings, slows->room_readings, id);
	struct lane_slow_gt *gt = slow_gt_of(slows, is);

	if (!readings || !gt)
		return NULL;
	if (is->what == LANE_COUNTS_CLOCK || is->what == LANE_COUNTS_CLOCK_MOST)
		gt->top = timeline_later(gt->top, value);
	if (is->what == LANE_COUNTS_CLOCK_MOST)
		gt->allowed = timeline_later(gt->allowed, value);
	readings->gt = (uint32_t)(gt - slows->gts);
	if (!readings->n && (is_of_commands(is->what) || is->what == LANE_COUNTS_VF_BUSY) &&
	    !slow_ask(slows, id))
		return NULL;
	if (readings->n < readings->room || readings->room >= most)
		return readings;
	return LANE_GROW(readings->last, readings->room, readings->room + READINGS) ? readings
										    : NULL;
}

void latency_slow_sample(struct lane_slows *slows, const struct lane_counters *counters,
			 const struct lane_event *event)
{
	const struct lane_p_gpulane_sample *sample = &event->u.gpulane_sample;
	uint64_t now_ns = event->wire.ts_ns, gap_ns;
	struct lane_slow_readings *readings;

	if (event->wire.kind == LANE_COUNTER)
		slow_counter(slows, &event->u.gpulane_counter);
	if (event->wire.kind != LANE_SAMPLE || sample->id >= counters->n)
		return;
	readings = readings_for(slows, sample->id, &counters->all[sample->id].is, sample->value);
	slows->no_memory |= !readings;
	if (!readings)
		return;
	gap_ns = readings->n ? reading_of(readings, readings->n - 1)->lo : now_ns;
	gap_ns = now_ns > gap_ns ? now_ns - gap_ns : 0;
	if (gap_ns > slows->most_gap_ns && gap_ns < MOST_GAP_NS)
		slows->most_gap_ns = gap_ns;
	readings->last[readings->n++ & (readings->room - 1)] =
		(struct slow_reading){ sample->from_ns < now_ns ? sample->from_ns : now_ns, now_ns,
				       sample->value, sample->total };
	if (slows->most_gap_ns && now_ns > 2 * slows->most_gap_ns)
		judge_up_to(slows, counters, now_ns - 2 * slows->most_gap_ns);
}

/* It is judged when the counters have been read behind its end. */
static void slow_await(struct lane_slows *slows, const struct lane_counters *counters,
		       uint32_t slow, const struct lane_slow_waiting *rq)
{
	struct lane_slow_waiting *waiting;

	if (!slows->waiting)
		slows->waiting = calloc(WAITING, sizeof(*slows->waiting));
	slows->no_memory |= !slows->waiting;
	if (!slows->waiting || slow == CONTEXTS)
		return;
	if (slows->n_waiting == WAITING)
		judge_up_to(slows, counters, slows->waiting[slows->first_waiting].end_ns);
	waiting = &slows->waiting[(slows->first_waiting + slows->n_waiting++) % WAITING];
	*waiting = *rq;
	waiting->slow = slow;
}

/* A ring of xe's has its class's name, and a number. */
static uint16_t class_of(const struct lane_engine *engine)
{
	static const char *const classes[] = { "rcs", "bcs", "vcs", "vecs", "ccs" };

	if (!engine->name)
		return engine->class;
	for (uint16_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strncmp(engine->name, classes[i], strlen(classes[i])))
			return i;
	return ANY_CLASS;
}

void latency_slow_request(struct lane_slows *slows, const struct lane_counters *counters,
			  const struct lane_request *rq)
{
	uint64_t begin_ns = rq->seen & LANE_SEEN_SUBMIT ? rq->submit_ns : rq->execute_ns;
	const struct lane_client *client;
	struct lane_span way;

	if (!counters->n || !timeline_end_is_known(rq) || !begin_ns || rq->end.hi <= begin_ns)
		return;
	client = timeline_client_of(rq);
	way = latency_steady_under_way(rq);
	slow_await(slows, counters, slow_of(slows, rq->context, NULL, NULL, false),
		   &(struct lane_slow_waiting){
			   .took_ns = rq->end.hi - begin_ns,
			   .begin_ns = begin_ns,
			   .end_ns = rq->end.hi,
			   .given_ns = way.lo,
			   .until_ns = way.hi,
			   .drm_client = rq->drm_client,
			   .engine = rq->engine,
			   .class = class_of(rq->engine),
			   .pid = client ? client->pid : -1,
			   .rested_ns = slows->busy_until_ns < begin_ns ? slows->busy_until_ns
									: begin_ns,
		   });
	if (rq->end.hi > slows->busy_until_ns)
		slows->busy_until_ns = rq->end.hi;
}

void latency_slow_command(struct lane_slows *slows, const struct lane_counters *counters,
			  const struct lane_kernel_stats *kernel,
			  const struct lane_command *command, uint64_t ran_ns)
{
	struct lane_span start, end;

	if (!command->timed || !latency_counters_one_gpu(counters))
		return;
	start = command->time[LANE_COMMAND_START];
	end = command->time[LANE_COMMAND_END];
	if (command->call_ns && start.lo > command->call_ns)
		slow_await(slows, counters, slow_of(slows, NULL, kernel, command, true),
			   &(struct lane_slow_waiting){
				   .took_ns = start.lo - command->call_ns,
				   .begin_ns = command->call_ns,
				   .end_ns = start.hi,
				   .pid = command->pid,
				   .class = ANY_CLASS,
				   .rested_ns =
					   timeline_sooner(slows->busy_until_ns, command->call_ns),
			   });
	slow_await(slows, counters, slow_of(slows, NULL, kernel, command, false),
		   &(struct lane_slow_waiting){
			   .took_ns = ran_ns,
			   .begin_ns = start.lo,
			   .given_ns = start.hi,
			   .until_ns = end.lo,
			   .end_ns = end.hi,
			   .pid = command->pid,
			   .class = KERNELS,
		   });
	slows->busy_until_ns = timeline_later(slows->busy_until_ns, end.hi);
}

/* What those that took more than half as long again took longer than `base`. */
static double excess(const struct lane_histogram *of, uint64_t base)
{
	uint64_t late = base + base / 2;
	double sum = 0;

	for (uint64_t i = 0; !of->buckets && i < of->count; i++)
		if (of->values[i] > late)
			sum += (double)(of->values[i] - base);
	for (unsigned int i = 0; of->buckets && i < LANE_HISTOGRAM_SLOTS; i++)
		if (of->buckets[i] && latency_histogram_top(i) > late)
			sum += (double)of->buckets[i] * (double)(latency_histogram_top(i) - base);
	return sum;
}

/*
 * The condition is named if nine of ten requests with it took longer than most without it, their
 * median by a quarter at least; and if it explains more than half of what the late ones took
 * longer.
 *
 * Where a GPU's sleep is read seldom, several pauses lie between two readings: of a long one it is
 * certain that the GPU slept in it, of the others it is not known. With those starts are compared
 * where there are no others.
 */
static void slow_compare(struct lane_slow *slow, enum lane_slow_cause cause)
{
	bool is_unsure = slow->is_start && slow->without[cause].count < LEAST;
	struct lane_histogram *with = &slow->with[cause];
	struct lane_histogram *without = is_unsure ? &slow->unsure[cause] : &slow->without[cause];
	uint64_t with_ns, without_ns;
	double all, explained;
	unsigned int permille;

	if (with->count < LEAST || without->count < LEAST)
		return;
	with_ns = latency_histogram_percentile(with, 500);
	without_ns = latency_histogram_percentile(without, 500);
	if (with_ns < without_ns + without_ns / 4 ||
	    latency_histogram_percentile(with, 100) <= without_ns)
		return;
	all = excess(&slow->all, without_ns);
	explained = excess(with, without_ns);
	permille = all > 0 ? (unsigned int)(1000 * explained / all) : 0;
	if (permille <= 500 || (slow->is_named && permille <= slow->permille))
		return;
	/* Why the clock is low says more than that it is. */
	if (cause == LANE_SLOW_CLOCK && slow->is_named && slow->cause == LANE_SLOW_THROTTLED)
		return;
	slow->is_named = true;
	slow->cause = cause;
	slow->permille = permille;
	slow->with_ns = with_ns;
	slow->without_ns = without_ns;
	slow->n_without = without->count;
	slow->is_unsure = is_unsure;
}

void latency_slow_finish(struct lane_slows *slows, const struct lane_counters *counters)
{
	judge_up_to(slows, counters, UINT64_MAX);
	for (uint32_t i = 0; i < slows->n; i++)
		for (int cause = 0; cause < LANE_SLOW_CAUSES; cause++)
			slow_compare(&slows->all[i], (enum lane_slow_cause)cause);
}

void latency_slow_deinit(struct lane_slows *slows)
{
	for (uint32_t i = 0; i < slows->n; i++) {
		latency_histogram_free(&slows->all[i].all);
		for (int cause = 0; cause < LANE_SLOW_CAUSES; cause++) {
			latency_histogram_free(&slows->all[i].with[cause]);
			latency_histogram_free(&slows->all[i].without[cause]);
			latency_histogram_free(&slows->all[i].unsure[cause]);
		}
	}
	lane_table_free(&slows->index);
	lane_table_free(&slows->gt_index);
	free(slows->gts);
	free(slows->asked);
	for (uint32_t i = 0; i < slows->n_readings; i++)
		free(slows->readings[i].last);
	free(slows->readings);
	free(slows->waiting);
	free(slows->all);
}
