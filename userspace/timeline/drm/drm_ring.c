// SPDX-License-Identifier: MIT
// The rings of drm_sched: what their drivers do with jobs, and which fences are theirs.
#include "timeline/drm/drm_ring.h"
#include "timeline/drm/drm_job.h"
#include "timeline/objects.h"
#include "timeline/sched/thread.h"

#include <string.h>

#define GUESSES 2 /* so often a context must be seen before it is taken for the ring's */

static void copy(char *to, size_t size, const char *from, size_t most)
{
	size_t n = strnlen(from, most);

	if (n >= size)
		n = size - 1;
	memcpy(to, from, n);
	memset(to + n, 0, size - n);
}

/* The number of a device; -1: there are too many. i915's devices have numbers from 0. */
static int drm_ring_device_of(struct lane_timeline *tl, const char dev[32])
{
	struct lane_drm_jobs *all = tl->jobs;

	for (uint32_t i = 0; i < all->n_devices; i++)
		if (!memcmp(all->devices[i], dev, 32))
			return (int)(LANE_DEVICE_NAMED + i);
	if (all->n_devices == LANE_DRM_DEVICES) {
		tl->too_many = "devices";
		return -1;
	}
	memcpy(all->devices[all->n_devices], dev, 32);
	return (int)(LANE_DEVICE_NAMED + all->n_devices++);
}

/* If there are several devices, each engine's name is shown with that of its device. */
static void count_devices(struct lane_timeline *tl, const struct lane_engine *fresh)
{
	for (uint32_t i = 0; i < tl->n_engines && !tl->has_devices; i++)
		tl->has_devices = tl->engine_by_id[i]->pub.dev != fresh->dev;
	if (!tl->has_devices)
		return;
	for (uint32_t i = 0; i < tl->n_engines; i++)
		tl->engine_by_id[i]->pub.is_one_of_several = true;
}

static bool is_known_as_two(const struct lane_two_rings *two, const struct lane_drm_ring *ring)
{
	const uint32_t most = sizeof(two->name) / sizeof(two->name[0]);

	for (uint32_t i = 0; i < two->n; i++)
		if (!memcmp(two->name[i], ring->raw_name, sizeof(ring->raw_name)))
			return true;
	return two->n == most; /* the list is full: any name may be two */
}

void timeline_ring_is_two(struct lane_timeline *tl, struct lane_drm_ring *ring)
{
	struct lane_two_rings *two = &tl->jobs->two;

	if (ring->is_two || *ring->device)
		return;
	ring->is_two = true;
	if (!is_known_as_two(two, ring))
		memcpy(two->name[two->n++], ring->raw_name, sizeof(ring->raw_name));
	if (ring->discipline == LANE_RING_UNKNOWN)
		return;
	ring->discipline = LANE_RING_UNKNOWN;
	tl->figures.ring_unforeseen = true;
}

bool timeline_jobs_by_driver(const struct lane_timeline *tl)
{
	const uint64_t *n = tl->figures.by_kind;
	uint64_t of_drm = 0;

	for (int kind = LANE_DRM_QUEUE; kind <= LANE_DRM_DONE; kind++)
		of_drm += n[kind];
	return !of_drm &&
	       (n[LANE_AMD_SUBMIT] || n[LANE_AMD_RUN] || n[LANE_LIMA_SUBMIT] || n[LANE_LIMA_RUN] ||
		n[LANE_V3D_SUBMIT_CL] || n[LANE_V3D_SUBMIT_TFU] || n[LANE_V3D_SUBMIT_CSD] ||
		n[LANE_MSM_FLUSH] || n[LANE_XE_JOB_QUEUE] || n[LANE_XE_JOB_RUN]);
}

void timeline_two_rings(const struct lane_timeline *tl, struct lane_two_rings *rings)
{
	rings->n = 0;
	if (tl->jobs)
		*rings = tl->jobs->two;
	rings->is_by_driver = timeline_jobs_by_driver(tl);
	rings->is_by_scheduler = tl->jobs && tl->jobs->is_stood_for && !rings->is_by_driver;
}

bool timeline_foresee_two_rings(struct lane_timeline *tl, const struct lane_two_rings *rings)
{
	for (int kind = LANE_DRM_QUEUE; rings->is_by_driver && kind <= LANE_DRM_DONE; kind++)
		tl->info.presence[kind] = LANE_PRESENCE_ABSENT;
	tl->has_foreseen_jobs = rings->is_by_scheduler;
	if (!rings->n)
		return true;
	if (!timeline_jobs_get(tl))
		return false;
	tl->jobs->two = *rings;
	return true;
}

struct lane_eng *timeline_ring_get(struct lane_timeline *tl,
				   const struct lane_p_drm_sched_job_queue *job)
{
	int dev = drm_ring_device_of(tl, job->dev);
	struct lane_drm_ring *ring;
	struct lane_eng *eng;
	uint16_t instance = 0;

	for (uint32_t i = 0; i < tl->n_engines; i++) {
		eng = tl->engine_by_id[i];
		if (!eng->ring || (int)eng->pub.dev != dev)
			continue;
		if (!memcmp(eng->ring->raw_name, job->name, sizeof(job->name)))
			return eng;
		instance++;
	}
	if (dev < 0)
		return NULL;
	eng = timeline_engine_get(tl, (uint32_t)dev, LANE_CLASS_NAMED, instance);
	ring = lane_pool_get(&tl->jobs->ring_pool);
	if (!eng || !ring) {
		tl->no_memory |= !ring;
		return NULL;
	}
	eng->ring = ring;
	eng->model = tl->models[LANE_MODE_SCHED];
	eng->pub.submission = LANE_SUBMISSION_UNKNOWN;
	memcpy(ring->raw_name, job->name, sizeof(job->name));
	copy(ring->name, sizeof(ring->name), job->name, sizeof(job->name));
	copy(ring->device, sizeof(ring->device), job->dev, sizeof(job->dev));
	ring->is_two = lane_drm_ring_is_of_several(ring->name) ||
		       (!*ring->device && is_known_as_two(&tl->jobs->two, ring));
	eng->pub.name = ring->name;
	eng->pub.device = ring->device;
	eng->pub.driver = ring->driver;
	eng->pub.is_unordered = true;
	count_devices(tl, &eng->pub);
	return eng;
}

