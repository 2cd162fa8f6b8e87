// SPDX-License-Identifier: MIT
// gpulane explain: one request's life, with the evidence for each of its times; or a picture's.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "session/evidence.h"
#include "session/named.h"
#include "show/explain_flip.h"
#include "show/explain_text.h"

struct options {
	struct lane_error *error;
	const char *path;
	struct session_named named;
	struct request_name {
		const char *text;
		bool is_flip; /* a picture: of refresh seqno of a CRTC */
		int32_t crtc;
		uint64_t ctx;
		uint32_t seqno;
	} * requests;
	size_t n;
	bool is_json;
};

static const struct argp_option argp_options[] = {
	{ "format", 'f', "FORMAT", 0, "text (default) or json, an object a line", 0 },
	{ "machine", CMD_OPTION_MACHINE, "NAME", 0,
	  "of a folder with several machines' traces only this machine's", 0 },
	CMD_BY_OPTION,
	{ 0 },
};

/* "1019:7", as reports name a request, or "flip:0:4711", as they name a picture. */
static bool parse_name(const char *text, struct request_name *name)
{
	unsigned long long seqno;
	char *end;

	name->text = text;
	name->is_flip = cmd_flip_name(text, &name->crtc, &name->seqno);
	if (name->is_flip)
		return true;
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

static error_t explain_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'f':
		o->is_json = !strcmp(arg, "json");
		if (o->is_json || !strcmp(arg, "text"))
			return 0;
		o->error = lane_error_usage("explain: --format %s: not text or json", arg);
		return EINVAL;
	case CMD_OPTION_MACHINE:
	case CMD_OPTION_BY:
		return cmd_named_option(key, arg, &o->named);
	case ARGP_KEY_ARG:
		if (!o->path) {
			o->path = arg;
			return 0;
		}
		if (parse_name(arg, &o->requests[o->n++]))
			return 0;
		o->error = lane_error_usage("explain: %s: not a request, CONTEXT:SEQNO, nor a "
					    "picture, " CMD_FLIP "CRTC:REFRESH",
					    arg);
		return EINVAL;
	case ARGP_KEY_END:
		if (o->n)
			return 0;
		o->error = lane_error_usage(
			"explain: a recording and a request, CONTEXT:SEQNO, or a picture, " CMD_FLIP
			"CRTC:REFRESH, are needed (see `gpulane report`)");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct lane_error *write_request(const struct options *o, const struct request_name *name,
					const struct lane_explain *x,
					const struct lane_latency *latency)
{
	struct lane_error *err = NULL;
	const struct lane_explained *of;
	size_t i = 0;

	for (size_t n = 0; (of = latency_explain_find(x, name->ctx, name->seqno, &i)) && !err;
	     n++) {
		if (n && !o->is_json)
			putchar('\n');
		if (o->is_json)
			err = show_explain_write_json(stdout, x, of, latency);
		else
			show_explain_write_text(stdout, x, of, latency);
	}
	return err;
}

static void select_flip(struct lane_select *select, const struct request_name *name)
{
	select->by_flip = true;
	select->crtc = name->crtc;
	select->refresh = name->seqno;
}

/* The pictures of that name, one of each device that has one. */
static struct lane_error *write_found(const struct options *o, const struct request_name *name,
				      const struct session *session)
{
	const struct lane_frames *frames = &session->latency.frames;
	struct lane_error *err = NULL;

	if (!frames->n_found)
		return lane_error("%s: %s: no picture is known to have been under way for that "
				  "refresh",
				  o->path, name->text);
	for (uint32_t i = 0; i < frames->n_found && !err; i++) {
		if (i && !o->is_json)
			putchar('\n');
		err = show_explain_flip(stdout, session, &frames->found[i], o->is_json);
	}
	return err;
}

static struct lane_error *write_flip(const struct options *o, const struct request_name *name,
				     const struct session *session)
{
	LANE_CLEANUP(session_deinit) struct session of = session_again(session);
	struct lane_error *err;

	if (session->select.by_flip && name == o->requests)
		return write_found(o, name, session);
	select_flip(&of.select, name);
	err = session_read(&of);
	return err ? err : write_found(o, name, &of);
}

/* Each in the order in which it was named. */
static struct lane_error *explain_write_all(const struct options *o, const struct lane_explain *x,
					    const struct session *session)
{
	struct lane_error *err = NULL;

	for (size_t k = 0; k < o->n && !err; k++) {
		const struct request_name *name = &o->requests[k];

		if (k && !o->is_json)
			putchar('\n');
		err = name->is_flip ? write_flip(o, name, session)
				    : write_request(o, name, x, &session->latency);
	}
	return err;
}

/* Fails when the recording lacks a request that was named. */
static struct lane_error *check_all(const struct options *o, const struct lane_explain *x)
{
	for (size_t k = 0; k < o->n; k++) {
		const struct request_name *name = &o->requests[k];
		size_t i = 0;

		if (!name->is_flip && !latency_explain_find(x, name->ctx, name->seqno, &i))
			return lane_error("%s: %s: the recording has no such request", o->path,
					  name->text);
	}
	return NULL;
}

static struct lane_error *add_all(const struct options *o, struct lane_explain *x)
{
	struct lane_error *err = NULL;

	for (size_t k = 0; k < o->n && !err; k++)
		if (!o->requests[k].is_flip)
			err = latency_explain_add(x, o->requests[k].ctx, o->requests[k].seqno);
	return err;
}

static struct lane_error *explain_requests(struct options *o)
{
	LANE_CLEANUP(latency_explain_deinit) struct lane_explain x = { 0 };
	LANE_CLEANUP(session_deinit)
	struct session session = {
		.shows_progress = true,
		.is_stoppable = true,
		.damage = { .command = "explain" },
	};
	struct cmd_wrapped wrapped;
	struct lane_error *err = NULL;

	o->named.paths = &o->path;
	o->named.n_paths = 1;
	err = session_named_open(&o->named);
	if (!err)
		err = session_named_one(&o->named, &session.place);
	session.groups = o->named.is_by_cgroup ? &o->named.groups : NULL;
	/* The sentences are of what is selected. */
	if (o->requests->is_flip)
		select_flip(&session.select, o->requests);
	else if (o->n == 1)
		session.select = (struct lane_select){ .by_context = true,
						       .by_seqno = true,
						       .context = o->requests->ctx,
						       .seqno = o->requests->seqno };
	if (!err)
		err = add_all(o, &x);
	if (!err)
		err = session_explain(&session, &x);
	if (!err)
		err = check_all(o, &x);
	if (!err) {
		cmd_wrapped_begin(&wrapped);
		err = explain_write_all(o, &x, &session);
		cmd_wrapped_end(&wrapped);
	}
	return session_damage_end(&session.damage, err);
}

struct lane_error *cmd_explain(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = explain_parse,
		.args_doc = "RECORDING CONTEXT:SEQNO...\nRECORDING " CMD_FLIP "CRTC:REFRESH...",
		.doc = "Say what a request of a recording went through, and which event shows each "
		       "of its times; or what a picture waited for that a display shows.\v"
		       "See gpulane-explain(1).",
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
	err = lane_error_context(explain_requests(&o), "explain");
	session_named_deinit(&o.named);
	return err;
}
