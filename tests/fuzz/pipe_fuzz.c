// SPDX-License-Identifier: MIT
// libFuzzer: what comes out of the pipe of the child that reads CTF traces; the parent trusts
// nothing.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/ctf_child.h"
#include "decode/ctf_pipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* The facts come first; without them nothing else would be looked at. */
static void begin(int fd)
{
	static struct lane_trace_info info;
	const struct lane_ctf_head head = { .type = LANE_CTF_INFO, .bytes = sizeof(info) };

	if (write(fd, &head, sizeof(head)) != sizeof(head) ||
	    write(fd, &info, sizeof(info)) != sizeof(info))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct lane_ctf_watch watch = { .silence_ms = 1000, .max_events = 1 << 16 };
	struct lane_decoder *decoder;
	struct lane_event *event;
	struct lane_error *err;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	size_t n;

	if (fd < 0)
		abort();
	if (bytes && data[0] & 1)
		begin(fd);
	/* The first byte only says whether there are facts. */
	if (bytes && write(fd, data + 1, bytes - 1) != (ssize_t)bytes - 1)
		abort();
	if (lseek(fd, 0, SEEK_SET))
		abort();
	err = decode_ctf_pipe_open(fd, &watch, "fuzz", &decoder);
	if (err) {
		lane_error_free(err);
		return 0;
	}
	for (;;) {
		err = decoder->format->next(decoder, &event);
		lane_error_free(err);
		if (!err && !event)
			break;
	}
	(void)decoder->format->accounts(decoder, &n);
	decoder->format->close(decoder);
	return 0;
}
