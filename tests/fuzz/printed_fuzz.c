// SPDX-License-Identifier: MIT
// libFuzzer: events as perf script, trace-cmd report and ftrace print them, to its end.
#include "decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	fuzz_decoder(&lane_format_printed, data, bytes, false);
	return 0;
}
