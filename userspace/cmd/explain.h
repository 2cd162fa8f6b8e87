/* SPDX-License-Identifier: MIT */
/* Reading a recording for the evidence behind requests' times. */
#ifndef LANE_CMD_EXPLAIN_H
#define LANE_CMD_EXPLAIN_H

#include "cmd/read.h"

/*
 * Reads a recording twice, for the times of the requests that were added to *explain and for what
 * shows them. reading is as for lane_read, without listeners; it is left as after the first
 * reading. A request that the recording does not have is not in explain afterwards.
 */
struct lane_error *lane_explain_read(struct lane_explain *explain,
				     struct lane_reading *reading) LANE_MUST_CHECK;

#endif
