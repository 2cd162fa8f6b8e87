// SPDX-License-Identifier: MIT
// gpulane explain: one request's life, with the evidence for each of its times.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/explain.h"
#include "cmd/machines.h"
#include "show/explain.h"

struct options {
	struct lane_error *error;
	const char *path;
	struct lane_named named;
	struct request_name {
		const char *text;
		uint64_t ctx;
		uint32_t seqno;
	} * requests;
	size_t n;
	bool json;
};

enum {
	OPTION_MACHINE = 256
};

static const struct argp_option argp_options[] = {
	{ "format", 'f', "FORMAT", 0, "text (default) or json, an object a line", 0 },
	{ "machine", OPTION_MACHINE, "NAME", 0,
	  "of a folder with several machines' traces only this machine's", 0 },
	{ 0 },
};

/* "1019:7", as reports name a request. */
static bool parse_name(const char *text, struct request_name *name)
{
	unsigned long long seqno;
	char *end;

	name->text = text;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	name->ctx = strtoull(text, &end, 10);
	if (errno || *end != ':' || end[1] < '0' || end[1] > '9')
		return false;
	seqno = strtoull(end + 1, &end, 10);
	name->seqno = (uint32_t)seqno;
	return !errno && !*end && seqno <= UINT32_MAX;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'f':
		o->json = !strcmp(arg, "json");
		if (o->json || !strcmp(arg, "text"))
			return 0;
		o->error = lane_error_usage("explain: --format %s: not text or json", arg);
		return EINVAL;
	case OPTION_MACHINE:
		o->named.machine = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (!o->path) {
			o->path = arg;
			return 0;
		}
		if (parse_name(arg, &o->requests[o->n++]))
			return 0;
		o->error = lane_error_usage("explain: %s: not a request, CONTEXT:SEQNO", arg);
		return EINVAL;
	case ARGP_KEY_END:
		if (o->n)
			return 0;
		o->error = lane_error_usage(
			"explain: a recording and a request, CONTEXT:SEQNO, are needed (see "
			"`gpulane report`, \"The worst requests\")");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct lane_error *begin_first(void *arg, const struct lane_trace_info *info,
				      struct lane_hooks *hooks)
{
	lane_explain_begin(arg, info);
	*hooks = lane_explain_hooks(arg);
	return NULL;
}

static struct lane_error *begin_second(void *arg, const struct lane_trace_info *info,
				       struct lane_hooks *hooks)
{
	(void)info;
	lane_explain_begin_search(arg);
	*hooks = (struct lane_hooks){ .arg = arg, .run = lane_explain_run };
	return NULL;
}

static struct lane_error *event(void *arg, const struct lane_event *of)
{
	return lane_explain_event(arg, of);
}

/* Each request in the order in which it was named. */
static struct lane_error *write_all(const struct options *o, const struct lane_explain *x,
				    uint64_t begin_ns)
{
	struct lane_error *err = NULL;

	for (size_t k = 0; k < o->n && !err; k++) {
		const struct request_name *name = &o->requests[k];
		const struct lane_explained *of;
		size_t i = 0;

		if (k && !o->json)
			putchar('\n');
		for (size_t n = 0; (of = lane_explain_find(x, name->ctx, name->seqno, &i)) && !err;
		     n++) {
			if (n && !o->json)
				putchar('\n');
			if (o->json)
				err = lane_explain_write_json(stdout, x, of);
			else
				lane_explain_write_text(stdout, x, of, begin_ns);
		}
	}
	return err;
}

/* Fails when the recording lacks a request that was named. */
static struct lane_error *check_all(const struct options *o, const struct lane_explain *x)
{
	for (size_t k = 0; k < o->n; k++) {
		size_t i = 0;

		if (!lane_explain_find(x, o->requests[k].ctx, o->requests[k].seqno, &i))
			return lane_error("%s: %s: the recording has no such request", o->path,
					  o->requests[k].text);
	}
	return NULL;
}

struct lane_error *lane_explain_read(struct lane_explain *x, struct lane_reading *reading)
{
	const struct lane_listener first = { x, begin_first, NULL };
	const struct lane_listener second = { x, begin_second, event };
	LANE_CLEANUP(lane_reading_deinit)
	struct lane_reading again = {
		.path = reading->path,
		.place = reading->place,
		.progress = reading->progress,
		.stoppable = reading->stoppable,
		.listeners = &second,
		.n_listeners = 1,
		.damage = { .command = reading->damage.command, .quiet = true },
	};
	struct lane_error *err;

	reading->listeners = &first;
	reading->n_listeners = 1;
	err = lane_read(reading);
	reading->listeners = NULL;
	reading->n_listeners = 0;
	if (!err)
		err = lane_explain_search(x, reading->timeline);
	return err ? err : lane_read(&again);
}

static struct lane_error *explain(struct options *o)
{
	LANE_CLEANUP(lane_explain_deinit) struct lane_explain x = { 0 };
	LANE_CLEANUP(lane_reading_deinit)
	struct lane_reading reading = {
		.path = o->path,
		.progress = true,
		.stoppable = true,
		.damage = { .command = "explain" },
	};
	struct lane_error *err = NULL;

	o->named.paths = &o->path;
	o->named.n_paths = 1;
	err = lane_named_open(&o->named);
	if (!err)
		err = lane_named_one(&o->named, &reading.place);
	for (size_t k = 0; k < o->n && !err; k++)
		err = lane_explain_add(&x, o->requests[k].ctx, o->requests[k].seqno);
	if (!err)
		err = lane_explain_read(&x, &reading);
	if (!err)
		err = check_all(o, &x);
	if (!err)
		err = write_all(o, &x, reading.latency.figures.begin_ns);
	return err ? err : lane_damage_end(&reading.damage);
}

struct lane_error *cmd_explain(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "RECORDING CONTEXT:SEQNO...",
		.doc = "Say what a request of a recording went through, and which event shows each "
		       "of its times.\vSee gpulane-explain(1).",
	};
	LANE_CLEANUP(lane_free)
	struct request_name *requests = calloc((size_t)argc, sizeof(*requests));
	struct options o = { .requests = requests };
	struct lane_error *err;
	int done;

	if (!requests)
		return &lane_enomem;
	err = lane_parse(&argp, argc, argv, &o, &o.error, &done);
	if (err || done)
		return err;
	err = lane_error_context(explain(&o), "explain");
	lane_named_deinit(&o.named);
	return err;
}
