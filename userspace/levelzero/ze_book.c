// SPDX-License-Identifier: MIT
// The layer's book of Level Zero's objects, by their handles.
#include "levelzero/ze_book.h"

#include <stdlib.h>

struct ze_book lane_ze_book = { .lock = PTHREAD_MUTEX_INITIALIZER };
bool lane_ze_forked;

void levelzero_lock(void)
{
	pthread_mutex_lock(&lane_ze_book.lock);
}

void levelzero_unlock(void)
{
	pthread_mutex_unlock(&lane_ze_book.lock);
}

static void begin_child(void)
{
	levelzero_unlock();
	lane_ze_forked = true;
}

__attribute__((constructor)) static void guard_forks(void)
{
	pthread_atfork(levelzero_lock, levelzero_unlock, begin_child);
}

static struct ze_object **ze_book_place(const void *handle)
{
	struct ze_object **at =
		&lane_ze_book.buckets[(uintptr_t)handle * 0x9e3779b97f4a7c15ull >> 52];

	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	return at;
}

struct ze_object *levelzero_object(const void *handle)
{
	return handle ? *ze_book_place(handle) : NULL;
}

struct ze_object *levelzero_find(const void *handle, enum ze_kind kind)
{
	struct ze_object *object = levelzero_object(handle);

	return object && object->kind == kind ? object : NULL;
}

static void ze_book_put(struct ze_object *object)
{
	struct ze_object **at = ze_book_place(object->handle);

	object->next = *at;
	*at = object;
}

void levelzero_drop(struct ze_object *object)
{
	struct ze_object **at = object ? ze_book_place(object->handle) : NULL;

	if (!object || *at != object)
		return;
	*at = object->next;
	if (object->kind == ZE_POOL)
		for (struct ze_object *event = object->behind; event; event = event->behind)
			event->home = NULL;
	else if (object->kind == ZE_EVENT && object->home) {
		*(object->before ? &object->before->behind : &object->home->behind) =
			object->behind;
		if (object->behind)
			object->behind->before = object->before;
	}
	free(object->items);
	free(object);
}

struct ze_object *levelzero_make(void *handle, enum ze_kind kind)
{
	struct ze_object *object = *ze_book_place(handle);

	/* One whose end was not seen. */
	if (object && object->kind == ZE_EVENT)
		levelzero_lose(object);
	if (object && object->kind != ZE_DEVICE && !object->first)
		levelzero_drop(object);
	else if (object)
		return NULL;
	object = calloc(1, sizeof(*object));
	if (!object)
		return NULL;
	object->handle = handle;
	object->kind = kind;
	ze_book_put(object);
	return object;
}

struct ze_object *levelzero_get(void *handle, enum ze_kind kind)
{
	struct ze_object *object = levelzero_find(handle, kind);

	return object ? object : levelzero_make(handle, kind);
}
