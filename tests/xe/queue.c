// SPDX-License-Identifier: MIT
// The queues and the thread that is their GPU: it goes from one to the next, gives each that has
// the engine its commands' time, and naps where nobody has anything to do. What is written of times
// are the model's; they are written as soon as this thread comes to it.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "xe.h"

#define POLL_NS	 20000	/* of a semaphore that has not moved lately */
#define AWAKE_NS 100000 /* after something has happened */

static struct xe_queue *queues;
static bool running;
static uint64_t happened;

static void *gpu(void *unused);

static bool start(void)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	int status;

	if (running)
		return true;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(&thread, &attr, gpu, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	running = status == 0;
	return running;
}

struct xe_queue *xe_queue_create(struct xe_file *file, struct xe_vm *vm, uint16_t class,
				 uint32_t priority)
{
	struct xe_queue *queue = start() ? calloc(1, sizeof(*queue)) : NULL;

	if (!queue)
		return NULL;
	queue->file = file;
	queue->vm = vm;
	vm->refs++;
	vm->queues++;
	queue->class = class;
	queue->priority = priority;
	queue->slot = -1;
	queue->number = xe_engine_number();
	xe_kernel_queue(queue);
	queue->last_job = &queue->jobs;
	queue->next = queues;
	queues = queue;
	xe_truth("queue %lu pid %d class %u priority %u", queue->number, getpid(), class, priority);
	return queue;
}

static void free_jobs(struct xe_queue *queue)
{
	struct xe_job *job, *next;

	for (job = queue->jobs; job; job = next) {
		next = job->next;
		free(job);
	}
	queue->jobs = NULL;
	queue->last_job = &queue->jobs;
}

void xe_queue_kill(struct xe_queue *queue)
{
	struct xe_queue **at = &queues;

	while (*at != queue)
		at = &(*at)->next;
	*at = queue->next;
	if (queue->jobs)
		xe_truth("killed queue %lu at %lu", queue->number, xe_now());
	xe_kernel_destroy(queue);
	xe_engine_leave(queue->slot);
	free_jobs(queue);
	queue->vm->queues--;
	xe_vm_put(queue->vm);
	free(queue);
}

// In a forked child: its memory stays, it is nobody's.
void xe_queues_forget(void)
{
	queues = NULL;
	running = false;
}

void xe_queue_submit(struct xe_queue *queue, struct xe_job *job)
{
	job->seqno = ++queue->seqno;
	job->appended = xe_now();
	*queue->last_job = job;
	queue->last_job = &job->next;
	xe_truth("exec queue %lu seqno %lu at %lu tid %d", queue->number, job->seqno, job->appended,
		 gettid());
	xe_kernel_exec(queue, job);
	happened = job->appended;
}

// A fence of the kernel's, or a word that the GPU writes.
static void signal_job(struct xe_queue *queue, const struct xe_job *job)
{
	for (unsigned int i = 0; i < job->n_syncs; i++) {
		const struct drm_xe_sync *sync = &job->syncs[i];
		struct xe_syncobj *syncobj;

		if (!(sync->flags & DRM_XE_SYNC_FLAG_SIGNAL))
			continue;
		if (sync->type == DRM_XE_SYNC_TYPE_USER_FENCE) {
			(void)xe_vm_write(queue->vm, sync->addr, &sync->timeline_value, 8);
			continue;
		}
		syncobj = xe_table_get(&queue->file->syncobjs, sync->handle);
		if (syncobj)
			syncobj->point =
				sync->type == DRM_XE_SYNC_TYPE_SYNCOBJ ? 1 : sync->timeline_value;
	}
}

static void leave_engine(struct xe_queue *queue, uint64_t now)
{
	if (queue->on)
		xe_engine_release(queue->slot, now);
	queue->on = false;
}

void xe_queue_end_job(struct xe_queue *queue)
{
	struct xe_job *job = queue->jobs;

	signal_job(queue, job);
	xe_truth("done queue %lu seqno %lu at %lu", queue->number, job->seqno, queue->time);
	xe_kernel_done(queue, job, 0);
	queue->jobs = job->next;
	if (!queue->jobs)
		queue->last_job = &queue->jobs;
	free(job);
	queue->state = XE_IDLE;
}

