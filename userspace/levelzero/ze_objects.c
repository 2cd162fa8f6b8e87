// SPDX-License-Identifier: MIT
// The functions that create, change and destroy Level Zero's objects: they keep book.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fit.h"
#include "base/kernel_atomics.h"
#include "levelzero/ze_book.h"

#define TARGET lane_ze_target

static uint32_t context_destroy(void *handle)
{
	struct ze_chain chain = { 0 };
	struct ze_object *context;

	levelzero_lock();
	context = levelzero_find(handle, ZE_CONTEXT);
	for (int i = 0; context && i < LANE_ZE_BUCKETS; i++) {
		for (struct ze_object *o = lane_ze_book.buckets[i]; o; o = o->next) {
			if (o->context != context)
				continue;
			levelzero_finish(o, UINT64_MAX, &chain);
			o->context = NULL;
			o->n_items = 0; /* their events of ours go */
		}
	}
	levelzero_unlock();
	levelzero_tell(&chain);
	if (context)
		levelzero_destroy_own(context);
	levelzero_lock();
	levelzero_drop(levelzero_find(handle, ZE_CONTEXT));
	levelzero_unlock();
	return TARGET.zeContextDestroy(handle);
}

/* What was made by a desc with `next`: a counter based event's, where that says so. */
static bool makes_counters(const struct lane_ze_pool_desc *desc)
{
	const struct lane_ze_pool_desc *next = desc->next;

	return next && next->stype == LANE_ZE_TYPE_COUNTER_POOL;
}

static uint32_t pool_create(void *context, const struct lane_ze_pool_desc *desc, uint32_t n,
			    void **devices, void **handle)
{
	uint32_t status = TARGET.zeEventPoolCreate(context, desc, n, devices, handle);
	struct ze_object *pool;

	if (status)
		return status;
	levelzero_lock();
	pool = levelzero_make(*handle, ZE_POOL);
	if (pool) {
		pool->has_times = desc->flags & (LANE_ZE_POOL_TIMES | LANE_ZE_POOL_MAPPED_TIMES);
		pool->is_counter = makes_counters(desc);
		pool->is_special =
			(desc->flags & LANE_ZE_POOL_IPC) || (desc->next && !pool->is_counter);
	}
	levelzero_unlock();
	return status;
}

/* Nobody asks the event any more; with the lock held. */
static bool abandon(struct ze_object *event)
{
	bool was_asked = event->has_times;

	levelzero_lose(event);
	levelzero_drop(event);
	return was_asked;
}

static uint32_t forget_and(void *handle, enum ze_kind kind, uint32_t (*destroy)(void *))
{
	struct ze_object *object;
	bool was_asked = false;

	levelzero_lock();
	object = levelzero_find(handle, kind);
	if (object && kind == ZE_EVENT)
		was_asked = abandon(object);
	else
		levelzero_drop(object);
	levelzero_unlock();
	if (was_asked)
		levelzero_leave_alone();
	return destroy(handle);
}

static uint32_t pool_destroy(void *handle)
{
	struct ze_object *pool;
	bool was_asked = false;

	levelzero_lock();
	pool = levelzero_find(handle, ZE_POOL);
	/* They should be gone already, and cannot be asked any more. */
	while (pool && pool->behind)
		was_asked |= abandon(pool->behind);
	levelzero_unlock();
	if (was_asked)
		levelzero_leave_alone();
	return forget_and(handle, ZE_POOL, TARGET.zeEventPoolDestroy);
}

static uint32_t fence_destroy(void *handle)
{
	return forget_and(handle, ZE_FENCE, TARGET.zeFenceDestroy);
}

static uint32_t kernel_destroy(void *handle)
{
	return forget_and(handle, ZE_KERNEL, TARGET.zeKernelDestroy);
}

static uint32_t event_create(void *pool_handle, const struct lane_ze_event_desc *desc,
			     void **handle)
{
	uint32_t status = TARGET.zeEventCreate(pool_handle, desc, handle);
	struct ze_object *pool, *event;

	if (status)
		return status;
	levelzero_lock();
	pool = levelzero_find(pool_handle, ZE_POOL);
	event = levelzero_make(*handle, ZE_EVENT);
	if (event) {
		event->has_times = pool && pool->has_times;
		event->is_counter = pool && pool->is_counter;
		event->is_special = !pool || pool->is_special || desc->next;
		event->is_for_host = desc->signal;
		event->is_clean = pool && !pool->is_special;
	}
	if (event && pool) {
		event->home = pool;
		event->behind = pool->behind;
		if (pool->behind)
			pool->behind->before = event;
		pool->behind = event;
	}
	levelzero_unlock();
	return status;
}

