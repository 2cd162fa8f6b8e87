// SPDX-License-Identifier: MIT
// libFuzzer: what a scraper may send, byte by byte: what has been refused stays refused, what has
// been understood stays so when more comes.
#include <stdint.h>
#include <stdlib.h>

#include "base/cgroup.h"
#include "watch/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	size_t most = bytes < LANE_HTTP_BYTES ? bytes : LANE_HTTP_BYTES;
	char *text = malloc(bytes + 1), name[64];
	enum lane_http asked = LANE_HTTP_MORE;

	if (!text)
		return 0;
	for (size_t i = 0; i < bytes; i++)
		text[i] = (char)data[i];
	text[bytes] = 0;
	for (size_t n = 0; n <= most; n += n < 256 ? 1 : 64) {
		/* Of its own: what is behind it must not be read. */
		char *part = malloc(n ? n : 1);
		enum lane_http now;

		for (size_t i = 0; part && i < n; i++)
			part[i] = text[i];
		now = part ? watch_http_read(part, n) : asked;
		if (asked != LANE_HTTP_MORE && now != asked)
			abort();
		asked = now;
		free(part);
	}
	if (bytes > LANE_HTTP_BYTES && watch_http_read(text, bytes) == LANE_HTTP_MORE)
		abort();
	lane_cgroup_name(text, "/none", name, sizeof(name));
	free(text);
	return 0;
}
