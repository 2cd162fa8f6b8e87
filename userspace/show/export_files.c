// SPDX-License-Identifier: MIT
// Exports to files, each of which is there when it is complete, or not at all.
#include "show/export_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clean.h"
#include "base/folder.h"
#include "base/plural.h"
#include "session/path.h"

/* One output of an exporter. */
struct output {
	const struct lane_exporter *exporter;
	struct lane_output out; /* where it goes, unless that is standard output */
	FILE *file;
	bool is_stdout;	       /* kept in a file without a name until it is complete */
	const char *sink_path; /* where that goes instead of standard output; NULL: there */
	bool has_failed;       /* to be written */
	struct lane_export_to to;
	const struct session *session;
	void *export;
};

/* One reading, into all outputs. */
struct job {
	const struct lane_export_wanted *wanted;
	struct session session;
	struct output outputs[LANE_EXPORTERS];
	char title[256];
	FILE *sink;	     /* where it goes instead of standard output; NULL: there */
	uint64_t *events;    /* of all parts; NULL: there are none */
	const char *machine; /* as in lane_export_to */
	unsigned int machine_index;
	struct lane_explain explain;	/* of the worst requests */
	struct lane_critical_path path; /* of the longest one */
};

/* The recording's name without what stands before and after it. */
static void set_title(struct job *job)
{
	const char *path = job->session.place->path, *end = path + strlen(path), *begin, *dot;

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
static void export_files_drop(struct output *out)
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
	for (size_t i = 0; i < job->wanted->n; i++) {
		export_files_drop(&job->outputs[i]);
		lane_output_deinit(&job->outputs[i].out);
	}
	session_deinit(&job->session);
	latency_explain_deinit(&job->explain);
	latency_critical_path_free(&job->path);
}

/* What is there already may go: it is empty, or is what is to be written anew. */
static bool may_replace(const struct output *out, const char *begin)
{
	LANE_CLEANUP(lane_close)
	int fd = begin ? openat(out->out.dir_fd, out->out.name,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
		       : -1;
	char head[64];
	ssize_t n = fd < 0 ? -1 : read(fd, head, strlen(begin));

	return !n || (n > 0 && (size_t)n == strlen(begin) && !memcmp(head, begin, (size_t)n));
}

static struct lane_error *set_names(struct job *job, struct output *out)
{
	const struct lane_exporter *e = out->exporter;
	LANE_CLEANUP(lane_free) char *path = NULL;
	struct lane_error *err;

	out->is_stdout = job->wanted->output && !strcmp(job->wanted->output, "-");
	if (out->is_stdout)
		return e->is_directory ? lane_error_usage("--to %s makes a directory, which "
							  "standard output is not",
							  e->name)
				       : NULL;
	if (!job->wanted->output && asprintf(&path, "%s%s", job->title, e->suffix) < 0) {
		path = NULL;
		return &lane_enomem;
	}
	err = lane_output_init(&out->out, path ? path : job->wanted->output, e->is_directory);
	out->out.is_private = true;
	if (!err && !job->wanted->is_forced &&
	    !faccessat(out->out.dir_fd, out->out.name, F_OK, AT_SYMLINK_NOFOLLOW) &&
	    !may_replace(out, job->wanted->replaced))
		err = lane_error("%s: it is there already (%s)", out->out.path,
				 job->wanted->replaced ? "and is no page: give another name"
						       : "--force replaces it");
	return err;
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

	if (out->is_stdout) {
		fd = open_unnamed();
		if (fd < 0)
			return lane_error_errno(errno, "temporary file");
	} else {
		err = lane_output_begin(&out->out);
		if (err)
			return err;
		out->to.dir_fd = out->out.fd;
		if (out->exporter->is_directory)
			return NULL;
		fd = fcntl(out->out.fd, F_DUPFD_CLOEXEC, 0);
	}
	out->file = fd < 0 ? NULL : fdopen(fd, "w+");
	if (!out->file) {
		err = lane_error_errno(errno, "%s",
				       out->is_stdout ? "temporary file" : out->out.path);
		if (fd >= 0)
			close(fd);
	}
	out->to.file = out->file;
	return err;
}

/* An error of writing says where to. */
static struct lane_error *name_output(struct output *out, struct lane_error *err)
{
	const char *path = out->is_stdout ? out->sink_path : out->out.path;

	out->has_failed |= err != NULL;
	return lane_error_context(err, "%s", path ? path : "standard output");
}

/* A reading begins, perhaps for the second time. */
static struct lane_error *export_files_begin(void *arg, const struct lane_trace_info *info,
					     struct lane_hooks *hooks)
{
	struct output *out = arg;
	struct lane_error *err;

	export_files_drop(out);
	err = begin_writing(out);
	if (err)
		return err;
	out->to.info = info;
	out->to.is_without_gpu = out->session->latency.cpu != NULL;
	out->to.lost = out->session->lost;
	out->to.n_lost = out->session->n_lost;
	return name_output(out, out->exporter->create(&out->to, &out->export, hooks));
}

static struct lane_error *export_files_event(void *arg, const struct lane_event *event)
{
	struct output *out = arg;

	return out->exporter->event ? name_output(out, out->exporter->event(out->export, event))
				    : NULL;
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
		return lane_error_errno(errno, "it could not be written");
	return NULL;
}

/* The bytes of the files in a folder of one more level. */
static uint64_t bytes_within(int dir_fd, int levels)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name == '.' || fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		bytes += S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
		if (!S_ISDIR(st.st_mode) || !levels)
			continue;
		LANE_CLEANUP(lane_close)
		int sub = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		bytes += sub < 0 ? 0 : bytes_within(sub, levels - 1);
	}
	if (dir)
		closedir(dir);
	return bytes;
}