typedef uint32_t create_counter_fn(void *, void *, const struct lane_ze_pool_desc *, void **);

static uint32_t note_counter(uint32_t status, const struct lane_ze_pool_desc *desc, void **handle)
{
	const uint32_t timed = LANE_ZE_COUNTER_TIMES | LANE_ZE_COUNTER_HOST_TIMES;
	struct ze_object *event;

	if (status)
		return status;
	levelzero_lock();
	event = levelzero_make(*handle, ZE_EVENT);
	if (event) {
		event->is_counter = true;
		event->has_times = desc && (desc->flags & timed);
		event->is_special = desc && (desc->next || (desc->flags & ~LANE_ZE_COUNTER_PLAIN));
		event->is_for_host = !desc || desc->count;
	}
	levelzero_unlock();
	return status;
}

static uint32_t counter_create(void *context, void *device, const struct lane_ze_pool_desc *desc,
			       void **handle)
{
	return note_counter(TARGET.zeEventCounterBasedCreate(context, device, desc, handle), desc,
			    handle);
}

/* The driver's own function of before 1.15, which SYCL's runtime uses: the same but for its name.
 */
static uint32_t driver_counter_create(void *context, void *device,
				      const struct lane_ze_pool_desc *desc, void **handle)
{
	return note_counter(TARGET.zexCounterBasedEventCreate2(context, device, desc, handle), desc,
			    handle);
}

static uint32_t driver_function(void *driver, const char *name, void **function)
{
	uint32_t status = TARGET.zeDriverGetExtensionFunctionAddress(driver, name, function);

	if (!status && name && function && *function)
		levelzero_replace_own(driver, name, function);
	return status;
}

static uint32_t event_destroy(void *handle)
{
	return forget_and(handle, ZE_EVENT, TARGET.zeEventDestroy);
}

static void tell_atomics(const char *name, size_t n)
{
	struct lane_p_opencl_atomics about = { .name = "" };

	lane_fit(about.name, sizeof(about.name) - 1, name, n);
	lttng_ust_tracepoint(gpulane, opencl_atomics, &about);
}

static uint32_t module_create(void *context, void *device, const void *desc, void **handle,
			      void **log)
{
	const struct lane_ze_module_desc *said = desc;
	uint32_t status = TARGET.zeModuleCreate(context, device, desc, handle, log);

	/* An extension's desc may have the code in this one's place. */
	if (!status && !said->next && said->format == LANE_ZE_MODULE_SPIRV && levelzero_tracing())
		lane_atomics_of_spirv(said->code, said->size, tell_atomics);
	return status;
}

static uint32_t kernel_create(void *module, const void *desc, void **handle)
{
	const struct lane_ze_kernel_desc *said = desc;
	uint32_t status = TARGET.zeKernelCreate(module, desc, handle);
	struct ze_object *kernel;

	if (status)
		return status;
	levelzero_lock();
	kernel = levelzero_make(*handle, ZE_KERNEL);
	if (kernel && said->name) /* as the event has it */
		lane_fit(kernel->name, sizeof(((struct lane_p_opencl_kernel *)0)->name) - 1,
			 said->name, strlen(said->name));
	levelzero_unlock();
	return status;
}

static void note_group(void *handle, uint64_t group)
{
	struct ze_object *kernel;

	levelzero_lock();
	kernel = levelzero_find(handle, ZE_KERNEL);
	if (kernel)
		kernel->group = group;
	levelzero_unlock();
}

static uint32_t set_group(void *handle, uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t status = TARGET.zeKernelSetGroupSize(handle, x, y, z);

	if (!status)
		note_group(handle, (uint64_t)x * y * z);
	return status;
}

/* It sets the kernel's group, for what is launched later, too. */
static uint32_t launch_with_arguments(void *list, void *kernel, lane_ze_three groups,
				      lane_ze_three group, void **arguments, const void *next,
				      void *event, uint32_t n_waits, void **waits)
{
	uint32_t status = TARGET.zeCommandListAppendLaunchKernelWithArguments(
		list, kernel, groups, group, arguments, next, event, n_waits, waits);

	if (!status)
		note_group(kernel, (uint64_t)group.n[0] * group.n[1] * group.n[2]);
	return status;
}

