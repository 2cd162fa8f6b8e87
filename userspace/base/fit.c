// SPDX-License-Identifier: MIT
// Text that is too long for its field is cut so that it is still told from others.
#include "base/fit.h"

#include <string.h>

/* The last LANE_FIT_TAIL of a field's bytes. */
static void put_tail(char *tail, __u32 number)
{
	static const char digits[] = "0123456789abcdef";

	*tail = '~';
	for (int i = 1; i < LANE_FIT_TAIL; i++)
		tail[i] = digits[number >> (32 - 4 * i) & 15];
}

void lane_fit(char *to, size_t size, const char *from, size_t n)
{
	__u32 number = LANE_FIT_BEGIN;

	if (n <= size) {
		memcpy(to, from, n);
		return;
	}
	memcpy(to, from, size);
	for (size_t i = 0; i < n; i++)
		number = lane_fit_add(number, from[i]);
	put_tail(to + size - LANE_FIT_TAIL, number);
}
