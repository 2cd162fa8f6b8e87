// SPDX-License-Identifier: MIT
// norm/drm_jobs.c: which job an event of drm_sched before Linux 6.17 is of, by the lives of its
// fence's address; and events of generations that are not known, refused by field.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/known_names.h"
#include "norm/drm_jobs.h"
#include "norm/fix.h"
#include "check.h"

#define FENCE	0xffff8880aaull
#define ENTITY	0xffff888001ull
#define MOST	65536 /* lives that norm/ keeps */
#define ANY_OWN UINT64_MAX

static int create(void **state)
{
	*state = norm_drm_create(false, false);
	assert_non_null(*state);
	return 0;
}

static int destroy(void **state)
{
	norm_drm_destroy(*state);
	return 0;
}

static uint64_t now_ns;

static struct lane_event make(uint32_t kind, int32_t tid)
{
	struct lane_event event;

	memset(&event, 0, sizeof(event));
	decode_event_clear(&event, (int)kind);
	event.wire.tid = event.wire.pid = tid;
	event.wire.ts_ns = now_ns += 10;
	return event;
}

static struct lane_event job(uint32_t kind, int32_t tid, uint64_t fence, uint64_t number,
			     const char *ring)
{
	struct lane_event event = make(kind, tid);

	event.raw.entity = ENTITY;
	event.raw.fence = fence;
	event.raw.job = number;
	snprintf(event.u.drm_sched_job_queue.name, sizeof(event.u.drm_sched_job_queue.name), "%s",
		 ring);
	return event;
}

/* The event's job is that; context ANY_OWN: some number of our own. */
static void expect(struct lane_drm *drm, struct lane_event event, uint64_t context, uint64_t seqno)
{
	const char *field = NULL;

	assert_int_equal(norm_drm_event(drm, &event, &field), LANE_DRM_FIXED);
	assert_null(field);
	if (context == ANY_OWN)
		assert_true(event.u.drm.fence_context >= LANE_OWN_CONTEXT);
	else
		assert_int_equal(event.u.drm.fence_context, context);
	assert_int_equal(event.u.drm.fence_seqno, seqno);
}

static void expect_result(struct lane_drm *drm, struct lane_event event, enum lane_drm_fixed fixed)
{
	const char *field = NULL;

	assert_int_equal(norm_drm_event(drm, &event, &field), fixed);
}

static struct lane_event done(uint64_t fence)
{
	struct lane_event event = make(LANE_DRM_DONE, 0);

	event.raw.fence = fence;
	return event;
}

/* A job is armed: its two fences are made. */
static void arm(struct lane_drm *drm, int32_t tid, uint64_t context, uint64_t seqno,
		const char *ring)
{
	for (uint64_t i = 0; i < 2; i++) {
		struct lane_event event = make(LANE_FENCE_INIT, tid);

		event.u.dma_fence_init.context = context - 1 + i;
		event.u.dma_fence_init.seqno = seqno;
		strcpy(event.u.dma_fence_init.driver, "drm_sched");
		snprintf(event.u.dma_fence_init.timeline, sizeof(event.u.dma_fence_init.timeline),
			 "%s", ring);
		norm_drm_fence(drm, &event);
	}
}

TEST_IN(create, destroy, an_address_lives_until_done)
{
	struct lane_drm *drm = *state;

	arm(drm, 7, 41, 1, "gfx");
	expect(drm, job(LANE_DRM_QUEUE, 7, FENCE, 5, "gfx"), 41, 1);
	expect(drm, job(LANE_DRM_RUN, 90, FENCE, 5, "gfx"), 41, 1);
	expect(drm, done(FENCE), 41, 1);
	/* It is nobody's from then on. */
	expect_result(drm, done(FENCE), LANE_DRM_NOBODYS);
}

TEST_IN(create, destroy, an_address_is_used_again)
{
	struct lane_drm *drm = *state;

	arm(drm, 7, 41, 1, "gfx");
	expect(drm, job(LANE_DRM_QUEUE, 7, FENCE, 5, "gfx"), 41, 1);
	/* Its end was not seen: who is queued under the address is another all the same. */
	arm(drm, 8, 51, 9, "gfx");
	expect(drm, job(LANE_DRM_QUEUE, 8, FENCE, 6, "gfx"), 51, 9);
	expect(drm, job(LANE_DRM_RUN, 90, FENCE, 6, "gfx"), 51, 9);
	expect(drm, done(FENCE), 51, 9);
}