/*
 * Up to Linux 6.16 jobs do not name their device. Then only the making of the ring's fences shows
 * that a name is one ring's (timeline_ring_see_maker()). Where that is not recorded, the ring may
 * be two.
 */
void timeline_ring_learn_driver(struct lane_timeline *tl, struct lane_eng *eng,
				const struct lane_event *event)
{
	const struct lane_p_drm_sched_job_queue *job = &event->u.drm_sched_job_queue;
	struct lane_drm_ring *ring = eng->ring;

	if (job->timeout_ms)
		eng->pub.timeout_ms = job->timeout_ms;
	if (event->raw.is_two)
		timeline_ring_is_two(tl, ring);
	if (*ring->driver || !*job->driver || event->raw.is_two)
		return;
	copy(ring->driver, sizeof(ring->driver), job->driver, sizeof(job->driver));
	ring->each = (uint8_t)lane_drm_discipline(lane_drm_driver_find(ring->driver), ring->name);
	if (!ring->is_two && (*ring->device || tl->figures.by_kind[LANE_FENCE_INIT]))
		ring->discipline = ring->each;
	eng->pub.is_unordered = ring->discipline != LANE_RING_SERIAL;
}

void timeline_ring_has_fences(struct lane_timeline *tl, struct lane_eng *eng, uint64_t context)
{
	struct lane_table *rings = &tl->jobs->rings;

	if (eng->ring->fence_ctx == context)
		return;
	if (!eng->ring->is_two && lane_table_get(rings, eng->ring->fence_ctx, 0) == eng)
		lane_table_del(rings, eng->ring->fence_ctx, 0);
	lane_table_del(rings, context, 0);
	eng->ring->fence_ctx = context;
	eng->ring->last_seqno = 0;
	if (!lane_table_put(rings, context, 0, eng))
		tl->no_memory = true;
}

void timeline_ring_signalled(struct lane_drm_ring *ring, uint64_t ns,
			     const struct lane_event *event)
{
	ring->signal = (struct lane_job_time){ ns, event->cpu };
	ring->signal_tid = event->wire.tid;
}

/* No event names the device, and none shows the making of fences: so long as the fences of one
 * context alone end the ring's jobs, it is one ring. */
static void trust_guess(struct lane_timeline *tl, struct lane_eng *eng)
{
	struct lane_drm_ring *ring = eng->ring;

	timeline_ring_see_maker(tl, ring, ring->guess_ctx);
	if (!ring->is_two && *ring->driver)
		ring->discipline = ring->each;
	eng->pub.is_unordered = ring->discipline != LANE_RING_SERIAL;
}

/* Where no event tells which fences are a ring's (xe makes them as the job is armed), they are
 * those that are signalled straight before its jobs are done, GUESSES times. */
void timeline_ring_learn_fences(struct lane_timeline *tl, struct lane_eng *eng,
				const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);
	struct lane_drm_ring *ring = eng->ring;

	if (!cpu || !cpu->work_ns || cpu->fence.ns < cpu->work_ns ||
	    cpu->fence_ctx == ring->fence_ctx || cpu->fence_tid != event->wire.tid ||
	    timeline_job_context(tl, cpu->fence_ctx) ||
	    timeline_job_context(tl, cpu->fence_ctx + 1))
		return;
	ring->guesses = ring->guess_ctx == cpu->fence_ctx ? ring->guesses + 1 : 1;
	ring->guess_ctx = cpu->fence_ctx;
	timeline_ring_signalled(ring, cpu->fence.ns, event);
	if (ring->guesses < GUESSES)
		return;
	timeline_ring_has_fences(tl, eng, ring->guess_ctx);
	if (!*ring->device && !tl->figures.by_kind[LANE_FENCE_INIT])
		trust_guess(tl, eng);
}

/*
 * A ring makes its fences in one context. Up to Linux 6.16 no event names the device. So rings of
 * one name on two devices, as of two cards of one driver, look like one ring. Then it is not known
 * which job a job stands behind.
 */
void timeline_ring_see_maker(struct lane_timeline *tl, struct lane_drm_ring *ring, uint64_t context)
{
	if (ring->made_ctx && ring->made_ctx != context && ring->discipline != LANE_RING_UNKNOWN)
		timeline_ring_is_two(tl, ring);
	ring->made_ctx = context;
}

/* The event's thread is giving a job to its ring: what is signalled in it, is by an interrupt. */
static bool is_giving(const struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_rq *rq = timeline_job_of_thread(tl, event->wire.tid);

	return rq && timeline_sees(tl, LANE_FENCE_SIGNALED) &&
	       !timeline_jobs_are_lossy(tl, rq->pub.execute_ns, event->wire.ts_ns);
}

bool timeline_ring_is_same_work(const struct lane_timeline *tl, const struct lane_drm_ring *ring,
				const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);

	if (!ring->signal.ns)
		return false;
	if (ring->signal_tid == event->wire.tid && timeline_ring_may_be_at_reset(tl, ring) &&
	    !is_giving(tl, event))
		return true;
	return cpu && cpu->work_ns && ring->signal.cpu == event->cpu &&
	       ring->signal.ns >= cpu->work_ns;
}
