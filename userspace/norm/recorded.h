/* SPDX-License-Identifier: MIT */
/*
 * What lies in a recording directory: its traces, one per tracer, and the facts of recording.json.
 */
#ifndef LANE_NORM_RECORDED_H
#define LANE_NORM_RECORDED_H

#include "norm/norm.h"

enum {
	LANE_RECORDING_TRACES = 64 /* bpf's, LTTng's, and one of LTTng-UST for each user */
};

/* What recording.json counts of one CPU; LANE_NOT_SAID where it does not. */
struct lane_expected_cpu {
	int32_t cpu;
	uint64_t events, lost;
};

#define LANE_NOT_SAID UINT64_MAX

/* What recording.json counts of one trace. */
struct lane_expected {
	uint64_t events, lost; /* LANE_NOT_SAID where it does not */
	struct lane_expected_cpu *cpus;
	size_t n_cpus;
	/* Where events are not counted: bytes of streams that are counted and not there. */
	uint64_t missing_bytes;
};

/* One trace of a recording. */
struct lane_recording_trace {
	char *path;
	/* Further directories of the same CTF trace: chunks of a session, snapshots. */
	char **more;
	size_t n_more;
	bool has_uuid;
	uint8_t uuid[16];
	char tracer[33]; /* "bpf", "lttng", "" when nothing says */
	/* enum lane_presence by kind: what recording.json says of this tracer */
	uint8_t presence[LANE_KIND_COUNT];
	struct lane_expected expected;
};

struct lane_recording {
	struct lane_recording_trace traces[LANE_RECORDING_TRACES];
	size_t n_traces;
	bool has_facts; /* there is a recording.json */
	/* What recording.json says; presence is not used. */
	struct lane_trace_info info;
};

/*
 * Looks at path: a recording directory, or a trace itself (then the only one, without facts).
 * *recording is the caller's, also after an error; norm_recording_deinit frees what it holds.
 */
struct lane_error *norm_recording_init(const char *path,
				       struct lane_recording *recording) LANE_MUST_CHECK;

void norm_recording_deinit(struct lane_recording *recording);

/* Frees what one of its traces holds. */
void norm_recording_trace_deinit(struct lane_recording_trace *trace);

/* What a trace says of itself, beside recording.json. */
struct lane_error *norm_recording_trace_info(const struct lane_recording_trace *trace,
					     struct lane_trace_info *info) LANE_MUST_CHECK;

/* True when, by what they say of themselves, two traces may be of one boot of one machine. */
bool norm_recording_are_kin(const struct lane_trace_info *a, const struct lane_trace_info *b);

/*
 * Reads the text of a recording.json into the facts of a recording whose traces are known. path is
 * for messages.
 */
struct lane_error *norm_recording_parse(const char *text, size_t bytes, const char *path,
					struct lane_recording *recording) LANE_MUST_CHECK;

#endif
