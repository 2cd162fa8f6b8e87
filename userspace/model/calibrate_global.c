// SPDX-License-Identifier: MIT
// Calibration of global memory: accesses and atomics per pattern.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/calibrate.h"

/* Those that predictions are made of. */
static const struct access {
	enum lane_global_op op;
	enum lane_global_pattern pattern;
} accesses[] = {
	{ LANE_GLOBAL_LOAD, LANE_GLOBAL_UNCOALESCED },
	{ LANE_GLOBAL_LOAD, LANE_GLOBAL_COALESCED },
	{ LANE_GLOBAL_RED, LANE_GLOBAL_UNCOALESCED },
	{ LANE_GLOBAL_RED, LANE_GLOBAL_COALESCED },
	{ LANE_GLOBAL_ATOMIC, LANE_GLOBAL_SINGLE },
	{ LANE_GLOBAL_ATOMIC, LANE_GLOBAL_UNCOALESCED },
	{ LANE_GLOBAL_ATOMIC, LANE_GLOBAL_COALESCED },
};

#define N_ACCESSES (sizeof(accesses) / sizeof(accesses[0]))

const char *const lane_global_op_names[LANE_GLOBAL_OPS] = {
	[LANE_GLOBAL_NONE] = "none",   [LANE_GLOBAL_LOAD] = "load",
	[LANE_GLOBAL_STORE] = "store", [LANE_GLOBAL_LOAD_STORE] = "load_store",
	[LANE_GLOBAL_RED] = "red",     [LANE_GLOBAL_ATOMIC] = "atomic",
};

const char *const lane_global_pattern_names[LANE_GLOBAL_PATTERNS] = {
	[LANE_GLOBAL_SINGLE] = "single",
	[LANE_GLOBAL_UNCOALESCED] = "uncoalesced",
	[LANE_GLOBAL_COALESCED] = "coalesced",
	[LANE_GLOBAL_OFFSET] = "offset",
};

struct lane_error *model_calibrate_global(struct lane_meter *meter, uint32_t rounds,
					  struct lane_calibration *c)
{
	struct lane_sample sample[N_ACCESSES];
	uint32_t warps = meter->max_warps < 8 ? meter->max_warps : 8;
	struct lane_error *err;

	for (size_t i = 0; i < N_ACCESSES; i++)
		sample[i] = (struct lane_sample){ .trial = { .kind = LANE_TRIAL_GLOBAL,
							     .warps = warps,
							     .length = meter->global_length,
							     .access = accesses[i].op,
							     .pattern = accesses[i].pattern } };
	err = model_sample_all(meter, sample, N_ACCESSES, rounds, c);
	if (err || !sample[0].can)
		return err;
	for (size_t i = 0; i < N_ACCESSES; i++) {
		char key[32];
		char reason[160];
		int good = model_sample_good(&sample[i], reason, sizeof(reason));

		snprintf(key, sizeof(key), "%s_%s", lane_global_op_names[accesses[i].op],
			 lane_global_pattern_names[accesses[i].pattern]);
		/* Per operation of a warp: warps of a unit share its time. */
		model_find(c, "global_atomics", key, sample[i].cycles / warps,
			   sample[i].spread / warps, good ? NULL : reason);
	}
	return NULL;
}
