// SPDX-License-Identifier: MIT
// The truth about jobs: when each could have run, began and ended, by the events that stand for it
// and by the hardware.
#include <stdlib.h>
#include <string.h>

#include "drmsched.h"

/* The last of the fences that it had to wait for. */
static void find_submit(const struct sjob *job, struct sim_request *t)
{
	t->submit = t->add;
	for (uint32_t i = 0; i < job->n_deps; i++) {
		const struct sfence *awaited = job->awaited[i];

		if (!awaited || !awaited->is_signalled || awaited->at <= t->add)
			continue;
		if (awaited->at > t->submit)
			t->submit = awaited->at;
		t->waits[t->n_waits++] =
			(struct sim_dependency){ job->deps[i]->context, awaited->seqno,
						 awaited->context, awaited->at };
	}
}

static uint64_t signal_of(const struct sjob *job)
{
	return job->hw && job->hw->is_signalled ? job->hw->at : SIM_NONE;
}

/* When a job that was never in the hardware was over. */
static uint64_t over(const struct sjob *job)
{
	uint64_t at = signal_of(job);

	if (job->hw_begin != SIM_NONE || !job->done_at)
		return SIM_NONE;
	return at < job->done_at ? at : job->done_at;
}

/*
 * The event that tells that a job is over: its fence's signal, or that of a later one of its ring,
 * where two CPUs are at one interrupt. Where its fence was forgotten at a reset: when the scheduler
 * was told.
 */
static void find_ends(struct world *w, const struct sring *ring)
{
	uint64_t later = SIM_NONE;

	for (uint32_t i = ring->ran.n; i--;) {
		struct sjob *job = ring->ran.v[i];
		struct sim_request *t = &w->requests.v[job->index];
		uint64_t at = signal_of(job);

		if (job->hw_begin == SIM_NONE)
			continue;
		t->end = job->is_long ? SIM_NONE : at;
		if (at == SIM_NONE && job->finished.is_signalled)
			at = job->is_long ? job->hw_end : job->done_at;
		if (ring->sc->kind == SIM_RING_SERIAL && later < at)
			at = later;
		job->told_end = at;
		if (at < later && t->end == at)
			later = at;
	}
}

static void add_span(struct world *w, const struct sjob *job, const struct sim_request *t)
{
	struct sim_span *span;

	if (job->ring->sc->kind == SIM_RING_FIRMWARE || t->start == SIM_NONE)
		return;
	span = &vec_push(w, w->spans);
	*span = (struct sim_span){ .request = job->index,
				   .engine = job->ring->index,
				   .start = t->start,
				   .end = job->told_end,
				   .told = SIM_NONE,
				   .hw_start = job->hw_begin,
				   .hw_end = job->hw_end,
				   .complete = true,
				   .culprit = SIM_NO };
}

/* What a firmware runs when the recording ends. */
static void add_open_slice(struct world *w, const struct sring *ring)
{
	vec_push(w, w->spans) = (struct sim_span){ .request = ring->on->index,
						   .engine = ring->index,
						   .start = ring->on_since,
						   .end = SIM_NONE,
						   .told = SIM_NONE,
						   .hw_start = ring->on_since,
						   .hw_end = SIM_NONE,
						   .culprit = SIM_NO };
}

static void tell_job(struct world *w, const struct sjob *job, const struct sjob *before)
{
	struct sim_request *t = &w->requests.v[job->index];
	enum sim_ring kind = job->ring->sc->kind;
	uint64_t free = before ? before->told_end : SIM_NONE;

	t->ran_on = t->executed_on = job->ring->index;
	t->hw_start = t->start = job->hw_begin;
	t->hw_end = job->hw_end;
	t->before = before ? before->index : SIM_NO;
	if (kind == SIM_RING_SERIAL && (!before || free != SIM_NONE))
		t->start = t->execute;
	if (kind != SIM_RING_UNKNOWN && before && free != SIM_NONE && free > t->start)
		t->start = free;
	if (t->start > job->told_end)
		t->start = job->told_end;
	add_span(w, job, t);
}

/* What the hardware is about to begin with when the recording ends has begun. */
static void begin_last(const struct world *w, struct sring *ring)
{
	uint32_t slots = ring->sc->kind == SIM_RING_SERIAL ? 1 : ring->given.n;

	if (ring->sc->kind == SIM_RING_FIRMWARE)
		return;
	for (uint32_t i = 0; i < ring->given.n && ring->running < slots; i++)
		if (ring->given.v[i]->hw_begin == SIM_NONE) {
			ring->given.v[i]->hw_begin = w->end;
			ring->running++;
		}
}

void struth_make(struct world *w)
{
	struct sched *s = w->sched;

	for (uint32_t i = 0; i < s->jobs.n; i++) {
		struct sim_request *t = &w->requests.v[i];

		t->before = SIM_NO;
		t->status = s->jobs.v[i]->is_killed    ? SIM_KILLED
			    : s->jobs.v[i]->is_long    ? SIM_LONG
			    : s->jobs.v[i]->is_skipped ? SIM_SKIPPED
			    : s->jobs.v[i]->was_reset  ? SIM_WAS_RESET
						       : SIM_OK;
		if (t->execute != SIM_NONE)
			find_submit(s->jobs.v[i], t);
		t->id = s->jobs.v[i]->id;
		t->over = over(s->jobs.v[i]);
		if (t->execute != SIM_NONE && t->execute < t->submit)
			w->truth->seen.inconsistent++;
		t->client = w->sc->kernel == SIM_LINUX_6_17 ? s->jobs.v[i]->client : 0;
	}
	for (uint32_t r = 0; r < s->n_rings; r++) {
		const struct sjob *before = NULL;

		if (s->rings[r].on)
			add_open_slice(w, &s->rings[r]);
		begin_last(w, &s->rings[r]);
		find_ends(w, &s->rings[r]);
		for (uint32_t i = 0; i < s->rings[r].ran.n; i++) {
			if (s->rings[r].ran.v[i]->hw_begin == SIM_NONE)
				continue;
			tell_job(w, s->rings[r].ran.v[i], before);
			before = s->rings[r].ran.v[i];
		}
	}
}

void struth_info(const struct world *w, struct lane_trace_info *info)
{
	static const char *const releases[] = { "6.1.0-sim", "6.12.0-sim", "6.17.0-sim" };

	strcpy(info->release, releases[w->sc->kernel]);
	info->submission = LANE_SUBMISSION_UNKNOWN;
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (lane_is_request((unsigned int)kind))
			info->presence[kind] = LANE_PRESENCE_ABSENT;
		else if (lane_is_drm((unsigned int)kind))
			info->presence[kind] = LANE_PRESENCE_RECORDED;
	info->presence[LANE_FENCE_INIT] = LANE_PRESENCE_RECORDED;
	if (w->sc->kernel != SIM_LINUX_6_17)
		info->presence[LANE_DRM_UNSCHEDULABLE] = LANE_PRESENCE_ABSENT;
	info->presence[LANE_PORTS] = LANE_PRESENCE_ABSENT;
}
