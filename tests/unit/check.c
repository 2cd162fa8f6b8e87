// SPDX-License-Identifier: MIT
// Runs the tests of a program.
#include "check.h"

#include <stdlib.h>

static struct CMUnitTest tests[64];
static int lines[64];
static size_t n_tests;
static CMFixtureFunction before_all, behind_all;

/* In the order of the lines: constructors run in any. */
void check_add(int line, struct CMUnitTest test)
{
	size_t i = n_tests++;

	if (n_tests > sizeof(tests) / sizeof(tests[0]))
		abort();
	for (; i && lines[i - 1] > line; i--) {
		tests[i] = tests[i - 1];
		lines[i] = lines[i - 1];
	}
	tests[i] = test;
	lines[i] = line;
}

void check_around(CMFixtureFunction set_up, CMFixtureFunction clean_up)
{
	before_all = set_up;
	behind_all = clean_up;
}

int main(void)
{
	return _cmocka_run_group_tests("tests", tests, n_tests, before_all, behind_all);
}
