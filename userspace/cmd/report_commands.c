// SPDX-License-Identifier: MIT
// gpulane report --commands: the OpenCL commands one by one.
#include <string.h>

#include "base/cleanup.h"
#include "cmd/report.h"
#include "out/commands.h"

static void close_input(struct lane_input **input)
{
	lane_input_close(*input);
}

static void destroy_timeline(struct lane_timeline **timeline)
{
	lane_timeline_destroy(*timeline);
}

/* Reads everything; what is damaged is told the first time and left out. */
static struct lane_error *feed(struct lane_input *input, struct lane_timeline *timeline, bool quiet)
{
	const struct lane_event *event;
	struct lane_error *err;
	bool told = false;

	for (;;) {
		err = lane_input_next(input, &event);
		if (err && lane_error_code(err) == LANE_ERROR_FAILED && !told) {
			if (!quiet)
				fprintf(stderr, "gpulane: %s\n", lane_error_message(err));
			lane_error_free(err);
			told = true;
			continue;
		}
		if (err || !event)
			return err;
		err = lane_timeline_push(timeline, event);
		if (err)
			return err;
	}
}

static struct lane_error *read_once(const char *path, const struct lane_hooks *hooks,
				    struct lane_loss **losses, size_t *n_losses)
{
	LANE_CLEANUP(destroy_timeline) struct lane_timeline *timeline = NULL;
	LANE_CLEANUP(close_input) struct lane_input *input = NULL;
	const struct lane_loss *found;
	struct lane_error *err;

	err = lane_input_open(path, &input);
	if (err)
		return err;
	err = lane_timeline_create(lane_input_info(input), *losses, *n_losses, hooks, &timeline);
	if (!err)
		err = feed(input, timeline, hooks->command != NULL);
	if (!err)
		err = lane_timeline_finish(timeline);
	if (err || hooks->command)
		return err;
	found = lane_timeline_losses(timeline, n_losses);
	*losses = malloc((*n_losses + 1) * sizeof(**losses));
	if (!*losses)
		return &lane_enomem;
	if (*n_losses)
		memcpy(*losses, found, *n_losses * sizeof(**losses));
	return NULL;
}

/* What is lost has to be known before a command is told: the recording is read twice. */
struct lane_error *lane_report_commands(const char *path, bool json)
{
	struct lane_command_list list = { .to = stdout, .json = json };
	struct lane_hooks nothing = { 0 };
	struct lane_hooks hooks = { .arg = &list, .command = lane_command_list_add };
	struct lane_loss *losses = NULL;
	struct lane_error *err;
	size_t n_losses = 0;

	err = read_once(path, &nothing, &losses, &n_losses);
	if (!err) {
		lane_command_list_begin(&list);
		err = read_once(path, &hooks, &losses, &n_losses);
	}
	free(losses);
	if (!err && ferror(stdout))
		err = lane_error("the list could not be written");
	return lane_error_context(err, "report");
}
