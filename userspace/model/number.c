// SPDX-License-Identifier: MIT
// Whole numbers, from text that may hold anything.
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
