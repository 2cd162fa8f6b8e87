// SPDX-License-Identifier: MIT
// gpulane diff: what became worse between recordings of before and of after.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "session/named.h"
#include "show/diff.h"
#include "show/sentence.h"

struct options {
	struct lane_error *error;
	const char **paths; /* base's first */
	unsigned int n, n_base;
	const char *process, *by;
	bool is_json, is_html;
	double fail_over; /* a part; 0: none */
	struct lane_diff_options show;
};

enum {
	OPTION_FAIL_OVER = 0x200
};

static const struct argp_option argp_options[] = {
	{ "format", 'f', "FORMAT", 0, "text (default), json, or html: a page for a browser", 0 },
	{ "process", 'p', "NAME", 0, "only the requests and commands of this process", 0 },
	{ "fail-over", OPTION_FAIL_OVER, "PERCENT", 0,
	  "end with exit code 3 if anything is told to be worse by more than this, by the near end "
	  "of its interval",
	  0 },
	{ "all", 'a', NULL, 0, "every figure of both sides, as a table", 0 },
	CMD_BY_OPTION,
	{ 0 },
};

static error_t parse_percent(struct options *o, const char *arg)
{
	char *end;

	o->fail_over = strtod(arg, &end) / 100;
	if (end != arg && (!*end || !strcmp(end, "%")) && o->fail_over > 0 && o->fail_over < 1e6)
		return 0;
	o->error = lane_error_usage("diff: --fail-over %s: not a number of per cent above 0", arg);
	return EINVAL;
}

static error_t diff_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'f':
		o->is_json = !strcmp(arg, "json");
		o->is_html = !strcmp(arg, "html");
		if (o->is_json || o->is_html || !strcmp(arg, "text"))
			return 0;
		o->error = lane_error_usage("diff: --format %s: not text, json or html", arg);
		return EINVAL;
	case 'p':
		o->process = arg;
		return 0;
	case 'a':
		o->show.has_all = true;
		return 0;
	case OPTION_FAIL_OVER:
		return parse_percent(o, arg);
	case CMD_OPTION_BY:
		o->by = arg;
		return 0;
	case ARGP_KEY_ARG:
		o->paths[o->n++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct lane_error *check_sides(const struct options *o)
{
	unsigned int n_new = o->n - o->n_base;

	if (!o->n_base || !n_new)
		return lane_error_usage("diff: two recordings are needed, or several of each side: "
					"BASE... -- NEW... (see `gpulane diff --help`)");
	if (o->n_base > COMPARE_SIDE_MOST || n_new > COMPARE_SIDE_MOST)
		return lane_error_usage("diff: %u recordings of one side: more than %d",
					o->n_base > n_new ? o->n_base : n_new, COMPARE_SIDE_MOST);
	return NULL;
}

static struct lane_error *read_one(const struct options *o, unsigned int number,
				   struct compare_recording *to)
{
	bool keeps_items = o->n == 2 || (o->is_html && (!number || number == o->n_base));
	const char *path = o->paths[number];
	struct session_named named = { .paths = &path, .n_paths = 1, .by = o->by };
	LANE_CLEANUP(session_deinit)
	struct session session = { .select = { .process = o->process },
				   .shows_progress = true,
				   .damage = { .command = "diff" } };
	struct lane_error *err = session_named_open(&named);

	if (!err)
		err = session_named_one(&named, &session.place);
	session.groups = named.is_by_cgroup ? &named.groups : NULL;
	if (!err)
		err = compare_read(&session, show_party_name, keeps_items, to);
	/* What of it is damaged is told there, and is beside the comparison. */
	err = session_damage_end(&session.damage, err);
	to->path = path;
	session_named_deinit(&named);
	return err;
}

static struct lane_error *fail_over(const struct options *o, const struct compare_result *result)
{
	const struct compare_row *row;
	char name[256];
	int quantity;

	if (!o->fail_over || !compare_worse_by(result, o->fail_over, &row, &quantity))
		return NULL;
	return lane_error_found(
		"%s, %s: worse by more than %g %%", show_diff_row(row, name, sizeof(name)),
		compare_quantity_name(row->any->kind, quantity), o->fail_over * 100);
}

static struct lane_error *diff_compare(const struct options *o,
				       struct compare_recording *recordings)
{
	LANE_CLEANUP(compare_result_deinit) struct compare_result result = { 0 };
	struct lane_error *err = NULL;
	struct cmd_wrapped wrapped;

	for (unsigned int i = 0; i < o->n && !err; i++)
		err = read_one(o, i, &recordings[i]);
	if (!err)
		err = compare_sides(recordings, o->n_base, o->n - o->n_base, &result);
	if (err)
		return err;
	if (o->is_html) {
		err = show_diff_html(stdout, &result, &o->show);
		return err ? err : fail_over(o, &result);
	}
	cmd_wrapped_begin(&wrapped);
	err = o->is_json ? show_diff_json(stdout, &result)
			 : show_diff_text(stdout, &result, &o->show);
	cmd_wrapped_end(&wrapped);
	return err ? err : fail_over(o, &result);
}

static struct lane_error *diff(const struct options *o)
{
	LANE_CLEANUP(lane_free)
	struct compare_recording *recordings = calloc(o->n, sizeof(*recordings));
	struct lane_error *err;

	if (!recordings)
		return &lane_enomem;
	err = diff_compare(o, recordings);
	for (unsigned int i = 0; i < o->n; i++)
		compare_recording_deinit(&recordings[i]);
	return err;
}

/* The recordings behind `--` are new; argp, which sees no difference, is given those before it. */
static int base_of(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return i;
	return argc;
}

struct lane_error *cmd_diff(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = diff_parse,
		.args_doc = "BASE... -- NEW...\nBASE NEW",
		.doc = "Say what became worse, or better, from the recordings of one side to those "
		       "of the other, by how much, and how sure that is.\v"
		       "Four recordings of each side tell a change from chance. See "
		       "gpulane-diff(1).",
	};
	LANE_CLEANUP(lane_free) const char **paths = calloc((size_t)argc + 1, sizeof(*paths));
	struct options o = { .paths = paths, .show = { .rows = 8 } };
	int before = base_of(argc, argv), done;
	struct lane_error *err;

	if (!paths)
		return &lane_enomem;
	err = lane_parse(&argp, before, argv, &o, &o.error, &done);
	if (err || done)
		return err;
	o.n_base = before == argc && o.n == 2 ? 1 : o.n;
	for (int i = before + 1; i < argc; i++)
		o.paths[o.n++] = argv[i];
	o.show.has_colour = cmd_has_colour();
	o.show.rows = o.show.has_all ? 0 : o.show.rows;
	err = check_sides(&o);
	return err ? err : lane_error_context(diff(&o), "diff");
}
