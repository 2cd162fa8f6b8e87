/* SPDX-License-Identifier: MIT */
/*
 * The data of the HTML page: records are gathered in blocks, a block is written column by column,
 * as differences of neighbours, deflated, in base64, as a script element that the page's code reads
 * (html/data.js has the other half). Nothing is kept but the block being filled.
 */
#ifndef LANE_SHOW_HTML_DATA_H
#define LANE_SHOW_HTML_DATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* A record has times, ns, and numbers; how many is the kind's. */
#define LANE_HTML_TIMES	  32
#define LANE_HTML_NUMBERS 16

struct lane_html_kind {
	uint32_t id;	    /* what the page knows it by */
	uint32_t n_times;   /* of a record; the first is a point in time, so are n_points of them */
	uint32_t n_points;  /* the others are durations */
	uint32_t n_numbers; /* of a record, u32 each */
};

/* What the times of a block's records span. */
struct lane_html_reach {
	uint64_t from_ns, to_ns; /* the earliest and the latest point in time */
	uint64_t last_ns;	 /* the longest duration */
};

struct lane_html_block {
	struct lane_html_kind kind;
	uint32_t n, cap;
	struct lane_html_reach reach;
	uint64_t *times;   /* of all records, record by record; LANE_HTML_NO_TIME: none */
	uint32_t *numbers; /* likewise */
};

#define LANE_HTML_NO_TIME UINT64_MAX

/* An empty block of cap records. False: no memory. */
bool show_html_block_init(struct lane_html_block *block, const struct lane_html_kind *kind,
			  uint32_t cap);

/*
 * Adds a record; a block that is full is written first. origin_ns is what times are told from.
 * Returns what went wrong in writing.
 */
struct lane_error *show_html_add(struct lane_html_block *block, const uint64_t *times,
				 const uint32_t *numbers, uint64_t origin_ns,
				 FILE *to) LANE_MUST_CHECK;

/* Writes what is in the block. */
struct lane_error *show_html_flush(struct lane_html_block *block, uint64_t origin_ns,
				   FILE *to) LANE_MUST_CHECK;

void show_html_block_deinit(struct lane_html_block *block);

#endif
