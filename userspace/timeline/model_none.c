// SPDX-License-Identifier: MIT
// Engines of which no event has told the model yet, and rings of drm_sched (drm*.c).
#include "timeline/model.h"

/* Its events are held and read as those of a tasklet until an event tells the model. */
const struct lane_model lane_model_unknown = {
	.has_tasklet = true,
};

const struct lane_model lane_model_jobs = {
	.is_known = true,
};
