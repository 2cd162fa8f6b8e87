// SPDX-License-Identifier: MIT
// Text from outside: what is shown of it.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"

static void assert_clean(const char *from, const char *line, const char *json)
{
	char text[128];

	assert_string_equal(lane_clean_copy(text, sizeof(text), from, LANE_CLEAN_LINE), line);
	assert_string_equal(lane_clean(strcpy(text, from), LANE_CLEAN_LINE), line);
	assert_string_equal(lane_clean_copy(text, sizeof(text), from, LANE_CLEAN_JSON), json);
}

TEST(only_what_can_be_read_stays)
{
	assert_clean("", "", "");
	assert_clean("plain text, 1 + 1", "plain text, 1 + 1", "plain text, 1 + 1");
	assert_clean("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
		     "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
		     "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
	assert_clean("a\n\x1b[1m\x7f", "a..[1m.", "a\n\x1b[1m.");
	assert_clean("\xc2\x9b\xc2\x80\xc2\x9f\xc2\xa0", "...\xc2\xa0", "...\xc2\xa0");
	assert_clean("\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8b\xef\xbb\xbf|", "....|", "....|");
	/* No UTF-8: alone, overlong, a surrogate, beyond the last, cut short. */
	assert_clean("\xff|\x80|\xc3", ".|.|.", ".|.|.");
	assert_clean("\xc0\xaf|\xe0\x80\xaf", "..|...", "..|...");
	assert_clean("\xed\xa0\x80|\xf4\x90\x80\x80", "...|....", "...|....");
	assert_clean("\xe2\x82", "..", "..");
}

TEST(copies_end_with_a_character)
{
	char text[8];

	assert_string_equal(lane_clean_copy(text, 6, "abc\xe2\x82\xac", LANE_CLEAN_LINE), "abc");
	assert_string_equal(lane_clean_copy(text, 7, "abc\xe2\x82\xac", LANE_CLEAN_LINE),
			    "abc\xe2\x82\xac");
	assert_string_equal(lane_clean_copy(text, 1, "abc", LANE_CLEAN_LINE), "");
	memcpy(text,
	       "ab\x1b"
	       "cde\xe2\x82",
	       8);
	lane_clean_bytes(text, 8);
	assert_memory_equal(text, "ab.cde..", 8);
	memcpy(text, "\xc2\x9bx\0zzzz", 8);
	lane_clean_bytes(text, 8);
	assert_memory_equal(text, ".x\0\0\0\0\0", 8);
}

/* What a function prints. */
static void assert_prints(void (*print)(FILE *, const char *), const char *from, const char *want)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	print(to, from);
	fclose(to);
	assert_string_equal(text, want);
	free(text);
}

TEST(cells_are_no_formulas)
{
	assert_prints(lane_clean_csv, "", "");
	assert_prints(lane_clean_csv, "a b", "a b");
	assert_prints(lane_clean_csv, "a,\"b\"\r\n", "\"a,\"\"b\"\"..\"");
	assert_prints(lane_clean_csv, "a\"b", "\"a\"\"b\"");
	assert_prints(lane_clean_csv, "=1", "'=1");
	assert_prints(lane_clean_csv, "+1", "'+1");
	assert_prints(lane_clean_csv, "-1", "'-1");
	assert_prints(lane_clean_csv, "-", "-");
	assert_prints(lane_clean_csv, "@A,1", "\"'@A,1\"");
	assert_prints(lane_clean_csv, "\t=1", ".=1");
}

TEST(strings_of_json_are_quoted)
{
	assert_prints(lane_clean_json, "a\"\\\n\x1b\xff\xc2\x9b", "\"a\\\"\\\\\\u000a\\u001b..\"");
	assert_prints(lane_clean_print, "a\n\xff", "a..");
}
