// SPDX-License-Identifier: MIT
// gpulane dump: the events of recordings and traces, as text.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/damage.h"
#include "norm/norm.h"

struct dump_options {
	const char **paths;
	size_t n_paths;
	bool chosen_any;
	bool chosen[LANE_KIND_COUNT];
	uint64_t from_ns;
	uint64_t to_ns;
	bool head;
	bool verbose;
	struct lane_input_options input;
	struct lane_error *err;
};

enum {
	OPTION_FROM = 256,
	OPTION_TO,
	OPTION_PREFER,
	OPTION_PAIRS,
	OPTION_NO_HEAD
};

static const struct argp_option dump_argp_options[] = {
	{ "event", 'e', "NAME", 0, "only events of this name or group; may be repeated", 0 },
	{ "from", OPTION_FROM, "NS", 0, "only events from this time on", 0 },
	{ "to", OPTION_TO, "NS", 0, "only events up to this time", 0 },
	{ "prefer", OPTION_PREFER, "TRACER", 0,
	  "bpf (default) or lttng, where both have recorded the same events", 0 },
	{ "pairs", OPTION_PAIRS, "FILE", 0,
	  "events of two hosts in a known order, which tie the recordings' clocks together", 0 },
	{ "verbose", 'v', NULL, 0, "say on stderr by whom the traces are read", 0 },
	{ "no-head", OPTION_NO_HEAD, NULL, 0,
	  "leave out the head, with what the trace says of itself", 0 },
	{ 0 },
};

/* Chooses the events of a name, or of a group; false when there is none. */
static bool choose(struct dump_options *options, const char *name)
{
	bool any = false;

	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		if (strcmp(lane_kinds[kind].name, name) && strcmp(lane_kinds[kind].group, name))
			continue;
		options->chosen[kind] = any = true;
	}
	options->chosen_any |= any;
	return any;
}

static bool parse_time(const char *text, uint64_t *ns)
{
	char *end;

	errno = 0;
	*ns = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct dump_options *options = state->input;

	switch (key) {
	case 'e':
		if (choose(options, arg))
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
			options->input.prefer = LANE_PREFER_LTTNG;
		} else if (strcmp(arg, "bpf")) {
			options->err = lane_error_usage("dump: --prefer %s: not bpf or lttng", arg);
			return EINVAL;
		}
		return 0;
	case OPTION_PAIRS:
		options->input.pairs = arg;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case OPTION_NO_HEAD:
		options->head = false;
		return 0;
	case ARGP_KEY_ARG:
		options->paths[options->n_paths++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (options->n_paths)
			return 0;
		options->err =
			lane_error_usage("dump: no recording is given (see `gpulane dump --help`)");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* What the pairs have shown. */
static void say_clocks(const struct lane_input *input, size_t n_paths)
{
	int64_t lo_ns, hi_ns;

	for (uint32_t host = 1; host < n_paths; host++)
		if (lane_input_clock(input, host, &lo_ns, &hi_ns))
			fprintf(stderr,
				"gpulane: dump: recording %u's clock less the first's: %" PRId64
				" to %" PRId64 " ns\n",
				host, lo_ns, hi_ns);
}

/*
 * Writes the events. A damaged place in a trace does not end it: what can still be read follows,
 * the last error is the command's.
 */
static struct lane_error *dump(struct lane_input *input, const struct dump_options *options)
{
	struct lane_damage damage = { .command = "dump" };
	const struct lane_event *event;

	for (;;) {
		struct lane_error *err = lane_input_next(input, &event);

		if (err) {
			err = lane_damage_take(&damage, err);
			if (!err)
				continue;
			lane_error_free(damage.last);
			return err;
		}
		if (!event || event->wire.ts_ns > options->to_ns || ferror(stdout))
			return lane_damage_end(&damage);
		if (event->wire.ts_ns >= options->from_ns &&
		    (!options->chosen_any || options->chosen[event->wire.kind]))
			lane_text_write_event(stdout, event);
	}
}

static void close_input(struct lane_input **input)
{
	lane_input_close(*input);
}

struct lane_error *cmd_dump(int argc, char **argv)
{
	static const struct argp argp = {
		.options = dump_argp_options,
		.parser = parse_option,
		.args_doc = "PATH...",
		.doc = "Write the events of recordings or traces in gpulane's text format.\v"
		       "PATH is a recording, a directory with a CTF trace, or a file in the text "
		       "format. "
		       "Several are written as one, in time order.",
	};
	LANE_CLEANUP(lane_free) const char **paths = calloc((size_t)argc, sizeof(*paths));
	LANE_CLEANUP(close_input) struct lane_input *input = NULL;
	struct dump_options options = { .paths = paths, .to_ns = UINT64_MAX, .head = true };
	struct lane_error *err;
	int done;

	if (!paths)
		return &lane_enomem;
	err = lane_parse(&argp, argc, argv, &options, &options.err, &done);
	if (err || done)
		return err;
	err = lane_input_open_all(paths, options.n_paths, &options.input, &input);
	if (err)
		return err;
	if (options.head)
		lane_text_write_head(stdout, lane_input_info(input));
	lane_say_endings(input, options.n_paths, "dump");
	if (options.verbose)
		lane_say_readers(input, "dump");
	say_clocks(input, options.n_paths);
	err = dump(input, &options);
	if (!err)
		err = lane_check_known(input, paths[0]);
	lane_say_counts(input, "dump");
	return err;
}
