/* SPDX-License-Identifier: MIT */
/* Draws the timeGraphView of an analysis from a state system, as SVG on stdout. */
#ifndef LANE_TESTS_COMPASS_DRAW_H
#define LANE_TESTS_COMPASS_DRAW_H

#include <libxml/tree.h>

#include "state.h"

void draw(xmlDoc *document, const struct state_system *system);

#endif
