// SPDX-License-Identifier: MIT
// gpulane top: options, the loop from events to what is shown, keys.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/stop.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/top_screen.h"
#include "session/lately.h"
#include "show/top.h"

enum {
	OPTION_SPEED = 256,
	OPTION_WIDTH,
	TICK_MS = 50,
	BATCH_WIDTH = 100,
};

struct top {
	struct lane_error *error;   /* of the options */
	struct session_named named; /* no path: live */
	struct session_filter filter;
	bool is_batch;
	unsigned long frames; /* 0: any number */
	double delay_s, window_s, speed;
	unsigned int width;

	struct session_lately lately;
	struct lane_top_view view;
	uint64_t wall_ns;  /* replay: when it was as far as it is */
	uint64_t shown_ns; /* by the wall */
	bool paused, has_quit;
};

static uint64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- the interactive one --- */

static void set_sort(struct top *top, enum lane_top_sort sort)
{
	top->view.is_reversed = false;
	top->view.sort = sort;
}

static void change_delay(struct top *top, double factor)
{
	double delay_s = top->delay_s * factor;

	if (delay_s >= 0.1 && delay_s <= 60)
		top->delay_s = delay_s;
}

static void on_key(struct top *top, int key)
{
	static const char sorts[LANE_TOP_SORTS] = { 'g', 'w', 'r', 'e', 'm', 'i' };

	for (int i = 0; i < LANE_TOP_SORTS; i++)
		if (key == sorts[i])
			set_sort(top, (enum lane_top_sort)i);
	switch (key) {
	case 'q':
	case 'Q':
		top->has_quit = !top->view.shows_help;
		top->view.shows_help = false;
		break;
	case 'p':
	case ' ':
		top->paused = !top->paused;
		break;
	case 'o':
		top->view.is_reversed = !top->view.is_reversed;
		break;
	case 'h':
	case '?':
		top->view.shows_help = !top->view.shows_help;
		break;
	case 27:
		top->view.shows_help = false;
		break;
	case '+':
		change_delay(top, 0.5);
		break;
	case '-':
		change_delay(top, 2);
		break;
	default:
		break;
	}
}

/* Where the replay's clock is: it stands still while it is paused. */
static uint64_t replay_upto(struct top *top)
{
	uint64_t now = wall_ns(), passed = now - top->wall_ns;

	top->wall_ns = now;
	if (top->paused)
		return top->lately.upto_ns;
	if (top->speed == 0)
		return UINT64_MAX;
	return top->lately.upto_ns + (uint64_t)((double)passed * top->speed);
}

/* One round: what has come, a key. *shown_late: the picture is no longer what there is. */
static struct lane_error *round_once(struct top *top, bool *again)
{
	uint64_t upto_ns = top->lately.upto_ns;
	struct lane_error *err = NULL;
	int key;

	if (top->lately.stream.is_live)
		err = session_stream_wait(&top->lately.stream, TICK_MS, &upto_ns);
	else
		upto_ns = replay_upto(top);
	/* What is live goes on while the picture stands still; it is caught up with afterwards. */
	if (!err && !top->lately.stream.has_ended && !(top->paused && !top->lately.stream.is_live))
		err = session_lately_feed(&top->lately, upto_ns);
	if (err)
		return err;
	key = cmd_top_screen_key(top->lately.stream.is_live ? 1 : TICK_MS);
	if (key >= 0 && key != LANE_TOP_RESIZED)
		on_key(top, key);
	*again = key >= 0;
	return NULL;
}

static void top_look(struct top *top)
{
	const struct session_stream *stream = &top->lately.stream;

	top->view.lost = top->lately.lost;
	top->view.state = top->paused ? "paused" : stream->has_ended ? "ended" : "";
	if (stream->has_ended && !stream->is_live && !top->lately.window.n_engines)
		top->view.notice = "no request of a GPU is in this recording: gpulane report tells "
				   "what is";
}

static struct lane_error *show(struct top *top)
{
	top_look(top);
	top->shown_ns = wall_ns();
	return cmd_top_screen_show(&top->view);
}

static struct lane_error *run_screen(struct top *top)
{
	struct lane_error *err = cmd_top_screen_begin();
	bool again = true;
	unsigned long shown = 0;

