/* SPDX-License-Identifier: MIT */
/* Errors of the code under test, in a test of cmocka's. */
#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/error.h"

/* Nothing went wrong; else the test fails with what did. */
static inline void check(struct lane_error *err)
{
	if (!err)
		return;
	print_error("%s\n", lane_error_message(err));
	lane_error_free(err);
	fail();
}

/* What went wrong has this text in it. */
static inline void check_error(struct lane_error *err, const char *with)
{
	assert_non_null(err);
	if (!strstr(lane_error_message(err), with)) {
		print_error("%s\n", lane_error_message(err));
		fail();
	}
	lane_error_free(err);
}

#endif
