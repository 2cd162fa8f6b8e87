/* SPDX-License-Identifier: MIT */
/* Frames of programs, and what those took longer for that took longer than usual. Ranges of
 * programs. */
#ifndef LANE_LATENCY_MARKS_H
#define LANE_LATENCY_MARKS_H

#include "base/table.h"
#include "latency/frames.h"

#define LANE_MARK_SERIES 64
#define LANE_MARK_FRAMES 65536 /* kept of all series together; and requests */
#define LANE_MARK_RIVALS 4
#define LANE_MARK_LATE	 256 /* kinds of late frames */
#define LANE_MARK_LEAST	 8   /* of fewer frames nothing is usual */

/* What a frame's thread does in it. */
enum lane_mark_part {
	LANE_MARK_RAN,
	LANE_MARK_WAITED, /* for a CPU */
	LANE_MARK_GPU,	  /* it slept until a request was complete */
	LANE_MARK_SLEPT,  /* or for something else */
	LANE_MARK_PARTS,  /* none of these has most of what it took longer */
};

extern const char *const lane_mark_part_names[LANE_MARK_PARTS + 1];

struct lane_mark_frame {
	uint64_t begin_ns, end_ns;
	uint64_t parts[LANE_MARK_PARTS]; /* what is left of its time is not known */
	struct lane_cpu_culprit by;	 /* had most of what it waited for a CPU; tid -1: nobody */
	uint32_t request;		 /* that it slept for longest, from 1 on; 0: for none */
	uint64_t request_ns;
};

/* The frames of one thread with marks of one name. */
struct lane_mark_series {
	int32_t tid, pid;
	char comm[16], name[LANE_MARK_BYTES];
	const struct lane_client *client;
	struct lane_mark_frame *frames;
	uint32_t n, room;
	uint64_t lost; /* further frames, of which it is not known when they ended */
	/* Of ranges: so long engines ran its process's requests in them, at least. */
	uint64_t gpu_ns;
	/* After finish. */
	uint64_t sum_ns, parts_ns[LANE_MARK_PARTS];
	uint64_t median_ns, usual_ns; /* usual: the median; 0: there are too few */
	uint64_t late, max_ns;
};

/* A frame that is open, and a range; of ranges there may be several of a series. */
struct lane_mark_open {
	struct lane_mark_series *series;
	struct lane_mark_frame frame;
	struct lane_cpu_culprit rivals[LANE_MARK_RIVALS];
	uint64_t gpu_ns;
};

/* Late frames of one series and one cause. */
struct lane_late_frames {
	uint32_t series;
	enum lane_mark_part part; /* most of what they took longer */
	struct lane_cpu_culprit by;
	/* Of LANE_MARK_GPU, if they slept for one request for most of that: as of a missed refresh.
	 */
	const struct lane_client *client, *behind;
	int stage; /* -1: not known */
	uint64_t n;
	uint64_t more_ns;		    /* so much longer than usual they took */
	uint64_t part_ns;		    /* and so much longer that part */
	uint64_t max_ns, at_ns, end_ns;	    /* the longest one, its begin and its end */
	const struct lane_context *context; /* a request that shows it; NULL: none */
	uint32_t seqno;
};

struct lane_marks {
	struct lane_mark_series series[LANE_MARK_SERIES];
	uint32_t n_series;
	struct lane_mark_open *open;
	uint32_t n_open, room_open;
	uint64_t n_frames, left_out; /* left_out: frames beyond those, and of further series */
	/* Requests that the threads have slept for. */
	struct lane_frame_request *requests;
	uint32_t n_requests, room_requests;
	struct lane_table by_request;
	struct lane_late_frames late[LANE_MARK_LATE]; /* after finish: the most first */
	uint32_t n_late;
	bool no_memory;
};

/* Hooks; marks is zeroed at first. frames NULL: they are ranges, and nobody asks for which requests
 * they waited. */
void latency_marks_mark(struct lane_marks *marks, const struct lane_mark *mark);
void latency_marks_run(struct lane_marks *marks, const struct lane_run *run);
void latency_marks_thread(struct lane_marks *marks, const struct lane_frames *frames,
			  const struct lane_thread_interval *interval);
void latency_marks_starved(struct lane_marks *marks, const struct lane_starvation *starvation);
/* It is over, and the last one of frames. */
void latency_marks_request(struct lane_marks *marks, const struct lane_frames *frames);

void latency_marks_finish(struct lane_marks *marks);
void latency_marks_deinit(struct lane_marks *marks);

#endif
