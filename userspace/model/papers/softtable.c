// SPDX-License-Identifier: MIT
// A kernel's times on the soft GPGPUs: the fit of its two numbers, speed-ups, energy.
#include "model/papers/softtable.h"

#include <stdio.h>

#define FITTED_SIZE 256 /* of the times that the device's [fit] sections are fitted to */

struct lane_error *model_soft_bench_fit(struct lane_soft_bench *bench, double ms8, double ms32)
{
	const struct lane_device_section *unit;
	struct lane_error *err = model_device_need(bench->device, "device", "", &unit);
	double cycles_per_ms;

	if (err)
		return err;
	cycles_per_ms = model_section_real(unit, "clock_mhz") * 1000;
	bench->is_fitted = true;
	return model_soft_fit(bench->kernel, model_section_whole(unit, "warp"), 4,
			      ms8 * cycles_per_ms, 1, ms32 * cycles_per_ms, &bench->fit);
}

struct lane_error *model_soft_bench_shipped(struct lane_soft_bench *bench)
{
	const char *name = bench->kernel->name;
	const struct lane_device_section *section =
		model_device_section(bench->device, "fit", name);

	if (!section)
		return lane_error("%s: the device has no [fit %s] (give --cycles or --fit)", name,
				  name);
	bench->is_fitted = bench->size == FITTED_SIZE;
	bench->fit = (struct lane_soft_fit){ model_section_real(section, "instruction"),
					     model_section_real(section, "memory") };
	return NULL;
}

struct lane_error *model_soft_bench_scalar(struct lane_soft_bench *bench)
{
	const struct lane_device *device = bench->device;
	const char *name = bench->kernel->name;
	const struct lane_device_section *fit = model_device_section(device, "fit", name);
	const struct lane_device_section *core = model_device_section(device, "microblaze", "");
	const struct lane_device_section *power =
		model_device_section(device, "power", "microblaze");
	const struct lane_device_section *unit;
	struct lane_error *err = model_device_need(device, "device", "", &unit);

	if (err)
		return err;
	if (fit && bench->size == FITTED_SIZE)
		bench->microblaze_ms = model_section_real(fit, "microblaze_ms");
	if (power)
		bench->microblaze_mj =
			bench->microblaze_ms * model_section_real(power, "dynamic_w");
	if (core)
		bench->microblaze_modelled_ms = model_soft_scalar(name, bench->size) *
						model_section_real(core, "instruction") /
						model_section_real(unit, "clock_mhz") / 1000;
	return NULL;
}

/* The time alone. */
static struct lane_error *time_alone(const struct lane_soft_bench *bench,
				     struct lane_soft_machine machine, struct lane_soft_time *time)
{
	const struct lane_device_section *unit;
	struct lane_error *err = model_device_need(bench->device, "device", "", &unit);

	*time = (struct lane_soft_time){ .machine = machine };
	if (!err)
		err = model_soft_time(bench->device, bench->kernel, &bench->fit, &machine,
				      &time->result);
	if (!err)
		time->ms = time->result.cycles / model_section_real(unit, "clock_mhz") / 1000;
	return err;
}

/* What follows from it and from the time on one SM. */
static void softtable_conclude(const struct lane_soft_bench *bench, double one_sm_ms,
			       struct lane_soft_time *time)
{
	struct lane_soft_machine m = time->machine;
	const struct lane_device_section *power;
	char name[LANE_NAME_BYTES];

	snprintf(name, sizeof(name), "%ux%u", m.sm, m.sp);
	power = model_device_section(bench->device, "power", name);
	time->is_fitted = bench->is_fitted && m.sm == 1 && (m.sp == 8 || m.sp == 32);
	time->over_microblaze = bench->microblaze_ms > 0 ? bench->microblaze_ms / time->ms : 0;
	time->over_one_sm = m.sm == 1 ? 1 : one_sm_ms / time->ms;
	time->has_power = power;
	if (power)
		time->dynamic_mj = time->ms * model_section_real(power, "dynamic_w");
}

struct lane_error *model_soft_time_of(const struct lane_soft_bench *bench,
				      struct lane_soft_machine machine, struct lane_soft_time *time)
{
	struct lane_soft_time one;
	struct lane_error *err =
		time_alone(bench, (struct lane_soft_machine){ 1, machine.sp }, &one);

	if (!err)
		err = time_alone(bench, machine, time);
	if (!err)
		softtable_conclude(bench, one.ms, time);
	return err;
}

struct lane_error *model_soft_times(const struct lane_soft_bench *bench,
				    struct lane_soft_time time[LANE_SOFT_MACHINES])
{
	struct lane_error *err = NULL;

	for (uint32_t i = 0; !err && i < LANE_SOFT_MACHINES; i++) {
		err = time_alone(bench, (struct lane_soft_machine){ 1 + i / 3, 8u << i % 3 },
				 &time[i]);
		if (!err)
			softtable_conclude(bench, time[i % 3].ms, &time[i]);
	}
	return err;
}
