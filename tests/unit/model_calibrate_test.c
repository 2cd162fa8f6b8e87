// SPDX-License-Identifier: MIT
// Calibration of devices that the models do not have: whatever a device does, the calibration ends
// and says what it could not conclude.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/calibrate.h"

/* Atomics cost 200 cycles a warp; two lanes so many words apart, or more, a quarter more. */
static uint32_t step_at;

static struct lane_error *measure(struct lane_meter *meter, const struct lane_trial *trial,
				  double *ns, int *can)
{
	double cycles = 200 * trial->warps;

	(void)meter;
	*can = trial->kind == LANE_TRIAL_LOCAL;
	if (trial->lanes == 2 && trial->word[1] - trial->word[0] >= step_at)
		cycles *= 1.25;
	*ns = 5000 + cycles * trial->length;
	return NULL;
}

static void calibrate_step(uint32_t words, struct lane_calibration *c)
{
	struct lane_calibration_wish wish = { 3, 0, 1, 0 };
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

/* A step at any distance: what is called banks is at most 64 of them. */
static void test_steps_anywhere(void **state)
{
	static struct lane_calibration c;

	(void)state;
	for (uint32_t words = 1; words <= 8192; words *= 2) {
		calibrate_step(words, &c);
		for (uint32_t i = 0; i < c.n; i++)
			if (!strcmp(c.finding[i].key, "banks") && c.finding[i].known)
				assert_true(c.finding[i].value >= 1 && c.finding[i].value <= 64);
	}
}

static void test_no_step_is_a_unit(void **state)
{
	static struct lane_calibration c;

	(void)state;
	calibrate_step(UINT32_MAX, &c);
	assert_string_equal(c.local_atomics, "unit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps_anywhere),
		cmocka_unit_test(test_no_step_is_a_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
