// SPDX-License-Identifier: MIT
// A session of the LTTng session daemon that writes below a recording.
#include "capture/lttng_session.h"

#include <errno.h>
#include <fcntl.h>
#include <lttng/session-descriptor.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/stop.h"

#define CHANNEL		     "gpulane"
#define DEFAULT_BUFFER_BYTES (4u << 20)
#define SUBBUFFERS	     4
#define ANSWER_S	     60	    /* a daemon that has not answered by then does not */
#define STOP_S		     2	    /* and by then, if somebody has given up */
#define SWITCH_US	     500000 /* what is killed loses half a second */

/* In LTTng's headers since 2.15; lttng_library.c has it where the library has not. */
#define TRACE_FORMAT_CTF_1_8 1
int our_lttng_session_descriptor_set_trace_format(
	struct lttng_session_descriptor *descriptor,
	int format) __asm__("lttng_session_descriptor_set_trace_format");

/* What LTTng's consumer (64-bit, up to 2.14) adds to a channel's count of discarded events, see
 * below. */
#define OVERFLOW_ADDED (1ull << 63)

struct lane_error *capture_lttng_error(int code, const char *what)
{
	if (code == -LTTNG_ERR_NO_SESSIOND)
		return lane_error(
			"%s: the LTTng session daemon is not running (start lttng-sessiond -d "
			"as root)",
			what);
	return lane_error("%s: %s", what, lttng_strerror(code));
}

static void on_no_answer(int signal)
{
	static const char text[] = "gpulane: record: the LTTng session daemon does not answer\n";

	(void)signal;
	_exit(write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ? 2 : 1);
}

/* What is asked for now may still be answered: then the recording ends as ever. */
static void on_stop_asking(int signal)
{
	lane_stop_signal = signal;
	alarm(STOP_S);
}

/* The library waits for the daemon's answer, whatever signals come. */
void capture_lttng_ask(struct lane_lttng_asking *asking)
{
	const struct sigaction no_answer = { .sa_handler = on_no_answer },
			       stop = { .sa_handler = on_stop_asking };

	sigaction(SIGALRM, &no_answer, &asking->alarm);
	sigaction(SIGINT, &stop, &asking->interrupt);
	sigaction(SIGTERM, &stop, &asking->terminate);
	alarm(ANSWER_S);
}

void capture_lttng_answered(const struct lane_lttng_asking *asking)
{
	alarm(0);
	sigaction(SIGALRM, &asking->alarm, NULL);
	sigaction(SIGINT, &asking->interrupt, NULL);
	sigaction(SIGTERM, &asking->terminate, NULL);
}

/* What came of a session's end. */
struct ending {
	int stop, destroy;
	uint64_t lost;
};

static bool wait_for(int fd, struct ending *ending)
{
	struct pollfd answer = { .fd = fd, .events = POLLIN };
	int before = lane_stop_signal;
	ssize_t n = 0;

	lane_stop_signal = 0;
	for (int tenths = 0; tenths < 10 * ANSWER_S && !lane_stop_signal && !n; tenths++)
		if (poll(&answer, 1, 100) > 0)
			n = read(fd, ending, sizeof(*ending)) == sizeof(*ending) ? 1 : -1;
	if (!lane_stop_signal)
		lane_stop_signal = before;
	return n == 1;
}

/*
 * The library waits in lttng_stop_tracing() and lttng_destroy_session() until the daemon has
 * written everything, and that has taken 37 minutes. So they are called in a process of its own:
 * what is recorded is the recorder's, whatever the daemon does. False: no answer came in time, or a
 * signal before it.
 */
