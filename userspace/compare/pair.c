// SPDX-License-Identifier: MIT
// Pairs what is alike in the recordings of both sides, and tests what differs.
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "compare/blocks.h"

/* What differs by less is alike, however sure that is: by a part, or by a share of the time. */
#define LEAST_CHANGE 0.05
/* What takes less of a recording's time does not matter. */
#define LEAST_SHARE 0.005

double compare_scaled(int quantity, double value)
{
	enum compare_unit unit = compare_quantity_unit(quantity);

	if (unit == COMPARE_OF_TIME)
		return value;
	/* Below a microsecond nothing is made of it; nor of a rate below one in 1,000 s. */
	return log(fmax(value, unit == COMPARE_IN_NS ? 1000 : 0.001));
}

/* The scaled values of a test, each recording's: of base and of new the lower or the upper bounds,
 * or the middle. */
enum bound {
	LOWER,
	MIDDLE,
	UPPER
};

static double bound_of(const struct compare_value *value, enum bound bound)
{
	return bound == LOWER	? value->lo
	       : bound == UPPER ? value->hi
				: (value->lo + value->hi) / 2;
}

static void pair_fill(const struct compare_result *r, const struct compare_row *row, int quantity,
		      enum bound base, enum bound new, double *values)
{
	for (unsigned int i = 0; i < r->n[0] + r->n[1]; i++)
		values[i] = compare_scaled(
			quantity, bound_of(&row->of[i]->value[quantity], i < r->n[0] ? base : new));
}

static double mean_of(const double *values, unsigned int n)
{
	double sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += values[i];
	return sum / n;
}

static double difference(const struct compare_result *r, const double *values)
{
	return mean_of(values + r->n[0], r->n[1]) - mean_of(values, r->n[0]);
}

/* The mean of n recordings' middles, as they are. */
static double middle_of(const struct compare_row *row, int quantity, unsigned int from,
			unsigned int n)
{
	double sum = 0;

	for (unsigned int i = from; i < from + n; i++)
		sum += bound_of(&row->of[i]->value[quantity], MIDDLE);
	return sum / n;
}

/* A scaled difference as it is told: a ratio, or the difference of shares. */
static double unscaled(int quantity, double difference)
{
	return compare_quantity_unit(quantity) == COMPARE_OF_TIME ? difference : exp(difference);
}

static bool is_large(int quantity, double difference)
{
	return fabs(difference) >= (compare_quantity_unit(quantity) == COMPARE_OF_TIME
					    ? LEAST_CHANGE
					    : log1p(LEAST_CHANGE));
}

/* --- rows --- */

static uint64_t key_of(const struct compare_thing *thing)
{
	return lane_hash_text(thing->who) * 31 + (uint64_t)thing->kind;
}

static bool add_thing(struct compare_result *r, struct lane_table *index,
		      const struct compare_thing *thing, unsigned int recording)
{
	uint64_t b = lane_hash_text(thing->what) * 31 + lane_hash_text(thing->by);
	uintptr_t number = (uintptr_t)lane_table_get(index, key_of(thing), b);
	struct compare_row *row;

	if (!number) {
		row = LANE_APPEND(r->rows, r->n_rows, r->room);
		if (!row || !lane_table_put(index, key_of(thing), b, (void *)(uintptr_t)r->n_rows))
			return false;
		row->any = thing;
		number = r->n_rows;
	}
	row = &r->rows[number - 1];
	row->of[recording] = thing;
	row->n_of[recording >= r->n[0]]++;
	return true;
}

static double items_share(const struct compare_recording *recording,
			  const struct compare_thing *thing, int quantity)
{
	return bound_of(&thing->value[quantity], MIDDLE) / 1e9 * (double)thing->count /
	       recording->whole_s;
}

/* So much of the time of a recording that has it the quantity takes, over all its items. */
static double share_of(const struct compare_result *r, const struct compare_row *row, int quantity)
{
	double sum = 0;

	for (unsigned int i = 0; i < r->n[0] + r->n[1]; i++)
		if (row->of[i])
			sum += items_share(&r->recordings[i], row->of[i], quantity);
	return sum / (row->n_of[0] + row->n_of[1]);
}

