/* SPDX-License-Identifier: MIT */
/*
 * A server for scrapers, in the watching thread: it never waits for anybody, and whoever connects,
 * hangs or sends rubbish finds a bounded number of places, bounded memory and a bounded time.
 */
#ifndef LANE_WATCH_METRICS_H
#define LANE_WATCH_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define LANE_METRICS_CONNECTIONS 128
#define LANE_METRICS_REQUEST_NS	 3000000000ull	/* a request has come after this time */
#define LANE_METRICS_ANSWER_NS	 10000000000ull /* and its answer has been taken after this */
#define LANE_METRICS_PAGE_NS	 1000000000ull	/* an answer is used for this time */

struct lane_metrics;

/* Makes the answer: text of *bytes bytes, malloc'd; NULL: no memory. */
typedef char *lane_metrics_page_fn(void *arg, size_t *bytes);

/*
 * Listens on `[HOST:]PORT`, HOST a number (an IPv6 one in brackets), 127.0.0.1 when it is left out.
 * *metrics is the caller's.
 */
struct lane_error *watch_metrics_open(const char *address, lane_metrics_page_fn *page, void *arg,
				      struct lane_metrics **metrics) LANE_MUST_CHECK;

/* What poll(2) waits for, and the port that is listened on. */
int watch_metrics_fd(const struct lane_metrics *metrics);
unsigned int watch_metrics_port(const struct lane_metrics *metrics);

/* Does what can be done now; now_ns: CLOCK_MONOTONIC. */
void watch_metrics_run(struct lane_metrics *metrics, uint64_t now_ns);

/* Requests answered, connections closed because they took too long or too many came. */
void watch_metrics_figures(const struct lane_metrics *metrics, uint64_t *answered,
			   uint64_t *dropped);

/* Frees; NULL is allowed. */
void watch_metrics_close(struct lane_metrics *metrics);

#endif
