/* SPDX-License-Identifier: MIT */
/* The report's first screen: what most people want to know, and how to go on. */
#ifndef LANE_SHOW_SCREEN_H
#define LANE_SHOW_SCREEN_H

#include "show/report.h"

/* One bar of what all requests spent their time on; nothing where no request's time is known. */
void show_screen_bar(FILE *to, const struct lane_latency *latency);

/* A line for each engine that has had requests, then the worst requests, then how to go on. */
void show_screen_rest(FILE *to, struct lane_latency *latency,
		      const struct lane_report_options *options);

#endif
