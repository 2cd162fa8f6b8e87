// SPDX-License-Identifier: MIT
// gpulane export: a recording in the formats of the viewers people have.
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "show/export_files.h"

static const struct lane_exporter *const exporters[] = {
	&lane_export_ctf,
	&lane_export_html,
	&lane_export_perfetto,
#ifdef GPULANE_SQLITE
	&lane_export_sqlite,
#endif
};

#ifdef GPULANE_SQLITE
#define FORMATS "not ctf, html, perfetto or sqlite"
#else
#define FORMATS                                                                                    \
	"not ctf, html or perfetto (sqlite, where gpulane is built with libsqlite3-dev installed)"
#endif

struct options {
	struct lane_error *error;
	struct session_named named;
	struct lane_export_wanted wanted;
};

enum {
	OPTION_FORCE = 0x200,
};

static const struct argp_option argp_options[] = {
	{ "to", 't', "FORMAT", 0, "ctf, html, perfetto, sqlite; may be repeated", 0 },
	{ "output", 'o', "PATH", 0,
	  "the file or directory to write (default: the recording's name with the format's ending, "
	  "here)",
	  0 },
	{ "force", OPTION_FORCE, NULL, 0, "replace a file that is there already", 0 },
	CMD_BY_OPTION,
	CMD_MACHINE_OPTIONS,
	{ 0 },
};

static bool export_choose(struct lane_export_wanted *wanted, const char *name)
{
	const struct lane_exporter *chosen = NULL;

	for (size_t i = 0; i < sizeof(exporters) / sizeof(exporters[0]); i++)
		if (!strcmp(name, exporters[i]->name))
			chosen = exporters[i];
	for (size_t i = 0; i < wanted->n; i++)
		if (wanted->exporters[i] == chosen)
			return true;
	if (chosen)
		wanted->exporters[wanted->n++] = chosen;
	return chosen;
}

static error_t export_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 't':
		if (export_choose(&o->wanted, arg))
			return 0;
		o->error = lane_error_usage("export: --to %s: " FORMATS, arg);
		return EINVAL;
	case OPTION_FORCE:
		o->wanted.is_forced = true;
		return 0;
	case 'o':
		o->wanted.output = arg;
		return 0;
	default:
		return cmd_named_option(key, arg, &o->named);
	}
}

static struct lane_error *export_check(const struct options *o)
{
	if (!o->named.n_paths)
		return lane_error_usage("export: no recording named (see `gpulane export --help`)");
	if (!o->wanted.n)
		return lane_error_usage(
			"export: no format named (--to FORMAT; see `gpulane export --help`)");
	if (o->wanted.output && o->wanted.n > 1)
		return lane_error_usage("export: --output names one file, %zu formats are asked "
					"for (leave --output out, or export one at a time)",
					o->wanted.n);
	return NULL;
}

static struct lane_error *export_recording(struct options *o)
{
	bool is_shared = o->wanted.n == 1 && o->wanted.exporters[0] == &lane_export_perfetto;
	struct lane_error *err = session_named_open(&o->named);

	if (err)
		return err;
	if (is_shared && session_named_count(&o->named) > 1)
		return show_export_machines(&o->wanted, &o->named);
	o->wanted.of.groups = o->named.is_by_cgroup ? &o->named.groups : NULL;
	err = session_named_one(&o->named, &o->wanted.of.place);
	return err ? err : show_export(&o->wanted);
}

struct lane_error *cmd_export(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = export_parse,
		.args_doc = "RECORDING...",
		.doc = "Write a recording in the formats of viewers.\vSee gpulane-export(1).",
	};
	LANE_CLEANUP(lane_free) const char **paths = calloc((size_t)argc + 1, sizeof(*paths));
	struct options o = { .named = { .paths = paths },
			     .wanted = { .of = { .damage = { .command = "export" } } } };
	struct lane_error *err;
	int done;

	signal(SIGXFSZ,
	       SIG_IGN); /* a file that may not grow is an error, and what was begun goes */
	if (!paths)
		return &lane_enomem;
	err = lane_parse(&argp, argc, argv, &o, &o.error, &done);
	if (!err && !done)
		err = export_check(&o);
	if (!err && !done)
		err = lane_error_context(export_recording(&o), "export");
	session_named_deinit(&o.named);
	return err;
}
