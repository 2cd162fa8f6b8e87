// SPDX-License-Identifier: MIT
// The commands on their way: which event tells of which command, and when it is read. Times are
// read when the program waits, or before they are lost. A command is told as complete when it is
// known to be: by its event, by a later one's in order, or since the program has waited for all of
// its queue.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "levelzero/ze_book.h"

enum {
	POOL_EVENTS = 64, /* of ours, created together */
	POLL_FROM = 1024, /* commands under way, before any is looked at that nobody waits for */
	POLL = 4,	  /* at most so many are then found incomplete */
};

static struct ze_object anywhere; /* as `loose`: on more than one queue */

void levelzero_give_back(struct ze_object *event)
{
	if (!event || !event->is_owned)
		return;
	lane_ze_target.zeEventHostReset(event->handle);
	event->free = event->context->free;
	event->context->free = event;
}

/* Whether its event has times. No GPU runs a host's function: Intel's runtime would wait 5 s for
 * the times. */
static bool is_timed(uint32_t type)
{
	return type && type != LANE_CLC_HOST_FUNCTION;
}

/* Tells the command as complete, with its times if it has them, and forgets it. */
static void tell(struct ze_run *run, bool has_times)
{
	struct ze_object *queue = run->queue, *device = queue->device;
	struct lane_p_opencl_command done = { .command = run->number,
					      .queue = (uintptr_t)queue->handle,
					      .type = run->type };
	struct lane_ze_times times;

	queue->n_runs--;
	if (has_times && is_timed(run->type) && run->event->has_times && device &&
	    device->mono_ns &&
	    !lane_ze_target.zeEventQueryKernelTimestamp(run->event->handle, &times))
		levelzero_put_times(device, &times, &done);
	if (run->type)
		lttng_ust_tracepoint(gpulane, opencl_command, &done);
	if (run->event)
		run->event->run = NULL;
	*(run->prev ? &run->prev->next : &queue->first) = run->next;
	*(run->next ? &run->next->prev : &queue->last) = run->prev;
	run->next = lane_ze_book.unused;
	lane_ze_book.unused = run;
}

static bool is_signalled(const struct ze_object *event)
{
	return event && !lane_ze_target.zeEventQueryStatus(event->handle);
}

void levelzero_reap(struct ze_run *run)
{
	struct ze_object *event = run->event;

	tell(run, event && !run->is_loose);
	/* An event of a list stays the list's. */
	if (event && event->is_owned && !event->list)
		levelzero_give_back(event);
}

void levelzero_finish(struct ze_object *queue, uint64_t number)
{
	for (struct ze_run *run = queue->first, *next; run && run->number <= number; run = next) {
		next = run->next;
		levelzero_reap(run);
	}
}

/* If its event says that a command is complete, tells it, and those before it that must be so. */
static bool try_reap(struct ze_run *run)
{
	struct ze_run *first = run, *next;

	if (run->is_stale || !is_signalled(run->event))
		return false;
	while (first->prev && first->prev->number >= run->covers)
		first = first->prev;
	for (; first != run; first = next) {
		next = first->next;
		levelzero_reap(first);
	}
	levelzero_reap(run);
	return true;
}

/* Tells what is complete of a queue, from the oldest on, if that is much. To ask for the state of
 * what is incomplete takes Intel's runtime 5 us: it is done seldom, since it gives the CPU away,
 * too. */
static void poll_queue(struct ze_object *queue)
{
	int most = queue->is_in_order ? 1 : POLL;

	if (queue->n_runs < POLL_FROM || queue->n_runs < queue->poll_from)
		return;
	for (struct ze_run *run = queue->first, *next; run && most; run = next) {
		next = run->next;
		if (run->event && !run->is_stale && !try_reap(run))
			most--;
	}
	queue->poll_from = 2 * queue->n_runs;
}

