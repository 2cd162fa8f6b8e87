// SPDX-License-Identifier: MIT
// gpulane report: where the time went.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/report_model.h"
#include "session/range.h"
#include "show/critical_text.h"
#include "show/export_files.h"
#include "show/lists.h"
#include "show/report.h"
#include "show/report_machines.h"
#include "show/stacks_text.h"

static const struct lane_report_format *const formats[] = { &lane_report_text, &lane_report_json,
							    &lane_report_csv };

struct options {
	struct lane_error *error;
	struct session_named named;
	const char *html; /* a file to write instead */
	const struct lane_report_format *format;
	struct lane_select select;
	double from_s, to_s;
	bool by_time;
	const char *range;     /* whose times these are; NULL: none */
	enum lane_record list; /* a table that is listed instead; lists: so often was one named */
	unsigned int lists;
	bool is_critical, has_stacks;
	const char *stacks; /* asleep, computing or pprof */
	struct lane_critical_wanted critical_wanted;
	struct lane_report_options report;
	struct report_models models;
};

enum {
	OPTION_COMMANDS = 0x200,
	OPTION_PATTERN,
	OPTION_DEVICE,
	OPTION_CRITICAL,
	OPTION_REQUESTS,
	OPTION_FRAMES,
	OPTION_TABLES,
	OPTION_STACKS,
	OPTION_RANGE,
};

#define ALL_TABLES ((1u << LANE_TABLE_COUNT) - 1)

static const struct argp_option argp_options[] = {
	{ "format", 'f', "FORMAT", 0, "text (default), json or csv", 0 },
	{ "html", 'H', "FILE", 0,
	  "write a page for a browser, with a timeline, to FILE (-: standard output)", 0 },
	{ "from", 'b', "SECONDS", 0, "only what is over after that time of the recording", 0 },
	{ "to", 'e', "SECONDS", 0, "only what is over by that time of the recording", 0 },
	{ "range", OPTION_RANGE, "NAME[#N]", 0,
	  "only what is over in the longest of a program's ranges or frames of that name, or in "
	  "the "
	  "N-th one",
	  0 },
	{ "process", 'p', "NAME|PID", 0,
	  "only the requests of this process; also NAME[PID], as it is printed", 0 },
	{ "context", 'c', "CONTEXT[:SEQNO]", 0,
	  "only the requests of this fence context, or only this one", 0 },
	{ "engine", 'g', "NAME", 0,
	  "only the requests of this engine: rcs0, or CLASS:INSTANCE, 0:0", 0 },
	{ "commands", OPTION_COMMANDS, NULL, 0,
	  "the OpenCL commands one by one, as CSV, or with --format json an object a line", 0 },
	{ "requests", OPTION_REQUESTS, NULL, 0,
	  "the requests one by one, as CSV, or with --format json an object a line", 0 },
	{ "frames", OPTION_FRAMES, NULL, 0,
	  "the pictures asked for of displays one by one, as CSV, or with --format json an object "
	  "a "
	  "line",
	  0 },
	{ "stacks", OPTION_STACKS, "WHAT", OPTION_ARG_OPTIONAL,
	  "where threads that submit slept (record --stacks): a line a stack, with its ns, for "
	  "programs that draw flame graphs; computing: what they ran, with how often; pprof: both, "
	  "for pprof",
	  0 },
	{ "pattern", OPTION_PATTERN, "FILE", 0,
	  "divide the running time of the OpenCL kernels that this pattern file knows", 0 },
	{ "device", OPTION_DEVICE, "NAME", 0,
	  "with --pattern: as on this device, a shipped one or a device file (default fermi)", 0 },
	{ "critical", OPTION_CRITICAL, "WHAT", OPTION_ARG_OPTIONAL,
	  "the critical path of the longest request; of a time of the recording, FROM-TO "
	  "(seconds); or of a picture of a display, " CMD_FLIP "CRTC:REFRESH",
	  0 },
	CMD_BY_OPTION,
	CMD_MACHINE_OPTIONS,
	{ "all", 'a', NULL, 0, "all tables behind the first screen", 0 },
	{ "tables", OPTION_TABLES, "NAME,...", 0,
	  "these tables only, of:"
#define T(id, name) " " name
	  LANE_REPORT_TABLES(T)
#undef T
		  ,
	  0 },
	{ "rows", 'n', "N", 0, "of each table at most (default 20, 0: all)", 0 },
	{ 0 },
};

