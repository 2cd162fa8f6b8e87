// SPDX-License-Identifier: MIT
// What the models read: numbers, devices and images, well-formed and hostile.
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "model/device.h"
#include "model/papers/image.h"
#include "model/number.h"

TEST(test_numbers)
{
	uint64_t whole;

	assert_int_equal(model_whole_parse("18446744073709551615", 0, UINT64_MAX, &whole), 0);
	assert_true(whole == UINT64_MAX);
	assert_int_equal(model_whole_parse("18446744073709551616", 0, UINT64_MAX, &whole), -1);
	assert_int_equal(model_whole_parse("9", 0, 3, &whole), -1);
	assert_int_equal(model_whole_parse("99999999999999999999", 0, 3, &whole), -1);
	assert_int_equal(model_whole_parse("2", 3, 9, &whole), -1);
}

/* Quotes as apostrophes: a test is easier to read so. */
static struct lane_error *parse(const char *from, struct lane_device **device)
{
	char *text = strdup(from);
	struct lane_error *err;

	assert_non_null(text);
	for (char *at = text; *at; at++)
		if (*at == '\'')
			*at = '"';
	err = model_device_parse(text, "test.json", device);
	free(text);
	return err;
}

#define HEAD "{'gpulane_device': 2, 'name': 'a', 'source': 'b c', "

TEST(test_device)
{
	struct lane_device *d;
	const struct lane_device_section *op;
	int64_t issue, completion;

	assert_null(parse(HEAD "'title': 'a  b', 'note': 'no key',\n'op': {'fadd': {'pipe': 'alu', "
			       "'issue': {'value': 0.25, 'uncertainty': 0.01, 'from': 'x'}, "
			       "'completion': 6}, 'memory': {'pipe': 'global', 'issue': 12, "
			       "'completion': 378, 'at': [[8, 10, 300], [16, 12, 400]]}}, "
			       "'unknown': {'op cos': 'nobody knows', 'atomic_unit': 'likewise', "
			       "'device clock_mhz': 'not told'}}\n",
			  &d));
	assert_string_equal(d->title, "a  b");
	op = model_device_section(d, "op", "fadd");
	assert_non_null(op);
	assert_string_equal(op->unit, "alu");
	assert_int_equal(model_section_micro(op, "issue"), 250000);
	assert_int_equal(op->value[0].uncertainty, 10000);
	model_op_latency(op, 99, &issue, &completion);
	assert_int_equal(completion, 6000000);
	op = model_device_section(d, "op", "memory");
	model_op_latency(op, 1, &issue, &completion);
	assert_int_equal(completion, 300000000);
	model_op_latency(op, 12, &issue, &completion);
	assert_int_equal(issue, 11000000);
	assert_int_equal(completion, 350000000);
	model_op_latency(op, 48, &issue, &completion);
	assert_int_equal(completion, 400000000);
	assert_null(model_device_section(d, "op", "cos"));
	assert_null(model_device_section(d, "nonsense", ""));
	model_device_free(d);
}

