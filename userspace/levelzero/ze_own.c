// SPDX-License-Identifier: MIT
// Events of the layer's own, which take the times of the program's commands.
//
// Their pools have the flag of those that are shared with other processes: Intel's runtime makes no
// counter based events of them. One of those that has times, and is signalled by an in-order list,
// cannot be asked without waiting for its command (NEO 26.27, event_impl.inl,
// queryCounterBasedEventStatus() with heapfullCbEventWithProfiling). Ours can be asked at any time.
#include <stdlib.h>

#include "levelzero/ze_book.h"

enum {
	POOL_EVENTS = 64, /* created together */
	FOR_HOST = 1 << 2,
};

/* Linked by `free`; NULL: none could be had. */
static struct ze_object *make_events(struct ze_object *context, bool is_for_host, void *pool)
{
	struct ze_object *first = NULL, *event;

	for (uint32_t i = 0; i < POOL_EVENTS; i++) {
		struct lane_ze_event_desc desc = { LANE_ZE_TYPE_EVENT, NULL, i,
						   is_for_host ? FOR_HOST : 0, 0 };

		event = calloc(1, sizeof(*event));
		if (!event || lane_ze_target.zeEventCreate(pool, &desc, &event->handle)) {
			free(event);
			break;
		}
		event->kind = ZE_EVENT;
		event->context = context;
		event->has_times = true;
		event->is_for_host = is_for_host;
		event->next = event->free[0] = first;
		first = event;
	}
	return first;
}

/* What was made becomes the context's; one of it is returned. */
static struct ze_object *add_events(struct ze_object *context, struct ze_object *pool,
				    struct ze_object *first)
{
	struct ze_object *last = first;

	while (last && last->next)
		last = last->next;
	levelzero_lock();
	pool->next = context->pools;
	context->pools = pool;
	if (first) {
		last->next = context->events;
		context->events = first;
		last->free[0] = context->free[first->is_for_host];
		context->free[first->is_for_host] = first->free[0];
	}
	levelzero_unlock();
	return first;
}

struct ze_object *levelzero_own_event(struct ze_object *context, bool is_for_host)
{
	struct lane_ze_pool_desc desc = { LANE_ZE_TYPE_POOL, NULL,
					  LANE_ZE_POOL_HOST_VISIBLE | LANE_ZE_POOL_TIMES |
						  LANE_ZE_POOL_IPC,
					  POOL_EVENTS, 0 };
	struct ze_object *event, *pool;

	levelzero_lock();
	event = context->free[is_for_host];
	if (event)
		context->free[is_for_host] = event->free[0];
	levelzero_unlock();
	if (event || context->is_special)
		return event;
	pool = calloc(1, sizeof(*pool));
	if (!pool ||
	    lane_ze_target.zeEventPoolCreate(context->handle, &desc, 0, NULL, &pool->handle)) {
		context->is_special = true; /* it gives none */
		free(pool);
		return NULL;
	}
	return add_events(context, pool, make_events(context, is_for_host, pool->handle));
}

bool levelzero_clean(struct ze_object *own, bool is_over)
{
	/* One that is under way is used no more: the GPU may wait for it to be signalled. */
	return is_over && !lane_ze_target.zeEventHostReset(own->handle);
}

void levelzero_give_back(struct ze_object *own)
{
	struct ze_object *context = own->context;

	own->list = own->loose = NULL;
	own->free[0] = context->free[own->is_for_host];
	context->free[own->is_for_host] = own;
}

void levelzero_destroy_own(struct ze_object *context)
{
	struct ze_object *next;

	for (struct ze_object *event = context->events; event; event = next) {
		next = event->next;
		lane_ze_target.zeEventDestroy(event->handle);
		free(event);
	}
	for (struct ze_object *pool = context->pools; pool; pool = next) {
		next = pool->next;
		lane_ze_target.zeEventPoolDestroy(pool->handle);
		free(pool);
	}
	context->events = context->pools = context->free[0] = context->free[1] = NULL;
}
