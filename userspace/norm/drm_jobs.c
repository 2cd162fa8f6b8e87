// SPDX-License-Identifier: MIT
// Makes drm_sched's events today's: jobs named by addresses get the names of their fences.
#include "norm/drm_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/drivers.h"
#include "base/table.h"

enum {
	MAX_RINGS = 1024,
	MAX_LIVES = 1 << 16,
	MAX_OWN = 1 << 16,
	MAX_THREADS = 1 << 12,
	ARMED = 16, /* jobs that a thread has armed and not pushed, gangs among them */
};

struct ring {
	char name[LANE_RING_BYTES], dev[32];
	char driver[16]; /* empty: not known */
	char maker[16];	 /* made a fence while a job was given to it */
	uint32_t runs;	 /* jobs that were given to it, up to 2 */
	bool is_two;	 /* schedulers of this name have had jobs of the same number */
};

/* A job of before Linux 6.17, from its first event to its end. */
struct life {
	struct life *newer, *older; /* by age */
	struct life *next, *prev;   /* the others that have its number and are to run */
	uint64_t fence, job, entity;
	uint32_t ring;
	bool is_to_run; /* it was queued, and has not been given to its ring */
	uint64_t context, seqno;
	uint64_t since_ns, by_ns; /* it was named by events of that time */
	uint64_t known_ns;	  /* its address and its number were told together then, last */
	bool is_narrow;
};

/* An entity whose fences' context is known. */
struct entity {
	uint64_t context;
	bool is_narrow;
};

/* A number for the jobs of one entity, ring and process. */
struct own_context {
	uint64_t context;
};

/* The fence of a job that was armed: drm_sched_fence_init() makes `scheduled`, then `finished`. */
struct armed {
	uint64_t context, seqno, at_ns;
	bool is_whole, is_narrow;
	char timeline[32];
};

/* A job of which its driver has told both names, straight before it was pushed. */
struct named {
	uint64_t job; /* 0: none */
	uint64_t context, seqno, at_ns;
	char ring[32];
};

struct thread {
	uint32_t n;
	struct named named;
	bool has_pushed;    /* a job, since it armed the last one */
	bool is_whole;	    /* all that it has armed and not pushed is here, */
	uint64_t since_ns;  /* if nothing was lost since then */
	uint64_t pushed_ns; /* its last job */
	uint32_t running;   /* the ring for which this thread is in run_job(), + 1; 0: none */
	struct armed armed[ARMED];
};

struct lane_drm {
	struct ring rings[MAX_RINGS];
	uint32_t n_rings, last_ring;
	bool has_lost;	   /* events were lost */
	bool follows_some; /* others' were not recorded */
	uint32_t n_lives, n_own, n_threads, n_entities;
	struct lane_table lives, own, threads, entities;
	struct lane_table jobs; /* to run, by ring and number */
	struct lane_pool life_pool, own_pool, thread_pool, entity_pool;
	struct life *newest, *oldest;
	struct lane_foresight *foresight; /* NULL: losses are not known before they are told */
	uint32_t host;
};

struct lane_drm *norm_drm_create(bool has_lost, bool follows_some)
{
	struct lane_drm *drm = calloc(1, sizeof(*drm));

	if (!drm)
		return NULL;
	drm->has_lost = has_lost;
	drm->follows_some = follows_some;
	drm->life_pool.size = sizeof(struct life);
	drm->own_pool.size = sizeof(struct own_context);
	drm->thread_pool.size = sizeof(struct thread);
	drm->entity_pool.size = sizeof(struct entity);
	return drm;
}

void norm_drm_foresee(struct lane_drm *drm, struct lane_foresight *foresight, uint32_t host)
{
	drm->foresight = foresight;
	drm->host = host;
}

/* Something is known to have been lost between these times. */
static bool is_lossy(const struct lane_drm *drm, uint64_t begin_ns, uint64_t end_ns)
{
	return drm->foresight &&
	       norm_foresight_is_lossy(drm->foresight, drm->host, begin_ns, end_ns);
}

