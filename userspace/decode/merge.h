/* SPDX-License-Identifier: MIT */
/* Streams of events, and the losses between their packets, as one in time order. */
#ifndef LANE_DECODE_MERGE_H
#define LANE_DECODE_MERGE_H

#include "base/heap.h"
#include "decode/lost_count.h"

/* A stream as the merge sees it; the reader's streams have one each. */
struct lane_merge_stream {
	struct lane_losses losses; /* each waits for its end */
	uint64_t event_ns;	   /* when its next event is */
	bool has_event;		   /* there is one */
	bool has_told_loss;	   /* a loss was handed out, the event is still to come */
};

struct lane_merge {
	struct lane_heap heap;
	struct lane_merge_stream **streams; /* by number, those that are opened */
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
bool decode_merge_init(struct lane_merge *merge, uint32_t n);

/* Finds the first event of each stream; stops at the first that cannot be read, and goes on behind
 * it when it is called again. */
struct lane_error *decode_merge_begin(struct lane_merge *merge) LANE_MUST_CHECK;

/* When the stream hands out something; false when it is over. */
static inline bool decode_merge_when(const struct lane_merge_stream *stream, uint64_t *ns)
{
	*ns = decode_losses_next_ns(&stream->losses);
	if (stream->has_event && stream->event_ns < *ns)
		*ns = stream->event_ns;
	return stream->has_event || stream->losses.n;
}

/*
 * What the stream that was handed out last has next is the next of all if it is before this time:
 * then it need not be asked for.
 */
static inline uint64_t decode_merge_stays_ns(const struct lane_merge *merge)
{
	return lane_heap_first_ns(&merge->heap);
}

/*
 * Goes on behind what was handed out last. *index is the stream that is to hand out the first of
 * its losses (*is_loss) or its event; n at the end. After an error it may be called again.
 * find is the merge's own: a reader that names it has it inlined.
 */
static inline struct lane_error *decode_merge_next_by(struct lane_merge *merge,
						      struct lane_error *(*find)(void *arg,
										 uint32_t index),
						      uint32_t *index, bool *is_loss)
{
	struct lane_error *err = merge->opened < merge->n ? decode_merge_begin(merge) : NULL;
	struct lane_merge_stream *stream;
	uint32_t last = merge->pending;
	uint64_t ns;

	*index = merge->n;
	*is_loss = false;
	if (!err && last != merge->n) {
		merge->pending = merge->n;
		stream = merge->streams[last];
		if (!stream->has_told_loss)
			err = find(merge->arg, last);
		stream->has_told_loss = false;
		if (decode_merge_when(stream, &ns))
			lane_heap_replace(&merge->heap, (struct lane_heap_entry){ ns, last });
		else
			lane_heap_pop(&merge->heap);
	}
	if (err || !merge->heap.n)
		return err;
	*index = merge->pending = merge->heap.entries[0].stream;
	stream = merge->streams[*index];
	*is_loss = stream->has_told_loss =
		decode_losses_due(&stream->losses, merge->heap.entries[0].ns);
	return NULL;
}

static inline struct lane_error *decode_merge_next(struct lane_merge *merge, uint32_t *index,
						   bool *is_loss)
{
	return decode_merge_next_by(merge, merge->find, index, is_loss);
}

void decode_merge_deinit(struct lane_merge *merge);

#endif