static bool is_of_items(const struct compare_row *row)
{
	return row->any->kind == COMPARE_REQUESTS || row->any->kind == COMPARE_KERNEL;
}

/* The mean of a share over all recordings. */
static double mean_share(const struct compare_result *r, const struct compare_row *row,
			 int quantity)
{
	double sum = 0;

	for (unsigned int i = 0; i < r->n[0] + r->n[1]; i++)
		sum += bound_of(&row->of[i]->value[quantity], MIDDLE);
	return sum / (r->n[0] + r->n[1]);
}

/* It is known on both sides, and large enough to matter. */
static bool is_testable(const struct compare_result *r, const struct compare_row *row, int quantity)
{
	for (unsigned int i = 0; i < r->n[0] + r->n[1]; i++)
		if (!row->of[i] || !row->of[i]->value[quantity].is_known)
			return false;
	if (row->any->kind == COMPARE_ANSWER)
		return false;
	if (row->any->kind == COMPARE_ENGINE)
		return true;
	if (row->any->kind == COMPARE_PROCESS)
		return mean_share(r, row, quantity) >= LEAST_SHARE;
	return (quantity < COMPARE_STAGE ? row->time_share : share_of(r, row, quantity)) >=
	       LEAST_SHARE;
}

/* --- tests --- */

struct testing {
	struct compare_result *r;
	struct compare_row *row;
	int quantity;
	double seems;			      /* the difference of the middles, scaled */
	bool is_apart;			      /* the bounds leave a difference of that sign */
	double values[2 * COMPARE_SIDE_MOST]; /* with the bounds that make it least */
};

static bool begin_test(struct testing *t)
{
	unsigned int n_base = t->r->n[0];
	struct compare_test *test = &t->row->tests[t->quantity];
	bool is_more;

	if (!is_testable(t->r, t->row, t->quantity))
		return false;
	test->is_made = true;
	test->p = 1;
	pair_fill(t->r, t->row, t->quantity, MIDDLE, MIDDLE, t->values);
	t->seems = difference(t->r, t->values);
	test->base = middle_of(t->row, t->quantity, 0, n_base);
	test->new = middle_of(t->row, t->quantity, n_base, t->r->n[1]);
	is_more = t->seems > 0;
	pair_fill(t->r, t->row, t->quantity, is_more ? UPPER : LOWER, is_more ? LOWER : UPPER,
		  t->values);
	t->is_apart = is_more ? difference(t->r, t->values) > 0 : difference(t->r, t->values) < 0;
	if (!t->is_apart) /* nothing is claimed of it: its middles take part in the others' p */
		pair_fill(t->r, t->row, t->quantity, MIDDLE, MIDDLE, t->values);
	return true;
}

static void pair_conclude(struct testing *t, bool is_sure)
{
	struct compare_test *test = &t->row->tests[t->quantity];
	int bad = compare_quantity_bad(t->quantity);

	test->verdict = COMPARE_ALIKE;
	if (!is_large(t->quantity, t->seems))
		return;
	if (!t->is_apart)
		test->verdict = COMPARE_UNTOLD;
	else if (is_sure)
		test->verdict = !bad			      ? COMPARE_OTHER
				: (bad > 0) == (t->seems > 0) ? COMPARE_WORSE
							      : COMPARE_BETTER;
}

/* The change with 95 %, as far as bounds leave it. */
static void set_welch(struct testing *t)
{
	struct compare_test *test = &t->row->tests[t->quantity];
	double values[2 * COMPARE_SIDE_MOST];

	pair_fill(t->r, t->row, t->quantity, UPPER, LOWER, values);
	test->change.lo = unscaled(t->quantity, compare_welch(values, t->r->n[0], t->r->n[1]).lo);
	pair_fill(t->r, t->row, t->quantity, LOWER, UPPER, values);
	test->change.hi = unscaled(t->quantity, compare_welch(values, t->r->n[0], t->r->n[1]).hi);
}

