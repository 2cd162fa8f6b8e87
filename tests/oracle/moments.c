/* SPDX-License-Identifier: MIT */
/* The hardware's moments with the events that go with them, and the runs that they bound. */
#include <string.h>

#include "gpu.h"

struct moment *moment_new(uint64_t when, struct moment *cause, struct moment *other)
{
	struct moment *moment = allocate(sizeof(*moment));

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
	for (int i = 0; i < moment->n_stamps; i++)
		n = add_stamp(out, n, room, moment->stamps[i]);
	for (int i = 0; depth && i < 2; i++)
		if (moment->causes[i])
			n = collect(moment->causes[i], out, n, room, depth - 1);
	return n;
}

/* The moment itself, then every event that goes with it or with what led to it. */
size_t moment_stamps(const struct moment *moment, uint64_t *out, size_t room)
{
	return collect(moment, out, add_stamp(out, 0, room, moment->at), room, 3);
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
	moment_stamp(when, rq->last_unsubmit_at);
	rq->preemptions = grow(rq->preemptions, rq->n_preemptions, &rq->room_preemptions,
			       sizeof(*rq->preemptions));
	rq->preemptions[rq->n_preemptions] = (struct preemption){ when, NULL, why };
	engine->hw.open_preemption = &rq->preemptions[rq->n_preemptions++];
	engine->hw.open_victim = rq;
	gpu.statistics.preemptions++;
	gpu.statistics.timeslices += why == WHY_TIMESLICE;
}
