/* SPDX-License-Identifier: MIT */
/* Entities and jobs: Linux 6.1, 6.12 and 6.17, drivers/gpu/drm/scheduler/sched_entity.c,
 * sched_main.c. */
#include "sched.h"

/* -- Fences' memory: a slab, the last freed comes first -- */

enum {
	FENCE_SIZE = 192,
	FINISHED_OFFSET = 64,
	MAX_FREE = 512
};

static uint64_t free_addresses[MAX_FREE], next_address = 0xffff888104a00000;
static unsigned n_free;

static uint64_t address_take(void)
{
	uint64_t address = next_address;

	if (n_free)
		return free_addresses[--n_free];
	next_address += FENCE_SIZE;
	return address;
}

/* drm_sched_fence_free_rcu() */
static void address_free(void *arg)
{
	struct sched_fence *s_fence = arg;

	if (n_free < MAX_FREE)
		free_addresses[n_free++] = s_fence->address;
}

/* drm_sched_fence_release_scheduled() */
static void release_scheduled(struct fence *fence)
{
	struct sched_fence *s_fence = fence->owner;

	fence_put(s_fence->parent);
	at(machine.now + between(2000, 60000), address_free, s_fence); /* call_rcu() */
}

/* drm_sched_fence_release_finished() */
static void release_finished(struct fence *fence)
{
	fence_put(&fence->owner->scheduled);
}

static const struct fence_ops scheduled_ops = { .release = release_scheduled };
static const struct fence_ops finished_ops = { .release = release_finished };

/* -- Jobs -- */

static struct workqueue system_queue;

/* drm_sched_job_init() */
void job_init(struct job *job, struct entity *entity, unsigned credits)
{
	job->entity = entity;
	job->credits = credits;
	job->s_fence = allocate(sizeof(*job->s_fence));
	job->s_fence->job = job;
	job->s_fence->address = address_take();
	list_init(&job->pending_link);
	list_init(&job->queued_link);
	list_init(&job->hw_link);
	list_init(&job->cb.link);
	job->run_event = job->done_event = job->queue_event = job->popped = NEVER;
}

/* drm_sched_job_add_dependency(): of one context only the latest fence */
void job_add_dependency(struct job *job, struct fence *fence)
{
	struct dependency *dependency;

	for (unsigned i = 0; i < job->n_dependencies; i++) {
		dependency = &job->dependencies[i];
		if (dependency->context != fence->context)
			continue;
		if (fence->seqno > dependency->seqno) {
			fence_put(dependency->fence);
			dependency->fence = dependency->awaited = fence_get(fence);
			dependency->seqno = fence->seqno;
		}
		return;
	}
	if (job->n_dependencies == MAX_DEPENDENCIES)
		return;
	dependency = &job->dependencies[job->n_dependencies++];
	*dependency = (struct dependency){ .fence = fence_get(fence),
					   .awaited = fence,
					   .context = fence->context,
					   .seqno = fence->seqno,
					   .has_reference = true };
}

/* drm_sched_pick_best() */
static struct sched *pick_best(struct sched **choice, unsigned n)
{
	struct sched *best = choice[0];

	for (unsigned i = 1; i < n; i++)
		if (choice[i]->score < best->score)
			best = choice[i];
	return best;
}

/* drm_sched_entity_select_rq() */
static void select_rq(struct entity *entity)
{
	struct runqueue *rq;

	if (entity->n_choice < 2 || entity->n_jobs)
		return;
	if (entity->last_scheduled && !fence_is_signalled(entity->last_scheduled))
		return;
	spin_lock(&entity->lock);
	rq = &pick_best(entity->choice, entity->n_choice)->rq[world.is_fair ? 0 : entity->priority];
	if (rq != entity->rq) {
		rq_remove_entity(entity->rq, entity);
		entity->rq = rq;
	}
	spin_unlock(&entity->lock);
}

