// SPDX-License-Identifier: MIT
// gpulane export: a recording in the formats of the viewers people have.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "cmd/cmd.h"
#include "cmd/explain.h"
#include "cmd/report_model.h"
#include "cmd/export.h"
#include "cmd/machines.h"
#include "cmd/read.h"

static const struct lane_exporter *const exporters[] = {
	&lane_export_ctf,
	&lane_export_html,
	&lane_export_perfetto,
};

#define N_EXPORTERS (sizeof(exporters) / sizeof(exporters[0]))

/* One output of an exporter. */
struct output {
	const struct lane_exporter *exporter;
	struct lane_output out; /* where it goes, unless that is standard output */
	FILE *file;
	bool to_stdout; /* kept in a file without a name until it is complete */
	struct lane_export_to to;
	const struct lane_reading *reading;
	void *export;
};

struct job {
	struct lane_reading reading;
	const char *name; /* --output */
	struct output outputs[N_EXPORTERS];
	size_t n;
	char title[256];
	struct lane_named named;
	FILE *sink;	     /* where it goes instead of standard output; NULL: there */
	const char *machine; /* as in lane_export_to */
	unsigned int machine_index;
	struct lane_explain explain;  /* of the worst requests */
	struct report_models *models; /* of the kernels, or NULL */
	struct lane_error *error;
};

enum {
	OPTION_MACHINE = 256,
	OPTION_PAIRS
};

static const struct argp_option argp_options[] = {
	{ "to", 't', "FORMAT", 0, "ctf, html, perfetto; may be repeated", 0 },
	{ "output", 'o', "PATH", 0,
	  "the file or directory to write (default: the recording's name with the format's ending, "
	  "here)",
	  0 },
	LANE_MACHINE_OPTIONS(OPTION_MACHINE, OPTION_PAIRS),
	{ "verbose", 'v', NULL, 0, "say on stderr by whom the recording's traces are read", 0 },
	{ 0 },
};

static bool add_output(struct job *job, const struct lane_exporter *exporter)
{
	for (size_t i = 0; i < job->n; i++)
		if (job->outputs[i].exporter == exporter)
			return true;
	job->outputs[job->n++] = (struct output){ .exporter = exporter, .out = LANE_OUTPUT_NONE };
	return true;
}

