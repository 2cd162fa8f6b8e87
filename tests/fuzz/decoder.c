// SPDX-License-Identifier: MIT
// Runs a reader of files over an input.
#include "decoder.h"

#include <stdlib.h>
#include <unistd.h>

#include "file.h"
#include "norm/names.h"

static void check(const struct lane_event *event, uint64_t last_ns, bool is_ordered)
{
	const struct lane_p_gpulane_lost *lost = &event->u.gpulane_lost;

	if (event->wire.kind >= LANE_KIND_COUNT)
		fuzz_fail("kind %u", event->wire.kind);
	if (event->cpu < -1)
		fuzz_fail("CPU %d", event->cpu);
	if (is_ordered && event->wire.ts_ns < last_ns)
		fuzz_fail("time goes back");
	if (event->wire.kind == LANE_LOST && lost->begin_ns > lost->end_ns)
		fuzz_fail("a loss ends before it begins");
}

void fuzz_decoder(const struct lane_format *format, const uint8_t *data, size_t bytes,
		  bool is_ordered)
{
	struct lane_decoder *decoder;
	struct lane_event *event;
	struct lane_error *err;
	uint64_t last_ns = 0;
	char path[64];
	int fd = fuzz_file(data, bytes, path);

	format->probe(path);
	err = decode_open(format, path, &lane_norm_names, &decoder);
	if (err) {
		lane_error_free(err);
		close(fd);
		return;
	}
	for (;;) {
		err = format->next(decoder, &event);
		if (err) {
			lane_error_free(err);
			continue;
		}
		if (!event)
			break;
		check(event, last_ns, is_ordered);
		last_ns = event->wire.ts_ns;
	}
	decode_close(decoder);
	close(fd);
}
