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

/* The largest whole number that model_micro_parse takes; sums of a million of them cannot overflow.
 */
#define LANE_MICRO_LIMIT INT64_C(1000000)

/*
 * Parses a decimal number that is not negative: digits, at most six of them behind a point, nothing
 * else. *value gets it in millionths. Returns 0, or -1 when text is something else, has more digits
 * or is above LANE_MICRO_LIMIT.
 */
int model_micro_parse(const char *text, int64_t *value);

/* Parses an unsigned whole number between min and max, digits only. Returns 0 or -1. */
int model_whole_parse(const char *text, uint64_t min, uint64_t max, uint64_t *value);

#endif
