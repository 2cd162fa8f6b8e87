/* SPDX-License-Identifier: MIT */
/*
 * Stacks of others' traces: perf script's call chains and ftrace's stack traces, which stand behind
 * their event, and the chains in a perf.data's samples. gpulane's come ahead, each told once.
 */
#ifndef LANE_DECODE_CALL_CHAIN_H
#define LANE_DECODE_CALL_CHAIN_H

#include "base/table.h"
#include "decode/printed.h"

/* Frames of an event's two parts at most; those further out are left out. */
#define LANE_CALL_FRAMES 128

/* All zero: none was read. */
struct lane_call_chains {
	struct lane_table told;			   /* by their frames and process: their numbers */
	struct lane_p_gpulane_stack_frame *frames; /* of the event: kernel's, then the program's */
	uint32_t n_kernel, n, next; /* of frames; those before next need not be told any more */
	bool has_stack;		    /* and it is told next */
	struct lane_event event;
};

/* Why the stack of an event is told (enum lane_stack_why), 0: it is not. */
uint32_t decode_call_chain_why(const struct lane_event *event);

/* The event looks at what a CPU runs from time to time: perf's cpu-clock, cycles and others. */
bool decode_call_chain_samples(const char *line, const struct lane_printed *printed);

/* The line looks like one of a call chain or a stack trace. */
bool decode_call_chain_looks_like_frame(const char *line);

/* Adds the frame of such a line. */
void decode_call_chain_frame(struct lane_call_chains *stacks, const char *line);

/* Adds a frame that was read elsewhere. */
void decode_call_chain_add(struct lane_call_chains *stacks,
			   const struct lane_p_gpulane_stack_frame *frame, bool is_kernel);

/* All frames of the event have been added: a stack that was taken for this reason, at the time and
 * in the thread of `of`, is what comes next, if there are frames. False: no memory. */
bool decode_call_chain_end(struct lane_call_chains *stacks, const struct lane_event *of,
			   uint32_t why);

/* The stack, then its frames where they have not been told; NULL: nothing is left. */
struct lane_event *decode_call_chain_next(struct lane_call_chains *stacks);

void decode_call_chains_free(struct lane_call_chains *stacks);

#endif
