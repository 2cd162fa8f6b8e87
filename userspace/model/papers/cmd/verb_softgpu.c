// SPDX-License-Identifier: MIT
// `gpulane-papers softgpu`: a kernel on soft GPGPUs beside each other, and beside the soft
// processor.
#include <stdio.h>
#include <string.h>

#include "base/program.h"
#include "model/papers/cmd/papers_cmd.h"
#include "model/papers/softgpu.h"

#define FITTED_SIZE 256 /* of the times that the device's [fit] sections are fitted to */

struct options {
	struct model_common common;
	const char *kernel;
	uint32_t size;
	struct lane_soft_machine machine; /* its SM is 0: 1 and 2 SM with 8, 16 and 32 SP */
	struct lane_soft_fit fit;
	int has_fit;
};

enum {
	KEY_SM = 256,
	KEY_SP,
	KEY_CYCLES
};

static const struct argp_option options[] = {
	{ "size", 's', "N", 0, "size of the benchmark (default 256)", 1 },
	{ "sm", KEY_SM, "N", 0, "streaming multiprocessors (default: 1 and 2)", 1 },
	{ "sp", KEY_SP, "N", 0, "scalar processors of each (default 8 with --sm)", 1 },
	{ "cycles", KEY_CYCLES, "INSTRUCTION,MEMORY", 0,
	  "instead of the fit: cycles of an instruction per row, and of a memory access", 2 },
	MODEL_OPTIONS,
	{ 0 },
};

static error_t verb_softgpu_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	char *comma;

	switch (key) {
	case 's':
		return model_number(&o->common, "--size", arg, 1, 65536, &o->size);
	case KEY_SM:
		return model_number(&o->common, "--sm", arg, 1, LANE_SOFT_SMS, &o->machine.sm);
	case KEY_SP:
		o->machine.sm += !o->machine.sm;
		return model_number(&o->common, "--sp", arg, 1, 64, &o->machine.sp);
	case KEY_CYCLES:
		comma = strchr(arg, ',');
		if (!comma)
			return model_papers_not(&o->common, "--cycles", arg,
						"two numbers with a comma between");
		*comma = '\0';
		o->has_fit = 1;
		return model_decimal(&o->common, "--cycles", arg, &o->fit.instruction)
			       ? EINVAL
			       : model_decimal(&o->common, "--cycles", comma + 1, &o->fit.memory);
	case ARGP_KEY_ARG:
		if (o->kernel)
			return model_wrong(&o->common,
					   lane_error_usage("softgpu: more than one kernel"));
		o->kernel = arg;
		return 0;
	default:
		return model_option(&o->common, key, arg);
	}
}

static const struct argp argp = {
	options,
	verb_softgpu_parse,
	"KERNEL",
	"Time and energy of a kernel on a soft GPGPU. KERNEL is autocorr, bitonic, matmul, "
	"reduction or transpose.",
	NULL,
	NULL,
	NULL
};

/* What is timed. */
struct bench {
	const struct lane_device *device;
	const struct lane_soft_benchmark *benchmark;
	uint32_t size;
	struct lane_soft_fit fit;
	int is_fitted; /* to times of the machines 1x8 and 1x32 */
	double mhz;
	double microblaze_ms; /* of the soft processor, as measured; 0: not known */
};

static struct lane_error *run_on(const struct bench *b, struct lane_soft_machine machine,
				 struct lane_soft *soft)
{
	struct lane_error *err = model_soft_begin(soft, b->device, machine, b->fit);

	if (err)
		return err;
	b->benchmark->run(soft, b->size);
	return model_soft_end(soft);
}

