// SPDX-License-Identifier: MIT
// The functions that create, change and destroy Level Zero's objects: they keep book.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fit.h"
#include "levelzero/ze_book.h"

#define TARGET lane_ze_target

static uint32_t context_destroy(void *handle)
{
	struct ze_object *context;

	levelzero_lock();
	context = levelzero_find(handle, ZE_CONTEXT);
	for (int i = 0; context && i < LANE_ZE_BUCKETS; i++) {
		for (struct ze_object *o = lane_ze_book.buckets[i], *next; o; o = next) {
			next = o->next;
			if (o->kind == ZE_EVENT && o->is_owned && o->context == context) {
				levelzero_settle_object(o);
				TARGET.zeEventDestroy(o->handle);
				levelzero_drop(o);
			} else if (o->context == context) {
				levelzero_finish(o, UINT64_MAX);
				o->context = NULL;
			}
		}
	}
	while (context && context->pools) {
		struct ze_object *pool = context->pools;

		context->pools = pool->free;
		TARGET.zeEventPoolDestroy(pool->handle);
		levelzero_drop(pool);
	}
	levelzero_drop(context);
	levelzero_unlock();
	return TARGET.zeContextDestroy(handle);
}

/* Times behind the program's back, while somebody records. */
static bool wants_times(void)
{
	const char *when = getenv("GPULANE_LEVELZERO_TIMES");

	if (when && strcmp(when, "always") == 0)
		return true;
	return (!when || strcmp(when, "never") != 0) && levelzero_tracing();
}

static uint32_t pool_create(void *context, const struct lane_ze_pool_desc *desc, uint32_t n,
			    void **devices, void **handle)
{
	const uint32_t timed = LANE_ZE_POOL_TIMES | LANE_ZE_POOL_MAPPED_TIMES;
	struct ze_object *pool;
	struct lane_ze_pool_desc ours;
	uint32_t status = LANE_ZE_UNSUPPORTED;
	bool is_hidden = false;

	if (desc && !(desc->flags & (timed | LANE_ZE_POOL_IPC)) && wants_times()) {
		/* The program's may be shorter than ours: `wait` is a counter based event's. */
		ours = (struct lane_ze_pool_desc){ desc->stype, desc->next,
						   desc->flags | LANE_ZE_POOL_TIMES, desc->count,
						   0 };
		status = TARGET.zeEventPoolCreate(context, &ours, n, devices, handle);
		is_hidden = !status;
	}
	if (status)
		status = TARGET.zeEventPoolCreate(context, desc, n, devices, handle);
	if (status)
		return status;
	levelzero_lock();
	pool = levelzero_make(*handle, ZE_POOL);
	if (pool) {
		pool->is_hidden = is_hidden;
		pool->has_times = is_hidden || (desc->flags & timed);
	}
	levelzero_unlock();
	return status;
}

static uint32_t forget_and(void *handle, enum ze_kind kind, uint32_t (*destroy)(void *))
{
	struct ze_object *object;

	levelzero_lock();
	object = levelzero_find(handle, kind);
	if (object && kind == ZE_EVENT)
		levelzero_settle_object(object);
	levelzero_drop(object);
	levelzero_unlock();
	return destroy(handle);
}

static uint32_t pool_destroy(void *handle)
{
	levelzero_lock();
	for (int i = 0; i < LANE_ZE_BUCKETS; i++) {
		for (struct ze_object *o = lane_ze_book.buckets[i], *next; o; o = next) {
			next = o->next;
			/* They should be gone already, and cannot be asked any more. */
			if (o->kind == ZE_EVENT && o->home == handle) {
				levelzero_settle_object(o);
				levelzero_drop(o);
			}
		}
	}
	levelzero_unlock();
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

static uint32_t pool_flags(void *handle, uint32_t *flags)
{
	uint32_t status = TARGET.zeEventPoolGetFlags(handle, flags);
	struct ze_object *pool;

	levelzero_lock();
	pool = levelzero_find(handle, ZE_POOL);
	if (!status && flags && pool && pool->is_hidden)
		*flags &= ~(uint32_t)LANE_ZE_POOL_TIMES;
	levelzero_unlock();
	return status;
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
		event->home = pool_handle;
	}
	levelzero_unlock();
	return status;
}

typedef uint32_t create_counter_fn(void *, void *, const struct lane_ze_pool_desc *, void **);

static uint32_t counter_create_by(create_counter_fn *create, void *context, void *device,
				  const struct lane_ze_pool_desc *desc, void **handle)
{
	const uint32_t timed = LANE_ZE_COUNTER_TIMES | LANE_ZE_COUNTER_HOST_TIMES;
	struct lane_ze_pool_desc ours;
	struct ze_object *event;
	uint32_t status = LANE_ZE_UNSUPPORTED;
	bool is_hidden = false;

	if (desc && !(desc->flags & (timed | LANE_ZE_COUNTER_IPC)) && wants_times()) {
		ours = *desc;
		ours.flags |= LANE_ZE_COUNTER_TIMES;
		status = create(context, device, &ours, handle);
		is_hidden = !status;
	}
	if (status)
		status = create(context, device, desc, handle);
	if (status)
		return status;
	levelzero_lock();
	event = levelzero_make(*handle, ZE_EVENT);
	if (event) {
		event->has_times = is_hidden || (desc && (desc->flags & timed));
		event->is_hidden = is_hidden;
		event->is_counter = true;
	}
	levelzero_unlock();
	return status;
}

