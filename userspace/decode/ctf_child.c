// SPDX-License-Identifier: MIT
// The child process that reads a CTF trace with libbabeltrace2 and writes its events to a pipe.
#include "decode/ctf_child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"

enum {
	BUFFER_BYTES = 64 << 10,
	SAY_SKIPPED = 1 << 14, /* events of other kinds between two messages that say so */
};

/* AddressSanitizer reserves terabytes and would not live with less. */
#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED true
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED false
#endif

/* The pipe's end to write to. A parent that is gone ends the child with SIGPIPE. */
struct out {
	int fd;
	size_t n;
	uint64_t skipped; /* as last said */
	char buffer[BUFFER_BYTES];
};

static void flush(struct out *out)
{
	for (size_t at = 0; at < out->n;) {
		ssize_t n = write(out->fd, out->buffer + at, out->n - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(1);
		at += (size_t)n;
	}
	out->n = 0;
}

static void put(struct out *out, const void *data, size_t bytes)
{
	if (bytes)
		memcpy(out->buffer + out->n, data, bytes);
	out->n += bytes;
}

/* Begins a message; its body of that size is to be put at once. */
static void begin(struct out *out, enum lane_ctf_message type, size_t bytes)
{
	struct lane_ctf_head head = { .type = (uint32_t)type, .bytes = (uint32_t)bytes };

	if (out->n + sizeof(head) + bytes > sizeof(out->buffer))
		flush(out);
	put(out, &head, sizeof(head));
}

static void put_error(struct out *out, struct lane_error *err)
{
	const char *text = lane_error_message(err);
	size_t bytes = strnlen(text, LANE_CTF_BODY_BYTES);

	begin(out, LANE_CTF_ERROR, bytes);
	put(out, text, bytes);
	lane_error_free(err);
	flush(out);
}

static void put_event(struct out *out, const struct lane_event *event)
{
	const struct lane_ctf_event about = { .cpu = event->cpu, .raw = event->raw };
	size_t bytes = sizeof(event->wire) + lane_kinds[event->wire.kind].payload_bytes;

	begin(out, LANE_CTF_EVENT, sizeof(about) + bytes);
	put(out, &about, sizeof(about));
	put(out, event, bytes);
}

static void put_skipped(struct out *out, uint64_t skipped)
{
	out->skipped = skipped;
	begin(out, LANE_CTF_SKIPPED, sizeof(skipped));
	put(out, &skipped, sizeof(skipped));
	flush(out);
}

static void put_accounts(struct out *out, struct lane_decoder *decoder)
{
	size_t n;
	const struct lane_account *accounts = lane_format_ctf_inside.accounts(decoder, &n);

	for (size_t i = 0; i < n; i++) {
		begin(out, LANE_CTF_ACCOUNT, sizeof(*accounts));
		put(out, &accounts[i], sizeof(*accounts));
	}
}

/* Reads everything; what is left at the end is the kernel's to free. */
static void copy(struct out *out, struct lane_decoder *decoder)
{
	const struct lane_trace_info *info = lane_format_ctf_inside.info(decoder);
	struct lane_event *event;
	struct lane_error *err;

	begin(out, LANE_CTF_INFO, sizeof(*info));
	put(out, info, sizeof(*info));
	for (;;) {
		err = lane_format_ctf_inside.next(decoder, &event);
		if (decoder->skipped - out->skipped >= SAY_SKIPPED)
			put_skipped(out, decoder->skipped);
		if (err)
			put_error(out, err);
		else if (event)
			put_event(out, event);
		else
			break;
	}
	put_skipped(out, decoder->skipped);
	put_accounts(out, decoder);
	begin(out, LANE_CTF_END, 0);
	flush(out);
}

static void limit(int resource, uint64_t value)
{
	/* A limit that cannot be set leaves the parent's watch over time. */
	setrlimit(resource, &(struct rlimit){ value, value });
}

/* What the process has mapped now, in all and of its own data. */
static void mapped_bytes(uint64_t *all, uint64_t *data)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	FILE *from = fopen("/proc/self/statm", "re");

	*all = *data = 0;
	if (from && fscanf(from, "%" SCNu64 " %*u %*u %*u %*u %" SCNu64, all, data) != 2)
		*all = *data = 0;
	if (from)
		fclose(from);
	*all *= page;
	*data *= page;
}

static void set_limits(const struct lane_ctf_limits *limits)
{
	uint64_t all, data;

	mapped_bytes(&all, &data);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CPU, limits->cpu_s);
	if (IS_SANITIZED) { /* which has mapped terabytes, and keeps what is freed for a while */
		limit(RLIMIT_DATA, data + 4 * limits->memory_bytes);
		return;
	}
	limit(RLIMIT_AS, all + limits->memory_bytes + limits->map_bytes);
	limit(RLIMIT_DATA, limits->memory_bytes);
}

/* The library's last words are nobody's, and it has nothing to read but the trace. */
static void silence(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
}

static void run(const char *path, const struct lane_names *names,
		const struct lane_ctf_limits *limits, pid_t parent, int fd)
{
	static struct out out;
	struct lane_decoder *decoder;
	struct lane_error *err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	silence();
	set_limits(limits);
	out.fd = fd;
	err = lane_format_ctf_inside.open(path, names, &decoder);
	if (err)
		put_error(&out, err);
	else
		copy(&out, decoder);
	_exit(0);
}

struct lane_error *decode_ctf_child_start(const char *path, const struct lane_names *names,
					  const struct lane_ctf_limits *limits, pid_t *pid, int *fd)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return lane_error_errno(errno, "%s: a pipe", path);
	*pid = fork();
	if (*pid < 0) {
		int errnum = errno;

		close(ends[0]);
		close(ends[1]);
		return lane_error_errno(errnum, "%s: a process that reads it", path);
	}
	if (!*pid) {
		close(ends[0]);
		run(path, names, limits, parent, ends[1]);
	}
	close(ends[1]);
	*fd = ends[0];
	return NULL;
}
