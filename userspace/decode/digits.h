/* SPDX-License-Identifier: MIT */
/* Decimal digits, eight at once. */
#ifndef LANE_DECODE_DIGITS_H
#define LANE_DECODE_DIGITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The number of eight digits; false: they are not all digits. Eight bytes are read. */
static inline bool decode_eight_digits(const char *text, uint32_t *value)
{
	uint64_t digits; /* the first one in the lowest byte */

	memcpy(&digits, text, sizeof(digits));
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		digits = __builtin_bswap64(digits);
	digits -= 0x3030303030303030;
	if ((digits | (digits + 0x7676767676767676)) & 0x8080808080808080)
		return false;
	digits = digits * 10 + (digits >> 8); /* pairs, in every other byte */
	digits = ((digits & 0x00ff00ff00ff00ff) * 100 + (digits >> 16 & 0x000000ff000000ff)) &
		 0x0000ffff0000ffff;
	*value = (uint32_t)(digits * 10000 + (digits >> 32));
	return true;
}

#endif