/* drm_sched_job_arm(), drm_sched_fence_init(): the two fences' contexts follow each other */
void job_arm(struct job *job)
{
	struct entity *entity = job->entity;
	struct sched_fence *s_fence = job->s_fence;
	struct sched *sched;
	uint64_t seqno;

	select_rq(entity);
	sched = entity->rq->sched;
	job->sched = sched;
	job->id = ++sched->last_id;
	s_fence->sched = sched;
	seqno = ++entity->next_seqno;
	s_fence->scheduled.owner = s_fence->finished.owner = s_fence;
	s_fence->scheduled.address = s_fence->address;
	s_fence->finished.address = s_fence->address + FINISHED_OFFSET;
	fence_init(&s_fence->scheduled, &scheduled_ops, &s_fence->lock, entity->fence_context,
		   seqno, "drm_sched", sched->name);
	fence_init(&s_fence->finished, &finished_ops, &s_fence->lock, entity->fence_context + 1,
		   seqno, "drm_sched", sched->name);
}

/* drm_sched_entity_push_job() */
void job_push(struct job *job)
{
	struct entity *entity = job->entity;
	struct sched *sched = entity->rq->sched;
	struct fence *finished = &job->s_fence->finished;
	uint64_t submitted;
	bool is_first;

	if (world.kernel >= LINUX_6_17) {
		job->queue_event =
			trace("gpu_scheduler:drm_sched_job_queue",
			      "dev=%s, fence=%llu:%llu, ring=%s, job count:%u, hw job count:%u, "
			      "client_id:%llu",
			      sched->dev, (unsigned long long)finished->context,
			      (unsigned long long)finished->seqno, sched->name, entity->n_jobs,
			      sched->credits, (unsigned long long)job->client);
		for (unsigned i = 0; i < job->n_dependencies; i++)
			trace("gpu_scheduler:drm_sched_job_add_dep",
			      "fence=%llu:%llu depends on fence=%llu:%llu",
			      (unsigned long long)finished->context,
			      (unsigned long long)finished->seqno,
			      (unsigned long long)job->dependencies[i].context,
			      (unsigned long long)job->dependencies[i].seqno);
	} else {
		job->queue_event =
			trace("gpu_scheduler:drm_sched_job",
			      "entity=%%%llx, id=%llu, fence=%%%llx, ring=%s, job count:%u, hw job "
			      "count:%u",
			      (unsigned long long)entity->address, (unsigned long long)job->id,
			      (unsigned long long)finished->address, sched->name, entity->n_jobs,
			      sched->credits);
	}
	sched->score++;
	spend(between(10, 80));
	job->submitted = submitted = machine.now;
	is_first = list_empty(&entity->jobs); /* spsc_queue_push() */
	list_insert(&job->queued_link, &entity->jobs);
	entity->n_jobs++;
	if (!is_first)
		return;
	spin_lock(&entity->lock);
	if (entity->is_stopped) {
		spin_unlock(&entity->lock);
		return;
	}
	rq_add_entity(entity->rq, entity);
	if (world.is_fair)
		rq_join_fair(entity);
	else if (world.is_fifo)
		rq_update_fifo(entity, submitted);
	spin_unlock(&entity->lock);
	spend(between(10, 100));
	sched_wakeup(sched);
}

/* drm_sched_job_cleanup() in the driver's free_job() */
void job_free(struct job *job)
{
	if (job->is_freed)
		broken("a job is freed twice");
	job->is_freed = true;
	spend(between(50, 400));
	for (unsigned i = 0; i < job->n_dependencies; i++) {
		if (job->dependencies[i].has_reference)
			fence_put(job->dependencies[i].fence);
		job->dependencies[i].has_reference = false;
	}
	fence_put(job->hw_fence);
	fence_put(&job->s_fence->finished);
	world.jobs_left--;
}

/* -- Entities -- */

/* drm_sched_entity_init() */
void entity_init(struct entity *entity, struct sched **choice, unsigned n, unsigned priority)
{
	static uint64_t address = 0xffff88810b000000;

	entity->address = address += 0x400;
	entity->choice = choice;
	entity->n_choice = n;
	entity->priority = priority;
	entity->rq = &choice[0]->rq[world.is_fair ? 0 : priority];
	list_init(&entity->link);
	list_init(&entity->jobs);
	mutex_init(&entity->submission);
	waiters_init(&entity->idle_waiters);
	entity->is_idle = true;
	entity->fence_context = contexts_allocate(2);
}

/* drm_sched_entity_is_ready() */
bool entity_is_ready(const struct entity *entity)
{
	return !list_empty(&entity->jobs) && !entity->dependency;
}

