// SPDX-License-Identifier: MIT
// gpulane watch: options, signals, the loop; looking at what there is.
#include "cmd/watch_write.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "base/plural.h"
#include "base/stop.h"
#include "cmd/cmd.h"
#include "session/named.h"
#include "show/report.h"
#include "show/sentence.h"
#include "watch/fleet.h"
#include "watch/look.h"
#include "watch/settings.h"
#include "watch/socket.h"

#define ROUND_MS       100
#define SENTENCES      3 /* to what is no request */
#define DEFAULT_OUTPUT "/var/lib/gpulane"

enum {
	OPTION_SETTING = 0x200, /* and on: the settings */
	OPTION_CONFIG = 0x300,
	OPTION_LIST,
	OPTION_SHOW,
	OPTION_TRIGGER,
	OPTION_ROWS,
	OPTION_METRICS,
	OPTION_METRICS_NAMES,
	OPTION_BY,
};

/* What to do. */
enum watch_task {
	TASK_WATCH,
	TASK_LIST,
	TASK_SHOW,
	TASK_TRIGGER,
};

struct options {
	struct lane_error *error;
	const char *output, *config, *recording;
	enum watch_task task;
	uint64_t show;
	const char *trigger;
	struct lane_fleet_config fleet;
	struct lane_watch_settings settings;
};

struct watch_session {
	const struct options *options;
	struct lane_feed feed;
	struct lane_watch *watch;
	struct lane_rows rows; /* until watching has them */
	int socket, rows_fd;
	char frame[256]; /* what marks frames, cut in its parts */
};

static volatile sig_atomic_t reread, asked;

static void on_reread(int number)
{
	(void)number;
	reread = 1;
}

static void on_asked(int number)
{
	(void)number;
	asked = 1;
}

static void watch_catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_reread };

	lane_stop_catch();
	sigaction(SIGHUP, &action, NULL);
	action.sa_handler = on_asked;
	sigaction(SIGUSR1, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	sigaction(SIGXFSZ, &action, NULL);
}

/* --- what is told --- */

static void watch_say(void *arg, const char *text)
{
	(void)arg;
	fputs("gpulane: watch: ", stderr);
	lane_clean_print(stderr, text);
	fputc('\n', stderr);
}

/* Where hits are written; NULL: nowhere, a recording is gone through to see what would be one. */
static const char *folder_of(const struct options *options)
{
	if (options->output)
		return options->output;
	return options->recording ? NULL : DEFAULT_OUTPUT;
}

/* A line for each recording; what is only counted is in the list. In a trial one for each hit. */
static void watch_tell(void *arg, const struct lane_hit *hit, const struct lane_hits *group,
		       const char *not_written)
{
	struct watch_session *session = arg;
	const char *rows = session->options->fleet.rows;
	FILE *to = rows && !strcmp(rows, "-") ? stderr : stdout;
	const char *folder = folder_of(session->options);
	char name[32];

	if (folder && *not_written && hit->what != LANE_ROW_MANUAL)
		return;
	watch_hit_print(to, hit);
	if (folder && group && group->count > 1)
		fprintf(to, " (%" PRIu64 " times)", group->count);
	if (!folder) {
		fputc('\n', to);
	} else if (*not_written) {
		fprintf(to, ": not written (%s)\n", not_written);
	} else {
		fputs(": ", to);
		lane_clean_print(to, folder);
		fprintf(to, "/%s\n", watch_store_name(hit->number, false, name, sizeof(name)));
		watch_feed_told_dumps(&session->feed);
	}
	fflush(to);
}

/* What it looks for; a limit that was forgotten shows here, and not after a week without a hit. */
static void say_begin(const struct options *options, const struct lane_watch_config *config)
{
	bool has_limit =
		config->slower.is_set || config->starved_ns || config->open_ns || config->missed;

	fputs("gpulane: watch: a hit is ", stderr);
	for (int what = 0; config->slower.is_set && what < LANE_ROW_WHAT_COUNT; what++)
		if (config->of & 1u << what)
			fprintf(stderr, "a late %s, ", lane_row_what_names[what]);
	if (config->open_ns)
		fputs("a request that is not over, ", stderr);
	if (config->starved_ns)
		fputs("a starved engine, ", stderr);
	if (config->missed)
		fprintf(stderr, "a display that misses %u refresh%s in a second, ", config->missed,
			config->missed == 1 ? "" : "es");
	fputs("a reset, a time-out or a trigger", stderr);
	if (!has_limit)
		fputs("; no time is too late, as no limit is set (--slower-than LIMIT)", stderr);
	fputs("; recordings go to ", stderr);
	lane_clean_print(stderr, folder_of(options));
	fputc('\n', stderr);
}

