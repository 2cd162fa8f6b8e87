// SPDX-License-Identifier: MIT
// libFuzzer: the text format, through norm/, to its end.
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/decode.h"
#include "norm/fix.h"
#include "norm/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Reads events until the end; errors are part of it, each call gets on. */
static void read_all(struct lane_decoder *decoder)
{
	struct lane_event *event;
	struct lane_fix *fix;
	struct lane_error *err = norm_fix_create(decoder->info, &fix);

	if (err)
		abort();
	for (;;) {
		err = decoder->format->next(decoder, &event);
		if (err) {
			lane_error_free(err);
			continue;
		}
		if (!event)
			break;
		if (norm_fix_event(fix, event) == LANE_FIXED_MORE)
			while (norm_fix_more(fix, event))
				;
	}
	norm_fix_destroy(fix);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lane_decoder *decoder;
	struct lane_error *err;
	int fd = memfd_create("fuzz", 0);

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes || lseek(fd, 0, SEEK_SET))
		abort();
	err = decode_open_fd(&lane_format_text, fd, "fuzz", &lane_norm_names, &decoder);
	if (err) {
		lane_error_free(err);
		return 0;
	}
	read_all(decoder);
	decode_close(decoder);
	return 0;
}
