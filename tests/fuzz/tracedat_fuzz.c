// SPDX-License-Identifier: MIT
// libFuzzer: trace-cmd's trace.dat, to its end.
#include "decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	fuzz_decoder(&lane_format_trace_dat, data, bytes, true);
	return 0;
}
