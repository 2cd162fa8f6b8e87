// SPDX-License-Identifier: MIT
// Blocks of records as base64 of deflated little-endian columns.
#include "show/html_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/cleanup.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "columns are written as they are");

enum {
	LEVEL = 4,	 /* of deflate: half of its time for nearly all of its gain */
	LINE = 3 * 8192, /* bytes made base64 at once */
	NO_TIME_32 = -1, /* (u32): none */
};

/* What stands before the columns of a block. */
struct block_head {
	uint32_t kind;
	uint32_t n;
	uint32_t wide; /* times are f64, not u32 */
	uint32_t n_times, n_points, n_numbers;
	double base_ns; /* of the points in time, from the origin */
};

bool show_html_block_init(struct lane_html_block *block, const struct lane_html_kind *kind,
			  uint32_t cap)
{
	block->kind = *kind;
	block->n = 0;
	block->cap = cap;
	block->times = malloc(cap * kind->n_times * sizeof(*block->times));
	block->numbers = malloc(cap * (kind->n_numbers + 1) * sizeof(*block->numbers));
	return block->times && block->numbers;
}

void show_html_block_deinit(struct lane_html_block *block)
{
	free(block->times);
	free(block->numbers);
	memset(block, 0, sizeof(*block));
}

static void put_base64(const uint8_t *from, size_t size, FILE *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[LINE / 3 * 4];
	size_t n = 0;

	for (size_t i = 0; i < size; i += 3) {
		uint32_t three = (uint32_t)from[i] << 16 |
				 (i + 1 < size ? (uint32_t)from[i + 1] << 8 : 0) |
				 (i + 2 < size ? from[i + 2] : 0);

		text[n++] = digits[three >> 18];
		text[n++] = digits[three >> 12 & 63];
		text[n++] = i + 1 < size ? digits[three >> 6 & 63] : '=';
		text[n++] = i + 2 < size ? digits[three & 63] : '=';
		if (n == sizeof(text)) {
			fwrite(text, 1, n, to);
			n = 0;
		}
	}
	fwrite(text, 1, n, to);
}

/* The earliest point in time, and whether what comes after it needs more than 32 bits. */
static bool measure(const struct lane_html_block *block, uint64_t *base_ns)
{
	const struct lane_html_kind *kind = &block->kind;
	size_t n = (size_t)block->n * kind->n_times;
	uint64_t base = LANE_HTML_NO_TIME;

	for (size_t i = 0; i < n; i++)
		if (i % kind->n_times < kind->n_points && block->times[i] < base)
			base = block->times[i];
	*base_ns = base == LANE_HTML_NO_TIME ? 0 : base;
	for (size_t i = 0; i < n; i++) {
		uint64_t ns = block->times[i];

		if (ns == LANE_HTML_NO_TIME)
			continue;
		if (i % kind->n_times < kind->n_points)
			ns -= *base_ns;
		if (ns >= (uint32_t)NO_TIME_32)
			return true;
	}
	return false;
}

/* One column of times; *to is moved on. */
static void put_times(const struct lane_html_block *block, uint32_t column, uint64_t base_ns,
		      bool wide, uint8_t **to)
{
	for (uint32_t i = 0; i < block->n; i++) {
		uint64_t ns = block->times[(size_t)i * block->kind.n_times + column];
		bool none = ns == LANE_HTML_NO_TIME;
		uint64_t from_ns = column < block->kind.n_points ? ns - base_ns : ns;
		double f64 = none ? -1 : (double)from_ns;
		uint32_t u32 = none ? (uint32_t)NO_TIME_32 : (uint32_t)from_ns;
		size_t bytes = wide ? sizeof(f64) : sizeof(u32);

		memcpy(*to, wide ? (const void *)&f64 : &u32, bytes);
		*to += bytes;
	}
}

static uint8_t *pack(const struct lane_html_block *block, uint64_t origin_ns, size_t *size)
{
	const struct lane_html_kind *kind = &block->kind;
	struct block_head head = { kind->id,	   block->n,	    0, kind->n_times,
				   kind->n_points, kind->n_numbers, 0 };
	uint64_t base_ns;
	uint8_t *bytes, *at;

	head.wide = measure(block, &base_ns);
	head.base_ns = (double)(int64_t)(base_ns - origin_ns);
	*size = sizeof(head) +
		(size_t)block->n * (kind->n_times * (head.wide ? 8u : 4u) + kind->n_numbers * 4u);
	bytes = at = malloc(*size);
	if (!bytes)
		return NULL;
	memcpy(at, &head, sizeof(head));
	at += sizeof(head);
	for (uint32_t column = 0; column < kind->n_times; column++)
		put_times(block, column, base_ns, head.wide, &at);
	for (uint32_t column = 0; column < kind->n_numbers; column++)
		for (uint32_t i = 0; i < block->n; i++, at += 4)
			memcpy(at, &block->numbers[(size_t)i * kind->n_numbers + column], 4);
	return bytes;
}

struct lane_error *show_html_flush(struct lane_html_block *block, uint64_t origin_ns, FILE *to)
{
	LANE_CLEANUP(lane_free) uint8_t *bytes = NULL;
	LANE_CLEANUP(lane_free) uint8_t *small = NULL;
	uLongf small_size;
	size_t size;

	if (!block->n)
		return NULL;
	bytes = pack(block, origin_ns, &size);
	if (bytes) {
		small_size = compressBound(size);
		small = malloc(small_size);
	}
	if (!small || compress2(small, &small_size, bytes, size, LEVEL) != Z_OK)
		return &lane_enomem;
	fputs("<script type=\"application/octet-stream\" class=\"data\">", to);
	put_base64(small, small_size, to);
	fputs("</script>\n", to);
	block->n = 0;
	return ferror(to) ? lane_error_errno(errno, "it could not be written") : NULL;
}

struct lane_error *show_html_add(struct lane_html_block *block, const uint64_t *times,
				 const uint32_t *numbers, uint64_t origin_ns, FILE *to)
{
	struct lane_error *err =
		block->n == block->cap ? show_html_flush(block, origin_ns, to) : NULL;

	if (err)
		return err;
	memcpy(&block->times[(size_t)block->n * block->kind.n_times], times,
	       block->kind.n_times * sizeof(*times));
	memcpy(&block->numbers[(size_t)block->n * block->kind.n_numbers], numbers,
	       block->kind.n_numbers * sizeof(*numbers));
	block->n++;
	return NULL;
}