/* Before it gets its name: then the descriptor is gone. */
static uint64_t bytes_of(const struct output *out)
{
	struct stat st;

	if (out->is_stdout || fstat(out->out.fd, &st))
		return 0;
	return S_ISDIR(st.st_mode) ? bytes_within(out->out.fd, 1) : (uint64_t)st.st_size;
}

static void say_written(const struct output *out, uint64_t bytes, uint64_t events)
{
	if (out->is_stdout)
		return;
	fputs("wrote ", stdout);
	lane_clean_print(stdout, out->out.path);
	printf(", %" PRIu64 " event%s, ", events, lane_s(events));
	if (bytes < 1000000)
		printf("%.1f kB\n", (double)bytes / 1e3);
	else
		printf("%.1f MB\n", (double)bytes / 1e6);
}

/* Makes what has been written the output. */
static struct lane_error *
export_files_complete(struct output *out, const struct lane_export_figures *figures, FILE *sink)
{
	struct lane_error *err = out->exporter->finish(out->export, figures);
	FILE *file = LANE_TAKE(out->file);
	uint64_t bytes = 0;

	if (!err && file && (fflush(file) || ferror(file)))
		err = lane_error_errno(errno, "it could not be written");
	if (!err && out->is_stdout)
		err = copy_to(sink ? sink : stdout, file);
	if (!err)
		bytes = bytes_of(out);
	if (file && fclose(file) && !err)
		err = lane_error_errno(errno, "it could not be written");
	if (err)
		return name_output(out, err);
	if (!out->is_stdout)
		err = lane_output_commit(&out->out);
	if (!err)
		say_written(out, bytes, figures->latency->figures.events);
	return err;
}

/* The evidence for the worst requests, where an exporter shows it; and who asked for it adds what
 * models say of the kernels. */
static struct lane_error *complete_figures(struct job *job, struct lane_export_figures *figures)
{
	struct lane_error *err = NULL;
	bool is_wanted = false;

	for (size_t i = 0; i < job->wanted->n; i++)
		is_wanted |= job->outputs[i].exporter->shows_worst;
	if (is_wanted && figures->latency->n_worst)
		err = session_worst(&job->session, &job->explain, &job->path);
	return err || !job->wanted->on_figures
		       ? err
		       : job->wanted->on_figures(job->wanted->arg, figures->latency,
						 &figures->options);
}

static struct lane_error *export_files_export(struct job *job)
{
	struct lane_export_figures figures = { .latency = &job->session.latency,
					       .worst = &job->explain,
					       .path = &job->path };
	struct session_listener listeners[LANE_EXPORTERS];
	struct lane_error *err;

