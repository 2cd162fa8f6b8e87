/* SPDX-License-Identifier: MIT */
/*
 * The scheduler proper: Linux 6.1 and 6.12, drivers/gpu/drm/scheduler/sched_main.c and
 * sched_fence.c. 6.17 differs from 6.12 in the events only, as far as they can tell.
 */
#include "sched.h"

#include <stdlib.h>

/* -- sched_fence.c -- */

/* drm_sched_fence_scheduled(): 6.12 sets the parent here, 6.1 behind the signal. */
void fence_scheduled(struct sched_fence *s_fence, struct fence *parent)
{
	if (world.kernel >= LINUX_6_12 && parent)
		s_fence->parent = fence_get(parent);
	fence_signal(&s_fence->scheduled);
}

/* drm_sched_fence_finished() */
void fence_finished(struct sched_fence *s_fence, int result)
{
	if (result)
		fence_set_error(&s_fence->finished, result);
	fence_signal(&s_fence->finished);
}

/* -- Run queues -- */

/* drm_sched_rq_add_entity() */
void rq_add_entity(struct runqueue *rq, struct entity *entity)
{
	if (!list_empty(&entity->link))
		return;
	spin_lock(&rq->lock);
	rq->sched->score++;
	list_insert(&entity->link, &rq->entities);
	spin_unlock(&rq->lock);
}

/* drm_sched_rq_remove_entity() */
void rq_remove_entity(struct runqueue *rq, struct entity *entity)
{
	if (list_empty(&entity->link))
		return;
	spin_lock(&rq->lock);
	rq->sched->score--;
	list_remove(&entity->link);
	if (rq->current == entity)
		rq->current = NULL;
	entity->is_in_tree = false;
	spin_unlock(&rq->lock);
}

/* drm_sched_rq_update_fifo() */
void rq_update_fifo(struct entity *entity, uint64_t submitted)
{
	spin_lock(&entity->rq->lock);
	entity->order = (int64_t)submitted;
	entity->is_in_tree = true;
	spin_unlock(&entity->rq->lock);
}

/* The first of the tree; NULL: it is empty. */
static struct entity *first_of(const struct runqueue *rq)
{
	struct entity *first = NULL;

	each_link(it, &rq->entities)
	{
		struct entity *entity = container(it, struct entity, link);

		if (entity->is_in_tree && (!first || entity->order < first->order))
			first = entity;
	}
	return first;
}

/* drm_sched_entity_update_vruntime(): kernel, high, normal, low */
static const unsigned shift[N_PRIORITIES] = { 1, 2, 4, 7 };

/* drm_sched_rq_add_entity() under FAIR, drm_sched_entity_restore_vruntime() */
void rq_join_fair(struct entity *entity)
{
	struct sched *sched = entity->rq->sched;
	const struct entity *head;

	spin_lock(&entity->rq->lock);
	entity->is_in_tree = false;
	head = first_of(entity->rq);
	if (!entity->vruntime && head) {
		if (entity->priority > head->priority)
			entity->vruntime =
				(int64_t)((1 + entity->average_us + sched->average_us) * 1000
					  << shift[entity->priority]);
		else if (entity->priority < head->priority)
			entity->vruntime = -1000 * (int64_t)(head->priority - entity->priority);
		else
			entity->vruntime = entity->average_us <= sched->average_us ? -1 : 1;
	}
	if (head)
		entity->vruntime += head->vruntime;
	entity->order = entity->vruntime;
	entity->is_in_tree = true;
	spin_unlock(&entity->rq->lock);
}

/* drm_sched_rq_pop_entity() under FAIR, drm_sched_entity_save_vruntime() */
void rq_pop_fair(struct entity *entity)
{
	const struct entity *head;

	spin_lock(&entity->rq->lock);
	entity->vruntime +=
		(int64_t)((entity->runtime - entity->runtime_before) << shift[entity->priority]);
	entity->runtime_before = entity->runtime;
	entity->order = entity->vruntime;
	if (list_empty(&entity->jobs)) {
		entity->is_in_tree = false;
		head = first_of(entity->rq);
		entity->vruntime = head && head->vruntime && entity->vruntime > head->vruntime
					   ? entity->vruntime - head->vruntime
					   : 0;
	}
	spin_unlock(&entity->rq->lock);
}