/* drm_sched_entity_wakeup() */
static void dependency_over(struct fence *fence, struct fence_cb *cb)
{
	struct entity *entity = container(cb, struct entity, cb);

	entity->dependency = NULL;
	fence_put(fence);
	sched_wakeup(entity->rq->sched);
}

static void trace_unschedulable(const struct job *job, uint64_t context, uint64_t seqno)
{
	if (world.kernel >= LINUX_6_17)
		trace("gpu_scheduler:drm_sched_job_unschedulable",
		      "fence=%llu:%llu depends on unsignalled fence=%llu:%llu",
		      (unsigned long long)job->s_fence->finished.context,
		      (unsigned long long)job->s_fence->finished.seqno, (unsigned long long)context,
		      (unsigned long long)seqno);
}

/* drm_sched_entity_add_dependency_cb(): a fence of the same scheduler is awaited until its job is
 * scheduled, not until it is finished. The event of 6.17 then names the scheduled fence. 6.17
 * itself records it when the callback has been added, so that the fence may be signalled before
 * ("Fix racy access to drm_sched_entity.dependency" puts it in front). */
static bool await_dependency(struct entity *entity, struct job *job, struct dependency *dependency)
{
	struct fence *fence = entity->dependency;
	uint64_t context, seqno;

	if (fence->context == entity->fence_context ||
	    fence->context == entity->fence_context + 1) {
		dependency->how = BY_NOTHING;
		fence_put(fence);
		return false;
	}
	if (fence->owner && fence->owner->sched == entity->rq->sched &&
	    !(world.kernel >= LINUX_6_12 && fence->error)) {
		struct fence *scheduled = fence_get(&fence->owner->scheduled);

		fence_put(fence);
		fence = entity->dependency = scheduled;
		dependency->how = BY_SCHEDULED;
		dependency->awaited = scheduled;
	}
	spend(between(5, 60));
	context = fence->context;
	seqno = fence->seqno;
	if (!world.is_event_late && !fence->is_signalled)
		trace_unschedulable(job, context, seqno);
	if (fence_add_callback(fence, &entity->cb, dependency_over)) {
		spend(between(5, 40));
		if (world.is_event_late && entity->dependency)
			trace_unschedulable(job, context, seqno);
		return true;
	}
	fence_put(fence);
	return false;
}

/* drm_sched_entity_pop_job(). Up to 6.12 each dependency has its event here, before it is looked
 * whether anything must be awaited. */
struct job *entity_pop_job(struct entity *entity)
{
	struct job *job;

	if (list_empty(&entity->jobs))
		return NULL;
	job = container(entity->jobs.next, struct job, queued_link);
	spend(between(20, 100));
	/* drm_sched_job_dependency() */
	while (job->next_dependency < job->n_dependencies) {
		struct dependency *dependency = &job->dependencies[job->next_dependency++];

		if (world.kernel == LINUX_6_1)
			dependency->has_reference = false; /* xa_erase() */
		else
			fence_get(dependency->fence);
		entity->dependency = dependency->fence;
		if (world.kernel < LINUX_6_17)
			trace("gpu_scheduler:drm_sched_job_wait_dep",
			      "job ring=%s, id=%llu, depends fence=%%%llx, context=%llu, seq=%u",
			      job->sched->name, (unsigned long long)job->id,
			      (unsigned long long)dependency->fence->address,
			      (unsigned long long)dependency->context, (unsigned)dependency->seqno);
		if (await_dependency(entity, job, dependency))
			return NULL;
	}
	entity->dependency = NULL;
	if (entity->has_guilty && entity->is_guilty)
		fence_set_error(&job->s_fence->finished, -125);
	fence_put(entity->last_scheduled);
	entity->last_scheduled = fence_get(&job->s_fence->finished);
	list_remove(&job->queued_link);
	entity->n_jobs--;
	if (world.is_fair) {
		rq_pop_fair(entity);
	} else if (world.is_fifo && !list_empty(&entity->jobs)) {
		spin_lock(&entity->lock);
		rq_update_fifo(entity,
			       container(entity->jobs.next, struct job, queued_link)->submitted);
		spin_unlock(&entity->lock);
	}
	return job;
}

/* -- Killing -- */

