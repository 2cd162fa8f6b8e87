// SPDX-License-Identifier: MIT
// Merges streams by the time of what each hands out next: a loss's end, or its event.
#include "decode/merge.h"

#include <stdlib.h>

bool lane_merge_init(struct lane_merge *merge, uint32_t n)
{
	merge->n = merge->pending = n;
	merge->heap.entries = calloc((size_t)n + 1, sizeof(*merge->heap.entries));
	return merge->heap.entries;
}

void lane_merge_deinit(struct lane_merge *merge)
{
	free(merge->heap.entries);
}

/* When the stream hands out something; false when it is over. */
static bool next_ns(const struct lane_merge_stream *stream, uint64_t *ns)
{
	*ns = lane_losses_next_ns(&stream->losses);
	if (stream->has_event && stream->event_ns < *ns)
		*ns = stream->event_ns;
	return stream->has_event || stream->losses.n;
}

struct lane_error *lane_merge_begin(struct lane_merge *merge)
{
	struct lane_error *err = NULL;
	uint64_t ns;

	while (merge->opened < merge->n && !err) {
		uint32_t index = merge->opened++;

		err = merge->find(merge->arg, index);
		if (next_ns(merge->stream(merge->arg, index), &ns))
			lane_heap_push(&merge->heap, (struct lane_heap_entry){ ns, index });
	}
	return err;
}

static struct lane_error *advance(struct lane_merge *merge)
{
	uint32_t index = merge->pending;
	struct lane_merge_stream *stream;
	struct lane_error *err = NULL;
	uint64_t ns;

	merge->pending = merge->n;
	if (index == merge->n)
		return NULL;
	stream = merge->stream(merge->arg, index);
	if (!stream->told_loss)
		err = merge->find(merge->arg, index);
	stream->told_loss = false;
	if (next_ns(stream, &ns))
		lane_heap_replace(&merge->heap, (struct lane_heap_entry){ ns, index });
	else
		lane_heap_pop(&merge->heap);
	return err;
}

struct lane_error *lane_merge_next(struct lane_merge *merge, uint32_t *index, bool *is_loss)
{
	struct lane_error *err = lane_merge_begin(merge);
	struct lane_merge_stream *stream;

	*index = merge->n;
	*is_loss = false;
	if (!err)
		err = advance(merge);
	if (err || !merge->heap.n)
		return err;
	*index = merge->pending = merge->heap.entries[0].stream;
	stream = merge->stream(merge->arg, *index);
	*is_loss = stream->told_loss = lane_losses_due(&stream->losses, merge->heap.entries[0].ns);
	return NULL;
}