/* The event will tell of its command no more, which may signal it nevertheless. */
static void lose(struct ze_object *event)
{
	struct ze_run *run = event->run;

	if (!run)
		return;
	if (!event->is_counter)
		event->loose = event->loose && event->loose != run->queue ? &anywhere : run->queue;
	run->event = NULL;
	event->run = NULL;
}

void levelzero_settle_object(struct ze_object *event)
{
	if (event && event->run && !try_reap(event->run))
		lose(event);
	if (event)
		event->is_clean = false;
}

void levelzero_settle(void *event)
{
	levelzero_lock();
	levelzero_settle_object(levelzero_find(event, ZE_EVENT));
	levelzero_unlock();
}

void levelzero_was_reset(void *handle)
{
	struct ze_object *event;

	levelzero_lock();
	event = levelzero_find(handle, ZE_EVENT);
	if (event) {
		event->is_clean = true;
		event->loose = NULL;
	}
	levelzero_unlock();
}

uint64_t levelzero_last_number(void)
{
	return __atomic_load_n(&lane_ze_book.last_number, __ATOMIC_RELAXED);
}

/* covers: 0: all of its queue before it; otherwise from this number on. */
static uint64_t submit(struct ze_object *queue, struct ze_object *event, uint32_t type,
		       uint64_t covers)
{
	struct ze_run *run = lane_ze_book.unused;

	if (event)
		lose(event);
	if (run)
		lane_ze_book.unused = run->next;
	else
		run = malloc(sizeof(*run));
	if (!run)
		return 0;
	*run = (struct ze_run){ .prev = queue->last,
				.queue = queue,
				.event = event,
				.number = lane_ze_book.last_number + 1,
				.covers = covers,
				.type = type };
	__atomic_store_n(&lane_ze_book.last_number, run->number, __ATOMIC_RELAXED);
	*(queue->last ? &queue->last->next : &queue->first) = run;
	queue->last = run;
	queue->n_runs++;
	if (event) {
		event->run = run;
		run->is_stale = event->is_stale || event->loose;
		run->is_loose = event->loose && (event->loose != queue || !queue->is_in_order);
	}
	return run->number;
}

/* An event of ours; NULL: none can be had. */
static struct ze_object *own_event(struct ze_object *context)
{
	struct lane_ze_pool_desc desc = { LANE_ZE_TYPE_POOL, NULL,
					  LANE_ZE_POOL_HOST_VISIBLE | LANE_ZE_POOL_TIMES,
					  POOL_EVENTS, 0 };
	struct ze_object *event = context->free, *pool;
	void *handle;

	if (!event && !lane_ze_target.zeEventPoolCreate(context->handle, &desc, 0, NULL, &handle)) {
		pool = levelzero_make(handle, ZE_POOL);
		if (!pool)
			return NULL;
		pool->free = context->pools;
		context->pools = pool;
		for (uint32_t i = 0; i < POOL_EVENTS; i++) {
			struct lane_ze_event_desc one = { LANE_ZE_TYPE_EVENT, NULL, i, 0, 0 };

			if (lane_ze_target.zeEventCreate(pool->handle, &one, &handle))
				break;
			event = levelzero_make(handle, ZE_EVENT);
			if (!event)
				break;
			event->context = context;
			event->has_times = event->is_owned = true;
			event->free = context->free;
			context->free = event;
		}
		event = context->free;
	}
	if (event)
		context->free = event->free;
	return event;
}

static void tell_queue(struct ze_object *queue)
{
	struct lane_p_opencl_queue about = {
		.queue = (uintptr_t)queue->handle,
		.device = (uintptr_t)queue->device->handle,
		.properties = !queue->is_in_order,
	};

	queue->is_told = true;
	if (!queue->device->mono_ns)
		levelzero_read_clock(queue->device);
	memcpy(about.name, queue->device->name, sizeof(about.name));
	snprintf(about.comm, sizeof(about.comm), "%s", program_invocation_short_name);
	lttng_ust_tracepoint(gpulane, opencl_queue, &about);
}