	if (err)
		return err;
	while (!err && !top->has_quit && !lane_stop_signal) {
		bool due = wall_ns() - top->shown_ns >= (uint64_t)(top->delay_s * 1e9);

		/* While it is paused only keys and another size change the picture. */
		if (again || (due && !top->paused)) {
			err = show(top);
			shown += due;
		}
		if (!err && top->frames && shown > top->frames)
			break;
		if (!err)
			err = round_once(top, &again);
	}
	cmd_top_screen_end();
	return err;
}

/* --- the batch --- */

static void print_line(void *arg, const char *text, enum lane_top_look look)
{
	(void)look;
	fprintf(arg, "%s\n", text);
}

static struct lane_error *print_frame(struct top *top, bool first)
{
	top_look(top);
	if (!first)
		putchar('\n');
	return show_top_draw(&top->view, print_line, stdout);
}

/* Live: the time passes; a recording: it is read up to the next picture. */
static struct lane_error *next_frame(struct top *top, uint64_t frame_ns)
{
	uint64_t until_ns = wall_ns() + (uint64_t)(top->delay_s * 1e9), upto_ns;
	struct lane_error *err;

	if (!top->lately.stream.is_live)
		return session_lately_feed(&top->lately, frame_ns);
	do {
		err = session_stream_wait(&top->lately.stream, TICK_MS, &upto_ns);
		if (!err)
			err = session_lately_feed(&top->lately, upto_ns);
	} while (!err && !lane_stop_signal && wall_ns() < until_ns);
	return err;
}

static struct lane_error *run_batch(struct top *top)
{
	struct lane_error *err = NULL;
	uint64_t delay_ns = (uint64_t)(top->delay_s * 1e9), frame_ns = top->lately.first_ns;

	for (unsigned long n = 0; !err && !lane_stop_signal && (!top->frames || n < top->frames);
	     n++) {
		frame_ns += delay_ns;
		err = next_frame(top, frame_ns);
		/* A picture of what is read by half would be wrong; what is live is what it is. */
		if (lane_stop_signal && !top->lately.stream.is_live)
			break;
		if (!err)
			err = print_frame(top, !n);
		fflush(stdout);
		if (top->lately.stream.has_ended || ferror(stdout))
			break;
	}
	return err;
}

/* --- the command --- */

static const struct argp_option argp_options[] = {
	{ "batch", 'b', NULL, 0, "print pictures instead of using the terminal", 0 },
	{ "iterations", 'n', "N", 0, "end after so many pictures", 0 },
	{ "delay", 'd', "SECONDS", 0, "between pictures (default 1)", 0 },
	{ "window", 'w', "SECONDS", 0, "rates are of the last so many seconds (default 2)", 0 },
	{ "sort", 's', "KEY", 0, "order of the clients: gpu, wait, requests, preempted, worst, pid",
	  0 },
	{ "pid", 'p', "PID", 0, "live: only this process and its descendants", 0 },
	{ "comm", 'c', "NAME", 0, "live: only processes of this name", 0 },
	CMD_MACHINE_OPTIONS,
	CMD_BY_OPTION,
	{ "speed", OPTION_SPEED, "FACTOR", 0,
	  "replay a recording faster than it was; 0: at once (default 1)", 0 },
	{ "width", OPTION_WIDTH, "COLUMNS", 0, "of the batch's lines (default 100)", 0 },
	{ 0 },
};

static error_t top_bad(struct top *top, const char *option, const char *arg, const char *want)
{
	top->error = lane_error_usage("top: --%s %s: not %s", option, arg, want);
	return EINVAL;
}

static bool top_number(const char *text, double least, double most, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return *text && !*end && isfinite(*value) && *value >= least && *value <= most;
}

