// SPDX-License-Identifier: MIT
// Calibration of global memory: operations and atomics per pattern, and how much a lock covers.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/calibrate.h"

#define N_OPS	   5 /* load, store, load_store, red, atomic */
#define N_PATTERNS 3
#define N_OFFSETS  7
#define FREE	   0.02 /* part of the cost that does not count as one */

static const uint32_t offsets[N_OFFSETS] = { 4, 8, 16, 32, 64, 128, 256 };

static const char *const op_names[LANE_GLOBAL_OPS] = {
	[LANE_GLOBAL_NONE] = "none",   [LANE_GLOBAL_LOAD] = "load",
	[LANE_GLOBAL_STORE] = "store", [LANE_GLOBAL_LOAD_STORE] = "load_store",
	[LANE_GLOBAL_RED] = "red",     [LANE_GLOBAL_ATOMIC] = "atomic",
};

static const char *const pattern_names[LANE_GLOBAL_PATTERNS] = {
	[LANE_GLOBAL_SINGLE] = "single",
	[LANE_GLOBAL_UNCOALESCED] = "uncoalesced",
	[LANE_GLOBAL_COALESCED] = "coalesced",
	[LANE_GLOBAL_OFFSET] = "offset",
};

const char *model_global_op_name(enum lane_global_op op)
{
	return op_names[op];
}

const char *model_global_pattern_name(enum lane_global_pattern pattern)
{
	return pattern_names[pattern];
}

static struct lane_sample global_sample(const struct lane_meter *meter, uint32_t warps,
					enum lane_global_op op, enum lane_global_pattern pattern,
					uint32_t offset)
{
	return (struct lane_sample){ .trial = { .kind = LANE_TRIAL_GLOBAL,
						.warps = warps,
						.length = meter->global_length,
						.access = op,
						.pattern = pattern,
						.offset = offset } };
}

/*
 * Warps whose words lie closer than a lock collide. So the cost falls until the offset is a lock's
 * width, and then no more: the least offset that costs no more than all that are larger.
 */
static void conclude_lock(struct lane_calibration *c, const struct lane_sample *s)
{
	char reason[160];
	double free_cost = s[N_OFFSETS - 1].cycles;
	double error = 0;
	int width = N_OFFSETS - 1;

	for (int i = 0; i < N_OFFSETS; i++) {
		if (!model_sample_good(&s[i], reason, sizeof(reason))) {
			model_find(c, "global_atomics", "lock_bytes", 0, 0, reason);
			return;
		}
		error = fmax(error, s[i].error);
	}
	if (s[0].cycles < free_cost * 1.1 + 4 * error) {
		model_find(c, "global_atomics", "lock_bytes", 0, 0,
			   "no offset between warps costs more than another");
		return;
	}
	if (error > FREE * free_cost) {
		snprintf(reason, sizeof(reason),
			 "noise: offsets are uncertain by %.1f %%, too much to see where the cost "
			 "ends",
			 100 * error / free_cost);
		model_find(c, "global_atomics", "lock_bytes", 0, 0, reason);
		return;
	}
	while (width > 0 && s[width - 1].cycles < free_cost * (1 + FREE) + 2 * error)
		width--;
	if (width == N_OFFSETS - 1)
		model_find(c, "global_atomics", "lock_bytes", 0, 0,
			   "costs still fall at the largest offset");
	else
		model_find(c, "global_atomics", "lock_bytes", offsets[width], 0, NULL);
}

struct lane_error *model_calibrate_global(struct lane_meter *meter, uint32_t rounds,
					  struct lane_calibration *c)
{
	struct lane_sample sample[N_OPS * N_PATTERNS + N_OFFSETS];
	uint32_t warps = meter->max_warps < 8 ? meter->max_warps : 8;
	struct lane_error *err;
	size_t n = 0;

	for (int op = LANE_GLOBAL_LOAD; op <= LANE_GLOBAL_ATOMIC; op++)
		for (int p = LANE_GLOBAL_SINGLE; p <= LANE_GLOBAL_COALESCED; p++)
			sample[n++] = global_sample(meter, warps, (enum lane_global_op)op,
						    (enum lane_global_pattern)p, 0);
	for (int i = 0; i < N_OFFSETS; i++)
		sample[n++] = global_sample(meter, warps, LANE_GLOBAL_ATOMIC, LANE_GLOBAL_OFFSET,
					    offsets[i]);
	err = model_sample_all(meter, sample, n, rounds, c);
	if (err || !sample[0].can)
		return err;
	for (size_t i = 0; i < N_OPS * N_PATTERNS; i++) {
		char key[32];
		char reason[160];
		int good = model_sample_good(&sample[i], reason, sizeof(reason));

		snprintf(key, sizeof(key), "%s_%s", model_global_op_name(sample[i].trial.access),
			 model_global_pattern_name(sample[i].trial.pattern));
		/* Per operation of a warp: warps of a unit share its time. */
		model_find(c, "global_atomics", key, sample[i].cycles / warps,
			   sample[i].spread / warps, good ? NULL : reason);
	}
	conclude_lock(c, sample + N_OPS * N_PATTERNS);
	return NULL;
}
