// SPDX-License-Identifier: MIT
// Whether a GPU's requests will be recorded: what is said before recording, on machines of each
// sort.
#include "capture/requests.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char root[64];
static struct lane_capture_kind kinds[LANE_KIND_COUNT];
static const struct lane_capture_kind *const captures[] = { kinds };

/* Makes a folder below the root, with those above it. */
static void make(const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(full, 0755);
	}
	assert_int_equal(mkdir(full, 0755), 0);
}

/* A GPU of this vendor with this driver, NULL: none. */
static void add_card(const char *card, const char *vendor, const char *driver)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/drm/%s/device", card);
	make(path);
	snprintf(path, sizeof(path), "%s/sys/class/drm/%s/device/vendor", root, card);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", vendor);
	fclose(file);
	if (!driver)
		return;
	snprintf(path, sizeof(path), "%s/sys/class/drm/%s/device/driver", root, card);
	assert_int_equal(symlink(driver, path), 0);
}

static int begin(void **state)
{
	(void)state;
	strcpy(root, "/tmp/gpulane-requests.XXXXXX");
	memset(kinds, 0, sizeof(kinds));
	return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int end(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* What is said of it has `text` in it. */
static void expect(enum lane_requests expected, unsigned int groups, const char *text)
{
	char why[192] = "";
	enum lane_requests found =
		capture_requests_check(captures, 1, groups, root, why, sizeof(why));

	assert_int_equal(found, expected);
	if (expected != LANE_REQUESTS_RECORDED && !strstr(why, text))
		fail_msg("no '%s' in '%s'", text, why);
}

#define REQUESTS (LANE_GROUP_I915 | LANE_GROUP_CONTEXT)
#define GPUS	 (REQUESTS | LANE_GROUP_DRM)
#define ALL	 (GPUS | LANE_GROUP_FENCE | LANE_GROUP_SCHED | LANE_GROUP_PROCESS)

TEST_IN(begin, end, no_gpu)
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

TEST_IN(begin, end, xe_has_it)
{
	add_card("card0", "0x8086", "../../bus/pci/drivers/xe");
	expect(LANE_REQUESTS_NOTHING, REQUESTS, "the driver of card0 is xe");
	/* i915 is often loaded beside xe: its tracepoints are there, its requests are not. */
	make("/sys/module/i915");
	kinds[LANE_RQ_ADD].recorded = true;
	expect(LANE_REQUESTS_UNRECORDED, REQUESTS, "the driver of card0 is xe");
}

TEST_IN(begin, end, another_vendors)
{
	add_card("card1", "0x1002", "../../bus/pci/drivers/amdgpu");
	expect(LANE_REQUESTS_NOTHING, REQUESTS, "the driver of card1 is amdgpu");
}

/* Requests of every driver that submits to drm_sched are recorded, of several at once. */
TEST_IN(begin, end, drm_sched)
{
	add_card("card0", "0x1002", "../../bus/pci/drivers/amdgpu");
	strcpy(kinds[LANE_DRM_QUEUE].missing, "gpu-sched has no BTF");
	expect(LANE_REQUESTS_NOTHING, GPUS, "card0 (amdgpu): gpu-sched has no BTF");
	kinds[LANE_SWITCH].recorded = true;
	expect(LANE_REQUESTS_UNRECORDED, ALL, "card0 (amdgpu): gpu-sched has no BTF");
	kinds[LANE_DRM_QUEUE].recorded = true;
	expect(LANE_REQUESTS_RECORDED, ALL, "");
	expect(LANE_REQUESTS_UNRECORDED, REQUESTS, "whose requests come with --events drm");
	add_card("card1", "0x8086", "../../bus/pci/drivers/i915");
	strcpy(kinds[LANE_RQ_ADD].missing, "i915 is not loaded");
	expect(LANE_REQUESTS_UNRECORDED, ALL, "card1 (i915): i915 is not loaded");
	expect(LANE_REQUESTS_RECORDED, LANE_GROUP_DRM, "");
	kinds[LANE_RQ_ADD].recorded = true;
	expect(LANE_REQUESTS_RECORDED, ALL, "");
}

/* Where the kernel says which modules use gpu-sched, that counts. */
TEST_IN(begin, end, holders_of_gpu_sched)
{
	char path[256];

	kinds[LANE_DRM_QUEUE].recorded = true;
	make("/drivers/newgpu");
	snprintf(path, sizeof(path), "%s/drivers/newgpu", root);
	add_card("card0", "0x1234", path);
	snprintf(path, sizeof(path), "%s/drivers/newgpu/module", root);
	assert_int_equal(symlink("../../module/newgpu_core", path), 0);
	expect(LANE_REQUESTS_UNRECORDED, GPUS, "the driver of card0 is newgpu, and that is not");
	make("/sys/module/gpu_sched/holders");
	expect(LANE_REQUESTS_UNRECORDED, GPUS, "the driver of card0 is newgpu, and that is not");
	make("/sys/module/gpu_sched/holders/newgpu_core");
	expect(LANE_REQUESTS_RECORDED, GPUS, "");
}

TEST_IN(begin, end, no_driver)
{
	add_card("card0", "0x8086", NULL);
	expect(LANE_REQUESTS_NOTHING, REQUESTS, "card0 has no driver, and i915 is not loaded");
}

TEST_IN(begin, end, i915_has_it)
{
	add_card("card0", "0x8086", "../../bus/pci/drivers/xe");
	add_card("card1", "0x8086", "../../bus/pci/drivers/i915");
	make("/sys/module/i915");
	kinds[LANE_RQ_ADD].recorded = true;
	expect(LANE_REQUESTS_RECORDED, REQUESTS, "");
	/* LTTng without its probe for i915. */
	kinds[LANE_RQ_ADD].recorded = false;
	strcpy(kinds[LANE_RQ_ADD].missing, "lttng-probe-i915 is not loaded");
	expect(LANE_REQUESTS_NOTHING, REQUESTS, "lttng-probe-i915 is not loaded");
}

/* i915's selftests run on an engine without a GPU. */
TEST_IN(begin, end, selftests)
{
	make("/sys/module/i915");
	kinds[LANE_RQ_ADD].recorded = true;
	expect(LANE_REQUESTS_RECORDED, REQUESTS, "");
}