void norm_drm_destroy(struct lane_drm *drm)
{
	if (!drm)
		return;
	lane_table_free(&drm->lives);
	lane_table_free(&drm->jobs);
	lane_table_free(&drm->own);
	lane_table_free(&drm->threads);
	lane_table_free(&drm->entities);
	lane_pool_free(&drm->life_pool);
	lane_pool_free(&drm->own_pool);
	lane_pool_free(&drm->thread_pool);
	lane_pool_free(&drm->entity_pool);
	free(drm);
}

/* The number of a ring, -1: there are too many. */
static int ring_of(struct lane_drm *drm, const char name[LANE_RING_BYTES], const char dev[32])
{
	struct ring *ring = &drm->rings[drm->last_ring];

	if (drm->n_rings && !memcmp(ring->name, name, sizeof(ring->name)) &&
	    !memcmp(ring->dev, dev, 32))
		return (int)drm->last_ring;
	for (uint32_t i = 0; i < drm->n_rings; i++) {
		ring = &drm->rings[i];
		if (memcmp(ring->name, name, sizeof(ring->name)) || memcmp(ring->dev, dev, 32))
			continue;
		drm->last_ring = i;
		return (int)i;
	}
	if (drm->n_rings == MAX_RINGS)
		return -1;
	ring = &drm->rings[drm->n_rings];
	memcpy(ring->name, name, sizeof(ring->name));
	memcpy(ring->dev, dev, 32);
	return (int)drm->n_rings++;
}

/* Of two jobs of one number two schedulers share the ring's name. False: no memory. */
static bool await_run(struct lane_drm *drm, struct life *life)
{
	struct life *first = lane_table_get(&drm->jobs, life->ring, life->job);

	life->is_to_run = true;
	if (!first)
		return lane_table_put(&drm->jobs, life->ring, life->job, life);
	drm->rings[life->ring].is_two = true;
	life->prev = first;
	life->next = first->next;
	if (life->next)
		life->next->prev = life;
	first->next = life;
	return true;
}

static void await_no_more(struct lane_drm *drm, struct life *life)
{
	if (!life->is_to_run)
		return;
	life->is_to_run = false;
	if (life->next)
		life->next->prev = life->prev;
	if (life->prev) {
		life->prev->next = life->next;
		return;
	}
	lane_table_del(&drm->jobs, life->ring, life->job);
	if (life->next)
		lane_table_put(&drm->jobs, life->ring, life->job, life->next);
}

static void free_life(struct lane_drm *drm, struct life *life)
{
	if (lane_table_get(&drm->lives, life->fence, 0) == life)
		lane_table_del(&drm->lives, life->fence, 0);
	await_no_more(drm, life);
	*(life->newer ? &life->newer->older : &drm->newest) = life->older;
	*(life->older ? &life->older->newer : &drm->oldest) = life->newer;
	drm->n_lives--;
	lane_pool_put(&drm->life_pool, life);
}

/* A job's life begins: whoever had its address before is over. NULL: no memory. */
static struct life *new_life(struct lane_drm *drm, const struct lane_event *event, uint32_t ring)
{
	struct life *life = lane_table_get(&drm->lives, event->raw.fence, 0);

	if (life)
		free_life(drm, life);
	if (drm->n_lives == MAX_LIVES)
		free_life(drm, drm->oldest);
	life = lane_pool_get(&drm->life_pool);
	if (!life)
		return NULL;
	life->fence = event->raw.fence;
	life->job = event->raw.job;
	life->entity = event->raw.entity;
	life->ring = ring;
	life->older = drm->newest;
	*(drm->newest ? &drm->newest->newer : &drm->oldest) = life;
	drm->newest = life;
	drm->n_lives++;
	if (!lane_table_put(&drm->lives, life->fence, 0, life))
		return NULL;
	return event->wire.kind != LANE_DRM_QUEUE || await_run(drm, life) ? life : NULL;
}

static struct thread *thread_of(struct lane_drm *drm, int32_t tid, bool create)
{
	struct thread *thread = lane_table_get(&drm->threads, (uint32_t)tid, 1);

	if (thread || !create || tid < 0)
		return tid < 0 ? NULL : thread;
	if (drm->n_threads == MAX_THREADS)
		norm_drm_lost(drm); /* what was armed is forgotten */
	thread = lane_pool_get(&drm->thread_pool);
	if (!thread || !lane_table_put(&drm->threads, (uint32_t)tid, 1, thread))
		return NULL;
	thread->is_whole = !drm->has_lost;
	drm->n_threads++;
	return thread;
}

