// SPDX-License-Identifier: MIT
// `gpulane model softgpu`: a kernel on a soft GPGPU with some SMs and SPs, its time and energy.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/program.h"
#include "model/cmd/verb.h"
#include "model/cmd/verb_softarea.h"
#include "model/number.h"
#include "model/softgpu.h"

#define FITTED_SIZE 256 /* of the times that the device's [fit] sections are fitted to */

struct options {
	struct model_common common;
	const char *kernel;
	uint32_t size;
	uint32_t sm;
	uint32_t sp;
	int given;     /* --sm or --sp: one machine, not all */
	double fit[2]; /* ms on 8 and 32 SP */
	int fitting;
	double cycles[2]; /* --cycles: the two numbers themselves */
	int have_cycles;
	int area;
};

enum {
	KEY_SM = 256,
	KEY_SP,
	KEY_FIT,
	KEY_CYCLES,
	KEY_AREA,
};

static const struct argp_option options[] = {
	{ "size", 's', "N", 0, "size of the benchmark (default 256)", 1 },
	{ "sm", KEY_SM, "N", 0,
	  "streaming multiprocessors (without --sm and --sp: a row per machine)", 1 },
	{ "sp", KEY_SP, "N", 0, "scalar processors of each: 8, 16 or 32", 1 },
	{ "cycles", KEY_CYCLES, "INSTRUCTION,MEMORY", 0,
	  "cycles of an instruction per row and of a memory access, instead of the device's [fit]",
	  2 },
	{ "fit", KEY_FIT, "MS8,MS32", 0,
	  "find those two from the times on one SM with 8 and with 32 SP", 2 },
	{ "area", KEY_AREA, NULL, 0, "instead: the area of the machines, and of customised ones",
	  2 },
	MODEL_OPTIONS,
	{ 0 },
};

static error_t parse_pair(struct options *o, const char *option, const char *arg, double *pair)
{
	char first[32], second[32], end;
	int64_t micro[2];

	if (sscanf(arg, "%31[^,],%31[^,]%c", first, second, &end) != 2 ||
	    model_micro_parse(first, &micro[0]) || model_micro_parse(second, &micro[1]))
		return model_wrong(
			&o->common,
			lane_error_usage("%s: `%s' is not two numbers with a comma between", option,
					 arg));
	pair[0] = (double)micro[0] / (double)LANE_MICRO;
	pair[1] = (double)micro[1] / (double)LANE_MICRO;
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 's':
		return model_number(&o->common, "--size", arg, 1, 65536, &o->size);
	case KEY_SM:
		o->given = 1;
		return model_number(&o->common, "--sm", arg, 1, 256, &o->sm);
	case KEY_SP:
		o->given = 1;
		return model_number(&o->common, "--sp", arg, 1, 64, &o->sp);
	case KEY_FIT:
		o->fitting = 1;
		return parse_pair(o, "--fit", arg, o->fit);
	case KEY_AREA:
		o->area = 1;
		return 0;
	case KEY_CYCLES:
		o->have_cycles = 1;
		return parse_pair(o, "--cycles", arg, o->cycles);
	case ARGP_KEY_ARG:
		if (o->kernel)
			return model_wrong(&o->common,
					   lane_error_usage("model softgpu: more than one kernel"));
		o->kernel = arg;
		return 0;
	default:
		return model_option(&o->common, key, arg);
	}
}

static const struct argp argp = { options,
				  parse,
				  "KERNEL",
				  "Time and energy of a kernel on a soft GPGPU. KERNEL is "
				  "autocorr, bitonic, matmul, reduction, "
				  "transpose or the path of a kernel file.",
				  NULL,
				  NULL,
				  NULL };

/* A row for one machine; base[sp] is its time on one SM, for the ratio. */
static struct lane_error *machine(const struct lane_device *device,
				  const struct lane_soft_kernel *kernel,
				  const struct lane_soft_fit *fit, struct lane_soft_machine m,
				  double one_sm_ms, double microblaze_ms, int is_fitted,
				  json_object *row, double *ms)
{
	const struct lane_section *unit = model_device_section(device, "device", "");
	const struct lane_section *power;
	struct lane_soft_result result;
	char name[LANE_NAME_BYTES];
	struct lane_error *err = model_soft_time(device, kernel, fit, &m, &result);

	if (err)
		return err;
	*ms = result.cycles / model_section_real(unit, "clock_mhz") / 1000;
	snprintf(name, sizeof(name), "%ux%u", m.sm, m.sp);
	power = model_device_section(device, "power", name);
	model_put_whole(row, "sm", m.sm);
	model_put_whole(row, "sp", m.sp);
	model_put_whole(row, "rows", result.rows);
	model_put_whole(row, "blocks_per_sm", result.blocks_per_sm);
	model_put_real(row, "cycles", result.cycles, 1);
	model_put_real(row, "time_ms", *ms, 4);
	model_put_text(row, "time_is", is_fitted ? "fitted" : "predicted");
	if (microblaze_ms > 0)
		model_put_real(row, "speedup_over_microblaze", microblaze_ms / *ms, 2);
	model_put_real(row, "speedup_over_1_sm", m.sm == 1 ? 1 : one_sm_ms / *ms, 3);
	if (power)
		model_put_real(row, "dynamic_mj", *ms * model_section_real(power, "dynamic_w"), 3);
	else
		model_put_text(row, "dynamic_mj", "unknown");
	return NULL;
}

/* The two machines whose times the two numbers were fitted to. */
static int is_fitted(const struct options *o, struct lane_soft_machine m)
{
	return !o->have_cycles && (o->fitting || o->size == FITTED_SIZE) && m.sm == 1 &&
	       (m.sp == 8 || m.sp == 32);
}

