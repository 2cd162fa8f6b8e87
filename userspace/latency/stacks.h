/* SPDX-License-Identifier: MIT */
/*
 * Where threads were: their stacks by name. Files' symbols are read when a stack is first asked
 * for, from a file that has the build id that was recorded. A frame is told only if it is sure: a
 * frame pointer leads to it, and the code says so (docs/stacks.md).
 */
#ifndef LANE_LATENCY_STACKS_H
#define LANE_LATENCY_STACKS_H

#include "base/table.h"
#include "timeline/timeline.h"

struct lane_stack_file;

/* One frame as recorded. */
struct lane_stack_frame {
	struct lane_stack_file *of; /* NULL: it is not known what it belongs to */
	uint64_t offset;
	uint8_t what;	 /* enum lane_frame_what */
	bool is_unwound; /* the next frame is its caller, by a table of the file's */
};

/* All zero: no stack is known. */
struct lane_stacks {
	struct lane_table parts; /* by process and number */
	struct lane_table files; /* by name and build id */
	uint64_t n_frames;
};

/* A frame in words. */
struct lane_where {
	const char *function; /* NULL: it has no symbol */
	const char *file; /* the last part of its path; "": none is known, or it is the kernel */
	/* It called the one before it, or called something that did and that has no frame pointer.
	 */
	bool is_around;
};

#define LANE_WHERE_MOST 64

/* The frames of a part of a stack that are sure, the innermost first. */
struct lane_wheres {
	struct lane_where of[LANE_WHERE_MOST];
	uint32_t n;
	bool is_cut;  /* there are more, and nothing shows which */
	bool is_bare; /* as the code of the last one keeps no frame pointer */
};

/* Takes a frame: a lane_p_gpulane_stack_frame. False: no memory. */
bool latency_stacks_frame(struct lane_stacks *stacks, const struct lane_event *event);

/* The frames of a process's stack, by the number of its part. None: it is not known. */
void latency_stacks_find(struct lane_stacks *stacks, int32_t pid, uint32_t number,
			 struct lane_wheres *wheres);

void latency_stacks_deinit(struct lane_stacks *stacks);

/* What a thread that submits did with a stack: it slept, from when it went to sleep until it was
 * woken; or it was found running. */
struct lane_stack_sum {
	int32_t tid, pid;
	char comm[16];
	struct lane_stack_id id;
	uint64_t ns, times; /* of sleeps */
	uint64_t samples;
};

/* An engine was idle for this cause while the thread was there. */
struct lane_idle_stack_sum {
	uint32_t engine;
	uint8_t cause; /* enum lane_idle_cause */
	int32_t tid, pid;
	struct lane_stack_id id;
	struct lane_lock_owner owner;
	uint64_t ns, times;
};

#define LANE_PLACE_FRAMES 3

/* Where a thread mostly was: the innermost function, and whom that was called by, for as much as
 * at least half of the time. */
struct lane_stack_place {
	struct lane_where of[LANE_PLACE_FRAMES];
	uint32_t n;   /* 0: it was nowhere for so long, or that is not known */
	bool is_bare; /* who called the last one is not sure: its code keeps no frame pointer */
	uint64_t ns, times; /* so long it was in the innermost one; of computing: so often */
	uint64_t of_times;  /* of computing: so often it was looked at */
	/* For at least half of the time it slept for mutexes that this thread held as it began to;
	 * tid 0: it is not known that one did. */
	struct lane_lock_owner owner;
	uint64_t owner_ns;
};

struct lane_latency;
struct lane_idle_sum;

/* Where its thread mostly was in an engine's idle time. */
void latency_stacks_of_idle(const struct lane_latency *latency, const struct lane_idle_sum *idle,
			    struct lane_stack_place *place);

#endif
