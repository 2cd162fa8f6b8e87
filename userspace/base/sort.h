/* SPDX-License-Identifier: MIT */
/* Orders for qsort(): which members count, the first one first. */
#ifndef LANE_BASE_SORT_H
#define LANE_BASE_SORT_H

#include <stdlib.h>

/*
 * LANE_ORDER(by_thread, struct run, LANE_UP(tid) ?: LANE_DOWN(ns)) is a function that orders runs
 * by their threads, those of one thread the longest first. In the order, x and y are the two.
 */
#define LANE_ORDER(name, type, order)                                                              \
	static int name(const void *a, const void *b)                                              \
	{                                                                                          \
		const type *x = a, *y = b;                                                         \
                                                                                                   \
		return order;                                                                      \
	}

/* The same of a list of pointers to that type. */
#define LANE_ORDER_OF(name, type, order)                                                           \
	static int name(const void *a, const void *b)                                              \
	{                                                                                          \
		const type *x = *(const type *const *)a, *y = *(const type *const *)b;             \
                                                                                                   \
		return order;                                                                      \
	}

#define LANE_COMPARE(x, y) (((x) > (y)) - ((x) < (y)))
#define LANE_UP(member)	   LANE_COMPARE(x->member, y->member)
#define LANE_DOWN(member)  LANE_COMPARE(y->member, x->member)

/* Of none there may be no array, which qsort() must not be given. */
#define LANE_SORT(array, n, order) ((n) ? qsort(array, n, sizeof(*(array)), order) : (void)0)

#endif
