// SPDX-License-Identifier: MIT
// Calibration of devices that the models do not have: whatever a device does, the calibration ends
// and says what it could not conclude.
#include "check.h"

#include <string.h>

#include "model/calibrate.h"

/* Atomics cost 200 cycles a warp; whose lanes are so many words apart, or more, a quarter more. */
static uint32_t step_at;

static struct lane_error *measure(struct lane_meter *meter, const struct lane_trial *trial,
				  double *ns, int *can)
{
	double cycles = 200 * trial->warps;

	(void)meter;
	*can = trial->kind == LANE_TRIAL_LOCAL;
	if (trial->word[1] - trial->word[0] >= step_at)
		cycles *= 1.25;
	*ns = 5000 + cycles * trial->length;
	return NULL;
}

static void calibrate_step(uint32_t words, struct lane_calibration *c)
{
	struct lane_calibration_wish wish = { 3, 0, 1, 0, 0 };
	struct lane_meter meter = { .units = 1,
				    .clock_mhz = 1000,
				    .warp = 8,
				    .max_warps = 16,
				    .floor = 0.03,
				    .local_words = 12288,
				    .least_ns = 1000,
				    .measure = measure };

	step_at = words;
	assert_null(model_calibrate_meter(&meter, &wish, c));
}

/* A step at any stride: what is called banks is at most 64 of them. */
TEST(test_steps_anywhere)
{
	static struct lane_calibration c;

	for (uint32_t words = 1; words <= 8192; words *= 2) {
		calibrate_step(words, &c);
		for (uint32_t i = 0; i < c.n; i++)
			if (!strcmp(c.finding[i].key, "banks") && c.finding[i].known)
				assert_true(c.finding[i].value >= 1 && c.finding[i].value <= 64);
	}
}

TEST(test_no_step_is_a_unit)
{
	static struct lane_calibration c;

	calibrate_step(UINT32_MAX, &c);
	assert_string_equal(c.local_atomics, "unit");
}

/* An instruction of any kind, 100 cycles; the n-th measurement takes slow(n) times as long. */
static unsigned int measurements;
static double (*slow)(unsigned int n);

static struct lane_error *measure_op(struct lane_meter *meter, const struct lane_trial *trial,
				     double *ns, int *can)
{
	(void)meter;
	*can = trial->kind == LANE_TRIAL_OP && !strcmp(trial->op, "fadd");
	*ns = 100.0 * trial->warps * trial->length;
	*ns *= slow(measurements++);
	return NULL;
}

static struct lane_meter op_meter(double (*how)(unsigned int n))
{
	measurements = 0;
	slow = how;
	return (struct lane_meter){ .units = 1,
				    .clock_mhz = 1000,
				    .warp = 8,
				    .max_warps = 1,
				    .least_ns = 1000,
				    .measure = measure_op };
}

static const struct lane_calibration_wish ops_only = { 31, 1, 0, 0, 0 };

/* A measurement is of two lengths: of ten rounds, three are slow. */
static double slow_at_times(unsigned int n)
{
	return n / 2 % 10 < 3 ? 1.2 : 1;
}

/* Which of two speeds the median falls on is chance; what is said reaches from one to the other. */
TEST(test_two_speeds_are_said)
{
	static struct lane_calibration c;
	struct lane_meter meter = op_meter(slow_at_times);

	assert_null(model_calibrate_meter(&meter, &ops_only, &c));
	assert_string_equal(c.finding[0].key, "completion");
	assert_true(c.finding[0].known);
	assert_true(c.finding[0].value >= 100 && c.finding[0].value <= 120);
	assert_true(3 * c.finding[0].uncertainty > 20);
}

static double steady(unsigned int n)
{
	(void)n;
	return 1;
}

/* A machine that is slower in one half of the time is so for even and for odd rounds. */
static double slow_half_the_time(unsigned int n)
{
	return n < 62 ? 1.1 : 1;
}

/* About half of the measurements, in no order. */
static double slow_by_chance(unsigned int n)
{
	return (n * 2654435761u >> 16) & 1 ? 1.1 : 1;
}

TEST(test_halves_agree)
{
	double (*const how[])(unsigned int) = { steady, slow_half_the_time, slow_by_chance };
	static struct lane_calibration c;

	for (size_t i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		struct lane_meter meter = op_meter(how[i]);

		assert_null(model_calibrate_meter(&meter, &ops_only, &c));
		assert_int_equal(c.samples, 1);
		assert_int_equal(c.repeated, 1);
	}
}
