/* SPDX-License-Identifier: MIT */
/* Orders for qsort(): which members count, the first one first; and the search in what is in order.
 */
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

/*
 * LANE_BEFORE(n, i, runs[i].begin_ns < ns) is how many of n items, which are in order, come first:
 * those for which the condition of i is true.
 */
#define LANE_BEFORE(n, i, condition)                                                               \
	({                                                                                         \
		size_t low_ = 0, high_ = (n);                                                      \
                                                                                                   \
		while (low_ < high_) {                                                             \
			const size_t i = low_ + (high_ - low_) / 2;                                \
                                                                                                   \
			if (condition)                                                             \
				low_ = i + 1;                                                      \
			else                                                                       \
				high_ = i;                                                         \
		}                                                                                  \
		low_;                                                                              \
	})

/* Of none there may be no array, which qsort() must not be given. */
#define LANE_SORT(array, n, order) ((n) ? qsort(array, n, sizeof(*(array)), order) : (void)0)

#endif
