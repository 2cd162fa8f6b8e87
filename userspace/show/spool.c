// SPDX-License-Identifier: MIT
// An external merge sort of records by time.
#include "show/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/heap.h"
#include "base/sort.h"
#include "base/vector.h"

enum {
	WINDOW_MIN = 4096, /* of a run, in memory while it is merged; longer than any record */
	WINDOW_MAX = 256 << 10,
};

struct spool_place {
	uint64_t ns;
	size_t at;
};

/* A sorted run in the file, and what of it is in memory. */
struct sorted_run {
	uint64_t at, end; /* in the file: what has not been read yet */
	char *window;
	size_t used, filled;
};

struct lane_spool {
	int dir_fd;
	int fd;
	uint64_t file_bytes;
	char *data; /* records added and not in the file, each padded to eight bytes */
	size_t bytes, room;
	struct spool_place *places;
	size_t n, n_room;
	struct sorted_run *runs;
	uint32_t n_runs;
	struct lane_heap heap;
	size_t window_bytes;
	uint32_t last; /* the run that the last record came from; n_runs: none */
	size_t next;   /* without runs: the next place */
	bool is_reading;
};

static size_t stride_of(const struct lane_wire *record)
{
	return (sizeof(*record) + lane_kinds[record->kind].struct_bytes + 7) & ~(size_t)7;
}

struct lane_error *show_spool_create(int dir_fd, size_t bytes, struct lane_spool **spool)
{
	struct lane_spool *new = calloc(1, sizeof(*new));

	if (!new)
		return &lane_enomem;
	new->fd = -1;
	new->room = bytes;
	new->dir_fd = dir_fd;
	new->data = malloc(bytes);
	if (!new->data) {
		show_spool_destroy(new);
		return &lane_enomem;
	}
	*spool = new;
	return NULL;
}

void show_spool_destroy(struct lane_spool *spool)
{
	if (!spool)
		return;
	for (uint32_t i = 0; i < spool->n_runs; i++)
		free(spool->runs[i].window);
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool->runs);
	free(spool->heap.entries);
	free(spool->places);
	free(spool->data);
	free(spool);
}

LANE_ORDER(compare, struct spool_place, LANE_UP(ns) ?: LANE_UP(at))

static struct lane_error *spool_open_file(struct lane_spool *spool)
{
	const char *const name = ".spool";

	spool->fd = openat(spool->dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (spool->fd >= 0)
		return NULL;
	/* Not every file system has files without a name. */
	spool->fd = openat(spool->dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			   0600);
	if (spool->fd < 0)
		return lane_error_errno(errno, "temporary file");
	unlinkat(spool->dir_fd, name, 0);
	return NULL;
}

static struct lane_error *spool_write_all(struct lane_spool *spool, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = pwrite(spool->fd, data, bytes, (off_t)spool->file_bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return lane_error_errno(n ? errno : ENOSPC, "temporary file");
		data += n;
		bytes -= (size_t)n;
		spool->file_bytes += (uint64_t)n;
	}
	return NULL;
}

/* What is in memory becomes a run in the file. */
static struct lane_error *spill(struct lane_spool *spool)
{
	LANE_CLEANUP(lane_free) char *sorted = NULL;
	struct lane_error *err = spool->fd < 0 ? spool_open_file(spool) : NULL;
	struct sorted_run *runs = reallocarray(spool->runs, spool->n_runs + 1, sizeof(*runs));
	struct sorted_run *run;
	size_t to = 0;

	if (runs)
		spool->runs = runs;
	sorted = malloc(spool->bytes);
	if (!err && (!runs || !sorted))
		err = &lane_enomem;
	if (err)
		return err;
	LANE_SORT(spool->places, spool->n, compare);
	for (size_t i = 0; i < spool->n; i++) {
		const char *from = spool->data + spool->places[i].at;
		size_t stride = stride_of((const struct lane_wire *)from);

		memcpy(sorted + to, from, stride);
		to += stride;
	}
	run = &spool->runs[spool->n_runs++];
	*run = (struct sorted_run){ .at = spool->file_bytes };
	err = spool_write_all(spool, sorted, to);
	run->end = spool->file_bytes;
	spool->n = 0;
	spool->bytes = 0;
	return err;
}

struct lane_error *show_spool_add(struct lane_spool *spool, const struct lane_wire *record)
{
	size_t stride = stride_of(record);
	struct lane_error *err;

