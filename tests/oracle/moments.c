/* SPDX-License-Identifier: MIT */
/* The hardware's moments with the events that go with them, and the runs that they bound. */
#include <stdlib.h>
#include <string.h>

#include "gpu.h"

struct moment *moment_new(uint64_t when, struct moment *cause, struct moment *other)
{
	struct moment *moment = allocate(sizeof(*moment));
	static uint64_t number;

	moment->number = ++number;
	moment->at = when;
	moment->causes[0] = cause;
	moment->causes[1] = other;
	return moment;
}

void moment_stamp(struct moment *moment, uint64_t stamp)
{
	if (moment && moment->n_stamps < MAX_STAMPS)
		moment->stamps[moment->n_stamps++] = stamp;
}

/* An event that the driver fires because of the moment. */
void moment_report(struct moment *moment, uint64_t stamp)
{
	if (!moment)
		return;
	if (!moment->seen)
		moment->seen = stamp;
	moment_stamp(moment, stamp);
}

/* An event of the run of the tasklet that has read the entry. */
void csb_told(const struct csb *csb, uint64_t stamp)
{
	moment_report(csb->switched, stamp);
	if (csb->ended)
		moment_report(csb->ended->end, stamp);
}

static size_t add_stamp(uint64_t *out, size_t n, size_t room, uint64_t stamp)
{
	for (size_t i = 0; i < n; i++)
		if (out[i] == stamp)
			return n;
	if (n < room)
		out[n++] = stamp;
	return n;
}

static size_t collect(const struct moment *moment, uint64_t *out, size_t n, size_t room, int depth)
{
	n = add_stamp(out, n, room, moment->at);
	for (int i = 0; i < moment->n_stamps; i++)
		n = add_stamp(out, n, room, moment->stamps[i]);
	for (int i = 0; depth && i < 2; i++)
		if (moment->causes[i])
			n = collect(moment->causes[i], out, n, room, depth - 1);
	return n;
}

/* The moment itself, then every event that goes with it, and what led to it with its events. */
size_t moment_stamps(const struct moment *moment, uint64_t *out, size_t room)
{
	size_t n = collect(moment, out, 0, room, 6);

	for (int i = 0; i < moment->n_carried; i++)
		n = add_stamp(out, n, room, moment->carried[i]);
	return n;
}

static int by_time(const void *a, const void *b)
{
	const struct moment *x = *(struct moment *const *)a, *y = *(struct moment *const *)b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/*
 * Who stamps a moment by its event puts what the engine does next at that time or later, though it
 * may have happened before the event. So a stamp goes on to the engine's later moments, until its
 * time has come.
 */
static void carry_on_engine(struct moment **all, size_t n)
{
	uint64_t late[MAX_STAMPS * 4], own[MAX_STAMPS * 4];
	size_t n_late = 0;

	for (size_t i = 0; i < n; i++) {
		size_t kept = 0, n_own = moment_stamps(all[i], own, MAX_STAMPS * 4);

		for (size_t k = 0; k < n_late; k++)
			if (late[k] > all[i]->at)
				late[kept++] = late[k];
		n_late = kept;
		for (size_t k = 0; k < n_late && all[i]->n_carried < MAX_STAMPS; k++)
			all[i]->carried[all[i]->n_carried++] = late[k];
		for (size_t k = 0; k < n_own; k++)
			if (own[k] > all[i]->at)
				n_late = add_stamp(late, n_late, MAX_STAMPS * 4, own[k]);
	}
}

void moments_carry(void)
{
	size_t n_runs = 0;
	struct moment **all;

	for (const struct request *rq = gpu.requests; rq; rq = rq->all_next)
		n_runs += (size_t)rq->n_runs;
	all = allocate((2 * n_runs + 1) * sizeof(struct moment *));
	for (int e = 0; e < gpu.n_engines; e++) {
		size_t n = 0;

		for (const struct request *rq = gpu.requests; rq; rq = rq->all_next) {
			for (int i = 0; i < rq->n_runs; i++) {
				if (rq->runs[i].engine != &gpu.engines[e])
					continue;
				all[n++] = rq->runs[i].begin;
				all[n++] = rq->runs[i].end;
			}
		}
		if (n)
			qsort(all, n, sizeof(struct moment *), by_time);
		carry_on_engine(all, n);
	}
}

static void *grow(void *array, int n, int *room, size_t size)
{
	void *more;

	if (n < *room)
		return array;
	*room = *room ? *room * 2 : 4;
	more = allocate((size_t)*room * size);
	if (n)
		memcpy(more, array, (size_t)n * size);
	return more;
}

void run_begins(struct engine *engine, struct request *rq, struct moment *when)
{
	struct preemption *open = engine->hw.open_preemption;

	moment_stamp(when, rq->last_execute_at);
	moment_stamp(when, rq->last_executed_at);
	rq->runs = grow(rq->runs, rq->n_runs, &rq->room_runs, sizeof(*rq->runs));
	rq->runs[rq->n_runs++] = (struct run){ when, NULL, engine };
	if (open && rq != engine->hw.open_victim)
		open->culprit = rq;
	engine->hw.open_preemption = NULL;
}

void run_ends(struct request *rq, struct moment *when)
{
	rq->runs[rq->n_runs - 1].end = when;
	rq->runs[rq->n_runs - 1].engine->hw.last_end = when;
}

void preempted(struct engine *engine, struct request *rq, struct moment *when, enum why why)
{
	if (rq->last_unsubmit_at >= engine->reset_began)
		moment_stamp(when, rq->last_unsubmit_at);
	rq->preemptions = grow(rq->preemptions, rq->n_preemptions, &rq->room_preemptions,
			       sizeof(*rq->preemptions));
	rq->preemptions[rq->n_preemptions] = (struct preemption){ when, NULL, why };
	engine->hw.open_preemption = &rq->preemptions[rq->n_preemptions++];
	engine->hw.open_victim = rq;
	gpu.statistics.preemptions++;
	gpu.statistics.timeslices += why == WHY_TIMESLICE;
}