static bool choose(struct job *job, const char *name)
{
	for (size_t i = 0; i < N_EXPORTERS; i++)
		if (!strcmp(name, exporters[i]->name))
			return add_output(job, exporters[i]);
	return false;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct job *job = state->input;

	switch (key) {
	case 'v':
		job->reading.verbose = true;
		return 0;
	case 't':
		if (choose(job, arg))
			return 0;
		job->error = lane_error_usage("export: --to %s: not ctf, html or perfetto", arg);
		return EINVAL;
	case 'o':
		job->name = arg;
		return 0;
	case OPTION_MACHINE:
		job->named.machine = arg;
		return 0;
	case OPTION_PAIRS:
		job->named.pairs = arg;
		return 0;
	case ARGP_KEY_ARG:
		job->named.paths[job->named.n_paths++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct lane_error *checked(const struct job *job)
{
	if (!job->named.n_paths)
		return lane_error_usage("export: no recording named (see `gpulane export --help`)");
	if (!job->n)
		return lane_error_usage(
			"export: no format named (--to FORMAT; see `gpulane export --help`)");
	if (job->name && job->n > 1)
		return lane_error_usage("export: --output names one file, %zu formats are asked "
					"for (leave --output out, or export one at a time)",
					job->n);
	return NULL;
}

/* The recording's name without what stands before and after it. */
static void set_title(struct job *job)
{
	const char *path = job->reading.path, *end = path + strlen(path), *begin, *dot;

	while (end > path + 1 && end[-1] == '/')
		end--;
	for (begin = end; begin > path && begin[-1] != '/'; begin--)
		;
	dot = memrchr(begin, '.', (size_t)(end - begin));
	if (dot && dot > begin && (!strncmp(dot, ".txt", 4) || !strncmp(dot, ".rec", 4)))
		end = dot;
	snprintf(job->title, sizeof(job->title), "%.*s", (int)(end - begin), begin);
	if (!strcmp(job->title, ".") || !strcmp(job->title, "/") || !strcmp(job->title, ".."))
		snprintf(job->title, sizeof(job->title), "recording");
}

/* Lets go of what an export has begun; what is under a temporary name is removed. */
static void drop(struct output *out)
{
	out->exporter->destroy(out->export);
	out->export = NULL;
	if (out->file)
		fclose(out->file);
	out->file = NULL;
	lane_output_drop(&out->out);
}

/* The outputs go first: what they listen to are the reading's. */
static void drop_job(struct job *job)
{
	for (size_t i = 0; i < job->n; i++) {
		drop(&job->outputs[i]);
		lane_output_deinit(&job->outputs[i].out);
	}
	lane_reading_deinit(&job->reading);
	lane_explain_deinit(&job->explain);
}

static struct lane_error *set_names(struct job *job, struct output *out)
{
	const struct lane_exporter *e = out->exporter;
	LANE_CLEANUP(lane_free) char *path = NULL;

	out->to_stdout = job->name && !strcmp(job->name, "-");
	if (out->to_stdout)
		return e->directory ? lane_error_usage("export: --to %s makes a directory, which "
						       "standard output is not",
						       e->name)
				    : NULL;
	if (!job->name && asprintf(&path, "%s%s", job->title, e->suffix) < 0) {
		path = NULL;
		return &lane_enomem;
	}
	return lane_output_init(&out->out, path ? path : job->name, e->directory);
}

/* A file without a name, below TMPDIR or in memory. */
static int open_unnamed(void)
{
	const char *dir = getenv("TMPDIR");
	int fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? memfd_create("gpulane-export", MFD_CLOEXEC) : fd;
}

static struct lane_error *begin_writing(struct output *out)
{
	struct lane_error *err = NULL;
	int fd;

	if (out->to_stdout) {
		fd = open_unnamed();
		if (fd < 0)
			return lane_error_errno(errno, "temporary file");
	} else {
		err = lane_output_begin(&out->out);
		if (err)
			return err;
		out->to.dir_fd = out->out.fd;
		if (out->exporter->directory)
			return NULL;
		fd = fcntl(out->out.fd, F_DUPFD_CLOEXEC, 0);
	}
	out->file = fd < 0 ? NULL : fdopen(fd, "w+");
	if (!out->file) {
		err = lane_error_errno(errno, "%s",
				       out->to_stdout ? "temporary file" : out->out.path);
		if (fd >= 0)
			close(fd);
	}
	out->to.file = out->file;
	return err;
}

/* A reading begins, perhaps for the second time. */
static struct lane_error *begin(void *arg, const struct lane_trace_info *info,
				struct lane_hooks *hooks)
{
	struct output *out = arg;
	struct lane_error *err;

	drop(out);
	err = begin_writing(out);
	if (err)
		return err;
	out->to.info = info;
	out->to.lost = out->reading->lost;
	out->to.n_lost = out->reading->n_lost;
	return out->exporter->create(&out->to, &out->export, hooks);
}

static struct lane_error *event(void *arg, const struct lane_event *event)
{
	struct output *out = arg;

	return out->exporter->event ? out->exporter->event(out->export, event) : NULL;
}

/*
 * What is left to do once the reading is over looks at no flag: a signal ends it at once, and
 * removes what has been begun.
 */
static void on_stop(int number)
{
	static const char said[] = "gpulane: export: interrupted\n";

	lane_outputs_abandon();
	if (write(STDERR_FILENO, said, sizeof(said) - 1) < 0)
		_exit(128 + number);
	_exit(LANE_ERROR_FAILED);
}

static void end_at_once(void)
{
	struct sigaction action = { .sa_handler = on_stop };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

/* What is complete goes to standard output, or to where its machine's part goes. */
static struct lane_error *copy_to(FILE *to, FILE *from)
{
	char buffer[1 << 16];
	size_t n;

	rewind(from);
	while ((n = fread(buffer, 1, sizeof(buffer), from)) > 0)
		if (fwrite(buffer, 1, n, to) != n)
			break;
	if (ferror(from) || ferror(to) || fflush(to))
		return lane_error("it could not be written");
	return NULL;
}

/* Makes what has been written the output. */
static struct lane_error *complete(struct output *out, struct lane_latency *latency, FILE *sink)
{
	struct lane_error *err = out->exporter->finish(out->export, latency);
	FILE *file = LANE_TAKE(out->file);

	if (!err && file && (fflush(file) || ferror(file)))
		err = lane_error("it could not be written");
	if (!err && out->to_stdout)
		err = copy_to(sink ? sink : stdout, file);
	if (file && fclose(file) && !err)
		err = lane_error("it could not be written");
	if (err)
		return lane_error_context(err, "%s",
					  out->to_stdout ? "standard output" : out->out.path);
	return out->to_stdout ? NULL : lane_output_commit(&out->out);
}

/* Finds the evidence for the worst requests, where an exporter shows it. */
static struct lane_error *explain(struct job *job)
{
	const struct lane_latency *latency = &job->reading.latency;
	LANE_CLEANUP(lane_reading_deinit)
	struct lane_reading reading = {
		.path = job->reading.path,
		.place = job->reading.place,
		.progress = job->reading.progress,
		.stoppable = job->reading.stoppable,
		.damage = { .command = job->reading.damage.command, .quiet = true },
	};
	struct lane_error *err = NULL;
	bool is_wanted = false;

	for (size_t i = 0; i < job->n; i++)
		is_wanted |= job->outputs[i].exporter->explain != NULL;
	if (!is_wanted || !latency->n_worst)
		return NULL;
	for (uint32_t i = 0; i < latency->n_worst && !err; i++)
		err = lane_explain_add(&job->explain, latency->worst[i].request.context->ctx,
				       latency->worst[i].request.seqno);
	if (!err)
		err = lane_explain_read(&job->explain, &reading);
	for (size_t i = 0; i < job->n && !err; i++)
		if (job->outputs[i].exporter->explain)
			job->outputs[i].exporter->explain(job->outputs[i].export, &job->explain);
	return err;
}

/* Predicts the kernels, where that was asked for; the results outlive the exporters. */
static struct lane_error *model(struct job *job, struct lane_report_options *options)
{
	struct lane_error *err;

	if (!job->models)
		return NULL;
	err = report_models_make(job->models, &job->reading.latency, options);
	for (size_t i = 0; i < job->n && !err; i++)
		if (job->outputs[i].exporter->models)
			job->outputs[i].exporter->models(job->outputs[i].export, options);
	return err;
}

static struct lane_error *export(struct job *job)
{
	struct lane_report_options options = { .n_models = 0 };
	struct lane_listener listeners[N_EXPORTERS];
	struct lane_error *err;

	for (size_t i = 0; i < job->n; i++) {
		err = set_names(job, &job->outputs[i]);
		if (err)
			return err;
		job->outputs[i].to.title = job->title;
		job->outputs[i].to.machine = job->machine;
		job->outputs[i].to.machine_index = job->machine_index;
		job->outputs[i].reading = &job->reading;
		listeners[i] = (struct lane_listener){ &job->outputs[i], begin, event };
	}
	if (!job->reading.damage.command)
		job->reading.damage.command = "export";
	job->reading.progress = true;
	job->reading.stoppable = true;
	job->reading.listeners = listeners;
	job->reading.n_listeners = job->n;
	err = lane_read(&job->reading);
	if (!err)
		err = explain(job);
	if (!err)
		err = model(job, &options);
	end_at_once();
	for (size_t i = 0; !err && i < job->n; i++)
		err = complete(&job->outputs[i], &job->reading.latency, job->sink);
	return err ? err : lane_damage_end(&job->reading.damage);
}

struct lane_error *lane_export_one(const struct lane_exporter *exporter,
				   const struct lane_reading *of, const char *output,
				   struct report_models *models)
{
	LANE_CLEANUP(drop_job)
	struct job job = { .reading = *of, .name = output, .models = models };

	add_output(&job, exporter);
	set_title(&job);
	return export(&job);
}

/* One machine's part of a file that holds several. */
static struct lane_error *export_part(const struct job *of, size_t machine, unsigned int index,
				      FILE *sink)
{
	const struct lane_machine *it = &of->named.found.machines[machine];
	LANE_CLEANUP(drop_job)
	struct job job = { .reading = of->reading,
			   .name = "-",
			   .sink = sink,
			   .machine = it->name,
			   .machine_index = index };

	add_output(&job, &lane_export_perfetto);
	job.reading.path = it->place.path;
	job.reading.place = &it->place;
	memcpy(job.title, of->title, sizeof(job.title));
	return export(&job);
}

static struct lane_error *check_machines(const struct job *job)
{
	const struct lane_machines *found = &job->named.found;

	if (found->n > LANE_EXPORT_MACHINES)
		return lane_error("these are %zu machines, one file can hold %d (choose one with "
				  "--machine)",
				  found->n, LANE_EXPORT_MACHINES);
	for (size_t i = 0; i < found->n; i++)
		if (!lane_machine_is_tied(&found->machines[i]))
			return lane_error("%s is not on one timeline with the others (choose one "
					  "machine with --machine, or tie them with --pairs; "
					  "`gpulane report` says what is known of their clocks)",
					  found->machines[i].name);
	return NULL;
}

/* All machines into one file, one behind the other: viewers put its parts in order. */
static struct lane_error *export_machines(struct job *job)
{
	struct output *out = &job->outputs[0];
	struct lane_error *err = check_machines(job), *damage = NULL;
	FILE *sink = NULL;

	if (!err)
		err = set_names(job, out);
	if (!err)
		err = begin_writing(out);
	sink = LANE_TAKE(out->file);
	for (size_t i = 0; i < job->named.found.n && !err; i++) {
		err = export_part(job, i, (unsigned int)i, sink);
		/* Damage in one does not keep the others from being exported. */
		if (err && lane_error_code(err) == LANE_ERROR_FAILED && err != &lane_enomem) {
			lane_error_free(damage);
			damage = LANE_TAKE(err);
		}
	}
	if (!err && out->to_stdout)
		err = copy_to(stdout, sink);
	if (sink && fclose(sink) && !err)
		err = lane_error("it could not be written");
	if (!err && !out->to_stdout)
		err = lane_output_commit(&out->out);
	if (err)
		lane_error_free(damage);
	return err ? err : damage;
}

static struct lane_error *export_named(struct job *job)
{
	bool is_shared = job->n == 1 && job->outputs[0].exporter == &lane_export_perfetto;
	struct lane_error *err = lane_named_open(&job->named);

	if (err)
		return err;
	if (is_shared && lane_named_count(&job->named) > 1) {
		job->reading.path = job->named.paths[0];
		set_title(job);
		return export_machines(job);
	}
	err = lane_named_one(&job->named, &job->reading.place);
	if (err)
		return err;
	job->reading.path = job->reading.place->path;
	set_title(job);
	return export(job);
}

struct lane_error *cmd_export(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "RECORDING...",
		.doc = "Write a recording in the formats of viewers.\vSee gpulane-export(1).",
	};
	LANE_CLEANUP(lane_free) const char **paths = calloc((size_t)argc + 1, sizeof(*paths));
	LANE_CLEANUP(drop_job) struct job job = { .named = { .paths = paths } };
	struct lane_error *err;
	int done;

	if (!paths)
		return &lane_enomem;
	err = lane_parse(&argp, argc, argv, &job, &job.error, &done);
	if (!err && !done)
		err = checked(&job);
	if (!err && !done)
		err = lane_error_context(export_named(&job), "export");
	lane_named_deinit(&job.named);
	return err;
}
