// SPDX-License-Identifier: MIT
// clock/: the true line is always inside the bounds; the estimate is nearer to it than least
// squares.
#include <math.h>
#include "check.h"

#include <stdlib.h>

#include "clock/clock.h"

enum {
	COMMANDS = 400
};

/* A device's clock and the delays of a program that uses it. */
struct world {
	uint64_t random;
	uint64_t begin_ns;
	int64_t drift_ppb;
	int64_t offset_ns;
	uint64_t grain_ns;
	double queue_min_ns, queue_ns; /* entry to queued: at least, and its scale */
	double told_min_ns, told_ns;   /* end to told */
	double tail;		       /* exponent of the Pareto tail, 0: exponential */
	double pause_ns;
};

/* Least squares over all pairs, the classical alternative. */
struct least {
	long double n, x, y, xx, xy;
};

static double uniform(struct world *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return ((double)(w->random >> 11) + 0.5) / 9007199254740992.0;
}

static uint64_t delay(struct world *w, double min, double scale)
{
	double u = uniform(w), tail = w->tail > 0 ? pow(u, -1 / w->tail) - 1 : -log(u);

	return (uint64_t)(min + scale * fmin(tail, 1e6));
}

/* The device's stamp when the CPU's clock says so: exact, then cut to its grain. */
static uint64_t device(const struct world *w, uint64_t cpu_ns)
{
	__int128 scaled = (__int128)cpu_ns * (1000000000 + w->drift_ppb);
	uint64_t ns = (uint64_t)(scaled / 1000000000 + w->offset_ns);

	return ns - ns % w->grain_ns;
}

static void add(struct least *l, const struct world *w, uint64_t cpu_ns, uint64_t other_ns)
{
	long double x = (long double)(other_ns - device(w, w->begin_ns));
	long double y = (long double)(int64_t)(cpu_ns - w->begin_ns);

	l->n++;
	l->x += x;
	l->y += y;
	l->xx += x * x;
	l->xy += x * y;
}

static double least_at(const struct least *l, const struct world *w, uint64_t other_ns)
{
	long double slope = (l->n * l->xy - l->x * l->y) / (l->n * l->xx - l->x * l->x);
	long double x = (long double)(int64_t)(other_ns - device(w, w->begin_ns));

	return (double)((l->y - slope * l->x) / l->n + slope * x);
}

/* That CPU time is inside the bounds of what the device said then. */
static void expect_inside(const struct lane_sync *sync, const struct world *w, uint64_t cpu_ns)
{
	uint64_t lo, hi, other_ns = device(w, cpu_ns);

	assert_true(clock_sync_bounds(sync, other_ns, &lo, &hi));
	if (cpu_ns < lo || cpu_ns > hi)
		fail_msg("%llu is not in %llu..%llu", (unsigned long long)cpu_ns,
			 (unsigned long long)lo, (unsigned long long)hi);
}

/* Runs commands; both errors are means over the run, ns. */
static void live(struct world *w, double *hull_error, double *least_error, uint64_t *width)
{
	struct lane_sync sync;
	struct least least = { 0 };
	uint64_t cpu_ns = w->begin_ns, lo, hi;
	uint64_t *times = calloc(COMMANDS, sizeof(*times));

	assert_non_null(times);
	clock_sync_init(&sync, w->grain_ns);
	for (int i = 0; i < COMMANDS; i++) {
		uint64_t queued, end, told;

		cpu_ns += delay(w, 1000, w->pause_ns);
		queued = cpu_ns + delay(w, w->queue_min_ns, w->queue_ns);
		end = queued + delay(w, 500, 20000);
		told = end + delay(w, w->told_min_ns, w->told_ns);
		clock_sync_before(&sync, cpu_ns, device(w, queued));
		clock_sync_after(&sync, told, device(w, end));
		add(&least, w, cpu_ns, device(w, queued));
		add(&least, w, told, device(w, end));
		expect_inside(&sync, w, queued);
		expect_inside(&sync, w, told + 1000000000);
		times[i] = queued;
	}
	assert_int_equal(sync.restarts, 0);
	*hull_error = *least_error = 0;
	*width = 0;
	for (int i = 0; i < COMMANDS; i++) {
		uint64_t other_ns = device(w, times[i]);

		expect_inside(&sync, w, times[i]);
		*hull_error +=
			fabs((double)(int64_t)(clock_sync_cpu_ns(&sync, other_ns) - times[i]));
		*least_error += fabs(least_at(&least, w, other_ns) -
				     (double)(int64_t)(times[i] - w->begin_ns));
		assert_true(clock_sync_bounds(&sync, other_ns, &lo, &hi));
		*width += hi - lo;
	}
	expect_inside(&sync, w, w->begin_ns / 2);
	*hull_error /= COMMANDS;
	*least_error /= COMMANDS;
	*width /= COMMANDS;
	free(times);
}

