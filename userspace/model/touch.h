/* SPDX-License-Identifier: MIT */
/*
 * What one access of a warp costs on a device: conflicts, cycles, and what other layouts and hashes
 * would change. The inner part of pattern.h.
 */
#ifndef LANE_MODEL_TOUCH_H
#define LANE_MODEL_TOUCH_H

#include "model/local.h"
#include "model/pattern.h"

/* The lanes that take part, in ascending order. */
struct lane_warp_access {
	uint32_t n;
	uint8_t lane[LANE_PAD_LANES];
	uint64_t address[LANE_PAD_LANES]; /* bytes from the array's beginning */
	uint64_t count;			  /* how often it happened */
};

struct lane_touch {
	struct lane_local memory;
	struct lane_local increments; /* the same for increments without a result */
	int has_increments;
	uint32_t message; /* lanes of one message of an atomic on global memory; 0: a warp's */
	double same_word; /* cycles of each further lane on a word of it; NAN: unknown */
	struct lane_contend contend;
};

/* model_touch_free() gives back what it holds, also after an error. */
struct lane_error *model_touch_init(struct lane_touch *touch,
				    const struct lane_device *device) LANE_MUST_CHECK;
void model_touch_free(struct lane_touch *touch);

/* Decides which changes are possible at a new line: those that fit the local memory. */
void model_touch_begin(const struct lane_touch *touch, struct lane_pattern_line *line);

/* Adds a warp's access to its line's and array's sums; *outside is 1 where an address lies there.
 */
struct lane_error *model_touch_add(struct lane_touch *touch, struct lane_pattern_array *array,
				   struct lane_pattern_line *line,
				   const struct lane_warp_access *warp,
				   int *outside) LANE_MUST_CHECK;

/* At the end: takes back changes that do not fit beside the kernel's other arrays. */
void model_touch_end(const struct lane_touch *touch, struct lane_pattern_line *line,
		     uint32_t local_bytes);

#endif
