// SPDX-License-Identifier: MIT
// What somebody may have meant who mistyped a word: the name that takes the fewest changes.
#include "base/near.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 31 /* letters of a word that is compared */

static unsigned int near_least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static int near_is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Letters to change, to add, to leave out, or to exchange with the next one. */
static unsigned int near_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	unsigned int of[LONGEST + 1][LONGEST + 1];

	for (size_t i = 0; i <= n_a; i++)
		of[i][0] = (unsigned int)i;
	for (size_t j = 0; j <= n_b; j++)
		of[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= n_a; i++)
		for (size_t j = 1; j <= n_b; j++) {
			unsigned int kept = of[i - 1][j - 1] + !near_is_same(a[i - 1], b[j - 1]);

			of[i][j] = near_least(kept, near_least(of[i - 1][j], of[i][j - 1]) + 1);
			if (i > 1 && j > 1 && near_is_same(a[i - 1], b[j - 2]) &&
			    near_is_same(a[i - 2], b[j - 1]))
				of[i][j] = near_least(of[i][j], of[i - 2][j - 2] + 1);
		}
	return of[n_a][n_b];
}

void lane_near_try(struct lane_near *near, const char *name)
{
	size_t n_word = strlen(near->word), n_name = strlen(name);
	unsigned int away;

	if (n_word > LONGEST || n_name > LONGEST)
		return;
	away = near_distance(near->word, n_word, name, n_name);
	/* Of a short word half the letters would make any other. */
	if (away * 3 > n_name || (near->name && away >= near->away))
		return;
	near->name = name;
	near->away = away;
}

const char *lane_near_said(const struct lane_near *near, char *buffer, unsigned int size)
{
	snprintf(buffer, size, near->name ? "did you mean `%s`? " : "", near->name);
	return buffer;
}
