// SPDX-License-Identifier: MIT
// Reads CTF traces of others: a child process decodes them, here its events come out of a pipe.
#include "decode/ctf_pipe.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/stop.h"
#include "base/vector.h"
#include "decode/ctf_child.h"
#include "decode/ctf_guard.h"

#define MIB (1024ull * 1024)

enum {
	BUFFER_BYTES = 64 << 10,
	MAX_ACCOUNTS = 1 << 16,
	OTHER_MIB = 64, /* the library itself, its plugins */
};

struct ctf_piped {
	struct lane_decoder base;
	struct lane_trace_info info;
	struct lane_event event;
	char *path;
	struct lane_ctf_watch watch;
	int fd;
	uint64_t events;
	bool has_ended; /* nothing more comes, for whatever reason */
	struct lane_account *accounts;
	size_t n_accounts;
	struct lane_error *err; /* to be told first */
	size_t from, to;
	char buffer[BUFFER_BYTES];
};

_Static_assert(BUFFER_BYTES >= sizeof(struct lane_ctf_head) + LANE_CTF_BODY_BYTES, "it fits");

static struct ctf_piped *ctf_of(struct lane_decoder *decoder)
{
	return (struct ctf_piped *)decoder;
}

/* Ends the child; its exit status, 0 when it had none. */
static int reap(struct ctf_piped *ctf, bool kill_it)
{
	int status = 0;

	if (ctf->watch.pid <= 0)
		return 0;
	if (kill_it)
		kill(ctf->watch.pid, SIGKILL);
	while (waitpid(ctf->watch.pid, &status, 0) < 0 && errno == EINTR)
		;
	ctf->watch.pid = 0;
	return status;
}

/* Nothing more is read: an error that says why. */
static struct lane_error *give_up(struct ctf_piped *ctf, const char *why)
{
	ctf->has_ended = true;
	reap(ctf, true);
	return lane_error("%s: the CTF trace cannot be read: %s (is it damaged?)", ctf->path, why);
}

/* The pipe was closed before the end. */
static struct lane_error *died(struct ctf_piped *ctf)
{
	int status = reap(ctf, false);
	char why[96];

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return give_up(ctf, "libbabeltrace2 takes too long over it");
	if (WIFSIGNALED(status)) {
		snprintf(why, sizeof(why),
			 "libbabeltrace2 fails on it, or takes too much memory (%s)",
			 strsignal(WTERMSIG(status)));
		return give_up(ctf, why);
	}
	return give_up(ctf, "libbabeltrace2 gives up on it");
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for bytes, up to the limit; ^C ends it. */
static struct lane_error *wait_for(struct ctf_piped *ctf)
{
	struct pollfd pollfd = { .fd = ctf->fd, .events = POLLIN };
	int64_t until_ms = now_ms() + ctf->watch.silence_ms;

	for (;;) {
		int64_t left_ms = until_ms - now_ms();
		int n;

		if (lane_stop_signal) {
			ctf->has_ended = true;
			reap(ctf, true);
			return lane_error("interrupted");
		}
		if (left_ms <= 0)
			return give_up(ctf, "libbabeltrace2 takes too long over it");
		n = poll(&pollfd, 1, left_ms < 60000 ? (int)left_ms : 60000);
		if (n > 0)
			return NULL;
		if (n < 0 && errno != EINTR)
			return lane_error_errno(errno, "%s", ctf->path);
	}
}

/* Sees to it that so many bytes are in the buffer, no more than a message has. */
static struct lane_error *need(struct ctf_piped *ctf, size_t bytes)
{
	struct lane_error *err;

