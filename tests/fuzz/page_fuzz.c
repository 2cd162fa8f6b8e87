// SPDX-License-Identifier: MIT
// libFuzzer: a hostile trace as a page. Its facts have to be JSON in an element that nothing in
// them ends, its blocks of data have to be what their heads say.
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "hostile.h"
#include "show/html_assets.h"
#include "show/html_data.h"
#include "output.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

#define DATA_BEGIN  "<script type=\"application/octet-stream\" class=\"data\">"
#define FACTS_BEGIN "<script type=\"application/json\" id=\"facts\">"
#define CODE_BEGIN  "<script>\n\"use strict\";\n"
#define SCRIPT_END  "</script>\n"

enum {
	HEAD_WORDS = 6, /* and a double */
	COLUMNS = LANE_HTML_TIMES + LANE_HTML_NUMBERS,
	BLOCK_BYTES = 16 << 20,
};

static int digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static size_t from_base64(const char *text, size_t n, uint8_t *to)
{
	size_t bytes = 0;

	if (n % 4)
		fuzz_fail("%zu digits of base64", n);
	for (size_t i = 0; i < n; i += 4) {
		int part[4];
		uint32_t three;

		for (int k = 0; k < 4; k++) {
			bool none = i + 4 == n && k > 1 && text[i + k] == '=';

			part[k] = none ? 0 : digit(text[i + k]);
			if (part[k] < 0)
				fuzz_fail("%c is no digit of base64", text[i + k]);
		}
		three = (uint32_t)(part[0] << 18 | part[1] << 12 | part[2] << 6 | part[3]);
		to[bytes++] = (uint8_t)(three >> 16);
		if (text[i + 2] != '=')
			to[bytes++] = (uint8_t)(three >> 8);
		if (text[i + 3] != '=')
			to[bytes++] = (uint8_t)three;
	}
	return bytes;
}

static void check_block(const char *text, size_t n)
{
	static uint8_t block[BLOCK_BYTES];
	uint8_t *packed = malloc(n + 3);
	uLongf size = sizeof(block);
	uint32_t head[HEAD_WORDS];
	const uint8_t *each = block + sizeof(head) + sizeof(double);
	uint64_t wants = sizeof(head) + sizeof(double) + COLUMNS;

	if (!packed)
		abort();
	if (uncompress(block, &size, packed, from_base64(text, n, packed)) != Z_OK)
		fuzz_fail("a block that is not deflated");
	free(packed);
	if (size < wants)
		fuzz_fail("a block without a head");
	memcpy(head, block, sizeof(head));
	if (!head[1] || head[3] > LANE_HTML_TIMES || head[5] > LANE_HTML_NUMBERS ||
	    head[4] > head[3])
		fuzz_fail("a block's head is not one");
	for (uint32_t i = 0; i < head[3] + head[5]; i++) {
		if (each[i] > (i < head[3] && head[2] ? 8 : 4))
			fuzz_fail("a value of %u bytes", each[i]);
		wants += (uint64_t)head[1] * each[i];
	}
	if (size != wants)
		fuzz_fail("a block of %lu bytes, not %llu", (unsigned long)size,
			  (unsigned long long)wants);
}

static bool begins(const char *at, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - at) >= n && !memcmp(at, with, n);
}

/* Everything between the page's own text and its own code. */
static void check_page(const char *page, size_t bytes)
{
	const char *end = page + bytes;
	const char *at = memmem(page, bytes, lane_html_body, strlen(lane_html_body));
	unsigned int facts = 0;

	if (!at)
		fuzz_fail("a page without a body");
	at += strlen(lane_html_body);
	while (!begins(at, end, CODE_BEGIN)) {
		const char *close = memmem(at, (size_t)(end - at), "</", 2);

		if (!close || !begins(close, end, SCRIPT_END))
			fuzz_fail("something ends the element early: %.60s", close ? close : "");
		if (begins(at, close, DATA_BEGIN)) {
			at += strlen(DATA_BEGIN);
			check_block(at, (size_t)(close - at));
		} else if (begins(at, close, FACTS_BEGIN)) {
			at += strlen(FACTS_BEGIN);
			if (memchr(at, '<', (size_t)(close - at)))
				fuzz_fail("a < in the facts");
			json_object_put(fuzz_check_json(at, (size_t)(close - at)));
			facts++;
		} else {
			fuzz_fail("an element of no kind: %.60s", at);
		}
		at = close + strlen(SCRIPT_END);
	}
	if (facts != 1)
		fuzz_fail("facts %u times", facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct fuzz_export of = { .exporter = &lane_export_html, .to = { .title = "fuzz" } };

	if (fuzz_export(data, bytes, &of))
		check_page(of.text, of.bytes);
	fuzz_export_deinit(&of);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return fuzz_hostile_mutate(data, size, max, seed);
}