static error_t report_bad(struct options *o, const char *option, const char *arg, const char *want)
{
	o->error = lane_error_usage("report: --%s %s: not a %s", option, arg, want);
	return EINVAL;
}

static bool report_number(const char *text, unsigned long long max, unsigned long long *value)
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

/* "0.5-0.75", or "0.5-" to the end. */
static bool interval(const char *text, struct lane_critical_wanted *wanted)
{
	char from[32];
	const char *dash = strchr(text, '-');

	if (!dash || (size_t)(dash - text) >= sizeof(from))
		return false;
	memcpy(from, text, (size_t)(dash - text));
	from[dash - text] = 0;
	wanted->by_time = true;
	if (!seconds(from, &wanted->from_s) || (dash[1] && !seconds(dash + 1, &wanted->to_s)))
		return false;
	return !dash[1] || wanted->to_s > wanted->from_s;
}

/* A time, or a picture. */
static bool critical(const char *text, struct lane_critical_wanted *wanted)
{
	wanted->by_flip = cmd_flip_name(text, &wanted->crtc, &wanted->refresh);
	return wanted->by_flip || interval(text, wanted);
}

/* "1019", or "1019:7" as reports name a request. */
static bool context(const char *text, struct lane_select *select)
{
	const char *colon = strchr(text, ':');
	char number_[24] = "";
	unsigned long long value;

	if (colon && (size_t)(colon - text) < sizeof(number_))
		memcpy(number_, text, (size_t)(colon - text));
	if (colon && !report_number(colon + 1, UINT32_MAX, &value))
		return false;
	if (colon)
		select->seqno = (uint32_t)value;
	if (!report_number(colon ? number_ : text, UINT64_MAX, &value))
		return false;
	select->by_context = true;
	select->by_seqno = colon != NULL;
	select->context = value;
	return true;
}

/* "0:0", or a name as reports print it: "rcs0", "card1/vcs0", "03:00.0/gfx". */
static bool engine(const char *text, struct lane_select *select)
{
	const char *slash = strrchr(text, '/');
	unsigned int class, instance;
	char rest;

	select->by_engine = true;
	select->engine = text;
	if (sscanf(text, "%u:%u%c", &class, &instance, &rest) == 2) {
		select->by_class = true;
		select->class = (uint16_t) class;
		select->instance = (uint16_t)instance;
		return class <= UINT16_MAX && instance <= UINT16_MAX;
	}
	select->device_bytes = slash ? (size_t)(slash - text) : 0;
	if (!show_engine_number(slash ? slash + 1 : text, &select->class, &select->instance))
		select->class = UINT16_MAX;
	return *text;
}

static error_t set_format(struct options *o, const char *arg)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(arg, formats[i]->name))
			continue;
		o->format = formats[i];
		return 0;
	}
	return report_bad(o, "format", arg, "format (text, json, csv)");
}

/* Adds the tables of a list to those that are written. */
static bool add_tables(const char *list, uint32_t *tables)
{
	for (size_t length; *list; list += length + (list[length] == ',')) {
		int i = 0;

		length = strcspn(list, ",");
		while (i < LANE_TABLE_COUNT && (strlen(lane_report_table_names[i]) != length ||
						memcmp(lane_report_table_names[i], list, length)))
			i++;
		if (i == LANE_TABLE_COUNT)
			return false;
		*tables |= 1u << i;
	}
	return *tables;
}

/* One that is named twice is one. */
static error_t set_list(struct options *o, enum lane_record of)
{
	o->lists += !o->lists || o->list != of;
	o->list = of;
	return 0;
}

