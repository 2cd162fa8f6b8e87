// SPDX-License-Identifier: MIT
// Two calibrations in turn, and which of their values agree within what both say.
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/calibrate.h"

static const struct lane_finding *find_same(const struct lane_calibration *c,
					    const struct lane_finding *f)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (!strcmp(c->finding[i].section, f->section) &&
		    !strcmp(c->finding[i].key, f->key))
			return &c->finding[i];
	return NULL;
}

int model_values_agree(double a, double uncertainty_a, double b, double uncertainty_b)
{
	return fabs(a - b) <= 3 * model_both(uncertainty_a, uncertainty_b) + 1e-6;
}

static void count(struct lane_calibration_pair *pair, int known, int known_again, int agree)
{
	if (known && known_again) {
		pair->values++;
		pair->agree += agree;
	} else {
		pair->known_once += known != known_again;
	}
}

static void compare_findings(struct lane_calibration_pair *pair)
{
	for (uint32_t i = 0; i < pair->first.n; i++) {
		const struct lane_finding *f = &pair->first.finding[i];
		const struct lane_finding *again = find_same(&pair->second, f);

		count(pair, f->known, again && again->known,
		      again && model_values_agree(f->value, f->uncertainty, again->value,
						  again->uncertainty));
	}
	for (uint32_t i = 0; i < pair->second.n; i++)
		if (!find_same(&pair->first, &pair->second.finding[i]))
			pair->known_once += pair->second.finding[i].known;
}

static void compare_curves(struct lane_calibration_pair *pair)
{
	for (uint32_t i = 0; i < pair->first.n_curves && i < pair->second.n_curves; i++) {
		const struct lane_curve *a = &pair->first.curve[i];
		const struct lane_curve *b = &pair->second.curve[i];

		for (uint32_t d = 0; d < a->n; d++)
			count(pair, a->cycles[d] >= 0, b->cycles[d] >= 0,
			      model_values_agree(a->cycles[d], a->uncertainty[d], b->cycles[d],
						 b->uncertainty[d]));
	}
}

const struct lane_finding *model_again(const struct lane_calibration_pair *pair,
				       const struct lane_finding *f)
{
	const struct lane_finding *again = find_same(&pair->second, f);

	return again && again->known ? again : NULL;
}

struct lane_error *model_calibrate_twice(struct lane_meter *meter,
					 const struct lane_calibration_wish *wish,
					 struct lane_calibration_pair *pair)
{
	struct lane_meter twice;
	struct lane_error *err = model_meter_twice(&twice, meter);

	pair->values = pair->agree = pair->known_once = 0;
	if (!err)
		err = model_calibrate_meter(&twice, wish, &pair->first);
	if (!err) {
		model_meter_again(&twice);
		err = model_calibrate_meter(&twice, wish, &pair->second);
	}
	model_meter_close(&twice);
	if (err)
		return err;
	compare_findings(pair);
	compare_curves(pair);
	return NULL;
}
