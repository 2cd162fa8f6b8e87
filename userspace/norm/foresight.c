// SPDX-License-Identifier: MIT
// What is still to be told, losses above all: all is read for it beforehand.
#include "norm/foresight.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/stop.h"
#include "base/vector.h"

/*
 * Two events have the loss between them when the later is not before `from_ns` and the earlier not
 * behind `until_ns`.
 */
struct span {
	uint64_t from_ns, until_ns;
	uint32_t host;
};

/* Two schedulers have a ring of this name. */
struct two {
	char name[LANE_RING_BYTES];
	uint32_t host;
};

struct lane_foresight {
	struct lane_place *places;
	size_t n_places;
	enum lane_prefer prefer;
	bool is_read, is_unreadable;
	struct span *spans; /* by host and from_ns; until_ns is the latest up to there */
	size_t n, room;
	struct two *two;
	size_t n_two, room_two;
};

struct lane_foresight *norm_foresight_create(const struct lane_place *places, size_t n,
					     enum lane_prefer prefer)
{
	struct lane_foresight *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->places = malloc(n * sizeof(*places));
	if (!f->places) {
		free(f);
		return NULL;
	}
	memcpy(f->places, places, n * sizeof(*places));
	f->n_places = n;
	f->prefer = prefer;
	return f;
}

void norm_foresight_destroy(struct lane_foresight *f)
{
	if (f) {
		free(f->places);
		free(f->spans);
		free(f->two);
	}
	free(f);
}

/* Of a loss of one instant, what was lost came before that instant's events or behind them; of any
 * other nothing came before its first time or behind its last. */
static bool take_loss(struct lane_foresight *f, const struct lane_event *event)
{
	const struct lane_p_gpulane_lost *lost = &event->u.gpulane_lost;
	bool is_instant = lost->begin_ns == lost->end_ns;
	struct span *span = LANE_APPEND(f->spans, f->n, f->room);

	if (!span)
		return false;
	*span = (struct span){ .from_ns = lost->begin_ns + !is_instant,
			       .until_ns = lost->end_ns - !is_instant,
			       .host = event->host };
	return true;
}

static bool is_among(const struct lane_foresight *f, uint32_t host,
		     const char name[LANE_RING_BYTES])
{
	for (size_t i = 0; i < f->n_two; i++)
		if (f->two[i].host == host && !memcmp(f->two[i].name, name, LANE_RING_BYTES))
			return true;
	return false;
}

/* False: no memory. */
static bool foresight_take(struct lane_foresight *f, const struct lane_event *event)
{
	const char *name = event->u.drm_sched_job_queue.name;
	struct two *two;

	if (event->wire.kind == LANE_LOST)
		return take_loss(f, event);
	if (!event->raw.is_two || is_among(f, event->host, name))
		return true;
	two = LANE_APPEND(f->two, f->n_two, f->room_two);
	if (!two)
		return false;
	memcpy(two->name, name, LANE_RING_BYTES);
	two->host = event->host;
	return true;
}

static int foresight_compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

static void foresight_sort(struct lane_foresight *f)
{
	if (f->n)
		qsort(f->spans, f->n, sizeof(*f->spans), foresight_compare);
	for (size_t i = 1; i < f->n; i++)
		if (f->spans[i].host == f->spans[i - 1].host &&
		    f->spans[i].until_ns < f->spans[i - 1].until_ns)
			f->spans[i].until_ns = f->spans[i - 1].until_ns;
}

static struct lane_error *read_all(struct lane_foresight *f)
{
	LANE_CLEANUP(norm_input_cleanup) struct lane_input *input = NULL;
	const struct lane_input_options options = { .prefer = f->prefer };
	const struct lane_event *event = NULL;
	struct lane_error *err = norm_input_open_places(f->places, f->n_places, &options, &input);

	while (!err && !lane_stop_signal) {
		err = norm_input_next_whole(input, &event);
		if (err || !event)
			return err;
		if (!foresight_take(f, event))
			err = &lane_enomem;
	}
	return err ? err : lane_error("interrupted");
}

static void read_once(struct lane_foresight *f)
{
	struct lane_error *err;

	if (f->is_read)
		return;
	err = read_all(f);
	f->is_unreadable = err;
	lane_error_free(err);
	foresight_sort(f);
	f->is_read = true;
}

bool norm_foresight_is_two(struct lane_foresight *f, uint32_t host,
			   const char name[LANE_RING_BYTES])
{
	read_once(f);
	return f->is_unreadable || is_among(f, host, name);
}

bool norm_foresight_is_lossy(struct lane_foresight *f, uint32_t host, uint64_t begin_ns,
			     uint64_t end_ns)
{
	size_t low = 0, high;

	read_once(f);
	/* The last that begins in time. */
	high = f->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct span *span = &f->spans[middle];

		if (span->host < host || (span->host == host && span->from_ns <= end_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return f->is_unreadable ||
	       (low && f->spans[low - 1].host == host && f->spans[low - 1].until_ns >= begin_ns);
}
