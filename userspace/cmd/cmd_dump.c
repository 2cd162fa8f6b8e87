// SPDX-License-Identifier: MIT
// gpulane dump: the events of recordings and traces, as text.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "session/session.h"
#include "show/report_machines.h"

struct dump_options {
	struct session_named named;
	bool has_chosen;
	bool chosen[LANE_KIND_COUNT];
	uint64_t from_ns;
	uint64_t to_ns;
	bool has_head;
	enum lane_prefer prefer;
	struct lane_error *err;
};

enum {
	OPTION_FROM = 256,
	OPTION_TO,
	OPTION_PREFER,
	OPTION_NO_HEAD
};

static const struct argp_option dump_argp_options[] = {
	{ "event", 'e', "NAME", 0, "only events of this name or group; may be repeated", 0 },
	{ "from", OPTION_FROM, "NS", 0, "only events from this time on", 0 },
	{ "to", OPTION_TO, "NS", 0, "only events up to this time", 0 },
	{ "prefer", OPTION_PREFER, "TRACER", 0,
	  "bpf (default) or lttng, where both have recorded the same events", 0 },
	CMD_MACHINE_OPTIONS,
	{ "no-head", OPTION_NO_HEAD, NULL, 0,
	  "leave out the head, with what the trace says of itself", 0 },
	{ 0 },
};

/* Chooses the events of a name, or of a group; false when there is none. */
static bool dump_choose(struct dump_options *options, const char *name)
{
	bool any = false;

	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		if (strcmp(lane_kinds[kind].name, name) && strcmp(lane_kinds[kind].group, name))
			continue;
		options->chosen[kind] = any = true;
	}
	options->has_chosen |= any;
	return any;
}

