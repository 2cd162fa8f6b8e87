// SPDX-License-Identifier: MIT
// The area of soft GPGPUs: laws through three machines each.
#include "model/softarea.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	FLIP_FLOPS = 1, /* of the kinds: power goes with them */
};

const char *const lane_area_kinds[LANE_AREA_KINDS] = { "lut", "ff", "bram", "dsp" };

/* area = SM (a + b SP) + (SM - 1) c, through the machines 1x8, 1x32 and 2x8. */
struct law {
	double a, b, c;
};

static double published(const struct lane_device *device, const char *machine, const char *kind)
{
	const struct lane_device_section *area = model_device_section(device, "area", machine);

	return area ? model_section_real(area, kind) : NAN;
}

static struct law law_of(const struct lane_device *device, const char *kind)
{
	double small = published(device, "1x8", kind);
	struct law law = { 0 };

	law.b = (published(device, "1x32", kind) - small) / (32 - 8);
	law.a = small - 8 * law.b;
	law.c = published(device, "2x8", kind) - 2 * small;
	return law;
}

static void fill_machine(const struct lane_device *device, uint32_t sm, uint32_t sp,
			 struct lane_soft_area *area)
{
	snprintf(area->machine, sizeof(area->machine), "%ux%u", sm, sp);
	area->operands = 3;
	area->stack = 32;
	area->is_fitted = sm + sp == 33 || sp == 8;
	for (int k = 0; k < LANE_AREA_KINDS; k++) {
		struct law law = law_of(device, lane_area_kinds[k]);

		area->modelled[k] = sm * (law.a + law.b * sp) + (sm - 1) * law.c;
		area->published[k] = published(device, area->machine, lane_area_kinds[k]);
	}
}

static double custom(const struct lane_device_section *section, const char *kind)
{
	return model_section_real(section, kind);
}

/*
 * A machine with a smaller warp stack, or without the multiplier and the third operand: each entry
 * of the stack takes the same (from 32 and 16 entries), and so do multiplier and operand of an SP
 * (from the two versions of `bitonic'). The power that is saved goes with the flip-flops.
 */
static void fill_custom(const struct lane_device *device, const struct lane_device_section *section,
			struct lane_soft_area *area)
{
	const struct lane_device_section *half = model_device_section(device, "custom", "autocorr");
	const struct lane_device_section *whole =
		model_device_section(device, "custom", "bitonic-3");
	const struct lane_device_section *less = model_device_section(device, "custom", "bitonic");
	double stack = custom(section, "stack");
	bool has_two = custom(section, "operands") < 3;
	double all_ff = published(device, "1x8", "ff"), per_ff;

	snprintf(area->machine, sizeof(area->machine), "%s", section->name);
	area->operands = has_two ? 2 : 3;
	area->stack = (uint32_t)stack;
	area->is_fitted = section == half;
	for (int k = 0; k < LANE_AREA_KINDS; k++) {
		const char *kind = lane_area_kinds[k];
		double all = published(device, "1x8", kind);
		double entry = (all - custom(half, kind)) / (32 - custom(half, "stack"));
		double operand = custom(whole, kind) - custom(less, kind);

		area->modelled[k] = all - entry * (32 - stack) - (has_two ? operand : 0);
		area->published[k] = custom(section, kind);
	}
	per_ff = custom(half, "power_saved") / (all_ff - custom(half, "ff"));
	area->has_power = true;
	area->power_saved = per_ff * (all_ff - area->modelled[FLIP_FLOPS]);
	area->power_saved_published = custom(section, "power_saved");
}

/* What the laws stand on. */
static struct lane_error *check_sections(const struct lane_device *device)
{
	static const char *const needed[] = { "autocorr", "bitonic-3", "bitonic" };
	const struct lane_device_section *section;
	struct lane_error *err = model_device_need(device, "area", "1x8", &section);

	for (uint32_t i = 0; !err && i < 6; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%ux%u", 1 + i / 3, 8u << i % 3);
		err = model_device_need(device, "area", name, &section);
	}
	for (size_t i = 0; !err && i < sizeof(needed) / sizeof(needed[0]); i++)
		err = model_device_need(device, "custom", needed[i], &section);
	return err;
}

struct lane_error *model_soft_areas(const struct lane_device *device, struct lane_soft_area **areas,
				    size_t *n)
{
	struct lane_error *err;

	*areas = NULL;
	*n = 0;
	err = check_sections(device);
	if (err)
		return err;
	*areas = calloc(6 + device->n_sections, sizeof(**areas));
	if (!*areas)
		return &lane_enomem;
	for (uint32_t sm = 1; sm <= 2; sm++)
		for (uint32_t sp = 8; sp <= 32; sp *= 2)
			fill_machine(device, sm, sp, &(*areas)[(*n)++]);
	for (size_t i = 0; i < device->n_sections; i++)
		if (model_device_section(device, "custom", device->section[i].name) ==
		    &device->section[i])
			fill_custom(device, &device->section[i], &(*areas)[(*n)++]);
	return NULL;
}
