// SPDX-License-Identifier: MIT
// gpulane report --commands: the OpenCL commands one by one.
#include <stdio.h>

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

/* Reads the recording into *timeline; earlier (NULL: none) has read it before. */
static struct lane_error *read_once(const char *path, const struct lane_hooks *hooks,
				    const struct lane_timeline *earlier,
				    struct lane_timeline **timeline)
{
	LANE_CLEANUP(close_input) struct lane_input *input = NULL;
	const struct lane_loss *losses = NULL;
	struct lane_error *err;
	size_t n_losses = 0;

	err = lane_input_open(path, &input);
	if (err)
		return err;
	if (earlier)
		losses = lane_timeline_losses(earlier, &n_losses);
	err = lane_timeline_create(lane_input_info(input), losses, n_losses, hooks, timeline);
	if (err)
		return err;
	if (earlier && !lane_timeline_foresee_clocks(*timeline, earlier))
		return &lane_enomem;
	err = feed(input, *timeline, earlier != NULL);
	return err ? err : lane_timeline_finish(*timeline);
}

/*
 * What is lost, and what the devices' clocks are, has to be known before a command is told: the
 * recording is read twice.
 */
struct lane_error *lane_report_commands(const char *path, bool json)
{
	LANE_CLEANUP(destroy_timeline) struct lane_timeline *first = NULL;
	LANE_CLEANUP(destroy_timeline) struct lane_timeline *second = NULL;
	struct lane_command_list list = { .to = stdout, .json = json };
	struct lane_hooks nothing = { 0 };
	struct lane_hooks hooks = { .arg = &list, .command = lane_command_list_add };
	struct lane_error *err;

	err = read_once(path, &nothing, NULL, &first);
	if (!err) {
		lane_command_list_begin(&list);
		err = read_once(path, &hooks, first, &second);
	}
	if (!err && ferror(stdout))
		err = lane_error("the list could not be written");
	return lane_error_context(err, "report");
}