/* drm_sched_entity_stats_job_add_gpu_time(): EWMA of weight 4 */
void fair_add_time(struct sched *sched, const struct job *job)
{
	const struct sched_fence *fence = job->s_fence;
	uint64_t ns, us;

	if (!fence->scheduled.is_signalled || job->is_killed)
		return;
	ns = fence->finished.signalled_at - fence->scheduled.signalled_at;
	us = ns / 1000;
	job->entity->runtime += ns;
	job->entity->average_us =
		job->entity->average_us ? (3 * job->entity->average_us + us) / 4 : us;
	sched->average_us = sched->average_us ? (3 * sched->average_us + us) / 4 : us;
}

/* drm_sched_ready() of 6.1, drm_sched_can_queue() of 6.12 */
static bool can_queue(const struct sched *sched, const struct entity *entity)
{
	if (list_empty(&entity->jobs))
		return false;
	return sched->credits + container(entity->jobs.next, struct job, queued_link)->credits <=
	       sched->credit_limit;
}

/* What an entity that is ready becomes: chosen, or (6.12) the run queue's search ends without one:
 * -ENOSPC. */
static struct entity *choose(struct runqueue *rq, struct entity *entity, bool *is_full)
{
	if (world.kernel >= LINUX_6_12 && !can_queue(rq->sched, entity)) {
		*is_full = true;
		return NULL;
	}
	rq->current = entity;
	entity->is_idle = false; /* reinit_completion() */
	return entity;
}

/* drm_sched_rq_select_entity_rr() */
static struct entity *select_rr(struct runqueue *rq, bool *is_full)
{
	struct link *it;

	if (rq->current) {
		for (it = rq->current->link.next; it != &rq->entities; it = it->next) {
			struct entity *entity = container(it, struct entity, link);

			if (entity_is_ready(entity))
				return choose(rq, entity, is_full);
		}
	}
	each_link(one, &rq->entities)
	{
		struct entity *entity = container(one, struct entity, link);

		if (entity_is_ready(entity))
			return choose(rq, entity, is_full);
		if (entity == rq->current)
			break;
	}
	return NULL;
}

/* drm_sched_rq_select_entity_fifo(): the tree is sorted by when the oldest job was pushed; under
 * FAIR by vruntime. */
static struct entity *select_fifo(struct runqueue *rq, bool *is_full)
{
	struct entity *oldest = NULL;

	each_link(it, &rq->entities)
	{
		struct entity *entity = container(it, struct entity, link);

		if (entity->is_in_tree && entity_is_ready(entity) &&
		    (!oldest || entity->order < oldest->order))
			oldest = entity;
	}
	return oldest ? choose(rq, oldest, is_full) : NULL;
}

/* drm_sched_select_entity() */
static struct entity *select_entity(struct sched *sched)
{
	struct entity *entity = NULL;
	bool is_full = false;

	if (world.kernel == LINUX_6_1 && sched->credits >= sched->credit_limit)
		return NULL;
	for (int i = 0; i < N_PRIORITIES && !entity && !is_full; i++) {
		struct runqueue *rq = &sched->rq[i];

		spin_lock(&rq->lock);
		spend(between(20, 150));
		entity = world.is_fifo ? select_fifo(rq, &is_full) : select_rr(rq, &is_full);
		spin_unlock(&rq->lock);
	}
	return entity;
}

/* -- Waking the scheduler -- */

/* drm_sched_run_job_queue() of 6.12 */
static void queue_run(struct sched *sched)
{
	if (!sched->is_paused)
		work_queue(&sched->run_work);
}

/* __drm_sched_run_free_queue() of 6.12 */
static void queue_free(struct sched *sched)
{
	if (!sched->is_paused)
		work_queue(&sched->free_work);
}

/* drm_sched_wakeup() */
void sched_wakeup(struct sched *sched)
{
	if (world.kernel >= LINUX_6_12)
		queue_run(sched);
	else if (sched->credits < sched->credit_limit)
		wake(sched->thread);
}

/* -- The timeout -- */

/* drm_sched_start_timeout(): queue_delayed_work() in 6.1, mod_delayed_work() in 6.12. */
static void start_timeout(struct sched *sched)
{
	if (sched->timeout == FOREVER || list_empty(&sched->pending))
		return;
	if (!sched->timeout) {
		work_queue(&sched->tdr_work);
		return;
	}
	if (world.kernel == LINUX_6_1 &&
	    (sched->tdr_timer.is_pending || sched->tdr_work.is_pending))
		return;
	timer_set(&sched->tdr_timer, sched->timeout);
}

