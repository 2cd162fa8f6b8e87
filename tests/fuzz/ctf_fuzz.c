// SPDX-License-Identifier: MIT
// libFuzzer: a stream of one of our CTF traces, read. The input is the
// stream; the metadata are the ones that the recorder writes.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ctf_packet.h"
#include "decode/decode.h"
#include "file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static char dir[64];
static char stream[80];

static void remove_dir(void)
{
	char metadata[80];

	snprintf(metadata, sizeof(metadata), "%s/metadata", dir);
	unlink(metadata);
	unlink(stream);
	rmdir(dir);
}

/* A trace whose uuid is all zero: streams of zeros with a magic are its. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const uint8_t uuid[16];
	const struct lane_ctf_env env = { .kernel_release = "6.1.0" };
	char metadata[80];
	FILE *to;

	(void)argc;
	(void)argv;
	fuzz_dir(dir);
	atexit(remove_dir);
	snprintf(metadata, sizeof(metadata), "%s/metadata", dir);
	snprintf(stream, sizeof(stream), "%s/channel0_0", dir);
	to = fopen(metadata, "w");
	if (!to)
		abort();
	lane_ctf_write_tsdl(to, &env, uuid);
	fclose(to);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lane_decoder *decoder;
	struct lane_event *event;
	struct lane_error *err;
	int fd = open(stream, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
		abort();
	close(fd);
	err = decode_open(&lane_format_ctf, dir, NULL, &decoder);
	if (err) {
		lane_error_free(err);
		return 0;
	}
	/* It ends once, and complains once of its count of losses. */
	for (int errors = 0;; errors += !!err) {
		err = lane_format_ctf.next(decoder, &event);
		lane_error_free(err);
		if (errors > 2)
			abort();
		if (!err && !event)
			break;
	}
	decode_close(decoder);
	return 0;
}
