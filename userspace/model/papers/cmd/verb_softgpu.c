// SPDX-License-Identifier: MIT
// `gpulane-papers softgpu`: a kernel on a soft GPGPU with some SMs and SPs, its time and energy.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/program.h"
#include "model/papers/cmd/papers_cmd.h"
#include "model/number.h"
#include "model/papers/softgpu.h"
#include "model/papers/softtable.h"

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
};

enum {
	KEY_SM = 256,
	KEY_SP,
	KEY_FIT,
	KEY_CYCLES,
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

static error_t verb_softgpu_parse(int key, char *arg, struct argp_state *state)
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
	case KEY_CYCLES:
		o->have_cycles = 1;
		return parse_pair(o, "--cycles", arg, o->cycles);
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

static const struct argp argp = { options,
				  verb_softgpu_parse,
				  "KERNEL",
				  "Time and energy of a kernel on a soft GPGPU. KERNEL is "
				  "autocorr, bitonic, matmul, reduction or "
				  "transpose.",
				  NULL,
				  NULL,
				  NULL };

static void put_time(json_object *row, const struct lane_soft_time *time)
{
	model_put_whole(row, "sm", time->machine.sm);
	model_put_whole(row, "sp", time->machine.sp);
	model_put_whole(row, "rows", time->result.rows);
	model_put_whole(row, "blocks_per_sm", time->result.blocks_per_sm);
	model_put_real(row, "cycles", time->result.cycles, 1);
	model_put_real(row, "time_ms", time->ms, 4);
	model_put_text(row, "time_is", time->is_fitted ? "fitted" : "predicted");
	if (time->over_microblaze > 0)
		model_put_real(row, "speedup_over_microblaze", time->over_microblaze, 2);
	model_put_real(row, "speedup_over_1_sm", time->over_one_sm, 3);
	if (time->has_power)
		model_put_real(row, "dynamic_mj", time->dynamic_mj, 3);
	else
		model_put_text(row, "dynamic_mj", "unknown");
}

/* One machine, or a row for each. */
static struct lane_error *verb_softgpu_put_times(const struct options *o,
						 const struct lane_soft_bench *bench,
						 json_object *result)
{
	struct lane_soft_time time[LANE_SOFT_MACHINES];
	struct lane_error *err;

	if (o->given) {
		err = model_soft_time_of(bench, (struct lane_soft_machine){ o->sm, o->sp }, time);
		if (!err)
			put_time(model_row(result), time);
		return err;
	}
	err = model_soft_times(bench, time);
	for (int i = 0; !err && i < LANE_SOFT_MACHINES; i++)
		put_time(model_row(result), &time[i]);
	return err;
}

/* Where the two numbers come from, in this order: the command line, a fit, the device. */
static struct lane_error *find_fit(const struct options *o, struct lane_soft_bench *bench,
				   const char **origin)
{
	if (o->have_cycles) {
		bench->fit = (struct lane_soft_fit){ o->cycles[0], o->cycles[1] };
		*origin = "--cycles";
		return NULL;
	}
	if (o->fitting) {
		*origin = "fitted to the times of --fit";
		return model_soft_bench_fit(bench, o->fit[0], o->fit[1]);
	}
	*origin = "the device, fitted";
	return model_soft_bench_shipped(bench);
}

static void put_microblaze(const struct lane_soft_bench *bench, json_object *result)
{
	if (bench->microblaze_ms > 0)
		model_put_real(result, "microblaze_ms", bench->microblaze_ms, 4);
	if (bench->microblaze_mj > 0)
		model_put_real(result, "microblaze_mj", bench->microblaze_mj, 3);
	if (bench->microblaze_modelled_ms > 0)
		model_put_real(result, "microblaze_modelled_ms", bench->microblaze_modelled_ms, 4);
}

static struct lane_error *verb_softgpu_run(void *options_read, struct lane_device *device,
					   json_object *result)
{
	const struct options *o = options_read;
	LANE_CLEANUP(model_soft_drop) struct lane_soft_kernel *kernel = NULL;
	struct lane_soft_bench bench = { .device = device };
	const char *origin = "";
	struct lane_error *err;

	if (!o->kernel)
		return lane_error_usage("which kernel? (see `gpulane-papers softgpu --help`)");
	err = model_soft_benchmark(o->kernel, o->size, &kernel);
	if (err)
		return err;
	bench.kernel = kernel;
	bench.size = o->size;
	err = find_fit(o, &bench, &origin);
	if (!err)
		err = model_soft_bench_scalar(&bench);
	if (err)
		return err;
	model_put_text(result, "kernel", kernel->name);
	model_put_whole(result, "size", o->size);
	model_put_real(result, "cycles_per_instruction_and_row", bench.fit.instruction, 6);
	model_put_real(result, "cycles_per_memory_access", bench.fit.memory, 6);
	model_put_text(result, "these_two_are_from", origin);
	put_microblaze(&bench, result);
	return verb_softgpu_put_times(o, &bench, result);
}

struct lane_error *model_softgpu(int argc, char **argv)
{
	struct options o = { .size = 256, .sm = 1, .sp = 8 };
	int done;
	struct lane_error *err = lane_parse(&argp, argc, argv, &o, &o.common.error, &done);

	if (err || done)
		return err;
	return model_papers_run(&o.common, "softgpu", "flexgrip.json", verb_softgpu_run, &o);
}
