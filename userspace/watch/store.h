/* SPDX-License-Identifier: MIT */
/*
 * The folder of a watch: the recordings of its hits, groups of hits, and what has to outlive the
 * process. A recording is there when it is complete, or not at all. Of a group, hits of the same
 * process, cause and culprit, the worst and the latest are kept, and a count.
 *
 *   DIR/hit-000007/   a recording, with `hit` (what it is) and page.html
 *   DIR/state         groups, when recordings were written, histories
 *   DIR/lock          held by the process that watches
 *   DIR/socket        for `gpulane watch --trigger`
 */
#ifndef LANE_WATCH_STORE_H
#define LANE_WATCH_STORE_H

#include "watch/history.h"
#include "watch/hit.h"

#define LANE_STORE_GROUPS 256 /* beyond these, the ones without recordings are only counted */
#define LANE_STORE_KEEP	  1000
#define LANE_STORE_HOURLY 1000

struct lane_store_config {
	unsigned int keep;     /* recordings, 1 to LANE_STORE_KEEP */
	unsigned int per_hour; /* written in an hour at most, 1 to LANE_STORE_HOURLY */
	uint64_t disk_bytes;   /* that they take together */
};

/* Hits of the same process, cause and culprit. */
struct lane_hits {
	enum lane_row_what what;
	char process[16], cause[16], culprit[16];
	uint64_t count; /* 0: a free place */
	int64_t first_epoch_ns, last_epoch_ns;
	uint64_t worst_ns;
	int64_t written_epoch_ns; /* of its latest recording, 0: none */
};

/* A recording that is there. */
struct lane_kept {
	struct lane_hit hit;
	uint64_t bytes;
};

struct lane_store {
	char *path;
	int fd, lock_fd;
	struct lane_store_config config;
	struct lane_hits groups[LANE_STORE_GROUPS];
	uint64_t others;	/* hits of groups that have been forgotten */
	struct lane_kept *kept; /* by number */
	size_t n_kept, kept_room;
	uint64_t last_number;
	int64_t writes[LANE_STORE_HOURLY]; /* the last ones, since 1970 */
	unsigned int n_writes;
	bool is_replay;	 /* its hits are of recordings that were gone through */
	bool is_changed; /* since the state was saved */
};

/*
 * Opens the folder, which is made when it is not there, for watching: nobody else may be; what was
 * begun and not completed is removed; the state is read into store and history, an unreadable one
 * is left out
 * (*note says so, a sentence of its own; NULL: there is nothing to say; the caller's). Hits of this
 * machine and those of recordings (is_replay) have no folder in common. The store is to be given to
 * watch_store_deinit, also after an error.
 */
struct lane_error *watch_store_open(struct lane_store *store, const char *path, bool is_replay,
				    struct lane_history *history, char **note) LANE_MUST_CHECK;

/* Opens it to look only; history is not read. */
struct lane_error *watch_store_look(struct lane_store *store, const char *path) LANE_MUST_CHECK;

/* Counts a hit; its group. NULL: in none any more (store->others). */
struct lane_hits *watch_store_count(struct lane_store *store, const struct lane_hit *hit);

/* The group of a hit, NULL: it has none. */
struct lane_hits *watch_store_group(struct lane_store *store, const struct lane_hit *hit);

/* Whether a recording of this hit, which has been counted, is to be written now, when so many
 * others are to be or are being written. */
bool watch_store_wants(const struct lane_store *store, const struct lane_hits *group,
		       const struct lane_hit *hit, unsigned int pending, int64_t now_epoch_ns);

/* Makes room for a recording of about that many bytes; false: it would never fit. */
bool watch_store_make_room(struct lane_store *store, uint64_t bytes);

/* Gives the hit its number. */
void watch_store_number(struct lane_store *store, struct lane_hit *hit);

/* "hit-000007", and the folder in which it is made. */
const char *watch_store_name(uint64_t number, bool is_part, char *buffer, size_t size);

/* Begins the recording of a hit that has its number; *fd is its folder's, the caller's. */
struct lane_error *watch_store_begin(const struct lane_store *store, const struct lane_hit *hit,
				     int *fd) LANE_MUST_CHECK;

/* Completes it: all of it is on the disk, then it gets its name. */
struct lane_error *watch_store_complete(const struct lane_store *store, const struct lane_hit *hit,
					int fd) LANE_MUST_CHECK;

/* It will not be completed: what there is of it is removed. */
void watch_store_abandon(const struct lane_store *store, const struct lane_hit *hit);

/* A complete one is there: takes it into the list, and removes what is over the limits. */
struct lane_error *watch_store_add(struct lane_store *store, uint64_t number,
				   int64_t now_epoch_ns) LANE_MUST_CHECK;

/* Saves the state, whole or not at all. */
struct lane_error *watch_store_save(struct lane_store *store,
				    const struct lane_history *history) LANE_MUST_CHECK;

/* Reads a state's text; false: it is none, and nothing of it counts. history may be NULL. */
bool watch_store_load(struct lane_store *store, struct lane_history *history, const char *text);

/* The recording of that number, NULL: it is not there. */
const struct lane_kept *watch_store_find(const struct lane_store *store, uint64_t number);

/* Of a group's recordings the last one, and the one of the slowest; NULL: it has none. */
const struct lane_kept *watch_store_latest(const struct lane_store *store,
					   const struct lane_hits *group);
const struct lane_kept *watch_store_worst(const struct lane_store *store,
					  const struct lane_hits *group);

void watch_store_deinit(struct lane_store *store);

#endif
