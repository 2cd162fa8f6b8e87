// SPDX-License-Identifier: MIT
// Reads pairs of events of two recordings: `RECORDING NS before|after NS`.
#include "norm/pairs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/vector.h"

enum {
	LINE_BYTES = 256,
	MAX_PAIRS = 4 << 20,
};

struct recorded_pair {
	uint64_t recording, first_ns, other_ns;
	bool is_before;
};

struct recorded_pairs {
	struct recorded_pair *pairs;
	size_t n, cap;
};

static void free_pairs(struct recorded_pairs *pairs)
{
	free(pairs->pairs);
}

/* A decimal number that is the whole word. */
static bool pairs_number(const char *word, uint64_t *value)
{
	char *end;

	if (!word || *word < '0' || *word > '9')
		return false;
	errno = 0;
	*value = strtoull(word, &end, 10);
	return !errno && !*end;
}

/* One line; false: it is not a pair. A line without words is one of recording 0. */
static bool pairs_parse(char *line, size_t n, struct recorded_pair *pair)
{
	char *rest = line, *words[5] = { NULL };

	for (int i = 0; i < 5; i++)
		words[i] = strtok_r(i ? NULL : line, " \t\r\n", &rest);
	pair->recording = 0;
	if (!words[0] || words[0][0] == '#')
		return true;
	if (!pairs_number(words[0], &pair->recording) || !pairs_number(words[1], &pair->first_ns) ||
	    !words[2] || !pairs_number(words[3], &pair->other_ns) || words[4] || !pair->recording ||
	    pair->recording >= n)
		return false;
	pair->is_before = !strcmp(words[2], "before");
	return pair->is_before || !strcmp(words[2], "after");
}

static struct lane_error *pairs_keep(struct recorded_pairs *pairs, const struct recorded_pair *pair,
				     const char *path)
{
	if (pairs->n == MAX_PAIRS)
		return lane_error("%s: more than %d pairs", path, MAX_PAIRS);
	if (!LANE_GROW(pairs->pairs, pairs->cap, pairs->n + 1))
		return &lane_enomem;
	pairs->pairs[pairs->n++] = *pair;
	return NULL;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* An order that depends on nothing but what the pairs say: by recording, then by time. */
static int pairs_compare(const void *left, const void *right)
{
	const struct recorded_pair *a = left, *b = right;
	int order = compare_numbers(a->recording, b->recording);

	if (!order)
		order = compare_numbers(a->first_ns, b->first_ns);
	if (!order)
		order = compare_numbers(a->other_ns, b->other_ns);
	return order ? order : (int)a->is_before - (int)b->is_before;
}

static struct lane_error *read_lines(FILE *from, const char *path, size_t n,
				     struct recorded_pairs *pairs)
{
	char line[LINE_BYTES];
	struct lane_error *err = NULL;
	uint64_t at = 0;

	while (!err && fgets(line, sizeof(line), from)) {
		struct recorded_pair pair;
		bool is_whole = strchr(line, '\n') || feof(from);
		bool is_comment = line[strspn(line, " \t\r\n")] == '#';

		at++;
		while (!is_whole && is_comment) {
			int c = getc(from);

			is_whole = c == '\n' || c == EOF;
		}
		if (!is_whole || !pairs_parse(line, n, &pair))
			return lane_error("%s:%" PRIu64 ": not a pair (RECORDING NS before|after "
					  "NS; recordings are 1 to %zu)",
					  path, at, n - 1);
		if (pair.recording)
			err = pairs_keep(pairs, &pair, path);
	}
	if (!err && ferror(from))
		err = lane_error_errno(errno, "%s", path);
	return err;
}

struct lane_error *norm_pairs_read(const char *path, struct lane_sync *syncs, size_t n)
{
	LANE_CLEANUP(lane_fclose) FILE *from = NULL;
	LANE_CLEANUP(free_pairs) struct recorded_pairs pairs = { 0 };
	struct lane_error *err;
	uint64_t lo, hi;

	err = lane_file_fopen(path, &from);
	if (!err)
		err = read_lines(from, path, n, &pairs);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		clock_sync_init(&syncs[i], 1);
	if (pairs.n)
		qsort(pairs.pairs, pairs.n, sizeof(*pairs.pairs), pairs_compare);
	for (size_t i = 0; i < pairs.n; i++) {
		const struct recorded_pair *pair = &pairs.pairs[i];

		(pair->is_before ? clock_sync_before : clock_sync_after)(
			&syncs[pair->recording], pair->first_ns, pair->other_ns);
	}
	for (size_t i = 1; i < n; i++) {
		if (syncs[i].restarts)
			return lane_error("%s: no even clock keeps all pairs of recording %zu",
					  path, i);
		if (!clock_sync_bounds(&syncs[i], syncs[i].last_other, &lo, &hi))
			return lane_error("%s: the clock of recording %zu is not bounded: it needs "
					  "pairs of both kinds",
					  path, i);
	}
	return NULL;
}