static error_t report_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	unsigned long long value;

	switch (key) {
	case 'f':
		return set_format(o, arg);
	case 'H':
		o->html = arg;
		return 0;
	case 'b':
	case 'e':
		o->by_time = true;
		return seconds(arg, key == 'b' ? &o->from_s : &o->to_s)
			       ? 0
			       : report_bad(o, key == 'b' ? "from" : "to", arg,
					    "number of seconds");
	case 'p':
		o->select.process = arg;
		return 0;
	case 'c':
		return context(arg, &o->select)
			       ? 0
			       : report_bad(o, "context", arg,
					    "number of a fence context, or CONTEXT:SEQNO");
	case 'g':
		return engine(arg, &o->select)
			       ? 0
			       : report_bad(o, "engine", arg, "CLASS:INSTANCE or name");
	case 'n':
		if (!report_number(arg, UINT32_MAX, &value))
			return report_bad(o, "rows", arg, "number of rows");
		o->report.rows = (uint32_t)value;
		return 0;
	case 'a':
		o->report.tables = ALL_TABLES;
		return 0;
	case OPTION_TABLES:
		return add_tables(arg, &o->report.tables) ? 0
							  : report_bad(o, "tables", arg,
								       "list of tables, which are"
#define T(id, name) " " name
								       LANE_REPORT_TABLES(T)
#undef T
							    );
	case OPTION_PATTERN:
		o->models.pattern = arg;
		return 0;
	case OPTION_DEVICE:
		o->models.device = arg;
		return 0;
	case OPTION_CRITICAL:
		o->is_critical = true;
		return !arg || critical(arg, &o->critical_wanted)
			       ? 0
			       : report_bad(o, "critical", arg,
					    "time FROM-TO in seconds, or " CMD_FLIP "CRTC:REFRESH");
	case OPTION_RANGE:
		o->range = arg;
		return 0;
	case OPTION_STACKS:
		o->has_stacks = true;
		o->stacks = arg ? arg : "asleep";
		if (strcmp(o->stacks, "asleep") != 0 && strcmp(o->stacks, "computing") != 0 &&
		    strcmp(o->stacks, "pprof") != 0)
			return report_bad(o, "stacks", arg,
					  "kind of stacks (asleep, computing, pprof)");
		return 0;
	case OPTION_COMMANDS:
		return set_list(o, LANE_RECORD_COMMAND);
	case OPTION_FRAMES:
		return set_list(o, LANE_RECORD_FRAME);
	case OPTION_REQUESTS:
		return set_list(o, LANE_RECORD_REQUEST);
	default:
		return cmd_named_option(key, arg, &o->named);
	}
}

