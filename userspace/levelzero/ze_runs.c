// SPDX-License-Identifier: MIT
// The layer's book of Level Zero's objects, and the commands on their way: which event tells of
// which command, and when it is read. Times are read when the program waits, or before they are
// lost.
#include "levelzero/ze_layer.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLOCK_EVERY_NS 100000000ull
#define NS_PER_S       1000000000ull

enum {
	BUCKETS = 1 << 12,
	POOL_EVENTS = 64, /* of ours, created together */
	POLL = 4,	  /* commands looked at in a call that waits for nothing */
};

enum ze_kind {
	ZE_DEVICE,
	ZE_CONTEXT,
	ZE_POOL,
	ZE_EVENT,
	ZE_KERNEL,
	ZE_LIST,  /* a regular list */
	ZE_QUEUE, /* a queue, or an immediate list */
	ZE_FENCE,
};

struct ze_object;

/* A command that was submitted and not told as complete. */
struct ze_run {
	struct ze_run *next, *prev; /* of its queue, by age */
	struct ze_object *queue, *event;
	uint64_t number;
	uint32_t type;
	bool is_stale; /* its event may still show an earlier run */
};

/* A command of a regular list. */
struct ze_item {
	struct lane_ze_append said;
	struct ze_object *event;
};

struct ze_object {
	struct ze_object *next; /* of its bucket */
	void *handle;
	enum ze_kind kind;
	struct ze_object *context, *device, *pool;
	bool is_told, is_in_order, is_capturing, is_cloneable;
	/* device */
	char name[128];
	uint64_t hz, mono_ns, ticks;
	uint32_t bits, kernel_bits;
	/* context: events of ours that nobody uses, linked by `free` */
	struct ze_object *free, *pools;
	/* pool, event */
	bool has_times, is_hidden, is_owned;
	struct ze_run *run; /* that the event will tell of */
	/* kernel */
	uint64_t group;
	/* list */
	struct ze_item *items;
	uint32_t n_items, room;
	/* queue */
	struct ze_run *first, *last;
	/* fence */
	uint64_t number;
};

static struct {
	pthread_mutex_t lock;
	struct ze_object *buckets[BUCKETS];
	struct ze_run *unused;
	uint64_t last_number;
} book = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool lane_ze_forked;

static void lock(void)
{
	pthread_mutex_lock(&book.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&book.lock);
}

static void begin_child(void)
{
	unlock();
	lane_ze_forked = true;
}

__attribute__((constructor)) static void guard_forks(void)
{
	pthread_atfork(lock, unlock, begin_child);
}

static struct ze_object **place(const void *handle)
{
	struct ze_object **at = &book.buckets[(uintptr_t)handle * 0x9e3779b97f4a7c15ull >> 52];

	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	return at;
}

static struct ze_object *find(const void *handle, enum ze_kind kind)
{
	struct ze_object *object = handle ? *place(handle) : NULL;

	return object && object->kind == kind ? object : NULL;
}

static void put(struct ze_object *object)
{
	struct ze_object **at = place(object->handle);

	object->next = *at;
	*at = object;
}

static void drop(struct ze_object *object)
{
	struct ze_object **at = object ? place(object->handle) : NULL;

	if (!object || *at != object)
		return;
	*at = object->next;
	free(object->items);
	free(object);
}

/* A new object under the handle; NULL: no memory. */
static struct ze_object *make(void *handle, enum ze_kind kind)
{
	struct ze_object *object = *place(handle);

	/* One whose end was not seen. */
	if (object && !object->first && !object->run)
		drop(object);
	else if (object)
		return NULL;
	object = calloc(1, sizeof(*object));
	if (!object)
		return NULL;
	object->handle = handle;
	object->kind = kind;
	put(object);
	return object;
}

static struct ze_object *get(void *handle, enum ze_kind kind)
{
	struct ze_object *object = find(handle, kind);

	return object ? object : make(handle, kind);
}

/* --- clocks --- */

