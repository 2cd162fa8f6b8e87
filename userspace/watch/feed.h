/* SPDX-License-Identifier: MIT */
/*
 * What watching is fed with: the events of the running machine, or those of a recording as if they
 * happened now.
 */
#ifndef LANE_WATCH_FEED_H
#define LANE_WATCH_FEED_H

#include "session/running.h"
#include "session/source.h"
#include "watch/watch.h"

#define LANE_FEED_CPUS 8192

/* Of a recording: what a tracer would have said meanwhile. */
struct lane_feed_replay {
	struct session_source source;
	struct lane_host host;
	struct lane_capture_kind kinds[LANE_KIND_COUNT];
	uint64_t step_ns; /* when the time is told next */
	uint64_t lost[LANE_FEED_CPUS];
	bool is_there[LANE_FEED_CPUS];
};

struct lane_feed {
	const struct lane_trace_info *info; /* of the events */
	unsigned int groups;		    /* live: what is recorded */
	char notice[256];		    /* live: what will not be seen, and why; "" */
	char dumps[sizeof(((struct lane_limits *)0)->dumps)]; /* live: of drivers, told before */
	struct lane_watch *watch;			      /* once it has begun */
	struct session_running *running;		      /* NULL: a recording */
	struct lane_feed_replay *replay;
};

/*
 * Opens what needs privileges, then gives them up; nothing is recorded yet. *feed is the caller's,
 * to be given to watch_feed_close, also after an error.
 */
struct lane_error *
watch_feed_open_running(struct lane_feed *feed,
			const struct lane_capture_config *config) LANE_MUST_CHECK;

struct lane_error *watch_feed_open_recording(struct lane_feed *feed,
					     const char *path) LANE_MUST_CHECK;

/* Events come from here on, and go to watch. */
struct lane_error *watch_feed_start(struct lane_feed *feed,
				    struct lane_watch *watch) LANE_MUST_CHECK;

/* One round: takes what there is. *ended: there will be no more. */
struct lane_error *watch_feed_round(struct lane_feed *feed, bool *ended) LANE_MUST_CHECK;

/* What the tracer records of each kind. */
const struct lane_capture_kind *watch_feed_kinds(const struct lane_feed *feed);

const struct lane_host *watch_feed_host(const struct lane_feed *feed);

/* The drivers' dumps that are there now have been told of: those of later recordings are new. */
void watch_feed_told_dumps(struct lane_feed *feed);

void watch_feed_close(struct lane_feed *feed);

#endif
