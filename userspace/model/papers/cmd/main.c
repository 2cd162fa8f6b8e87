// SPDX-License-Identifier: MIT
// gpulane-papers: the models of the papers that docs/models/papers compares with them.
#include <stdio.h>
#include <string.h>

#include "base/place.h"
#include "base/program.h"
#include "model/papers/cmd/papers_cmd.h"
#include "model/papers/papers.h"

static const struct verb {
	const char *name;
	lane_command_fn *run;
	const char *help;
} verbs[] = {
	{ "warp", model_warp, "van den Braak: a warp's atomic on memory with locks" },
	{ "histogram", model_histogram, "van den Braak: the histogram of images there" },
	{ "global", model_global, "Robertson: atomics on the GT200's global memory" },
	{ "softgpu", model_softgpu, "Andryc: a kernel on a GPGPU in an FPGA" },
};

struct lane_error *model_papers_run(const struct model_common *common, const char *model,
				    const char *file, model_fn *run, void *arg)
{
	static const char *const place = "../userspace/model/papers/devices";
	LANE_CLEANUP(lane_free) char *path = NULL;
	struct lane_error *err = lane_place_find(&place, 1, file, &path);

	if (err)
		return err;
	return model_run(common, model, path ? path : file, run, arg);
}

static struct lane_error *run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "--help";

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(name, verbs[i].name))
			return verbs[i].run(argc - 1, argv + 1);
	if (strcmp(name, "--help"))
		return lane_error_usage("%s: no such model (see `gpulane-papers --help`)", name);
	puts("Usage: gpulane-papers MODEL [OPTION...]\n");
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		printf("  %-10s %s\n", verbs[i].name, verbs[i].help);
	return NULL;
}

int main(int argc, char **argv)
{
	model_papers_begin();
	return lane_program_end(run(argc, argv));
}
