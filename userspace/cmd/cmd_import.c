// SPDX-License-Identifier: MIT
// gpulane import: a trace of another tracer becomes a recording.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "norm/machines.h"
#include "session/copy.h"

struct options {
	struct lane_error *error;
	const char **inputs;
	size_t n_inputs;
	const char *output; /* NULL: each FILE's name with `.rec`, in the working directory */
};

static const struct argp_option argp_options[] = {
	{ "output", 'o', "DIR", 0,
	  "the recording to make (default: the name of FILE with .rec); of several FILEs a folder "
	  "with a recording for each",
	  0 },
	{ 0 },
};

static error_t import_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		o->inputs[o->n_inputs++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct lane_error *import_make(const struct lane_place *from, const char *to)
{
	struct lane_error *err = session_copy(from, to);

	if (err)
		return err;
	fputs("wrote ", stdout);
	lane_clean_print(stdout, to);
	putchar('\n');
	return NULL;
}

/* The recording's path for a FILE: its name with `.rec`, in the folder where one is named. */
static struct lane_error *make_named(const struct lane_place *from, const char *called,
				     const char *folder)
{
	LANE_CLEANUP(lane_free) char *to = NULL;
	const char *slash = strrchr(called, '/');
	const char *name = slash ? slash + 1 : called;

	if (!*name)
		return lane_error("%s: it has no name to call the recording by (use -o DIR)",
				  called);
	if (asprintf(&to, "%s%s%s.rec", folder ? folder : "", folder ? "/" : "", name) < 0) {
		to = NULL;
		return &lane_enomem;
	}
	return import_make(from, to);
}

/* Each machine of a folder that holds several, by its name, in a folder. */
static struct lane_error *make_machines(const struct lane_machines *found, const char *folder)
{
	struct lane_error *err = NULL;

	if (folder && mkdir(folder, 0700))
		return lane_error_errno(errno, "%s", folder);
	for (size_t i = 0; !err && i < found->n; i++) {
		char name[sizeof(found->machines[i].name)];

		strcpy(name, found->machines[i].name);
		for (char *at = name; (at = strpbrk(at, "/."));)
			*at = '-';
		err = make_named(&found->machines[i].place, name, folder);
	}
	return err;
}

static struct lane_error *make_path(const char *path, const char *to, bool is_folder)
{
	struct lane_machines found = { 0 };
	const struct lane_place place = { .path = path };
	struct lane_error *err = norm_machines_find(&path, 1, &found);
	LANE_CLEANUP(lane_free) char *below = NULL;

	if (!err && found.n > 1 && is_folder && to) {
		const char *slash = strrchr(path, '/');

		if (asprintf(&below, "%s/%s", to, slash ? slash + 1 : path) < 0) {
			below = NULL;
			err = &lane_enomem;
		}
		to = below;
	}
	if (!err && found.n > 1)
		err = make_machines(&found, to);
	else if (!err)
		err = to && !is_folder ? import_make(&place, to) : make_named(&place, path, to);
	norm_machines_deinit(&found);
	return err;
}

static struct lane_error *make_all(const struct options *o)
{
	bool is_folder = o->n_inputs > 1;
	struct lane_error *err = NULL;

	if (is_folder && o->output && mkdir(o->output, 0700))
		return lane_error_errno(errno, "%s", o->output);
	for (size_t i = 0; !err && i < o->n_inputs; i++)
		err = make_path(o->inputs[i], o->output, is_folder);
	return err;
}

struct lane_error *cmd_import(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = import_parse,
		.args_doc = "FILE...",
		.doc = "Make recordings of traces of other tracers: trace-cmd's trace.dat, perf's "
		       "perf.data, Perfetto's, CodeXL's .atp, or any trace that gpulane "
		       "reads.\vSee gpulane-import(1).",
	};
	LANE_CLEANUP(lane_free) const char **inputs = calloc((size_t)argc + 1, sizeof(*inputs));
	struct options o = { .inputs = inputs };
	struct lane_error *err;
	int done;

	if (!inputs)
		return &lane_enomem;
	err = lane_parse(&argp, argc, argv, &o, &o.error, &done);
	if (err || done)
		return err;
	if (!o.n_inputs)
		return lane_error_usage("import: no trace named (see `gpulane import --help`)");
	return lane_error_context(make_all(&o), "import");
}
