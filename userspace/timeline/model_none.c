// SPDX-License-Identifier: MIT
// Engines of which no event has told yet how their driver submits, and rings of drm_sched (drm*.c).
#include "timeline/chain.h"

/* What is held of it is read as that of a tasklet, until something tells. */
const struct lane_model lane_model_unknown = {
	.has_tasklet = true,
	.adopt = timeline_chain_adopt,
	.settle = timeline_chain_settle,
};

const struct lane_model lane_model_jobs = {
	.is_known = true,
	.adopt = timeline_chain_adopt,
	.settle = timeline_chain_settle,
};
