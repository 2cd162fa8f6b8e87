// SPDX-License-Identifier: MIT
// The jobs of drm_sched by the numbers that their drivers' own events have for them.
#include "timeline/drm/drm_told.h"

#include <stdlib.h>
#include <string.h>

struct lane_told_jobs *timeline_told_get(struct lane_timeline *tl)
{
	if (!tl->told)
		tl->told = calloc(1, sizeof(*tl->told));
	tl->no_memory |= !tl->told;
	return tl->told;
}

void timeline_told_free(struct lane_timeline *tl)
{
	if (!tl->told)
		return;
	lane_table_free(&tl->told->jobs);
	free(tl->told);
	tl->told = NULL;
}

struct lane_rq *timeline_told_find(const struct lane_told_jobs *all, uint64_t key, uint64_t seqno)
{
	return lane_table_get(&all->jobs, key, seqno);
}

void timeline_told_number(struct lane_timeline *tl, struct lane_rq *rq, uint64_t key,
			  uint64_t seqno)
{
	rq->job->own_key = key;
	rq->job->own_seqno = seqno;
	if (!lane_table_put(&tl->told->jobs, key, seqno, rq))
		tl->no_memory = true;
}

static void take_out(struct lane_told_jobs *all, uint32_t at)
{
	all->n_held--;
	memmove(&all->held[at], &all->held[at + 1], (all->n_held - at) * sizeof(all->held[0]));
}

struct lane_rq *timeline_told_keep(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_told_jobs *all = tl->told;
	struct lane_rq *oldest = NULL;

	if (!all || tl->is_finishing || !rq->job->ticks_ns || rq->job->ticks_void ||
	    tl->info.presence[LANE_MSM_RETIRED] == LANE_PRESENCE_ABSENT)
		return rq;
	if (all->n_held == LANE_TOLD_HELD) {
		oldest = all->held[0];
		take_out(all, 0);
	}
	all->held[all->n_held++] = rq;
	return oldest;
}

/* The job's place among those that are kept; n_held: it is not kept. */
static uint32_t place_of(const struct lane_told_jobs *all, const struct lane_rq *rq)
{
	uint32_t i = 0;

	while (i < all->n_held && all->held[i] != rq)
		i++;
	return i;
}

bool timeline_told_holds(const struct lane_told_jobs *all, const struct lane_rq *rq)
{
	return all && place_of(all, rq) < all->n_held;
}

bool timeline_told_release(struct lane_timeline *tl, const struct lane_rq *rq)
{
	if (!timeline_told_holds(tl->told, rq))
		return false;
	take_out(tl->told, place_of(tl->told, rq));
	return true;
}

void timeline_told_forget(struct lane_timeline *tl, struct lane_rq *rq)
{
	const struct lane_job *job = rq->job;

	if (!tl->told)
		return;
	if (job->own_key && timeline_told_find(tl->told, job->own_key, job->own_seqno) == rq)
		lane_table_del(&tl->told->jobs, job->own_key, job->own_seqno);
	timeline_told_release(tl, rq);
}
