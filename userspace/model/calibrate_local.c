// SPDX-License-Identifier: MIT
// Calibration of local memory's atomics: the conflict curves, and banks, locks and the states'
// cycles from pairs of lanes at growing distances.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/calibrate.h"

#define MOST_DISTANCES 18
#define MOST_SAMPLES   (LANE_CURVES * LANE_PAD_LANES + MOST_DISTANCES + 2 * LANE_UNIT_SAMPLES)
#define MOST_BANKS     64
#define CURVES_AGREE   0.2 /* mean deviation up to which the model is believed */

static const uint32_t strides[LANE_CURVES] = { 0, 32, 256 };

static struct lane_sample local_sample(uint32_t lanes)
{
	return (struct lane_sample){
		.trial = { .kind = LANE_TRIAL_LOCAL, .warps = 1, .lanes = lanes }
	};
}

/* The pattern of pad.h: lane i below degree has word i * stride, else word i. */
static size_t add_curve(const struct lane_meter *meter, struct lane_sample *sample, uint32_t stride)
{
	uint32_t n = 0;

	for (uint32_t degree = 1; degree <= model_trial_lanes(meter); degree++) {
		if (degree > 1 && (degree - 1) * stride >= meter->local_words)
			break;
		sample[n] = local_sample(model_trial_lanes(meter));
		for (uint32_t i = 0; i < model_trial_lanes(meter); i++)
			sample[n].trial.word[i] = i < degree ? i * stride : i;
		n++;
	}
	return n;
}

/* Lanes 0 and 1 on words 0 and d, for every power of two d that fits. */
static size_t add_distances(const struct lane_meter *meter, struct lane_sample *sample)
{
	uint32_t n = 0;

	for (uint32_t d = 1; d < meter->local_words && n < MOST_DISTANCES; d *= 2) {
		sample[n] = local_sample(2);
		sample[n++].trial.word[1] = d;
	}
	return n;
}

/* What the distances say: costs without conflict, with a bank conflict, with a lock conflict. */
struct steps {
	double cost[3];	  /* mean of the level's distances */
	double spread[3]; /* of that mean */
	uint32_t at[3];	  /* the least distance of each: 1, banks, locks */
	uint32_t n;
};

static void add_level(struct steps *steps, const struct lane_sample *sample, uint32_t distance)
{
	steps->cost[steps->n] = sample->cycles;
	steps->spread[steps->n] = sample->error;
	steps->at[steps->n++] = distance;
}

/* One more distance of the level that has `before` already: means, and the error of the mean. */
static void join_level(struct steps *steps, const struct lane_sample *sample, size_t before)
{
	double *cost = &steps->cost[steps->n - 1];
	double *spread = &steps->spread[steps->n - 1];
	double n = (double)before + 1;

	*cost += (sample->cycles - *cost) / (n + 1);
	*spread = sqrt(*spread * *spread * n * n + sample->error * sample->error) / (n + 1);
}

/*
 * Costs must rise in at most two steps and stay there.
 * Returns a reason when they do not.
 */
static const char *find_steps(const struct lane_sample *sample, size_t n, struct steps *steps)
{
	char why[160];
	size_t begin = 0;
	size_t members = 0; /* of the level */

	memset(steps, 0, sizeof(*steps));
	add_level(steps, sample, 1);
	for (size_t i = 1; i < n; i++) {
		double noise = 4 * (sample[i].error + sample[begin].error);
		double step = fmax(noise, 0.15 * sample[0].cycles);
		double rise = sample[i].cycles - sample[begin].cycles;

		if (!model_sample_good(&sample[i], why, sizeof(why)))
			continue;
		if (rise < -step)
			return "costs fall with the distance (are banks hashed?)";
		if (rise > step && steps->n == 3)
			return "costs rise in more than two steps with the distance";
		if (rise > step) {
			begin = i;
			members = 0;
			add_level(steps, &sample[i], 1u << i);
		} else {
			join_level(steps, &sample[i], members++);
		}
	}
	if (steps->n < 2)
		return "no distance costs more than neighbouring words";
	if (steps->at[1] > MOST_BANKS)
		return "the first step is at a distance of more than 64 words (are banks hashed?)";
	return NULL;
}

