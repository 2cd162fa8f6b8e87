// SPDX-License-Identifier: MIT
// Texts of CTF 2 in UTF-16 and UTF-32.
#include "base/fit.h"
#include "decode/ctf_program.h"

size_t decode_wide_length(const char *from, size_t n, size_t unit)
{
	size_t at = 0;

	for (; n - at >= unit; at += unit) {
		bool any = false;

		for (size_t i = 0; i < unit; i++)
			any |= from[at + i];
		if (!any)
			break;
	}
	return at;
}

static uint32_t unit_at(const uint8_t *from, unsigned int unit, bool is_big)
{
	uint32_t value = 0;

	for (unsigned int i = 0; i < unit; i++)
		value |= (uint32_t)from[i] << 8 * (is_big ? unit - 1 - i : i);
	return value;
}

static bool is_half(uint32_t value, uint32_t first)
{
	return value >= first && value < first + 0x400;
}

/* A character as UTF-8; how many bytes it has. */
static size_t ctf_wide_put(uint32_t character, char to[4])
{
	size_t n = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
	static const uint8_t heads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n; --i; character >>= 6)
		to[i] = (char)(0x80 | (character & 0x3f));
	to[0] = (char)(heads[n] | character);
	return n;
}

size_t decode_wide_text(const char *from, size_t n, unsigned int unit, bool is_big, char *to)
{
	const uint8_t *at = (const uint8_t *)from, *end = at + n / unit * unit;
	size_t used = 0;

	while (at < end && used + 4 <= LANE_FIT_READS) {
		uint32_t character = unit_at(at, unit, is_big);

		at += unit;
		if (unit == 2 && is_half(character, 0xd800) && at < end &&
		    is_half(unit_at(at, unit, is_big), 0xdc00)) {
			character = 0x10000 + ((character - 0xd800) << 10) +
				    (unit_at(at, unit, is_big) - 0xdc00);
			at += unit;
		}
		if (is_half(character, 0xd800) || is_half(character, 0xdc00) ||
		    character > 0x10ffff)
			character = '?';
		used += ctf_wide_put(character, to + used);
	}
	return used;
}
