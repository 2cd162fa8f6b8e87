/* SPDX-License-Identifier: MIT */
/*
 * Whether two sides differ. The unit is the recording: what lies within one is correlated, and says
 * nothing of how much another one of the same would differ. Several recordings a side are compared
 * by exact permutation of their labels, with the largest statistic of all rows as the measure
 * (Westfall and Young, Resampling-Based Multiple Testing, 1993, algorithm 4.1): the smallest p that
 * 4 recordings a side can give is 2 of 70, and with it there is room for all rows; divided by their
 * number, as Holm has it, it could never be small. One recording a side is compared by its own
 * items, in blocks of time (moving block bootstrap: Künsch, Annals of Statistics 17, 1989).
 */
#ifndef LANE_COMPARE_STATISTICS_H
#define LANE_COMPARE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPARE_SIDE_MOST 10   /* recordings a side: C(20, 10) = 184,756 ways to deal them */
#define COMPARE_LEVEL	  0.05 /* a p up to this is enough */

/* Added to a standard error: a row that hardly varies is not surer for differing by less than that.
 * A fifth of a per cent, or of a percentage point. */
#define COMPARE_LEAST_ERROR 0.002

struct compare_interval {
	double lo, hi;
};

/* The smallest p that so many recordings a side can give. */
double compare_least_p(unsigned int n_base, unsigned int n_new);

/*
 * rows x (n_base + n_new) values, row by row, each side's together. p[row] becomes how often a
 * difference as large as the row's would come of dealing the recordings to the sides by chance, all
 * rows regarded. False: no memory.
 */
bool compare_permute(const double *values, size_t rows, unsigned int n_base, unsigned int n_new,
		     double *p);

/* The difference of the means, new - base, with 95 % (Welch). Two values a side at least. */
struct compare_interval compare_welch(const double *values, unsigned int n_base,
				      unsigned int n_new);

/* Numbers by chance, the same ones each time (xorshift64*, Vigna 2016). */
uint64_t compare_draw(uint64_t *state);

/* Fills picks[0 .. n - 1] with indices below n: blocks of the square root of n, begun anywhere. */
void compare_pick_blocks(uint64_t *state, uint32_t n, uint32_t *picks);

/* Of a difference that is so many standard errors: how often chance gives it (normal, two-sided).
 */
double compare_normal_p(double z);

/* Makes p of each of several tests that of all together (Holm, 1979). False: no memory. */
bool compare_holm(double *p, size_t n);

#endif