/*
 * With R, U, W, B for the states of pad.h: no conflict R + U + W + B; a bank conflict R + W more; a
 * lock conflict 3 R + 2 U + 2 W + 2 B in all. So R, W and U + B follow; U and B never occur apart.
 */
static void conclude_states(struct lane_calibration *c, const struct steps *s,
			    const struct lane_meter *meter)
{
	double levels = s->cost[1] - s->cost[0];
	double read = s->cost[2] - 2 * s->cost[0];
	double u_levels = model_both(s->spread[0], s->spread[1]);
	double u_read = model_both(s->spread[2], 2 * s->spread[0]);
	double write = levels - read;
	double rest = s->cost[0] - levels;
	char reason[160];

	model_find(c, "scratchpad", "bytes", meter->local_bytes, 0, NULL);
	model_find(c, "scratchpad", "banks", s->at[1], 0, NULL);
	model_find(c, "scratchpad", "locks", s->at[2], 0, NULL);
	snprintf(reason, sizeof(reason), "noise: %.4g, uncertain by %.4g", read, u_read);
	model_find(c, "scratchpad", "read", read, u_read,
		   read <= 0 || u_read > LANE_CALIBRATE_NOISE * read ? reason : NULL);
	snprintf(reason, sizeof(reason), "noise: %.4g, uncertain by %.4g", write,
		 model_both(u_levels, u_read));
	model_find(c, "scratchpad", "write", write, model_both(u_levels, u_read),
		   write <= 0 || model_both(u_levels, u_read) > LANE_CALIBRATE_NOISE * write
			   ? reason
			   : NULL);
	snprintf(reason, sizeof(reason), "noise: %.4g, uncertain by %.4g", rest,
		 model_both(s->spread[0], u_levels));
	model_find(c, "scratchpad", "update", rest, model_both(s->spread[0], u_levels),
		   rest <= 0 ? reason : NULL);
	model_find(c, "scratchpad", "branch", 0, 0, NULL);
}

