/* SPDX-License-Identifier: MIT */
/*
 * What trace-cmd and perf copy out of tracefs into their files, in one layout: the head of a page
 * of the ring buffer, and the formats of events.
 */
#ifndef LANE_DECODE_TRACING_DATA_H
#define LANE_DECODE_TRACING_DATA_H

#include "decode/bytes.h"
#include "decode/tracepoint.h"

struct lane_tracing_data {
	const char *path; /* of the file, for messages */
	const char *part; /* of the file, for messages: "" or "the formats: " */
	struct lane_bytes *bytes;
	struct lane_tracepoints *tracepoints;
	unsigned int long_bytes; /* of the kernel: 4 or 8 */
	uint32_t n_systems;	 /* whose formats there are */
};

/* The head of a page and the head of an event: sets long_bytes. */
struct lane_error *decode_tracing_pages(struct lane_tracing_data *data) LANE_MUST_CHECK;

/* The formats of ftrace's own events, which are passed over. */
struct lane_error *decode_tracing_own(struct lane_tracing_data *data) LANE_MUST_CHECK;

/* The formats of tracepoints, system by system. */
struct lane_error *decode_tracing_formats(struct lane_tracing_data *data) LANE_MUST_CHECK;

/* An error at the place that is read. */
struct lane_error *decode_tracing_error(const struct lane_tracing_data *data,
					const char *why) LANE_MUST_CHECK;

#endif
