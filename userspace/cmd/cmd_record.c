// SPDX-License-Identifier: MIT
// gpulane record: the loop that drains the tracers, and when it ends.
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "base/folder.h"
#include "capture/bpf_library.h"
#include "capture/child.h"
#include "capture/recording.h"
#include "capture/requests.h"
#include "capture/ust.h"
#include "cmd/cmd.h"
#include "capture/privileges.h"
#include "cmd/record.h"

#define POLL_MS 100
/* What the command's last requests leave behind is recorded for this long. */
#define LINGER_NS   100000000u
#define PROGRESS_NS 500000000u

/* What one run of the command holds. */
struct record_session {
	const struct lane_record_options *options;
	struct lane_recording_facts facts;
	struct lane_child child;
	struct lane_recording_dir dir;
	struct lane_host host;
	struct lane_identity caller; /* through sudo */
	bool has_caller;
	char no_layer[256]; /* why OpenCL calls are not recorded, "": they are, or nobody asked */
	uint64_t shown_ns;  /* when the progress was last shown, and what it said */
	uint64_t shown_events;
};

static volatile sig_atomic_t stop_signal;

/* The directory of a recording that has not begun; a signal's handler may look at any time. */
static struct lane_recording_dir *volatile unbegun;

/* Loading takes seconds, and nothing of it looks at a flag: there is nothing to keep yet. */
static void end_unbegun(struct lane_recording_dir *dir)
{
	static const char said[] = "gpulane: record: interrupted before recording began\n";

	lane_folder_empty(dir->fd);
	lane_folder_remove(dir->parent_fd, dir->name, dir->fd);
	if (write(STDERR_FILENO, said, sizeof(said) - 1) < 0)
		_exit(LANE_ERROR_FAILED);
	_exit(LANE_ERROR_FAILED);
}

/* The first asks to end, the second ends at once: what is written is readable anyway. */
static void on_stop(int number)
{
	if (unbegun)
		end_unbegun(unbegun);
	if (stop_signal) {
		signal(number, SIG_DFL);
		raise(number);
	}
	stop_signal = number;
}

static void on_child(int number)
{
	(void)number; /* it only ends the wait */
}

/*
 * Gives up every capability: all that needs one is open. What is written for somebody else is given
 * to him in the end, which takes CAP_CHOWN.
 */
static struct lane_error *drop_privileges(const struct record_session *session)
{
	return lane_error_context(capture_drop_privileges(session->has_caller), "record");
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_stop };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	action.sa_handler = on_child;
	sigaction(SIGCHLD, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	sigaction(SIGXFSZ, &action, NULL);
}

static void update_stats(struct record_session *session)
{
	for (size_t i = 0; i < session->facts.n_tracers; i++) {
		struct lane_recording_tracer *tracer = &session->facts.tracers[i];

		tracer->backend->stats(tracer->capture, &tracer->stats);
	}
}

/*
 * The line of progress: events a second, or what is written where the tracers do not count; lost,
 * fullest buffer. On a terminal only.
 */
static void show_progress(struct record_session *session, uint64_t now, bool last)
{
	uint64_t events = 0, lost = 0, bytes = 0;
	bool counted = false;
	unsigned int fill = 0;

	if (!isatty(STDERR_FILENO) || (!last && now - session->shown_ns < PROGRESS_NS))
		return;
	if (last) {
		fprintf(stderr, "\r\033[K");
		return;
	}
	update_stats(session);
	for (size_t i = 0; i < session->facts.n_tracers; i++) {
		const struct lane_capture_stats *stats = &session->facts.tracers[i].stats;

		if (stats->events != LANE_NOT_COUNTED) {
			events += stats->events;
			counted = true;
		}
		bytes += stats->bytes;
		lost += stats->lost;
		if (stats->fill_permille > fill)
			fill = stats->fill_permille;
	}
	if (counted)
		fprintf(stderr, "\r\033[K%.0f events/s, %" PRIu64 " recorded, ",
			(double)(events - session->shown_events) * 1e9 /
				(double)(now - session->shown_ns),
			events);
	else
		fprintf(stderr, "\r\033[K%" PRIu64 " KiB recorded, ", bytes >> 10);
	fprintf(stderr, "%" PRIu64 " lost, buffers %u %% full", lost, fill / 10);
	session->shown_ns = now;
	session->shown_events = events;
}