/* The model's cycles with what was found. */
static double calibrate_local_predicted(const struct lane_sample *s, const struct steps *steps)
{
	double levels = steps->cost[1] - steps->cost[0];
	double read = steps->n > 2 ? steps->cost[2] - 2 * steps->cost[0] : levels / 2;
	struct lane_pad pad = { .words = 65535, .banks = steps->at[1], .lanes = LANE_PAD_LANES };
	uint16_t address[LANE_PAD_LANES];
	struct lane_pad_cost cost;
	double cycles = -1;

	pad.locks_per_bank = (steps->n > 2 ? steps->at[2] : 1u << 14) / pad.banks;
	pad.read = read;
	pad.write = levels - read;
	pad.update = steps->cost[0] - levels;
	pad.lock_of = calloc(pad.words, sizeof(*pad.lock_of));
	pad.lock_count = calloc((size_t)pad.banks * pad.locks_per_bank, 1);
	pad.read_until = calloc(pad.words, 1);
	if (pad.lock_of && pad.lock_count && pad.read_until) {
		for (uint32_t a = 0; a < pad.words; a++)
			pad.lock_of[a] = (uint16_t)((a % pad.banks) * pad.locks_per_bank +
						    a / pad.banks % pad.locks_per_bank);
		for (uint32_t i = 0; i < s->trial.lanes; i++)
			address[i] = (uint16_t)s->trial.word[i];
		cost = model_pad_evaluate(&pad, address, s->trial.lanes);
		cycles = model_pad_cycles(&pad, cost.rounds, cost.read_levels, cost.write_levels);
	}
	model_pad_free(&pad);
	return cycles;
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

/* How far the model, with what the pairs say, is from the curves that were measured. */
static void check_curves(struct lane_calibration *c, const struct lane_sample *sample, size_t n,
			 const struct steps *steps)
{
	double sum = 0;
	uint32_t used = 0;

	for (size_t i = 0; i < n; i++) {
		char reason[160];

		if (!model_sample_good(&sample[i], reason, sizeof(reason)))
			continue;
		sum += fabs(calibrate_local_predicted(&sample[i], steps) / sample[i].cycles - 1);
		used++;
	}
	c->curve_error = used ? sum / used : -1;
}

static void calibrate_local_refuse(struct lane_calibration *c, const char *section, const char *key,
				   const char *reason)
{
	model_find(c, section, "banks", 0, 0, reason);
	model_find(c, section, key, 0, 0, reason);
}

/* Samples: the curves, from n_curves on the distances, from n on those of a unit. */
static void calibrate_local_conclude(struct lane_calibration *c, struct lane_meter *meter,
				     const struct lane_sample *sample, size_t n_curves, size_t n,
				     size_t n_unit, size_t n_increments)
{
	struct steps steps;
	const char *reason = NULL;
	char text[160];
	char no_unit[160];
	size_t noisy = 0;

	/* A few distances may be lost to noise, but not the first: all others are compared to it.
	 */
	for (size_t i = n; i-- > n_curves;)
		noisy += !model_sample_good(&sample[i], text, sizeof(text));
	if (4 * noisy > n - n_curves ||
	    !model_sample_good(&sample[n_curves], no_unit, sizeof(no_unit))) {
		calibrate_local_refuse(c, "scratchpad", "locks", text);
		return;
	}
	reason = find_steps(sample + n_curves, n - n_curves, &steps);
	if (!reason) {
		check_curves(c, sample, n_curves, &steps);
		if (c->curve_error > CURVES_AGREE) {
			snprintf(text, sizeof(text),
				 "banks and locks do not explain the conflict curves (off by %.0f "
				 "%%)",
				 100 * c->curve_error);
			reason = text;
		}
	}
	if (!reason && steps.n > 2) {
		c->local_atomics = "locks";
		conclude_states(c, &steps, meter);
		return;
	}
	/* No two words share a lock: the memory itself adds. A step further off is not of banks. */
	if (model_unit_conclude(c, meter, sample + n, n_unit,
				steps.n == 2 && steps.at[1] <= MOST_BANKS ? steps.at[1] : 0,
				no_unit, sizeof(no_unit))) {
		model_increments_conclude(c, sample + n + n_unit, n_increments);
		c->local_atomics = "unit";
		return;
	}
	calibrate_local_refuse(c, "scratchpad", "locks",
			       reason ? reason : "no distance shows a second step");
	calibrate_local_refuse(c, "atomic_unit", "service", no_unit);
}

struct lane_error *model_calibrate_local(struct lane_meter *meter, uint32_t rounds,
					 struct lane_calibration *c)
{
	LANE_CLEANUP(lane_free)
	struct lane_sample *sample = calloc(MOST_SAMPLES, sizeof(*sample));
	size_t points[LANE_CURVES];
	size_t n_curves = 0;
	size_t n_unit;
	size_t n_increments;
	size_t n;
	struct lane_error *err;

	if (!sample)
		return &lane_enomem;
	if (meter->local_words < 2 || meter->warp < 2)
		return NULL;
	for (int i = 0; i < LANE_CURVES; i++) {
		points[i] = add_curve(meter, sample + n_curves, strides[i]);
		n_curves += points[i];
	}
	n = n_curves + add_distances(meter, sample + n_curves);
	n_unit = model_unit_samples(meter, sample + n);
	n_increments = model_increment_samples(meter, sample + n + n_unit);
	err = model_sample_all(meter, sample, n + n_unit + n_increments, rounds, c);
	if (err || !sample[0].can)
		return err;
	keep_curves(c, sample, points);
	calibrate_local_conclude(c, meter, sample, n_curves, n, n_unit, n_increments);
	return NULL;
}
