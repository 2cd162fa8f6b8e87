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
	POOL_LEAST = 64, /* a pool's events; of a later pool more, since a new one takes long */
	POOL_MOST = 4096,
	ALL_EVENTS = 1 << 16, /* a context's */
	FOR_HOST = 1 << 2,
};

/* The place of a new event in the context's newest pool; false: that is full. */
static bool take_place(struct ze_object *context, struct ze_object **pool, uint32_t *index)
{
	bool has_room;

	levelzero_lock();
	*pool = context->pools;
	has_room = *pool && (*pool)->n_items < (*pool)->room;
	if (has_room)
		*index = (*pool)->n_items++;
	levelzero_unlock();
	return has_room;
}

static bool add_pool(struct ze_object *context, const struct ze_object *last)
{
	struct lane_ze_pool_desc desc = { LANE_ZE_TYPE_POOL, NULL,
					  LANE_ZE_POOL_HOST_VISIBLE | LANE_ZE_POOL_TIMES |
						  LANE_ZE_POOL_IPC,
					  last ? 8 * last->room : POOL_LEAST, 0 };
	struct ze_object *pool = calloc(1, sizeof(*pool));

	if (desc.count > POOL_MOST)
		desc.count = POOL_MOST;
	if (!pool ||
	    lane_ze_target.zeEventPoolCreate(context->handle, &desc, 0, NULL, &pool->handle)) {
		free(pool);
		return false;
	}
	pool->room = desc.count;
	levelzero_lock();
	pool->next = context->pools;
	context->pools = pool;
	context->room += desc.count;
	levelzero_unlock();
	return true;
}

static struct ze_object *make_event(struct ze_object *context, bool is_for_host)
{
	struct lane_ze_event_desc desc = { .stype = LANE_ZE_TYPE_EVENT,
					   .signal = is_for_host ? FOR_HOST : 0 };
	struct ze_object *pool, *event;

	while (!take_place(context, &pool, &desc.index))
		if (context->room >= ALL_EVENTS || !add_pool(context, pool))
			return NULL;
	event = calloc(1, sizeof(*event));
	if (!event || lane_ze_target.zeEventCreate(pool->handle, &desc, &event->handle)) {
		free(event);
		return NULL;
	}
	event->kind = ZE_EVENT;
	event->context = context;
	event->has_times = true;
	event->is_for_host = is_for_host;
	levelzero_lock();
	event->next = context->events;
	context->events = event;
	levelzero_unlock();
	return event;
}

struct ze_object *levelzero_free_own(struct ze_object *context, bool is_for_host)
{
	struct ze_object *event = context->free[is_for_host];

	if (event)
		context->free[is_for_host] = event->free[0];
	return event;
}

struct ze_object *levelzero_own_event(struct ze_object *context, bool is_for_host)
{
	struct ze_object *event;

	if (context->is_special) /* it gives none */
		return NULL;
	levelzero_lock();
	event = levelzero_free_own(context, is_for_host);
	levelzero_unlock();
	if (event)
		return event;
	event = make_event(context, is_for_host);
	context->is_special = !event && !context->events;
	return event;
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
