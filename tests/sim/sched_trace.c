// SPDX-License-Identifier: MIT
// The events as the kernel's drm_sched writes them: gpu_scheduler_trace.h of Linux 6.1 and 6.12,
// which name a job by addresses, and of 6.17.
#include <string.h>

#include "drmsched.h"

#define FINISHED_OFFSET 64 /* struct drm_sched_fence: finished behind scheduled */

static bool is_old(const struct world *w)
{
	return w->sc->kernel != SIM_LINUX_6_17;
}

struct lane_event *strace_fence(struct world *w, enum lane_kind kind, const struct sfence *fence,
				int cpu)
{
	struct lane_event *event = world_emit(w, kind, cpu);

	event->u.fence.context = fence->context;
	event->u.fence.seqno = fence->seqno;
	return event;
}

static void name_job(const struct world *w, struct lane_event *event, const struct sjob *job)
{
	if (is_old(w)) {
		event->raw.fence = job->address + FINISHED_OFFSET;
		event->u.drm.fence_seqno = LANE_SEQNO_UNKNOWN;
		return;
	}
	event->u.drm.fence_context = job->finished.context;
	event->u.drm.fence_seqno = job->finished.seqno;
}

static void trace_job(struct world *w, enum lane_kind kind, const struct sjob *job, int cpu)
{
	struct lane_event *event = world_emit(w, kind, cpu);
	struct lane_p_drm_sched_job_queue *p = &event->u.drm_sched_job_queue;
	const struct sc_ring *ring = job->ring->sc;

	name_job(w, event, job);
	p->job_count = job->entity->jobs.n;
	p->hw_job_count = (int32_t)job->ring->credits;
	memcpy(p->name, ring->name, sizeof(p->name));
	if (w->sc->tells_driver) /* the recorder has read it from the device */
		memcpy(p->driver, ring->driver, sizeof(p->driver));
	if (is_old(w)) {
		event->raw.entity = job->entity->address;
		event->raw.job = job->id;
		return;
	}
	p->client_id = job->client;
	memcpy(p->dev, ring->device, sizeof(p->dev));
}

void strace_queue(struct world *w, const struct sjob *job, int cpu)
{
	trace_job(w, LANE_DRM_QUEUE, job, cpu);
}

void strace_run(struct world *w, const struct sjob *job, int cpu)
{
	trace_job(w, LANE_DRM_RUN, job, cpu);
}

void strace_done(struct world *w, const struct sjob *job, int cpu)
{
	name_job(w, world_emit(w, LANE_DRM_DONE, cpu), job);
}

void strace_dep(struct world *w, enum lane_kind kind, const struct sjob *job,
		const struct sfence *on, int cpu)
{
	struct lane_event *event = world_emit(w, kind, cpu);

	event->u.drm_sched_job_add_dep.ctx = on->context;
	event->u.drm_sched_job_add_dep.seqno = on->seqno;
	if (!is_old(w)) {
		name_job(w, event, job);
		return;
	}
	event->raw.job = job->id;
	event->u.drm.fence_seqno = LANE_SEQNO_UNKNOWN;
	memcpy(event->u.drm_wait.ring, job->ring->sc->name, sizeof(event->u.drm_wait.ring));
}