static void forget_armed(struct thread *thread, uint32_t at)
{
	thread->n--;
	memmove(&thread->armed[at], &thread->armed[at + 1],
		(thread->n - at) * sizeof(thread->armed[0]));
}

/* A fence has the name of its ring, of which recordings have 31 bytes (events.def). */
static bool is_timeline_of(const char timeline[32], const char ring[LANE_RING_BYTES])
{
	return !strncmp(timeline, ring, 31);
}

/* What a thread has armed of that ring and, where it is not 0, context; NULL: none, or of several
 * contexts. */
static struct armed *find_armed(struct thread *thread, const char ring[LANE_RING_BYTES],
				uint64_t context)
{
	struct armed *found = NULL;

	for (uint32_t i = 0; i < thread->n; i++) {
		struct armed *armed = &thread->armed[i];

		if (!armed->is_whole || !is_timeline_of(armed->timeline, ring) ||
		    (context && armed->context != context))
			continue;
		if (found && found->context != armed->context)
			return NULL;
		if (!found)
			found = armed;
	}
	return found;
}

static struct entity *entity_of(struct lane_drm *drm, uint64_t address)
{
	return lane_table_get(&drm->entities, address, 0);
}

static void learn_entity(struct lane_drm *drm, uint64_t address, const struct armed *armed)
{
	struct entity *entity = entity_of(drm, address);

	if (!entity) {
		if (drm->n_entities == MAX_OWN)
			return;
		entity = lane_pool_get(&drm->entity_pool);
		if (!entity || !lane_table_put(&drm->entities, address, 0, entity))
			return;
		drm->n_entities++;
	}
	entity->context = armed->context;
	entity->is_narrow = armed->is_narrow;
}

/* The thread's driver has told of this job (amdgpu_cs_submit() in amdgpu_cs.c,
 * lima_sched_context_queue_task() in lima_sched.c, of Linux 6.1). */
static bool name_by_driver(struct lane_drm *drm, const struct lane_event *event, struct life *life)
{
	struct thread *thread = thread_of(drm, event->wire.tid, false);
	struct named *named = thread ? &thread->named : NULL;

	if (!named || !named->job || named->job != life->job ||
	    strnlen(drm->rings[life->ring].name, LANE_RING_BYTES) > 32 ||
	    strncmp(named->ring, drm->rings[life->ring].name, 32) != 0 ||
	    is_lossy(drm, named->at_ns, event->wire.ts_ns))
		return false;
	life->context = named->context;
	life->seqno = named->seqno;
	life->since_ns = named->at_ns;
	life->by_ns = event->wire.ts_ns;
	life->is_narrow = false;
	named->job = 0;
	return true;
}

/*
 * drm_sched_job_arm() makes the fences of the job that the same thread pushes next (sched_main.c,
 * sched_fence.c, sched_entity.c). False: nothing was seen of them, or of several entities' jobs.
 */
static bool name_by_arming(struct lane_drm *drm, const struct lane_event *event, struct life *life)
{
	struct thread *thread = thread_of(drm, event->wire.tid, true);
	const struct entity *entity = entity_of(drm, event->raw.entity);
	struct armed *armed = NULL;
	uint64_t since_ns;

	if (!thread)
		return false;
	thread->has_pushed = true;
	thread->pushed_ns = event->wire.ts_ns;
	/* After a loss it may have armed others before, unseen, and this be one of them; so it may
	 * where not all processes' events are recorded. */
	if (!thread->is_whole || drm->follows_some)
		return false;
	if (entity) /* its address may be another one's by now */
		armed = find_armed(thread, drm->rings[life->ring].name, entity->context);
	if (!armed)
		armed = find_armed(thread, drm->rings[life->ring].name, 0);
	if (!armed)
		return false;
	since_ns = thread->since_ns ? thread->since_ns : armed->at_ns;
	if (is_lossy(drm, since_ns, event->wire.ts_ns))
		return false;
	life->context = armed->context;
	life->seqno = armed->seqno;
	life->since_ns = since_ns;
	life->by_ns = event->wire.ts_ns;
	life->is_narrow = armed->is_narrow;
	learn_entity(drm, event->raw.entity, armed);
	forget_armed(thread, (uint32_t)(armed - thread->armed));
	return true;
}

