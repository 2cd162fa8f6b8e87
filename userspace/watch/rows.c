// SPDX-License-Identifier: MIT
// The names of what a row is of.
#include "watch/rows.h"

const char *const lane_row_what_names[LANE_ROW_WHAT_COUNT] = {
#define W(id, name) [LANE_ROW_##id] = name,
	LANE_ROW_WHATS(W)
#undef W
};
