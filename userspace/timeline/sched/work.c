// SPDX-License-Identifier: MIT
// Work items of the kernel's: since when one was queued, and why its worker did not begin with it.
#include "timeline/sched/work.h"
#include "timeline/losses.h"
#include "timeline/objects.h"
#include "timeline/sched/actor.h"
#include "timeline/sched/thread.h"

#include <stdlib.h>
#include <string.h>

#define MAX_QUEUED    1024 /* items that are queued and not begun; then all are forgotten */
#define MAX_FUNCTIONS 32   /* that are blamed; those behind them have no name */

struct lane_work_item {
	uint64_t key;	    /* its address */
	uint64_t queued_ns; /* 0: not seen */
	uint64_t begin_ns, end_ns;
	int32_t woken_tid; /* the worker that was woken for it, -1: none was */
	char function[32];
};

/* What a worker runs, and what it ran before. */
struct lane_worker {
	struct lane_work_item now, before;
};

struct lane_works {
	struct lane_table queued; /* by item: struct lane_work_item */
	struct lane_pool items;
	uint64_t fresh; /* the item that was queued last, */
	uint64_t fresh_ns;
	int32_t fresh_tid; /* by this thread */
	char functions[MAX_FUNCTIONS][32];
	uint32_t n_functions;
};

static struct lane_works *works_of(struct lane_timeline *tl)
{
	if (!tl->works) {
		tl->works = calloc(1, sizeof(*tl->works));
		if (!tl->works) {
			tl->no_memory = true;
			return NULL;
		}
		tl->works->items.size = sizeof(struct lane_work_item);
	}
	return tl->works;
}

static void forget_queued(struct lane_works *works)
{
	lane_table_free(&works->queued);
	lane_pool_free(&works->items);
}

void timeline_work_free(struct lane_timeline *tl)
{
	if (!tl->works)
		return;
	forget_queued(tl->works);
	free(tl->works);
}

/* An item is queued that was not: the kernel queues none twice. One that is cancelled has no
 * event (cancel_work(), kernel/workqueue.c), and stays. */
static void on_queue(struct lane_timeline *tl, struct lane_works *works,
		     const struct lane_event *event)
{
	uint64_t key = event->u.workqueue_queue_work.work;
	struct lane_work_item *item = lane_table_get(&works->queued, key, 0);

	if (!item) {
		if (works->queued.used == MAX_QUEUED)
			forget_queued(works);
		item = lane_pool_get(&works->items);
		if (!item || !lane_table_put(&works->queued, key, 0, item)) {
			tl->no_memory = true;
			return;
		}
	}
	*item = (struct lane_work_item){ .queued_ns = event->wire.ts_ns, .woken_tid = -1 };
	works->fresh = key;
	works->fresh_ns = event->wire.ts_ns;
	works->fresh_tid = event->wire.tid;
}

static void on_start(struct lane_timeline *tl, struct lane_works *works,
		     const struct lane_event *event)
{
	uint64_t key = event->u.workqueue_execute_start.work;
	struct lane_thr *thr = timeline_thread_get(tl, event->wire.tid);
	struct lane_work_item *item = lane_table_get(&works->queued, key, 0);

	if (!thr)
		return;
	if (!thr->worker)
		thr->worker = calloc(1, sizeof(*thr->worker));
	if (!thr->worker) {
		tl->no_memory = true;
		return;
	}
	thr->worker->before = thr->worker->now;
	thr->worker->now = item ? *item : (struct lane_work_item){ .woken_tid = -1 };
	thr->worker->now.key = key;
	thr->worker->now.begin_ns = event->wire.ts_ns;
	memcpy(thr->worker->now.function, event->u.workqueue_execute_start.function,
	       sizeof(thr->worker->now.function));
	if (item) {
		lane_table_del(&works->queued, key, 0);
		lane_pool_put(&works->items, item);
	}
}

void timeline_work_event(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_works *works = works_of(tl);
	struct lane_thr *thr;

	if (!works || event->wire.tid < 0)
		return;
	if (event->wire.kind == LANE_WORK_QUEUE) {
		on_queue(tl, works, event);
	} else if (event->wire.kind == LANE_WORK_START) {
		on_start(tl, works, event);
	} else {
		thr = timeline_thread_find(tl, event->wire.tid);
		/* Else its begin was lost. */
		if (thr && thr->worker &&
		    thr->worker->now.key == event->u.workqueue_execute_end.work)
			thr->worker->now.end_ns = event->wire.ts_ns;
	}
}

