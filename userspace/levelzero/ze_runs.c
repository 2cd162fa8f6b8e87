// SPDX-License-Identifier: MIT
// The commands on their way: what tells of which command, and when it is read. Times are read when
// the program learns that a command is complete. A command is told as complete when it is known to
// be: by the program's event, by a later one's in order, or since the program has waited for all of
// its queue. The program's events are asked only then, ours at any time, and nobody is kept waiting
// by the lock meanwhile: what is asked was taken out of its queue before.
#include <stdlib.h>

#include "levelzero/ze_book.h"

enum {
	POLL_FROM = 1024, /* commands under way, before any is looked at that nobody waits for */
	POLL = 32,	  /* at most so many are then told at once */
	MOST = 1 << 16,	  /* of those that cannot be looked at: older ones are forgotten */
};

/* Held while a program's event is asked for times. */
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;

void levelzero_leave_alone(void)
{
	pthread_mutex_lock(&asking);
	pthread_mutex_unlock(&asking);
}

/* --- with the lock held --- */

static void ze_runs_append(struct ze_chain *chain, struct ze_run *run)
{
	run->next = NULL;
	run->prev = chain->last;
	*(chain->last ? &chain->last->next : &chain->first) = run;
	chain->last = run;
}

/* From its queue to those that are to be told. Nobody finds it any more, by its events neither. */
static void ze_runs_take(struct ze_run *run, struct ze_chain *chain)
{
	struct ze_object *queue = run->queue;

	queue->n_runs--;
	*(run->prev ? &run->prev->next : &queue->first) = run->next;
	*(run->next ? &run->next->prev : &queue->last) = run->prev;
	if (run->event)
		run->event->run = NULL;
	if (run->own)
		run->own->run = NULL;
	run->event_handle = run->event ? run->event->handle : NULL;
	run->queue = run->event = NULL;
	ze_runs_append(chain, run);
}

/* With those before it that are complete when it is. */
static void take_covered(struct ze_run *run, struct ze_chain *chain)
{
	struct ze_run *first = run, *next;

	while (first->prev && first->prev->number >= run->covers)
		first = first->prev;
	for (; first != run; first = next) {
		next = first->next;
		ze_runs_take(first, chain);
	}
	ze_runs_take(run, chain);
}

void levelzero_finish(struct ze_object *queue, uint64_t number, struct ze_chain *chain)
{
	while (queue->first && queue->first->number <= number)
		ze_runs_take(queue->first, chain);
	if (number > queue->done_number)
		queue->done_number = number;
}

void levelzero_finish_own(struct ze_object *own, struct ze_chain *chain)
{
	if (own->run)
		ze_runs_take(own->run, chain);
}

/* They are not complete: back to the front of their queue. */
static void put_back(struct ze_chain *chain)
{
	for (struct ze_run *run = chain->last, *prev; run; run = prev) {
		struct ze_object *queue = levelzero_find(run->queue_handle, ZE_QUEUE);
		struct ze_object *event = levelzero_find(run->event_handle, ZE_EVENT);

		prev = run->prev;
		if (!queue) {
			run->next = lane_ze_book.unused;
			lane_ze_book.unused = run;
			continue;
		}
		run->queue = queue;
		run->prev = NULL;
		run->next = queue->first;
		*(queue->first ? &queue->first->prev : &queue->last) = run;
		queue->first = run;
		queue->n_runs++;
		if (event && event->told_number == run->number) {
			run->event = event;
			event->run = run;
		}
		if (run->own)
			run->own->run = run;
	}
}

static struct ze_object anywhere; /* as `loose`: on more than one queue */

bool levelzero_is_idle(struct ze_object *event)
{
	const struct ze_object *queue = levelzero_find(event->lost_on, ZE_QUEUE);

	if (event->loose && event->loose != &anywhere &&
	    (!queue || queue->done_number >= event->lost_number))
		event->loose = NULL;
	return !event->loose && !event->run;
}