/* --- watching --- */

/* The settings as they are after the file was read, with those of the command line before it. */
static struct lane_error *watch_settle(const struct options *options,
				       struct lane_watch_settings *settled)
{
	struct lane_error *err = NULL;

	*settled = options->settings;
	if (options->config)
		err = watch_settings_file(settled, options->config);
	return err ? err : watch_settings_check(settled);
}

/* A file that is wrong changes nothing. */
static void read_again(struct watch_session *session)
{
	struct lane_watch_settings settings;
	struct lane_error *err = watch_settle(session->options, &settings);

	reread = 0;
	if (err) {
		watch_say(NULL, lane_error_message(err));
		watch_say(NULL, "the settings stay as they were");
		lane_error_free(err);
		return;
	}
	watch_configure(session->watch, &settings.watch);
	watch_say(NULL, session->options->config ? "the configuration was read again"
						 : "there is no configuration file to read again");
}

static void look_for_triggers(struct watch_session *session)
{
	char word[LANE_SOCKET_WORD];

	if (asked)
		watch_trigger(session->watch, "SIGUSR1");
	asked = 0;
	while (watch_socket_take(session->socket, word, sizeof(word)))
		watch_trigger(session->watch, *word ? word : "socket");
	if (reread)
		read_again(session);
}

static struct lane_error *watch(struct watch_session *session)
{
	struct lane_error *err = NULL;
	bool ended = false;

	while (!err && !ended && !lane_stop_signal) {
		struct pollfd wakes[] = { { .fd = session->socket, .events = POLLIN },
					  { .fd = session->rows_fd, .events = POLLIN } };

		/* A signal ends the wait, too. */
		if (session->feed.running)
			poll(wakes, 2, ROUND_MS);
		err = watch_feed_round(&session->feed, &ended);
		if (!err)
			look_for_triggers(session);
	}
	return err;
}

static void say_figures(const struct watch_session *session)
{
	struct lane_watch_figures figures;

	watch_figures(session->watch, &figures);
	fprintf(stderr, "gpulane: watch: %" PRIu64 " hit%s, ", figures.hits, lane_s(figures.hits));
	if (folder_of(session->options))
		fprintf(stderr, "%" PRIu64 " recording%s written, ", figures.written,
			lane_s(figures.written));
	else
		fputs("nothing written (--output DIR keeps them), ", stderr);
	fprintf(stderr, "%" PRIu64 " event%s, %" PRIu64 " lost\n", figures.events,
		lane_s(figures.events), figures.lost);
}

static struct lane_error *watch_complete(void *arg, int dir_fd, const char *path,
					 const struct lane_watch_recording *of)
{
	return cmd_watch_complete(&((struct watch_session *)arg)->feed, dir_fd, path, of);
}

static struct lane_error *open_watch(struct watch_session *session,
				     const struct lane_watch_settings *settings)
{
	const struct options *options = session->options;
	const struct lane_host *host;
	struct lane_watch_ways ways = {
		.arg = session,
		.engine_name = show_engine_name,
		.complete = watch_complete,
		.rows = session->rows,
	};
	struct lane_error *err;

	host = watch_feed_host(&session->feed);
	ways.info = session->feed.info;
	ways.waits = session->feed.replay;
	ways.tell = watch_tell;
	ways.note = watch_say;
	ways.env = (struct lane_ctf_env){ .hostname = host->name,
					  .kernel_release = host->release,
					  .clock_uuid = host->boot_id,
					  .tracer = "bpf" };
	session->rows_fd = session->rows.fd;
	session->rows = (struct lane_rows){ .fd = -1 };
	err = watch_create(folder_of(options), settings->memory, &settings->watch, &ways,
			   &session->watch);
	return err ? err : watch_listen(session->watch, &session->socket);
}

static struct lane_error *open_feed(struct watch_session *session,
				    const struct lane_watch_settings *settings)
{
	struct lane_capture_config config = {
		.groups = capture_groups_chosen(LANE_CHOSEN_WATCH),
	};
	const char *path, *symbol;
	struct lane_error *err;

	if (session->options->recording)
		return watch_feed_open_recording(&session->feed, session->options->recording);
	if (*session->frame && watch_settings_frame(session->frame, &path, &symbol)) {
		config.groups |= LANE_GROUP_FRAME;
		config.frame.text = path ? NULL : symbol;
		config.frame.file = path;
		config.frame.symbol = path ? symbol : NULL;
	}
	if (settings->watch.missed)
		config.groups |= LANE_GROUP_FRAMES;
	if (settings->watch.of & 1u << LANE_ROW_COMMAND)
		config.groups |= LANE_GROUP_OPENCL;
	err = watch_feed_open_running(&session->feed, &config);
	if (!err && *session->feed.notice)
		watch_say(NULL, session->feed.notice);
	return err;
}

