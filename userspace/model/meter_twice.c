// SPDX-License-Identifier: MIT
// Measures everything twice, one right after the other, for two calibrations.
#include <stdlib.h>

#include "base/vector.h"
#include "model/meter.h"
#include "model/random.h"

struct kept_time {
	double ns;
	int can;
};

struct twice_meter {
	struct lane_meter *real;
	struct kept_time *kept;
	size_t n, room;
	size_t next; /* of the second calibration */
	int is_second;
	uint64_t random;
};

/* What the second calibration will be told. */
static struct lane_error *keep(struct twice_meter *m, double ns, int can)
{
	if (!LANE_GROW(m->kept, m->room, m->n + 1))
		return &lane_enomem;
	m->kept[m->n++] = (struct kept_time){ ns, can };
	return NULL;
}

/*
 * By chance, either calibration has the time that came first. Both take the same lengths: a probe
 * is measured once.
 */
static struct lane_error *measure_both(struct twice_meter *m, const struct lane_trial *trial,
				       double *ns, int *can)
{
	struct lane_error *err = m->real->measure(m->real, trial, ns, can);
	double other = 0;

	if (err || !*can || trial->is_probe)
		return err ? err : keep(m, *ns, *can);
	err = m->real->measure(m->real, trial, &other, can);
	if (!err && model_random(&m->random) >> 63) {
		double first = *ns;

		*ns = other;
		other = first;
	}
	return err ? err : keep(m, other, *can);
}

static struct lane_error *measure(struct lane_meter *meter, const struct lane_trial *trial,
				  double *ns, int *can)
{
	struct twice_meter *m = meter->state;

	if (!m->is_second)
		return measure_both(m, trial, ns, can);
	if (m->next == m->n)
		return lane_error("calibrate: the second calibration asks for more than the first");
	*ns = m->kept[m->next].ns;
	*can = m->kept[m->next++].can;
	return NULL;
}

/* The real meter is its owner's. */
static void close_twice(struct lane_meter *meter)
{
	struct twice_meter *m = meter->state;

	if (m)
		free(m->kept);
	free(m);
	meter->state = NULL;
}

struct lane_error *model_meter_twice(struct lane_meter *meter, struct lane_meter *real)
{
	struct twice_meter *m = calloc(1, sizeof(*m));

	*meter = *real;
	meter->state = m;
	meter->measure = measure;
	meter->close = close_twice;
	if (!m)
		return &lane_enomem;
	*m = (struct twice_meter){ .real = real, .random = 1 };
	return NULL;
}

void model_meter_again(struct lane_meter *meter)
{
	struct twice_meter *m = meter->state;

	m->is_second = 1;
}
