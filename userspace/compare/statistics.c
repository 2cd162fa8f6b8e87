// SPDX-License-Identifier: MIT
// Permutation of recordings, bootstrap of blocks, intervals.
#include "compare/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static double ways(unsigned int n, unsigned int k)
{
	double n_ways = 1;

	for (unsigned int i = 1; i <= k; i++)
		n_ways = n_ways * (n - k + i) / i;
	return n_ways;
}

double compare_least_p(unsigned int n_base, unsigned int n_new)
{
	return (n_base == n_new ? 2 : 1) / ways(n_base + n_new, n_base);
}

struct side {
	double mean, error; /* of the mean, squared */
};

/* Of the values whose bit in `of` is `wanted`. */
static struct side side_of(const double *values, unsigned int n, uint32_t of, bool wanted)
{
	struct side side = { 0 };
	unsigned int count = 0;

	for (unsigned int i = 0; i < n; i++) {
		if ((of >> i & 1) != wanted)
			continue;
		side.mean += values[i];
		count++;
	}
	side.mean /= count;
	for (unsigned int i = 0; i < n; i++)
		if ((of >> i & 1) == wanted)
			side.error += (values[i] - side.mean) * (values[i] - side.mean);
	side.error = count > 1 ? side.error / (count - 1) / count : 0;
	return side;
}

/* How far the sides are apart, in standard errors. */
static double statistic(const double *values, unsigned int n, uint32_t is_new)
{
	struct side base = side_of(values, n, is_new, false);
	struct side new = side_of(values, n, is_new, true);

	return fabs(new.mean - base.mean) / (sqrt(base.error + new.error) + COMPARE_LEAST_ERROR);
}

/* The next larger number with as many bits (Gosper). */
static uint32_t next_dealing(uint32_t bits)
{
	uint32_t low = bits & -bits, ripple = bits + low;

	return ripple | ((bits ^ ripple) >> 2) / low;
}

struct rank {
	size_t row;
	double found;
	uint64_t as_large; /* dealings that give as much, in it or in a row behind it */
};

static int by_found(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	return (x->found < y->found) - (x->found > y->found);
}

/* One dealing: the largest statistic of a row and of all behind it counts for the row. */
static void deal(const double *values, size_t rows, unsigned int n, uint32_t is_new,
		 struct rank *ranks)
{
	double largest = 0;

	for (size_t i = rows; i--;) {
		double now = statistic(values + ranks[i].row * n, n, is_new);

		largest = now > largest ? now : largest;
		/* The same dealing, told the other way round, is the same but for rounding. */
		ranks[i].as_large += largest >= ranks[i].found * (1 - 1e-9);
	}
}

bool compare_permute(const double *values, size_t rows, unsigned int n_base, unsigned int n_new,
		     double *p)
{
	LANE_CLEANUP(lane_free) struct rank *ranks = calloc(rows + 1, sizeof(*ranks));
	unsigned int n = n_base + n_new;
	uint32_t first = (1u << n_new) - 1, observed = first << n_base, end = 1u << n;
	uint64_t dealings = 0;
	double least = 0;

	if (!ranks)
		return false;
	for (size_t i = 0; i < rows; i++) {
		ranks[i].row = i;
		ranks[i].found = statistic(values + i * n, n, observed);
	}
	qsort(ranks, rows, sizeof(*ranks), by_found);
	for (uint32_t is_new = first; is_new < end; is_new = next_dealing(is_new), dealings++)
		deal(values, rows, n, is_new, ranks);
	for (size_t i = 0; i < rows; i++) {
		double own = (double)ranks[i].as_large / (double)dealings;

		least = own > least ? own : least;
		p[ranks[i].row] = least;
	}
	return true;
}

/* The 97.5 % point of Student's t; beyond 30 degrees that of the normal, which is 4 % less there.
 */
static double student(double degrees)
{
	static const double points[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
					 2.262,	 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
					 2.110,	 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
					 2.060,	 2.056, 2.052, 2.048, 2.045, 2.042 };
	const double most = sizeof(points) / sizeof(points[0]);

	if (!(degrees >= 1))
		return points[0];
	return degrees > most ? 1.96 : points[(int)degrees - 1];
}

struct compare_interval compare_welch(const double *values, unsigned int n_base, unsigned int n_new)
{
	uint32_t is_new = ((1u << n_new) - 1) << n_base;
	struct side base = side_of(values, n_base + n_new, is_new, false);
	struct side new = side_of(values, n_base + n_new, is_new, true);
	double error = base.error + new.error, middle = new.mean - base.mean, width = 0;

	/* Welch, Biometrika 34, 1947: the degrees of freedom of two sides that vary differently. */
	if (error > 0)
		width = sqrt(error) * student(error * error /
					      (base.error * base.error / (n_base - 1) +
					       new.error *new.error / (n_new - 1)));
	return (struct compare_interval){ middle - width, middle + width };
}

uint64_t compare_draw(uint64_t *state)
{
	uint64_t x = *state ? *state : 0x9e3779b97f4a7c15ull;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1dull;
}

void compare_pick_blocks(uint64_t *state, uint32_t n, uint32_t *picks)
{
	uint32_t block = (uint32_t)sqrt(n), at = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (i % block == 0)
			at = (uint32_t)(compare_draw(state) % (n - block + 1));
		picks[i] = at++;
	}
}

double compare_normal_p(double z)
{
	return erfc(fabs(z) / sqrt(2));
}

struct holm {
	size_t of;
	double p;
};

static int by_p(const void *a, const void *b)
{
	const struct holm *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

bool compare_holm(double *p, size_t n)
{
	LANE_CLEANUP(lane_free) struct holm *tests = calloc(n + 1, sizeof(*tests));
	double least = 0;

	if (!tests)
		return false;
	for (size_t i = 0; i < n; i++)
		tests[i] = (struct holm){ i, p[i] };
	qsort(tests, n, sizeof(*tests), by_p);
	for (size_t i = 0; i < n; i++) {
		double all = tests[i].p * (double)(n - i);

		least = all > least ? all : least;
		p[tests[i].of] = least < 1 ? least : 1;
	}
	return true;
}
