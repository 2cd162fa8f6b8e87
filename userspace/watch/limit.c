// SPDX-License-Identifier: MIT
// What is too long.
#include "watch/limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool begins_number(const char *text)
{
	return *text >= '0' && *text <= '9';
}

bool watch_time_parse(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 },  { "us", 1e3 },   { "ms", 1e6 },
		      { "s", 1e9 }, { "min", 60e9 }, { "h", 3600e9 } };
	char *end;
	double value;

	if (!begins_number(text))
		return false;
	value = strtod(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name) != 0)
			continue;
		value *= units[i].ns;
		if (!isfinite(value) || value < 1 || value > 1e15)
			return false;
		*ns = (uint64_t)value;
		return true;
	}
	return false;
}

bool watch_limit_parse(const char *text, struct lane_limit *limit)
{
	double percent, factor;
	char *end;

	*limit = (struct lane_limit){ .is_set = true };
	if (*text != 'p')
		return watch_time_parse(text, &limit->ns);
	if (!begins_number(text + 1))
		return false;
	percent = strtod(text + 1, &end);
	if (*end != 'x' || !begins_number(end + 1) || !(percent > 0) || !(percent < 100))
		return false;
	factor = strtod(end + 1, &end);
	if (*end || !(factor >= 1) || !(factor <= 1e6))
		return false;
	limit->ppm = (unsigned int)(percent * 1e4 + 0.5);
	limit->factor = factor;
	return limit->ppm > 0 && limit->ppm < 1000000;
}

bool watch_limit_exceeded(const struct lane_limit *limit, struct lane_usual *usual,
			  enum lane_usual_track track, uint64_t ns, uint64_t *limit_ns)
{
	uint64_t usually;
	double product;

	if (!limit->is_set)
		return false;
	*limit_ns = limit->ns;
	if (!limit->ns) {
		if (!watch_usual_percentile(usual, track, limit->ppm, &usually))
			return false;
		product = (double)usually * limit->factor;
		*limit_ns = product < 1e18 ? (uint64_t)product : UINT64_MAX;
	}
	return ns > *limit_ns;
}