/* A name of our own; false: no memory. */
static bool name_by_number(struct lane_drm *drm, const struct lane_event *event, struct life *life)
{
	uint64_t key = (uint64_t)life->ring << 32 | (uint32_t)event->wire.pid;
	struct own_context *own = lane_table_get(&drm->own, event->raw.entity, key);

	if (!own) {
		own = lane_pool_get(&drm->own_pool);
		if (!own || drm->n_own == MAX_OWN ||
		    !lane_table_put(&drm->own, event->raw.entity, key, own))
			return false;
		own->context = LANE_OWN_CONTEXT + drm->n_own++;
	}
	life->context = own->context;
	life->seqno = life->job;
	life->since_ns = life->by_ns = 0; /* by the number that the event says */
	return true;
}

static void drm_jobs_tell(struct lane_event *event, const struct life *life)
{
	event->u.drm.fence_context = life->context;
	event->u.drm.fence_seqno = life->seqno;
	event->raw.named_since_ns = life->since_ns;
	event->raw.named_by_ns = life->by_ns;
	event->raw.narrow = life->is_narrow;
}

static enum lane_drm_fixed old_job(struct lane_drm *drm, struct lane_event *event, uint32_t ring)
{
	struct life *life = lane_table_get(&drm->lives, event->raw.fence, 0);
	bool is_new = event->wire.kind == LANE_DRM_QUEUE;

	/* The address is another's by now, whose number is the same: of another scheduler. */
	if (life && life->job == event->raw.job && life->ring == ring &&
	    life->entity != event->raw.entity)
		drm->rings[ring].is_two = true;
	if (is_new || !life || life->job != event->raw.job || life->ring != ring ||
	    life->entity != event->raw.entity) {
		life = new_life(drm, event, ring);
		if (!life)
			return LANE_DRM_NO_MEMORY;
		if ((!is_new || !name_by_arming(drm, event, life)) &&
		    (!is_new || !name_by_driver(drm, event, life)) &&
		    !name_by_number(drm, event, life))
			return LANE_DRM_NO_MEMORY;
	}
	life->known_ns = event->wire.ts_ns;
	if (!is_new)
		await_no_more(drm, life);
	drm_jobs_tell(event, life);
	event->raw.is_two = drm->rings[ring].is_two;
	return LANE_DRM_FIXED;
}

static enum lane_drm_fixed old_done(struct lane_drm *drm, struct lane_event *event)
{
	struct life *life = lane_table_get(&drm->lives, event->raw.fence, 0);

	/* Another job may have come to the address unseen. */
	if (!life || is_lossy(drm, life->known_ns, event->wire.ts_ns))
		return LANE_DRM_NOBODYS;
	drm_jobs_tell(event, life);
	event->raw.known_ns = life->known_ns;
	free_life(drm, life);
	return LANE_DRM_FIXED;
}

/* Two schedulers have this name. Where something was lost that may show later only. */
static bool is_two(const struct lane_drm *drm, uint32_t ring, bool has_lost)
{
	return drm->rings[ring].is_two ||
	       (has_lost && drm->foresight &&
		norm_foresight_is_two(drm->foresight, drm->host, drm->rings[ring].name));
}

/* A job waits before it is given to its ring (drm_sched_entity_pop_job(), sched_entity.c). */
static enum lane_drm_fixed old_dep(struct lane_drm *drm, struct lane_event *event)
{
	static const char no_dev[32];
	int ring = ring_of(drm, event->u.drm_wait.ring, no_dev);
	const struct life *life =
		ring < 0 ? NULL : lane_table_get(&drm->jobs, (uint32_t)ring, event->raw.job);

	bool has_lost = drm->has_lost || is_lossy(drm, 0, event->wire.ts_ns);

