// SPDX-License-Identifier: MIT
// gpulane-model, which `gpulane model`, `gpulane atomics` and `gpulane calibrate` start: the table
// of the verbs. Each lies in a file of its own.
#include <stdio.h>
#include <string.h>

#include "base/program.h"
#include "model/cmd/verb.h"

static const struct verb {
	const char *name;
	lane_command_fn *run;
	const char *help;
} verbs[] = {
	{ "pipeline", model_pipeline, "a kernel given as a dependence graph of instructions" },
	{ "pattern", model_pattern,
	  "the access patterns of an OpenCL program's kernels, as they run" },
};

#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static void usage(void)
{
	printf("Usage: gpulane model VERB [OPTION...]\n"
	       "Predict what a kernel costs on a device that a file describes.\n\n");
	for (size_t i = 0; i < N_VERBS; i++)
		printf("  %-10s %s\n", verbs[i].name, verbs[i].help);
	printf("\n`gpulane model VERB --help` tells more.\n");
}

static struct lane_error *run(int argc, char **argv)
{
	char name[64];

	if (argc < 2)
		return lane_error_usage("model: which one? (see `gpulane model --help`)");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?") || !strcmp(argv[1], "--usage")) {
		usage();
		return NULL;
	}
	if (!strcmp(argv[1], "calibrate"))
		return model_calibrate(argc - 1, argv + 1);
	if (!strcmp(argv[1], "atomics"))
		return model_atomics(argc - 1, argv + 1);
	for (size_t i = 0; i < N_VERBS; i++) {
		if (strcmp(argv[1], verbs[i].name))
			continue;
		snprintf(name, sizeof(name), "model %s", verbs[i].name);
		argv[1] = name;
		return verbs[i].run(argc - 1, argv + 1);
	}
	return lane_error_usage("model: %s: no such %s (see `gpulane model --help`)", argv[1],
				argv[1][0] == '-' ? "option" : "model");
}

int main(int argc, char **argv)
{
	return lane_program_end(run(argc, argv));
}
