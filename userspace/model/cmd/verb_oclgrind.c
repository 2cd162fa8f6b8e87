// SPDX-License-Identifier: MIT
// Runs an OpenCL program in Oclgrind with gpulane's plugin, for a pattern file.
#include "model/cmd/verb_oclgrind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/place.h"

/* The plugin beside this program, or where it is installed. */
static struct lane_error *find_plugin(const struct model_oclgrind *o, char **path)
{
	static const char *const places[] = { "../lib/gpulane", "." };
	struct lane_error *err;

	if (o->plugin) {
		*path = realpath(o->plugin, NULL);
		return *path ? NULL : lane_error_errno(errno, "%s: cannot be found", o->plugin);
	}
	err = lane_place_find(places, sizeof(places) / sizeof(places[0]), "libgpulane-oclgrind.so",
			      path);
	if (err || *path)
		return err;
	return lane_error("gpulane's plugin for Oclgrind is not there (install g++, "
			  "liboclgrind-dev and llvm-14-dev and run `make`, "
			  "or name it with --plugin)");
}

/* The user's build options, and OpenCL C 2.0's atomics in front of the program. */
static struct lane_error *build_options(const struct model_oclgrind *o, char **options)
{
	static const char *const places[] = { "../share/gpulane", "../userspace/oclgrind" };
	LANE_CLEANUP(lane_free) char *header = NULL;
	struct lane_error *err =
		lane_place_find(places, sizeof(places) / sizeof(places[0]), "opencl2.cl", &header);

	if (err)
		return err;
	if (header && strchr(header, ' ')) /* words of options end at blanks */
		lane_free(&header);
	if (asprintf(options, "%s%s %s", header ? "-include " : "", header ? header : "",
		     o->build ? o->build : "") < 0) {
		*options = NULL;
		return &lane_enomem;
	}
	return NULL;
}

/*
 * Becomes `oclgrind --plugins PLUGIN PROGRAM...`, which writes the open file; only comes back when
 * that fails.
 */
static void become_oclgrind(const struct model_oclgrind *o, const char *plugin, const char *options,
			    int fd)
{
	size_t n = 0;
	size_t at = 0;
	char out[32];
	char **argv;

	while (o->program[n])
		n++;
	argv = calloc(n + 6, sizeof(*argv));
	fd = dup(fd); /* without O_CLOEXEC */
	snprintf(out, sizeof(out), "/proc/self/fd/%d", fd);
	if (!argv || fd < 0 || setenv("GPULANE_PATTERN", out, 1))
		return;
	argv[at++] = (char *)(o->is_kernel ? "oclgrind-kernel" : "oclgrind");
	argv[at++] = (char *)"--plugins";
	argv[at++] = (char *)plugin;
	argv[at++] = (char *)"--build-options";
	argv[at++] = (char *)options;
	memcpy(argv + at, o->program, n * sizeof(*argv));
	/* What the program prints is not a result. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(argv[0], argv);
}

/* Warps of 32 lanes do for narrower devices, too. */
static struct lane_error *choose_width(const struct model_common *common, const char *preset)
{
	LANE_CLEANUP(model_device_drop) struct lane_device *device = NULL;
	const struct lane_device_section *unit = NULL;
	struct lane_error *err = model_device(common, preset, &device);
	char text[16];

	if (!err)
		err = model_device_need(device, "device", "", &unit);
	if (err || model_section_whole(unit, "warp") <= 32)
		return err;
	snprintf(text, sizeof(text), "%u", model_section_whole(unit, "warp"));
	return setenv("GPULANE_PATTERN_WARP", text, 0) ? &lane_enomem : NULL;
}

static struct lane_error *run_program(const struct model_oclgrind *o,
				      const struct model_common *common, const char *preset, int fd)
{
	LANE_CLEANUP(lane_free) char *plugin = NULL;
	LANE_CLEANUP(lane_free) char *options = NULL;
	struct lane_error *err = find_plugin(o, &plugin);
	int status;
	pid_t child;

	if (!err)
		err = build_options(o, &options);
	if (!err)
		err = choose_width(common, preset);
	if (err)
		return err;
	fflush(stdout);
	child = fork();
	if (child < 0)
		return lane_error_errno(errno, "%s: fork", o->verb);
	if (!child) {
		become_oclgrind(o, plugin, options, fd);
		_exit(errno == ENOENT ? 127 : 126);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return lane_error_errno(errno, "%s: waitpid", o->verb);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return lane_error("oclgrind: cannot be run (install the package oclgrind)");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return lane_error(
			"%s: failed in Oclgrind (%s %d; a function that Oclgrind does not "
			"know, such as those of sub-groups, is named above)",
			o->is_kernel ? "the kernel" : o->program[0],
			WIFEXITED(status) ? "exit code" : "signal",
			WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return NULL;
}

/* Runs the program and keeps what came of it, once it is complete. */
static struct lane_error *run_and_keep(const struct model_oclgrind *o,
				       const struct model_common *common, const char *preset)
{
	LANE_CLEANUP(lane_output_deinit) struct lane_output out = LANE_OUTPUT_NONE;
	struct lane_error *err = lane_output_init(&out, o->out, false);

	if (!err)
		err = lane_output_begin(&out);
	if (!err)
		err = run_program(o, common, preset, out.fd);
	return err ? err : lane_output_commit(&out);
}

/* Where it is not kept. */
static struct lane_error *run_and_judge(const struct model_oclgrind *o,
					const struct model_common *common, const char *preset,
					model_judge_fn *judge, void *arg)
{
	char temporary[] = "/tmp/gpulane-pattern-XXXXXX";
	LANE_CLEANUP(lane_close) int fd = mkostemp(temporary, O_CLOEXEC);
	struct lane_error *err;

	if (fd < 0)
		return lane_error_errno(errno, "%s: cannot be made", temporary);
	err = run_program(o, common, preset, fd);
	if (!err)
		err = judge(arg, temporary);
	unlink(temporary);
	return err;
}

struct lane_error *model_oclgrind_judge(const struct model_oclgrind *o,
					const struct model_common *common, const char *preset,
					model_judge_fn *judge, void *arg)
{
	int has_program = o->program && *o->program;
	struct lane_error *err = NULL;

	if (!o->file == !has_program)
		return lane_error_usage("%s: %s", o->verb, o->which);
	if (!has_program && (o->out || o->plugin || o->build))
		return lane_error_usage("%s: --out, --plugin and --build-options need a program",
					o->verb);
	if (has_program && !o->out)
		return run_and_judge(o, common, preset, judge, arg);
	if (has_program)
		err = run_and_keep(o, common, preset);
	return err ? err : judge(arg, has_program ? o->out : o->file);
}

int model_oclgrind_split(struct model_oclgrind *o, int argc, char **argv)
{
	int n = 0;

	while (n < argc && strcmp(argv[n], "--"))
		n++;
	if (n < argc)
		o->program = argv + n + 1;
	return n;
}
