// SPDX-License-Identifier: MIT
// Reads the pages of the kernel's ring buffer.
#include "decode/ring_page.h"

#include <string.h>

enum {
	/* the low 5 bits of an event's first word; up to 28 it is the length in words */
	TYPE_LONG = 0, /* the next word is the length, itself included */
	TYPE_PADDING = 29,
	TYPE_TIME_EXTEND = 30,
	TYPE_TIME_STAMP = 31,
	DELTA_BITS = 27,
	TIMESTAMP_BYTES = 8,
};

#define COMMIT_MASK   ((1u << 27) - 1)
#define MISSED_EVENTS (1u << 31)
#define MISSED_STORED (1u << 30)
/* A time stamp in the buffer has 59 bits, the page's has all. */
#define STAMP_BITS (DELTA_BITS + 32)

static uint32_t word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

bool decode_ring_page_init(struct lane_ring_page *page, const uint8_t *data, size_t bytes,
			   unsigned int long_bytes)
{
	size_t head = TIMESTAMP_BYTES + long_bytes;
	uint32_t commit;

	*page = (struct lane_ring_page){ 0 };
	if (bytes < head)
		return false;
	memcpy(&page->ts, data, sizeof(page->ts));
	commit = word(data + TIMESTAMP_BYTES);
	page->data = data + head;
	page->bytes = commit & COMMIT_MASK;
	page->missed = commit & MISSED_EVENTS;
	if (page->bytes > bytes - head)
		return false;
	if (page->missed && commit & MISSED_STORED) {
		if (bytes - head - page->bytes < long_bytes)
			return false;
		memcpy(&page->n_missed, page->data + page->bytes, long_bytes);
	}
	return true;
}

/* The length of what is no plain event: a word behind the first one says it. */
static bool long_length(const struct lane_ring_page *page, size_t *length)
{
	if (page->bytes - page->at < 8)
		return false;
	*length = word(page->data + page->at + 4);
	return true;
}

enum lane_ring_next decode_ring_page_next(struct lane_ring_page *page, const uint8_t **record,
					  size_t *bytes)
{
	while (page->bytes - page->at >= 4) {
		uint32_t head = word(page->data + page->at);
		unsigned int type = head & 31;
		uint64_t delta = head >> 5, stamp;
		size_t left = page->bytes - page->at, length, skip = 4;

		switch (type) {
		case TYPE_PADDING:
			if (!delta)
				return LANE_RING_END;
			if (!long_length(page, &length) || length < 4 || length + 4 > left)
				return LANE_RING_DAMAGED;
			page->ts += delta;
			page->at += 4 + length;
			continue;
		case TYPE_TIME_EXTEND:
		case TYPE_TIME_STAMP:
			if (left < 8)
				return LANE_RING_DAMAGED;
			stamp = ((uint64_t)word(page->data + page->at + 4) << DELTA_BITS) + delta;
			page->at += 8;
			if (type == TYPE_TIME_EXTEND) {
				page->ts += stamp;
				continue;
			}
			stamp |= page->ts >> STAMP_BITS << STAMP_BITS;
			if (stamp < page->ts && page->ts >> STAMP_BITS)
				stamp += 1ull << STAMP_BITS;
			page->ts = stamp;
			continue;
		case TYPE_LONG:
			/* The length has itself in it, and is rounded up to words. */
			if (!long_length(page, &length) || length < 4)
				return LANE_RING_DAMAGED;
			length = ((length - 4) + 3) & ~(size_t)3;
			skip = 8;
			break;
		default:
			length = (size_t)type * 4;
		}
		if (length > left - skip)
			return LANE_RING_DAMAGED;
		page->ts += delta;
		*record = page->data + page->at + skip;
		*bytes = length;
		page->at += skip + length;
		return LANE_RING_EVENT;
	}
	return page->at == page->bytes ? LANE_RING_END : LANE_RING_DAMAGED;
}
