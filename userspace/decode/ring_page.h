/* SPDX-License-Identifier: MIT */
/*
 * The pages of the kernel's ring buffer, as trace-cmd copies them into a trace.dat: kernel/trace/
 * ring_buffer.c (struct buffer_data_page, enum ring_buffer_type).
 */
#ifndef LANE_DECODE_RING_PAGE_H
#define LANE_DECODE_RING_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One page, and how far it has been read. */
struct lane_ring_page {
	const uint8_t *data; /* of the events, behind the head */
	size_t bytes;	     /* of events, as the head says */
	size_t at;	     /* of the next one */
	uint64_t ts;	     /* time of the event before, in ticks of the buffer's clock */
	bool missed;	     /* events were lost before this page */
	uint64_t n_missed;   /* how many; 0: not known */
};

/*
 * Begins to read a page of that size; long_bytes is the kernel's, 4 or 8. False: its head says more
 * than a page holds.
 */
bool decode_ring_page_init(struct lane_ring_page *page, const uint8_t *data, size_t bytes,
			   unsigned int long_bytes);

/* What comes next on a page. */
enum lane_ring_next {
	LANE_RING_EVENT,
	LANE_RING_END,
	LANE_RING_DAMAGED,
};

/* The next event, whose time is then page->ts. *record points into the page. */
enum lane_ring_next decode_ring_page_next(struct lane_ring_page *page, const uint8_t **record,
					  size_t *bytes);

#endif