/* Rows of a recording are of the host that recorded it. */
static struct lane_error *open_rows(struct watch_session *session)
{
	struct lane_fleet_config config = session->options->fleet;
	const struct lane_host *host;

	if (!config.rows && !config.metrics)
		return NULL;
	if (session->options->recording) {
		host = watch_feed_host(&session->feed);
		config.host = host->name;
		config.kernel = host->release;
	}
	return watch_fleet_open(&config, &session->rows);
}

static struct lane_error *watch_run(const struct options *options)
{
	struct watch_session session = {
		.options = options, .socket = -1, .rows_fd = -1, .rows = { .fd = -1 }
	};
	struct lane_watch_settings settings;
	struct lane_error *err = watch_settle(options, &settings), *last;

	memcpy(session.frame, settings.frame, sizeof(session.frame));
	/* Here it still has its privileges. */
	if (!err && !options->recording)
		err = open_rows(&session);
	if (!err)
		err = open_feed(&session, &settings);
	if (!err && options->recording)
		err = open_rows(&session);
	if (!err)
		err = open_watch(&session, &settings);
	if (!err) {
		watch_catch_signals();
		if (!options->recording)
			say_begin(options, &settings.watch);
		err = watch_feed_start(&session.feed, session.watch);
	}
	if (!err) {
		err = watch(&session);
		last = watch_finish(session.watch);
		if (err)
			lane_error_free(last);
		else
			err = last;
		say_figures(&session);
	}
	if (session.socket >= 0)
		close(session.socket);
	if (session.rows.close)
		session.rows.close(session.rows.arg);
	watch_destroy(session.watch);
	watch_feed_close(&session.feed);
	return err;
}

/* --- looking --- */

/* What the recording of a hit answers: of the request, or of the time that was late. */
static struct lane_error *watch_answer(const char *folder, const struct lane_hit *hit)
{
	char name[32], path[4096];
	const char *paths[] = { path };
	LANE_CLEANUP(session_named_deinit)
	struct session_named named = { .paths = paths, .n_paths = 1 };
	LANE_CLEANUP(session_deinit) struct session session = { .damage = { .command = "watch" } };
	struct lane_sentences s;
	struct lane_error *err;

	snprintf(path, sizeof(path), "%s/%s", folder,
		 watch_store_name(hit->number, false, name, sizeof(name)));
	if (hit->what == LANE_ROW_REQUEST)
		session.select = (struct lane_select){ .by_context = true,
						       .by_seqno = true,
						       .context = hit->ctx,
						       .seqno = hit->seqno };
	else if (hit->end_ns > hit->begin_ns)
		session.select =
			(struct lane_select){ .from_ns = hit->begin_ns, .to_ns = hit->end_ns };
	err = session_named_open(&named);
	if (!err)
		err = session_named_one(&named, &session.place);
	if (!err)
		err = session_read(&session);
	if (!err) {
		if (hit->what == LANE_ROW_REQUEST)
			show_sentences_of_request(&s, &session.latency);
		else
			show_sentences_begin(&s, &session.latency, SENTENCES);
		putchar('\n');
		show_sentences_write(stdout, &s, false);
	}
	return session_damage_end(&session.damage, err);
}

static struct lane_error *watch_look(const struct options *options)
{
	LANE_CLEANUP(lane_free) struct lane_store *store = calloc(1, sizeof(*store));
	struct lane_error *err;

	if (!store)
		return &lane_enomem;
	err = watch_store_look(store, folder_of(options));
	if (!err && options->task == TASK_LIST) {
		watch_look_list(stdout, store);
	} else if (!err) {
		err = watch_look_show(stdout, store, folder_of(options), options->show);
		if (!err) {
			const struct lane_hit *hit = &watch_store_find(store, options->show)->hit;

			err = watch_answer(folder_of(options), hit);
			watch_look_more(stdout, hit, folder_of(options));
		}
	}
	watch_store_deinit(store);
	return err;
}

/* --- the command --- */