/* All tests of all rows, one after the other. */
static size_t each_test(struct compare_result *r,
			void (*fn)(struct testing *t, size_t nth, void *arg), void *arg)
{
	size_t n = 0;

	for (uint32_t i = 0; i < r->n_rows; i++)
		for (int q = 0; q < COMPARE_QUANTITY_COUNT; q++) {
			struct testing t = { .r = r, .row = &r->rows[i], .quantity = q };

			if (begin_test(&t))
				fn(&t, n++, arg);
		}
	return n;
}

struct permuted {
	double *values, *p;
};

static void count_only(struct testing *t, size_t nth, void *arg)
{
	(void)t;
	(void)nth;
	(void)arg;
}

static void take_values(struct testing *t, size_t nth, void *arg)
{
	const struct permuted *permuted = arg;
	unsigned int n = t->r->n[0] + t->r->n[1];

	memcpy(permuted->values + nth * n, t->values, n * sizeof(*t->values));
}

static void take_p(struct testing *t, size_t nth, void *arg)
{
	const struct permuted *permuted = arg;

	t->row->tests[t->quantity].p = t->is_apart ? permuted->p[nth] : 1;
	set_welch(t);
	pair_conclude(t, permuted->p[nth] <= COMPARE_LEVEL);
}

/* Enough recordings a side: the recording is the unit. */
static bool test_permuted(struct compare_result *r)
{
	size_t n = each_test(r, count_only, NULL);
	LANE_CLEANUP(lane_free)
	double *values = calloc(n * (r->n[0] + r->n[1]) + 1, sizeof(*values));
	LANE_CLEANUP(lane_free) double *p = calloc(n + 1, sizeof(*p));
	struct permuted permuted = { values, p };

	if (!values || !p)
		return false;
	each_test(r, take_values, &permuted);
	if (!compare_permute(values, n, r->n[0], r->n[1], p))
		return false;
	each_test(r, take_p, &permuted);
	return true;
}

/* Two or three a side: all of one side lie beyond all of the other, or nothing is said. */
static void take_range(struct testing *t, size_t nth, void *arg)
{
	struct compare_test *test = &t->row->tests[t->quantity];
	struct compare_interval change = { INFINITY, -INFINITY };
	unsigned int n_base = t->r->n[0];

	(void)nth;
	(void)arg;
	for (unsigned int b = 0; b < n_base; b++)
		for (unsigned int k = n_base; k < n_base + t->r->n[1]; k++) {
			const struct compare_value *base = &t->row->of[b]->value[t->quantity];
			const struct compare_value *new = &t->row->of[k]->value[t->quantity];
			int q = t->quantity;

			change.lo = fmin(change.lo,
					 compare_scaled(q, new->lo) - compare_scaled(q, base->hi));
			change.hi = fmax(change.hi,
					 compare_scaled(q, new->hi) - compare_scaled(q, base->lo));
		}
	test->change.lo = unscaled(t->quantity, change.lo);
	test->change.hi = unscaled(t->quantity, change.hi);
	pair_conclude(t, change.lo > 0 || change.hi < 0);
}

/* One a side: its own items are drawn anew, in blocks of time; of what has no items the bounds
 * alone are looked at. */
struct blocks {
	struct compare_row *row;
	struct compare_drawn drawn;
	double *p;
	size_t n, told;
	bool has_memory;
};

static bool is_drawn(const struct testing *t)
{
	return is_of_items(t->row) && t->quantity != COMPARE_RATE;
}

static void take_blocks(struct testing *t, size_t nth, void *arg)
{
	struct blocks *blocks = arg;
	struct compare_test *test = &t->row->tests[t->quantity];

	if (!is_drawn(t)) {
		take_range(t, nth, NULL);
		return;
	}
	if (blocks->row != t->row) {
		blocks->has_memory &= compare_draw_blocks(t->row->of[0]->series,
							  t->row->of[1]->series, &blocks->drawn);
		blocks->row = t->row;
	}
	blocks->p[blocks->n++] = compare_drawn_p(&blocks->drawn, t->quantity,
						 difference(t->r, t->values), &test->change);
	test->change.lo = unscaled(t->quantity, test->change.lo);
	test->change.hi = unscaled(t->quantity, test->change.hi);
}

