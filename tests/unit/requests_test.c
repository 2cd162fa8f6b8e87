// SPDX-License-Identifier: MIT
// Whether a GPU's requests will be recorded: what is said before recording, on machines of each
// sort.
#include "capture/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static struct lane_capture_kind kinds[LANE_KIND_COUNT];
static const struct lane_capture_kind *const captures[] = { kinds };

/* A GPU of this vendor with this driver, NULL: none. */
static void add_card(const char *card, const char *vendor, const char *driver)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/class/drm/%s/device/vendor", card);
	check_write(path, vendor);
	if (!driver)
		return;
	snprintf(path, sizeof(path), "sys/class/drm/%s/device/driver", card);
	assert_int_equal(symlink(driver, path), 0);
}

static int begin(void **state)
{
	memset(kinds, 0, sizeof(kinds));
	return check_folder(state);
}

/* What is said of it has `text` in it. */
static void expect(enum lane_requests expected, unsigned int groups, const char *text)
{
	char why[192] = "";
	enum lane_requests found =
		capture_requests_check(captures, 1, groups, ".", why, sizeof(why));

	assert_int_equal(found, expected);
	if (expected != LANE_REQUESTS_RECORDED && !strstr(why, text))
		fail_msg("no '%s' in '%s'", text, why);
}

#define REQUESTS (LANE_GROUP_I915 | LANE_GROUP_CONTEXT)
#define GPUS	 (REQUESTS | LANE_GROUP_DRM)
#define ALL	 (GPUS | LANE_GROUP_FENCE | LANE_GROUP_SCHED | LANE_GROUP_PROCESS)

TEST_IN(begin, check_no_folder, no_gpu)
{
	strcpy(kinds[LANE_RQ_ADD].missing, "i915 is not loaded");
	expect(LANE_REQUESTS_NOTHING, REQUESTS, "no GPU");
	/* The snapshot of /proc is written whatever happens: it is nothing that was recorded. */
	kinds[LANE_STATEDUMP].recorded = true;
	expect(LANE_REQUESTS_NOTHING, REQUESTS, "no GPU");
	kinds[LANE_SWITCH].recorded = true;
	expect(LANE_REQUESTS_UNRECORDED, ALL, "no GPU");
	expect(LANE_REQUESTS_RECORDED, LANE_GROUP_SCHED, "");
}

TEST_IN(begin, check_no_folder, xe_has_it)
{
	add_card("card0", "0x8086\n", "../../bus/pci/drivers/xe");
	expect(LANE_REQUESTS_NOTHING, REQUESTS, "the driver of card0 is xe");
	/* i915 is often loaded beside xe: its tracepoints are there, its requests are not. */
	check_write("sys/module/i915/refcnt", "");
	kinds[LANE_RQ_ADD].recorded = true;
	expect(LANE_REQUESTS_UNRECORDED, REQUESTS, "the driver of card0 is xe");
}

TEST_IN(begin, check_no_folder, another_vendors)
{
	add_card("card1", "0x1002\n", "../../bus/pci/drivers/amdgpu");
	expect(LANE_REQUESTS_NOTHING, REQUESTS, "the driver of card1 is amdgpu");
}

/* Requests of every driver that submits to drm_sched are recorded, of several at once. */
TEST_IN(begin, check_no_folder, drm_sched)
{
	add_card("card0", "0x1002\n", "../../bus/pci/drivers/amdgpu");
	strcpy(kinds[LANE_DRM_QUEUE].missing, "gpu-sched has no BTF");
	expect(LANE_REQUESTS_NOTHING, GPUS, "card0 (amdgpu): gpu-sched has no BTF");
	kinds[LANE_SWITCH].recorded = true;
	expect(LANE_REQUESTS_UNRECORDED, ALL, "card0 (amdgpu): gpu-sched has no BTF");
	kinds[LANE_DRM_QUEUE].recorded = true;
	expect(LANE_REQUESTS_RECORDED, ALL, "");
	expect(LANE_REQUESTS_UNRECORDED, REQUESTS, "whose requests come with --events drm");
	add_card("card1", "0x8086\n", "../../bus/pci/drivers/i915");
	strcpy(kinds[LANE_RQ_ADD].missing, "i915 is not loaded");
	expect(LANE_REQUESTS_UNRECORDED, ALL, "card1 (i915): i915 is not loaded");
	expect(LANE_REQUESTS_RECORDED, LANE_GROUP_DRM, "");
	kinds[LANE_RQ_ADD].recorded = true;
	expect(LANE_REQUESTS_RECORDED, ALL, "");
}

/* Where the kernel says which modules use gpu-sched, that counts. */
TEST_IN(begin, check_no_folder, holders_of_gpu_sched)
{
	kinds[LANE_DRM_QUEUE].recorded = true;
	check_write("drivers/newgpu/uevent", "");
	add_card("card0", "0x1234\n", "../../../../../drivers/newgpu");
	assert_int_equal(symlink("../../module/newgpu_core", "drivers/newgpu/module"), 0);
	expect(LANE_REQUESTS_UNRECORDED, GPUS, "the driver of card0 is newgpu, and that is not");
	check_write("sys/module/gpu_sched/holders/other/refcnt", "");
	expect(LANE_REQUESTS_UNRECORDED, GPUS, "the driver of card0 is newgpu, and that is not");
	check_write("sys/module/gpu_sched/holders/newgpu_core/refcnt", "");
	expect(LANE_REQUESTS_RECORDED, GPUS, "");
}

TEST_IN(begin, check_no_folder, no_driver)
{
	add_card("card0", "0x8086\n", NULL);
	expect(LANE_REQUESTS_NOTHING, REQUESTS, "card0 has no driver, and i915 is not loaded");
}

TEST_IN(begin, check_no_folder, i915_has_it)
{
	add_card("card0", "0x8086\n", "../../bus/pci/drivers/xe");
	add_card("card1", "0x8086\n", "../../bus/pci/drivers/i915");
	check_write("sys/module/i915/refcnt", "");
	kinds[LANE_RQ_ADD].recorded = true;
	expect(LANE_REQUESTS_RECORDED, REQUESTS, "");
	/* LTTng without its probe for i915. */
	kinds[LANE_RQ_ADD].recorded = false;
	strcpy(kinds[LANE_RQ_ADD].missing, "lttng-probe-i915 is not loaded");
	expect(LANE_REQUESTS_NOTHING, REQUESTS, "lttng-probe-i915 is not loaded");
}

/* i915's selftests run on an engine without a GPU. */
TEST_IN(begin, check_no_folder, selftests)
{
	check_write("sys/module/i915/refcnt", "");
	kinds[LANE_RQ_ADD].recorded = true;
	expect(LANE_REQUESTS_RECORDED, REQUESTS, "");
}
