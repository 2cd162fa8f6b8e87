// SPDX-License-Identifier: MIT
/* Preprocessed: the driver's events as lines `LINE event field type` (tests/guest/suite-module.sh).
 */
#include "base/events.def"
#define FIELD(event, type, name, help)	  LINE event name type;
#define LANE_TABLE_i915(event, fields)	  fields(FIELD, event)
#define LANE_TABLE_context(event, fields) fields(FIELD, event)
#define LANE_TABLE_fence(event, fields)
#define LANE_TABLE_sched(event, fields)
#define LANE_TABLE_process(event, fields)
#define LANE_TABLE_opencl(event, fields)
#define LANE_TABLE_gpulane(event, fields)
#define E(id, event, group, fields, help) LANE_TABLE_##group(event, fields)
LANE_EVENTS(E)
