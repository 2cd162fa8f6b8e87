// SPDX-License-Identifier: MIT
// libFuzzer: perf.s perf.data, to its end.
#include "decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	fuzz_decoder(&lane_format_perf_data, data, bytes, false);
	return 0;
}
