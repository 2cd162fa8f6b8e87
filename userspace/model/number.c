// SPDX-License-Identifier: MIT
// Decimal numbers without rounding, from text that may hold anything.
#include "model/number.h"

int model_whole_parse(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	uint64_t sum = 0;

	if (!*text)
		return -1;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -1;
		if (sum > (max - (uint64_t)(*text - '0')) / 10)
			return -1;
		sum = sum * 10 + (uint64_t)(*text - '0');
	}
	if (sum < min || sum > max)
		return -1;
	*value = sum;
	return 0;
}

int model_micro_parse(const char *text, int64_t *value)
{
	int64_t sum = 0;
	int digits = 0;
	int decimals = -1; /* digits behind the point, -1 before it */

	for (; *text; text++) {
		if (*text == '.' && decimals < 0) {
			decimals = 0;
			continue;
		}
		if (*text < '0' || *text > '9' || decimals == 6)
			return -1;
		sum = sum * 10 + (*text - '0');
		digits++;
		if (decimals >= 0)
			decimals++;
		else if (sum > LANE_MICRO_LIMIT)
			return -1;
	}
	if (!digits)
		return -1;
	for (int i = decimals < 0 ? 0 : decimals; i < 6; i++)
		sum *= 10;
	if (sum > LANE_MICRO_LIMIT * LANE_MICRO)
		return -1;
	*value = sum;
	return 0;
}
