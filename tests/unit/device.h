/* SPDX-License-Identifier: MIT */
/* A device as a test writes it. */
#ifndef TESTS_UNIT_DEVICE_H
#define TESTS_UNIT_DEVICE_H

#include <stdlib.h>

#include "check.h"
#include "model/device.h"

static inline struct lane_device *device(const char *from)
{
	char *text = strdup(from);
	struct lane_device *made = NULL;

	assert_non_null(text);
	check(model_device_parse(text, "test.dev", &made));
	free(text);
	return made;
}

#endif