static bool parse_time(const char *text, uint64_t *ns)
{
	char *end;

	errno = 0;
	*ns = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static error_t dump_parse_option(int key, char *arg, struct argp_state *state)
{
	struct dump_options *options = state->input;

	switch (key) {
	case 'e':
		if (dump_choose(options, arg))
			return 0;
		options->err = lane_error_usage(
			"dump: --event %s: no such event or group (see gpulane-events(7))", arg);
		return EINVAL;
	case OPTION_FROM:
	case OPTION_TO:
		if (parse_time(arg, key == OPTION_FROM ? &options->from_ns : &options->to_ns))
			return 0;
		options->err = lane_error_usage("dump: --%s %s: not a time in nanoseconds",
						key == OPTION_FROM ? "from" : "to", arg);
		return EINVAL;
	case OPTION_PREFER:
		if (!strcmp(arg, "lttng")) {
			options->prefer = LANE_PREFER_LTTNG;
		} else if (strcmp(arg, "bpf")) {
			options->err = lane_error_usage("dump: --prefer %s: not bpf or lttng", arg);
			return EINVAL;
		}
		return 0;
	case OPTION_NO_HEAD:
		options->has_head = false;
		return 0;
	case ARGP_KEY_END:
		if (options->named.n_paths)
			return 0;
		options->err =
			lane_error_usage("dump: no recording is given (see `gpulane dump --help`)");
		return EINVAL;
	default:
		return cmd_named_option(key, arg, &options->named);
	}
}

/* One reading: all of one machine, or of all machines on the timeline. */
struct listing {
	const struct dump_options *options;
	const struct lane_machines *machines; /* NULL: there is one, and no need to name it */
	struct lane_place *places;
	size_t *of; /* machines by place */
	size_t n;
	struct session session;
	struct lane_error *damage; /* the last of it, to be the command's error */
};

static void write_event(const struct listing *l, const struct lane_event *event)
{
	size_t of;
	uint64_t half;

	if (!l->machines) {
		decode_text_write_event(stdout, event);
		return;
	}
	of = l->of[event->host];
	half = norm_machine_half_width(l->machines, of, event->wire.ts_ns);
	decode_text_write_event_of(stdout, event, l->machines->machines[of].name, half);
}

static struct lane_error *on_event(void *arg, const struct lane_event *event)
{
	struct listing *l = arg;
	const struct dump_options *options = l->options;

	l->session.is_enough = event->wire.ts_ns > options->to_ns || ferror(stdout);
	if (!l->session.is_enough && event->wire.ts_ns >= options->from_ns &&
	    (!options->has_chosen || options->chosen[event->wire.kind]))
		write_event(l, event);
	return NULL;
}

/* The head of one machine among several. */
static void write_machine(const struct dump_options *options, size_t of)
{
	printf("# machine ");
	lane_clean_print(stdout, options->named.found.machines[of].name);
	printf(": ");
	show_say_tie(stdout, &options->named, of);
	putchar('\n');
}

static struct lane_error *dump_begin(void *arg, const struct lane_trace_info *info,
				     struct lane_hooks *hooks)
{
	const struct listing *l = arg;

	(void)hooks;
	if (l->options->has_head && !l->machines)
		decode_text_write_head(stdout, info);
	for (size_t i = 0; i < l->n && l->options->has_head && l->machines; i++)
		write_machine(l->options, l->of[i]);
	return NULL;
}

/* The places' events in one order. */
static struct lane_error *dump_places(struct listing *l)
{
	const struct session_listener listener = { l, dump_begin, on_event };
	struct lane_error *err;

	l->session = (struct session){ .place = l->places,
				       .n_places = l->n,
				       .depth = SESSION_EVENTS,
				       .prefer = l->options->prefer,
				       .keeps_findings = true,
				       .listeners = &listener,
				       .n_listeners = 1,
				       .damage = { .command = "dump" } };
	err = session_read(&l->session);
	l->damage = session_damage_end(&l->session.damage, l->damage);
	session_deinit(&l->session);
	return err;
}

/*
 * The machines that are on the timeline in one order, the others one after the other: nothing says
 * which of their events came first.
 */
static struct lane_error *dump_all(struct dump_options *options)
{
	const struct lane_machines *found = &options->named.found;
	LANE_CLEANUP(lane_free) struct lane_place *places = calloc(found->n, sizeof(*places));
	LANE_CLEANUP(lane_free) size_t *of = calloc(found->n, sizeof(*of));
	bool is_alone =
		session_named_count(&options->named) == 1 || norm_machines_are_one_boot(found);
	struct listing l = {
		.options = options, .machines = is_alone ? NULL : found, .places = places, .of = of
	};
	struct lane_error *err = NULL;

	if (!places || !of)
		return &lane_enomem;
	for (size_t i = 0; i < found->n; i++)
		if (session_named_is_wanted(&options->named, i) &&
		    (is_alone || norm_machine_is_tied(&found->machines[i]))) {
			places[l.n] = found->machines[i].place;
			of[l.n++] = i;
		}
	err = dump_places(&l);
	for (size_t i = 0; i < found->n && !err && !is_alone; i++) {
		if (norm_machine_is_tied(&found->machines[i]))
			continue;
		places[0] = found->machines[i].place;
		of[0] = i;
		l.n = 1;
		err = dump_places(&l);
	}
	if (!err)
		return l.damage;
	session_damage_tell(&l.session.damage, l.damage);
	return err;
}

struct lane_error *cmd_dump(int argc, char **argv)
{
	static const struct argp argp = {
		.options = dump_argp_options,
		.parser = dump_parse_option,
		.args_doc = "PATH...",
		.doc = "Write the events of recordings or traces in gpulane's text format.\v"
		       "PATH is a recording, a directory with a CTF trace, or a file in the text "
		       "format. "
		       "Several are written as one, in time order, where their clocks are tied "
		       "together.",
	};
	LANE_CLEANUP(lane_free) const char **paths = calloc((size_t)argc, sizeof(*paths));
	struct dump_options options = { .named = { .paths = paths },
					.to_ns = UINT64_MAX,
					.has_head = true };
	struct lane_error *err;
	int done;

	if (!paths)
		return &lane_enomem;
	err = lane_parse(&argp, argc, argv, &options, &options.err, &done);
	if (err || done)
		return err;
	err = session_named_open(&options.named);
	if (!err)
		err = dump_all(&options);
	err = lane_error_context(err, "dump");
	session_named_deinit(&options.named);
	return err;
}