static void take_holm(struct testing *t, size_t nth, void *arg)
{
	struct blocks *blocks = arg;
	double p;

	if (!is_drawn(t)) {
		take_range(t, nth, NULL);
		return;
	}
	p = blocks->p[blocks->told++];
	t->row->tests[t->quantity].p = t->is_apart ? p : 1;
	pair_conclude(t, p <= COMPARE_LEVEL);
}

static bool test_one_with_one(struct compare_result *r)
{
	size_t n = each_test(r, count_only, NULL);
	LANE_CLEANUP(lane_free) double *p = calloc(n + 1, sizeof(*p));
	LANE_CLEANUP(lane_free) struct blocks *blocks = calloc(1, sizeof(*blocks));

	if (!p || !blocks)
		return false;
	blocks->p = p;
	blocks->has_memory = true;
	each_test(r, take_blocks, blocks);
	if (!blocks->has_memory || !compare_holm(p, blocks->n))
		return false;
	each_test(r, take_holm, blocks);
	return true;
}

/* A recording that lost events does not tell what is no answer. */
static bool has_losses(const struct compare_result *r, unsigned int side)
{
	for (unsigned int i = 0; i < r->n[side]; i++)
		if (r->recordings[i + side * r->n[0]].losses ||
		    r->recordings[i + side * r->n[0]].is_damaged)
			return true;
	return false;
}

/*
 * A cause that all recordings of one side have, and none of the other. What it cost is known from
 * below alone, so nothing is claimed of one that both have; where it is no answer it cost less than
 * answers do.
 */
static void test_answer(const struct compare_result *r, struct compare_row *row)
{
	struct compare_test *test = &row->tests[COMPARE_COST];
	double sum[2] = { 0 };

	for (unsigned int i = 0; i < r->n[0] + r->n[1]; i++)
		if (row->of[i])
			sum[i >= r->n[0]] += row->of[i]->value[COMPARE_COST].lo;
	test->is_made = true;
	test->p = 1;
	test->base = sum[0] / r->n[0];
	test->new = sum[1] / r->n[1];
	test->change = (struct compare_interval){ -INFINITY, INFINITY };
	test->verdict = COMPARE_ALIKE;
	if (row->n_of[1] == r->n[1] && !row->n_of[0]) {
		test->verdict = has_losses(r, 0) ? COMPARE_UNTOLD : COMPARE_WORSE;
		test->change.lo = fmax(0, test->new - LEAST_CHANGE);
	} else if (row->n_of[0] == r->n[0] && !row->n_of[1]) {
		test->verdict = has_losses(r, 1) ? COMPARE_UNTOLD : COMPARE_BETTER;
		test->change.hi = fmin(0, LEAST_CHANGE - test->base);
	}
}

/* --- what is told first --- */

static bool pair_is_told(const struct compare_test *test, enum compare_verdict verdict)
{
	return test->is_made && test->verdict == verdict;
}

int compare_row_first(const struct compare_row *row, enum compare_verdict verdict)
{
	for (int q = 0; q < COMPARE_STAGE; q++)
		if (pair_is_told(&row->tests[q], verdict))
			return q;
	return compare_row_stage(row, verdict);
}

int compare_row_stage(const struct compare_row *row, enum compare_verdict verdict)
{
	int first = -1;
	double most = 0;

	for (int q = COMPARE_STAGE; q < COMPARE_QUANTITY_COUNT; q++) {
		double change = fabs(row->tests[q].new - row->tests[q].base);

		if (!pair_is_told(&row->tests[q], verdict) || change <= most)
			continue;
		most = change;
		first = q;
	}
	return first;
}