static void tell_kernel(void *handle, const char *name)
{
	struct lane_p_opencl_kernel about = { .kernel = (uintptr_t)handle };

	memcpy(about.name, name, strnlen(name, sizeof(about.name) - 1));
	lttng_ust_tracepoint(gpulane, opencl_kernel, &about);
}

uint64_t levelzero_queue_of(void *handle)
{
	struct ze_object *queue;

	levelzero_lock();
	queue = levelzero_find(handle, ZE_QUEUE);
	if (queue && queue->device && !queue->is_told)
		tell_queue(queue);
	levelzero_unlock();
	return queue ? (uintptr_t)handle : 0;
}

/* What is appended to the list goes to a graph. */
static bool is_captured(void *list)
{
	uint32_t status =
		lane_ze_book.capturing && lane_ze_target.zeCommandListIsGraphCaptureEnabledExt
			? lane_ze_target.zeCommandListIsGraphCaptureEnabledExt(list)
			: 0;

	return status == LANE_ZE_TRUE || status == LANE_ZE_TRUE_BEFORE;
}

/* Whether an event is to be signalled that is so already. A counter based one tells of the command
 * that it was given to last; others of an in-order list are so, too, in Intel's runtime: a reset
 * does not change their state, the next command does. */
static void look_before(struct ze_object *event)
{
	if (event && !event->is_owned)
		event->is_stale = !event->is_counter && !event->is_clean && is_signalled(event);
	levelzero_settle_object(event);
}

void levelzero_choose(struct lane_ze_append *append)
{
	struct ze_object *queue, *list, *kernel, *event;

	levelzero_lock();
	queue = levelzero_find(append->list, ZE_QUEUE);
	list = queue ? queue : levelzero_find(append->list, ZE_LIST);
	kernel = append->type == LANE_CLC_LAUNCH_KERNEL ? levelzero_find(append->object, ZE_KERNEL)
							: NULL;
	if (kernel && !append->group)
		append->group = kernel->group;
	if (append->type == LANE_CLC_LAUNCH_KERNEL)
		append->size *= append->group;
	if (kernel && !kernel->is_told) {
		kernel->is_told = true;
		tell_kernel(kernel->handle, kernel->name);
	}
	if (queue && queue->device && !queue->is_told)
		tell_queue(queue);
	append->queue = queue ? (uintptr_t)queue->handle : 0;
	if (queue)
		poll_queue(queue);
	event = queue ? levelzero_find(append->signal, ZE_EVENT) : NULL;
	look_before(event);
	/* A list may become part of a graph by what it waits for. */
	if (is_timed(append->type) && !append->signal && list && list->context &&
	    !lane_ze_book.capturing && !list->is_cloneable) {
		append->own = own_event(list->context);
		append->signal = append->own ? append->own->handle : NULL;
	}
	levelzero_unlock();
}

static void note_item(struct ze_object *list, const struct lane_ze_append *append)
{
	if (list->n_items == list->room) {
		uint32_t room = list->room ? 2 * list->room : 16;
		void *items = realloc(list->items, room * sizeof(*list->items));

		if (!items)
			return;
		list->items = items;
		list->room = room;
	}
	list->items[list->n_items++] = *append;
	if (append->own)
		append->own->list = list; /* until the list is reset */
}

static bool is_barrier(const struct lane_ze_append *append)
{
	return append->function == LANE_CLF_zeCommandListAppendBarrier;
}

static bool is_reset(const struct lane_ze_append *append)
{
	return append->function == LANE_CLF_zeCommandListAppendEventReset;
}

