// SPDX-License-Identifier: MIT
// The devices, and what DRM_IOCTL_XE_DEVICE_QUERY says of them. Sizes are asked for first, with
// size 0, as of the kernel's xe_query.c.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "xe.h"

#define VRAM_BYTES   (12ull << 30)
#define SYSTEM_BYTES (16ull << 30)

static const struct xe_device devices[] = {
	{ .name = "bmg",
	  .id = 0xe20b,
	  .vram = true,
	  .ip_major = 20,
	  .ip_minor = 1,
	  .ip_revision = 4,
	  .slices = 5,
	  .subslices = 20,
	  .l3_banks = 12,
	  .walker_words = 40 },
	{ .name = "lnl",
	  .id = 0x64a0,
	  .revision = 4,
	  .ip_major = 20,
	  .ip_minor = 4,
	  .ip_revision = 4,
	  .slices = 2,
	  .subslices = 8,
	  .l3_banks = 8,
	  .walker_words = 40 },
};

// What there is of each class; VM_BIND is no engine.
static const struct drm_xe_engine_class_instance engines[] = {
	{ .engine_class = DRM_XE_ENGINE_CLASS_RENDER },
	{ .engine_class = DRM_XE_ENGINE_CLASS_COPY },
	{ .engine_class = DRM_XE_ENGINE_CLASS_COMPUTE },
};
#define N_ENGINES (sizeof(engines) / sizeof(*engines))

const struct xe_device *xe_device_named(const char *name)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		if (strcmp(devices[i].name, name) == 0)
			return &devices[i];
	}
	return NULL;
}

int xe_logical_mask(uint16_t class)
{
	for (size_t i = 0; i < N_ENGINES; i++) {
		if (engines[i].engine_class == class)
			return 1;
	}
	return 0;
}

// answer QUERY: as much as it holds is written, if the program knows how much that is.
static int answer(struct drm_xe_device_query *query, const void *data, uint32_t size)
{
	if (query->size == 0) {
		query->size = size;
		return 0;
	}
	if (query->size != size)
		return -EINVAL;
	return xe_user_write(query->data, data, size) ? 0 : -EFAULT;
}

static int query_engines(struct drm_xe_device_query *query)
{
	struct {
		struct drm_xe_query_engines head;
		struct drm_xe_engine of[N_ENGINES];
	} said = { .head.num_engines = N_ENGINES };

	for (size_t i = 0; i < N_ENGINES; i++)
		said.of[i].instance = engines[i];
	return answer(query, &said, sizeof(said));
}

static int query_regions(struct drm_xe_device_query *query)
{
	struct {
		struct drm_xe_query_mem_regions head;
		struct drm_xe_mem_region of[2];
	} said = { .head.num_mem_regions = xe_gpu->vram ? 2 : 1 };

	said.of[0] = (struct drm_xe_mem_region){ .mem_class = DRM_XE_MEM_REGION_CLASS_SYSMEM,
						 .min_page_size = 4096,
						 .total_size = SYSTEM_BYTES };
	said.of[1] = (struct drm_xe_mem_region){ .mem_class = DRM_XE_MEM_REGION_CLASS_VRAM,
						 .instance = 1,
						 .min_page_size = 65536,
						 .total_size = VRAM_BYTES,
						 .cpu_visible_size = VRAM_BYTES };
	return answer(query, &said, sizeof(said) - (xe_gpu->vram ? 0 : sizeof(said.of[1])));
}

static int query_config(struct drm_xe_device_query *query)
{
	uint64_t said[1 + DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY + 1] = {
		DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY + 1
	};

	said[1 + DRM_XE_QUERY_CONFIG_REV_AND_DEVICE_ID] = xe_gpu->id | (uint64_t)xe_gpu->revision
									       << 16;
	said[1 + DRM_XE_QUERY_CONFIG_FLAGS] =
		DRM_XE_QUERY_CONFIG_FLAG_HAS_LOW_LATENCY |
		(xe_gpu->vram ? DRM_XE_QUERY_CONFIG_FLAG_HAS_VRAM : 0);
	said[1 + DRM_XE_QUERY_CONFIG_MIN_ALIGNMENT] = xe_gpu->vram ? 65536 : 4096;
	said[1 + DRM_XE_QUERY_CONFIG_VA_BITS] = 48;
	said[1 + DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY] = 2;
	return answer(query, said, sizeof(said));
}

static int query_gts(struct drm_xe_device_query *query)
{
	struct {
		struct drm_xe_query_gt_list head;
		struct drm_xe_gt gt;
	} said = { .head.num_gt = 1 };

	said.gt = (struct drm_xe_gt){ .type = DRM_XE_QUERY_GT_TYPE_MAIN,
				      .reference_clock = 19200000,
				      .near_mem_regions = xe_gpu->vram ? 2 : 1,
				      .far_mem_regions = xe_gpu->vram ? 1 : 0,
				      .ip_ver_major = xe_gpu->ip_major,
				      .ip_ver_minor = xe_gpu->ip_minor,
				      .ip_ver_rev = xe_gpu->ip_revision };
	return answer(query, &said, sizeof(said));
}

