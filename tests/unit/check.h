/* SPDX-License-Identifier: MIT */
/*
 * What each program of unit tests has: cmocka, its tests, and errors of the code under test.
 *
 *	TEST(name)
 *	{
 *		...
 *	}
 *
 * is a test. TEST_IN(set_up, clean_up, name) has before it what makes its `state`, and behind it
 * what takes that away. TEST_IN_FOLDER(name) has a folder of its own, which is new and goes with
 *all that it holds: the working directory, whose path is the `state`. check.c runs the tests of a
 *program as they stand in the file.
 */
#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/error.h"

struct lane_format;

/* assert_in_range() as cmocka 1 and 2 both have it: none of the names for it is in both. */
#define assert_between(value, least, most)                                                         \
	check_between((uintmax_t)(value), (uintmax_t)(least), (uintmax_t)(most), __FILE__, __LINE__)

void check_between(uintmax_t value, uintmax_t least, uintmax_t most, const char *file, int line);
void check_add(int line, struct CMUnitTest test);
int check_folder(void **state);
int check_no_folder(void **state);
/* Makes a file, and the folders that it lies in. */
void check_write(const char *path, const char *text);
/* A file's text, to be freed. */
char *check_read(const char *path);
void check_holds(const char *path, const char *text);
/* A trace as text, to be freed; the number of errors goes to *errors (NULL: there must be none). */
char *check_trace(const struct lane_format *format, const char *path, unsigned int *errors);
/* Before the first test and behind the last one. */
void check_around(CMFixtureFunction set_up, CMFixtureFunction clean_up);

/* clang-format off */
#define TEST(name) TEST_IN(NULL, NULL, name)
#define TEST_IN(set_up, clean_up, name)                                                            \
	static void name(void **state);                                                            \
	__attribute__((constructor)) static void add_##name(void)                                  \
	{                                                                                          \
		check_add(__LINE__, (struct CMUnitTest){ #name, name, set_up, clean_up, NULL });   \
	}                                                                                          \
	static void name(void **state __attribute__((unused)))
#define TEST_IN_FOLDER(name) TEST_IN(check_folder, check_no_folder, name)
#define ALL_IN(set_up, clean_up)                                                                   \
	__attribute__((constructor)) static void add_around(void)                                  \
	{                                                                                          \
		check_around(set_up, clean_up);                                                    \
	}
/* clang-format on */

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
