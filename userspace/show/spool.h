/* SPDX-License-Identifier: MIT */
/*
 * Records in any order in, in order of their times out, in bounded memory: what does not fit is
 * sorted into runs in a file without a name, which are merged when they are read.
 */
#ifndef LANE_SHOW_SPOOL_H
#define LANE_SHOW_SPOOL_H

#include "base/error.h"
#include "base/event.h"

struct lane_spool;

/*
 * A spool that holds up to `bytes` in memory; its file is made in the open directory dir_fd, which
 * outlives the spool, when it is needed. *spool is the caller's.
 */
struct lane_error *show_spool_create(int dir_fd, size_t bytes,
				     struct lane_spool **spool) LANE_MUST_CHECK;

/* Adds a record (header and payload, as on the wire). Not after the first show_spool_next. */
struct lane_error *show_spool_add(struct lane_spool *spool,
				  const struct lane_wire *record) LANE_MUST_CHECK;

/*
 * The next record by time, among equal times the one added first; NULL at the end. It is owned by
 * the spool, may be changed in place and is valid until the next call.
 */
struct lane_error *show_spool_next(struct lane_spool *spool,
				   struct lane_wire **record) LANE_MUST_CHECK;

/* Frees everything; NULL is allowed. */
void show_spool_destroy(struct lane_spool *spool);

#endif