static bool end_apart(void (*end)(struct lane_lttng_session *session, struct ending *ending),
		      struct lane_lttng_session *session, struct ending *ending)
{
	bool is_answered;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	pid = fork();
	if (!pid) {
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		end(session, ending);
		_exit(write(ends[1], ending, sizeof(*ending)) != sizeof(*ending));
	}
	close(ends[1]);
	is_answered = pid > 0 && wait_for(ends[0], ending);
	close(ends[0]);
	if (pid > 0) {
		if (!is_answered)
			kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return is_answered;
}

/*
 * A recorder that was killed leaves its session behind in the daemon, and tracing goes on. Its name
 * has the recorder's process in it: when that is gone, so is the session's use. What the daemon
 * still writes of it is not waited for.
 */
static void destroy_left_sessions(const char *prefix)
{
	LANE_CLEANUP(lane_free) struct lttng_session *sessions = NULL;
	size_t length = strlen(prefix);
	int n = lttng_list_sessions(&sessions);

	if (n < 0)
		sessions = NULL;
	for (int i = 0; i < n; i++) {
		char rest;
		int pid;

		if (!strncmp(sessions[i].name, prefix, length) &&
		    sscanf(sessions[i].name + length, "-%d-%*d%c", &pid, &rest) == 1 && pid > 0 &&
		    kill(pid, 0) && errno == ESRCH)
			lttng_destroy_session_no_wait(sessions[i].name);
	}
}

/*
 * Where the session writes. Root's daemon is told the directory that is open here, not its path,
 * in which somebody else may have a part. Another user's daemon may not look into this process when
 * the program has capabilities of its own, and has no more rights than he.
 */
static struct lane_error *set_path(struct lane_lttng_session *session, int dir_fd,
				   const char *below)
{
	char fd_path[32];
	ssize_t n;

	snprintf(fd_path, sizeof(fd_path), "/proc/%d/fd/%d", getpid(), dir_fd);
	if (!geteuid())
		n = snprintf(session->path, sizeof(session->path), "%s", fd_path);
	else
		n = readlink(fd_path, session->path, sizeof(session->path) - strlen(below) - 2);
	if (n < 0)
		return lane_error_errno(errno, "recording");
	sprintf(session->path + n, *below ? "/%s" : "%s", below);
	return NULL;
}

/*
 * Since 2.15 the daemon's default is CTF 2, unless somebody has set another: CTF 1.8 is asked for,
 * which every viewer opens. Before, the library has no such function, and there is no other format.
 */
static int lttng_session_create(struct lane_lttng_session *session)
{
	struct lttng_session_descriptor *descriptor =
		lttng_session_descriptor_local_create(session->name, session->path);
	int code;

	if (!descriptor)
		return -LTTNG_ERR_UNK;
	our_lttng_session_descriptor_set_trace_format(descriptor, TRACE_FORMAT_CTF_1_8);
	code = lttng_create_session_ext(descriptor);
	lttng_session_descriptor_destroy(descriptor);
	return code == LTTNG_OK ? 0 : -code;
}

struct lane_error *capture_lttng_create(struct lane_lttng_session *session,
					enum lttng_domain_type type, const char *prefix, int dir_fd,
					const char *below)
{
	struct lane_error *err;
	int code;

	session->domain = (struct lttng_domain){ .type = type,
						 .buf_type = type == LTTNG_DOMAIN_KERNEL
								     ? LTTNG_BUFFER_GLOBAL
								     : LTTNG_BUFFER_PER_UID };
	destroy_left_sessions(prefix);
	err = set_path(session, dir_fd, below);
	if (err)
		return err;
	snprintf(session->name, sizeof(session->name), "%s-%d-%lld", prefix, getpid(),
		 (long long)time(NULL));
	code = lttng_session_create(session);
	if (code < 0)
		return capture_lttng_error(code, "session");
	session->created = true;
	session->line = lttng_notification_channel_create(capture_lttng_endpoint());
	session->handle = lttng_create_handle(session->name, &session->domain);
	if (!session->handle)
		return &lane_enomem;
	return NULL;
}

struct lane_error *capture_lttng_channel(struct lane_lttng_session *session, size_t buffer_bytes)
{
	struct lttng_channel *channel = lttng_channel_create(&session->domain);
	size_t bytes = buffer_bytes ? buffer_bytes : DEFAULT_BUFFER_BYTES;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int code;

	if (!channel)
		return &lane_enomem;
	snprintf(channel->name, sizeof(channel->name), CHANNEL);
	channel->enabled = 1; /* 2.13 enables a channel whatever this says, 2.16 does not */
	channel->attr.overwrite = 0;
	channel->attr.num_subbuf = SUBBUFFERS;
	channel->attr.subbuf_size = bytes / SUBBUFFERS < page ? page : bytes / SUBBUFFERS;
	session->buffer_bytes = channel->attr.subbuf_size * SUBBUFFERS;
	channel->attr.switch_timer_interval = SWITCH_US;
	code = lttng_enable_channel(session->handle, channel);
	lttng_channel_destroy(channel);
	return code < 0 ? capture_lttng_error(code, "channel") : NULL;
}

struct lane_error *capture_lttng_alive(struct lane_lttng_session *session)
{
	bool pending;