	for (size_t i = 0; i < job->wanted->n; i++) {
		err = set_names(job, &job->outputs[i]);
		if (err)
			return err;
		job->outputs[i].to.title = job->title;
		job->outputs[i].to.machine = job->machine;
		job->outputs[i].to.machine_index = job->machine_index;
		job->outputs[i].session = &job->session;
		listeners[i] = (struct session_listener){ &job->outputs[i], export_files_begin,
							  export_files_event };
	}
	job->session.shows_progress = true;
	job->session.is_stoppable = true;
	job->session.listeners = listeners;
	job->session.n_listeners = job->wanted->n;
	err = session_read(&job->session);
	job->session.listeners = NULL;
	job->session.n_listeners = 0;
	if (!err)
		err = complete_figures(job, &figures);
	if (!err && job->events)
		*job->events += job->session.latency.figures.events;
	end_at_once();
	for (size_t i = 0; !err && i < job->wanted->n; i++)
		err = export_files_complete(&job->outputs[i], &figures, job->sink);
	return session_damage_end(&job->session.damage, err);
}

static void begin_job(struct job *job, const struct lane_export_wanted *wanted)
{
	*job = (struct job){ .wanted = wanted, .session = wanted->of };
	for (size_t i = 0; i < wanted->n; i++)
		job->outputs[i] = (struct output){ .exporter = wanted->exporters[i],
						   .out = LANE_OUTPUT_NONE };
}

struct lane_error *show_export(const struct lane_export_wanted *wanted)
{
	LANE_CLEANUP(drop_job) struct job job;

	begin_job(&job, wanted);
	set_title(&job);
	return export_files_export(&job);
}

/* One machine's part of a file that holds several. */
static struct lane_error *export_part(struct job *of, const struct lane_machine *machine,
				      unsigned int index)
{
	struct lane_export_wanted wanted = *of->wanted;
	LANE_CLEANUP(drop_job) struct job job;
	struct lane_error *err;

	wanted.output = "-";
	wanted.of.place = &machine->place;
	begin_job(&job, &wanted);
	job.sink = of->sink;
	job.events = of->events;
	job.machine = machine->name;
	job.machine_index = index;
	memcpy(job.title, of->title, sizeof(job.title));
	job.outputs[0].sink_path = of->outputs[0].out.path;
	err = export_files_export(&job);
	of->outputs[0].has_failed |= job.outputs[0].has_failed;
	return err;
}

static struct lane_error *check_machines(const struct lane_machines *found)
{
	if (found->n > LANE_EXPORT_MACHINES)
		return lane_error("these are %zu machines, one file can hold %d (choose one with "
				  "--machine)",
				  found->n, LANE_EXPORT_MACHINES);
	for (size_t i = 0; i < found->n; i++)
		if (!norm_machine_is_tied(&found->machines[i]))
			return lane_error("%s is not on one timeline with the others (choose one "
					  "machine with --machine, or tie them with --pairs; "
					  "`gpulane report` says what is known of their clocks)",
					  found->machines[i].name);
	return NULL;
}

/* Damage in one does not keep the others from being exported. */
static struct lane_error *export_parts(struct job *job, const struct lane_machines *found,
				       struct lane_error **damage)
{
	struct lane_error *err = NULL;

	for (size_t i = 0; i < found->n && !err; i++) {
		err = export_part(job, &found->machines[i], (unsigned int)i);
		if (err && lane_error_code(err) == LANE_ERROR_FAILED && err != &lane_enomem &&
		    !job->outputs[0].has_failed) {
			session_damage_tell(&job->session.damage, *damage);
			*damage = LANE_TAKE(err);
		}
	}
	return err;
}

struct lane_error *show_export_machines(const struct lane_export_wanted *wanted,
					const struct session_named *named)
{
	const struct lane_place place = { .path = named->paths[0] };
	struct lane_error *err = check_machines(&named->found), *damage = NULL;
	LANE_CLEANUP(drop_job) struct job job;
	struct output *out = &job.outputs[0];
	uint64_t events = 0, bytes = 0;

	begin_job(&job, wanted);
	job.events = &events;
	job.session.place = &place;
	set_title(&job);
	if (!err)
		err = set_names(&job, out);
	if (!err)
		err = begin_writing(out);
	job.sink = LANE_TAKE(out->file);
	if (!err)
		err = export_parts(&job, &named->found, &damage);
	if (!err && out->is_stdout)
		err = name_output(out, copy_to(stdout, job.sink));
	if (job.sink && fclose(job.sink) && !err)
		err = name_output(out, lane_error_errno(errno, "it could not be written"));
	if (!err && !out->is_stdout) {
		bytes = bytes_of(out);
		err = lane_output_commit(&out->out);
	}
	if (!err)
		say_written(out, bytes, events);
	if (!err)
		return damage;
	session_damage_tell(&job.session.damage, damage);
	return err;
}
