// SPDX-License-Identifier: MIT
// The layer's book of Level Zero's objects, and the commands on their way: which event tells of
// which command, and when it is read. Times are read when the program waits, or before they are
// lost. A command is told as complete when it is known to be: by its event, by a later one's in
// order, or since the program has waited for all of its queue.
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
	POLL_FROM = 1024, /* commands under way, before any is looked at that nobody waits for */
	POLL = 4,	  /* at most so many are then found incomplete */
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

/* A command that was submitted and not told as complete; or what is no command, but signals an
 * event. */
struct ze_run {
	struct ze_run *next, *prev; /* of its queue, by age */
	struct ze_object *queue, *event;
	uint64_t number;
	uint64_t covers; /* all from this number on are complete when it is */
	uint32_t type;	 /* 0: no command, it is not told */
	bool is_stale;	 /* its event may be signalled already, or by another */
	bool is_loose;	 /* its event's times may be another's */
};

struct ze_object {
	struct ze_object *next; /* of its bucket */
	void *handle;
	enum ze_kind kind;
	struct ze_object *context, *device, *list;
	bool is_told, is_in_order, is_synchronous, is_cloneable;
	/* device */
	char name[128];
	uint64_t hz, mono_ns, ticks;
	uint32_t bits, kernel_bits;
	/* context: events of ours that nobody uses, linked by `free` */
	struct ze_object *free, *pools;
	/* pool, event */
	bool has_times, is_hidden, is_owned, is_counter;
	bool is_clean;		 /* the host has reset it, and nothing was to signal it since */
	bool is_stale;		 /* before what is to signal it next */
	void *home;		 /* its pool */
	struct ze_run *run;	 /* that the event will tell of */
	struct ze_object *loose; /* a queue where others may signal it, too; NULL: none */
	/* kernel */
	uint64_t group;
	/* list */
	struct lane_ze_append *items;
	uint32_t n_items, room;
	/* queue */
	struct ze_run *first, *last;
	uint32_t n_runs, poll_from;
	/* fence: what was submitted up to then */
	void *queue;
	uint64_t number;
};

static struct {
	pthread_mutex_t lock;
	struct ze_object *buckets[BUCKETS];
	struct ze_run *unused;
	uint64_t last_number;
	unsigned int capturing; /* lists whose commands go to a graph */
} book = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct ze_object anywhere; /* as `loose`: on more than one queue */

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

/* To a few milliseconds. */
static uint64_t mono_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
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
	    !lane_ze_target.zeEventQueryKernelTimestamp(run->event->handle, &times)) {
		uint64_t end = widen(times.end, ticks_by_now(device), mask_of(device->kernel_bits));
		uint64_t start = widen(times.start, end, mask_of(device->kernel_bits));

		done.start_ns = scaled(start, NS_PER_S, device->hz);
		done.end_ns = scaled(end, NS_PER_S, device->hz);
	}
	if (run->type)
		lttng_ust_tracepoint(gpulane, opencl_command, &done);
	if (run->event)
		run->event->run = NULL;
	*(run->prev ? &run->prev->next : &queue->first) = run->next;
	*(run->next ? &run->next->prev : &queue->last) = run->prev;
	run->next = book.unused;
	book.unused = run;
}

static bool is_signalled(const struct ze_object *event)
{
	return event && !lane_ze_target.zeEventQueryStatus(event->handle);
}

/* A command that is complete. */
static void reap(struct ze_run *run)
{
	struct ze_object *event = run->event;

	tell(run, event && !run->is_loose);
	/* An event of a list stays the list's. */
	if (event && event->is_owned && !event->list)
		give_back(event);
}

