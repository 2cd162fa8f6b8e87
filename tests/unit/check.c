// SPDX-License-Identifier: MIT
// Runs the tests of a program.
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/decode.h"

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

void check_between(uintmax_t value, uintmax_t least, uintmax_t most, const char *file, int line)
{
	if (value >= least && value <= most)
		return;
	print_error("%ju is not from %ju to %ju\n", value, least, most);
	_fail(file, line);
}

void check_around(CMFixtureFunction set_up, CMFixtureFunction clean_up)
{
	before_all = set_up;
	behind_all = clean_up;
}

static char folder[32];
static int before = -1; /* the working directory */

int check_folder(void **state)
{
	before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	strcpy(folder, "/tmp/gpulane-test.XXXXXX");
	*state = folder;
	return before < 0 || !mkdtemp(folder) || chdir(folder);
}

int check_no_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return fchdir(before) || close(before) || system(command);
}

void check_write(const char *path, const char *text)
{
	char above[256];
	FILE *to;

	for (const char *at = path; (at = strchr(at + 1, '/'));) {
		snprintf(above, sizeof(above), "%.*s", (int)(at - path), path);
		mkdir(above, 0755);
	}
	to = fopen(path, "w");
	assert_non_null(to);
	fputs(text, to);
	assert_int_equal(fclose(to), 0);
}

char *check_read(const char *path)
{
	char *text = NULL;
	FILE *from = fopen(path, "r");
	size_t room = 0;

	assert_non_null(from);
	if (getdelim(&text, &room, 0, from) < 0)
		text = strcpy(realloc(text, 1), "");
	fclose(from);
	return text;
}

void check_holds(const char *path, const char *want)
{
	char *text = check_read(path);

	assert_string_equal(text, want);
	free(text);
}

char *check_trace(const struct lane_format *format, const char *path, unsigned int *errors)
{
	struct lane_decoder *decoder;
	struct lane_event *event;
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	check(decode_open(format, path, NULL, &decoder));
	decode_text_write_head(to, decoder->info);
	for (;;) {
		struct lane_error *err = format->next(decoder, &event);

		if (err && errors) {
			++*errors;
			lane_error_free(err);
			continue;
		}
		check(err);
		if (!event)
			break;
		decode_text_write_event(to, event);
	}
	decode_close(decoder);
	fclose(to);
	return text;
}

int main(void)
{
	return _cmocka_run_group_tests("tests", tests, n_tests, before_all, behind_all);
}
