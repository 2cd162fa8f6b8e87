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
	EACH = LANE_HTML_TIMES + LANE_HTML_NUMBERS,
	FEW = 1024, /* a block of so many records ends before its times need more than 32 bits */
};

/* What a block begins with; then comes how many bytes a value of each column takes. */
struct block_head {
	uint32_t kind;
	uint32_t n;
	uint32_t wide; /* times are f64, not u32 */
	uint32_t n_times, n_points, n_numbers;
	double base_ns; /* of the points in time, from the origin */
};

static const struct lane_html_reach no_reach = { UINT64_MAX, 0, 0 };

bool show_html_block_init(struct lane_html_block *block, const struct lane_html_kind *kind,
			  uint32_t cap)
{
	block->kind = *kind;
	block->n = 0;
	block->cap = cap;
	block->reach = no_reach;
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

static bool is_wide(const struct lane_html_reach *reach)
{
	return reach->last_ns >= (uint32_t)NO_TIME_32 ||
	       (reach->from_ns < reach->to_ns &&
		reach->to_ns - reach->from_ns >= (uint32_t)NO_TIME_32);
}

static void reach_out(struct lane_html_reach *reach, const struct lane_html_kind *kind,
		      const uint64_t *times)
{
	for (uint32_t i = 0; i < kind->n_times; i++) {
		uint64_t *most = i < kind->n_points ? &reach->to_ns : &reach->last_ns;

		if (times[i] == LANE_HTML_NO_TIME)
			continue;
		if (times[i] > *most)
			*most = times[i];
		if (i < kind->n_points && times[i] < reach->from_ns)
			reach->from_ns = times[i];
	}
}

/*
 * A column as differences of neighbours, of which small ones are small in each byte: all lowest
 * bytes first, then the next ones, as many as there are. Returns how many bytes each took; *to is
 * moved on.
 */
static uint8_t put_column(const uint32_t *column, size_t n, uint8_t **to)
{
	uint32_t before = 0, any = 0, bytes = 0;
	uint8_t *at = *to;

	for (size_t i = 0; i < n; i++) {
		uint32_t by = column[i] - before;

		before = column[i];
		by = by << 1 ^ (by >> 31 ? UINT32_MAX : 0);
		any |= by;
		for (size_t k = 0; k < 4; k++)
			at[k * n + i] = (uint8_t)(by >> 8 * k);
	}
	for (; any; any >>= 8)
		bytes++;
	*to += bytes * n;
	return (uint8_t)bytes;
}

/* One column of times, likewise; room is for a column. */
static uint8_t html_data_put_times(const struct lane_html_block *block, uint32_t column,
				   uint32_t *room, uint8_t **to)
{
	uint64_t base_ns = column < block->kind.n_points ? block->reach.from_ns : 0;
	bool wide = is_wide(&block->reach);

	for (uint32_t i = 0; i < block->n; i++) {
		uint64_t ns = block->times[(size_t)i * block->kind.n_times + column];
		bool none = ns == LANE_HTML_NO_TIME;
		double f64 = none ? -1 : (double)(ns - base_ns);

		room[i] = none ? (uint32_t)NO_TIME_32 : (uint32_t)(ns - base_ns);
		if (wide)
			memcpy(*to + i * sizeof(f64), &f64, sizeof(f64));
	}
	if (!wide)
		return put_column(room, block->n, to);
	*to += block->n * sizeof(double);
	return sizeof(double);
}

static uint8_t *html_data_pack(const struct lane_html_block *block, uint64_t origin_ns,
			       size_t *size)
{
	const struct lane_html_kind *kind = &block->kind;
	struct block_head head = {
		kind->id,	 block->n, is_wide(&block->reach), kind->n_times, kind->n_points,
		kind->n_numbers, 0
	};
	LANE_CLEANUP(lane_free) uint32_t *room = malloc(block->n * sizeof(*room));
	uint8_t *bytes, *at, *each;

	if (block->reach.from_ns <= block->reach.to_ns)
		head.base_ns = (double)(int64_t)(block->reach.from_ns - origin_ns);
	bytes = at = calloc(1, sizeof(head) + EACH +
				       (size_t)block->n * 8u * (kind->n_times + kind->n_numbers));
	if (!bytes || !room) {
		free(bytes);
		return NULL;
	}
	memcpy(at, &head, sizeof(head));
	each = at + sizeof(head);
	at = each + EACH;
	for (uint32_t column = 0; column < kind->n_times; column++)
		*each++ = html_data_put_times(block, column, room, &at);
	for (uint32_t column = 0; column < kind->n_numbers; column++) {
		for (uint32_t i = 0; i < block->n; i++)
			room[i] = block->numbers[(size_t)i * kind->n_numbers + column];
		*each++ = put_column(room, block->n, &at);
	}
	*size = (size_t)(at - bytes);
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
	bytes = html_data_pack(block, origin_ns, &size);
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
	block->reach = no_reach;
	return ferror(to) ? lane_error_errno(errno, "it could not be written") : NULL;
}

struct lane_error *show_html_add(struct lane_html_block *block, const uint64_t *times,
				 const uint32_t *numbers, uint64_t origin_ns, FILE *to)
{
	struct lane_html_reach reach = block->reach;
	struct lane_error *err = NULL;

	reach_out(&reach, &block->kind, times);
	if (block->n == block->cap ||
	    (block->n >= FEW && is_wide(&reach) && !is_wide(&block->reach)))
		err = show_html_flush(block, origin_ns, to);
	if (err)
		return err;
	reach_out(&block->reach, &block->kind, times);
	memcpy(&block->times[(size_t)block->n * block->kind.n_times], times,
	       block->kind.n_times * sizeof(*times));
	memcpy(&block->numbers[(size_t)block->n * block->kind.n_numbers], numbers,
	       block->kind.n_numbers * sizeof(*numbers));
	block->n++;
	return NULL;
}