static const struct argp_option argp_options[] = {
	{ "output", 'o', "DIR", 0,
	  "the folder of the hits (default " DEFAULT_OUTPUT "; with RECORDING: none)", 0 },
	{ "config", OPTION_CONFIG, "FILE", 0,
	  "settings as lines, NAME VALUE; read again at SIGHUP; options come before it", 0 },
#define S(id, name, argument, help)                                                                \
	{ name, OPTION_SETTING + LANE_SETTING_##id, argument, 0, help, 0 },
	LANE_SETTINGS(S)
#undef S
		{ "rows", OPTION_ROWS, "FILE", 0,
		  "what has ended, counted by the minute, as lines of JSON for a database (-: "
		  "standard "
		  "output)",
		  0 },
	{ "metrics", OPTION_METRICS, "[HOST:]PORT", 0,
	  "the same figures for Prometheus, of all processes together; HOST is the loopback where "
	  "it is left out",
	  0 },
	{ "metrics-names", OPTION_METRICS_NAMES, NULL, 0,
	  "by process and culprit: whoever may connect reads their names", 0 },
	{ "by", OPTION_BY, "WHOM", 0, "rows are by process (default) or cgroup", 0 },
	{ "list", OPTION_LIST, NULL, 0, "the hits in the folder, in groups, and leave", 0 },
	{ "show", OPTION_SHOW, "N", 0, "the hit with the recording of that number, and leave", 0 },
	{ "trigger", OPTION_TRIGGER, "WHY", OPTION_ARG_OPTIONAL,
	  "ask the watch of the folder for a recording of now, and leave", 0 },
	{ 0 },
};

static bool parse_show(const char *text, uint64_t *number)
{
	char *end;

	if (!strncmp(text, "hit-", 4))
		text += 4;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !*end;
}

static error_t watch_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct lane_error *err;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case OPTION_CONFIG:
		o->config = arg;
		return 0;
	case OPTION_LIST:
		o->task = TASK_LIST;
		return 0;
	case OPTION_SHOW:
		o->task = TASK_SHOW;
		if (parse_show(arg, &o->show))
			return 0;
		o->error = lane_error_usage("watch: --show %s: not the number of a recording", arg);
		return EINVAL;
	case OPTION_ROWS:
		o->fleet.rows = arg;
		return 0;
	case OPTION_METRICS:
		o->fleet.metrics = arg;
		return 0;
	case OPTION_METRICS_NAMES:
		o->fleet.has_names = true;
		return 0;
	case OPTION_BY:
		o->fleet.by = !strcmp(arg, "cgroup") ? LANE_FLEET_BY_CGROUP : LANE_FLEET_BY_PROCESS;
		if (!strcmp(arg, "cgroup") || !strcmp(arg, "process"))
			return 0;
		o->error = lane_error_usage("watch: --by %s: not process or cgroup", arg);
		return EINVAL;
	case OPTION_TRIGGER:
		o->task = TASK_TRIGGER;
		o->trigger = arg ? arg : "gpulane watch --trigger";
		return 0;
	case ARGP_KEY_ARG:
		if (o->recording)
			return ARGP_ERR_UNKNOWN;
		o->recording = arg;
		return 0;
	default:
		break;
	}
	if (key < OPTION_SETTING || key >= OPTION_SETTING + LANE_SETTING_COUNT)
		return ARGP_ERR_UNKNOWN;
	err = watch_settings_set(&o->settings, (enum lane_setting)(key - OPTION_SETTING), arg);
	if (!err)
		return 0;
	o->error = lane_error_usage("watch: --%s", lane_error_message(err));
	lane_error_free(err);
	return EINVAL;
}

struct lane_error *cmd_watch(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = watch_parse,
		.args_doc = "[RECORDING]",
		.doc = "Watch this machine's GPUs, and write a recording of the time around what "
		       "is too "
		       "late. With RECORDING: what of it would be a hit.\v"
		       "See gpulane-watch(1).",
	};
	struct options o = { .output = NULL };
	struct lane_error *err;
	int done;

	watch_settings_init(&o.settings);
	err = lane_parse(&argp, argc, argv, &o, &o.error, &done);
	if (err || done)
		return err;
	if (o.recording && o.task != TASK_WATCH)
		return lane_error_usage("watch: RECORDING: only for watching (see `gpulane watch "
					"--help`)");
	switch (o.task) {
	case TASK_WATCH:
		err = watch_run(&o);
		break;
	case TASK_TRIGGER:
		err = watch_socket_send(folder_of(&o), o.trigger);
		break;
	default:
		err = watch_look(&o);
	}
	return o.error ? err : lane_error_context(err, "watch");
}
