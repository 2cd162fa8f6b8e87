// SPDX-License-Identifier: MIT
// gpulane export: a recording in the formats of the viewers people have.
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/export.h"
#include "cmd/read.h"

static const struct lane_exporter *const exporters[] = {
	&lane_export_ctf,
	&lane_export_html,
	&lane_export_perfetto,
};

#define N_EXPORTERS (sizeof(exporters) / sizeof(exporters[0]))

/* One output: what it is to be called, what it is called until it is complete. */
struct output {
	const struct lane_exporter *exporter;
	char *path;
	char *part;
	FILE *file;
	bool to_stdout;
	off_t start; /* of what is written to standard output, -1: it cannot go back */
	bool made;   /* there is something under its temporary name */
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
	struct lane_error *error;
};

static const struct argp_option argp_options[] = {
	{ "to", 't', "FORMAT", 0, "ctf, html, perfetto; may be repeated", 0 },
	{ "output", 'o', "PATH", 0,
	  "the file or directory to write (default: the recording's name with the format's ending, "
	  "here)",
	  0 },
	{ 0 },
};

static bool add_output(struct job *job, const struct lane_exporter *exporter)
{
	for (size_t i = 0; i < job->n; i++)
		if (job->outputs[i].exporter == exporter)
			return true;
	job->outputs[job->n++].exporter = exporter;
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
	case 't':
		if (choose(job, arg))
			return 0;
		job->error = lane_error_usage("export: --to %s: no such format (see `gpulane "
					      "export --help`)",
					      arg);
		return EINVAL;
	case 'o':
		job->name = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (job->reading.path)
			return ARGP_ERR_UNKNOWN;
		job->reading.path = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct lane_error *checked(const struct job *job)
{
	if (!job->reading.path)
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

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

static void remove_part(struct output *out)
{
	if (out->made && out->exporter->directory)
		nftw(out->part, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	else if (out->made)
		unlink(out->part);
	out->made = false;
}

/* Lets go of what an export has begun; what is under a temporary name is removed. */
static void drop(struct output *out)
{
	out->exporter->destroy(out->export);
	out->export = NULL;
	if (out->file && !out->to_stdout)
		fclose(out->file);
	out->file = NULL;
	remove_part(out);
}

/* The outputs go first: what they listen to are the reading's. */
static void drop_job(struct job *job)
{
	for (size_t i = 0; i < job->n; i++) {
		drop(&job->outputs[i]);
		free(job->outputs[i].path);
		free(job->outputs[i].part);
	}
	lane_reading_deinit(&job->reading);
}

static struct lane_error *set_names(struct job *job, struct output *out)
{
	const struct lane_exporter *e = out->exporter;
	struct stat st;

	out->to_stdout = job->name && !strcmp(job->name, "-");
	if (out->to_stdout)
		return e->directory ? lane_error_usage("export: --to %s makes a directory, which "
						       "standard output is not",
						       e->name)
				    : NULL;
	if (job->name)
		out->path = strdup(job->name);
	else if (asprintf(&out->path, "%s%s", job->title, e->suffix) < 0)
		out->path = NULL;
	if (!out->path || asprintf(&out->part, "%s.part-%d", out->path, getpid()) < 0) {
		out->part = NULL;
		return &lane_enomem;
	}
	if (!stat(out->path, &st) && (e->directory || S_ISDIR(st.st_mode)))
		return lane_error("%s: it is there already (remove it, or give another name with "
				  "--output)",
				  out->path);
	return NULL;
}

static struct lane_error *make_part(struct output *out)
{
	int fd;

	if (out->exporter->directory) {
		if (mkdir(out->part, 0777))
			return lane_error_errno(errno, "%s", out->path);
		out->made = true;
		out->to.path = out->part;
		return NULL;
	}
	if (out->to_stdout) {
		out->file = stdout;
		out->start = ftello(stdout);
	} else {
		fd = open(out->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0)
			return lane_error_errno(errno, "%s", out->path);
		out->made = true;
		out->file = fdopen(fd, "w");
		if (!out->file) {
			close(fd);
			return &lane_enomem;
		}
	}
	out->to.file = out->file;
	return NULL;
}

/* A reading begins, perhaps for the second time. */
static struct lane_error *begin(void *arg, const struct lane_trace_info *info,
				struct lane_hooks *hooks)
{
	struct output *out = arg;
	struct lane_error *err;

	if (out->to_stdout && out->export &&
	    (out->start < 0 || fflush(stdout) || ftruncate(STDOUT_FILENO, out->start) ||
	     fseeko(stdout, out->start, SEEK_SET)))
		return lane_error("the recording has to be read twice, and standard output cannot "
				  "be begun again (write a file)");
	drop(out);
	err = make_part(out);
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

/* Makes what has been written the output. */
static struct lane_error *complete(struct output *out, struct lane_latency *latency)
{
	struct lane_error *err = out->exporter->finish(out->export, latency);
	FILE *file = LANE_TAKE(out->file);
	bool bad = file && ferror(file);

	if (file)
		bad |= out->to_stdout ? fflush(file) != 0 : fclose(file) != 0;
	if (!err && bad)
		err = lane_error("it could not be written");
	if (err)
		return lane_error_context(err, "%s",
					  out->to_stdout ? "standard output" : out->path);
	if (out->to_stdout)
		return NULL;
	if (rename(out->part, out->path))
		return lane_error_errno(errno, "%s", out->path);
	out->made = false;
	return NULL;
}

static struct lane_error *export(struct job *job)
{
	struct lane_listener listeners[N_EXPORTERS];
	struct lane_error *err;

	for (size_t i = 0; i < job->n; i++) {
		err = set_names(job, &job->outputs[i]);
		if (err)
			return err;
		job->outputs[i].to.title = job->title;
		job->outputs[i].reading = &job->reading;
		listeners[i] = (struct lane_listener){ &job->outputs[i], begin, event };
	}
	job->reading.progress = true;
	job->reading.stoppable = true;
	job->reading.listeners = listeners;
	job->reading.n_listeners = job->n;
	err = lane_read(&job->reading);
	for (size_t i = 0; !err && i < job->n; i++)
		err = complete(&job->outputs[i], &job->reading.latency);
	return err;
}

struct lane_error *lane_export_one(const struct lane_exporter *exporter,
				   const struct lane_reading *of, const char *output)
{
	LANE_CLEANUP(drop_job) struct job job = { .reading = *of, .name = output };

	add_output(&job, exporter);
	set_title(&job);
	return export(&job);
}

struct lane_error *cmd_export(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "RECORDING",
		.doc = "Write a recording in the formats of viewers.\vSee gpulane-export(1).",
	};
	LANE_CLEANUP(drop_job) struct job job = { 0 };
	struct lane_error *err;
	int done;

	err = lane_parse(&argp, argc, argv, &job, &job.error, &done);
	if (!err && !done)
		err = checked(&job);
	if (err || done)
		return err;
	set_title(&job);
	return lane_error_context(export(&job), "export");
}