// Key, length and value: numbers of the GuC's table, of which the runtime reads these (NEO,
// device_blob: intel_hwconfig_types.h).
static int query_hwconfig(struct drm_xe_device_query *query)
{
	const uint32_t said[] = {
		1,  1, xe_gpu->slices,	  /* slices */
		2,  1, xe_gpu->subslices, /* dual subslices: Xe cores */
		70, 1, xe_gpu->subslices,
		3,  1, 8, /* EUs each */
		71, 1, 8,
		15, 1, 8,   /* threads each */
		23, 1, 1,   /* render engines */
		24, 1, 1,   /* compute engines */
		64, 1, 256, /* KiB of an L3 bank */
		65, 1, 128, /* KiB of local memory */
		73, 1, 128,
	};

	return answer(query, said, sizeof(said));
}

static int query_topology(struct drm_xe_device_query *query)
{
	static const uint16_t types[] = { DRM_XE_TOPO_DSS_GEOMETRY, DRM_XE_TOPO_DSS_COMPUTE,
					  DRM_XE_TOPO_L3_BANK, DRM_XE_TOPO_SIMD16_EU_PER_DSS };
	const uint64_t masks[] = { (1ull << xe_gpu->subslices) - 1, (1ull << xe_gpu->subslices) - 1,
				   (1ull << xe_gpu->l3_banks) - 1, 0xff };
	uint8_t said[4 * (sizeof(struct drm_xe_query_topology_mask) + 8)], *at = said;

	for (size_t i = 0; i < 4; i++) {
		struct drm_xe_query_topology_mask head = { .type = types[i], .num_bytes = 8 };

		memcpy(at, &head, sizeof(head));
		memcpy(at + sizeof(head), &masks[i], 8);
		at += sizeof(head) + 8;
	}
	return answer(query, said, sizeof(said));
}

static int query_cycles(struct drm_xe_device_query *query)
{
	struct drm_xe_query_engine_cycles said;
	struct timespec time;
	uint64_t before, after;

	if (query->size == 0) {
		query->size = sizeof(said);
		return 0;
	}
	if (query->size != sizeof(said))
		return -EINVAL;
	if (!xe_user_read(&said, query->data, sizeof(said)))
		return -EFAULT;
	if (said.eci.gt_id != 0 || said.eci.engine_instance != 0 ||
	    !xe_logical_mask(said.eci.engine_class) ||
	    (said.clockid != CLOCK_MONOTONIC && said.clockid != CLOCK_MONOTONIC_RAW &&
	     said.clockid != CLOCK_REALTIME && said.clockid != CLOCK_BOOTTIME &&
	     said.clockid != CLOCK_TAI))
		return -EINVAL;
	// the kernel reads both with interrupts off: here the closest pair of a few is as good
	said.cpu_delta = XE_NEVER;
	for (int i = 0; i < 100 && said.cpu_delta > 200; i++) {
		before = xe_now();
		clock_gettime(said.clockid, &time);
		after = xe_now();
		if (after - before >= said.cpu_delta)
			continue;
		said.cpu_delta = after - before;
		said.engine_cycles = xe_ticks(before + (after - before) / 2);
		said.cpu_timestamp = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
	}
	said.width = 64;
	return xe_user_write(query->data, &said, sizeof(said)) ? 0 : -EFAULT;
}

static int query_firmware(struct drm_xe_device_query *query)
{
	struct drm_xe_query_uc_fw_version said;

	if (query->size == 0) {
		query->size = sizeof(said);
		return 0;
	}
	if (query->size != sizeof(said))
		return -EINVAL;
	if (!xe_user_read(&said, query->data, sizeof(said)))
		return -EFAULT;
	if (said.pad || said.pad2 || said.reserved)
		return -EINVAL;
	if (said.uc_type != XE_QUERY_UC_TYPE_GUC_SUBMISSION)
		return said.uc_type == XE_QUERY_UC_TYPE_HUC ? -ENODEV : -EINVAL;
	said.branch_ver = 0;
	said.major_ver = 1;
	said.minor_ver = 14;
	said.patch_ver = 0;
	return answer(query, &said, sizeof(said));
}

int xe_query(struct drm_xe_device_query *query)
{
	if (query->extensions || query->reserved[0] || query->reserved[1])
		return -EINVAL;
	switch (query->query) {
	case DRM_XE_DEVICE_QUERY_ENGINES:
		return query_engines(query);
	case DRM_XE_DEVICE_QUERY_MEM_REGIONS:
		return query_regions(query);
	case DRM_XE_DEVICE_QUERY_CONFIG:
		return query_config(query);
	case DRM_XE_DEVICE_QUERY_GT_LIST:
		return query_gts(query);
	case DRM_XE_DEVICE_QUERY_HWCONFIG:
		return query_hwconfig(query);
	case DRM_XE_DEVICE_QUERY_GT_TOPOLOGY:
		return query_topology(query);
	case DRM_XE_DEVICE_QUERY_ENGINE_CYCLES:
		return query_cycles(query);
	case DRM_XE_DEVICE_QUERY_UC_FW_VERSION:
		return query_firmware(query);
	case DRM_XE_DEVICE_QUERY_OA_UNITS:
	case DRM_XE_DEVICE_QUERY_PXP_STATUS:
	case DRM_XE_DEVICE_QUERY_EU_STALL:
		return -ENODEV;
	default:
		return -EINVAL;
	}
}