	if (!session->line ||
	    lttng_notification_channel_has_pending_notification(session->line, &pending) ==
		    LTTNG_NOTIFICATION_CHANNEL_STATUS_OK)
		return NULL;
	session->created = session->started = false;
	return lane_error("the LTTng session daemon has ended");
}

struct lane_error *capture_lttng_context(struct lane_lttng_session *session,
					 enum lttng_event_context_type type)
{
	struct lttng_event_context context = { .ctx = type };
	int code = lttng_add_context(session->handle, &context, NULL, CHANNEL);

	return code < 0 ? capture_lttng_error(code, "context") : NULL;
}

struct lane_error *capture_lttng_event(struct lane_lttng_session *session, const char *name)
{
	struct lttng_event *event = lttng_event_create();
	int code;

	if (!event)
		return &lane_enomem;
	event->type = LTTNG_EVENT_TRACEPOINT;
	event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
	snprintf(event->name, sizeof(event->name), "%s", name);
	code = lttng_enable_event(session->handle, event, CHANNEL);
	lttng_event_destroy(event);
	return code < 0 ? capture_lttng_error(code, name) : NULL;
}

struct lane_error *capture_lttng_start(struct lane_lttng_session *session)
{
	int code = lttng_start_tracing(session->name);

	if (code < 0 && code != -LTTNG_ERR_TRACE_ALREADY_STARTED)
		return capture_lttng_error(code, "start");
	session->started = true;
	return NULL;
}

/*
 * A packet's count of discarded events is the one at its delivery, and packets are delivered in any
 * order: one packet's count may be less than that of the packet before. LTTng's consumer takes that
 * for an overflow and adds 2^63, each time (consumer_stream_update_stats() in consumer-stream.c, up
 * to 2.14). Modulo 2^63 its sum is right nevertheless: of each stream the last packet's count.
 */
void capture_lttng_read_lost(struct lane_lttng_session *session)
{
	LANE_CLEANUP(lane_free) struct lttng_channel *channels = NULL;
	int n = lttng_list_channels(session->handle, &channels);

	if (n < 0)
		channels = NULL;
	for (int i = 0; i < n; i++) {
		uint64_t discarded, lost_packets;

		if (!lttng_channel_get_discarded_event_count(&channels[i], &discarded) &&
		    !lttng_channel_get_lost_packet_count(&channels[i], &lost_packets))
			session->lost = discarded % OVERFLOW_ADDED + lost_packets;
	}
}

static void end_session(struct lane_lttng_session *session, struct ending *ending)
{
	ending->stop = session->started ? lttng_stop_tracing(session->name) : 0;
	if (ending->stop == -LTTNG_ERR_TRACE_ALREADY_STOPPED)
		ending->stop = 0;
	if (session->handle)
		capture_lttng_read_lost(session);
	ending->lost = session->lost;
	ending->destroy = lttng_destroy_session(session->name);
}

struct lane_error *capture_lttng_stop(struct lane_lttng_session *session)
{
	struct ending ending = { 0 };
	bool is_answered;

	if (!session->created) /* the daemon has ended, and that was said */
		return NULL;
	is_answered = end_apart(end_session, session, &ending);

	session->started = session->created = false;
	if (!is_answered)
		return lane_error("the LTTng session daemon has not ended the session: the last "
				  "events may be missing");
	session->lost = ending.lost;
	if (ending.stop < 0)
		return capture_lttng_error(ending.stop, "stop");
	return ending.destroy < 0 ? capture_lttng_error(ending.destroy, "session") : NULL;
}

void capture_lttng_close(struct lane_lttng_session *session)
{
	struct ending ending = { 0 };

	if (session->created)
		end_apart(end_session, session, &ending);
	lttng_notification_channel_destroy(session->line);
	if (session->handle)
		lttng_destroy_handle(session->handle);
}
