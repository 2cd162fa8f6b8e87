// SPDX-License-Identifier: MIT
// Text in a field that is too short for it: whole where it fits, else cut and still told from
// others. The numbers are FNV-1a's of 32 bits, made by another program.
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/fit.h"

/* The field, with a byte behind it that stays. */
static const char *fitted(char buffer[40], size_t size, const char *text)
{
	memset(buffer, 0, 40);
	buffer[size] = '!';
	lane_fit(buffer, size, text, strlen(text));
	assert_int_equal(buffer[size], '!');
	buffer[size] = 0;
	return buffer;
}

TEST(test_whole)
{
	char to[40];

	assert_string_equal(fitted(to, 16, ""), "");
	assert_string_equal(fitted(to, 16, "rcs0"), "rcs0");
	assert_string_equal(fitted(to, 16, "panthor-queue-1"), "panthor-queue-1");
	assert_string_equal(fitted(to, 16, "panthor-queue-12"), "panthor-queue-12");
}

TEST(test_cut)
{
	char to[40];

	assert_string_equal(fitted(to, 16, "panthor-queue-12-1-0"), "panthor~50fbf576");
	assert_string_equal(fitted(to, 16, "panthor-queue-12-1-1"), "panthor~51fbf709");
	assert_string_equal(fitted(to, 32, "gpu-sched-ring-with-a-long-name.0"),
			    "gpu-sched-ring-with-a-l~fe78a36c");
}

TEST(test_very_long)
{
	char text[1000], to[40];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	assert_string_equal(fitted(to, 16, text), "xxxxxxx~24c42c5f");
	text[sizeof(text) - 2] = 'y';
	assert_string_equal(fitted(to, 16, text), "xxxxxxx~23c42acc");
}