TEST_IN(create, destroy, another_number_is_another_job)
{
	struct lane_drm *drm = *state;

	arm(drm, 7, 41, 1, "gfx");
	expect(drm, job(LANE_DRM_QUEUE, 7, FENCE, 5, "gfx"), 41, 1);
	/* What runs under the address has another number, or is of another ring: it was queued
	 * unseen. */
	expect(drm, job(LANE_DRM_RUN, 90, FENCE, 6, "gfx"), ANY_OWN, 6);
	expect(drm, job(LANE_DRM_RUN, 90, FENCE, 6, "sdma0"), ANY_OWN, 6);
}

TEST_IN(create, destroy, nothing_is_named_by_what_was_lost)
{
	struct lane_drm *drm = *state;

	arm(drm, 7, 41, 1, "gfx");
	norm_drm_lost(drm);
	expect(drm, job(LANE_DRM_QUEUE, 7, FENCE, 5, "gfx"), ANY_OWN, 5);
}

/* Where others' events are not recorded the thread may have armed another entity's job, unseen. */
TEST(of_some_processes_none_is_named_by_its_thread)
{
	struct lane_drm *drm = norm_drm_create(false, true);

	assert_non_null(drm);
	arm(drm, 7, 4, 1, "gfx");
	expect(drm, job(LANE_DRM_QUEUE, 7, FENCE, 1, "gfx"), ANY_OWN, 1);
	norm_drm_destroy(drm);
}

TEST_IN(create, destroy, of_several_armed_none_is_guessed)
{
	struct lane_drm *drm = *state;

	arm(drm, 7, 41, 1, "gfx");
	arm(drm, 7, 51, 1, "gfx");
	expect(drm, job(LANE_DRM_QUEUE, 7, FENCE, 5, "gfx"), ANY_OWN, 5);
}

TEST_IN(create, destroy, another_threads_arming_is_its_own)
{
	struct lane_drm *drm = *state;

	arm(drm, 7, 41, 1, "gfx");
	expect(drm, job(LANE_DRM_QUEUE, 8, FENCE, 5, "gfx"), ANY_OWN, 5);
	expect(drm, job(LANE_DRM_QUEUE, 7, FENCE + 1, 6, "gfx"), 41, 1);
}

TEST_IN(create, destroy, a_doubled_number_is_vague)
{
	struct lane_drm *drm = *state;
	struct lane_event dep = make(LANE_DRM_ADD_DEP, 90);

	expect(drm, job(LANE_DRM_QUEUE, 7, FENCE, 5, "sdma0"), ANY_OWN, 5);
	dep.raw.job = 5;
	dep.u.drm_sched_job_add_dep.ctx = 3;
	dep.u.drm_sched_job_add_dep.seqno = 4;
	strcpy(dep.u.drm_wait.ring, "sdma0");
	expect(drm, dep, ANY_OWN, 5);
	expect(drm, job(LANE_DRM_QUEUE, 7, FENCE + 1, 5, "sdma0"), ANY_OWN, 5);
	expect(drm, dep, 0, 0);
}

TEST_IN(create, destroy, the_oldest_lives_make_room)
{
	struct lane_drm *drm = *state;

	for (uint64_t i = 0; i <= MOST; i++)
		expect(drm, job(LANE_DRM_QUEUE, 7, FENCE + i, i + 1, "gfx"), ANY_OWN, i + 1);
	expect_result(drm, done(FENCE), LANE_DRM_NOBODYS);
	expect(drm, done(FENCE + 1), ANY_OWN, 2);
}

static struct lane_event told(uint32_t kind, int32_t tid, uint64_t number, uint64_t context,
			      uint64_t seqno)
{
	struct lane_event event = make(kind, tid);

	event.u.amdgpu_cs_ioctl.job = number;
	event.u.amdgpu_cs_ioctl.context = context;
	event.u.amdgpu_cs_ioctl.seqno = seqno;
	strcpy(event.u.amdgpu_cs_ioctl.ring, "gfx");
	return event;
}

TEST_IN(create, destroy, a_driver_names_the_next_job)
{
	struct lane_drm *drm = *state;
	struct lane_event event = told(LANE_AMD_SUBMIT, 7, 5, 41, 3);

	norm_drm_named(drm, &event);
	expect(drm, job(LANE_DRM_QUEUE, 7, FENCE, 5, "gfx"), 41, 3);
	expect(drm, done(FENCE), 41, 3);
	/* Once, and nobody else's. */
	expect(drm, job(LANE_DRM_QUEUE, 7, FENCE, 5, "gfx"), ANY_OWN, 5);
	norm_drm_named(drm, &event);
	expect(drm, job(LANE_DRM_QUEUE, 8, FENCE, 5, "gfx"), ANY_OWN, 5);
	expect(drm, job(LANE_DRM_QUEUE, 7, FENCE, 6, "gfx"), ANY_OWN, 6);
	norm_drm_lost(drm);
	expect(drm, job(LANE_DRM_QUEUE, 7, FENCE, 5, "gfx"), ANY_OWN, 5);
}