static struct lane_error *put_machine(const struct bench *b, struct lane_soft_machine machine,
				      json_object *row)
{
	struct lane_soft one, soft;
	struct lane_error *err = run_on(b, (struct lane_soft_machine){ 1, machine.sp }, &one);
	const struct lane_device_section *power;
	char name[LANE_NAME_BYTES];
	double ms;

	if (!err)
		err = run_on(b, machine, &soft);
	if (err)
		return err;
	ms = soft.cycles / b->mhz / 1000;
	snprintf(name, sizeof(name), "%ux%u", machine.sm, machine.sp);
	power = model_device_section(b->device, "power", name);
	model_put_whole(row, "sm", machine.sm);
	model_put_whole(row, "sp", machine.sp);
	model_put_whole(row, "rows", soft.rows);
	model_put_whole(row, "blocks_per_sm", soft.blocks_per_sm);
	model_put_real(row, "cycles", soft.cycles, 1);
	model_put_real(row, "time_ms", ms, 4);
	model_put_text(row, "time_is",
		       b->is_fitted && machine.sm == 1 && (machine.sp == 8 || machine.sp == 32)
			       ? "fitted"
			       : "predicted");
	if (b->microblaze_ms > 0)
		model_put_real(row, "speedup_over_microblaze", b->microblaze_ms / ms, 2);
	model_put_real(row, "speedup_over_1_sm", one.cycles / soft.cycles, 3);
	if (power)
		model_put_real(row, "dynamic_mj", ms * model_section_real(power, "dynamic_w"), 3);
	else
		model_put_text(row, "dynamic_mj", "unknown");
	return NULL;
}

/* The two numbers from the command line or the device, and the soft processor's times. */
static struct lane_error *put_bench(const struct options *o, struct bench *b, json_object *result)
{
	const char *name = b->benchmark->name;
	const struct lane_device_section *fit = model_device_section(b->device, "fit", name);
	const struct lane_device_section *core = model_device_section(b->device, "microblaze", "");
	const struct lane_device_section *power =
		model_device_section(b->device, "power", "microblaze");

	if (!o->has_fit && !fit)
		return lane_error("%s: the device has no [fit %s] (give --cycles)", name, name);
	if (!o->has_fit)
		b->fit = (struct lane_soft_fit){ model_section_real(fit, "instruction"),
						 model_section_real(fit, "memory") };
	b->is_fitted = !o->has_fit && b->size == FITTED_SIZE;
	if (fit && b->size == FITTED_SIZE)
		b->microblaze_ms = model_section_real(fit, "microblaze_ms");
	model_put_text(result, "kernel", name);
	model_put_whole(result, "size", b->size);
	model_put_real(result, "cycles_per_instruction_and_row", b->fit.instruction, 6);
	model_put_real(result, "cycles_per_memory_access", b->fit.memory, 6);
	model_put_text(result, "these_two_are_from",
		       o->has_fit ? "--cycles" : "the device, fitted");
	if (b->microblaze_ms > 0)
		model_put_real(result, "microblaze_ms", b->microblaze_ms, 4);
	if (b->microblaze_ms > 0 && power)
		model_put_real(result, "microblaze_mj",
			       b->microblaze_ms * model_section_real(power, "dynamic_w"), 3);
	if (core)
		model_put_real(result, "microblaze_modelled_ms",
			       b->benchmark->scalar(b->size) *
				       model_section_real(core, "instruction") / b->mhz / 1000,
			       4);
	return NULL;
}

static struct lane_error *verb_softgpu_run(void *options_read, struct lane_device *device,
					   json_object *result)
{
	const struct options *o = options_read;
	struct bench bench = { .device = device, .size = o->size, .fit = o->fit };
	const struct lane_device_section *unit = NULL;
	struct lane_error *err;

	if (!o->kernel)
		return lane_error_usage("which kernel? (see `gpulane-papers softgpu --help`)");
	err = model_soft_find(o->kernel, o->size, &bench.benchmark);
	if (!err)
		err = model_device_need(device, "device", "", &unit);
	if (err)
		return err;
	bench.mhz = model_section_real(unit, "clock_mhz");
	err = put_bench(o, &bench, result);
	if (!err && o->machine.sm)
		return put_machine(&bench, o->machine, model_row(result));
	for (uint32_t i = 0; !err && i < 6; i++)
		err = put_machine(&bench, (struct lane_soft_machine){ 1 + i / 3, 8u << i % 3 },
				  model_row(result));
	return err;
}

struct lane_error *model_softgpu(int argc, char **argv)
{
	struct options o = { .size = FITTED_SIZE, .machine.sp = 8 };
	int done;
	struct lane_error *err = lane_parse(&argp, argc, argv, &o, &o.common.error, &done);

	if (err || done)
		return err;
	return model_papers_run(&o.common, "softgpu", "flexgrip.json", verb_softgpu_run, &o);
}
