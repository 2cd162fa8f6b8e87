/* SPDX-License-Identifier: MIT */
/*
 * Decimal numbers without rounding: cycles and rates are kept as whole millionths, so that
 * latencies like 0.25 and 1.75 cycles add up exactly.
 */
#ifndef LANE_MODEL_NUMBER_H
#define LANE_MODEL_NUMBER_H

#include <stdint.h>

/* One unit (one cycle, one MHz ...) in millionths. */
#define LANE_MICRO INT64_C(1000000)

/* Parses an unsigned whole number between min and max, digits only. Returns 0 or -1. */
int model_whole_parse(const char *text, uint64_t min, uint64_t max, uint64_t *value);

#endif
