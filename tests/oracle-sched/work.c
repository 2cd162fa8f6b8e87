/* SPDX-License-Identifier: MIT */
/* Work items: kernel/workqueue.c. An item runs in any worker, an ordered queue's one at a time. A
 * worker that sleeps within an item is none that waits for work. */
#include "sched.h"

enum {
	MAX_WORKERS = 40
};

static struct link ready;
static struct worker {
	struct fiber *thread;
	bool is_idle;
} workers[MAX_WORKERS];
static unsigned n_workers;
static int first_worker;

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

static void worker_main(void *arg);

static void create_worker(void)
{
	unsigned i = n_workers++;
	int tid = first_worker + (int)i;

	name_thread(tid, text("kworker/u16:%u", i));
	workers[i].thread = thread_start(tid, tid, worker_main, &workers[i]);
}

/* manage_workers(): one is always idle, so that items that sleep do not keep others waiting. */
static void manage_workers(void)
{
	if (!machine.watcher || n_workers == MAX_WORKERS)
		return;
	for (unsigned i = 0; i < n_workers; i++)
		if (workers[i].is_idle)
			return;
	create_worker();
}

/* worker_thread(), process_one_work(). Without work it sleeps in TASK_IDLE. */
static void worker_main(void *arg)
{
	struct worker *worker = arg;

	for (;;) {
		struct work *work = next_work();

		if (!work) {
			worker->is_idle = true;
			prepare_to_sleep_in('I');
			schedule();
			finish_sleep();
			worker->is_idle = false;
			continue;
		}
		work->is_pending = false;
		work->is_running = work->queue->is_busy = true;
		manage_workers();
		spend(between(40, 300));
		work->run(work->arg);
		work->is_running = work->queue->is_busy = false;
		wake_all(&work->flushers); /* wq_barrier_func() */
		spend(between(20, 200));
	}
}

void workers_start(unsigned n, int first_tid)
{
	list_init(&ready);
	first_worker = first_tid;
	while (n--)
		create_worker();
}

void work_init(struct work *work, struct workqueue *queue, action_fn *run, void *arg)
{
	list_init(&work->link);
	waiters_init(&work->flushers);
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

/* __flush_work(): wait_for_completion() of a barrier behind the item, in its worker. */
void work_cancel_sync(struct work *work)
{
	work_cancel(work);
	while (work->is_running)
		wait_once(&work->flushers, 'D', FOREVER, 500);
}
