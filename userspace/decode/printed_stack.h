/* SPDX-License-Identifier: MIT */
/*
 * Stacks among printed events: perf script's call chains and ftrace's stack traces stand behind
 * their event; gpulane's have theirs ahead, each told once.
 */
#ifndef LANE_DECODE_PRINTED_STACK_H
#define LANE_DECODE_PRINTED_STACK_H

#include "base/table.h"
#include "decode/printed.h"

/* Frames of an event's two parts at most; those further out are left out. */
#define LANE_PRINTED_FRAMES 128

/* All zero: none was read. */
struct lane_printed_stacks {
	struct lane_table told;			   /* by their frames and process: their numbers */
	struct lane_p_gpulane_stack_frame *frames; /* of the event: kernel's, then the program's */
	uint32_t n_kernel, n, next; /* of frames; those before next need not be told any more */
	bool has_stack;		    /* and it is told next */
	struct lane_event event;
};

/* Why the stack of an event is told (enum lane_stack_why), 0: it is not. */
uint32_t decode_printed_stack_why(const struct lane_event *event);

/* The event looks at what a CPU runs from time to time: perf's cpu-clock, cycles and others. */
bool decode_printed_samples(const char *line, const struct lane_printed *printed);

/* The line looks like one of a call chain or a stack trace. */
bool decode_printed_looks_like_frame(const char *line);

/* Adds the frame of such a line. */
void decode_printed_frame(struct lane_printed_stacks *stacks, const char *line);

/* Adds a frame that was read elsewhere. */
void decode_printed_stack_add(struct lane_printed_stacks *stacks,
			      const struct lane_p_gpulane_stack_frame *frame, bool is_kernel);

/* All frames of the event have been added: a stack that was taken for this reason, at the time and
 * in the thread of `of`, is what comes next, if there are frames. False: no memory. */
bool decode_printed_stack_end(struct lane_printed_stacks *stacks, const struct lane_event *of,
			      uint32_t why);

/* The stack, then its frames where they have not been told; NULL: nothing is left. */
struct lane_event *decode_printed_stack_next(struct lane_printed_stacks *stacks);

void decode_printed_stacks_free(struct lane_printed_stacks *stacks);

#endif