	if (ring < 0)
		return LANE_DRM_VAGUE;
	/* Of two jobs of one number one may have gone, or not have been seen. */
	if (is_two(drm, (uint32_t)ring, has_lost) && (!life || life->next || has_lost)) {
		event->u.drm.fence_context = event->u.drm.fence_seqno = 0; /* whose is not known */
		return LANE_DRM_FIXED;
	}
	if (!life)
		return LANE_DRM_NOBODYS;
	drm_jobs_tell(event, life);
	return LANE_DRM_FIXED;
}

/* The driver of a ring: what an event says; else its name, or the fence that its run_job() made. */
static void find_driver(struct lane_drm *drm, char driver[16], uint32_t ring)
{
	char *known = drm->rings[ring].driver;

	if (*driver)
		memcpy(known, driver, 16);
	if (!*known)
		strcpy(known, lane_drm_driver_of_ring(drm->rings[ring].name)->name);
	memcpy(driver, known, 16);
}

/* The field without which a job's event of its generation says nothing; NULL: all are there. The
 * device is none of them: what an older kernel has said, and is read again, has no name of it. */
static const char *missing_of_job(const struct lane_event *event)
{
	const struct lane_p_drm_sched_job_queue *job = &event->u.drm_sched_job_queue;

	if (!*job->name)
		return "name";
	if (job->fence_context || !(event->raw.entity || event->raw.fence || event->raw.job))
		return !job->fence_context			? "fence_context"
		       : job->fence_seqno == LANE_SEQNO_UNKNOWN ? "fence_seqno"
								: NULL;
	return !event->raw.entity  ? "entity"
	       : !event->raw.fence ? "fence"
	       : !event->raw.job   ? "id"
				   : NULL;
}

static const char *missing_of_dep(const struct lane_event *event)
{
	const struct lane_p_drm_sched_job_add_dep *dep = &event->u.drm_sched_job_add_dep;
	bool is_old = event->wire.kind == LANE_DRM_ADD_DEP && !dep->fence_context &&
		      (event->raw.job || event->raw.fence);

	if (!dep->ctx)
		return "ctx";
	if (dep->seqno == LANE_SEQNO_UNKNOWN)
		return "seqno";
	if (is_old)
		return !event->raw.job ? "id" : !*event->u.drm_wait.ring ? "name" : NULL;
	if (event->wire.kind == LANE_DRM_ADD_DEP && !dep->fence_context && !dep->fence_seqno)
		return NULL; /* as old_dep() leaves it */
	return !dep->fence_context			? "fence_context"
	       : dep->fence_seqno == LANE_SEQNO_UNKNOWN ? "fence_seqno"
							: NULL;
}

static const char *missing_of(const struct lane_event *event)
{
	switch (event->wire.kind) {
	case LANE_DRM_QUEUE:
	case LANE_DRM_RUN:
		return missing_of_job(event);
	case LANE_DRM_ADD_DEP:
	case LANE_DRM_UNSCHEDULABLE:
		return missing_of_dep(event);
	default:
		break;
	}
	if (event->raw.fence && !event->u.drm.fence_context)
		return NULL;
	return !event->u.drm.fence_context			? "fence_context"
	       : event->u.drm.fence_seqno == LANE_SEQNO_UNKNOWN ? "fence_seqno"
								: NULL;
}

enum lane_drm_fixed norm_drm_event(struct lane_drm *drm, struct lane_event *event,
				   const char **field)
{
	struct lane_p_drm_sched_job_queue *job = &event->u.drm_sched_job_queue;
	uint32_t kind = event->wire.kind;
	struct thread *thread;
	int ring;

	*field = missing_of(event);
	if (*field)
		return LANE_DRM_REFUSED;
	if (kind == LANE_DRM_ADD_DEP && !event->u.drm.fence_context && event->raw.job)
		return old_dep(drm, event);
	if (kind == LANE_DRM_DONE && !event->u.drm.fence_context)
		return old_done(drm, event);
	if (kind != LANE_DRM_QUEUE && kind != LANE_DRM_RUN)
		return LANE_DRM_FIXED;
	ring = ring_of(drm, job->name, job->dev);
	if (ring < 0)
		return LANE_DRM_VAGUE;
	find_driver(drm, job->driver, (uint32_t)ring);
	thread = thread_of(drm, event->wire.tid, kind == LANE_DRM_RUN);
	if (thread)
		thread->running = kind == LANE_DRM_RUN ? (uint32_t)ring + 1 : 0;
	drm->rings[ring].runs += kind == LANE_DRM_RUN && drm->rings[ring].runs < 2;
	return event->u.drm.fence_context ? LANE_DRM_FIXED : old_job(drm, event, (uint32_t)ring);
}

