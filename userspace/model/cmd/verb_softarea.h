/* SPDX-License-Identifier: MIT */
/* The area of soft GPGPUs, a part of `gpulane model softgpu`. */
#ifndef LANE_MODEL_CMD_VERB_SOFTAREA_H
#define LANE_MODEL_CMD_VERB_SOFTAREA_H

#include <json-c/json.h>

#include "base/error.h"
#include "model/device.h"

/* A row for each machine and each customised one, with [area] and [custom] of the device. */
struct lane_error *softgpu_area(const struct lane_device *device,
				json_object *result) LANE_MUST_CHECK;

#endif
