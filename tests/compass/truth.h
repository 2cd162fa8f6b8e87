/* SPDX-License-Identifier: MIT */
/* What the timeline finds in a recording, as the states that the analyses are to show. */
#ifndef LANE_TESTS_COMPASS_TRUTH_H
#define LANE_TESTS_COMPASS_TRUTH_H

#include "norm/norm.h"
#include "state.h"

/*
 * Reads the recording and fills the state system with the attributes of every analysis. Rows have
 * names of their own: which row a viewer draws something in is not the timeline's to say. Returns
 * false after a message.
 */
bool truth_read(const char *path, struct state_system *system);

#endif
