// SPDX-License-Identifier: MIT
// gpulane report: where the time went.
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "out/report.h"

static const struct lane_report_format *const formats[] = { &lane_report_text, &lane_report_json,
							    &lane_report_csv };

struct options {
	struct lane_error *error;
	const char *path;
	const struct lane_report_format *format;
	struct lane_select select;
	double from_s, to_s;
	bool by_time;
	struct lane_report_options report;
};

static const struct argp_option argp_options[] = {
	{ "format", 'f', "FORMAT", 0, "text (default), json or csv", 0 },
	{ "from", 'b', "SECONDS", 0, "only what is over after that time of the recording", 0 },
	{ "to", 'e', "SECONDS", 0, "only what is over by that time of the recording", 0 },
	{ "process", 'p', "NAME|PID", 0, "only the requests of this process", 0 },
	{ "context", 'c', "CONTEXT", 0, "only the requests of this fence context", 0 },
	{ "engine", 'g', "CLASS:INSTANCE", 0, "only the requests of this engine, 0:0 is rcs0", 0 },
	{ "rows", 'n', "N", 0, "of each table at most (default 20, 0: all)", 0 },
	{ 0 },
};

static error_t bad(struct options *o, const char *option, const char *arg, const char *want)
{
	o->error = lane_error_usage("report: --%s %s: not a %s", option, arg, want);
	return EINVAL;
}

static bool number(const char *text, unsigned long long max, unsigned long long *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return !errno && *text && *text != '-' && !*end && *value <= max;
}

static bool seconds(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return *text && !*end && isfinite(*value) && *value >= 0 && *value < 1e9;
}

static bool engine(const char *text, struct lane_select *select)
{
	unsigned int class, instance;
	char rest;

	if (sscanf(text, "%u:%u%c", &class, &instance, &rest) != 2 || class > UINT16_MAX ||
	    instance > UINT16_MAX)
		return false;
	select->by_engine = true;
	select->class = (uint16_t) class;
	select->instance = (uint16_t)instance;
	return true;
}

static error_t set_format(struct options *o, const char *arg)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(arg, formats[i]->name))
			continue;
		o->format = formats[i];
		return 0;
	}
	return bad(o, "format", arg, "format (text, json, csv)");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	unsigned long long value;

	switch (key) {
	case 'f':
		return set_format(o, arg);
	case 'b':
	case 'e':
		o->by_time = true;
		return seconds(arg, key == 'b' ? &o->from_s : &o->to_s)
			       ? 0
			       : bad(o, key == 'b' ? "from" : "to", arg, "number of seconds");
	case 'p':
		o->select.process = arg;
		return 0;
	case 'c':
		if (!number(arg, UINT64_MAX, &value))
			return bad(o, "context", arg, "number of a fence context");
		o->select.by_context = true;
		o->select.context = value;
		return 0;
	case 'g':
		return engine(arg, &o->select) ? 0 : bad(o, "engine", arg, "CLASS:INSTANCE");
	case 'n':
		if (!number(arg, UINT32_MAX, &value))
			return bad(o, "rows", arg, "number of rows");
		o->report.rows = (uint32_t)value;
		return 0;
	case ARGP_KEY_ARG:
		if (o->path)
			return ARGP_ERR_UNKNOWN;
		o->path = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void close_input(struct lane_input **input)
{
	lane_input_close(*input);
}

/* The losses that a first reading found, for the second. */
struct foreseen {
	struct lane_loss *losses;
	size_t n;
};

static void set_times(const struct options *o, uint64_t begin_ns, struct lane_select *select)
{
	if (!o->by_time)
		return;
	select->from_ns = begin_ns + (uint64_t)(o->from_s * 1e9);
	if (o->to_s > 0)
		select->to_ns = begin_ns + (uint64_t)(o->to_s * 1e9);
}

/* Feeds everything; what of the trace is damaged is told on stderr and left out. */
static struct lane_error *feed(struct lane_input *input, struct lane_timeline *timeline,
			       const struct options *o, struct lane_latency *latency)
{
	const struct lane_event *event;
	struct lane_error *err;
	bool first = true, told = false;

	for (;;) {
		err = lane_input_next(input, &event);
		if (err) {
			if (lane_error_code(err) != LANE_ERROR_FAILED || told)
				return err;
			fprintf(stderr, "gpulane: %s\n", lane_error_message(err));
			lane_error_free(err);
			told = true;
			continue;
		}
		if (!event)
			return NULL;
		if (first)
			set_times(o, event->wire.ts_ns, &latency->select);
		first = false;
		err = lane_timeline_push(timeline, event);
		if (err)
			return err;
	}
}

/* Reads the recording once. *again: a loss reached into what had been concluded: read it again. */
static struct lane_error *read_once(const struct options *o, struct lane_latency *latency,
				    struct foreseen *foreseen, struct lane_timeline **timeline,
				    bool *again)
{
	LANE_CLEANUP(close_input) struct lane_input *input = NULL;
	struct lane_timeline_figures figures;
	const struct lane_loss *losses;
	struct lane_hooks hooks;
	struct lane_error *err;
	size_t n;

	err = lane_input_open(o->path, &input);
	if (err)
		return err;
	err = lane_latency_init(latency, lane_input_info(input), &o->select);
	if (err)
		return err;
	hooks = lane_latency_hooks(latency);
	err = lane_timeline_create(lane_input_info(input), foreseen->losses, foreseen->n, &hooks,
				   timeline);
	if (!err)
		err = feed(input, *timeline, o, latency);
	if (err)
		return err;
	lane_timeline_figures(*timeline, &figures);
	*again = figures.loss_unforeseen && !foreseen->n;
	if (!*again) {
		err = lane_timeline_finish(*timeline);
		return err ? err : lane_latency_finish(latency, *timeline);
	}
	losses = lane_timeline_losses(*timeline, &n);
	foreseen->losses = malloc(n * sizeof(*losses));
	if (!foreseen->losses)
		return &lane_enomem;
	memcpy(foreseen->losses, losses, n * sizeof(*losses));
	foreseen->n = n;
	return NULL;
}

static void destroy_timeline(struct lane_timeline **timeline)
{
	lane_timeline_destroy(*timeline);
}

static struct lane_error *report(struct options *o)
{
	LANE_CLEANUP(lane_latency_deinit) struct lane_latency latency = { 0 };
	LANE_CLEANUP(destroy_timeline) struct lane_timeline *timeline = NULL;
	struct foreseen foreseen = { NULL, 0 };
	struct lane_error *err;
	bool again = false;

	err = read_once(o, &latency, &foreseen, &timeline, &again);
	if (!err && again) {
		lane_timeline_destroy(LANE_TAKE(timeline));
		lane_latency_deinit(&latency);
		err = read_once(o, &latency, &foreseen, &timeline, &again);
	}
	free(foreseen.losses);
	if (err)
		return lane_error_context(err, "report");
	return o->format->write(stdout, &latency, &o->report);
}

struct lane_error *cmd_report(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "RECORDING",
		.doc = "Say where the time of a recording's GPU requests went: first in words, "
		       "then in "
		       "tables.\vSee gpulane-report(1).",
	};
	struct options o = { .format = &lane_report_text, .report = { .rows = 20 } };
	struct lane_error *err;
	int done;

	err = lane_parse(&argp, argc, argv, &o, &o.error, &done);
	if (err || done)
		return err;
	if (!o.path)
		return lane_error_usage("report: no recording named (see `gpulane report --help`)");
	o.report.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	return report(&o);
}
