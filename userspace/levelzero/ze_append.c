// SPDX-License-Identifier: MIT
// What the program submits: which event has its times, and what is told of it.
//
// An event of the program's that has times is passed on as it is. Where it has none, a command of
// an in-order list gets one of ours, and the program's is signalled behind it. Where there is no
// event, ours takes its place. All other events are passed on, and their commands have no times:
// what the program would have to wait for is never asked.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "levelzero/ze_book.h"

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

static void ze_append_tell_kernel(void *handle, const char *name)
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

uint64_t levelzero_last_number(void)
{
	return __atomic_load_n(&lane_ze_book.last_number, __ATOMIC_RELAXED);
}

/* What is appended to the list goes to a graph. */
static bool is_captured(void *list)
{
	uint32_t (*is_enabled)(void *) = lane_ze_target.zeCommandListIsGraphCaptureEnabledExt;
	uint32_t status;

	if (!__atomic_load_n(&lane_ze_book.capturing, __ATOMIC_RELAXED))
		return false;
	status = is_enabled ? is_enabled(list) : 0;
	return status == LANE_ZE_TRUE || status == LANE_ZE_TRUE_BEFORE;
}

/* --- with the lock held --- */

static bool is_barrier(uint32_t function)
{
	return function == LANE_CLF_zeCommandListAppendBarrier;
}

static bool is_reset(uint32_t function)
{
	return function == LANE_CLF_zeCommandListAppendEventReset;
}

/* The kernel of a launch is told of, and how much it is. */
static void choose_kernel(struct lane_ze_append *append)
{
	struct ze_object *kernel = levelzero_find(append->object, ZE_KERNEL);

	if (kernel && !append->group)
		append->group = kernel->group;
	append->size *= append->group;
	if (!kernel || kernel->is_told)
		return;
	kernel->is_told = true;
	ze_append_tell_kernel(kernel->handle, kernel->name);
}

static bool wants_times = true;

__attribute__((constructor)) static void read_environment(void)
{
	const char *when = getenv("GPULANE_LEVELZERO_TIMES");

	wants_times = !when || strcmp(when, "never") != 0;
}

/* The context that has an event of ours for the command; NULL: it gets none. A list may become part
 * of a graph by what it waits for. No GPU runs a host's function. */
