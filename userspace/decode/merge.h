/* SPDX-License-Identifier: MIT */
/* Streams of events, and the losses between their packets, as one in time order. */
#ifndef LANE_DECODE_MERGE_H
#define LANE_DECODE_MERGE_H

#include "base/heap.h"
#include "decode/loss.h"

/* A stream as the merge sees it; the reader's streams have one each. */
struct lane_merge_stream {
	struct lane_losses losses; /* each waits for its end */
	uint64_t event_ns;	   /* when its next event is */
	bool has_event;		   /* there is one */
	bool told_loss;		   /* a loss was handed out, the event is still to come */
};

struct lane_merge {
	struct lane_heap heap;
	uint32_t n;
	uint32_t opened;  /* streams whose first event was looked for */
	uint32_t pending; /* the stream of what was handed out last; n: none */
	/* The reader's: the stream of that number, and what finds its next event or that there is
	 * none. */
	void *arg;
	struct lane_merge_stream *(*stream)(void *arg, uint32_t index);
	struct lane_error *(*find)(void *arg, uint32_t index);
};

/* Makes room for n streams; arg, stream and find are set. False: no memory. */
bool lane_merge_init(struct lane_merge *merge, uint32_t n);

/* Finds the first event of each stream; stops at the first that cannot be read, and goes on behind
 * it when it is called again. */
struct lane_error *lane_merge_begin(struct lane_merge *merge) LANE_MUST_CHECK;

/*
 * Goes on behind what was handed out last. *index is the stream that is to hand out the first of
 * its losses (*is_loss) or its event; n at the end. After an error it may be called again.
 */
struct lane_error *lane_merge_next(struct lane_merge *merge, uint32_t *index,
				   bool *is_loss) LANE_MUST_CHECK;

void lane_merge_deinit(struct lane_merge *merge);

#endif
