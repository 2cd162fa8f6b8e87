/* SPDX-License-Identifier: MIT */
/* What a Perfetto trace says of slices: their names and their arguments. */
#ifndef LANE_SHOW_PERFETTO_SLICE_H
#define LANE_SHOW_PERFETTO_SLICE_H

#include "show/perfetto_packet.h"
#include "show/tracks.h"

/* The name of a slice; it may be in buffer. */
const char *show_slice_name(const struct lane_slice *slice, char *buffer, size_t size);

/* Adds a slice's arguments to the event that has been begun. */
void show_slice_say(struct lane_packets *to, const struct lane_trace_info *info,
		    const struct lane_slice *slice);

#endif
