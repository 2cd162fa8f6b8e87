// SPDX-License-Identifier: MIT
// gpulane record: its command and signals, and what it says while it records.
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
#include "base/counter_kind.h"
#include "base/folder.h"
#include "base/plural.h"
#include "base/stop.h"
#include "capture/bpf_library.h"
#include "capture/child.h"
#include "capture/recorder.h"
#include "capture/unwind.h"
#include "capture/ust.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "capture/privileges.h"
#include "cmd/record.h"
#include "session/session.h"

#define PROGRESS_NS 500000000u

/* What one run of the command holds. */
struct record_session {
	struct lane_recorder recorder;
	struct lane_host host;
	struct lane_identity caller; /* through sudo */
	bool has_caller;
	char *layer;	   /* that COMMAND begins with; NULL: none */
	uint64_t shown_ns; /* when the progress was last shown, and what it said */
	uint64_t shown_events;
};

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

/* The first asks to end, the second ends at once: what is written is readable anyway. While LTTng's
 * daemon ends a session, one ends the wait for it (capture/lttng_session.c). */
static void on_stop(int number)
{
	if (unbegun)
		end_unbegun(unbegun);
	if (lane_stop_signal) {
		signal(number, SIG_DFL);
		raise(number);
	}
	lane_stop_signal = number;
}

