// SPDX-License-Identifier: MIT
// norm/drm_jobs.c: no more lives of fences' addresses are kept than have room; events of drivers'
// generations that are not known are refused by field.

#include <stdio.h>
#include <string.h>

#include "decode/known_names.h"
#include "norm/drm_jobs.h"
#include "norm/fix.h"
#include "check.h"

#define FENCE 0xffff8880aaull
#define MOST  65536 /* lives that norm/ keeps */

static struct lane_event make(uint32_t kind)
{
	struct lane_event event;

	decode_event_clear(&event, (int)kind);
	event.wire.tid = event.wire.pid = 7;
	event.wire.ts_ns = 10;
	return event;
}

static struct lane_event at(uint32_t kind, uint64_t fence)
{
	struct lane_event event = make(kind);

	event.raw.fence = fence;
	return event;
}

static void expect(struct lane_drm *drm, struct lane_event event, uint64_t seqno)
{
	const char *field = NULL;

	assert_int_equal(norm_drm_event(drm, &event, &field), LANE_DRM_FIXED);
	assert_true(event.u.drm.fence_context >= LANE_OWN_CONTEXT);
	assert_int_equal(event.u.drm.fence_seqno, seqno);
}

/* Whose job an address is: tests/golden/norm/drm-before-6.17*.txt. */
TEST(the_oldest_lives_make_room)
{
	struct lane_drm *drm = norm_drm_create(false, false);
	struct lane_event event = at(LANE_DRM_DONE, FENCE);
	const char *field = NULL;

	assert_non_null(drm);
	for (uint64_t i = 0; i <= MOST; i++) {
		struct lane_event queued = at(LANE_DRM_QUEUE, FENCE + i);

		queued.raw.entity = 1;
		queued.raw.job = i + 1;
		strcpy(queued.u.drm_sched_job_queue.name, "gfx");
		expect(drm, queued, i + 1);
	}
	assert_int_equal(norm_drm_event(drm, &event, &field), LANE_DRM_NOBODYS);
	expect(drm, at(LANE_DRM_DONE, FENCE + 1), 2);
	norm_drm_destroy(drm);
}

/* ---- refusals ---- */

static void expect_refusal(struct lane_fix *fix, struct lane_event event, const char *field,
			   const char *of)
{
	char text[128];

	/* What only adds is left out. */
	assert_int_equal(norm_fix_event(fix, &event), LANE_FIXED_GONE);
	snprintf(text, sizeof(text), ": no field %s that can be read: of a kernel whose %s is not",
		 field, of);
	check_error(norm_fix_error(fix), text);
}

TEST(drivers_are_refused_by_field)
{
	const struct lane_trace_info info = { .release = "6.12.0" };

	for (uint32_t kind = 0; kind < LANE_KIND_COUNT; kind++) {
		const char *name = lane_kinds[kind].name;
		struct lane_fix *fix;
		char of[16];

		if (!lane_is_cause(kind))
			continue;
		snprintf(of, sizeof(of), "%.*s", (int)strcspn(name, "_"), name);
		for (unsigned int i = 0; i < LANE_NEEDS && lane_needs[kind][i].field; i++) {
			struct lane_event event = make(kind), again;

			check(norm_fix_create(&info, &fix));
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
		bool is_own_job = !strcmp(lane_kinds[kind].group, "job");

		assert_int_equal(is_of_driver, lane_is_driver(kind) != 0);
		assert_int_equal(is_own_job, lane_is_own_job(kind) != 0);
		assert_int_equal(lane_is_memory(kind), !strcmp(lane_kinds[kind].group, "memory"));
		if (!lane_is_memory(kind) && strcmp(lane_kinds[kind].group, "power"))
			assert_int_equal(is_of_driver || is_own_job,
					 lane_needs[kind][0].field != NULL);
	}
}
