/* SPDX-License-Identifier: MIT */
/*
 * What a soft GPGPU takes of the FPGA, by laws with three numbers each, beside what was published
 * of it. docs/models/softgpu.md has the laws.
 */
#ifndef LANE_MODEL_SOFTAREA_H
#define LANE_MODEL_SOFTAREA_H

#include <stdbool.h>

#include "base/error.h"
#include "model/device.h"

#define LANE_AREA_KINDS 4

extern const char *const lane_area_kinds[LANE_AREA_KINDS]; /* "lut" ... */

/* One machine, or one that is customised for a kernel. */
struct lane_soft_area {
	char machine[LANE_NAME_BYTES];
	uint32_t operands, stack;
	bool is_fitted; /* the laws go through it: nothing is predicted */
	double modelled[LANE_AREA_KINDS];
	double published[LANE_AREA_KINDS];
	bool has_power; /* both below are parts of one */
	double power_saved, power_saved_published;
};

/*
 * The machines, then the customised ones, with [area] and [custom] of the device. *areas is the
 * caller's to free, also after an error.
 */
struct lane_error *model_soft_areas(const struct lane_device *device, struct lane_soft_area **areas,
				    size_t *n) LANE_MUST_CHECK;

#endif