static void on_child(int number)
{
	(void)number; /* it only ends the wait */
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

/*
 * The line of progress: events a second, or what is written where the tracers do not count; lost,
 * fullest buffer.
 */
static void show_progress(void *arg, uint64_t now)
{
	struct record_session *session = arg;
	const struct lane_recorder *recorder = &session->recorder;
	const struct lane_recording_facts *facts = &recorder->facts;
	uint64_t events = 0, lost = 0, bytes = 0;
	unsigned int fill = 0, columns = 80, lines;
	bool counted = false;
	char text[160];
	int n;

	if (!session->shown_ns)
		session->shown_ns = facts->begin_ns;
	if (now - session->shown_ns < PROGRESS_NS)
		return;
	capture_recorder_stats(&session->recorder);
	for (size_t i = 0; i < facts->n_tracers; i++) {
		const struct lane_capture_stats *stats = &facts->tracers[i].stats;

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
		n = snprintf(text, sizeof(text), "%.0f events/s, %" PRIu64 " recorded, ",
			     (double)(events - session->shown_events) * 1e9 /
				     (double)(now - session->shown_ns),
			     events);
	else
		n = snprintf(text, sizeof(text), "%" PRIu64 " KiB recorded, ", bytes >> 10);
	snprintf(text + n, sizeof(text) - (size_t)n, "%" PRIu64 " lost, buffers %u %% full%s", lost,
		 fill / 10, facts->command || recorder->duration_ns ? "" : " (^C ends it)");
	(void)cmd_terminal_size(&columns, &lines);
	/* A line that is broken could not be written over. */
	fprintf(stderr, "\r\033[K%.*s", (int)columns - 1, text);
	session->shown_ns = now;
	session->shown_events = events;
}

/* COMMAND's OpenCL calls, which nobody asked for in so many words, are left out: not silently. */
static void without_layer(struct record_session *session, const char *why)
{
	snprintf(session->recorder.no_layer, sizeof(session->recorder.no_layer), "%s", why);
}

/* Told when all that is needed is open: what fails says one line, its own. */
static void tell_what_is_missing(const struct lane_recorder *recorder)
{
	if (recorder->no_requests[0])
		fprintf(stderr,
			"gpulane: record: a GPU's requests are not recorded: %s (see gpulane "
			"doctor)\n",
			recorder->no_requests);
	if (recorder->held_back)
		fprintf(stderr, "gpulane: record: %s is not recorded: %s\n",
			lane_kinds[recorder->held_back_kind].name, recorder->held_back->missing);
	if (recorder->no_layer[0])
		fprintf(stderr, "gpulane: record: %s are not recorded: %s\n",
			!recorder->config->has_ranges ? "OpenCL calls"
			: recorder->config->groups & LANE_GROUP_OPENCL
				? "ranges of ITT, NVTX and ROCTX"
				: "OpenCL calls, and ranges of ITT, NVTX and ROCTX,",
			recorder->no_layer);
}

/* both: of these another GPU's were read. */
static void print_kinds(uint64_t kinds, uint64_t both)
{
	const char *before = "";

	for (unsigned int what = 0; what < LANE_COUNTS; what++)
		if (kinds >> what & 1) {
			fprintf(stderr, "%s%s%s", before, lane_counter_name(what),
				both >> what & 1 ? " of another GPU" : "");
			before = ", ";
		}
}

/* Which counters were read, and which were not: of those nothing can be concluded. One GPU's may be
 * read, and another one's left alone. */
static void tell_counters(const struct lane_capture_stats *stats)
{
	uint64_t left = stats->kinds_left;

	if (!stats->kinds_read && !left)
		return;
	fputs("gpulane: record: counters that were read: ", stderr);
	print_kinds(stats->kinds_read, 0);
	if (left) {
		fputs("; left alone, as that keeps a GPU awake (--counters RATE,wake): ", stderr);
		print_kinds(left, stats->kinds_read);
	}
	fputc('\n', stderr);
}

#define LONG_NS 100000000 /* an event that holds up others for so long is worth a line */

static void tell_what_went_wrong(const struct lane_capture_stats *stats)
{
	if (stats->unfollowed)
		fprintf(stderr,
			"gpulane: record: %" PRIu64 " process%s of those to follow %s not: more "
			"than %d were there at once\n",
			stats->unfollowed, stats->unfollowed == 1 ? "" : "es",
			stats->unfollowed == 1 ? "was" : "were", LANE_BPF_MAX_FOLLOWED);
	if (stats->forgotten)
		fprintf(stderr,
			"gpulane: record: some events of %" PRIu64 " GPU context%s may be missing: "
			"more than %d of the followed processes were used\n",
			stats->forgotten, lane_s(stats->forgotten), LANE_BPF_MAX_CONTEXTS);
	if (stats->stacks_lost)
		fprintf(stderr,
			"gpulane: record: %" PRIu64 " stack%s could not be kept: there were too "
			"many different ones, two of one hash, or copies that were read too late\n",
			stats->stacks_lost, lane_s(stats->stacks_lost));
	if (stats->left_out)
		fprintf(stderr,
			"gpulane: record: the counters of some clients of the GPUs were not read: "
			"more than %d were there at once\n",
			LANE_COUNTER_CLIENTS);
	if (stats->stood_ns >= LONG_NS)
		fprintf(stderr,
			"gpulane: record: events of CPU %u had to wait for %.1f s: a thread was "
			"preempted as it wrote one (a full buffer loses what comes then)\n",
			stats->stood_cpu, (double)stats->stood_ns / 1e9);
}

static struct lane_error *on_event(void *arg, const struct lane_event *event)
{
	(void)event;
	((struct session *)arg)->is_enough = true;
	return NULL;
}

static const char no_call[] = "gpulane: record: the OpenCL layer saw no call: COMMAND loads no "
			      "OpenCL library, or takes no preloaded one\n";

/* The OpenCL layer was asked for, and has recorded nothing. */
static bool has_no_call(const struct record_session *session)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	struct session reading = { .depth = SESSION_EVENTS, .damage.is_quiet = true };
	const struct session_listener listener = { .arg = &reading, .event = on_event };
	struct lane_error *err;

	if (asprintf(&path, "%s/ust", session->recorder.dir.path) < 0) {
		path = NULL;
		return false;
	}
	reading.place = &(const struct lane_place){ .path = path };
	err = session_damage_end(&reading.damage, session_read_to(&reading, &listener));
	session_deinit(&reading);
	if (err) {
		lane_error_free(err);
		return false;
	}
	return !reading.is_enough;
}

/* A person looks on: what to do next. */
static void say_how_to_go_on(const struct record_session *session)
{
	if (!isatty(STDERR_FILENO))
		return;
	fputs("gpulane: look at it: gpulane report ", stderr);
	lane_clean_print(stderr, session->recorder.dir.path);
	fputc('\n', stderr);
}

static void summarize(const struct record_session *session)
{
	const struct lane_recording_facts *facts = &session->recorder.facts;
	int status = facts->command_status;
	uint64_t events = 0;

	fputs("gpulane: ", stderr);
	lane_clean_print(stderr, session->recorder.dir.path);
	fputc(':', stderr);
	for (size_t i = 0; i < facts->n_tracers; i++) {
		const struct lane_recording_tracer *tracer = &facts->tracers[i];

		fprintf(stderr, "%s %s recorded ", i ? "," : "", tracer->backend->name);
		if (tracer->stats.events == LANE_NOT_COUNTED)
			fprintf(stderr, "%" PRIu64 " KiB (it does not count its events), ",
				tracer->stats.bytes >> 10);
		else
			fprintf(stderr, "%" PRIu64 " event%s, ", tracer->stats.events,
				lane_s(tracer->stats.events));
		fprintf(stderr, "%" PRIu64 " lost", tracer->stats.lost);
		events |= tracer->stats.events;
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
	for (size_t i = 0; i < facts->n_tracers; i++) {
		tell_counters(&facts->tracers[i].stats);
		tell_what_went_wrong(&facts->tracers[i].stats);
	}
	if (!events && facts->config->comm) {
		fputs("gpulane: record: there was no event of a process that is called ", stderr);
		lane_clean_print(stderr, facts->config->comm);
		fputs(" (--comm: the name as in `ps -o comm`, of 15 characters at most)\n", stderr);
	}
	say_how_to_go_on(session);
}

/* Events of the kernel are root's to record; a program's calls are its user's. */
static struct lane_error *for_who_is_not_root(struct lane_error *err,
					      const struct lane_recorder *recorder)
{
	struct lane_error *more;

	if (!err || !geteuid() || !(recorder->backends & 1))
		return err;
	more = lane_error(
		"%s; COMMAND's OpenCL calls alone need no root: --backend none --api layer",
		lane_error_message(err));
	lane_error_free(err);
	return more;
}

/* For what is read of other processes: the clients' counters, and where the files of stacks lie. */
static bool looks_at_processes(const struct lane_recorder *recorder)
{
	return (recorder->backends & 1u << LANE_BACKEND_COUNTERS &&
		recorder->config->counters.has_clients) ||
	       recorder->config->has_stacks;
}

/*
 * Everything between an open directory and a complete recording. All that needs privileges is open
 * before they are given up. What is written for somebody else is given to him in the end, which
 * takes CAP_CHOWN.
 */
static struct lane_error *record_run(struct record_session *session)
{
	struct lane_recorder *recorder = &session->recorder;
	struct lane_error *err = for_who_is_not_root(capture_recorder_open(recorder), recorder);

	if (!err)
		tell_what_is_missing(recorder);
	if (!err)
		err = capture_drop_privileges(session->has_caller, looks_at_processes(recorder));
	err = lane_error_context(err, "record");
	unbegun = NULL;
	if (!err)
		err = capture_recorder_start(recorder);
	if (err)
		return err;
	err = capture_recorder_run(recorder);
	if (recorder->progress)
		fprintf(stderr, "\r\033[K");
	return err;
}

/* Whether programs here find an OpenCL loader: without one they have no calls to record. */
static bool has_opencl(void)
{
	struct lane_bpf_library library;
	struct lane_error *err = capture_bpf_library_find(NULL, LANE_OPENCL_LOADER, &library);

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
		if (options->config.has_ranges ||
		    (!(options->config.groups & LANE_GROUP_OPENCL) && has_opencl()))
			without_layer(session,
				      "no LTTng session daemon runs for this user (lttng-sessiond "
				      "-d; or --api probes, which needs none)");
		return NULL;
	}
	options->backends |= 1u << LANE_BACKEND_UST;
	if (!options->command) /* programs that have the layer already */
		return NULL;
	err = capture_ust_find_layer(found);
	if (!err)
		err = lane_error_context(capture_ust_check_layer(*found), "the OpenCL layer");
	if (err && options->opencl == LANE_OPENCL_AUTO) {
		options->backends &= ~(1u << LANE_BACKEND_UST);
		without_layer(session, lane_error_message(err));
		lane_error_free(err);
		free(*found);
		*found = NULL;
		return NULL;
	}
	return err ? lane_error_context(err, "record") : NULL;
}

/* The child is forked with the caller's privileges, before any are given up. */
static struct lane_error *fork_command(struct record_session *session,
				       struct lane_record_options *options)
{
	struct lane_error *err = find_layer(session, options, &session->layer);
	const char *layer = session->layer;
	const struct lane_identity *as;

	if (!err && !options->is_root)
		err = lane_error_context(
			capture_sudo_caller(&session->caller, &session->has_caller), "record");
	if (err || !options->command)
		return err;
	as = session->has_caller ? &session->caller : NULL;
	if (layer)
		err = capture_ust_fork_describer(layer, as, &session->recorder.describer);
	if (!err && layer)
		err = capture_ust_environment(layer, options->opencl == LANE_OPENCL_PRELOAD,
					      options->config.has_ranges);
	if (!err)
		err = capture_child_fork(options->command, as, &session->recorder.child);
	if (err)
		return err;
	session->recorder.facts.command = options->command;
	session->recorder.facts.command_pid = session->recorder.child.pid;
	if (options->follows)
		options->config.follow_pid = session->recorder.child.pid;
	return NULL;
}

/* What the options say together, each of which is right. */
static struct lane_error *check_options(const struct lane_record_options *options)
{
	if (options->follows && !options->command)
		return lane_error_usage(
			"record: --follow: there is no COMMAND to follow (see --pid)");
	if (options->follows && options->config.follow_pid)
		return lane_error_usage("record: --follow and --pid: only one can be followed");
	if (options->has_probes && !(options->backends & 1))
		return lane_error_usage("record: --api probes: the backend has to be bpf");
	if (options->config.has_stacks && !(options->backends & 1))
		return lane_error_usage("record: --stacks: the backend has to be bpf");
	if (options->config.has_copies && !capture_unwind_can())
		return lane_error_usage("record: --stacks=dwarf: it needs elfutils' libdw.so.1 "
					"(package libdw1), on x86-64");
	if (options->config.groups & LANE_GROUP_RANGES && !(options->backends & 1))
		return lane_error_usage("record: --events ranges: the backend has to be bpf (LTTng "
					"does not record trace_marker)");
	if (options->config.has_ranges && !(options->backends & 1) &&
	    (options->opencl == LANE_OPENCL_OFF || !options->command))
		return lane_error_usage("record: --ranges: the backend has to be bpf, for "
					"trace_marker, or COMMAND has the layers (--api)");
	if (options->output && !*options->output)
		return lane_error_usage("record: --output: is empty (leave it out for a name of "
					"date and time)");
	return NULL;
}

/* Counters are read where there is a GPU. */
static void choose_counters(struct lane_record_options *options)
{
	struct lane_counter_config *counters = &options->config.counters;
	struct lane_card cards[LANE_MAX_CARDS];

	if (counters->period_ns && capture_driver_cards(counters->root, cards))
		options->backends |= 1u << LANE_BACKEND_COUNTERS;
	/* Those of others are not to be recorded then, and who is whose is not known. */
	counters->has_clients &= !options->config.follow_pid && !options->config.comm;
}

static void fill_recorder(struct record_session *session, struct lane_record_options *options)
{
	struct lane_recorder *recorder = &session->recorder;

	options->config.engines = options->engines;
	options->config.host = &session->host;
	recorder->config = &options->config;
	recorder->backends = options->backends;
	recorder->is_ust_optional = options->opencl == LANE_OPENCL_AUTO;
	recorder->duration_ns = options->duration_ns;
	recorder->stop = &lane_stop_signal;
	recorder->given_to = session->has_caller ? &session->caller : NULL;
	if (isatty(STDERR_FILENO)) {
		recorder->progress = show_progress;
		recorder->progress_arg = session;
	}
}

struct lane_error *cmd_record(int argc, char **argv)
{
	struct lane_record_options options = {
		.backends = 1,
		.config.groups = capture_groups_chosen(LANE_CHOSEN_RECORD),
		.config.counters = { .root = "", .period_ns = 100000000 },
	};
	struct record_session session = { .recorder = CAPTURE_RECORDER_NONE };
	struct lane_error *err;
	int done;

	err = lane_parse(&lane_record_parser, argc, argv, &options, &options.error, &done);
	if (err || done)
		return err;
	err = check_options(&options);
	if (err)
		return err;
	if (options.has_probes)
		options.config.groups |= LANE_GROUP_OPENCL;
	if (options.config.has_ranges && options.backends & 1)
		options.config.groups |= LANE_GROUP_RANGES;
	capture_host_read(&session.host);
	err = fork_command(&session, &options);
	choose_counters(&options);
	if (!err && !options.backends)
		err = lane_error_usage("record: --backend none: nothing is left to record");
	if (err) {
		capture_child_deinit(&session.recorder.child);
		capture_child_deinit(&session.recorder.describer);
		free(session.layer);
		return err;
	}
	fill_recorder(&session, &options);
	catch_signals();
	err = lane_error_context(capture_recording_create(options.output, &session.recorder.dir),
				 "record");
	if (!err) {
		unbegun = &session.recorder.dir;
		err = record_run(&session);
	}
	lane_stop_signal = 0; /* what was recorded is read to its end */
	if (!err)
		summarize(&session);
	if (!err && options.command && options.opencl == LANE_OPENCL_PRELOAD &&
	    has_no_call(&session))
		fputs(no_call, stderr);
	capture_recorder_close(&session.recorder);
	free(session.layer);
	return err;
}
