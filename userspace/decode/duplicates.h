/* SPDX-License-Identifier: MIT */
/* Events that two buffers of one trace have both recorded. */
#ifndef LANE_DECODE_DUPLICATES_H
#define LANE_DECODE_DUPLICATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/event.h"

struct lane_duplicates;

/* Two buffers record one event within that time. NULL: no memory. */
struct lane_duplicates *decode_duplicates_create(uint64_t within_ns);

/* Looks at the events of all buffers, in time order; true when another buffer had this one. */
bool decode_duplicates_has(struct lane_duplicates *doubles, const struct lane_event *event,
			   uint32_t buffer);

/* NULL is allowed. */
void decode_duplicates_destroy(struct lane_duplicates *doubles);

#endif