static struct world random_world(uint64_t seed)
{
	static const int64_t offsets[] = { 1000000000000000, -900000000000000, 123456789, 1,
					   -5000 };
	static const uint64_t grains[] = { 1, 1, 80, 1000 };
	struct world w = { .random = seed * 0x9e3779b97f4a7c15ull + 1 };

	for (int i = 0; i < 10; i++)
		uniform(&w);
	w.begin_ns = 2000000000000000 + (uint64_t)(uniform(&w) * 1e14);
	w.drift_ppb = (int64_t)((2 * uniform(&w) - 1) * 100000);
	w.offset_ns = offsets[seed % 5];
	w.grain_ns = grains[seed % 4];
	w.queue_min_ns = uniform(&w) * 2000;
	w.queue_ns = 500 + uniform(&w) * 5000;
	w.told_min_ns = uniform(&w) * 10000;
	w.told_ns = 5000 + uniform(&w) * 50000;
	w.tail = seed % 3 ? 1.1 + uniform(&w) : 0;
	w.pause_ns = pow(10, 4 + 4 * uniform(&w));
	return w;
}

TEST(test_random)
{
	double hull_sum = 0, least_sum = 0;
	int better = 0, worlds = 300;

	for (int seed = 1; seed <= worlds; seed++) {
		struct world w = random_world((uint64_t)seed);
		double hull, least;
		uint64_t width;

		live(&w, &hull, &least, &width);
		better += hull < least;
		hull_sum += hull;
		least_sum += least;
	}
	print_message("mean error: hulls %.0f ns, least squares %.0f ns; better in %d of %d\n",
		      hull_sum / worlds, least_sum / worlds, better, worlds);
	assert_int_equal(better, worlds);
}

/* Nothing is lost at offsets of 10^15 ns: the same delays give the same bounds as at offset 0. */
TEST(test_offsets)
{
	static const int64_t offsets[] = { 1, 1000000000000000, -900000000000000 };
	uint64_t widths[3];

	for (int i = 0; i < 3; i++) {
		struct world w = random_world(7);
		double hull, least;

		w.offset_ns = offsets[i];
		w.drift_ppb = 0;
		w.grain_ns = 1;
		live(&w, &hull, &least, &widths[i]);
	}
	assert_int_equal(widths[0], widths[1]);
	assert_int_equal(widths[0], widths[2]);
}

struct inequality {
	uint64_t cpu_ns, other_ns;
	bool is_before;
};

/* What is known at the end does not depend on the order in which it was learnt. */
TEST(test_any_order)
{
	enum {
		N = 46
	};
	struct world w = random_world(11);
	struct inequality all[2 * N];
	uint64_t cpu_ns = w.begin_ns, first_lo = 0, first_hi = 0;

	for (int i = 0; i < N; i++) {
		uint64_t there = cpu_ns + delay(&w, 1000, 50000);
		uint64_t back = there + delay(&w, 1000, 50000);

		all[2 * i] = (struct inequality){ cpu_ns, device(&w, there), true };
		all[2 * i + 1] = (struct inequality){ back, device(&w, there), false };
		cpu_ns = back + delay(&w, 1000, 1e8);
	}
	for (int round = 0; round < 200; round++) {
		struct lane_sync sync;
		uint64_t lo, hi;

		clock_sync_init(&sync, w.grain_ns);
		for (int i = 0; i < 2 * N; i++) {
			int other = i + (int)(uniform(&w) * (2 * N - i));
			struct inequality one = all[other];

			/* All of one side first, then all of the other, in the first round. */
			if (!round)
				one = all[i < N ? 2 * i : 2 * (i - N) + 1];
			else
				all[other] = all[i];
			if (round)
				all[i] = one;
			(one.is_before ? clock_sync_before : clock_sync_after)(&sync, one.cpu_ns,
									       one.other_ns);
		}
		assert_int_equal(sync.restarts, 0);
		assert_true(clock_sync_bounds(&sync, device(&w, cpu_ns), &lo, &hi));
		if (!round) {
			first_lo = lo;
			first_hi = hi;
		}
		assert_int_equal(lo, first_lo);
		assert_int_equal(hi, first_hi);
	}
}