// As the kernel does to a queue that caused a fault or hung: it runs no more, and all it was given
// is over.
void xe_queue_ban(struct xe_queue *queue, const char *why, int error)
{
	xe_truth("banned queue %lu at %lu: %s", queue->number, xe_now(), why);
	leave_engine(queue, xe_now());
	for (const struct xe_job *job = queue->jobs; job; job = job->next) {
		signal_job(queue, job);
		xe_kernel_done(queue, job, job == queue->jobs ? error : -ECANCELED);
	}
	free_jobs(queue);
	queue->state = XE_BANNED;
}

// --- time on the engine

static void charge(struct xe_queue *queue, uint64_t until)
{
	uint64_t ran = until > queue->resumed ? until - queue->resumed : 0;

	queue->ran_ns += ran;
	if (queue->state == XE_RUNNING && queue->run.left_ns != XE_NEVER)
		queue->run.left_ns -= ran < queue->run.left_ns ? ran : queue->run.left_ns;
	queue->resumed = until;
}

// Its time goes on from then: not from when somebody else was on the engine.
static bool take_engine(struct xe_queue *queue, uint64_t now, uint64_t *at)
{
	*at = now + POLL_NS;
	if (queue->slot < 0)
		queue->slot = xe_engine_slot(queue->class, queue->priority);
	if (queue->slot < 0 || !xe_engine_take(queue->slot, now, at))
		return false;
	queue->on = true;
	queue->time = queue->resumed = *at;
	if (queue->state == XE_RUNNING) {
		queue->run.off_ns += *at - queue->run.off_since;
		xe_truth("resumed queue %lu at %lu", queue->number, *at);
	}
	return true;
}

static void preempt(struct xe_queue *queue, uint64_t now)
{
	charge(queue, now);
	leave_engine(queue, now);
	if (queue->state == XE_RUNNING) {
		queue->run.preemptions++;
		queue->run.off_since = now;
		xe_truth("preempted queue %lu at %lu", queue->number, now);
	}
}

// What a queue does next; when to look at it again.
static uint64_t step(struct xe_queue *queue, uint64_t now)
{
	uint64_t again, slice_end;

	if (queue->state == XE_BANNED)
		return XE_NEVER;
	if (queue->state == XE_IDLE) {
		if (!queue->jobs)
			return XE_NEVER;
		queue->state = XE_READY;
		queue->ip = queue->jobs->address;
		queue->depth = 0;
		queue->submission++;
		queue->appended_min = queue->appended_max = queue->jobs->appended;
		queue->n_seen = 0;
	}
	if (queue->state == XE_WAITING) {
		if (!xe_stream_passes(queue, now))
			return queue->state == XE_BANNED ? XE_NEVER : now + POLL_NS;
		queue->state = XE_READY;
		now = xe_now(); // what was appended was seen after the old one
	}
	if (!queue->on && !take_engine(queue, now, &again))
		return again;
	if (queue->state == XE_RUNNING) {
		uint64_t end = queue->run.left_ns == XE_NEVER ? XE_NEVER
							      : queue->resumed + queue->run.left_ns;

		if (now >= end) {
			charge(queue, end);
			queue->time = end;
			queue->state = XE_READY;
			xe_stream_end_run(queue, end);
			happened = now;
		} else if (xe_engine_is_due(queue->slot, now, &slice_end)) {
			if (end == XE_NEVER)
				xe_queue_ban(queue, "it hung, and others wanted the engine",
					     -ETIME);
			else
				preempt(queue, now);
			return now;
		} else {
			return end < slice_end ? end : slice_end;
		}
	} else if (xe_engine_is_due(queue->slot, now, &slice_end)) {
		preempt(queue, now);
		return now;
	}
	again = xe_stream(queue, now);
	if (queue->on && queue->state != XE_RUNNING && queue->state != XE_READY) {
		charge(queue, queue->time);
		leave_engine(queue, queue->time);
	}
	return again;
}

static void *gpu(void *unused)
{
	prctl(PR_SET_NAME, "xe-gpu");
	prctl(PR_SET_TIMERSLACK, 1000);
	xe_lock();
	if (!xe_engines_join()) {
		xe_unlock();
		return unused;
	}
	for (;;) {
		uint64_t now = xe_now(), next = now + 500000;

		for (struct xe_queue *queue = queues; queue; queue = queue->next) {
			uint64_t again = step(queue, now);

			if (again < next)
				next = again;
		}
		xe_unlock();
		now = xe_now();
		if (next <= now || now - happened < AWAKE_NS)
			sched_yield();
		else
			nanosleep(&(struct timespec){ .tv_nsec = (long)(next - now) }, NULL);
		xe_lock();
	}
}
