// SPDX-License-Identifier: MIT
// The limits of a GPU's engines.
#include "base/limits.h"

#include <stdio.h>
#include <string.h>

const char *const lane_limit_names[LANE_LIMIT_KINDS] = {
#define L(id, name) [LANE_LIMIT_##id] = name,
	LANE_LIMITS(L)
#undef L
};

struct lane_engine_limits *lane_limits_row(struct lane_limits *limits, uint32_t card,
					   const char *dev, const char *engine)
{
	struct lane_engine_limits *row;

	for (uint32_t i = 0; i < limits->n; i++)
		if (limits->of[i].card == card && !strcmp(limits->of[i].engine, engine))
			return &limits->of[i];
	if (limits->n == LANE_LIMITS_MOST || strlen(dev) >= sizeof(row->dev) ||
	    strlen(engine) >= sizeof(row->engine))
		return NULL;
	row = &limits->of[limits->n++];
	*row = (struct lane_engine_limits){ .card = card };
	strcpy(row->dev, dev);
	strcpy(row->engine, engine);
	return row;
}

int lane_limit_by_name(const char *name)
{
	for (int kind = 0; kind < LANE_LIMIT_KINDS; kind++)
		if (!strcmp(lane_limit_names[kind], name))
			return kind;
	return -1;
}
