// SPDX-License-Identifier: MIT
// The limits of a GPU's engines; the CPUs' idle states.
#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"

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
	lane_clean(row->dev, LANE_CLEAN_LINE);
	lane_clean(row->engine, LANE_CLEAN_LINE);
	return row;
}

int lane_limit_by_name(const char *name)
{
	for (int kind = 0; kind < LANE_LIMIT_KINDS; kind++)
		if (!strcmp(lane_limit_names[kind], name))
			return kind;
	return -1;
}

void lane_idle_state(const struct lane_limits *limits, int32_t cpu, uint32_t state, char name[16],
		     uint64_t *leave_ns)
{
	const char *at = limits->idle_states;
	size_t length;

	*leave_ns = UINT64_MAX;
	memset(name, 0, 16);
	snprintf(name, 16, "state %" PRIu32, state);
	for (; at && *at; at = strchr(at, ';'), at += at != NULL) {
		char *end;
		long first = strtol(at, &end, 10);
		long last = *end == '-' ? strtol(end + 1, &end, 10) : first;

		if (first <= cpu && cpu <= last && *end == ':') {
			at = end + 1;
			break;
		}
	}
	for (; at && *at && state; state--) {
		at += strcspn(at, ",;");
		at += *at == ',';
	}
	length = at ? strcspn(at, "=,;") : 0;
	if (!length || length >= 16 || at[length] != '=')
		return;
	memset(name, 0, 16);
	memcpy(name, at, length);
	*leave_ns = strtoul(at + length + 1, NULL, 10) * 1000;
}
