// SPDX-License-Identifier: MIT
// `gpulane-papers softgpu`: a kernel on soft GPGPUs beside each other, and beside the soft
// processor.
#include <stdio.h>
#include <string.h>

#include "model/papers/cmd/papers_cmd.h"
#include "model/papers/softgpu.h"

#define FITTED_SIZE 256 /* of the times that the device's [fit] sections are fitted to */

struct options {
	struct model_common common;
	const char *kernel;
	uint32_t size;
	struct lane_soft_machine machine; /* 0: 1 and 2 SM with 8, 16 and 32 SP */
	struct lane_soft_fit fit;	  /* negative: the device's */
};

static error_t read_fit(struct model_common *common, const struct model_option *option, char *arg,
			void *to)
{
	struct lane_soft_fit *fit = to;
	char *comma = strchr(arg, ',');

	if (!comma)
		return model_wrong(
			common,
			lane_error_usage("--cycles: `%s' is not two numbers with a comma between",
					 arg));
	*comma = '\0';
	return model_decimal(common, option, arg, &fit->instruction)
		       ? EINVAL
		       : model_decimal(common, option, comma + 1, &fit->memory);
}

static const struct model_option options[] = {
	MODEL_OPTION(NULL, 0, model_word, kernel, "kernel", NULL),
	MODEL_WHOLE("size", 's', size, "N", "size of the benchmark (default 256)", 1, 65536),
	MODEL_WHOLE("sm", 0, machine.sm, "N", "streaming multiprocessors (default: 1 and 2)", 1,
		    LANE_SOFT_SMS),
	MODEL_WHOLE("sp", 0, machine.sp, "N",
		    "scalar processors of each (default: 8, 16 and 32; with --sm 8)", 1, 64),
	MODEL_OPTION(
		"cycles", 0, read_fit, fit, "INSTRUCTION,MEMORY",
		"instead of the fit: cycles of an instruction per row, and of a memory access"),
	MODEL_OPTIONS,
	{ 0 },
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
	int has_fit = o->fit.instruction >= 0;
	const struct lane_device_section *fit = model_device_section(b->device, "fit", name);
	const struct lane_device_section *core = model_device_section(b->device, "microblaze", "");
	const struct lane_device_section *power =
		model_device_section(b->device, "power", "microblaze");

	if (!has_fit && !fit)
		return lane_error("%s: the device has no [fit %s] (give --cycles)", name, name);
	if (!has_fit)
		b->fit = (struct lane_soft_fit){ model_section_real(fit, "instruction"),
						 model_section_real(fit, "memory") };
	b->is_fitted = !has_fit && b->size == FITTED_SIZE;
	if (fit && b->size == FITTED_SIZE)
		b->microblaze_ms = model_section_real(fit, "microblaze_ms");
	model_put_text(result, "kernel", name);
	model_put_whole(result, "size", b->size);
	model_put_real(result, "cycles_per_instruction_and_row", b->fit.instruction, 6);
	model_put_real(result, "cycles_per_memory_access", b->fit.memory, 6);
	model_put_text(result, "these_two_are_from", has_fit ? "--cycles" : "the device, fitted");
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
	struct options o = { .size = FITTED_SIZE, .fit.instruction = -1 };
	int done;
	struct lane_error *err =
		model_parse(options, "KERNEL",
			    "Time and energy of a kernel on a soft GPGPU. KERNEL is autocorr, "
			    "bitonic, matmul, reduction or transpose.",
			    argc, argv, &o, &done);

	if (err || done)
		return err;
	if (o.machine.sm && !o.machine.sp)
		o.machine.sp = 8;
	if (o.machine.sp && !o.machine.sm)
		o.machine.sm = 1;
	return model_papers_run(&o.common, "softgpu", "flexgrip.json", verb_softgpu_run, &o);
}
