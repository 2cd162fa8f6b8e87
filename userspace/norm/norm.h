/* SPDX-License-Identifier: MIT */
/*
 * Where the differences between kernels and tracers end. What comes out of here is one stream of
 * events, in time order, with today's names, widths and meanings, from one or several traces.
 */
#ifndef LANE_NORM_NORM_H
#define LANE_NORM_NORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/clock.h"
#include "decode/decode.h"

struct lane_input;

/*
 * Opens a recording directory, or a trace in any format that decode/ knows.
 * *input is the caller's; norm_input_close frees it.
 */
struct lane_error *norm_input_open(const char *path, struct lane_input **input) LANE_MUST_CHECK;

/* Which tracer's events count where several have recorded the same kinds. */
enum lane_prefer {
	LANE_PREFER_BPF, /* bpf's, LTTng's for the kinds that bpf has not recorded (the default) */
	LANE_PREFER_LTTNG, /* the other way round */
};

struct lane_input_options {
	enum lane_prefer prefer;
	/* A file of pairs that ties the clocks of the recordings after the first to the first's
	 * (docs/dump.md), instead of their distances to the epoch; NULL: none. */
	const char *pairs;
	/* Losses are known to what draws conclusions before they are told; all may be read twice
	 * for that. What places point to must outlive the input then. */
	bool has_foresight;
};

/*
 * Opens several recordings or traces, to be read as one: events of paths[i] have host i. Those with
 * the same clock_uuid share their clock; the others are put on the first one's by the distance of
 * both clocks to the epoch, which is as exact as the hosts' clocks are. options may be NULL.
 */
struct lane_error *norm_input_open_all(const char *const *paths, size_t n_paths,
				       const struct lane_input_options *options,
				       struct lane_input **input) LANE_MUST_CHECK;

/* The way from a machine's clock to the timeline's: one step after the other. */
struct lane_tie {
	struct lane_sync_map map;
	const struct lane_tie *next; /* NULL: that is the timeline's clock */
};

/* When it was ns by that clock, on the timeline's. */
uint64_t norm_tie_ns(const struct lane_tie *tie, uint64_t ns);

/* A recording or trace, or one machine's part of a folder with several machines' traces. */
struct lane_place {
	const char *path;
	const char *machine; /* which of the machines at path; NULL: there is one */
	char *const *traces; /* of the traces at path only these; n_traces 0: all */
	size_t n_traces;
	const struct lane_tie
		*tie; /* puts its times on another clock; NULL: they are as they are */
	const struct lane_trace_info *clock; /* with a tie: whose clock that is */
};

/*
 * The same of places: events of places[i] have host i. Clocks are where the places' ties put them,
 * nothing is done about others. options may be NULL; its pairs are.
 */
struct lane_error *norm_input_open_places(const struct lane_place *places, size_t n,
					  const struct lane_input_options *options,
					  struct lane_input **input) LANE_MUST_CHECK;

/*
 * What the recording says of itself (the first one, when several are open); owned by the input.
 * submission may be UNKNOWN first and become known with the events that tell it
 * (docs/normalise.md).
 */
const struct lane_trace_info *norm_input_info(const struct lane_input *input);

/*
 * The next event, NULL at the end; owned by the input, valid until the next call. Times never go
 * back. Events dropped by the tracer come as LANE_LOST at the end of the interval they fell in.
 */
struct lane_error *norm_input_next(struct lane_input *input,
				   const struct lane_event **event) LANE_MUST_CHECK;

/* The same where another reading tells of damage: it is passed over. */
struct lane_error *norm_input_next_whole(struct lane_input *input,
					 const struct lane_event **event) LANE_MUST_CHECK;

/* From now on what an export says that was found need not be handed out. */
void norm_input_leave_out_findings(struct lane_input *input);

/* How recording `host` was cut short, a sentence without a full stop; NULL: it was not. */
const char *norm_input_ending(const struct lane_input *input, size_t host);

/* What was met on the way and not delivered as it was. */
struct lane_input_counts {
	uint64_t delivered; /* events handed out, losses included */
	uint64_t silent;    /* of these: losses, and threads that were there before */
	uint64_t skipped;   /* events that are not in the table */
	char left_out[112]; /* names of the most frequent kinds of these, ""; not known */
	uint64_t doubled;   /* events of a kind that another tracer of the recording provides */
	uint64_t late;	    /* events behind later ones, of which losses are made */
	uint64_t ambiguous; /* fences that may be of several contexts: of their signals losses are
			       made */
	uint64_t untracked; /* old kernels: ends that could not be told from a global seqno */
};

/* The counts up to now. */
void norm_input_counts(const struct lane_input *input, struct lane_input_counts *counts);

/* Frees everything; NULL is allowed. */
void norm_input_close(struct lane_input *input);

static inline void norm_input_cleanup(struct lane_input **input)
{
	norm_input_close(*input);
}

/*
 * The version in a kernel's release, major * 1000 + minor ("6.1.0-18-amd64" is 6001); 0 when it
 * does not begin with one.
 */
unsigned int norm_release_version(const char *release);

#endif
