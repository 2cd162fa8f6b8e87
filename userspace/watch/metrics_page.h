/* SPDX-License-Identifier: MIT */
/* What has been counted, as Prometheus reads it (its text format 0.0.4). */
#ifndef LANE_WATCH_METRICS_PAGE_H
#define LANE_WATCH_METRICS_PAGE_H

#include "watch/count.h"

/* What is counted besides rows, since the beginning. */
struct lane_page_figures {
	uint64_t events;
	uint64_t lost;		    /* events, as far as they were counted */
	uint64_t losses;	    /* times when some were lost */
	uint64_t hits;		    /* as told with their recordings */
	uint64_t unwritten;	    /* lines of rows that found no room */
	uint64_t answered, dropped; /* scrapers' requests, and connections given up */
};

/* The text, malloc'd, of *bytes bytes; NULL: no memory. */
char *watch_metrics_page(const struct lane_counts *counts, const struct lane_page_figures *figures,
			 const char *kernel, size_t *bytes);

#endif