/* COMMAND's OpenCL calls, which nobody asked for in so many words, are left out: not silently. */
static void without_layer(struct record_session *session, const char *why)
{
	snprintf(session->no_layer, sizeof(session->no_layer), "%s", why);
}

/* Told when all that is needed is open: what fails says one line, its own. */
static void tell_no_layer(const struct record_session *session)
{
	if (session->no_layer[0])
		fprintf(stderr, "gpulane: record: OpenCL calls are not recorded: %s\n",
			session->no_layer);
}

/* Opens the chosen tracers: all that needs privileges. */
static struct lane_error *open_tracers(struct record_session *session)
{
	struct lane_recording_facts *facts = &session->facts;

	for (size_t i = 0; i < LANE_RECORDING_BACKENDS; i++) {
		struct lane_recording_tracer *tracer = &facts->tracers[facts->n_tracers];
		struct lane_error *err;

		if (!(session->options->backends & 1u << i))
			continue;
		tracer->backend = lane_record_backends[i];
		err = lane_record_backends[i]->open(facts->config, &tracer->capture);
		if (err && i == LANE_RECORD_UST && session->options->opencl == LANE_OPENCL_AUTO) {
			without_layer(session, lane_error_message(err));
			lane_error_free(err);
			continue;
		}
		if (err)
			return lane_error_context(err, "record: %s", lane_record_backends[i]->name);
		facts->n_tracers++;
	}
	return NULL;
}

/*
 * Requests that were asked for and will not be recorded are told of before recording begins; where
 * nothing else would be recorded, it does not begin.
 */
static struct lane_error *check_requests(const struct record_session *session)
{
	const struct lane_recording_facts *facts = &session->facts;
	const struct lane_capture_kind *kinds[LANE_RECORDING_BACKENDS];
	char why[192];

	if (!(session->options->backends & ~(1u << LANE_RECORD_UST)))
		return NULL;
	for (size_t i = 0; i < facts->n_tracers; i++)
		kinds[i] = facts->tracers[i].backend->kinds(facts->tracers[i].capture);
	switch (capture_requests_check(kinds, facts->n_tracers, facts->config->groups, "", why,
				       sizeof(why))) {
	case LANE_REQUESTS_NOTHING:
		return lane_error("record: nothing of what was asked for can be recorded: %s (see "
				  "gpulane doctor)",
				  why);
	case LANE_REQUESTS_UNRECORDED:
		fprintf(stderr,
			"gpulane: record: a GPU's requests are not recorded: %s (see gpulane "
			"doctor)\n",
			why);
		break;
	case LANE_REQUESTS_RECORDED:
		break;
	}
	return NULL;
}

static struct lane_error *start_tracers(struct record_session *session)
{
	struct lane_error *err = NULL;

	session->facts.begin_ns = capture_now_ns();
	for (size_t i = 0; i < session->facts.n_tracers && !err; i++)
		err = session->facts.tracers[i].backend->start(session->facts.tracers[i].capture);
	if (!err)
		err = capture_recording_write(&session->dir, &session->facts);
	return err;
}

static struct lane_error *poll_tracers(struct record_session *session)
{
	struct lane_error *err = NULL;
	int timeout_ms = POLL_MS;

	for (size_t i = 0; i < session->facts.n_tracers && !err; i++) {
		const struct lane_recording_tracer *tracer = &session->facts.tracers[i];

		err = tracer->backend->poll(tracer->capture, timeout_ms);
		timeout_ms = 0;
	}
	return err;
}

/* Drains until there is a reason to end; *ended_by says which. */
static struct lane_error *record(struct record_session *session, const char **ended_by)
{
	uint64_t duration_ns = session->options->duration_ns;
	uint64_t linger_until = 0;
	struct lane_error *err = NULL;

	session->shown_ns = session->facts.begin_ns;
	while (!err) {
		uint64_t now = capture_now_ns();

		if (stop_signal)
			*ended_by = "signal";
		else if (linger_until && now >= linger_until)
			*ended_by = "command";
		else if (duration_ns && now - session->facts.begin_ns >= duration_ns)
			*ended_by = "duration";
		if (*ended_by)
			return NULL;
		if (!linger_until && capture_child_ended(&session->child))
			linger_until = now + LINGER_NS;
		err = poll_tracers(session);
		show_progress(session, now, false);
	}
	*ended_by = "error";
	return err;
}

