/* SPDX-License-Identifier: MIT */
/* What a Perfetto trace says of slices: their names and their arguments. */
#ifndef LANE_SHOW_PERFETTO_SLICE_H
#define LANE_SHOW_PERFETTO_SLICE_H

#include "show/perfetto_packet.h"
#include "show/tracks.h"

/* The name of a slice; it may be in buffer. */
const char *show_slice_name(const struct lane_slice *slice, char *buffer, size_t size);

/* The name of an engine's device: those of drm_sched have names, i915's have numbers. */
const char *show_device_name(const struct lane_engine *engine, char *buffer, size_t size);

/* A run of a request on its engine, as it is kept until the next one is known. */
struct lane_slice_run {
	struct lane_span begin, end;
	uint64_t sure_until_ns;
	uint8_t flags; /* enum lane_slice_flag */
	bool is_last;  /* the request is over: its stages are said */
};

/* Adds a run's arguments to the event that has been begun. */
void show_run_say(struct lane_packets *to, const struct lane_trace_info *info,
		  const struct lane_request *rq, const struct lane_slice_run *run);

/* Adds the stages of a request, which are over. */
void show_stages_say(struct lane_packets *to, const struct lane_trace_info *info,
		     const struct lane_request *rq);

/* Adds a slice's arguments to the event that has been begun. */
void show_slice_say(struct lane_packets *to, const struct lane_slice *slice);

#endif