static uint64_t mono_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t scaled(uint64_t value, uint64_t by, uint64_t of)
{
	return (uint64_t)((unsigned __int128)value * by / of);
}

static uint64_t mask_of(uint32_t bits)
{
	return bits && bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
}

/* The latest time with these low bits that is not after `by`. */
static uint64_t widen(uint64_t raw, uint64_t by, uint64_t mask)
{
	return mask == UINT64_MAX ? raw : by - ((by - raw) & mask);
}

/* About what time the device has, in ticks, and half of a second more. */
static uint64_t ticks_by_now(const struct ze_object *device)
{
	return device->ticks +
	       scaled(mono_ns() - device->mono_ns + NS_PER_S / 2, device->hz, NS_PER_S);
}

/* Reads the device's clock between two events. */
static void read_clock(struct ze_object *device)
{
	struct lane_p_opencl_clock told = {
		.device = (uintptr_t)device->handle,
		/* Intel's runtime clears the lowest bit of times that no kernel's launch writes. */
		.grain_ns = (uint32_t)(2 * NS_PER_S / device->hz + 1),
	};
	uint64_t host, ticks, by = device->mono_ns ? ticks_by_now(device) : 0;

	lttng_ust_tracepoint(gpulane, opencl_clock, &told);
	if (lane_ze_target.zeDeviceGetGlobalTimestamps(device->handle, &host, &ticks))
		return;
	device->ticks = device->mono_ns ? widen(ticks, by, mask_of(device->bits)) : ticks;
	device->mono_ns = mono_ns();
	told.device_ns = scaled(device->ticks, NS_PER_S, device->hz);
	lttng_ust_tracepoint(gpulane, opencl_clock, &told);
}

static struct ze_object *device_of(void *handle)
{
	struct lane_ze_device_properties properties = { .stype = LANE_ZE_TYPE_DEVICE_1_2 };
	struct ze_object *device = get(handle, ZE_DEVICE);

	if (!device || device->hz)
		return device;
	if (!lane_ze_target.zeDeviceGetProperties ||
	    lane_ze_target.zeDeviceGetProperties(handle, &properties) || !properties.timer_hz)
		return NULL;
	device->hz = properties.timer_hz;
	device->bits = properties.time_bits;
	device->kernel_bits = properties.kernel_time_bits;
	memcpy(device->name, properties.name, sizeof(device->name) - 1);
	return device;
}