/* All of a queue that was submitted up to a number is complete. */
static void finish_queue(struct ze_object *queue, uint64_t number)
{
	for (struct ze_run *run = queue->first, *next; run && run->number <= number; run = next) {
		next = run->next;
		reap(run);
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
		reap(first);
	}
	reap(run);
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

static void settle(struct ze_object *event)
{
	if (event && event->run && !try_reap(event->run))
		lose(event);
	if (event)
		event->is_clean = false;
}

void levelzero_settle(void *event)
{
	lock();
	settle(find(event, ZE_EVENT));
	unlock();
}

void levelzero_was_reset(void *handle)
{
	struct ze_object *event;

	lock();
	event = find(handle, ZE_EVENT);
	if (event) {
		event->is_clean = true;
		event->loose = NULL;
	}
	unlock();
}

uint64_t levelzero_last_number(void)
{
	return __atomic_load_n(&book.last_number, __ATOMIC_RELAXED);
}

/* covers: 0: all of its queue before it; otherwise from this number on. */
static uint64_t submit(struct ze_object *queue, struct ze_object *event, uint32_t type,
		       uint64_t covers)
{
	struct ze_run *run = book.unused;

	if (event)
		lose(event);
	if (run)
		book.unused = run->next;
	else
		run = malloc(sizeof(*run));
	if (!run)
		return 0;
	*run = (struct ze_run){ .prev = queue->last,
				.queue = queue,
				.event = event,
				.number = book.last_number + 1,
				.covers = covers,
				.type = type };
	__atomic_store_n(&book.last_number, run->number, __ATOMIC_RELAXED);
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

/* What is appended to the list goes to a graph. */
static bool is_captured(void *list)
{
	uint32_t status = book.capturing && lane_ze_target.zeCommandListIsGraphCaptureEnabledExt
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
	settle(event);
}

void levelzero_choose(struct lane_ze_append *append)
{
	struct ze_object *queue, *list, *kernel, *event;

	lock();
	queue = find(append->list, ZE_QUEUE);
	list = queue ? queue : find(append->list, ZE_LIST);
	kernel = append->type == LANE_CLC_LAUNCH_KERNEL ? find(append->object, ZE_KERNEL) : NULL;
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
	event = queue ? find(append->signal, ZE_EVENT) : NULL;
	look_before(event);
	/* A list may become part of a graph by what it waits for. */
	if (is_timed(append->type) && !append->signal && list && list->context && !book.capturing &&
	    !list->is_cloneable) {
		event = own_event(list->context);
		append->is_owned = event != NULL;
		append->signal = event ? event->handle : NULL;
	}
	unlock();
}

static void note_item(struct ze_object *list, const struct lane_ze_append *append)
{
	struct ze_object *event = append->is_owned ? find(append->signal, ZE_EVENT) : NULL;

	if (list->n_items == list->room) {
		uint32_t room = list->room ? 2 * list->room : 16;
		void *items = realloc(list->items, room * sizeof(*list->items));

		if (!items)
			return;
		list->items = items;
		list->room = room;
	}
	list->items[list->n_items++] = *append;
	if (event)
		event->list = list; /* until the list is reset */
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

	lock();
	queue = find(append->list, ZE_QUEUE);
	list = find(append->list, ZE_LIST);
	event = find(append->signal, ZE_EVENT);
	if (status && append->is_owned && event)
		give_back(event);
	if (!status && queue && is_captured(append->list)) {
		if (event)
			event->loose = &anywhere;
	} else if (!status && queue && is_reset(append)) {
		if (event)
			lose(event);
	} else if (!status && queue && (append->type || event)) {
		bool covers = queue->is_in_order || is_barrier(append);

		number = submit(queue, event, append->type, covers ? 0 : book.last_number + 1);
		if (queue->is_synchronous)
			finish_queue(queue, number);
	} else if (!status && list) {
		note_item(list, append);
	}
	unlock();
	return append->type ? number : 0;
}

void levelzero_executing(uint32_t n, void **lists)
{
	lock();
	for (uint32_t i = 0; lists && i < n; i++) {
		struct ze_object *list = find(lists[i], ZE_LIST);

		for (uint32_t k = 0; list && k < list->n_items; k++) {
			struct ze_object *event = find(list->items[k].signal, ZE_EVENT);

			/* A run that has not ended loses its times: the list has one event for all
			 * runs. */
			look_before(event);
			if (event && event->is_owned && !event->loose)
				lane_ze_target.zeEventHostReset(event->handle);
			else if (event && event->is_counter)
				event->is_stale = true;
		}
	}
	unlock();
}

/* The commands of a list were submitted. */
static void run_list(struct ze_object *queue, const struct ze_object *list)
{
	uint64_t first = book.last_number + 1;

	for (uint32_t k = 0; k < list->n_items; k++) {
		const struct lane_ze_append *item = &list->items[k];
		struct ze_object *event = find(item->signal, ZE_EVENT);
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
				      is_barrier(item) || list->is_in_order ? first
									    : book.last_number + 1);
		if (told.command && item->type)
			lttng_ust_tracepoint(gpulane, opencl_run, &told);
	}
}

void levelzero_executed(void *handle, uint32_t n, void **lists, void *fence)
{
	struct ze_object *queue, *mark;

	lock();
	queue = find(handle, ZE_QUEUE);
	for (uint32_t i = 0; queue && lists && i < n; i++) {
		struct ze_object *list = find(lists[i], ZE_LIST);

		if (list)
			run_list(queue, list);
	}
	mark = queue && fence ? get(fence, ZE_FENCE) : NULL;
	if (mark) {
		mark->queue = handle;
		mark->number = book.last_number;
	}
	if (queue && queue->is_synchronous)
		finish_queue(queue, book.last_number);
	unlock();
}

void levelzero_waited(void *handle, uint64_t number)
{
	struct ze_object *object, *queue;

	lock();
	object = *place(handle);
	if (object && object->kind == ZE_QUEUE) {
		finish_queue(object, number);
	} else if (object && object->kind == ZE_FENCE) {
		queue = find(object->queue, ZE_QUEUE);
		if (queue)
			finish_queue(queue, object->number);
	} else if (object && object->kind == ZE_EVENT && object->run) {
		queue = object->run->queue;
		try_reap(object->run);
		poll_queue(queue);
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
			} else if (o->context == context) {
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
	lock();
	for (int i = 0; i < BUCKETS; i++) {
		for (struct ze_object *o = book.buckets[i], *next; o; o = next) {
			next = o->next;
			/* They should be gone already, and cannot be asked any more. */
			if (o->kind == ZE_EVENT && o->home == handle) {
				settle(o);
				drop(o);
			}
		}
	}
	unlock();
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

static uint32_t event_create(void *pool_handle, const struct lane_ze_event_desc *desc,
			     void **handle)
{
	uint32_t status = TARGET.zeEventCreate(pool_handle, desc, handle);
	struct ze_object *pool, *event;

	if (status)
		return status;
	lock();
	pool = find(pool_handle, ZE_POOL);
	event = make(*handle, ZE_EVENT);
	if (event) {
		event->has_times = pool && pool->has_times;
		event->home = pool_handle;
	}
	unlock();
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
	lock();
	event = make(*handle, ZE_EVENT);
	if (event) {
		event->has_times = is_hidden || (desc && (desc->flags & timed));
		event->is_hidden = is_hidden;
		event->is_counter = true;
	}
	unlock();
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
		      bool is_in_order, bool is_synchronous, bool is_cloneable)
{
	struct ze_object *list;

	lock();
	list = make(handle, kind);
	if (list) {
		list->device = device_of(device);
		list->context = get(context, ZE_CONTEXT);
		list->is_in_order = is_in_order;
		list->is_synchronous = is_synchronous;
		list->is_cloneable = is_cloneable;
	}
	unlock();
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
			list->items[i].is_owned ? find(list->items[i].signal, ZE_EVENT) : NULL;

		if (!event)
			continue;
		if (event->run)
			reap(event->run);
		event->list = event->loose = NULL;
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

static uint32_t capture_begin(void *list, const void *next)
{
	uint32_t status = TARGET.zeCommandListBeginGraphCaptureExt(list, next);

	lock();
	book.capturing += !status;
	unlock();
	return status;
}

static uint32_t capture_begin_into(void *list, void *graph, const void *next)
{
	uint32_t status = TARGET.zeCommandListBeginCaptureIntoGraphExt(list, graph, next);

	lock();
	book.capturing += !status;
	unlock();
	return status;
}

static uint32_t capture_end(void *list, const void *next, void **graph)
{
	uint32_t status = TARGET.zeCommandListEndGraphCaptureExt(list, next, graph);

	lock();
	book.capturing -= !status && book.capturing;
	unlock();
	return status;
}

/* A closed list's commands are changed: of those of the kind, what was said before is not known any
 * more. */
static void forget_items(void *handle, bool events, bool kernels)
{
	struct ze_object *list;

	lock();
	list = find(handle, ZE_LIST);
	for (uint32_t i = 0; list && i < list->n_items; i++) {
		struct lane_ze_append *item = &list->items[i];

		if (events && !item->is_owned)
			item->signal = NULL;
		else if (!events && item->type == LANE_CLC_LAUNCH_KERNEL)
			item->size = item->group = 0;
		if (kernels && item->type == LANE_CLC_LAUNCH_KERNEL)
			item->object = NULL;
	}
	unlock();
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