static void note_list(void *handle, enum ze_kind kind, void *context, void *device,
		      bool is_in_order, bool is_synchronous, bool is_cloneable)
{
	struct ze_object *list;

	levelzero_lock();
	list = levelzero_make(handle, kind);
	if (list) {
		list->device = levelzero_device(device);
		list->context = levelzero_get(context, ZE_CONTEXT);
		list->is_in_order = is_in_order;
		list->is_synchronous = is_synchronous;
		list->is_cloneable = is_cloneable;
	}
	levelzero_unlock();
}

static uint32_t queue_create(void *context, void *device, const void *desc, void **handle)
{
	const struct lane_ze_queue_desc *said = desc;
	uint32_t status = TARGET.zeCommandQueueCreate(context, device, desc, handle);

	if (!status) /* lists in a queue are executed in turn, their commands need not be */
		note_list(*handle, ZE_QUEUE, context, device, false,
			  said->mode == LANE_ZE_QUEUE_SYNCHRONOUS, false);
	return status;
}

static uint32_t list_create(void *context, void *device, const void *desc, void **handle)
{
	const struct lane_ze_list_desc *said = desc;
	uint32_t status = TARGET.zeCommandListCreate(context, device, desc, handle);

	/* The events of a list that was made with extensions may be exchanged later. */
	if (!status)
		note_list(*handle, ZE_LIST, context, device, said->flags & LANE_ZE_LIST_IN_ORDER,
			  false, said->next || (said->flags & LANE_ZE_LIST_CLONEABLE));
	return status;
}

static uint32_t immediate_create(void *context, void *device, const void *desc, void **handle)
{
	const struct lane_ze_queue_desc *said = desc;
	uint32_t status = TARGET.zeCommandListCreateImmediate(context, device, desc, handle);

	if (!status)
		note_list(*handle, ZE_QUEUE, context, device, said->flags & LANE_ZE_QUEUE_IN_ORDER,
			  said->mode == LANE_ZE_QUEUE_SYNCHRONOUS, false);
	return status;
}

/* The list's commands are gone: so are the events of ours. */
static void clear_list(void *handle)
{
	struct lane_ze_append *items = NULL;
	struct ze_chain chain = { 0 };
	struct ze_object *list;
	uint32_t n = 0;

	levelzero_lock();
	list = levelzero_find(handle, ZE_LIST);
	if (list) {
		items = list->items;
		n = list->n_items;
		list->items = NULL;
		list->n_items = list->room = 0;
	}
	for (uint32_t i = 0; i < n; i++)
		if (items[i].own)
			levelzero_finish_own(items[i].own, &chain);
	levelzero_unlock();
	levelzero_tell(&chain);
	for (uint32_t i = 0; i < n; i++) {
		struct ze_object *own = items[i].own;

		if (!own || !levelzero_clean(own, !TARGET.zeEventQueryStatus(own->handle)))
			continue;
		levelzero_lock();
		levelzero_give_back(own);
		levelzero_unlock();
	}
	free(items);
}

static uint32_t list_reset(void *handle)
{
	clear_list(handle);
	return TARGET.zeCommandListReset(handle);
}

/* A list or a queue that is destroyed has nothing under way. */
static void end_of(void *handle)
{
	struct ze_chain chain = { 0 };
	struct ze_object *object;

	clear_list(handle);
	levelzero_lock();
	object = levelzero_object(handle);
	if (object && object->kind == ZE_QUEUE)
		levelzero_finish(object, UINT64_MAX, &chain);
	if (object && (object->kind == ZE_LIST || object->kind == ZE_QUEUE))
		levelzero_drop(object);
	levelzero_unlock();
	levelzero_tell(&chain);
}

static uint32_t list_destroy(void *handle)
{
	end_of(handle);
	return TARGET.zeCommandListDestroy(handle);
}

static uint32_t queue_destroy(void *handle)
{
	end_of(handle);
	return TARGET.zeCommandQueueDestroy(handle);
}

static uint32_t note_capture(uint32_t status, int more)
{
	levelzero_lock();
	if (!status && (more > 0 || lane_ze_book.capturing))
		lane_ze_book.capturing += (unsigned int)more;
	levelzero_unlock();
	return status;
}

