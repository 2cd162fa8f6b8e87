// SPDX-License-Identifier: MIT
// Calibration of local memory's atomics: the conflict curves; then a unit with a queue: its service
// time from many warps at once, its latency from one warp alone, and whether conflicts add up as
// the model says.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/calibrate.h"
#include "model/local.h"

#define UNIT_SAMPLES 48
#define MOST_SAMPLES (LANE_CURVES * LANE_PAD_LANES + 2 * UNIT_SAMPLES)
#define CURVES_AGREE 0.2  /* mean deviation up to which the model is believed */
#define FULL	     1.1  /* the queue is not empty when an atomic takes so many times as long */
#define MISFIT	     0.25 /* mean deviation from the law of a queue up to which it is believed */

/* Lanes in groups of so many on a word, the words in one bank or next to each other. */
struct mix {
	uint32_t lanes_on_word;
	uint32_t step;
};

static const struct mix mixes[] = { { 2, 32 }, { 4, 32 }, { 8, 32 }, { 2, 1 }, { 8, 1 } };

#define N_MIXES	    (sizeof(mixes) / sizeof(mixes[0]))
#define N_STRIDES   7 /* 1 to 64 */
#define FIRST_QUEUE (N_MIXES + N_STRIDES)

static struct lane_sample local_sample(const struct lane_meter *meter, uint32_t warps,
				       uint32_t degree, uint32_t stride)
{
	struct lane_sample s = { .trial = { .kind = LANE_TRIAL_LOCAL,
					    .warps = warps,
					    .lanes = model_trial_lanes(meter) } };

	for (uint32_t i = 0; i < model_trial_lanes(meter); i++)
		s.trial.word[i] = i < degree ? i * stride : i;
	return s;
}

static const uint32_t strides[LANE_CURVES] = { 0, 32, 256 };

/* Lane i below degree has word i * stride, else word i. */
static size_t add_curve(const struct lane_meter *meter, struct lane_sample *sample, uint32_t stride)
{
	uint32_t n = 0;

	for (uint32_t degree = 1; degree <= model_trial_lanes(meter); degree++) {
		if (degree > 1 && (degree - 1) * stride >= meter->local_words)
			break;
		sample[n++] = local_sample(meter, 1, degree, stride);
	}
	return n;
}

/* As many warps as have room for words of their own. */
static uint32_t most_warps(const struct lane_meter *meter)
{
	uint32_t rows = meter->local_words / LANE_TRIAL_SHIFT;
	uint32_t taken = (model_trial_lanes(meter) * 32 + LANE_TRIAL_SHIFT - 1) / LANE_TRIAL_SHIFT;
	uint32_t room = rows > taken ? rows - taken : 1;

	return meter->max_warps < room ? meter->max_warps : room;
}

/* Warps that fill the unit, by lanes on a word and words in a bank. */
static size_t by_degree(const struct lane_meter *meter, struct lane_sample *sample, uint32_t warps)
{
	size_t n = 0;

	for (uint32_t d = 1; d <= model_trial_lanes(meter); d *= 2) {
		sample[n++] = local_sample(meter, warps, d, 0);
		if (d > 1)
			sample[n++] = local_sample(meter, warps, d, 32);
	}
	return n;
}

/* The mixes; all lanes at growing strides; then, without conflicts, more and more warps; then all
 * warps, by degree. */
static size_t unit_samples(const struct lane_meter *meter, struct lane_sample *sample)
{
	uint32_t most = most_warps(meter);
	size_t n = 0;

	if (meter->local_words < (1u << (N_STRIDES - 1)) * model_trial_lanes(meter))
		return 0;
	for (size_t m = 0; m < N_MIXES; m++) {
		sample[n] = local_sample(meter, 1, 0, 0);
		for (uint32_t i = 0; i < model_trial_lanes(meter); i++)
			sample[n].trial.word[i] = i / mixes[m].lanes_on_word * mixes[m].step;
		n++;
	}
	for (uint32_t s = 0; s < N_STRIDES; s++)
		sample[n++] = local_sample(meter, 1, model_trial_lanes(meter), 1u << s);
	for (uint32_t w = 2; w < most; w *= 2)
		sample[n++] = local_sample(meter, w, 1, 0);
	return n + by_degree(meter, sample + n, most);
}

