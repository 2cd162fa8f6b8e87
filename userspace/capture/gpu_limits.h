/* SPDX-License-Identifier: MIT */
/* What this machine's GPU drivers do about work that does not end: limits, and dumps. */
#ifndef LANE_CAPTURE_GPU_LIMITS_H
#define LANE_CAPTURE_GPU_LIMITS_H

#include "base/limits.h"

/* Reads the limits below root ("" for the machine's own) and which dumps are there now. */
void capture_limits_read(const char *root, struct lane_limits *limits);

/* Takes the dumps of `before` out of those of `limits`: what is left is new. */
void capture_limits_since(struct lane_limits *limits, const char *before);

#endif
