// SPDX-License-Identifier: MIT
// The table of events as data, for set-up work that goes by name or by field.
#include "base/event.h"

#include <string.h>

#define F(s, ftype, fname, fhelp)                                                                  \
	{ .name = #fname,                                                                          \
	  .help = fhelp,                                                                           \
	  .type = LANE_TYPE_##ftype,                                                               \
	  .offset = offsetof(struct lane_p_##s, fname),                                            \
	  .size = sizeof(((struct lane_p_##s *)0)->fname) },
#define E(id, name, group, fields, help)                                                           \
	static const struct lane_field fields_##name[] = { fields(F, name) };
LANE_EVENTS(E)
#undef E
#undef F

#define E(id, ename, egroup, efields, ehelp)                                                       \
	[LANE_##id] = { .name = #ename,                                                            \
			.group = #egroup,                                                          \
			.help = ehelp,                                                             \
			.fields = fields_##ename,                                                  \
			.n_fields = sizeof(fields_##ename) / sizeof(fields_##ename[0]),            \
			.payload_bytes = LANE_BYTES_##id,                                          \
			.struct_bytes = sizeof(struct lane_p_##ename) },
const struct lane_kind_info lane_kinds[LANE_KIND_COUNT] = { LANE_EVENTS(E) };
#undef E

int lane_kind_by_name(const char *name)
{
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (!strcmp(lane_kinds[kind].name, name))
			return kind;
	return -1;
}

const char *lane_origin_name(unsigned int origin)
{
	static const char *const names[LANE_ORIGIN_COUNT] = {
		[LANE_ORIGIN_UNKNOWN] = "unknown",   [LANE_ORIGIN_TRACEPOINT] = "tracepoint",
		[LANE_ORIGIN_FUNCTION] = "function", [LANE_ORIGIN_STATE] = "state",
		[LANE_ORIGIN_SNAPSHOT] = "snapshot", [LANE_ORIGIN_LAYER] = "layer",
		[LANE_ORIGIN_ANALYSIS] = "analysis",
	};

	return names[origin < LANE_ORIGIN_COUNT ? origin : LANE_ORIGIN_UNKNOWN];
}