/* As many increments, by degree. */
static size_t increment_samples(const struct lane_meter *meter, struct lane_sample *sample)
{
	size_t n = by_degree(meter, sample, most_warps(meter));

	for (size_t i = 0; i < n; i++)
		sample[i].trial.increments = 1;
	return n;
}

static const struct lane_curve *curve_of(const struct lane_calibration *c, uint32_t stride)
{
	for (uint32_t i = 0; i < c->n_curves; i++)
		if (c->curve[i].stride == stride)
			return &c->curve[i];
	return NULL;
}

/* Further cycles per further lane of a curve: its last known point against its first. */
static void slope(const struct lane_curve *curve, double *value, double *error)
{
	uint32_t last = curve->n - 1;

	while (last && curve->cycles[last] < 0)
		last--;
	*value = last ? (curve->cycles[last] - curve->cycles[0]) / last : 0;
	*error = last ? model_both(curve->uncertainty[last], curve->uncertainty[0]) / last : 0;
	if (*value < 3 * *error)
		*value = 0;
}

/* The unit as the device file will describe it, to compare it with the mixes. */
static struct lane_local unit_of(const struct lane_calibration *c, const struct lane_meter *meter,
				 uint32_t banks, double service)
{
	const struct lane_curve *word = curve_of(c, 0);
	const struct lane_curve *bank = curve_of(c, 32);
	struct lane_local local = { .kind = LANE_LOCAL_UNIT,
				    .words = meter->local_words,
				    .banks = banks,
				    .lanes = model_trial_lanes(meter),
				    .service = service,
				    .latency = word->cycles[0] - service };

	for (uint32_t d = 1; d <= model_trial_lanes(meter); d++) {
		double further = d <= word->n ? word->cycles[d - 1] - word->cycles[0] : 0;

		local.same_word[d] = fmax(further, local.same_word[d - 1]);
		further = d <= bank->n ? bank->cycles[d - 1] - bank->cycles[0] : 0;
		local.same_bank[d] = fmax(further, local.same_bank[d - 1]);
		local.word_service[d] = local.same_word[d];
		local.bank_service[d] = local.same_bank[d];
	}
	return local;
}

static struct lane_local_cost cost_of(struct lane_local *local, const struct lane_sample *s)
{
	uint16_t address[LANE_PAD_LANES];

	for (uint32_t i = 0; i < s->trial.lanes; i++)
		address[i] = (uint16_t)s->trial.word[i];
	return model_local_evaluate(local, LANE_HASH_NONE, address, s->trial.lanes);
}

static double predicted(struct lane_local *local, const struct lane_sample *s)
{
	struct lane_local_cost cost = cost_of(local, s);
	double utilisation;

	return model_local_queue(&cost, s->trial.warps, &utilisation);
}

/*
 * The least stride at which all lanes cost as much as at any: they are then in one bank. 0 where no
 * stride costs more than neighbouring words.
 */
static uint32_t find_banks(const struct lane_sample *stride)
{
	const struct lane_sample *most = stride;
	uint32_t s = 0;

	for (uint32_t i = 1; i < N_STRIDES; i++)
		if (stride[i].cycles > most->cycles)
			most = &stride[i];
	if (most->cycles < FULL * stride[0].cycles + 3 * (most->error + stride[0].error))
		return 0;
	while (stride[s].cycles - stride[0].cycles < 0.75 * (most->cycles - stride[0].cycles))
		s++;
	return 1u << s;
}

