/* SPDX-License-Identifier: MIT */
/* As much of HTTP as a scraper needs: the head of one request. */
#ifndef LANE_WATCH_HTTP_H
#define LANE_WATCH_HTTP_H

#include <stddef.h>

/* A request's head, its line and all its fields, has no more. */
#define LANE_HTTP_BYTES 4096

enum lane_http {
	LANE_HTTP_MORE = 0, /* its end has not come yet */
	LANE_HTTP_GET = 200,
	LANE_HTTP_HEAD = 201, /* as GET, but nothing behind the answer's head */
	LANE_HTTP_BAD = 400,
	LANE_HTTP_NOT_FOUND = 404,
	LANE_HTTP_METHOD = 405,
	LANE_HTTP_TOO_LARGE = 431,
	LANE_HTTP_VERSION = 505,
};

/* What the bytes that have come so far ask for. Only /metrics is there. */
enum lane_http watch_http_read(const char *bytes, size_t n);

#endif