static error_t top_parse(int key, char *arg, struct argp_state *state)
{
	struct top *top = state->input;
	double value = 0;
	int sort;

	switch (key) {
	case 'b':
		top->is_batch = true;
		return 0;
	case 'n':
		if (!top_number(arg, 1, 1e9, &value) || value != floor(value))
			return top_bad(top, "iterations", arg, "a number of pictures");
		top->frames = (unsigned long)value;
		return 0;
	case 'd':
		return top_number(arg, 0.001, 3600, &top->delay_s)
			       ? 0
			       : top_bad(top, "delay", arg, "0.001 to 3600 seconds");
	case 'w':
		return top_number(arg, 0.001, 3600, &top->window_s)
			       ? 0
			       : top_bad(top, "window", arg, "0.001 to 3600 seconds");
	case 's':
		sort = show_top_sort_by_name(arg);
		if (sort < 0)
			return top_bad(top, "sort", arg,
				       "gpu, wait, requests, preempted, worst or pid");
		top->view.sort = (enum lane_top_sort)sort;
		return 0;
	case 'p':
		if (!top_number(arg, 1, 4194304, &value) || value != floor(value))
			return top_bad(top, "pid", arg, "the number of a process");
		top->filter.pid = (int)value;
		return 0;
	case 'c':
		top->filter.comm = arg;
		return 0;
	case OPTION_SPEED:
		return top_number(arg, 0, 1e6, &top->speed)
			       ? 0
			       : top_bad(top, "speed", arg, "0 to 1000000");
	case OPTION_WIDTH:
		if (!top_number(arg, 20, 400, &value))
			return top_bad(top, "width", arg, "20 to 400 columns");
		top->width = (unsigned int)value;
		return 0;
	default:
		return cmd_named_option(key, arg, &top->named);
	}
}

static void deinit(struct top *top)
{
	session_named_deinit(&top->named);
	session_lately_close(&top->lately);
}

/* The processes that are there now: later ones stand for themselves. */
static struct lane_error *find_groups(struct top *top)
{
	top->named.is_by_cgroup = !strcmp(top->named.by, "cgroup");
	if (!top->named.is_by_cgroup && strcmp(top->named.by, "process") != 0)
		return lane_error_usage("top: --by %s: not process or cgroup", top->named.by);
	return top->named.is_by_cgroup ? lane_cgroups_walk(&top->named.groups, "") : NULL;
}

/* Opens what is shown: this machine, or one of those that are named. */
static struct lane_error *open_shown(struct top *top)
{
	uint64_t window_ns = (uint64_t)(top->window_s * 1e9);
	const struct lane_place *place = NULL;
	struct lane_error *err = NULL;

	if (top->named.n_paths)
		err = lane_error_context(session_named_open(&top->named), "top");
	else if (top->named.by)
		err = find_groups(top);
	if (!err && top->named.n_paths)
		err = lane_error_context(session_named_one(&top->named, &place), "top");
	if (err)
		return err;
	top->lately.groups = top->named.is_by_cgroup ? &top->named.groups : NULL;
	err = session_lately_open(&top->lately, "top", place, &top->filter, window_ns);
	return place ? lane_error_context(err, "top") : err;
}

static struct lane_error *top_run(struct top *top)
{
	struct lane_error *err = open_shown(top);

	top->wall_ns = wall_ns();
	if (err)
		return err;
	top->view.window = &top->lately.window;
	top->view.timeline = top->lately.stream.timeline;
	top->view.source = !top->named.n_paths	? "this machine"
			   : top->named.machine ? top->named.machine
						: top->named.paths[0];
	top->view.width = top->width;
	top->view.notice = top->lately.stream.notice;
	lane_stop_catch();
	err = top->is_batch ? run_batch(top) : run_screen(top);
	/* Who ends it has seen enough: it is no error that the rest is not read. */
	if (lane_stop_signal)
		lane_error_free(LANE_TAKE(err));
	return err;
}

struct lane_error *cmd_top(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = top_parse,
		.args_doc = "[RECORDING...]",
		.doc = "Show what the GPU does: engines, queues, clients, preemptions, the worst "
		       "request; of this machine now, or of a recording as it goes.\v"
		       "See gpulane-top(1).",
	};
	LANE_CLEANUP(lane_free) const char **paths = calloc((size_t)argc + 1, sizeof(*paths));
	LANE_CLEANUP(deinit)
	struct top top = { .delay_s = 1,
			   .window_s = 2,
			   .speed = 1,
			   .width = BATCH_WIDTH,
			   .named = { .paths = paths } };
	struct lane_error *err;
	int done;

	if (!paths)
		return &lane_enomem;
	err = lane_parse(&argp, argc, argv, &top, &top.error, &done);
	if (err || done)
		return err;
	if (top.named.n_paths && (top.filter.pid || top.filter.comm))
		return lane_error_usage("top: --pid and --comm choose what is recorded live, not "
					"what a recording has");
	if (!top.is_batch && !isatty(STDOUT_FILENO))
		return lane_error_usage("top: standard output is not a terminal (use --batch)");
	return top_run(&top);
}
