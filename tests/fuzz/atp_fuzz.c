// SPDX-License-Identifier: MIT
// libFuzzer: CodeXL's .atp.
#include "decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	fuzz_decoder(&lane_format_atp, data, bytes, true);
	return 0;
}
