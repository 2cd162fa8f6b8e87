/* SPDX-License-Identifier: MIT */
/* What `gpulane atomics` says of a kernel: its time, what bounds it, what to change, what not. */
#ifndef LANE_MODEL_CMD_VERB_ADVICE_H
#define LANE_MODEL_CMD_VERB_ADVICE_H

#include "model/change.h"
#include "model/cmd/verb.h"

struct model_advice {
	const struct lane_pattern_kernel *kernel;
	uint64_t groups; /* of a launch, the mean */
	struct lane_prediction now;
	struct lane_proposals found;
};

void model_advice_print(const struct model_advice *advice);

/* The same as a row of a result. */
void model_advice_put(json_object *result, const struct model_advice *advice);

#endif