	while (ctf->to - ctf->from < bytes) {
		ssize_t n;

		if (ctf->from && ctf->from + bytes > sizeof(ctf->buffer)) {
			memmove(ctf->buffer, ctf->buffer + ctf->from, ctf->to - ctf->from);
			ctf->to -= ctf->from;
			ctf->from = 0;
		}
		err = wait_for(ctf);
		if (err)
			return err;
		n = read(ctf->fd, ctf->buffer + ctf->to, sizeof(ctf->buffer) - ctf->to);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return died(ctf);
		ctf->to += (size_t)n;
	}
	return NULL;
}

/* The next message's head and body, which is valid until the next call. */
static struct lane_error *next_message(struct ctf_piped *ctf, struct lane_ctf_head *head,
				       const char **body)
{
	struct lane_error *err = need(ctf, sizeof(*head));

	if (err)
		return err;
	memcpy(head, ctf->buffer + ctf->from, sizeof(*head));
	if (head->bytes > LANE_CTF_BODY_BYTES)
		return give_up(ctf, "what reads it writes nonsense");
	err = need(ctf, sizeof(*head) + head->bytes);
	if (err)
		return err;
	*body = ctf->buffer + ctf->from + sizeof(*head);
	ctf->from += sizeof(*head) + head->bytes;
	if (ctf->from == ctf->to)
		ctf->from = ctf->to = 0;
	return NULL;
}

static bool is_ended(const char *text, size_t size)
{
	return memchr(text, 0, size);
}

/* Takes the facts; false when they are none. */
static bool take_info(struct ctf_piped *ctf, const char *body, size_t bytes)
{
	struct lane_trace_info *info = &ctf->info;

	if (bytes != sizeof(*info))
		return false;
	memcpy(info, body, sizeof(*info));
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (info->presence[kind] > LANE_PRESENCE_RECORDED)
			return false;
	return (unsigned int)info->submission <= LANE_SUBMISSION_RING &&
	       (unsigned int)info->ending <= LANE_ENDING_FAILED &&
	       is_ended(info->host, sizeof(info->host)) &&
	       is_ended(info->release, sizeof(info->release)) &&
	       is_ended(info->clock_uuid, sizeof(info->clock_uuid)) &&
	       is_ended(info->tracer, sizeof(info->tracer)) &&
	       is_ended(info->tracer_version, sizeof(info->tracer_version)) &&
	       is_ended(info->ending_error, sizeof(info->ending_error));
}

/* Takes an event; false when it is none. */
static bool take_event(struct ctf_piped *ctf, const char *body, size_t bytes)
{
	struct lane_event *event = &ctf->event;
	struct lane_p_gpulane_lost *lost = &event->u.gpulane_lost;
	struct lane_ctf_event about;
	struct lane_wire wire;

	if (bytes < sizeof(about) + sizeof(wire))
		return false;
	memcpy(&about, body, sizeof(about));
	memcpy(&wire, body + sizeof(about), sizeof(wire));
	if (wire.kind >= LANE_KIND_COUNT ||
	    bytes != sizeof(about) + sizeof(wire) + lane_kinds[wire.kind].payload_bytes ||
	    about.raw.narrow > 1 || about.raw.engine_notify > 1)
		return false;
	memset(&event->u, 0, sizeof(event->u));
	memcpy(event, body + sizeof(about), bytes - sizeof(about));
	event->cpu = about.cpu < 0 ? -1 : about.cpu;
	event->host = 0;
	event->raw = about.raw;
	if (event->wire.origin >= LANE_ORIGIN_COUNT)
		event->wire.origin = LANE_ORIGIN_UNKNOWN;
	if (event->wire.kind == LANE_LOST && lost->end_ns < lost->begin_ns)
		lost->end_ns = lost->begin_ns;
	return true;
}

static bool take_account(struct ctf_piped *ctf, const char *body, size_t bytes)
{
	struct lane_account account;

	if (bytes != sizeof(account) || ctf->n_accounts == MAX_ACCOUNTS)
		return false;
	memcpy(&account.cpu, body + offsetof(struct lane_account, cpu), sizeof(account.cpu));
	memcpy(&account.events, body + offsetof(struct lane_account, events),
	       sizeof(account.events));
	memcpy(&account.lost, body + offsetof(struct lane_account, lost), sizeof(account.lost));
	memcpy(&account.end_ns, body + offsetof(struct lane_account, end_ns),
	       sizeof(account.end_ns));
	account.lost_uncounted = body[offsetof(struct lane_account, lost_uncounted)] != 0;
	account.is_damaged = body[offsetof(struct lane_account, is_damaged)] != 0;
	if (!LANE_GROW_BY_ONE(ctf->accounts, ctf->n_accounts))
		return false;
	ctf->accounts[ctf->n_accounts++] = account;
	return true;
}

/* The child's words; those of the trace are in them, so they are only shown. */
static struct lane_error *take_error(const char *body, size_t bytes)
{
	char text[LANE_CTF_BODY_BYTES + 1];

	for (size_t i = 0; i < bytes; i++)
		text[i] = (unsigned char)body[i] < ' ' || body[i] == 0x7f ? '?' : body[i];
	text[bytes] = '\0';
	return lane_error("%s", bytes ? text : "an error without a reason");
}

static struct lane_error *ctf_next(struct lane_decoder *decoder, struct lane_event **event)
{
	struct ctf_piped *ctf = ctf_of(decoder);
	struct lane_ctf_head head;
	struct lane_error *err;
	const char *body;
	bool ok = true;