/* drm_sched_tdr_queue_imm(): from now on every job's time is over at once. */
void sched_queue_tdr(struct sched *sched)
{
	spin_lock_irq(&sched->list_lock);
	sched->timeout = 0;
	start_timeout(sched);
	spin_unlock_irq(&sched->list_lock);
}

static void cancel_timeout(struct sched *sched)
{
	timer_cancel(&sched->tdr_timer);
	work_cancel(&sched->tdr_work);
}

static void tdr_expired(void *arg)
{
	struct sched *sched = arg;

	work_queue(&sched->tdr_work);
}

/* drm_sched_job_begin() */
static void job_begin(struct job *job)
{
	struct sched *sched = job->sched;

	spin_lock_irq(&sched->list_lock);
	list_insert(&job->pending_link, &sched->pending);
	start_timeout(sched);
	spin_unlock_irq(&sched->list_lock);
}

/* drm_sched_job_timedout() */
static void job_timedout(void *arg)
{
	struct sched *sched = arg;
	struct job *job = NULL;

	spin_lock_irq(&sched->list_lock);
	if (!list_empty(&sched->pending)) {
		job = container(sched->pending.next, struct job, pending_link);
		list_remove(&job->pending_link);
	}
	spin_unlock_irq(&sched->list_lock);
	if (job) {
		sched->driver->timedout_job(job);
		if (sched->free_guilty) {
			job_free(job);
			sched->free_guilty = false;
		}
	}
	spin_lock_irq(&sched->list_lock);
	start_timeout(sched);
	spin_unlock_irq(&sched->list_lock);
}

/* -- Jobs -- */

/* drm_sched_job_done() */
static void job_done(struct job *job, int result)
{
	struct sched_fence *s_fence = job->s_fence;
	struct sched *sched = s_fence->sched;

	sched->credits -= job->credits;
	sched->score--;
	if (world.kernel >= LINUX_6_17)
		job->done_event =
			trace("gpu_scheduler:drm_sched_job_done", "fence=%llu:%llu signaled",
			      (unsigned long long)s_fence->finished.context,
			      (unsigned long long)s_fence->finished.seqno);
	else
		job->done_event =
			trace("gpu_scheduler:drm_sched_process_job", "fence=%%%llx signaled",
			      (unsigned long long)s_fence->finished.address);
	fence_get(&s_fence->finished);
	fence_finished(s_fence, world.kernel >= LINUX_6_12 ? result : 0);
	fence_put(&s_fence->finished);
	if (world.kernel >= LINUX_6_12)
		queue_free(sched);
	else
		wake(sched->thread);
}

/* drm_sched_job_done_cb() */
static void job_done_cb(struct fence *fence, struct fence_cb *cb)
{
	job_done(container(cb, struct job, cb), fence->error);
}

/* drm_sched_get_cleanup_job(), drm_sched_get_finished_job() */
static struct job *finished_job(struct sched *sched)
{
	struct job *job = NULL;

	spin_lock_irq(&sched->list_lock);
	if (!list_empty(&sched->pending)) {
		job = container(sched->pending.next, struct job, pending_link);
		if (job->s_fence->finished.is_signalled) {
			list_remove(&job->pending_link);
			cancel_timeout(sched);
			start_timeout(sched);
		} else {
			job = NULL;
		}
	}
	spin_unlock_irq(&sched->list_lock);
	return job;
}

static void remember_run(struct sched *sched, struct job *job)
{
	if (sched->n_ran == sched->room_ran) {
		sched->room_ran = sched->room_ran ? sched->room_ran * 2 : 64;
		sched->ran = realloc(sched->ran, sched->room_ran * sizeof(struct job *));
		if (!sched->ran)
			abort();
	}
	sched->ran[sched->n_ran++] = job;
}

/* complete_all(&entity->entity_idle) */
static void entity_idle(struct entity *entity)
{
	entity->is_idle = true;
	wake_all(&entity->idle_waiters);
}

/* drm_sched_main() behind its wait, drm_sched_run_job_work(). The event comes before the driver is
 * asked to run the job. */
