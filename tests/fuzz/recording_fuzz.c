// SPDX-License-Identifier: MIT
// libFuzzer: recording.json.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "norm/recorded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lane_recording recording = { .n_traces = 2 };
	struct lane_error *err;
	char *text = malloc(bytes + 1);

	recording.traces[0].path = strdup("r/bpf");
	recording.traces[1].path = strdup("r/lttng/kernel");
	if (!text || !recording.traces[0].path || !recording.traces[1].path)
		abort();
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	err = norm_recording_parse(text, bytes, "r/recording.json", &recording);
	if (err)
		lane_error_free(err);
	norm_recording_deinit(&recording);
	free(text);
	return 0;
}