static struct ze_object *may_have_own(const struct lane_ze_append *append,
				      const struct ze_object *list, const struct ze_object *event)
{
	if (!wants_times || !append->type || append->type == LANE_CLC_HOST_FUNCTION || !list ||
	    !list->context || list->is_cloneable || lane_ze_book.capturing)
		return NULL;
	if (append->event &&
	    (!event || event->has_times || event->is_special || !list->is_in_order))
		return NULL;
	return list->context;
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

/* The command's number; 0: it is not under way, or none. */
static uint64_t ze_append_note_run(struct ze_object *queue, const struct lane_ze_append *append)
{
	struct ze_object *event = levelzero_find(append->event, ZE_EVENT);
	bool covers = queue->is_in_order || is_barrier(append->function);

	if (is_reset(append->function)) {
		if (event)
			levelzero_lose(event);
		return 0;
	}
	if (!append->type && !event)
		return 0;
	return levelzero_submit(queue, event, append->own, append->type,
				covers ? 0 : lane_ze_book.last_number + 1);
}

/* The commands of a list were submitted. */
static void run_list(struct ze_object *queue, const struct ze_object *list)
{
	uint64_t first = lane_ze_book.last_number + 1;

	for (uint32_t k = 0; k < list->n_items; k++) {
		const struct lane_ze_append *item = &list->items[k];
		struct ze_object *event = levelzero_find(item->event, ZE_EVENT);
		struct lane_p_opencl_run told = {
			.queue = (uintptr_t)queue->handle,
			.list = (uintptr_t)list->handle,
			.object = (uintptr_t)item->object,
			.size = item->size,
			.group = item->group,
			.function = item->function,
			.type = item->type,
		};

		if (is_reset(item->function) && event)
			levelzero_lose(event);
		if (is_reset(item->function) || (!item->type && !event))
			continue;
		told.command = levelzero_submit(queue, event, item->own, item->type,
						is_barrier(item->function) || list->is_in_order
							? first
							: lane_ze_book.last_number + 1);
		if (told.command && item->type)
			lttng_ust_tracepoint(gpulane, opencl_run, &told);
	}
}

/* --- without the lock --- */

void levelzero_doubt_signals(void)
{
	levelzero_lock();
	lane_ze_book.has_unknown_signals = true;
	levelzero_unlock();
}

void levelzero_choose(struct lane_ze_append *append)
{
	struct ze_object *queue, *list, *event, *context = NULL;
	bool was_asked, is_for_host, is_long;

	append->event = append->signal;
	levelzero_lock();
	queue = levelzero_find(append->list, ZE_QUEUE);
	list = queue ? queue : levelzero_find(append->list, ZE_LIST);
	event = levelzero_find(append->signal, ZE_EVENT);
	if (append->type == LANE_CLC_LAUNCH_KERNEL)
		choose_kernel(append);
	if (queue && queue->device && !queue->is_told)
		tell_queue(queue);
	append->queue = queue ? (uintptr_t)queue->handle : 0;
	context = may_have_own(append, list, event);
	is_for_host = event && event->is_for_host;
	is_long = queue && levelzero_is_long(queue);
	append->own = context ? levelzero_free_own(context, is_for_host) : NULL;
	was_asked = queue && event && event->has_times;
	if (queue && event)
		levelzero_lose(event);
	levelzero_unlock();
	if (was_asked)
		levelzero_leave_alone();
	if (is_long)
		levelzero_poll(append->list);
	if (context && !append->own)
		append->own = levelzero_own_event(context, is_for_host);
	if (append->own)
		append->signal = append->own->handle;
}

uint32_t levelzero_signal_behind(const struct lane_ze_append *append)
{
	if (!append->own || !append->event)
		return LANE_ZE_SUCCESS;
	return lane_ze_target.zeCommandListAppendSignalEvent(append->list, append->event);
}

uint64_t levelzero_appended(struct lane_ze_append *append, uint32_t status)
{
	struct ze_chain chain = { 0 };
	struct ze_object *queue, *list, *event;
	bool is_in_graph = !status && is_captured(append->list), is_free;
	uint64_t number = 0;

	is_free = append->own && (status || is_in_graph) && levelzero_clean(append->own, status);
	levelzero_lock();
	queue = levelzero_find(append->list, ZE_QUEUE);
	list = queue ? NULL : levelzero_find(append->list, ZE_LIST);
	event = levelzero_find(append->event, ZE_EVENT);
	if (is_free)
		levelzero_give_back(append->own);
	if (!status && queue && is_in_graph) {
		if (event)
			event->loose = event; /* whenever the graph runs */
	} else if (!status && queue) {
		number = ze_append_note_run(queue, append);
		if (queue->is_synchronous)
			levelzero_finish(queue, number, &chain);
	} else if (!status && list) {
		note_item(list, append);
	}
	levelzero_unlock();
	levelzero_tell(&chain);
	return append->type ? number : 0;
}

/* A run of the list's that has not ended loses its times: the list has one event for all runs. */
static void ze_append_prepare(struct ze_object *list)
{
	bool is_over = true, is_idle;

	for (uint32_t k = 0; k < list->n_items; k++) {
		struct ze_object *own = list->items[k].own;

		if (!own)
			continue;
		is_over = is_over && levelzero_is_over(own);
		levelzero_lock();
		is_idle = levelzero_is_idle(own);
		if (!is_idle)
			levelzero_lose(own);
		levelzero_unlock();
		if (is_idle)
			lane_ze_target.zeEventHostReset(own->handle);
	}
}

void levelzero_executing(uint32_t n, void **lists)
{
	bool was_asked = false;

	for (uint32_t i = 0; lists && i < n; i++) {
		struct ze_object *list;

		levelzero_lock();
		list = levelzero_find(lists[i], ZE_LIST);
		for (uint32_t k = 0; list && k < list->n_items; k++) {
			struct ze_object *event = levelzero_find(list->items[k].event, ZE_EVENT);

			if (!event)
				continue;
			was_asked |= event->has_times;
			levelzero_lose(event);
		}
		levelzero_unlock();
		if (list)
			ze_append_prepare(list);
	}
	if (was_asked)
		levelzero_leave_alone();
}

void levelzero_executed(void *handle, uint32_t n, void **lists, void *fence)
{
	struct ze_chain chain = { 0 };
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
		levelzero_finish(queue, lane_ze_book.last_number, &chain);
	levelzero_unlock();
	levelzero_tell(&chain);
}

void levelzero_settle(void *handle)
{
	struct ze_object *event;
	bool was_asked;

	levelzero_lock();
	event = levelzero_find(handle, ZE_EVENT);
	was_asked = event && event->has_times;
	if (event) {
		levelzero_lose(event);
		event->is_clean = false;
	}
	levelzero_unlock();
	if (was_asked)
		levelzero_leave_alone();
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