/* How much worse it is at least: as a part of itself, or of the time. */
static double least_worse(const struct compare_test *test, int quantity)
{
	switch (compare_quantity_unit(quantity)) {
	case COMPARE_IN_NS:
		return test->change.lo - 1;
	case COMPARE_A_SECOND:
		return 1 - test->change.hi;
	default:
		return test->change.lo;
	}
}

bool compare_worse_by(const struct compare_result *result, double part,
		      const struct compare_row **row, int *quantity)
{
	for (uint32_t i = 0; i < result->n_rows; i++)
		for (int q = 0; q < COMPARE_QUANTITY_COUNT; q++) {
			const struct compare_test *test = &result->rows[i].tests[q];

			if (!pair_is_told(test, COMPARE_WORSE) || least_worse(test, q) <= part)
				continue;
			*row = &result->rows[i];
			*quantity = q;
			return true;
		}
	return false;
}

/* A difference as a share of the recording's time: of the slowest items alone, as few as they are.
 */
static double weight_of(const struct compare_row *row, int quantity)
{
	const struct compare_test *test = &row->tests[quantity];
	double part = quantity == COMPARE_P95 ? 0.05 : quantity == COMPARE_P99 ? 0.01 : 1;

	if (!test->is_made || test->verdict == COMPARE_ALIKE)
		return 0;
	if (compare_quantity_unit(quantity) == COMPARE_OF_TIME)
		return fabs(test->new - test->base);
	if (quantity >= COMPARE_STAGE && row->tests[COMPARE_MEAN].is_made)
		return fabs(test->new - test->base) / row->tests[COMPARE_MEAN].base *
		       row->time_share;
	return fabs(test->new / test->base - 1) * part * row->time_share;
}

static void pair_weigh(struct compare_result *r, struct compare_row *row)
{
	for (int q = 0; q < COMPARE_QUANTITY_COUNT; q++) {
		row->weight = fmax(row->weight, weight_of(row, q));
		r->alike += pair_is_told(&row->tests[q], COMPARE_ALIKE);
		r->untold += pair_is_told(&row->tests[q], COMPARE_UNTOLD);
	}
}

static int by_weight(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;

	return (x->weight < y->weight) - (x->weight > y->weight);
}

static struct lane_error *pair(struct compare_result *r)
{
	LANE_CLEANUP(lane_table_free) struct lane_table index = { 0 };

	for (unsigned int i = 0; i < r->n[0] + r->n[1]; i++)
		for (uint32_t k = 0; k < r->recordings[i].n_things; k++)
			if (!add_thing(r, &index, &r->recordings[i].things[k], i))
				return &lane_enomem;
	for (uint32_t i = 0; i < r->n_rows; i++)
		if (is_of_items(&r->rows[i]))
			r->rows[i].time_share = share_of(r, &r->rows[i], COMPARE_MEAN);
	return NULL;
}

struct lane_error *compare_sides(const struct compare_recording *recordings, unsigned int n_base,
				 unsigned int n_new, struct compare_result *result)
{
	struct lane_error *err;
	bool has_memory = true;

	*result = (struct compare_result){ .recordings = recordings, .n = { n_base, n_new } };
	err = pair(result);
	if (err)
		return err;
	result->is_tested = compare_least_p(n_base, n_new) <= COMPARE_LEVEL;
	if (result->is_tested)
		has_memory = test_permuted(result);
	else if (n_base == 1 && n_new == 1)
		has_memory = test_one_with_one(result);
	else
		each_test(result, take_range, NULL);
	for (uint32_t i = 0; i < result->n_rows; i++) {
		if (result->rows[i].any->kind == COMPARE_ANSWER)
			test_answer(result, &result->rows[i]);
		pair_weigh(result, &result->rows[i]);
	}
	if (result->n_rows)
		qsort(result->rows, result->n_rows, sizeof(*result->rows), by_weight);
	return has_memory ? NULL : &lane_enomem;
}

void compare_result_deinit(struct compare_result *result)
{
	free(result->rows);
	memset(result, 0, sizeof(*result));
}