/* Whether it has anything that --process chooses from: threads are shown whole. */
static bool has_choice(const struct lane_timeline_figures *figures)
{
	uint64_t n = 0;

	for (unsigned int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (lane_is_request(kind) || lane_is_drm(kind) || lane_is_driver(kind) ||
		    kind == LANE_CL_ENTRY || kind == LANE_CL_COMMAND)
			n += figures->by_kind[kind];
	return n;
}

/* A choice that has nothing is a mistake, not an empty report. */
static struct lane_error *check_choice(const struct options *o,
				       const struct lane_timeline_figures *figures, uint64_t chosen)
{
	double whole_s = (double)(figures->end_ns - figures->begin_ns) / 1e9;
	const char *what = o->list == LANE_RECORD_COMMAND ? "command"
			   : o->list == LANE_RECORD_FRAME ? "picture"
							  : "request";
	const struct lane_select *select = &o->select;

	if (o->by_time && o->from_s > whole_s)
		return lane_error_usage("--from %g: the recording is over after %.3g s", o->from_s,
					whole_s);
	if (chosen)
		return NULL;
	if (select->by_engine)
		return lane_error("--engine %s: no %s of the recording is chosen by it",
				  select->engine, what);
	if (select->by_context)
		return lane_error("--context %" PRIu64 ": no %s of the recording is chosen by it",
				  select->context, what);
	if (select->process && !has_choice(figures))
		return lane_error("--process %s: the recording has no request and no command to "
				  "choose from; threads are shown whole, without --process",
				  select->process);
	if (select->process)
		return lane_error("--process %s: no %s of the recording is chosen by it",
				  select->process, what);
	return NULL;
}

/* The session that the options describe, of a machine. */
static struct session session_of(const struct options *o, const struct lane_place *place)
{
	return (struct session){
		.place = place,
		.groups = o->named.is_by_cgroup ? &o->named.groups : NULL,
		.select = o->select,
		.by_time = o->by_time,
		.from_s = o->from_s,
		.to_s = o->to_s,
		.damage = { .command = "report" },
	};
}

static struct lane_error *on_figures(void *arg, const struct lane_latency *latency,
				     struct lane_report_options *options)
{
	struct options *o = arg;
	const struct lane_completeness *n = &latency->requests;
	uint64_t chosen = n->complete + n->partial + n->unknown + n->faulted;
	struct lane_error *err;

	if (!o->select.by_engine && !o->select.by_context && latency->commands)
		chosen += latency->commands->commands;
	err = check_choice(o, &latency->figures, chosen);
	return err ? err : cmd_report_models_make(&o->models, latency, options);
}

/* The page: what models say of the kernels lives until it is written. */
static struct lane_error *write_page(struct options *o, const struct session *session)
{
	const struct lane_export_wanted wanted = { .of = *session,
						   .output = o->html,
						   .replaced = "<!DOCTYPE html>",
						   .exporters = { &lane_export_html },
						   .n = 1,
						   .on_figures = on_figures,
						   .arg = o };

	return show_export(&wanted);
}

static struct lane_error *write_stacks(const char *what, const struct lane_latency *latency)
{
	return *what == 'p' ? show_stacks_pprof(stdout, latency)
			    : show_stacks_collapsed(stdout, latency, *what == 'a');
}

static struct lane_error *write_report(struct options *o, struct session *session)
{
	struct lane_error *err = session_read(session);

	if (!err)
		err = on_figures(o, &session->latency, &o->report);
	if (!err && o->has_stacks)
		err = write_stacks(o->stacks, &session->latency);
	else if (!err)
		err = o->format->write(stdout, &session->latency, &o->report);
	return session_damage_end(&session->damage, err);
}

static struct lane_error *write_list(const struct options *o, struct session *session)
{
	bool is_json = o->format == &lane_report_json;
	struct lane_timeline_figures figures;
	uint64_t rows = 0;
	struct lane_error *err = show_list_write(stdout, session, o->list, is_json, &rows);

	if (err || (o->list == LANE_RECORD_FRAME && !rows && !o->by_time && !o->select.process))
		return err;
	timeline_figures(session->timeline, &figures);
	return check_choice(o, &figures, rows);
}

static struct lane_error *write_path(struct options *o, struct session *session)
{
	struct lane_error *err =
		show_critical_write(stdout, session, &o->critical_wanted,
				    o->format == &lane_report_json, o->report.rows);
	struct lane_error *choice = err && session->latency.timeline
					    ? on_figures(o, &session->latency, &o->report)
					    : NULL;

	if (!choice)
		return err;
	lane_error_free(err);
	return choice;
}

/* The times of --range become those of --from and --to, or the path's. */
static struct lane_error *set_range(struct options *o, struct session *session)
{
	struct lane_error *err = session_range(session, o->range, &o->from_s, &o->to_s);

	if (o->is_critical) {
		o->critical_wanted.by_time = true;
		o->critical_wanted.from_s = o->from_s;
		o->critical_wanted.to_s = o->to_s;
		return err;
	}
	session->by_time = o->by_time = true;
	session->from_s = o->from_s;
	session->to_s = o->to_s;
	return err;
}

/* The report of one recording, or one machine. */
static struct lane_error *report(struct options *o)
{
	LANE_CLEANUP(session_deinit) struct session session = session_of(o, NULL);
	struct lane_error *err = session_named_one(&o->named, &session.place);

	o->report.place = session.place;
	if (!err && o->range)
		err = set_range(o, &session);
	if (!err && o->lists)
		err = write_list(o, &session);
	else if (!err && o->is_critical)
		err = write_path(o, &session);
	else if (!err && o->html)
		err = write_page(o, &session);
	else if (!err)
		err = write_report(o, &session);
	return lane_error_context(err, "report");
}

static struct lane_error *report_all(struct options *o)
{
	const struct session of = session_of(o, NULL);

	return lane_error_context(show_report_machines(&o->named, &of, o->format, &o->report),
				  "report");
}

/* What can be said of several machines at once. */
static bool is_of_one(const struct options *o)
{
	return o->lists || o->is_critical || o->has_stacks || o->range || o->html ||
	       o->models.pattern || session_named_count(&o->named) < 2;
}

static struct lane_error *report_check(const struct options *o)
{
	unsigned int lists = o->lists + o->is_critical + o->has_stacks;

	if (!o->named.n_paths && o->html)
		return lane_error_usage("report: --html %s: no recording named (--html FILE "
					"RECORDING)",
					o->html);
	if (!o->named.n_paths)
		return lane_error_usage("report: no recording named (see `gpulane report --help`)");
	if (o->models.device && !o->models.pattern)
		return lane_error_usage("report: --device needs --pattern");
	if (o->to_s > 0 && o->to_s <= o->from_s)
		return lane_error_usage("report: --to %g is not after --from %g", o->to_s,
					o->from_s);
	if (o->range && (o->by_time || o->critical_wanted.by_time || o->critical_wanted.by_flip))
		return lane_error_usage(
			"report: --range excludes --from, --to and --critical=WHAT: "
			"it is a time of the recording itself");
	if (lists > 1)
		return lane_error_usage("report: --requests, --commands, --frames, --critical and "
					"--stacks exclude one another");
	if (o->html && (lists || o->format != &lane_report_text))
		return lane_error_usage(
			"report: --html excludes --requests, --commands, "
			"--frames, --critical, --stacks and --format: a page is one output");
	if (o->models.pattern && lists)
		return lane_error_usage("report: --pattern excludes --requests, --commands, "
					"--frames, --critical and --stacks");
	if (o->report.tables && o->report.tables != ALL_TABLES &&
	    (lists || o->html || o->format != &lane_report_text))
		return lane_error_usage("report: --tables is for the report as text");
	if (o->lists && o->list == LANE_RECORD_FRAME &&
	    (o->select.by_engine || o->select.by_context))
		return lane_error_usage("report: --frames excludes --engine and --context: choose "
					"by --process, --from or --to");
	if (o->is_critical && o->format == &lane_report_csv)
		return lane_error_usage("report: --critical is text or json, not csv");
	if (o->lists && o->list == LANE_RECORD_COMMAND && o->select.by_engine)
		return lane_error_usage("report: --commands excludes --engine: choose by --process "
					"or --context");
	return NULL;
}

struct lane_error *cmd_report(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = report_parse,
		.args_doc = "RECORDING...",
		.doc = "Say where the time of a recording's GPU requests went: in words, on one "
		       "screen; --all adds the tables.\v`gpulane help WORD` says what a word of a "
		       "report means. See gpulane-report(1).",
	};
	LANE_CLEANUP(lane_free) const char **paths = calloc((size_t)argc + 1, sizeof(*paths));
	struct options o = { .format = &lane_report_text,
			     .report = { .rows = SHOW_ROWS },
			     .named = { .paths = paths } };
	struct lane_error *err;
	int done;

	if (!paths)
		return &lane_enomem;
	err = lane_parse(&argp, argc, argv, &o, &o.error, &done);
	if (err || done)
		return err;
	err = report_check(&o);
	if (!err)
		err = lane_error_context(session_named_open(&o.named), "report");
	if (o.models.pattern)
		o.report.tables |= 1u << LANE_TABLE_OPENCL;
	o.report.has_colour = cmd_has_colour();
	(void)cmd_terminal_size(&o.report.columns, &o.report.lines);
	if (!err)
		err = is_of_one(&o) ? report(&o) : report_all(&o);
	cmd_report_models_free(&o.models);
	session_named_deinit(&o.named);
	return err;
}
