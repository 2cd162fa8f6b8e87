// SPDX-License-Identifier: MIT
// The texts of drm_sched's entities, as the BPF programs keep them: nobody reads half of them, and
// a slot serves all that come.
#include <pthread.h>
#include "check.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* clang unrolls its loops */
#include "../../bpf/drm_slot.bpf.h"

#define THREADS	 4
#define ENTITIES 3
#define TIMES	 200000

static struct drm_slot slot;

/* Each byte of an entity's texts is its number. */
static bool is_whole(const struct drm_texts *texts, __u64 context)
{
	const char *at = (const char *)texts;

	for (size_t i = 0; i < sizeof(*texts); i++)
		if (at[i] != (char)context)
			return false;
	return true;
}

static void put(__u64 context)
{
	struct drm_texts texts;

	memset(&texts, (int)context, sizeof(texts));
	drm_slot_put(&slot, context, context, &texts);
}

/* The first entity does not keep the slot for ever. */
TEST(serves_all)
{
	struct drm_texts texts;

	slot = (struct drm_slot){ 0 };
	for (__u64 context = 1; context < 100; context++) {
		assert_false(drm_slot_get(&slot, context, context, &texts));
		put(context);
		assert_true(drm_slot_get(&slot, context, context, &texts));
		assert_true(is_whole(&texts, context));
		assert_false(drm_slot_get(&slot, context, context + 1, &texts));
	}
}

/* While somebody writes, nobody reads or writes. */
TEST(is_being_written)
{
	struct drm_texts texts;

	slot = (struct drm_slot){ 0 };
	put(1);
	slot.version++;
	assert_false(drm_slot_get(&slot, 1, 1, &texts));
	put(2);
	slot.version++;
	assert_true(drm_slot_get(&slot, 1, 1, &texts));
}

static void *uses(void *arg)
{
	uintptr_t torn = 0;

	(void)arg;
	for (unsigned int i = 0; i < TIMES; i++) {
		__u64 context = 1 + i % ENTITIES;
		struct drm_texts texts;

		if (!drm_slot_get(&slot, context, context, &texts))
			put(context);
		else if (!is_whole(&texts, context))
			torn++;
	}
	return (void *)torn;
}

/* Whoever is interrupted amid it, and by whom: what is read is whole, and the slot goes on. */
TEST(several_at_once)
{
	struct drm_texts texts;
	pthread_t threads[THREADS];
	void *torn;

	slot = (struct drm_slot){ 0 };
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, uses, NULL), 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &torn), 0);
		assert_null(torn);
	}
	put(9);
	assert_true(drm_slot_get(&slot, 9, 9, &texts));
}
