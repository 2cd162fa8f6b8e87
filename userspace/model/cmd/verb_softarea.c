// SPDX-License-Identifier: MIT
// `gpulane model softgpu --area`: what a soft GPGPU takes of the FPGA, by laws with three numbers
// each, beside what was published of it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/cmd/verb.h"
#include "model/cmd/verb_softarea.h"

#define N_KINDS 4

static const char *const kinds[N_KINDS] = { "lut", "ff", "bram", "dsp" };

/* area = SM (a + b SP) + (SM - 1) c, through the machines 1x8, 1x32 and 2x8. */
struct law {
	double a, b, c;
};

static double published(const struct lane_device *device, const char *machine, const char *kind)
{
	const struct lane_section *area = model_device_section(device, "area", machine);

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

static void put(json_object *row, const char *kind, double modelled, double published_area)
{
	char key[32];

	model_put_real(row, kind, modelled, 0);
	snprintf(key, sizeof(key), "%s_published", kind);
	model_put_real(row, key, published_area, 0);
	snprintf(key, sizeof(key), "%s_error", kind);
	model_put_real(row, key, modelled / published_area - 1, 4);
}

static void put_machine(const struct lane_device *device, uint32_t sm, uint32_t sp,
			json_object *row)
{
	char name[16];

	snprintf(name, sizeof(name), "%ux%u", sm, sp);
	model_put_text(row, "machine", name);
	model_put_whole(row, "operands", 3);
	model_put_whole(row, "stack", 32);
	model_put_text(row, "area_is", sm + sp == 33 || sp == 8 ? "fitted" : "predicted");
	for (int k = 0; k < N_KINDS; k++) {
		struct law law = law_of(device, kinds[k]);

		put(row, kinds[k], sm * (law.a + law.b * sp) + (sm - 1) * law.c,
		    published(device, name, kinds[k]));
	}
	model_put_nothing(row, "power_saved");
	model_put_nothing(row, "power_saved_published");
}

static double custom(const struct lane_section *section, const char *kind)
{
	return model_section_real(section, kind);
}

/*
 * A machine with a smaller warp stack, or without the multiplier and the third operand: each entry
 * of the stack takes the same (from 32 and 16 entries), and so do multiplier and operand of an SP
 * (from the two versions of `bitonic'). The power that is saved goes with the flip-flops.
 */
static void put_custom(const struct lane_device *device, const struct lane_section *section,
		       json_object *row)
{
	const struct lane_section *half = model_device_section(device, "custom", "autocorr");
	const struct lane_section *whole = model_device_section(device, "custom", "bitonic-3");
	const struct lane_section *less = model_device_section(device, "custom", "bitonic");
	double stack = custom(section, "stack");
	int two = custom(section, "operands") < 3;
	double ff = 0;

	model_put_text(row, "machine", section->name);
	model_put_whole(row, "operands", two ? 2 : 3);
	model_put_whole(row, "stack", (int64_t)stack);
	model_put_text(row, "area_is", section == half ? "fitted" : "predicted");
	for (int k = 0; k < N_KINDS; k++) {
		double all = published(device, "1x8", kinds[k]);
		double entry = (all - custom(half, kinds[k])) / (32 - custom(half, "stack"));
		double operand = custom(whole, kinds[k]) - custom(less, kinds[k]);
		double modelled = all - entry * (32 - stack) - (two ? operand : 0);

		if (!strcmp(kinds[k], "ff"))
			ff = modelled;
		put(row, kinds[k], modelled, custom(section, kinds[k]));
	}
	{
		double all = published(device, "1x8", "ff");
		double per_ff = custom(half, "power_saved") / (all - custom(half, "ff"));

		model_put_real(row, "power_saved", per_ff * (all - ff), 2);
		model_put_real(row, "power_saved_published", custom(section, "power_saved"), 2);
	}
}

struct lane_error *softgpu_area(const struct lane_device *device, json_object *result)
{
	static const char *const needed[] = { "autocorr", "bitonic-3", "bitonic" };
	const struct lane_section *section;
	struct lane_error *err = model_device_need(device, "area", "1x8", &section);

	for (uint32_t i = 0; !err && i < 6; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%ux%u", 1 + i / 3, 8u << i % 3);
		err = model_device_need(device, "area", name, &section);
	}
	for (size_t i = 0; !err && i < sizeof(needed) / sizeof(needed[0]); i++)
		err = model_device_need(device, "custom", needed[i], &section);
	if (err)
		return err;
	for (uint32_t sm = 1; sm <= 2; sm++)
		for (uint32_t sp = 8; sp <= 32; sp *= 2)
			put_machine(device, sm, sp, model_row(result));
	for (size_t i = 0; i < device->n_sections; i++)
		if (model_device_section(device, "custom", device->section[i].name) ==
		    &device->section[i])
			put_custom(device, &device->section[i], model_row(result));
	return NULL;
}