static void kill_job_cb(struct fence *fence, struct fence_cb *cb);

/* drm_sched_entity_kill_jobs_work(): no event of the scheduler's tells that such a job is over. */
static void kill_job_work(void *arg)
{
	struct job *job = arg;

	for (unsigned i = 0; i < job->n_dependencies; i++) {
		struct dependency *dependency = &job->dependencies[i];
		struct fence *fence = dependency->fence;

		if (!dependency->has_reference)
			continue;
		dependency->has_reference = false;
		if (fence->owner && fence == &fence->owner->scheduled) {
			struct fence *finished = &fence->owner->finished;

			finished = finished->references ? fence_get(finished) : NULL;
			fence_put(fence);
			fence = finished;
			if (!fence)
				continue;
		}
		if (fence_add_callback(fence, &job->finish_cb, kill_job_cb))
			return;
		fence_put(fence);
	}
	fence_scheduled(job->s_fence, NULL);
	fence_finished(job->s_fence, world.kernel >= LINUX_6_12 ? -3 : 0);
	job_free(job);
}

/* drm_sched_entity_kill_jobs_cb() */
static void kill_job_cb(struct fence *fence, struct fence_cb *cb)
{
	struct job *job = container(cb, struct job, finish_cb);

	fence_put(fence);
	work_init(&job->kill_work, &system_queue, kill_job_work, job);
	work_queue(&job->kill_work);
}

/* 6.1: drm_sched_entity_kill_jobs(): who closes the entity waits for the dependencies, and each job
 * for the last one that was run. */
static void kill_job_6_1(struct entity *entity, struct job *job)
{
	while (job->next_dependency < job->n_dependencies) {
		struct dependency *dependency = &job->dependencies[job->next_dependency++];

		fence_wait(dependency->fence, FOREVER, 'D');
		dependency->has_reference = false;
		fence_put(dependency->fence);
	}
	fence_scheduled(job->s_fence, NULL);
	fence_set_error(&job->s_fence->finished, -3);
	fence_get(entity->last_scheduled);
	if (!entity->last_scheduled ||
	    !fence_add_callback(entity->last_scheduled, &job->finish_cb, kill_job_cb)) {
		fence_put(entity->last_scheduled);
		kill_job_cb(NULL, &job->finish_cb);
	}
}

/* Linux 6.12: drm_sched_entity_kill() */
static void entity_kill(struct entity *entity)
{
	struct fence *previous;

	spin_lock(&entity->lock);
	entity->is_stopped = true;
	rq_remove_entity(entity->rq, entity);
	spin_unlock(&entity->lock);
	while (!entity->is_idle)
		wait_once(&entity->idle_waiters, 'D', FOREVER, 800);
	previous = fence_get(entity->last_scheduled);
	while (!list_empty(&entity->jobs)) {
		struct job *job = container(entity->jobs.next, struct job, queued_link);

		list_remove(&job->queued_link);
		entity->n_jobs--;
		job->is_killed = true;
		if (world.kernel == LINUX_6_1) {
			kill_job_6_1(entity, job);
			continue;
		}
		fence_get(&job->s_fence->finished);
		if (!previous || !fence_add_callback(previous, &job->finish_cb, kill_job_cb)) {
			fence_put(previous);
			kill_job_cb(NULL, &job->finish_cb);
		}
		previous = &job->s_fence->finished;
	}
	fence_put(previous);
}

/* drm_sched_entity_flush(), drm_sched_entity_fini() */
void entity_destroy(struct entity *entity, bool is_sigkill)
{
	uint64_t until;

	if (machine.watcher && entity->ring) {
		xe_queue_close(entity, is_sigkill);
		return;
	}
	until = machine.now + between(5000, 40000);
	/* wait_event_timeout(), wait_event_killable() */
	while (entity->n_jobs && !list_empty(&entity->link) && (!is_sigkill || machine.now < until))
		wait_once(&entity->rq->sched->job_scheduled, 'D', is_sigkill ? until : FOREVER,
			  2000);
	entity_kill(entity);
	if (entity->dependency && fence_remove_callback(entity->dependency, &entity->cb)) {
		fence_put(entity->dependency);
		entity->dependency = NULL;
	}
	fence_put(entity->last_scheduled);
	entity->last_scheduled = NULL;
}