static bool run_next(struct sched *sched, struct entity *entity)
{
	struct job *job = entity_pop_job(entity);
	struct sched_fence *s_fence;
	struct fence *fence;

	if (!job) {
		entity_idle(entity);
		return false;
	}
	job->popped = machine.now;
	s_fence = job->s_fence;
	sched->credits += job->credits;
	job->credits_at_run = sched->credits;
	if (sched->credits > sched->credit_limit)
		broken("more credits than the ring %s has", sched->name);
	job_begin(job);
	if (world.kernel >= LINUX_6_17)
		job->run_event =
			trace("gpu_scheduler:drm_sched_job_run",
			      "dev=%s, fence=%llu:%llu, ring=%s, job count:%u, hw job count:%u, "
			      "client_id:%llu",
			      sched->dev, (unsigned long long)s_fence->finished.context,
			      (unsigned long long)s_fence->finished.seqno, sched->name,
			      entity->n_jobs, sched->credits, (unsigned long long)job->client);
	else
		job->run_event =
			trace("gpu_scheduler:drm_run_job",
			      "entity=%%%llx, id=%llu, fence=%%%llx, ring=%s, job count:%u, hw job "
			      "count:%u",
			      (unsigned long long)entity->address, (unsigned long long)job->id,
			      (unsigned long long)s_fence->finished.address, sched->name,
			      entity->n_jobs, sched->credits);
	remember_run(sched, job);
	world.run_cpu = current_cpu();
	fence = sched->driver->run_job(job);
	entity_idle(entity);
	spend(between(20, 200));
	fence_scheduled(s_fence, fence);
	if (fence) {
		if (world.kernel == LINUX_6_1)
			s_fence->parent = fence_get(fence);
		spend(between(10, 200));
		if (!fence_add_callback(fence, &job->cb, job_done_cb))
			job_done(job, fence->error);
		fence_put(fence);
	} else {
		job_done(job, 0);
	}
	wake_all(&sched->job_scheduled);
	return true;
}

/* -- 6.1: a thread -- */

/* drm_sched_blocked(), kernel/kthread.c:__kthread_parkme() */
static bool is_blocked(struct sched *sched)
{
	if (!sched->should_park)
		return false;
	sched->is_parked = true;
	while (sched->should_park) {
		prepare_to_sleep_in('P');
		preempt_disable();
		wake_all(&sched->parked);
		preempt_enable();
		schedule();
	}
	finish_sleep();
	sched->is_parked = false;
	return true;
}

/* drm_sched_main() */
static void sched_main(void *arg)
{
	struct sched *sched = arg;

	set_fifo(PRIORITY_FIFO_LOW);
	for (;;) {
		struct entity *entity = NULL;
		struct job *cleanup = NULL;

		for (;;) {
			prepare_to_sleep();
			cleanup = finished_job(sched);
			if (cleanup)
				break;
			if (!is_blocked(sched) && (entity = select_entity(sched)))
				break;
			schedule();
		}
		finish_sleep();
		if (cleanup)
			job_free(cleanup);
		if (entity)
			run_next(sched, entity);
	}
}

void sched_start_thread(struct sched *sched, int tid)
{
	name_thread(tid, text("%.15s", sched->name));
	sched->thread = thread_start(tid, tid, sched_main, sched);
}

/* -- 6.12: work items -- */

/* drm_sched_run_job_work() */
static void run_job_work(void *arg)
{
	struct sched *sched = arg;
	struct entity *entity;

	if (sched->is_paused)
		return;
	entity = select_entity(sched);
	if (!entity)
		return;
	run_next(sched, entity);
	queue_run(sched);
}

/* drm_sched_free_job_work() */
static void free_job_work(void *arg)
{
	struct sched *sched = arg;
	struct job *job;

	if (sched->is_paused)
		return;
	job = finished_job(sched);
	if (job && world.is_fair)
		fair_add_time(sched, job);
	if (job)
		job_free(job);
	spin_lock_irq(&sched->list_lock);
	if (!list_empty(&sched->pending) && container(sched->pending.next, struct job, pending_link)
						    ->s_fence->finished.is_signalled)
		queue_free(sched);
	spin_unlock_irq(&sched->list_lock);
	queue_run(sched);
}