void levelzero_lose(struct ze_object *event)
{
	struct ze_run *run = event->run;

	event->told_number = 0;
	if (!run)
		return;
	if (!event->is_counter)
		event->loose = event->loose && event->loose != run->queue ? &anywhere : run->queue;
	event->lost_on = run->queue_handle;
	event->lost_number = run->number;
	if (event == run->own)
		run->own = NULL;
	else
		run->event = NULL;
	event->run = NULL;
}

uint64_t levelzero_submit(struct ze_object *queue, struct ze_object *event, struct ze_object *own,
			  uint32_t type, uint64_t covers)
{
	struct ze_run *run = lane_ze_book.unused;

	if (run)
		lane_ze_book.unused = run->next;
	else
		run = malloc(sizeof(*run));
	if (!run)
		return 0;
	*run = (struct ze_run){ .prev = queue->last,
				.queue = queue,
				.queue_handle = queue->handle,
				.device = queue->device,
				.event = event,
				.own = own,
				.number = lane_ze_book.last_number + 1,
				.covers = covers,
				.since_ns = levelzero_since(queue->device),
				.type = type };
	__atomic_store_n(&lane_ze_book.last_number, run->number, __ATOMIC_RELAXED);
	*(queue->last ? &queue->last->next : &queue->first) = run;
	queue->last = run;
	queue->n_runs++;
	if (event) {
		levelzero_lose(event);
		event->run = run;
		event->told_number = run->number;
		run->has_times = event->has_times && !lane_ze_book.has_unknown_signals;
		run->is_stale = (!event->is_counter && !event->is_clean) || event->loose;
		run->is_loose = event->loose && (event->loose != queue || !queue->is_in_order);
		event->is_clean = false;
	}
	if (own) {
		levelzero_lose(own);
		own->run = run;
		run->is_own_stale = own->loose;
		run->is_own_loose = own->loose && (own->loose != queue || !queue->is_in_order);
	}
	return run->number;
}

/* --- without the lock --- */

/* No GPU runs a host's function: Intel's runtime would wait 5 s for its times. */
static bool is_timed(uint32_t type)
{
	return type && type != LANE_CLC_HOST_FUNCTION;
}

/* The times that the program's event has of a command that is complete. */
static bool ask_event(const struct ze_run *run, struct lane_ze_times *times)
{
	struct ze_object *event;
	bool has_times = false;

	if (!run->has_times || run->is_loose || !run->event_handle)
		return false;
	pthread_mutex_lock(&asking);
	levelzero_lock();
	event = levelzero_find(run->event_handle, ZE_EVENT);
	has_times = event && event->told_number == run->number;
	levelzero_unlock();
	if (has_times)
		has_times = !lane_ze_target.zeEventQueryKernelTimestamp(run->event_handle, times);
	pthread_mutex_unlock(&asking);
	return has_times;
}

/* Whether a command is complete, by our event; with its times. */
static bool ask_own(const struct ze_run *run, struct lane_ze_times *times)
{
	return !lane_ze_target.zeEventQueryKernelTimestamp(run->own->handle, times);
}

/* Tells one as complete. Its event of ours, if that can be used again, is returned. */
static struct ze_object *ze_runs_tell(const struct ze_run *run)
{
	struct lane_p_opencl_command done = { .command = run->number,
					      .queue = (uintptr_t)run->queue_handle,
					      .type = run->type };
	bool is_over = run->own, has_times;
	struct lane_ze_times times;

	if (run->own)
		has_times = is_over = ask_own(run, &times);
	else
		has_times = is_timed(run->type) && ask_event(run, &times);
	if (has_times && !run->is_own_loose && run->device && run->device->mono_ns)
		levelzero_put_times(run, &times, &done);
	if (run->type)
		lttng_ust_tracepoint(gpulane, opencl_command, &done);
	/* An event of a list stays the list's. */
	return run->own && !run->own->list && levelzero_clean(run->own, is_over) ? run->own : NULL;
}

void levelzero_tell(struct ze_chain *chain)
{
	if (!chain->first)
		return;
	for (struct ze_run *run = chain->first; run; run = run->next)
		run->own = ze_runs_tell(run);
	levelzero_lock();
	for (struct ze_run *run = chain->first; run; run = run->next)
		if (run->own)
			levelzero_give_back(run->own);
	chain->last->next = lane_ze_book.unused;
	lane_ze_book.unused = chain->first;
	levelzero_unlock();
	chain->first = chain->last = NULL;
}

