// SPDX-License-Identifier: MIT
// The table of aliases as data.
#include "norm/names.h"

#define LANE_ANY LANE_KIND_COUNT

static const struct lane_alias events[] = {
#define EVENT(old, today) { .kind = LANE_ANY, .alias = #old, .name = #today },
#define FIELD(id, old, today)
#include "norm/aliases.def"
#undef EVENT
#undef FIELD
};

static const struct lane_alias fields[] = {
#define EVENT(old, today)
#define FIELD(id, old, today) { .kind = LANE_##id, .alias = #old, .name = #today },
#include "norm/aliases.def"
#undef EVENT
#undef FIELD
};

const struct lane_names lane_norm_names = {
	.events = events,
	.n_events = sizeof(events) / sizeof(events[0]),
	.fields = fields,
	.n_fields = sizeof(fields) / sizeof(fields[0]),
};