/* Three commands whose bounds can be worked out by hand. */
TEST(test_by_hand)
{
	struct lane_sync sync;
	struct lane_sync_line line;
	uint64_t lo, hi;

	clock_sync_init(&sync, 1);
	assert_false(clock_sync_bounds(&sync, 5, &lo, &hi));
	assert_int_equal(clock_sync_state(&sync), LANE_SYNC_FREE);
	clock_sync_before(&sync, 1000, 51010); /* at 1000 the other was 51011 at most */
	assert_int_equal(clock_sync_state(&sync), LANE_SYNC_FREE);
	clock_sync_after(&sync, 1100, 51090); /* at 1101 it was 51090 at least */
	assert_int_equal(clock_sync_state(&sync), LANE_SYNC_BOUND);
	assert_true(clock_sync_bounds(&sync, 51050, &lo, &hi));
	/* 51050 - 50011 = 1039, less 1 for 39 ns at 1000 ppm; 51051 - 49989 = 1062, and 1. */
	assert_int_equal(lo, 1038);
	assert_int_equal(hi, 1063);
	assert_int_equal(clock_sync_cpu_ns(&sync, 51050), 1050);
	/* Far away the rates' difference counts: 1000 ppm of a second. */
	assert_true(clock_sync_bounds(&sync, 1000051050, &lo, &hi));
	assert_between(hi - lo, 1990000, 2010100);
	/* A second command there bounds it. */
	clock_sync_before(&sync, 1000001000, 1000051010);
	clock_sync_after(&sync, 1000001100, 1000051090);
	assert_true(clock_sync_bounds(&sync, 1000051050, &lo, &hi));
	assert_between(hi - lo, 20, 30);
	assert_true(clock_sync_line(&sync, 1000051050, &line));
	assert_between(line.offset_lo_ns, 49980, 50000);
	assert_between(line.offset_hi_ns, 50000, 50020);
	assert_true(line.drift_lo_ppm < 0 && line.drift_lo_ppm > -0.1);
	assert_true(line.drift_hi_ppm > 0 && line.drift_hi_ppm < 0.1);
}

TEST(test_same)
{
	struct world w = random_world(3);
	struct lane_sync sync;
	uint64_t cpu_ns = w.begin_ns;

	clock_sync_init(&sync, 1);
	for (int i = 0; i < 100; i++) {
		uint64_t queued = cpu_ns + delay(&w, 0, 1000), end = queued + delay(&w, 100, 10000);

		clock_sync_before(&sync, cpu_ns, queued);
		cpu_ns = end + delay(&w, 0, 20000);
		clock_sync_after(&sync, cpu_ns, end);
		assert_int_equal(clock_sync_state(&sync), LANE_SYNC_SAME);
		assert_int_equal(clock_sync_cpu_ns(&sync, end), end);
	}
	/* A millisecond off, it is another clock. */
	clock_sync_before(&sync, cpu_ns, cpu_ns - 1000000);
	assert_int_equal(clock_sync_state(&sync), LANE_SYNC_FREE);
	assert_int_equal(sync.restarts, 1);
	clock_sync_after(&sync, cpu_ns + 20, cpu_ns - 999990);
	assert_int_equal(clock_sync_state(&sync), LANE_SYNC_BOUND);
}

/* Numbers that no clock says: nothing overflows, nothing is bounded wrongly. */
/* Clocks that show the same, told to the nanosecond from both sides: all pairs lie on one line,
 * which keeps them. */
TEST(test_on_the_line)
{
	struct lane_sync sync;
	uint64_t lo, hi;

	clock_sync_init(&sync, 1);
	for (uint64_t ns = 1000000000; ns <= 5000000000; ns += 1000000000) {
		clock_sync_before(&sync, ns, ns - 1);
		clock_sync_after(&sync, ns - 1, ns);
	}
	assert_int_equal(sync.restarts, 0);
	assert_true(clock_sync_bounds(&sync, 3000000000, &lo, &hi));
	assert_int_equal(lo, 3000000000);
	assert_int_equal(hi, 3000000001);
}

TEST(test_hostile)
{
	static const uint64_t odd[] = {
		0,	    1,		UINT64_MAX,	  UINT64_MAX / 2,
		1ull << 61, 1ull << 62, (1ull << 63) + 1, 1000000000000000
	};
	struct world w = { .random = 99 };
	struct lane_sync sync;
	struct lane_sync_line line;
	uint64_t lo, hi;

	for (int round = 0; round < 20000; round++) {
		if (round % 16 == 0)
			clock_sync_init(&sync, 1 + (uint64_t)(uniform(&w) * 100));
		uint64_t a = odd[(int)(uniform(&w) * 8)] + (uint64_t)(uniform(&w) * 3);
		uint64_t b = odd[(int)(uniform(&w) * 8)] - (uint64_t)(uniform(&w) * 3);

		if (uniform(&w) < 0.5)
			clock_sync_before(&sync, a, b);
		else
			clock_sync_after(&sync, a, b);
		clock_sync_bounds(&sync, b, &lo, &hi);
		clock_sync_cpu_ns(&sync, a);
		clock_sync_line(&sync, a, &line);
		assert_true(lo <= hi);
	}
}

/* Points on a parabola are all on the hull: the polygon is full and stays right. */
TEST(test_full)
{
	struct lane_sync sync;
	uint64_t lo, hi;

	clock_sync_init(&sync, 1);
	clock_sync_after(&sync, 1000000000, 999000000);
	for (int64_t i = -1000; i <= 1000; i++)
		clock_sync_before(&sync, (uint64_t)(1000000000 + i * 1000),
				  (uint64_t)(1000000000 + i * 1000 + i * i / 10));
	assert_true(sync.unused > 0 || sync.n_edges < LANE_SYNC_CORNERS);
	assert_int_equal(sync.restarts, 0);
	assert_true(clock_sync_bounds(&sync, 1000000000, &lo, &hi));
	assert_true(lo <= 1000000000 && hi >= 1000000000);
}
