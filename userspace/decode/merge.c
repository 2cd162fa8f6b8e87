// SPDX-License-Identifier: MIT
// Merges streams by the time of what each hands out next: a loss's end, or its event.
#include "decode/merge.h"

#include <stdlib.h>

bool decode_merge_init(struct lane_merge *merge, uint32_t n)
{
	merge->n = merge->pending = n;
	merge->heap.entries = calloc((size_t)n + 1, sizeof(*merge->heap.entries));
	merge->streams = calloc((size_t)n + 1, sizeof(struct lane_merge_stream *));
	return merge->heap.entries && merge->streams;
}

void decode_merge_deinit(struct lane_merge *merge)
{
	free(merge->heap.entries);
	free(merge->streams);
}

struct lane_error *decode_merge_begin(struct lane_merge *merge)
{
	struct lane_error *err = NULL;
	uint64_t ns;

	while (merge->opened < merge->n && !err) {
		uint32_t index = merge->opened++;

		merge->streams[index] = merge->stream(merge->arg, index);
		err = merge->find(merge->arg, index);
		if (decode_merge_when(merge->streams[index], &ns))
			lane_heap_push(&merge->heap, (struct lane_heap_entry){ ns, index });
	}
	return err;
}
