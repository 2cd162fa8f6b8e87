/* SPDX-License-Identifier: MIT */
/* One recording compared with one: their items drawn anew, in blocks of time. */
#ifndef LANE_COMPARE_BLOCKS_H
#define LANE_COMPARE_BLOCKS_H

#include "compare/compare.h"

#define COMPARE_DRAWS 200

/* Of each draw the scaled difference new - base of each quantity: with the bounds that make it
 * least, and those that make it most. */
struct compare_drawn {
	struct compare_interval of[COMPARE_QUANTITY_COUNT][COMPARE_DRAWS];
};

/* A value on the scale on which differences are taken: a logarithm, or a share as it is. */
double compare_scaled(int quantity, double value);

/* Draws both; false: no memory. */
bool compare_draw_blocks(const struct compare_series *base, const struct compare_series *new,
			 struct compare_drawn *drawn);

/* How often chance gives such a difference, which bounds have made the least; *change becomes what
 * it is with 95 %. */
double compare_drawn_p(const struct compare_drawn *drawn, int quantity, double found,
		       struct compare_interval *change);

#endif