static uint32_t capture_begin(void *list, const void *next)
{
	return note_capture(TARGET.zeCommandListBeginGraphCaptureExt(list, next), 1);
}

static uint32_t capture_begin_into(void *list, void *graph, const void *next)
{
	return note_capture(TARGET.zeCommandListBeginCaptureIntoGraphExt(list, graph, next), 1);
}

static uint32_t capture_end(void *list, const void *next, void **graph)
{
	return note_capture(TARGET.zeCommandListEndGraphCaptureExt(list, next, graph), -1);
}

/* As SYCL's runtime has them: the driver's own. */
static uint32_t driver_capture_begin(void *list, void *next)
{
	return note_capture(TARGET.zeCommandListBeginGraphCaptureExp(list, next), 1);
}

static uint32_t driver_capture_begin_into(void *list, void *graph, void *next)
{
	return note_capture(TARGET.zeCommandListBeginCaptureIntoGraphExp(list, graph, next), 1);
}

static uint32_t driver_capture_end(void *list, void **graph, void *next)
{
	return note_capture(TARGET.zeCommandListEndGraphCaptureExp(list, graph, next), -1);
}

/* A closed list's commands are changed: of those of the kind, what was said before is not known any
 * more. */
static void forget_items(void *handle, bool events, bool kernels)
{
	struct ze_object *list;

	levelzero_lock();
	list = levelzero_find(handle, ZE_LIST);
	for (uint32_t i = 0; list && i < list->n_items; i++) {
		struct lane_ze_append *item = &list->items[i];

		if (events)
			item->event = NULL;
		else if (!events && item->type == LANE_CLC_LAUNCH_KERNEL)
			item->size = item->group = 0;
		if (kernels && item->type == LANE_CLC_LAUNCH_KERNEL)
			item->object = NULL;
	}
	levelzero_unlock();
}

static uint32_t change_commands(void *list, const void *desc)
{
	forget_items(list, false, false);
	return TARGET.zeCommandListUpdateMutableCommandsExp(list, desc);
}

static uint32_t change_signal(void *list, uint64_t command, void *event)
{
	forget_items(list, true, false);
	return TARGET.zeCommandListUpdateMutableCommandSignalEventExp(list, command, event);
}

static uint32_t change_kernels(void *list, uint32_t n, uint64_t *commands, void **kernels)
{
	forget_items(list, false, true);
	return TARGET.zeCommandListUpdateMutableCommandKernelsExp(list, n, commands, kernels);
}

void levelzero_patch(struct lane_ze_table *table)
{
	table->zeContextDestroy = context_destroy;
	table->zeEventPoolCreate = pool_create;
	table->zeEventPoolDestroy = pool_destroy;
	table->zeEventCreate = event_create;
	table->zeEventCounterBasedCreate = counter_create;
	table->zeEventDestroy = event_destroy;
	table->zeFenceDestroy = fence_destroy;
	table->zeModuleCreate = module_create;
	table->zeKernelCreate = kernel_create;
	table->zeKernelDestroy = kernel_destroy;
	table->zeKernelSetGroupSize = set_group;
	table->zeCommandQueueCreate = queue_create;
	table->zeCommandQueueDestroy = queue_destroy;
	table->zeCommandListCreate = list_create;
	table->zeCommandListCreateImmediate = immediate_create;
	table->zeCommandListReset = list_reset;
	table->zeCommandListDestroy = list_destroy;
	table->zeCommandListBeginGraphCaptureExt = capture_begin;
	table->zeCommandListBeginCaptureIntoGraphExt = capture_begin_into;
	table->zeCommandListEndGraphCaptureExt = capture_end;
	table->zeDriverGetExtensionFunctionAddress = driver_function;
	table->zexCounterBasedEventCreate2 = driver_counter_create;
	table->zeCommandListBeginGraphCaptureExp = driver_capture_begin;
	table->zeCommandListBeginCaptureIntoGraphExp = driver_capture_begin_into;
	table->zeCommandListEndGraphCaptureExp = driver_capture_end;
	table->zeCommandListAppendLaunchKernelWithArguments = launch_with_arguments;
	table->zeCommandListUpdateMutableCommandsExp = change_commands;
	table->zeCommandListUpdateMutableCommandSignalEventExp = change_signal;
	table->zeCommandListUpdateMutableCommandKernelsExp = change_kernels;
}