/* The stride and the degree of a sample by_degree(). */
static uint32_t stride_of(const struct lane_sample *s)
{
	return s->trial.word[1] == 32 ? 32 : 0;
}

static uint32_t degree_of(const struct lane_sample *s)
{
	uint32_t degree = 1;

	while (s->trial.word[1] != 1 && degree < s->trial.lanes &&
	       s->trial.word[degree] == degree * s->trial.word[1])
		degree++;
	return degree;
}

/* What the unit is busy with a warp of a sample, and whether its queue was not empty. */
static int is_full(struct lane_local *local, const struct lane_sample *s)
{
	struct lane_sample alone = *s;
	double cycles;
	char noise[160];

	alone.trial.warps = 1;
	cycles = predicted(local, &alone);
	return model_sample_good(s, noise, sizeof(noise)) && s->cycles >= FULL * cycles &&
	       s->cycles >= cycles + 3 * s->spread;
}

static double each(const struct lane_sample *s)
{
	return s->cycles / s->trial.warps;
}

/*
 * Cycles that the unit is busy for each further lane: between the most lanes and half of them.
 * False where there is no such pair whose queues were not empty; a warp alone tells nothing of it.
 */
static int busy_slope(struct lane_local *local, const struct lane_sample *sample, size_t n,
		      uint32_t stride, uint32_t banks, double *value, double *error)
{
	const struct lane_sample *all = NULL, *half = NULL;
	double apart; /* lanes that meet */

	for (size_t i = 0; i < n; i++) {
		if (degree_of(&sample[i]) == 1 || stride_of(&sample[i]) != stride)
			continue;
		half = all;
		all = &sample[i];
	}
	if (!half || (local && (!is_full(local, all) || !is_full(local, half))))
		return 0;
	apart = degree_of(all) - degree_of(half);
	if (stride && banks > stride) /* a stride of 32 goes to several banks */
		apart *= (double)stride / banks;
	*value = (each(all) - each(half)) / apart;
	*error = model_both(all->spread, half->spread) / all->trial.warps / apart;
	if (*value < 3 * *error)
		*value = 0;
	return 1;
}

/*
 * Service without conflicts, from every sample with many warps whose queue was not empty: the mean,
 * each weighted by how sure it is.
 */
static int find_service(struct lane_local *local, const struct lane_sample *sample, size_t n,
			double *service, double *error)
{
	double weights = 0, sum = 0, squares = 0, surest = INFINITY;

	for (size_t i = FIRST_QUEUE; i < n; i++) {
		double conflicts = cost_of(local, &sample[i]).service - local->service;
		double sigma =
			model_both(sample[i].spread / sample[i].trial.warps, 0.03 * conflicts);
		double value = each(&sample[i]) - conflicts;

		if (!is_full(local, &sample[i]))
			continue;
		sigma = fmax(sigma, 1e-6);
		weights += 1 / (sigma * sigma);
		sum += value / (sigma * sigma);
		squares += value * value / (sigma * sigma);
		surest = fmin(surest, sigma);
	}
	if (weights <= 0)
		return 0;
	*service = sum / weights;
	*error = fmax(sqrt(fmax(squares / weights - *service * *service, 0)), surest);
	return 1;
}

static double deviation(struct lane_local *local, const struct lane_sample *first,
			const struct lane_sample *end)
{
	char noise[160];
	double sum = 0;
	uint32_t used = 0;

	for (const struct lane_sample *s = first; s < end; s++) {
		if (!model_sample_good(s, noise, sizeof(noise)))
			continue;
		sum += fabs(predicted(local, s) / s->cycles - 1);
		used++;
	}
	return used ? sum / used : 1;
}

/*
 * Whether words that are further apart cost more than words that are in one bank: then there is
 * something else that they share, such as the locks of NVIDIA's Fermi and Kepler.
 */
