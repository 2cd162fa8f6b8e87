// SPDX-License-Identifier: MIT
// `gpulane atomics`: what a kernel's atomics cost on a device, what bounds the kernel, what to
// change and what not.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/change.h"
#include "model/cmd/verb.h"
#include "model/cmd/verb_advice.h"
#include "model/cmd/verb_oclgrind.h"
#include "model/cmd/verb_source.h"
#include "model/pattern.h"
#include "model/predict.h"

#define PRESET "nvidia-h100" /* the one device whose contention was measured */

struct options {
	struct model_common common;
	char **words; /* behind a .cl file */
	struct model_oclgrind oclgrind;
};

static const char about[] =
	"What the atomics of an OpenCL program's kernels cost on a GPU, what bounds each kernel, "
	"and what to change in its source. The program runs in Oclgrind: no GPU is needed. "
	"Without a program the kernel of FILE.cl is run, with so many work-items in all and of a "
	"group; an ARG is a number, or for an array COUNT (zeros), COUNT:count (0, 1, 2 ...), "
	"COUNT:random or COUNT:random:BELOW. FILE is a pattern file that --out kept.";

/* A file; what is behind one of OpenCL C describes a launch. */
static error_t read_file(struct model_common *common, const struct model_option *option, char *arg,
			 void *to)
{
	struct options *o = (struct options *)common;
	struct argp_state *state = common->state;

	if (model_source_is(arg)) {
		o->words = state->argv + state->next;
		state->next = state->argc;
	}
	return model_word(common, option, arg, to);
}

static const struct model_option options[] = {
	MODEL_OPTION(NULL, 0, read_file, oclgrind.file, "file", "a program goes behind `--'"),
	MODEL_OCLGRIND_OPTIONS,
	MODEL_OPTIONS,
	{ 0 },
};

static int has_atomics(const struct lane_pattern_kernel *kernel)
{
	for (size_t i = 0; i < kernel->n_lines; i++)
		if (kernel->line[i].access == LANE_ACCESS_ATOMIC && kernel->line[i].warps)
			return 1;
	return 0;
}

static struct lane_error *judge_kernel(json_object *result, const struct options *o,
				       const struct lane_pattern_kernel *kernel,
				       const struct lane_device *device)
{
	LANE_CLEANUP(lane_free) struct model_advice *advice = calloc(1, sizeof(*advice));
	struct lane_error *err;

	if (!advice)
		return &lane_enomem;
	if (!kernel->graph) {
		fprintf(stderr,
			"gpulane: atomics: %s: nothing is predicted, because its first warp "
			"executed "
			"too many instructions (run it with less work)\n",
			kernel->name);
		return NULL;
	}
	advice->kernel = kernel;
	advice->groups = kernel->groups / (kernel->launches ? kernel->launches : 1);
	err = model_predict(kernel, device, advice->groups, &advice->now);
	if (!err)
		err = model_propose(kernel, device, advice->groups, &advice->found);
	if (err)
		return err;
	if (o->common.format == MODEL_TEXT)
		model_advice_print(advice);
	else
		model_advice_put(result, advice);
	return NULL;
}

static struct lane_error *verb_atomics_judge(void *arg, const char *file)
{
	const struct options *o = arg;
	LANE_CLEANUP(model_device_drop) struct lane_device *device = NULL;
	LANE_CLEANUP(model_pattern_drop) struct lane_pattern *pattern = NULL;
	LANE_CLEANUP(model_drop) json_object *result = NULL;
	struct lane_error *err = model_device(&o->common, PRESET, &device);
	int is_text = o->common.format == MODEL_TEXT;
	uint32_t judged = 0;

	if (!err)
		err = model_pattern_read(file, device, &pattern);
	if (err)
		return err;
	if (o->oclgrind.kernel && !model_pattern_kernel(pattern, o->oclgrind.kernel))
		return lane_error("%s: no kernel `%s' in it", pattern->what, o->oclgrind.kernel);
	result = model_result("atomics");
	model_put_text(result, "device", device->name);
	if (is_text)
		printf("on %s%s\n", device->title ? device->title : device->name,
		       o->common.device ? "" : " (--device NAME: another)");
	for (size_t i = 0; !err && i < pattern->n_kernels; i++) {
		const struct lane_pattern_kernel *kernel = &pattern->kernel[i];

		if ((o->oclgrind.kernel && strcmp(o->oclgrind.kernel, kernel->name)) ||
		    !has_atomics(kernel))
			continue;
		judged++;
		err = judge_kernel(result, o, kernel, device);
	}
	if (!err && !is_text)
		model_print(result, (enum model_format)o->common.format);
	if (!err && is_text && !judged)
		printf("no kernel has executed an atomic\n");
	return err;
}

/* Runs a kernel without a program: oclgrind-kernel reads a file that is made for it. */
static struct lane_error *run_source(struct options *o)
{
	char path[] = "/tmp/gpulane-kernel-XXXXXX";
	char *program[] = { path, NULL };
	LANE_CLEANUP(lane_close) int fd = mkostemp(path, O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	struct lane_error *err;

	if (!file)
		return lane_error_errno(errno, "%s: cannot be made", path);
	fd = -1; /* the file's */
	err = model_source_write(o->oclgrind.file, o->words, file);
	if (fclose(file) && !err)
		err = lane_error_errno(errno, "%s", path);
	o->oclgrind.file = NULL;
	o->oclgrind.program = program;
	o->oclgrind.is_kernel = 1;
	if (!err)
		err = model_oclgrind_judge(&o->oclgrind, &o->common, PRESET, verb_atomics_judge, o);
	unlink(path);
	return err;
}

struct lane_error *model_atomics(int argc, char **argv)
{
	struct options o = { .oclgrind = {
				     .verb = "atomics",
				     .which = "which program? (gpulane atomics -- PROGRAM, or "
					      "FILE.cl KERNEL ITEMS GROUP ARG...)",
			     } };
	struct lane_error *err;
	int n = model_oclgrind_split(&o.oclgrind, argc, argv);
	int done;

	err = model_parse(options, "-- PROGRAM [ARG...]\nFILE.cl KERNEL ITEMS GROUP ARG...\nFILE",
			  about, n, argv, &o, &done);
	if (err || done)
		return err;
	return o.words && !o.oclgrind.program ? run_source(&o)
					      : model_oclgrind_judge(&o.oclgrind, &o.common, PRESET,
								     verb_atomics_judge, &o);
}
