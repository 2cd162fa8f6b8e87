// SPDX-License-Identifier: MIT
// Engines against the truth: how long each was busy and idle, and why it was idle.
#include <inttypes.h>
#include <string.h>

#include "check_parts.h"

#define ENGINE(e) ((e)->name ? (e)->name : "")

static bool is_engine(const struct sim_engine *truth, const struct lane_engine *told)
{
	if (told->name)
		return !strcmp(truth->name, told->name) &&
		       (!*told->device || !strcmp(truth->device, told->device));
	return truth->dev == told->dev && truth->class == told->class &&
	       truth->instance == told->instance;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* For how long something ran on an engine in [from, to). */
static uint64_t busy_in(const struct sim_truth *t, const struct lane_engine *engine, uint64_t from,
			uint64_t to)
{
	uint64_t sum = 0, upto = from;

	for (size_t i = 0; i < t->n_spans; i++) {
		const struct sim_span *span = &t->spans[i];
		uint64_t begin, end;

		if (!is_engine(&t->engines[span->engine], engine) || span->start == SIM_NONE)
			continue;
		begin = later(span->start, upto);
		end = earlier(span->end, to);
		if (begin >= end)
			continue;
		sum += end - begin;
		upto = end;
	}
	return sum;
}

/* For how long a thread was in a state in [from, to). */
static uint64_t thread_in(const struct check *c, int32_t tid, enum sim_thread_state state,
			  uint64_t from, uint64_t to)
{
	size_t low = 0, high = c->truth->n_states;
	uint64_t sum = 0;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct sim_state *s = &c->states[mid];

		if (s->tid < tid || (s->tid == tid && s->to <= from))
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < c->truth->n_states && c->states[low].tid == tid && c->states[low].from < to;
	     low++)
		if (c->states[low].state == state)
			sum += earlier(c->states[low].to, to) - later(c->states[low].from, from);
	return sum;
}

void sim_check_run(void *arg, const struct lane_run *run)
{
	struct check *c = arg;
	uint64_t busy;

	c->adds_up.run(c->adds_up.arg, run);
	if (run->is_doubtful || run->begin.hi >= run->sure_until_ns)
		return;
	busy = busy_in(c->truth, run->engine, run->begin.hi, run->sure_until_ns);
	c->verdict->values++;
	if (busy != run->sure_until_ns - run->begin.hi)
		sim_complain(c, &c->verdict->wrong,
			     "engine %s%u/%u:%u runs in %" PRIu64 "..%" PRIu64
			     ": was busy for %" PRIu64,
			     ENGINE(run->engine), run->engine->dev, run->engine->class,
			     run->engine->instance, run->begin.hi, run->sure_until_ns, busy);
}

/* No more of an idle time is given to a cause than its thread spent so. */
static void check_cause(struct check *c, const struct lane_idle *idle, const char *what,
			uint64_t told, enum sim_thread_state state)
{
	uint64_t is;

	if (!told)
		return;
	is = thread_in(c, idle->thread->tid, state, idle->begin_ns, idle->end_ns);
	c->verdict->values++;
	if (told > is)
		sim_complain(c, &c->verdict->wrong,
			     "engine %s%u/%u:%u idle in %" PRIu64 "..%" PRIu64
			     ": thread %d %s for %" PRIu64 ", was for %" PRIu64,
			     ENGINE(idle->engine), idle->engine->dev, idle->engine->class,
			     idle->engine->instance, idle->begin_ns, idle->end_ns,
			     idle->thread->tid, what, told, is);
}

/* Nor to a culprit than it had the CPU for while the thread waited for that. */
static void check_culprits(struct check *c, const struct lane_idle *idle)
{
	for (int i = 0; i < LANE_IDLE_CULPRITS && idle->culprits[i].ns; i++) {
		const struct lane_idle_culprit *by = &idle->culprits[i];
		uint64_t is = 0;

		if (by->tid < 0)
			continue;
		for (size_t k = 0; k < c->truth->n_states; k++) {
			const struct sim_state *s = &c->states[k];

			if (s->tid == idle->thread->tid && s->state == SIM_RUNNABLE &&
			    s->culprit == by->tid && s->cpu == by->cpu && s->from < idle->end_ns &&
			    s->to > idle->begin_ns)
				is += earlier(s->to, idle->end_ns) - later(s->from, idle->begin_ns);
		}
		c->verdict->values++;
		if (by->ns >= is + SIM_WAKING_NS)
			sim_complain(c, &c->verdict->wrong,
				     "engine idle in %" PRIu64 "..%" PRIu64
				     ": thread %d starved by %d on CPU %d for %" PRIu64
				     ", was for %" PRIu64,
				     idle->begin_ns, idle->end_ns, idle->thread->tid, by->tid,
				     by->cpu, by->ns, is);
	}
}

void sim_check_idle(void *arg, const struct lane_idle *idle)
{
	struct check *c = arg;
	uint64_t busy;

	c->adds_up.idle(c->adds_up.arg, idle);
	if (idle->is_doubtful)
		return;
	busy = busy_in(c->truth, idle->engine, idle->begin_ns, idle->end_ns);
	c->verdict->values++;
	if (busy)
		sim_complain(c, &c->verdict->wrong,
			     "engine %s%u/%u:%u idle in %" PRIu64 "..%" PRIu64
			     ": was busy for %" PRIu64,
			     ENGINE(idle->engine), idle->engine->dev, idle->engine->class,
			     idle->engine->instance, idle->begin_ns, idle->end_ns, busy);
	if (!idle->thread)
		return;
	check_cause(c, idle, "could run", idle->cause_ns[LANE_IDLE_STARVED], SIM_RUNNABLE);
	check_cause(c, idle, "ran", idle->cause_ns[LANE_IDLE_COMPUTING], SIM_RUNNING_ON_CPU);
	check_cause(c, idle, "was blocked",
		    idle->cause_ns[LANE_IDLE_BLOCKED] + idle->cause_ns[LANE_IDLE_SAME_ENGINE] +
			    idle->cause_ns[LANE_IDLE_OTHER_ENGINE],
		    SIM_BLOCKED);
	check_culprits(c, idle);
}

static void check_time(struct check *c, const struct lane_engine *engine, const char *what,
		       uint64_t is, struct lane_span told)
{
	c->verdict->values++;
	if (is < told.lo || is > told.hi)
		sim_complain(c, &c->verdict->wrong,
			     "engine %s%u/%u:%u %s: told %" PRIu64 "..%" PRIu64 ", is %" PRIu64,
			     ENGINE(engine), engine->dev, engine->class, engine->instance, what,
			     told.lo, told.hi, is);
}

void sim_check_engines(struct check *c)
{
	const struct lane_latency *latency = &c->latency;
	uint64_t from = latency->figures.begin_ns, to = latency->figures.end_ns;

	for (uint32_t i = 0; i < latency->n_engines; i++) {
		const struct lane_engine_stats *e = &latency->engines[i];
		uint64_t busy;

		if (!e->engine || timeline_engine_is_virtual(e->engine))
			continue;
		busy = busy_in(c->truth, e->engine, from, to);
		check_time(c, e->engine, "busy", busy, e->busy);
		check_time(c, e->engine, "idle", to - from - busy, e->idle);
		if (e->busy.lo + e->idle.hi != to - from || e->busy.hi + e->idle.lo != to - from)
			sim_complain(c, &c->verdict->wrong, "engine %u: busy and idle are not all",
				     i);
	}
}