/* One more fence of drm_sched's own: two of them, one behind the other, are those of a job. */
static void drm_jobs_arm(struct thread *thread, const struct lane_event *event)
{
	const struct lane_p_dma_fence_init *init = &event->u.dma_fence_init;
	struct armed *last;

	/*
	 * Who arms again has pushed all that it had armed: a job is armed and pushed under one lock
	 * (drm_sched_entity_push_job(), sched_entity.c). What is left is of pushes that nothing
	 * named.
	 */
	if (thread->has_pushed) {
		thread->n = 0;
		thread->is_whole = true;
		thread->since_ns = thread->pushed_ns;
	}
	thread->has_pushed = false;
	last = thread->n ? &thread->armed[thread->n - 1] : NULL;
	if (last && !last->is_whole && last->context + 1 == init->context &&
	    last->seqno == init->seqno && !memcmp(last->timeline, init->timeline, 32)) {
		last->context++;
		last->is_whole = true;
		return;
	}
	if (thread->n == ARMED || (last && !last->is_whole))
		forget_armed(thread, thread->n == ARMED ? 0 : thread->n - 1);
	last = &thread->armed[thread->n++];
	*last = (struct armed){ .context = init->context,
				.seqno = init->seqno,
				.at_ns = event->wire.ts_ns,
				.is_narrow = event->raw.narrow };
	memcpy(last->timeline, init->timeline, 32);
}

/*
 * Whoever makes a fence while the ring's first job is given to it is its driver. If the first fence
 * is made at a later job, the ring's driver makes none there (xe): an interrupt on top of the
 * worker may have made it for another driver. So it counts when that driver makes a second one.
 */
static void see_maker(struct ring *ring, const char driver[32])
{
	if (*ring->driver || !*driver || strnlen(driver, 32) >= sizeof(ring->maker))
		return;
	if (ring->runs < 2 || !strcmp(ring->maker, driver))
		strcpy(ring->driver, driver);
	strcpy(ring->maker, driver);
}

void norm_drm_fence(struct lane_drm *drm, const struct lane_event *event)
{
	const struct lane_p_dma_fence_init *init = &event->u.dma_fence_init;
	bool is_jobs = !strcmp(init->driver, "drm_sched");
	struct thread *thread = thread_of(drm, event->wire.tid, is_jobs);

	if (!thread)
		return;
	if (is_jobs)
		drm_jobs_arm(thread, event);
	else if (thread->running)
		see_maker(&drm->rings[thread->running - 1], init->driver);
}

void norm_drm_signal(struct lane_drm *drm, const struct lane_event *event)
{
	struct thread *thread = thread_of(drm, event->wire.tid, false);

	if (thread)
		thread->running = 0;
}

void norm_drm_named(struct lane_drm *drm, const struct lane_event *event)
{
	const struct lane_p_amdgpu_cs_ioctl *job = &event->u.amdgpu_cs_ioctl; /* lima's is alike */
	struct thread *thread = job->job ? thread_of(drm, event->wire.tid, true) : NULL;

	if (!thread)
		return;
	thread->named = (struct named){ .job = job->job,
					.context = job->context,
					.seqno = job->seqno,
					.at_ns = event->wire.ts_ns };
	memcpy(thread->named.ring, job->ring, 32);
}

void norm_drm_lost(struct lane_drm *drm)
{
	drm->has_lost = true;
	/* What was armed may have been pushed, unseen: who comes next is another one. */
	lane_table_free(&drm->threads);
	lane_pool_free(&drm->thread_pool);
	drm->thread_pool = (struct lane_pool){ .size = sizeof(struct thread) };
	drm->n_threads = 0;
	lane_table_free(&drm->entities);
	lane_pool_free(&drm->entity_pool);
	drm->entity_pool = (struct lane_pool){ .size = sizeof(struct entity) };
	drm->n_entities = 0;
}
