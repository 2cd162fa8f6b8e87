/* SPDX-License-Identifier: MIT */
/* What recording.json says, as an object of json-c; the keys are described in docs/formats.md. */
#ifndef LANE_CAPTURE_RECORDING_JSON_H
#define LANE_CAPTURE_RECORDING_JSON_H

#include <json-c/json.h>

#include "capture/recording.h"

/* The object is the caller's. */
struct json_object *capture_recording_json(const struct lane_recording_facts *facts);

#endif