static struct lane_error *machines(const struct options *o, const struct lane_device *device,
				   const struct lane_soft_kernel *kernel,
				   const struct lane_soft_fit *fit, double scalar,
				   json_object *result)
{
	struct lane_error *err = NULL;
	double one[3] = { 0 };
	double ms;

	if (o->given) {
		struct lane_soft_machine m = { 1, o->sp };
		LANE_CLEANUP(model_drop) json_object *unused = json_object_new_object();

		err = machine(device, kernel, fit, m, 0, 0, 0, unused, &one[0]);
		m.sm = o->sm;
		return err ? err
			   : machine(device, kernel, fit, m, one[0], scalar, is_fitted(o, m),
				     model_row(result), &ms);
	}
	for (uint32_t sm = 1; !err && sm <= 2; sm++) {
		for (uint32_t i = 0; !err && i < 3; i++) {
			struct lane_soft_machine m = { sm, 8u << i };

			err = machine(device, kernel, fit, m, one[i], scalar, is_fitted(o, m),
				      model_row(result), &ms);
			if (sm == 1)
				one[i] = ms;
		}
	}
	return err;
}

/* Where the two numbers come from, in this order: the command line, a fit, the device. */
static struct lane_error *find_fit(const struct options *o, const struct lane_device *device,
				   const struct lane_soft_kernel *kernel, struct lane_soft_fit *fit,
				   const char **origin)
{
	const struct lane_section *unit;
	const struct lane_section *section;
	struct lane_error *err = model_device_need(device, "device", "", &unit);
	double cycles_per_ms;

	if (err)
		return err;
	if (o->have_cycles) {
		*fit = (struct lane_soft_fit){ o->cycles[0], o->cycles[1] };
		*origin = "--cycles";
		return NULL;
	}
	if (o->fitting) {
		cycles_per_ms = model_section_real(unit, "clock_mhz") * 1000;
		*origin = "fitted to the times of --fit";
		return model_soft_fit(kernel, model_section_whole(unit, "warp"), 4,
				      o->fit[0] * cycles_per_ms, 1, o->fit[1] * cycles_per_ms, fit);
	}
	section = model_device_section(device, "fit", kernel->name);
	if (!section)
		return lane_error("%s: the device has no [fit %s] (give --cycles or --fit)",
				  kernel->name, kernel->name);
	*fit = (struct lane_soft_fit){ model_section_real(section, "instruction"),
				       model_section_real(section, "memory") };
	*origin = "the device, fitted";
	return NULL;
}

/*
 * The soft processor beside the GPGPU: its measured time where the device has it, and that of the
 * model (instructions times the cycles of one). Returns the measured time, 0: not known.
 */
static double put_microblaze(const struct options *o, const struct lane_device *device,
			     const char *kernel, json_object *result)
{
	const struct lane_section *unit = model_device_section(device, "device", "");
	const struct lane_section *fit = model_device_section(device, "fit", kernel);
	const struct lane_section *core = model_device_section(device, "microblaze", "");
	const struct lane_section *power = model_device_section(device, "power", "microblaze");
	double measured =
		fit && o->size == FITTED_SIZE ? model_section_real(fit, "microblaze_ms") : 0;
	double modelled = core ? model_soft_scalar(kernel, o->size) *
					  model_section_real(core, "instruction") /
					  model_section_real(unit, "clock_mhz") / 1000
			       : 0;

	if (measured > 0) {
		model_put_real(result, "microblaze_ms", measured, 4);
		if (power)
			model_put_real(result, "microblaze_mj",
				       measured * model_section_real(power, "dynamic_w"), 3);
	}
	if (modelled > 0)
		model_put_real(result, "microblaze_modelled_ms", modelled, 4);
	return measured;
}

static struct lane_error *run(void *options_read, struct lane_device *device, json_object *result)
{
	const struct options *o = options_read;
	LANE_CLEANUP(model_soft_drop) struct lane_soft_kernel *kernel = NULL;
	struct lane_soft_fit fit = { 0 };
	const char *origin = "";
	double scalar = 0;
	int is_file;
	struct lane_error *err;

	if (o->area)
		return softgpu_area(device, result);
	if (!o->kernel)
		return lane_error_usage("which kernel? (see `gpulane model softgpu --help`)");
	is_file = strchr(o->kernel, '/') || strstr(o->kernel, ".kernel");
	err = is_file ? model_soft_read(o->kernel, &kernel)
		      : model_soft_benchmark(o->kernel, o->size, &kernel);
	if (!err)
		err = find_fit(o, device, kernel, &fit, &origin);
	if (err)
		return err;
	model_put_text(result, "kernel", kernel->name);
	if (!is_file)
		model_put_whole(result, "size", o->size);
	model_put_real(result, "cycles_per_instruction_and_row", fit.instruction, 6);
	model_put_real(result, "cycles_per_memory_access", fit.memory, 6);
	model_put_text(result, "these_two_are_from", origin);
	if (!is_file)
		scalar = put_microblaze(o, device, kernel->name, result);
	return machines(o, device, kernel, &fit, scalar, result);
}

struct lane_error *model_softgpu(int argc, char **argv)
{
	struct options o = { .size = 256, .sm = 1, .sp = 8 };
	int done;
	struct lane_error *err = lane_parse(&argp, argc, argv, &o, &o.common.error, &done);

	if (err || done)
		return err;
	return model_run(&o.common, "softgpu", "flexgrip", run, &o);
}
