/* SPDX-License-Identifier: MIT */
/* A recording made of another tracer's. */
#ifndef LANE_SESSION_COPY_H
#define LANE_SESSION_COPY_H

#include "norm/norm.h"

/*
 * Makes a recording at `to` of what is at `from`. What is damaged ends it; what is not complete is
 * taken away again.
 */
struct lane_error *session_copy(const struct lane_place *from, const char *to) LANE_MUST_CHECK;

#endif