/* __queue_work() (kernel/workqueue.c) tells of the item, and wakes a worker, if there is one that
 * has nothing to do and the item may be run at once. */
void timeline_work_woken(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_sched_waking *wake = &event->u.sched_waking;
	struct lane_works *works = tl->works;
	const struct lane_cpu *cpu = timeline_cpu_get(tl, event->cpu);
	struct lane_work_item *item;

	if (!works || !works->fresh || works->fresh_tid != event->wire.tid || !cpu ||
	    cpu->before_ns != works->fresh_ns || strncmp(wake->comm, "kworker/", 8) != 0)
		return;
	item = lane_table_get(&works->queued, works->fresh, 0);
	if (item)
		item->woken_tid = wake->tid;
	works->fresh = 0;
}

/* The name as long as the timeline lives. */
static const char *keep_function(struct lane_works *works, const char *function)
{
	for (uint32_t i = 0; i < works->n_functions; i++)
		if (!memcmp(works->functions[i], function, sizeof(works->functions[i])))
			return works->functions[i];
	if (!*function || works->n_functions == MAX_FUNCTIONS)
		return "";
	memcpy(works->functions[works->n_functions], function, sizeof(works->functions[0]));
	works->functions[works->n_functions][sizeof(works->functions[0]) - 1] = 0;
	return works->functions[works->n_functions++];
}

/*
 * The worker went from the item before straight to this one, for which nobody was woken as it was
 * queued: so it had to wait for the other one (an ordered queue runs one after the other), or for a
 * worker. What of that the worker itself had no CPU is not this wait.
 */
static void see_earlier(struct lane_timeline *tl, const struct lane_thr *thr, uint64_t from_ns,
			struct lane_actor_wait *wait)
{
	const struct lane_worker *worker = thr->worker;
	uint64_t since_ns = timeline_later(from_ns, worker->before.begin_ns);
	uint64_t end_ns = worker->before.end_ns;
	struct lane_actor_wait starved = { 0 };

	if (worker->now.woken_tid >= 0 || end_ns <= since_ns || thr->woken.ns > end_ns ||
	    !timeline_sees(tl, LANE_WAKING))
		return;
	timeline_actor_waited_until(thr, since_ns, end_ns, &starved);
	if (starved.ns >= end_ns - since_ns)
		return;
	wait->ns = wait->longest_ns = end_ns - since_ns - starved.ns;
	wait->at_ns = since_ns;
	wait->tid = thr->pub.tid;
	memcpy(wait->comm, thr->pub.comm, sizeof(wait->comm));
	wait->by = (struct lane_cpu_culprit){ .tid = thr->pub.tid, .cpu = -1, .ns = wait->ns };
	memcpy(wait->by.comm, thr->pub.comm, sizeof(wait->by.comm));
	wait->function = keep_function(tl->works, worker->before.function);
}

/* A worker was woken for the item, and another one has begun with it. */
static void see_other(struct lane_timeline *tl, const struct lane_work_item *now, uint64_t from_ns,
		      struct lane_actor_wait *wait)
{
	struct lane_thr *thr = timeline_thread_find(tl, now->woken_tid);
	struct lane_actor_wait other = { 0 };

	if (!thr)
		return;
	timeline_thread_tell_starved(tl, thr);
	timeline_actor_waited_until(thr, from_ns, now->begin_ns, &other);
	if (other.by.ns > wait->by.ns)
		*wait = other;
}

void timeline_work_waited(struct lane_timeline *tl, int32_t tid, uint64_t from_ns,
			  struct lane_actor_wait *hand_over, struct lane_actor_wait *earlier)
{
	const struct lane_thr *thr = timeline_thread_find(tl, tid);
	const struct lane_work_item *now = thr && thr->worker ? &thr->worker->now : NULL;

	if (!now || now->end_ns || !now->queued_ns ||
	    (tl->n_losses && timeline_loss_between(tl, now->queued_ns, tl->now.ns)))
		return;
	from_ns = timeline_later(from_ns, now->queued_ns);
	if (from_ns >= now->begin_ns)
		return;
	see_earlier(tl, thr, from_ns, earlier);
	if (now->woken_tid >= 0 && now->woken_tid != tid)
		see_other(tl, now, from_ns, hand_over);
}