uint64_t levelzero_appended(struct lane_ze_append *append, uint32_t status)
{
	struct ze_object *queue, *list, *event;
	uint64_t number = 0;

	levelzero_lock();
	queue = levelzero_find(append->list, ZE_QUEUE);
	list = queue ? NULL : levelzero_find(append->list, ZE_LIST);
	event = append->own ? append->own : levelzero_find(append->signal, ZE_EVENT);
	if (status && append->own)
		levelzero_give_back(append->own);
	if (!status && queue && is_captured(append->list)) {
		if (event)
			event->loose = &anywhere;
	} else if (!status && queue && is_reset(append)) {
		if (event)
			lose(event);
	} else if (!status && queue && (append->type || event)) {
		bool covers = queue->is_in_order || is_barrier(append);

		number = submit(queue, event, append->type,
				covers ? 0 : lane_ze_book.last_number + 1);
		if (queue->is_synchronous)
			levelzero_finish(queue, number);
	} else if (!status && list) {
		note_item(list, append);
	}
	levelzero_unlock();
	return append->type ? number : 0;
}

void levelzero_executing(uint32_t n, void **lists)
{
	levelzero_lock();
	for (uint32_t i = 0; lists && i < n; i++) {
		struct ze_object *list = levelzero_find(lists[i], ZE_LIST);

		for (uint32_t k = 0; list && k < list->n_items; k++) {
			struct ze_object *event = levelzero_find(list->items[k].signal, ZE_EVENT);

			/* A run that has not ended loses its times: the list has one event for all
			 * runs. */
			look_before(event);
			if (event && event->is_owned && !event->loose)
				lane_ze_target.zeEventHostReset(event->handle);
			else if (event && event->is_counter)
				event->is_stale = true;
		}
	}
	levelzero_unlock();
}

/* The commands of a list were submitted. */
static void run_list(struct ze_object *queue, const struct ze_object *list)
{
	uint64_t first = lane_ze_book.last_number + 1;

	for (uint32_t k = 0; k < list->n_items; k++) {
		const struct lane_ze_append *item = &list->items[k];
		struct ze_object *event = levelzero_find(item->signal, ZE_EVENT);
		struct lane_p_opencl_run told = {
			.queue = (uintptr_t)queue->handle,
			.list = (uintptr_t)list->handle,
			.object = (uintptr_t)item->object,
			.size = item->size,
			.group = item->group,
			.function = item->function,
			.type = item->type,
		};

		if (is_reset(item) && event)
			lose(event);
		if (is_reset(item) || (!item->type && !event))
			continue;
		told.command = submit(queue, event, item->type,
				      is_barrier(item) || list->is_in_order
					      ? first
					      : lane_ze_book.last_number + 1);
		if (told.command && item->type)
			lttng_ust_tracepoint(gpulane, opencl_run, &told);
	}
}

void levelzero_executed(void *handle, uint32_t n, void **lists, void *fence)
{
	struct ze_object *queue, *mark;

	levelzero_lock();
	queue = levelzero_find(handle, ZE_QUEUE);
	for (uint32_t i = 0; queue && lists && i < n; i++) {
		struct ze_object *list = levelzero_find(lists[i], ZE_LIST);

		if (list)
			run_list(queue, list);
	}
	mark = queue && fence ? levelzero_get(fence, ZE_FENCE) : NULL;
	if (mark) {
		mark->queue = handle;
		mark->number = lane_ze_book.last_number;
	}
	if (queue && queue->is_synchronous)
		levelzero_finish(queue, lane_ze_book.last_number);
	levelzero_unlock();
}

void levelzero_waited(void *handle, uint64_t number)
{
	struct ze_object *object, *queue;

	levelzero_lock();
	object = levelzero_object(handle);
	if (object && object->kind == ZE_QUEUE) {
		levelzero_finish(object, number);
	} else if (object && object->kind == ZE_FENCE) {
		queue = levelzero_find(object->queue, ZE_QUEUE);
		if (queue)
			levelzero_finish(queue, object->number);
	} else if (object && object->kind == ZE_EVENT && object->run) {
		queue = object->run->queue;
		try_reap(object->run);
		poll_queue(queue);
	}
	levelzero_unlock();
}