static void keep_first(struct lane_error **first, struct lane_error *err)
{
	if (!*first)
		*first = err;
	else
		lane_error_free(err);
}

/* Stops the tracers and completes the files; the first error is the one that counts. */
static struct lane_error *finish(struct record_session *session, const char *ended_by,
				 struct lane_error *first)
{
	struct lane_recording_facts *facts = &session->facts;
	struct lane_error *err;

	show_progress(session, 0, true);
	for (size_t i = 0; i < facts->n_tracers; i++)
		keep_first(&first, facts->tracers[i].backend->stop(facts->tracers[i].capture));
	facts->end_ns = capture_now_ns();
	facts->ended_by = first ? "error" : ended_by;
	facts->error = first ? lane_error_message(first) : NULL;
	capture_child_ended(&session->child);
	facts->command_status = session->child.ended ? session->child.status : -1;
	update_stats(session);
	keep_first(&first, capture_recording_write(&session->dir, facts));
	if (session->has_caller)
		keep_first(&first, capture_recording_give(&session->dir, session->caller.uid,
							  session->caller.gid));
	if (first) {
		err = lane_error("%s (what was recorded before is in %s)",
				 lane_error_message(first), session->dir.path);
		lane_error_free(first);
		first = err;
	}
	return first;
}

static void summarize(const struct record_session *session)
{
	const struct lane_recording_facts *facts = &session->facts;
	int status = facts->command_status;

	fputs("gpulane: ", stderr);
	lane_clean_print(stderr, session->dir.path);
	fputc(':', stderr);
	for (size_t i = 0; i < facts->n_tracers; i++) {
		const struct lane_recording_tracer *tracer = &facts->tracers[i];

		fprintf(stderr, "%s %s recorded ", i ? "," : "", tracer->backend->name);
		if (tracer->stats.events == LANE_NOT_COUNTED)
			fprintf(stderr, "%" PRIu64 " KiB (it does not count its events), ",
				tracer->stats.bytes >> 10);
		else
			fprintf(stderr, "%" PRIu64 " events, ", tracer->stats.events);
		fprintf(stderr, "%" PRIu64 " lost", tracer->stats.lost);
	}
	fprintf(stderr, ", %.1f s", (double)(facts->end_ns - facts->begin_ns) / 1e9);
	if (status > 0) {
		fputs("; ", stderr);
		lane_clean_print(stderr, facts->command[0]);
	}
	if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status))
		fprintf(stderr, " exited with code %d", WEXITSTATUS(status));
	if (status >= 0 && WIFSIGNALED(status))
		fprintf(stderr, " was ended by signal %d", WTERMSIG(status));
	fputc('\n', stderr);
}

/* Everything between an open directory and a complete recording. *began: there is something in it.
 */
static struct lane_error *run(struct record_session *session, struct lane_capture_config *config,
			      bool *began)
{
	const char *ended_by = NULL;
	struct lane_error *err;

	config->dir_fd = session->dir.fd;
	err = open_tracers(session);
	if (!err)
		err = check_requests(session);
	if (!err)
		tell_no_layer(session);
	if (!err)
		err = drop_privileges(session);
	unbegun = NULL;
	if (!err)
		err = start_tracers(session);
	if (!err && session->child.pid)
		err = capture_child_go(&session->child, session->options->command[0]);
	if (err)
		return err;
	*began = true;
	err = record(session, &ended_by);
	return finish(session, ended_by, err);
}

/* Stops what still runs; a recording that never began is removed. */
static void deinit(struct record_session *session, bool began)
{
	for (size_t i = 0; i < session->facts.n_tracers; i++)
		session->facts.tracers[i].backend->close(session->facts.tracers[i].capture);
	capture_child_deinit(&session->child);
	if (began)
		capture_recording_close(&session->dir);
	else
		capture_recording_discard(&session->dir);
}

/* Whether programs here find an OpenCL loader: without one they have no calls to record. */
static bool has_opencl(void)
{
	struct lane_bpf_library library;
	struct lane_error *err = capture_bpf_library_find(NULL, &library);

	lane_error_free(err);
	return !err;
}