	if (spool->bytes + stride > spool->room) {
		err = spill(spool);
		if (err)
			return err;
	}
	if (!LANE_GROW(spool->places, spool->n_room, spool->n + 1))
		return &lane_enomem;
	spool->places[spool->n++] = (struct spool_place){ record->ts_ns, spool->bytes };
	memcpy(spool->data + spool->bytes, record,
	       sizeof(*record) + lane_kinds[record->kind].struct_bytes);
	spool->bytes += stride;
	return NULL;
}

/* Reads on in a run, behind what of it is still to be handed out. */
static struct lane_error *spool_fill(struct lane_spool *spool, struct sorted_run *run)
{
	size_t rest = run->filled - run->used;

	memmove(run->window, run->window + run->used, rest);
	run->used = 0;
	run->filled = rest;
	while (run->filled < spool->window_bytes && run->at < run->end) {
		size_t want = spool->window_bytes - run->filled;
		ssize_t n;

		if (want > run->end - run->at)
			want = run->end - run->at;
		n = pread(spool->fd, run->window + run->filled, want, (off_t)run->at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return lane_error_errno(n ? errno : EIO, "temporary file");
		run->filled += (size_t)n;
		run->at += (uint64_t)n;
	}
	return NULL;
}

/* The record at which a run is, whole in memory; NULL at its end. */
static struct lane_error *spool_look(struct lane_spool *spool, struct sorted_run *run,
				     struct lane_wire **record)
{
	struct lane_error *err;

	*record = NULL;
	if (run->filled - run->used < WINDOW_MIN && run->at < run->end) {
		err = spool_fill(spool, run);
		if (err)
			return err;
	}
	if (run->used < run->filled)
		*record = (struct lane_wire *)(run->window + run->used);
	return NULL;
}

static struct lane_error *spool_begin(struct lane_spool *spool)
{
	struct lane_error *err = NULL;
	struct lane_wire *record;

	_Static_assert(sizeof(struct lane_event) < WINDOW_MIN, "a record fits a window");
	spool->is_reading = true;
	if (!spool->n_runs) {
		LANE_SORT(spool->places, spool->n, compare);
		return NULL;
	}
	if (spool->n)
		err = spill(spool);
	if (err)
		return err;
	free(LANE_TAKE(spool->data));
	spool->window_bytes = spool->room / spool->n_runs;
	if (spool->window_bytes > WINDOW_MAX)
		spool->window_bytes = WINDOW_MAX;
	if (spool->window_bytes < 2 * WINDOW_MIN)
		spool->window_bytes = 2 * WINDOW_MIN;
	spool->window_bytes &= ~(size_t)7;
	spool->last = spool->n_runs;
	spool->heap.entries = calloc(spool->n_runs, sizeof(*spool->heap.entries));
	if (!spool->heap.entries)
		return &lane_enomem;
	for (uint32_t i = 0; i < spool->n_runs; i++) {
		spool->runs[i].window = malloc(spool->window_bytes);
		if (!spool->runs[i].window)
			return &lane_enomem;
		err = spool_look(spool, &spool->runs[i], &record);
		if (err)
			return err;
		lane_heap_push(&spool->heap, (struct lane_heap_entry){ record->ts_ns, i });
	}
	return NULL;
}

/* Goes on behind the record that was handed out last. */
static struct lane_error *spool_advance(struct lane_spool *spool)
{
	struct sorted_run *run = &spool->runs[spool->last];
	struct lane_wire *record;
	struct lane_error *err;

	run->used += stride_of((const struct lane_wire *)(run->window + run->used));
	err = spool_look(spool, run, &record);
	if (err)
		return err;
	if (record)
		lane_heap_replace(&spool->heap,
				  (struct lane_heap_entry){ record->ts_ns, spool->last });
	else
		lane_heap_pop(&spool->heap);
	return NULL;
}

struct lane_error *show_spool_next(struct lane_spool *spool, struct lane_wire **record)
{
	struct lane_error *err = NULL;

	*record = NULL;
	if (!spool->is_reading)
		err = spool_begin(spool);
	if (err)
		return err;
	if (!spool->n_runs) {
		if (spool->next < spool->n)
			*record =
				(struct lane_wire *)(spool->data + spool->places[spool->next++].at);
		return NULL;
	}
	if (spool->last < spool->n_runs)
		err = spool_advance(spool);
	spool->last = spool->n_runs;
	if (err || !spool->heap.n)
		return err;
	spool->last = spool->heap.entries[0].stream;
	return spool_look(spool, &spool->runs[spool->last], record);
}
