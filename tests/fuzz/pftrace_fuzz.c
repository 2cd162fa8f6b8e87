// SPDX-License-Identifier: MIT
// libFuzzer: Perfetto's traces, to their end.
#include "decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	fuzz_decoder(&lane_format_perfetto, data, bytes, true);
	return 0;
}