/*
 * Has COMMAND begin with the OpenCL layer, where it is wanted and can be had. *found is its path,
 * the caller's; NULL: without.
 */
static struct lane_error *find_layer(struct record_session *session,
				     struct lane_record_options *options, char **found)
{
	struct lane_error *err;

	*found = NULL;
	if (options->opencl == LANE_OPENCL_OFF ||
	    (options->opencl == LANE_OPENCL_AUTO && !options->command))
		return NULL;
	if (options->opencl == LANE_OPENCL_AUTO && !capture_ust_is_there()) {
		if (!(options->config.groups & LANE_GROUP_OPENCL) && has_opencl())
			without_layer(session,
				      "no LTTng session daemon runs for this user (lttng-sessiond "
				      "-d; or --opencl probes, which needs none)");
		return NULL;
	}
	options->backends |= 1u << LANE_RECORD_UST;
	if (!options->command) /* programs that have the layer already */
		return NULL;
	err = capture_ust_find_layer(found);
	if (err && options->opencl == LANE_OPENCL_AUTO) {
		options->backends &= ~(1u << LANE_RECORD_UST);
		without_layer(session, lane_error_message(err));
		lane_error_free(err);
		return NULL;
	}
	return err ? lane_error_context(err, "record") : NULL;
}

/* The child is forked with the caller's privileges, before any are given up. */
static struct lane_error *fork_command(struct record_session *session,
				       struct lane_record_options *options)
{
	LANE_CLEANUP(lane_free) char *layer = NULL;
	struct lane_error *err = find_layer(session, options, &layer);

	if (!err && !options->as_root)
		err = lane_error_context(
			capture_sudo_caller(&session->caller, &session->has_caller), "record");
	if (err || !options->command)
		return err;
	if (layer)
		err = capture_ust_environment(layer, options->opencl == LANE_OPENCL_PRELOAD);
	if (!err)
		err = capture_child_fork(options->command,
					 session->has_caller ? &session->caller : NULL,
					 &session->child);
	if (err)
		return err;
	session->facts.command = options->command;
	session->facts.command_pid = session->child.pid;
	if (options->follow)
		options->config.follow_pid = session->child.pid;
	return NULL;
}

struct lane_error *cmd_record(int argc, char **argv)
{
	struct lane_record_options options = {
		.backends = 1,
		.config.groups = LANE_GROUP_I915 | LANE_GROUP_CONTEXT | LANE_GROUP_DRM |
				 LANE_GROUP_DRIVER | LANE_GROUP_FENCE | LANE_GROUP_SCHED |
				 LANE_GROUP_PROCESS,
	};
	struct record_session session = { .options = &options,
					  .dir = LANE_RECORDING_NONE,
					  .child = { .go_fd = -1, .error_fd = -1 },
					  .facts = { .config = &options.config,
						     .command_status = -1 } };
	struct lane_error *err;
	bool began = false;
	int done;

	err = lane_parse(&lane_record_parser, argc, argv, &options, &options.error, &done);
	if (err || done)
		return err;
	if (options.follow && !options.command)
		return lane_error_usage(
			"record: --follow: there is no COMMAND to follow (see --pid)");
	if (options.follow && options.config.follow_pid)
		return lane_error_usage("record: --follow and --pid: only one can be followed");
	if (options.probes && !(options.backends & 1))
		return lane_error_usage("record: --opencl probes: the backend has to be bpf");
	if (options.probes)
		options.config.groups |= LANE_GROUP_OPENCL;
	options.config.engines = options.engines;
	options.config.host = &session.host;
	if (options.output && !*options.output)
		return lane_error_usage("record: --output: is empty (leave it out for a name of "
					"date and time)");
	capture_host_read(&session.host);
	err = fork_command(&session, &options);
	if (!err && !options.backends)
		err = lane_error_usage("record: --backend none: nothing is left to record");
	if (err) {
		capture_child_deinit(&session.child);
		return err;
	}
	catch_signals();
	err = lane_error_context(capture_recording_create(options.output, &session.dir), "record");
	if (!err) {
		unbegun = &session.dir;
		err = run(&session, &options.config, &began);
	}
	if (!err)
		summarize(&session);
	deinit(&session, began);
	return err;
}
