// SPDX-License-Identifier: MIT
// libFuzzer: the text of CTF metadata, to the programs that read a trace's events.
#include <stdlib.h>
#include <string.h>

#include "decode/ctf_schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char why[128] = "";
	struct lane_schema *schema =
		decode_schema_make((const char *)data, bytes, NULL, why, sizeof(why));

	/* What is not read says why. */
	if (!schema && !*why)
		abort();
	decode_schema_free(schema);
	return 0;
}
