// SPDX-License-Identifier: MIT
// gpulane report --commands and --requests: OpenCL commands, and requests, one by one.
#include <stdio.h>

#include "base/cleanup.h"
#include "cmd/damage.h"
#include "cmd/report.h"
#include "show/commands.h"
#include "show/requests.h"

static void close_input(struct lane_input **input)
{
	lane_input_close(*input);
}

static void destroy_timeline(struct lane_timeline **timeline)
{
	lane_timeline_destroy(*timeline);
}

/* Reads everything that can be read. */
static struct lane_error *feed(struct lane_input *input, struct lane_timeline *timeline,
			       struct lane_damage *damage)
{
	const struct lane_event *event;
	struct lane_error *err;

	for (;;) {
		err = lane_input_next(input, &event);
		if (err) {
			err = lane_damage_take(damage, err);
			if (err)
				return err;
			continue;
		}
		if (!event)
			return NULL;
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
static struct lane_error *read_once(const struct lane_reading *of, const struct told *told,
				    const struct lane_timeline *earlier,
				    struct lane_timeline **timeline, struct lane_damage *damage)
{
	LANE_CLEANUP(close_input) struct lane_input *input = NULL;
	const struct lane_loss *losses = NULL;
	struct lane_hooks hooks = { 0 };
	struct lane_error *err;
	size_t n_losses = 0;

	err = of->place ? lane_input_open_places(of->place, 1, LANE_PREFER_BPF, &input)
			: lane_input_open(of->path, &input);
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
	if (!earlier)
		lane_say_endings(input, 1, damage->command);
	err = feed(input, *timeline, damage);
	if (!err && !earlier)
		lane_say_counts(input, damage->command);
	if (!err)
		err = lane_check_known(input, of->path);
	return err ? err : lane_timeline_finish(*timeline);
}

/*
 * What is lost, and what the devices' clocks are, has to be known before anything is told: the
 * recording is read twice.
 */
static struct lane_error *read_twice(const struct lane_reading *of, const struct told *told)
{
	LANE_CLEANUP(destroy_timeline) struct lane_timeline *first = NULL;
	LANE_CLEANUP(destroy_timeline) struct lane_timeline *second = NULL;
	struct lane_damage damage = { .command = "report" };
	struct lane_damage again = { .command = "report", .quiet = true };
	struct lane_error *err = read_once(of, told, NULL, &first, &damage);

	if (!err)
		err = read_once(of, told, first, &second, &again);
	lane_error_free(again.last);
	if (!err && ferror(stdout))
		err = lane_error("the list could not be written");
	if (!err)
		return lane_damage_end(&damage);
	lane_error_free(damage.last);
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

struct lane_error *lane_report_commands(const struct lane_reading *of, bool json)
{
	struct lane_command_list list = { .to = stdout, .json = json };
	struct told told = { &list, begin_commands };

	return lane_error_context(read_twice(of, &told), "report");
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

struct lane_error *lane_report_requests(const struct lane_reading *of, bool json)
{
	LANE_CLEANUP(destroy_requests) struct requests requests = { .json = json };
	struct told told = { &requests, begin_requests };
	struct lane_error *err = read_twice(of, &told);

	if (!err && !lane_request_list_is_whole(requests.list))
		err = &lane_enomem;
	return lane_error_context(err, "report");
}
