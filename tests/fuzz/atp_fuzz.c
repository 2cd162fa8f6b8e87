// SPDX-License-Identifier: MIT
// libFuzzer: CodeXL's .atp, to its end; what comes out keeps the order of time.
#include <stdint.h>
#include <stdlib.h>

#include "decode/atp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lane_decoder *decoder;
	struct lane_event *event;
	struct lane_error *err;
	uint64_t last_ns = 0;

	err = decode_atp_open_text((const char *)data, bytes, "fuzz", &decoder);
	if (err) {
		lane_error_free(err);
		return 0;
	}
	for (;;) {
		err = decoder->format->next(decoder, &event);
		if (err || (event && event->wire.ts_ns < last_ns))
			abort();
		if (!event)
			break;
		last_ns = event->wire.ts_ns;
	}
	decoder->format->close(decoder);
	return 0;
}