/* ---- refusals ---- */

static void expect_refusal(struct lane_fix *fix, struct lane_event event, const char *field,
			   const char *of)
{
	char text[128];
	enum lane_fixed fixed = norm_fix_event(fix, &event);

	/* What only adds is left out, what is missing then counts as lost. */
	if (lane_is_cause(event.wire.kind))
		assert_int_equal(fixed, LANE_FIXED_GONE);
	else
		assert_int_equal(fixed, LANE_FIXED_TOLD);
	if (!lane_is_cause(event.wire.kind))
		assert_int_equal(event.wire.kind, LANE_LOST);
	snprintf(text, sizeof(text), ": no field %s that can be read: of a kernel whose %s is not",
		 field, of);
	check_error(norm_fix_error(fix), text);
}

static struct lane_fix *new_fix(void)
{
	const struct lane_trace_info info = { .release = "6.12.0" };
	struct lane_fix *fix;

	check(norm_fix_create(&info, &fix));
	return fix;
}

TEST(drivers_are_refused_by_field)
{
	for (uint32_t kind = 0; kind < LANE_KIND_COUNT; kind++) {
		const char *name = lane_kinds[kind].name;
		char of[16];

		if (!lane_is_cause(kind))
			continue;
		snprintf(of, sizeof(of), "%.*s", (int)strcspn(name, "_"), name);
		for (unsigned int i = 0; i < LANE_NEEDS && lane_needs[kind][i].field; i++) {
			struct lane_fix *fix = new_fix();
			struct lane_event event = make(kind, 7), again;

			/* All that it needs but this one. */
			for (unsigned int k = 0; k < LANE_NEEDS && lane_needs[kind][k].field; k++)
				if (k != i)
					memset((char *)&event.u + lane_needs[kind][k].offset, 1,
					       lane_needs[kind][k].size);
			again = event;
			expect_refusal(fix, event, lane_needs[kind][i].field, of);
			/* The line comes once. */
			assert_int_equal(norm_fix_event(fix, &again), LANE_FIXED_AWAY);
			assert_null(norm_fix_error(fix));
			norm_fix_destroy(fix);
		}
	}
}

/* Every kind of driver's event needs something: else an unknown generation would be misread. */
TEST(every_drivers_event_needs_a_field)
{
	for (uint32_t kind = 0; kind < LANE_KIND_COUNT; kind++) {
		bool is_of_driver = !strcmp(lane_kinds[kind].group, "driver");

		assert_int_equal(is_of_driver, lane_is_driver(kind) != 0);
		assert_int_equal(lane_is_memory(kind), !strcmp(lane_kinds[kind].group, "memory"));
		if (!lane_is_memory(kind) && strcmp(lane_kinds[kind].group, "power"))
			assert_int_equal(is_of_driver, lane_needs[kind][0].field != NULL);
	}
}

TEST(jobs_are_refused_by_field)
{
	static const uint32_t kinds[] = { LANE_DRM_QUEUE, LANE_DRM_RUN, LANE_DRM_ADD_DEP,
					  LANE_DRM_UNSCHEDULABLE, LANE_DRM_DONE };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct lane_fix *fix = new_fix();
		struct lane_event event = make(kinds[i], 7);

		/* A job or a dependency needs a ring's name, or the fence that it depends on. */
		if (kinds[i] == LANE_DRM_QUEUE || kinds[i] == LANE_DRM_RUN) {
			strcpy(event.u.drm_sched_job_queue.name, "gfx");
			strcpy(event.u.drm_sched_job_queue.dev, "gpu0");
		}
		if (kinds[i] == LANE_DRM_ADD_DEP || kinds[i] == LANE_DRM_UNSCHEDULABLE) {
			event.u.drm_sched_job_add_dep.ctx = 5;
			event.u.drm_sched_job_add_dep.seqno = 6;
		}
		event.u.drm.fence_seqno = 1;
		expect_refusal(fix, event, "fence_context", "drm_sched");
		norm_fix_destroy(fix);
		fix = new_fix();
		event.wire.kind = kinds[i];
		event.u.drm.fence_context = 4;
		event.u.drm.fence_seqno = LANE_SEQNO_UNKNOWN;
		expect_refusal(fix, event, "fence_seqno", "drm_sched");
		norm_fix_destroy(fix);
	}
}