void sched_init(struct sched *sched, const struct driver *driver, struct ring *ring,
		unsigned credit_limit, uint64_t timeout)
{
	sched->name = ring->name;
	sched->dev = ring->dev;
	sched->driver = driver;
	sched->ring = ring;
	sched->credit_limit = credit_limit;
	sched->timeout = timeout;
	list_init(&sched->pending);
	waiters_init(&sched->job_scheduled);
	waiters_init(&sched->parked);
	for (int i = 0; i < N_PRIORITIES; i++) {
		list_init(&sched->rq[i].entities);
		sched->rq[i].sched = sched;
	}
	sched->submit_queue.is_ordered = true;
	sched->timeout_queue.is_ordered = true;
	work_init(&sched->run_work, &sched->submit_queue, run_job_work, sched);
	work_init(&sched->free_work, &sched->submit_queue, free_job_work, sched);
	work_init(&sched->tdr_work, &sched->timeout_queue, job_timedout, sched);
	sched->tdr_timer = (struct timer){ .run = tdr_expired, .arg = sched };
}

/* -- Resets -- */

/* drm_sched_wqueue_stop() */
void wqueue_stop(struct sched *sched)
{
	sched->is_paused = true;
	work_cancel_sync(&sched->run_work);
	work_cancel_sync(&sched->free_work);
}

/* kthread_park(): wait_for_completion(&kthread->parked) */
static void park(struct sched *sched)
{
	sched->should_park = true;
	while (!sched->is_parked) {
		wake(sched->thread);
		if (!sched->is_parked || !machine.watcher)
			wait_once(&sched->parked, 'D', FOREVER, 500);
	}
}

/* drm_sched_stop() */
void sched_stop(struct sched *sched, struct job *bad)
{
	struct link *it, *before;

	if (world.kernel >= LINUX_6_12)
		wqueue_stop(sched);
	else
		park(sched);
	if (bad)
		list_insert(&bad->pending_link, sched->pending.next);
	for (it = sched->pending.prev; it != &sched->pending; it = before) {
		struct job *job = container(it, struct job, pending_link);
		struct sched_fence *s_fence = job->s_fence;

		before = it->prev;
		if (s_fence->parent && fence_remove_callback(s_fence->parent, &job->cb)) {
			fence_put(s_fence->parent);
			s_fence->parent = NULL;
			sched->credits -= job->credits;
			continue;
		}
		spin_lock_irq(&sched->list_lock);
		list_remove(&job->pending_link);
		spin_unlock_irq(&sched->list_lock);
		fence_wait(&s_fence->finished, FOREVER, 'D');
		if (job != bad)
			job_free(job);
		else
			sched->free_guilty = true;
	}
	cancel_timeout(sched);
}

/* drm_sched_resubmit_jobs(): the driver runs them again, and no event tells it. */
void sched_resubmit(struct sched *sched)
{
	uint64_t guilty = 0;

	each_link_safe(it, &sched->pending)
	{
		struct job *job = container(it, struct job, pending_link);
		struct sched_fence *s_fence = job->s_fence;
		struct fence *fence;

		if (!guilty && job->karma > HANG_LIMIT)
			guilty = s_fence->scheduled.context;
		if (guilty == s_fence->scheduled.context)
			fence_set_error(&s_fence->finished, -125);
		fence = sched->driver->run_job(job);
		s_fence->parent = fence; /* its reference goes over */
	}
}

/* Linux 6.17, drm_sched_job_reinsert_on_false_timeout(): the others, which have a hog's time to run
 * meanwhile, are left alone. */
void sched_reinsert(struct job *job)
{
	spin_lock_irq(&job->sched->list_lock);
	list_insert(&job->pending_link, job->sched->pending.next);
	spin_unlock_irq(&job->sched->list_lock);
	if (world.kernel >= LINUX_6_12)
		queue_free(job->sched);
	else
		wake(job->sched->thread);
}

/* drm_sched_start() */
void sched_start(struct sched *sched)
{
	each_link_safe(it, &sched->pending)
	{
		struct job *job = container(it, struct job, pending_link);
		struct fence *fence = job->s_fence->parent;

		sched->credits += job->credits;
		if (!fence)
			job_done(job, -125);
		else if (!fence_add_callback(fence, &job->cb, job_done_cb))
			job_done(job, fence->error);
	}
	spin_lock_irq(&sched->list_lock);
	start_timeout(sched);
	spin_unlock_irq(&sched->list_lock);
	if (world.kernel >= LINUX_6_12) {
		sched->is_paused = false;
		queue_run(sched);
		queue_free(sched);
	} else {
		sched->should_park = false;
		unpark(sched->thread);
	}
}
