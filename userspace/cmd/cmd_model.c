// SPDX-License-Identifier: MIT
// `gpulane model`, `gpulane atomics` and `gpulane calibrate`: they become the program
// gpulane-model, which lies beside this one.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/place.h"
#include "cmd/cmd.h"

/*
 * Becomes gpulane-model with the words behind argv[0], which is the command's name; `verb` goes
 * before them unless it is NULL. Only comes back with an error.
 */
static struct lane_error *become_model(int argc, char **argv, const char *verb)
{
	static const char *const places[] = { "." };
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(lane_free) char **words = calloc((size_t)argc + 2, sizeof(*words));
	struct lane_error *err = lane_place_find(places, 1, "gpulane-model", &path);
	size_t n = 0;

	if (err)
		return lane_error_context(err, "%s", argv[0]);
	if (!words)
		return &lane_enomem;
	if (!path)
		return lane_error(
			"%s: gpulane-model is not beside this program (install it, or run "
			"`make models`)",
			argv[0]);
	words[n++] = path;
	if (verb)
		words[n++] = (char *)verb;
	memcpy(words + n, argv + 1, (size_t)argc * sizeof(*words)); /* with the NULL at the end */
	execv(path, words);
	return lane_error_errno(errno, "%s: cannot be run", path);
}

struct lane_error *cmd_model(int argc, char **argv)
{
	return become_model(argc, argv, NULL);
}

struct lane_error *cmd_atomics(int argc, char **argv)
{
	return become_model(argc, argv, "atomics");
}

struct lane_error *cmd_calibrate(int argc, char **argv)
{
	return become_model(argc, argv, "calibrate");
}