void levelzero_clocks(void)
{
	static uint64_t due_ns;
	uint64_t now_ns = mono_ns();

	if (now_ns < __atomic_load_n(&due_ns, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&due_ns, now_ns + CLOCK_EVERY_NS, __ATOMIC_RELAXED);
	lock();
	for (int i = 0; i < BUCKETS; i++)
		for (struct ze_object *o = book.buckets[i]; o; o = o->next)
			if (o->kind == ZE_DEVICE && o->mono_ns)
				read_clock(o);
	unlock();
}

/* --- commands --- */

static void give_back(struct ze_object *event)
{
	if (!event || !event->is_owned)
		return;
	lane_ze_target.zeEventHostReset(event->handle);
	event->free = event->context->free;
	event->context->free = event;
}

/* Tells the command as complete, with its times where the event has them, and forgets it. */
static void tell(struct ze_run *run, bool has_ended)
{
	struct ze_object *queue = run->queue, *device = queue->device;
	struct lane_p_opencl_command done = { .command = run->number,
					      .queue = (uintptr_t)queue->handle,
					      .type = run->type };
	struct lane_ze_times times;

	if (has_ended && run->event && run->event->has_times && device && device->mono_ns &&
	    !lane_ze_target.zeEventQueryKernelTimestamp(run->event->handle, &times)) {
		uint64_t end = widen(times.end, ticks_by_now(device), mask_of(device->kernel_bits));
		uint64_t start = widen(times.start, end, mask_of(device->kernel_bits));

		done.start_ns = scaled(start, NS_PER_S, device->hz);
		done.end_ns = scaled(end, NS_PER_S, device->hz);
	}
	lttng_ust_tracepoint(gpulane, opencl_command, &done);
	if (run->event && run->event->run == run)
		run->event->run = NULL;
	*(run->prev ? &run->prev->next : &queue->first) = run->next;
	*(run->next ? &run->next->prev : &queue->last) = run->prev;
	run->next = book.unused;
	book.unused = run;
}

/* Tells the command if it is complete. is_over: the program has waited for it. */
static bool reap(struct ze_run *run, bool is_over)
{
	struct ze_object *event = run->event;
	bool has_ended = event && !lane_ze_target.zeEventQueryStatus(event->handle);

	if (!is_over && (!has_ended || run->is_stale))
		return false;
	tell(run, has_ended);
	/* An event of a list stays the list's. */
	if (event && event->is_owned && !event->pool)
		give_back(event);
	return true;
}

/* Tells what is complete of a queue, from the oldest on. */
static void poll_queue(struct ze_object *queue, int most)
{
	for (struct ze_run *run = queue->first, *next; run && most; run = next, most--) {
		next = run->next;
		if (!reap(run, false) && queue->is_in_order)
			break;
	}
}

/* All that was submitted up to a number is over. */
static void finish_queue(struct ze_object *queue, uint64_t number)
{
	for (struct ze_run *run = queue->first, *next; run && run->number <= number; run = next) {
		next = run->next;
		reap(run, true);
	}
}

static void settle(struct ze_object *event)
{
	struct ze_run *run = event ? event->run : NULL;

	if (run && !reap(run, false))
		tell(run, false);
}

void levelzero_settle(void *event)
{
	lock();
	settle(find(event, ZE_EVENT));
	unlock();
}

static uint64_t submit(struct ze_object *queue, struct ze_object *event, uint32_t type)
{
	struct ze_run *run = book.unused;

	if (run)
		book.unused = run->next;
	else
		run = malloc(sizeof(*run));
	if (!run)
		return 0;
	*run = (struct ze_run){ .prev = queue->last,
				.queue = queue,
				.event = event,
				.number = ++book.last_number,
				.type = type };
	*(queue->last ? &queue->last->next : &queue->first) = run;
	queue->last = run;
	if (event)
		event->run = run;
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
		pool = make(handle, ZE_POOL);
		if (!pool)
			return NULL;
		pool->free = context->pools;
		context->pools = pool;
		for (uint32_t i = 0; i < POOL_EVENTS; i++) {
			struct lane_ze_event_desc one = { LANE_ZE_TYPE_EVENT, NULL, i, 0, 0 };

			if (lane_ze_target.zeEventCreate(pool->handle, &one, &handle))
				break;
			event = make(handle, ZE_EVENT);
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
		read_clock(queue->device);
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

uint64_t levelzero_group(void *handle)
{
	struct ze_object *kernel;
	uint64_t group;

	lock();
	kernel = find(handle, ZE_KERNEL);
	group = kernel ? kernel->group : 0;
	unlock();
	return group;
}

uint64_t levelzero_queue_of(void *handle)
{
	struct ze_object *queue;

	lock();
	queue = find(handle, ZE_QUEUE);
	if (queue && queue->device && !queue->is_told)
		tell_queue(queue);
	unlock();
	return queue ? (uintptr_t)handle : 0;
}

void levelzero_choose(struct lane_ze_append *append)
{
	struct ze_object *queue, *list, *kernel, *event;

	lock();
	queue = find(append->list, ZE_QUEUE);
	list = queue ? queue : find(append->list, ZE_LIST);
	kernel = append->type == LANE_CLC_LAUNCH_KERNEL ? find(append->object, ZE_KERNEL) : NULL;
	if (kernel && !kernel->is_told) {
		kernel->is_told = true;
		tell_kernel(kernel->handle, kernel->name);
	}
	if (queue && queue->device && !queue->is_told)
		tell_queue(queue);
	append->queue = queue ? (uintptr_t)queue->handle : 0;
	if (queue)
		poll_queue(queue, POLL);
	settle(find(append->signal, ZE_EVENT));
	if (list && list->context && !append->signal && !list->is_capturing &&
	    !list->is_cloneable) {
		event = own_event(list->context);
		append->is_owned = event != NULL;
		append->signal = event ? event->handle : NULL;
	}
	unlock();
}

uint64_t levelzero_appended(struct lane_ze_append *append, uint32_t status)
{
	struct ze_object *queue, *list, *event;
	uint64_t number = 0;

	lock();
	queue = find(append->list, ZE_QUEUE);
	list = find(append->list, ZE_LIST);
	event = find(append->signal, ZE_EVENT);
	if (status && append->is_owned && event)
		give_back(event);
	if (!status && queue && !queue->is_capturing) {
		number = submit(queue, event, append->type);
	} else if (!status && list) {
		if (list->n_items == list->room) {
			uint32_t room = list->room ? 2 * list->room : 16;
			struct ze_item *items = realloc(list->items, room * sizeof(*items));

			if (items) {
				list->items = items;
				list->room = room;
			}
		}
		if (list->n_items < list->room)
			list->items[list->n_items++] = (struct ze_item){ *append, event };
		if (event && append->is_owned)
			event->pool = list; /* it is the list's until the list is reset */
	}
	unlock();
	return number;
}

void levelzero_executing(uint32_t n, void **lists)
{
	lock();
	for (uint32_t i = 0; lists && i < n; i++) {
		struct ze_object *list = find(lists[i], ZE_LIST);

		for (uint32_t k = 0; list && k < list->n_items; k++) {
			struct ze_object *event = list->items[k].event;
			struct ze_run *run = event ? event->run : NULL;

			if (!event)
				continue;
			/* A run that has not ended loses its times: the list has one event for all
			 * runs. */
			if (run && !reap(run, false)) {
				tell(run, false);
				event->number = book.last_number; /* stale */
			} else if (event->is_owned) {
				lane_ze_target.zeEventHostReset(event->handle);
				event->number = 0;
			}
		}
	}
	unlock();
}

void levelzero_executed(void *handle, uint32_t n, void **lists, void *fence)
{
	struct ze_object *queue, *mark;

	lock();
	queue = find(handle, ZE_QUEUE);
	for (uint32_t i = 0; queue && lists && i < n; i++) {
		struct ze_object *list = find(lists[i], ZE_LIST);

		for (uint32_t k = 0; list && k < list->n_items; k++) {
			const struct ze_item *item = &list->items[k];
			struct lane_p_opencl_run told = {
				.command = submit(queue, item->event, item->said.type),
				.queue = (uintptr_t)handle,
				.list = (uintptr_t)list->handle,
				.object = (uintptr_t)item->said.object,
				.size = item->said.size,
				.group = item->said.group,
				.function = item->said.function,
				.type = item->said.type,
			};

			if (!told.command)
				continue;
			/* The program's events need not be reset in between. */
			queue->last->is_stale =
				item->event && (!item->event->is_owned || item->event->number);
			lttng_ust_tracepoint(gpulane, opencl_run, &told);
		}
	}
	mark = queue && fence ? get(fence, ZE_FENCE) : NULL;
	if (mark) {
		mark->device = queue;
		mark->number = book.last_number;
	}
	unlock();
}

void levelzero_waited(void *handle)
{
	struct ze_object *object;

	lock();
	object = *place(handle);
	if (object && object->kind == ZE_QUEUE) {
		finish_queue(object, UINT64_MAX);
	} else if (object && object->kind == ZE_FENCE && find(object->device->handle, ZE_QUEUE)) {
		finish_queue(object->device, object->number);
	} else if (object && object->kind == ZE_EVENT && object->run) {
		struct ze_object *queue = object->run->queue;

		/* A list's event that the program did not reset may be of the run before. */
		if (!object->run->is_stale)
			reap(object->run, true);
		poll_queue(queue, -1);
	}
	unlock();
}

/* --- the objects --- */

#define TARGET lane_ze_target

static uint32_t context_destroy(void *handle)
{
	struct ze_object *context;

	lock();
	context = find(handle, ZE_CONTEXT);
	for (int i = 0; context && i < BUCKETS; i++) {
		for (struct ze_object *o = book.buckets[i], *next; o; o = next) {
			next = o->next;
			if (o->kind == ZE_EVENT && o->is_owned && o->context == context) {
				settle(o);
				TARGET.zeEventDestroy(o->handle);
				drop(o);
			} else if (o->kind == ZE_QUEUE && o->context == context) {
				finish_queue(o, UINT64_MAX);
				o->context = NULL;
			}
		}
	}
	while (context && context->pools) {
		struct ze_object *pool = context->pools;

		context->pools = pool->free;
		TARGET.zeEventPoolDestroy(pool->handle);
		drop(pool);
	}
	drop(context);
	unlock();
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
	lock();
	pool = make(*handle, ZE_POOL);
	if (pool) {
		pool->is_hidden = is_hidden;
		pool->has_times = is_hidden || (desc->flags & timed);
	}
	unlock();
	return status;
}

static uint32_t forget_and(void *handle, enum ze_kind kind, uint32_t (*destroy)(void *))
{
	struct ze_object *object;

	lock();
	object = find(handle, kind);
	if (object && kind == ZE_EVENT)
		settle(object);
	drop(object);
	unlock();
	return destroy(handle);
}

static uint32_t pool_destroy(void *handle)
{
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

	lock();
	pool = find(handle, ZE_POOL);
	if (!status && flags && pool && pool->is_hidden)
		*flags &= ~(uint32_t)LANE_ZE_POOL_TIMES;
	unlock();
	return status;
}

static void note_event(void *handle, bool has_times, bool is_hidden)
{
	struct ze_object *event = make(handle, ZE_EVENT);

	if (!event)
		return;
	event->has_times = has_times;
	event->is_hidden = is_hidden;
}

static uint32_t event_create(void *pool_handle, const struct lane_ze_event_desc *desc,
			     void **handle)
{
	uint32_t status = TARGET.zeEventCreate(pool_handle, desc, handle);
	struct ze_object *pool;

	if (status)
		return status;
	lock();
	pool = find(pool_handle, ZE_POOL);
	note_event(*handle, pool && pool->has_times, false);
	unlock();
	return status;
}

static uint32_t counter_create(void *context, void *device, const struct lane_ze_pool_desc *desc,
			       void **handle)
{
	const uint32_t timed = LANE_ZE_COUNTER_TIMES | LANE_ZE_COUNTER_HOST_TIMES;
	struct lane_ze_pool_desc ours;
	uint32_t status = LANE_ZE_UNSUPPORTED;
	bool is_hidden = false;

	if (desc && !(desc->flags & (timed | LANE_ZE_COUNTER_IPC)) && wants_times()) {
		ours = *desc;
		ours.flags |= LANE_ZE_COUNTER_TIMES;
		status = TARGET.zeEventCounterBasedCreate(context, device, &ours, handle);
		is_hidden = !status;
	}
	if (status)
		status = TARGET.zeEventCounterBasedCreate(context, device, desc, handle);
	if (status)
		return status;
	lock();
	note_event(*handle, is_hidden || (desc && (desc->flags & timed)), is_hidden);
	unlock();
	return status;
}

static uint32_t counter_flags(void *handle, uint32_t *flags)
{
	uint32_t status = TARGET.zeEventGetCounterBasedFlags(handle, flags);
	struct ze_object *event;

	lock();
	event = find(handle, ZE_EVENT);
	if (!status && flags && event && event->is_hidden)
		*flags &= ~(uint32_t)LANE_ZE_COUNTER_TIMES;
	unlock();
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
	lock();
	kernel = make(*handle, ZE_KERNEL);
	if (kernel)
		snprintf(kernel->name, sizeof(kernel->name), "%s", said->name ? said->name : "");
	unlock();
	return status;
}

static uint32_t set_group(void *handle, uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t status = TARGET.zeKernelSetGroupSize(handle, x, y, z);
	struct ze_object *kernel;

	if (status)
		return status;
	lock();
	kernel = find(handle, ZE_KERNEL);
	if (kernel)
		kernel->group = (uint64_t)x * y * z;
	unlock();
	return status;
}

static void note_list(void *handle, enum ze_kind kind, void *context, void *device,
		      bool is_in_order, bool is_cloneable)
{
	struct ze_object *list;

	lock();
	list = make(handle, kind);
	if (list) {
		list->device = device_of(device);
		list->context = get(context, ZE_CONTEXT);
		list->is_in_order = is_in_order;
		list->is_cloneable = is_cloneable;
	}
	unlock();
}

static uint32_t queue_create(void *context, void *device, const void *desc, void **handle)
{
	uint32_t status = TARGET.zeCommandQueueCreate(context, device, desc, handle);

	if (!status) /* lists in a queue are executed in turn, their commands need not be */
		note_list(*handle, ZE_QUEUE, context, device, false, false);
	return status;
}

static uint32_t list_create(void *context, void *device, const void *desc, void **handle)
{
	const struct lane_ze_list_desc *said = desc;
	uint32_t status = TARGET.zeCommandListCreate(context, device, desc, handle);

	if (!status)
		note_list(*handle, ZE_LIST, context, device, said->flags & LANE_ZE_LIST_IN_ORDER,
			  said->flags & LANE_ZE_LIST_CLONEABLE);
	return status;
}

static uint32_t immediate_create(void *context, void *device, const void *desc, void **handle)
{
	const struct lane_ze_queue_desc *said = desc;
	uint32_t status = TARGET.zeCommandListCreateImmediate(context, device, desc, handle);

	if (!status)
		note_list(*handle, ZE_QUEUE, context, device, said->flags & LANE_ZE_QUEUE_IN_ORDER,
			  false);
	return status;
}

/* The list's commands are gone: so are the events of ours. */
static void clear_list(struct ze_object *list)
{
	for (uint32_t i = 0; i < list->n_items; i++) {
		struct ze_object *event = list->items[i].event;

		if (!event || !list->items[i].said.is_owned)
			continue;
		settle(event);
		event->pool = NULL;
		event->number = 0;
		give_back(event);
	}
	list->n_items = 0;
}

static uint32_t list_reset(void *handle)
{
	struct ze_object *list;

	lock();
	list = find(handle, ZE_LIST);
	if (list)
		clear_list(list);
	unlock();
	return TARGET.zeCommandListReset(handle);
}

/* A list or a queue that is destroyed has nothing under way. */
static void end_of(void *handle)
{
	struct ze_object *object;

	lock();
	object = *place(handle);
	if (object && object->kind == ZE_LIST)
		clear_list(object);
	else if (object && object->kind == ZE_QUEUE)
		finish_queue(object, UINT64_MAX);
	if (object && (object->kind == ZE_LIST || object->kind == ZE_QUEUE))
		drop(object);
	unlock();
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

static void capture(void *handle, bool begins)
{
	struct ze_object *list;

	lock();
	list = find(handle, ZE_QUEUE);
	if (list)
		list->is_capturing = begins;
	unlock();
}

static uint32_t capture_begin(void *list, const void *next)
{
	uint32_t status = TARGET.zeCommandListBeginGraphCaptureExt(list, next);

	if (!status)
		capture(list, true);
	return status;
}

static uint32_t capture_begin_into(void *list, void *graph, const void *next)
{
	uint32_t status = TARGET.zeCommandListBeginCaptureIntoGraphExt(list, graph, next);

	if (!status)
		capture(list, true);
	return status;
}

static uint32_t capture_end(void *list, const void *next, void **graph)
{
	uint32_t status = TARGET.zeCommandListEndGraphCaptureExt(list, next, graph);

	capture(list, false);
	return status;
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
}
