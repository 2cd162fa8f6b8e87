// SPDX-License-Identifier: MIT
// Draws the items of two recordings anew, in blocks of time.
#include "compare/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "compare/quantile.h"

/* The values of one draw. */
struct values {
	struct compare_bounds of[COMPARE_QUANTITY_COUNT];
};

struct drawing {
	const struct compare_series *series;
	uint64_t state;
	float *sorted[2];   /* of the lower, the upper bounds of the whole time */
	uint32_t *order[2]; /* and which item each is */
	uint32_t *picks;
	uint16_t *weights, *moved;
	double sums[COMPARE_COLUMNS][2];
};

struct drawn_place {
	float value;
	uint32_t item;
};

static int by_value(const void *a, const void *b)
{
	const struct drawn_place *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static void blocks_sort(struct drawing *d, int bound, struct drawn_place *places)
{
	uint32_t n = d->series->n_kept;

	for (uint32_t i = 0; i < n; i++) {
		const struct compare_bounds *of = &d->series->kept[i].of[0];

		places[i] = (struct drawn_place){ bound ? of->hi : of->lo, i };
	}
	qsort(places, n, sizeof(*places), by_value);
	for (uint32_t i = 0; i < n; i++) {
		d->sorted[bound][i] = places[i].value;
		d->order[bound][i] = places[i].item;
	}
}

static void drawing_deinit(struct drawing *d)
{
	for (int bound = 0; bound < 2; bound++) {
		free(d->sorted[bound]);
		free(d->order[bound]);
	}
	free(d->picks);
	free(d->weights);
	free(d->moved);
}

static bool drawing_init(struct drawing *d, const struct compare_series *series)
{
	size_t n = series->n_kept + 1;
	LANE_CLEANUP(lane_free) struct drawn_place *places = calloc(n, sizeof(*places));

	*d = (struct drawing){ .series = series };
	d->picks = calloc(n, sizeof(*d->picks));
	d->weights = calloc(n, sizeof(*d->weights));
	d->moved = calloc(n, sizeof(*d->moved));
	for (int bound = 0; bound < 2; bound++) {
		d->sorted[bound] = calloc(n, sizeof(*d->sorted[bound]));
		d->order[bound] = calloc(n, sizeof(*d->order[bound]));
	}
	if (!places || !d->picks || !d->weights || !d->moved || !d->sorted[0] || !d->sorted[1] ||
	    !d->order[0] || !d->order[1])
		return false;
	blocks_sort(d, 0, places);
	blocks_sort(d, 1, places);
	return true;
}

static void draw_quantiles(struct drawing *d, int bound, struct values *values)
{
	uint32_t n = d->series->n_kept;
	double quantiles[COMPARE_QUANTILES] = { 0 };

	for (uint32_t i = 0; i < n; i++)
		d->moved[i] = d->weights[d->order[bound][i]];
	compare_of_draw(d->sorted[bound], d->moved, n, quantiles);
	for (int i = 0; i < COMPARE_QUANTILES; i++) {
		struct compare_bounds *of = &values->of[compare_quantiles[i].quantity];

		*(bound ? &of->hi : &of->lo) = (float)quantiles[i];
	}
}

static void draw_means(const struct drawing *d, struct values *values)
{
	const struct compare_series *s = d->series;

	for (int c = 0; c < COMPARE_COLUMNS; c++) {
		double lo = 0, hi = 0;

		for (uint32_t i = 0; i < s->n_kept; i++) {
			const struct compare_bounds *of = &s->kept[i].of[c];

			lo += (double)of->lo * d->weights[i];
			hi += (isinf(of->hi) ? s->whole_ns : (double)of->hi) * d->weights[i];
		}
		values->of[c ? COMPARE_STAGE + c - 1 : COMPARE_MEAN] =
			(struct compare_bounds){ (float)(lo / s->n_kept), (float)(hi / s->n_kept) };
	}
}

static void draw(struct drawing *d, struct values *values)
{
	uint32_t n = d->series->n_kept;

	compare_pick_blocks(&d->state, n, d->picks);
	memset(d->weights, 0, n * sizeof(*d->weights));
	for (uint32_t i = 0; i < n; i++)
		d->weights[d->picks[i]]++;
	draw_quantiles(d, 0, values);
	draw_quantiles(d, 1, values);
	draw_means(d, values);
}

bool compare_draw_blocks(const struct compare_series *base, const struct compare_series *new,
			 struct compare_drawn *drawn)
{
	LANE_CLEANUP(drawing_deinit) struct drawing of_base = { 0 };
	LANE_CLEANUP(drawing_deinit) struct drawing of_new = { 0 };
	struct values from, to;

	memset(drawn, 0, sizeof(*drawn));
	if (!drawing_init(&of_base, base) || !drawing_init(&of_new, new))
		return false;
	of_new.state = 1; /* another row of numbers */
	for (int i = 0; i < COMPARE_DRAWS; i++) {
		memset(&from, 0, sizeof(from));
		memset(&to, 0, sizeof(to));
		draw(&of_base, &from);
		draw(&of_new, &to);
		for (int q = 0; q < COMPARE_QUANTITY_COUNT; q++)
			drawn->of[q][i] = (struct compare_interval){
				compare_scaled(q, (double)to.of[q].lo) -
					compare_scaled(q, (double)from.of[q].hi),
				compare_scaled(q, (double)to.of[q].hi) -
					compare_scaled(q, (double)from.of[q].lo)
			};
	}
	return true;
}

static int by_lo(const void *a, const void *b)
{
	const struct compare_interval *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

static int by_hi(const void *a, const void *b)
{
	const struct compare_interval *x = a, *y = b;

	return (x->hi > y->hi) - (x->hi < y->hi);
}

double compare_drawn_p(const struct compare_drawn *drawn, int quantity, double found,
		       struct compare_interval *change)
{
	struct compare_interval sorted[COMPARE_DRAWS];
	double sum = 0, squares = 0, error;

	memcpy(sorted, drawn->of[quantity], sizeof(sorted));
	for (int i = 0; i < COMPARE_DRAWS; i++)
		sum += found > 0 ? sorted[i].lo : sorted[i].hi;
	for (int i = 0; i < COMPARE_DRAWS; i++) {
		double off = (found > 0 ? sorted[i].lo : sorted[i].hi) - sum / COMPARE_DRAWS;

		squares += off * off;
	}
	error = sqrt(squares / (COMPARE_DRAWS - 1)) + COMPARE_LEAST_ERROR;
	qsort(sorted, COMPARE_DRAWS, sizeof(*sorted), by_lo);
	change->lo = sorted[COMPARE_DRAWS / 40].lo;
	qsort(sorted, COMPARE_DRAWS, sizeof(*sorted), by_hi);
	change->hi = sorted[COMPARE_DRAWS - 1 - COMPARE_DRAWS / 40].hi;
	return compare_normal_p(found / error);
}