/* If the last of them is complete, all are; else they go back. */
static bool tell_if_over(struct ze_chain *chain)
{
	struct lane_ze_times times;
	bool is_over = ask_own(chain->last, &times);

	if (is_over) {
		levelzero_tell(chain);
	} else {
		levelzero_lock();
		put_back(chain);
		levelzero_unlock();
	}
	return is_over;
}

bool levelzero_is_over(struct ze_object *own)
{
	struct ze_chain chain = { 0 };
	bool is_over;

	levelzero_lock();
	is_over = levelzero_is_idle(own);
	if (own->run && !own->run->is_own_stale)
		take_covered(own->run, &chain);
	levelzero_unlock();
	return chain.first ? tell_if_over(&chain) : is_over;
}

/* Where the program's event stands behind ours, the runtime prints what a kernel has printed when
 * ours is waited for: it is complete. */
static void print(const struct ze_run *run)
{
	if (run && run->own && run->event_handle && run->type == LANE_CLC_LAUNCH_KERNEL)
		lane_ze_target.zeEventHostSynchronize(run->own->handle, 0);
}

void levelzero_waited(void *handle, uint64_t number, bool prints)
{
	struct ze_chain chain = { 0 };
	struct ze_object *object, *queue = NULL;
	void *polled = NULL;
	bool is_known = true;

	levelzero_lock();
	object = levelzero_object(handle);
	if (object && object->kind == ZE_QUEUE) {
		levelzero_finish(object, number, &chain);
	} else if (object && object->kind == ZE_FENCE) {
		queue = levelzero_find(object->queue, ZE_QUEUE);
		if (queue)
			levelzero_finish(queue, object->number, &chain);
	} else if (object && object->kind == ZE_EVENT && object->run &&
		   object->run->number <= number) {
		polled = object->run->queue_handle;
		is_known = !object->run->is_stale;
		if (is_known || (object->run->own && !object->run->is_own_stale))
			take_covered(object->run, &chain);
	}
	levelzero_unlock();
	if (prints)
		print(chain.last);
	if (is_known)
		levelzero_tell(&chain);
	else if (chain.first)
		tell_if_over(&chain);
	if (polled)
		levelzero_poll(polled);
}

/* The oldest that can be looked at, and what is complete when it is. */
static void take_oldest(struct ze_object *queue, struct ze_chain *chain)
{
	struct ze_chain forgotten = { 0 };
	struct ze_run *run = queue->first;

	for (int i = 0; run && (!run->own || run->is_own_stale); i++)
		run = i < POLL ? run->next : NULL;
	if (run)
		take_covered(run, chain);
	else if (queue->n_runs >= MOST) {
		ze_runs_take(queue->first, &forgotten);
		forgotten.first->next = lane_ze_book.unused;
		lane_ze_book.unused = forgotten.first;
	}
}

bool levelzero_is_long(const struct ze_object *queue)
{
	return queue->n_runs >= POLL_FROM && queue->n_runs >= queue->poll_from;
}

/* To ask for the state of what is incomplete takes Intel's runtime 5 us: it is done seldom, since
 * it gives the CPU away, too. */
void levelzero_poll(void *handle)
{
	struct ze_object *queue;
	bool is_over = true;

	for (int i = 0; is_over && i < POLL; i++) {
		struct ze_chain chain = { 0 };

		levelzero_lock();
		queue = levelzero_find(handle, ZE_QUEUE);
		if (queue && levelzero_is_long(queue)) {
			take_oldest(queue, &chain);
			queue->poll_from = chain.first		  ? POLL_FROM
					   : queue->n_runs < MOST ? 2 * queue->n_runs
								  : MOST;
		}
		levelzero_unlock();
		if (!chain.first)
			return;
		is_over = tell_if_over(&chain);
	}
	if (is_over)
		return;
	levelzero_lock();
	queue = levelzero_find(handle, ZE_QUEUE);
	if (queue)
		queue->poll_from = 2 * queue->n_runs;
	levelzero_unlock();
}
