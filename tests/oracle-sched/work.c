/* SPDX-License-Identifier: MIT */
/* Work items: kernel/workqueue.c. An item runs in any worker, an ordered queue's one at a time. */
#include "sched.h"

enum {
	MAX_WORKERS = 8
};

static struct link ready;
static struct worker {
	struct fiber *thread;
	bool is_idle;
} workers[MAX_WORKERS];
static unsigned n_workers;

/* alloc_ordered_workqueue(): max_active is 1; an item that runs does not run a second time. */
static struct work *next_work(void)
{
	each_link(it, &ready)
	{
		struct work *work = container(it, struct work, link);

		if (work->is_running || (work->queue->is_ordered && work->queue->is_busy))
			continue;
		list_remove(&work->link);
		return work;
	}
	return NULL;
}

static void wake_worker(void)
{
	unsigned first = (unsigned)dice(n_workers);

	for (unsigned i = 0; i < n_workers; i++) {
		struct worker *worker = &workers[(first + i) % n_workers];

		if (worker->is_idle) {
			worker->is_idle = false;
			wake(worker->thread);
			return;
		}
	}
}

static void worker_main(void *arg)
{
	struct worker *worker = arg;

	for (;;) {
		struct work *work = next_work();

		if (!work) {
			worker->is_idle = true;
			prepare_to_sleep();
			schedule();
			continue;
		}
		work->is_pending = false;
		work->is_running = work->queue->is_busy = true;
		spend(between(40, 300));
		work->run(work->arg);
		work->is_running = work->queue->is_busy = false;
		spend(between(20, 200));
	}
}

void workers_start(unsigned n, int first_tid)
{
	list_init(&ready);
	n_workers = n;
	for (unsigned i = 0; i < n; i++) {
		name_thread(first_tid + (int)i, text("kworker/u16:%u", i));
		workers[i].thread = thread_start(first_tid + (int)i, first_tid + (int)i,
						 worker_main, &workers[i]);
	}
}

void work_init(struct work *work, struct workqueue *queue, action_fn *run, void *arg)
{
	list_init(&work->link);
	work->run = run;
	work->arg = arg;
	work->queue = queue;
}

void work_queue(struct work *work)
{
	if (work->is_pending)
		return;
	work->is_pending = true;
	list_insert(&work->link, &ready);
	wake_worker();
}

void work_cancel(struct work *work)
{
	list_remove(&work->link);
	work->is_pending = false;
}

void work_cancel_sync(struct work *work)
{
	work_cancel(work);
	while (work->is_running)
		sleep_for(500);
}
