// SPDX-License-Identifier: MIT
// gpulane report --commands and --requests: OpenCL commands, and requests, one by one.
#include <stdio.h>

#include "base/cleanup.h"
#include "cmd/report.h"
#include "out/commands.h"
#include "out/requests.h"

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

/*
 * Who is told what the recording holds: begin gives the hooks for the reading that counts, whose
 * info lives until it is over.
 */
struct told {
	void *arg;
	struct lane_error *(*begin)(void *arg, const struct lane_trace_info *info,
				    struct lane_hooks *hooks);
};

/* Reads the recording into *timeline; earlier (NULL: none) has read it before. */
static struct lane_error *read_once(const char *path, const struct told *told,
				    const struct lane_timeline *earlier,
				    struct lane_timeline **timeline)
{
	LANE_CLEANUP(close_input) struct lane_input *input = NULL;
	const struct lane_loss *losses = NULL;
	struct lane_hooks hooks = { 0 };
	struct lane_error *err;
	size_t n_losses = 0;

	err = lane_input_open(path, &input);
	if (!err && earlier)
		err = told->begin(told->arg, lane_input_info(input), &hooks);
	if (err)
		return err;
	if (earlier)
		losses = lane_timeline_losses(earlier, &n_losses);
	err = lane_timeline_create(lane_input_info(input), losses, n_losses, &hooks, timeline);
	if (err)
		return err;
	if (earlier && !lane_timeline_foresee_clocks(*timeline, earlier))
		return &lane_enomem;
	err = feed(input, *timeline, earlier != NULL);
	return err ? err : lane_timeline_finish(*timeline);
}

/*
 * What is lost, and what the devices' clocks are, has to be known before anything is told: the
 * recording is read twice.
 */
static struct lane_error *read_twice(const char *path, const struct told *told)
{
	LANE_CLEANUP(destroy_timeline) struct lane_timeline *first = NULL;
	LANE_CLEANUP(destroy_timeline) struct lane_timeline *second = NULL;
	struct lane_error *err = read_once(path, told, NULL, &first);

	if (!err)
		err = read_once(path, told, first, &second);
	if (!err && ferror(stdout))
		err = lane_error("the list could not be written");
	return err;
}

static struct lane_error *begin_commands(void *arg, const struct lane_trace_info *info,
					 struct lane_hooks *hooks)
{
	(void)info;
	lane_command_list_begin(arg);
	*hooks = (struct lane_hooks){ .arg = arg, .command = lane_command_list_add };
	return NULL;
}

struct lane_error *lane_report_commands(const char *path, bool json)
{
	struct lane_command_list list = { .to = stdout, .json = json };
	struct told told = { &list, begin_commands };

	return lane_error_context(read_twice(path, &told), "report");
}

struct requests {
	bool json;
	struct lane_request_list *list;
};

static void destroy_requests(struct requests *requests)
{
	lane_request_list_destroy(requests->list);
}

static struct lane_error *begin_requests(void *arg, const struct lane_trace_info *info,
					 struct lane_hooks *hooks)
{
	struct requests *requests = arg;
	struct lane_error *err =
		lane_request_list_create(stdout, requests->json, info, &requests->list);

	if (!err)
		*hooks = (struct lane_hooks){ .arg = requests->list,
					      .request = lane_request_list_add,
					      .preemption = lane_request_list_preemption };
	return err;
}

struct lane_error *lane_report_requests(const char *path, bool json)
{
	LANE_CLEANUP(destroy_requests) struct requests requests = { .json = json };
	struct told told = { &requests, begin_requests };
	struct lane_error *err = read_twice(path, &told);

	if (!err && !lane_request_list_is_whole(requests.list))
		err = &lane_enomem;
	return lane_error_context(err, "report");
}