static uint32_t counter_create(void *context, void *device, const struct lane_ze_pool_desc *desc,
			       void **handle)
{
	return counter_create_by(TARGET.zeEventCounterBasedCreate, context, device, desc, handle);
}

/* The driver's own function of before 1.15, which SYCL's runtime uses: the same but for its name.
 */
static create_counter_fn *driver_counter_create;

static uint32_t driver_create(void *context, void *device, const struct lane_ze_pool_desc *desc,
			      void **handle)
{
	return counter_create_by(driver_counter_create, context, device, desc, handle);
}

static uint32_t driver_function(void *driver, const char *name, void **function)
{
	create_counter_fn *ours = driver_create;
	uint32_t status = TARGET.zeDriverGetExtensionFunctionAddress(driver, name, function);

	if (!status && name && strcmp(name, "zexCounterBasedEventCreate2") == 0) {
		memcpy(&driver_counter_create, function, sizeof(ours));
		memcpy(function, &ours, sizeof(ours));
	}
	return status;
}

static uint32_t counter_flags(void *handle, uint32_t *flags)
{
	uint32_t status = TARGET.zeEventGetCounterBasedFlags(handle, flags);
	struct ze_object *event;

	levelzero_lock();
	event = levelzero_find(handle, ZE_EVENT);
	if (!status && flags && event && event->is_hidden)
		*flags &= ~(uint32_t)LANE_ZE_COUNTER_TIMES;
	levelzero_unlock();
	return status;
}

static uint32_t event_destroy(void *handle)
{
	return forget_and(handle, ZE_EVENT, TARGET.zeEventDestroy);
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

static uint32_t set_group(void *handle, uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t status = TARGET.zeKernelSetGroupSize(handle, x, y, z);
	struct ze_object *kernel;

	if (status)
		return status;
	levelzero_lock();
	kernel = levelzero_find(handle, ZE_KERNEL);
	if (kernel)
		kernel->group = (uint64_t)x * y * z;
	levelzero_unlock();
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

	if (!status)
		note_list(*handle, ZE_LIST, context, device, said->flags & LANE_ZE_LIST_IN_ORDER,
			  false, said->flags & LANE_ZE_LIST_CLONEABLE);
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
static void clear_list(struct ze_object *list)
{
	for (uint32_t i = 0; i < list->n_items; i++) {
		struct ze_object *event =
			list->items[i].own ? levelzero_find(list->items[i].signal, ZE_EVENT) : NULL;

		if (!event)
			continue;
		if (event->run)
			levelzero_reap(event->run);
		event->list = event->loose = NULL;
		levelzero_give_back(event);
	}
	list->n_items = 0;
}

static uint32_t list_reset(void *handle)
{
	struct ze_object *list;

	levelzero_lock();
	list = levelzero_find(handle, ZE_LIST);
	if (list)
		clear_list(list);
	levelzero_unlock();
	return TARGET.zeCommandListReset(handle);
}

/* A list or a queue that is destroyed has nothing under way. */
static void end_of(void *handle)
{
	struct ze_object *object;

	levelzero_lock();
	object = levelzero_object(handle);
	if (object && object->kind == ZE_LIST)
		clear_list(object);
	else if (object && object->kind == ZE_QUEUE)
		levelzero_finish(object, UINT64_MAX);
	if (object && (object->kind == ZE_LIST || object->kind == ZE_QUEUE))
		levelzero_drop(object);
	levelzero_unlock();
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

static uint32_t capture_begin(void *list, const void *next)
{
	uint32_t status = TARGET.zeCommandListBeginGraphCaptureExt(list, next);

	levelzero_lock();
	lane_ze_book.capturing += !status;
	levelzero_unlock();
	return status;
}

static uint32_t capture_begin_into(void *list, void *graph, const void *next)
{
	uint32_t status = TARGET.zeCommandListBeginCaptureIntoGraphExt(list, graph, next);

	levelzero_lock();
	lane_ze_book.capturing += !status;
	levelzero_unlock();
	return status;
}

static uint32_t capture_end(void *list, const void *next, void **graph)
{
	uint32_t status = TARGET.zeCommandListEndGraphCaptureExt(list, next, graph);

	levelzero_lock();
	lane_ze_book.capturing -= !status && lane_ze_book.capturing;
	levelzero_unlock();
	return status;
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

		if (events && !item->own)
			item->signal = NULL;
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
	table->zeEventPoolGetFlags = pool_flags;
	table->zeEventCreate = event_create;
	table->zeEventCounterBasedCreate = counter_create;
	table->zeEventGetCounterBasedFlags = counter_flags;
	table->zeEventDestroy = event_destroy;
	table->zeFenceDestroy = fence_destroy;
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
	table->zeCommandListUpdateMutableCommandsExp = change_commands;
	table->zeCommandListUpdateMutableCommandSignalEventExp = change_signal;
	table->zeCommandListUpdateMutableCommandKernelsExp = change_kernels;
}