TEST(test_wrong_devices)
{
	static const struct {
		const char *text;
		const char *says;
	} wrong[] = {
		{ "", "line 1: not JSON" },
		{ "gpulane-device 1\nname a\n", "line 1: not JSON" },
		{ HEAD "\n\n'op': {}, }", "line 3: not JSON" },
		{ HEAD "'op': {}} x", "not JSON" },
		{ "[1]", "not a device file" },
		{ "{'gpulane_device': 1}", "not a device file" },
		{ "{'gpulane_device': 2, 'name': 'a'}", "`name' and `source' are needed" },
		{ HEAD "'title': 7}", "`title' is not text" },
		{ HEAD "'nonsense': {}}", "no such kind" },
		{ HEAD "'device': 3}", "[device] is not an object" },
		{ HEAD "'op': 3}", "[op] needs names" },
		{ HEAD "'op': {'a': null}}", "[op a] is not an object" },
		{ HEAD "'op': {'a/b': {}}}", "not a name" },
		{ HEAD "'op': {'': {}}}", "not a name" },
		{ HEAD "'op': {'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': {}}}", "up to 31" },
		{ HEAD "'device': {'units': 0}}", "between 1 and 4096" },
		{ HEAD "'device': {'units': 1.5}}", "whole number" },
		{ HEAD "'device': {'units': '1'}}", "not a number" },
		{ HEAD "'device': {'units': null}}", "not a number" },
		{ HEAD "'device': {'units': -1}}", "not a number" },
		{ HEAD "'device': {'units': 1e300}}", "not a number" },
		{ HEAD "'device': {'units': {'value': [1]}}}", "not a number" },
		{ HEAD "'device': {'units': {'value': 1, 'by': 'me'}}}", "`by' is none of value" },
		{ HEAD "'device': {'units': {'value': 1, 'uncertainty': -1}}}", "its uncertainty" },
		{ HEAD "'device': {'units': 1}}", "lacks `clock_mhz'" },
		{ HEAD "'device': {'colour': 1}}", "no key `colour'" },
		{ HEAD "'op': {'a': {'issue': 1, 'completion': 2}}}", "lacks `pipe'" },
		{ HEAD "'op': {'a': {'pipe': 3}}}", "[op a] lacks" },
		{ HEAD "'op': {'a': {'at': [[8, 1, 1], [8, 1, 1]]}}}", "ascending" },
		{ HEAD "'op': {'a': {'at': [[8, 1]]}}}", "point 1 is not three numbers" },
		{ HEAD "'op': {'a': {'at': {}}}}", "not a list" },
		{ HEAD "'unknown': []}", "`unknown' is not an object" },
		{ HEAD "'unknown': {'colour': 'x'}}", "no section or key" },
		{ HEAD "'unknown': {'device colour': 'x'}}", "no section or key" },
		{ HEAD "'unknown': {'atomic_unit': 1}}", "no section or key, or has no reason" },
		{ HEAD "'increments': {'service': 1, 'same_word': 1, 'same_bank': 1}, 'unknown': "
		       "{'increments': 'x'}}",
		  "`increments' is known" },
		{ HEAD "'a': [[[[[[[[[[[[1]]]]]]]]]]]]}", "not JSON" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct lane_device *d = NULL;

		check_error(parse(wrong[i].text, &d), wrong[i].says);
		assert_null(d);
	}
}

static struct lane_error *image(const char *bytes, size_t n, struct lane_image **made)
{
	/* An allocation of exactly n bytes: the sanitizer sees a read behind it. */
	uint8_t *data = malloc(n ? n : 1);
	struct lane_error *err;

	assert_non_null(data);
	memcpy(data, bytes, n);
	err = model_image_parse(data, n, "test.pgm", made);
	free(data);
	return err;
}

#define LITERAL(text) text, sizeof(text) - 1

TEST(test_images)
{
	struct lane_image *i;

	assert_null(image(LITERAL("P5\n# a comment\n2 2\n255\n\x01\x02\x03\xff"), &i));
	assert_int_equal(i->width, 2);
	assert_int_equal(i->max, 255);
	assert_int_equal(i->pixel[3], 255);
	free(i);
	assert_null(image(LITERAL("P5 2 1 4095\n\x01\x02\x0f\xff"), &i));
	assert_int_equal(i->pixel[0], 0x102);
	assert_int_equal(i->pixel[1], 4095);
	free(i);
}

TEST(test_wrong_images)
{
	static const struct {
		const char *bytes;
		size_t n;
	} wrong[] = {
		{ LITERAL("") },
		{ LITERAL("P5") },
		{ LITERAL("P6\n1 1\n255\n\x01\x02\x03") },
		{ LITERAL("P5\n1 1\n255") },
		{ LITERAL("P5\n1 1 255 ") },
		{ LITERAL("P5\n2 2\n255\n\x01\x02\x03") },
		{ LITERAL("P5\n1 1\n0\n\x01") },
		{ LITERAL("P5\n1 1\n65536\n\x01\x01") },
		{ LITERAL("P5\n0 1\n255\n\x01") },
		{ LITERAL("P5\n99999999999 1\n255\n\x01") },
		{ LITERAL("P5\n65536 65536\n255\n\x01") },
		{ LITERAL("P5\n60000 1000\n255\n\x01") },
		{ LITERAL("P5\n1 1\n100\n\xff") },
		{ LITERAL("P5\n1 1\n4095\n\xff\xff") },
		{ LITERAL("P5\n# no end") },
		{ LITERAL("P5\n-1 1\n255\n\x01") },
	};

	for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
		struct lane_image *i = NULL;
		struct lane_error *err = image(wrong[k].bytes, wrong[k].n, &i);

		assert_non_null(err);
		assert_null(i);
		lane_error_free(err);
	}
}

TEST(test_generated)
{
	struct lane_image *a, *b;

	for (int t = 0; t < LANE_TEXTURE_COUNT; t++) {
		uint32_t most = 0;

		assert_null(model_image_generate((enum lane_texture)t, 64, 48, 7, &a));
		assert_null(model_image_generate((enum lane_texture)t, 64, 48, 7, &b));
		assert_memory_equal(a->pixel, b->pixel, 64 * 48 * sizeof(*a->pixel));
		for (int i = 0; i < 64 * 48; i++)
			most = a->pixel[i] > most ? a->pixel[i] : most;
		assert_between(most, 1, 4095);
		free(a);
		free(b);
	}
	check_error(model_image_generate(LANE_TEXTURE_SMOOTH, 0, 1, 1, &a), "");
}