static int has_locks(const struct lane_calibration *c, const struct lane_sample *stride)
{
	const struct lane_sample *all = &stride[N_STRIDES - 1];
	double lanes = all->trial.lanes - 1, bank = (all->cycles - stride->cycles) / lanes;
	double far, error;

	slope(curve_of(c, 256), &far, &error);
	error = model_both(error, model_both(all->spread, stride->spread) / lanes);
	return far > FULL * bank + 3 * error;
}

static void keep_slopes(struct lane_local *local, const double *slope)
{
	for (uint32_t d = 1; d <= local->lanes; d++) {
		local->word_service[d] = slope[0] * (d - 1);
		local->bank_service[d] = slope[1] * (d - 1);
	}
}

static int conclude_unit(struct lane_calibration *c, const struct lane_meter *meter,
			 const struct lane_sample *sample, size_t n, char *reason, size_t bytes)
{
	const struct lane_curve *word = curve_of(c, 0);
	const struct lane_curve *bank = curve_of(c, 32);
	uint32_t banks, all_banks;
	size_t noisy = 0;
	struct lane_local local;
	double service = 0, error = 0, value, off, apart = 1, busy[2], busy_error[2];
	int has_slopes;

	if (!n || !word || !bank || !word->n || !bank->n || word->cycles[0] < 0 ||
	    bank->cycles[0] < 0) {
		snprintf(reason, bytes, "no curve of conflicts is known");
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		noisy += !model_sample_good(&sample[i], reason, bytes);
	if (2 * noisy > n)
		return 0;
	banks = find_banks(sample + N_MIXES);
	all_banks = banks ? banks : 32; /* any number: conflicts in them cost nothing */
	local = unit_of(c, meter, all_banks, 0);
	c->curve_error = deviation(&local, sample, sample + FIRST_QUEUE);
	if (c->curve_error > CURVES_AGREE) {
		snprintf(reason, bytes, "conflicts of both kinds do not add up (off by %.0f %%)",
			 100 * c->curve_error);
		return 0;
	}
	if (has_locks(c, sample + N_MIXES)) {
		snprintf(reason, bytes,
			 "words that are 256 apart cost more than words of one bank (locks are not "
			 "measured)");
		return 0;
	}
	has_slopes = busy_slope(&local, sample + FIRST_QUEUE, n - FIRST_QUEUE, 0, all_banks,
				&busy[0], &busy_error[0]) &&
		     busy_slope(&local, sample + FIRST_QUEUE, n - FIRST_QUEUE, 32, all_banks,
				&busy[1], &busy_error[1]);
	if (has_slopes)
		keep_slopes(&local, busy);
	if (!find_service(&local, sample, n, &service, &error)) {
		snprintf(reason, bytes, "%u warps do not fill the unit: it is at most %.4g",
			 sample[n - 1].trial.warps,
			 sample[n - 1].cycles / sample[n - 1].trial.warps);
		return 0;
	}
	if (service <= 0 || error > LANE_CALIBRATE_NOISE * service) {
		snprintf(reason, bytes, "noise: %.4g, uncertain by %.4g", service, error);
		return 0;
	}
	if (service > word->cycles[0]) /* one warp after the other, and nothing besides */
		service = word->cycles[0];
	local = unit_of(c, meter, all_banks, service);
	if (has_slopes)
		keep_slopes(&local, busy);
	off = deviation(&local, sample + FIRST_QUEUE, sample + n);
	if (off > MISFIT) {
		snprintf(reason, bytes,
			 "the numbers of warps do not follow the law of a queue (off by %.0f %%)",
			 100 * off);
		return 0;
	}
	model_find(c, "atomic_unit", "bytes", meter->local_bytes, 0, NULL);
	model_find(c, "atomic_unit", "banks", all_banks, 0, NULL);
	model_find(c, "atomic_unit", "latency", local.latency,
		   model_both(word->uncertainty[0], error), NULL);
	model_find(c, "atomic_unit", "service", service, error, NULL);
	slope(word, &value, &error);
	model_find(c, "atomic_unit", "same_word", value, error, NULL);
	slope(bank, &value, &error);
	/* A stride of 32 goes to several banks: of all lanes so many share one. */
	if (all_banks > 32)
		apart = (model_trial_lanes(meter) - 1) /
			fmax(ceil(model_trial_lanes(meter) * 32.0 / all_banks) - 1, 1);
	model_find(c, "atomic_unit", "same_bank", apart * value, apart * error, NULL);
	if (has_slopes) {
		model_find(c, "atomic_unit", "same_word_service", busy[0], busy_error[0], NULL);
		model_find(c, "atomic_unit", "same_bank_service", busy[1], busy_error[1], NULL);
	}
	return 1;
}

static void conclude_increments(struct lane_calibration *c, const struct lane_sample *sample,
				size_t n)
{
	uint32_t banks = 32;
	double value[2], error[2];
	char noise[160];

	for (size_t i = 0; i < n; i++)
		if (!sample[i].can || !model_sample_good(&sample[i], noise, sizeof(noise)))
			return;
	for (uint32_t i = 0; i < c->n; i++)
		if (!strcmp(c->finding[i].section, "atomic_unit") &&
		    !strcmp(c->finding[i].key, "banks"))
			banks = (uint32_t)c->finding[i].value;
	if (!busy_slope(NULL, sample, n, 0, banks, &value[0], &error[0]) ||
	    !busy_slope(NULL, sample, n, 32, banks, &value[1], &error[1]))
		return;
	model_find(c, "increments", "service", each(sample), sample->spread / sample->trial.warps,
		   NULL);
	model_find(c, "increments", "same_word", value[0], error[0], NULL);
	model_find(c, "increments", "same_bank", value[1], error[1], NULL);
}

static void keep_curves(struct lane_calibration *c, const struct lane_sample *sample,
			const size_t *points)
{
	for (int i = 0; i < LANE_CURVES; i++) {
		struct lane_curve *curve = &c->curve[c->n_curves];
		char reason[160];

		curve->stride = strides[i];
		for (size_t d = 0; d < points[i]; d++, sample++) {
			int good = model_sample_good(sample, reason, sizeof(reason));

			curve->cycles[d] = good ? sample->cycles : -1;
			curve->uncertainty[d] = sample->spread;
		}
		curve->n = (uint32_t)points[i];
		c->n_curves++;
	}
}

struct lane_error *model_calibrate_local(struct lane_meter *meter, uint32_t rounds,
					 struct lane_calibration *c)
{
	LANE_CLEANUP(lane_free)
	struct lane_sample *sample = calloc(MOST_SAMPLES, sizeof(*sample));
	size_t points[LANE_CURVES], n_curves = 0, n_unit, n_increments;
	struct lane_sample *unit;
	struct lane_error *err;
	char reason[160];

	if (!sample)
		return &lane_enomem;
	if (meter->local_words < 2 || meter->warp < 2)
		return NULL;
	for (int i = 0; i < LANE_CURVES; i++) {
		points[i] = add_curve(meter, sample + n_curves, strides[i]);
		n_curves += points[i];
	}
	unit = sample + n_curves;
	n_unit = unit_samples(meter, unit);
	n_increments = increment_samples(meter, unit + n_unit);
	err = model_sample_all(meter, sample, n_curves + n_unit + n_increments, rounds, c);
	if (err || !sample[0].can)
		return err;
	keep_curves(c, sample, points);
	if (conclude_unit(c, meter, unit, n_unit, reason, sizeof(reason))) {
		conclude_increments(c, unit + n_unit, n_increments);
		c->local_atomics = "unit";
		return NULL;
	}
	model_find(c, "atomic_unit", "banks", 0, 0, reason);
	model_find(c, "atomic_unit", "service", 0, 0, reason);
	return NULL;
}