	*event = NULL;
	if (ctf->err)
		return LANE_TAKE(ctf->err);
	while (!ctf->has_ended && ok) {
		err = next_message(ctf, &head, &body);
		if (err)
			return err;
		switch (head.type) {
		case LANE_CTF_EVENT:
			if (++ctf->events > ctf->watch.max_events)
				return give_up(ctf, "it has more events than bits");
			ok = take_event(ctf, body, head.bytes);
			if (ok) {
				*event = &ctf->event;
				return NULL;
			}
			break;
		case LANE_CTF_ERROR:
			return take_error(body, head.bytes);
		case LANE_CTF_SKIPPED:
			ok = head.bytes == sizeof(ctf->base.skipped);
			if (ok)
				memcpy(&ctf->base.skipped, body, sizeof(ctf->base.skipped));
			break;
		case LANE_CTF_ACCOUNT:
			ok = take_account(ctf, body, head.bytes);
			break;
		case LANE_CTF_END:
			ctf->has_ended = true;
			reap(ctf, false);
			break;
		default:
			ok = false;
		}
	}
	return ok ? NULL : give_up(ctf, "what reads it writes nonsense");
}

static void ctf_close(struct lane_decoder *decoder)
{
	struct ctf_piped *ctf = ctf_of(decoder);

	if (!ctf)
		return;
	reap(ctf, true);
	if (ctf->fd >= 0)
		close(ctf->fd);
	lane_error_free(ctf->err);
	free(ctf->accounts);
	free(ctf->path);
	free(ctf);
}

static void close_guard(struct ctf_piped **ctf)
{
	if (*ctf)
		ctf_close(&(*ctf)->base);
}

struct lane_error *decode_ctf_pipe_open(int fd, const struct lane_ctf_watch *watch,
					const char *path, struct lane_decoder **decoder)
{
	LANE_CLEANUP(close_guard) struct ctf_piped *ctf = calloc(1, sizeof(*ctf));
	struct lane_ctf_head head;
	struct lane_error *err;
	const char *body;

	if (!ctf) {
		close(fd); /* the child ends with it */
		while (watch->pid > 0 && waitpid(watch->pid, NULL, 0) < 0 && errno == EINTR)
			;
		return &lane_enomem;
	}
	ctf->base.format = &lane_format_ctf_child;
	ctf->fd = fd;
	ctf->watch = *watch;
	ctf->path = strdup(path);
	if (!ctf->path)
		return &lane_enomem;
	err = next_message(ctf, &head, &body);
	if (err)
		return err;
	if (head.type == LANE_CTF_ERROR)
		return take_error(body, head.bytes);
	if (head.type != LANE_CTF_INFO || !take_info(ctf, body, head.bytes))
		return give_up(ctf, "what reads it writes nonsense");
	*decoder = &LANE_TAKE(ctf)->base;
	return NULL;
}

/*
 * The limits grow with the files. A MiB of them is read within 160 MiB and six seconds of processor
 * time, a hundred times what it takes.
 */
static struct lane_ctf_limits limits_for(const struct lane_ctf_survey *survey)
{
	return (struct lane_ctf_limits){
		.memory_bytes = 128 * MIB + survey->files * MIB + survey->bytes / 8,
		.map_bytes = OTHER_MIB * MIB + 2 * survey->map_bytes,
		.cpu_s = 5 + survey->bytes / MIB,
	};
}

static struct lane_error *ctf_open(const char *path, const struct lane_names *names,
				   struct lane_decoder **decoder)
{
	struct lane_ctf_survey survey = { 0 };
	struct lane_ctf_watch watch;
	struct lane_ctf_limits limits;
	struct lane_error *err;
	int fd;

	err = decode_ctf_guard(path);
	if (!err)
		err = decode_ctf_survey(path, &survey);
	if (!err) {
		limits = limits_for(&survey);
		watch.silence_ms = 8000 + (int64_t)(survey.bytes / (2 * MIB)) * 1000;
		watch.max_events = 64 + 8 * survey.bytes;
		err = decode_ctf_child_start(path, names, &limits, &watch.pid, &fd);
	}
	if (!err)
		err = decode_ctf_pipe_open(fd, &watch, path, decoder);
	if (err)
		lane_error_free(survey.odd);
	else
		ctf_of(*decoder)->err = survey.odd;
	return err;
}

static const struct lane_trace_info *ctf_info(struct lane_decoder *decoder)
{
	return &ctf_of(decoder)->info;
}

static const struct lane_account *ctf_accounts(struct lane_decoder *decoder, size_t *n)
{
	*n = ctf_of(decoder)->n_accounts;
	return ctf_of(decoder)->accounts;
}

const struct lane_format lane_format_ctf_child = {
	.name = "ctf-child",
	.help = "CTF 1.8, by libbabeltrace2",
	.open = ctf_open,
	.info = ctf_info,
	.next = ctf_next,
	.accounts = ctf_accounts,
	.close = ctf_close,
};
