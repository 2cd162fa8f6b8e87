// SPDX-License-Identifier: MIT
// Live events: a buffer of records, sorted when it is asked for events.
#include "norm/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "norm/fix.h"
#include "norm/submission.h"

/* So much is kept for what will come. */
#define KEPT_BYTES (4u << 20)

/* A record, where it lies in the buffer; the CPU stands before it. */
struct held_place {
	uint64_t ns;
	size_t at;
};

struct held_record {
	int64_t cpu;
	struct lane_wire wire;
};

struct cpu_loss {
	uint64_t total;
	uint64_t at_ns;
};

struct lane_live {
	struct lane_trace_info info;
	struct lane_submission_clues clues;
	struct lane_fix *fix;
	char *data, *spare; /* spare: what data was before the last live_compact(), NULL: nothing */
	size_t bytes, room, spare_room;
	struct held_place *places, *merged; /* merged: room for sorting */
	size_t n, n_room, n_merged_room;
	size_t next;   /* of the places: the first that is still to come */
	size_t sorted; /* so many of the places are in order */
	uint64_t last_ns;
	uint64_t lost, moved;
	struct cpu_loss *losses; /* by CPU */
	unsigned int n_losses;
	struct lane_event event;
};

struct lane_error *norm_live_create(const struct lane_trace_info *info, struct lane_live **result)
{
	struct lane_live *live = calloc(1, sizeof(*live));
	struct lane_error *err;

	if (!live)
		return &lane_enomem;
	live->info = *info;
	err = norm_fix_create(info, &live->fix);
	if (err) {
		norm_live_destroy(live);
		return err;
	}
	if (live->info.submission == LANE_SUBMISSION_UNKNOWN)
		live->info.submission = norm_submission_facts(&live->clues, &live->info);
	*result = live;
	return NULL;
}

void norm_live_destroy(struct lane_live *live)
{
	if (!live)
		return;
	norm_fix_destroy(live->fix);
	free(live->data);
	free(live->spare);
	free(live->places);
	free(live->merged);
	free(live->losses);
	free(live);
}

const struct lane_trace_info *norm_live_info(const struct lane_live *live)
{
	return &live->info;
}

static size_t held_bytes(const struct lane_wire *record)
{
	return (sizeof(struct held_record) + lane_kinds[record->kind].struct_bytes + 7) &
	       ~(size_t)7;
}

static bool live_make_room(struct lane_live *live, size_t bytes)
{
	if (!LANE_GROW(live->data, live->room, live->bytes + bytes) ||
	    !LANE_GROW(live->places, live->n_room, live->n + 1))
		return false;
	return true;
}

static struct lane_error *live_hold(struct lane_live *live, int64_t cpu,
				    const struct lane_wire *record)
{
	size_t payload = lane_kinds[record->kind].payload_bytes;
	struct held_record *held;

	if (!live_make_room(live, held_bytes(record)))
		return &lane_enomem;
	held = (struct held_record *)(live->data + live->bytes);
	held->cpu = cpu;
	memcpy(&held->wire, record, sizeof(*record) + payload);
	live->places[live->n++] = (struct held_place){ record->ts_ns, live->bytes };
	live->bytes += held_bytes(record);
	return NULL;
}

struct lane_error *norm_live_record(struct lane_live *live, unsigned int cpu,
				    const struct lane_wire *record)
{
	if (record->kind >= LANE_KIND_COUNT)
		return lane_error("a record of unknown kind %u", record->kind);
	return live_hold(live, cpu, record);
}

struct lane_error *norm_live_lost(struct lane_live *live, unsigned int cpu, uint64_t total,
				  uint64_t at_ns)
{
	struct lane_event event = {
		.wire = { .ts_ns = at_ns, .kind = LANE_LOST, .tid = -1, .pid = -1 }
	};
	struct cpu_loss *loss;

	if (!LANE_GROW(live->losses, live->n_losses, (size_t)cpu + 1))
		return &lane_enomem;
	loss = &live->losses[cpu];
	if (total > loss->total) {
		event.u.gpulane_lost.count = total - loss->total;
		event.u.gpulane_lost.begin_ns = loss->at_ns ? loss->at_ns : live->info.begin_ns;
		event.u.gpulane_lost.end_ns = at_ns;
		event.u.gpulane_lost.lost_cpu = (int32_t)cpu;
		live->lost += total - loss->total;
		loss->total = total;
	} else {
		event.wire.kind = LANE_KIND_COUNT;
	}
	loss->at_ns = at_ns;
	return event.wire.kind == LANE_LOST ? live_hold(live, cpu, &event.wire) : NULL;
}

/* What has come out makes room: the rest moves to the front, in its order. */
static struct lane_error *live_compact(struct lane_live *live)
{
	size_t rest = 0, to = 0, room;
	char *data;

	for (size_t i = live->next; i < live->n; i++) {
		const struct held_record *held =
			(const struct held_record *)(live->data + live->places[i].at);

		rest += held_bytes(&held->wire);
	}
	if (!LANE_GROW(live->spare, live->spare_room, rest))
		return &lane_enomem;
	data = live->spare;
	for (size_t i = live->next; i < live->n; i++) {
		const struct held_record *held =
			(const struct held_record *)(live->data + live->places[i].at);
		size_t bytes = held_bytes(&held->wire);

		memcpy(data + to, held, bytes);
		live->places[i - live->next] = (struct held_place){ live->places[i].ns, to };
		to += bytes;
	}
	room = live->spare_room;
	live->spare = live->data;
	live->spare_room = live->room;
	/* After a flood its memory is given back. */
	if (live->spare_room > KEPT_BYTES) {
		free(LANE_TAKE(live->spare));
		live->spare_room = 0;
	}
	live->data = data;
	live->bytes = rest;
	live->room = room;
	live->n -= live->next;
	live->next = 0;
	live->sorted = live->n;
	return NULL;
}

/* Where the places that are in order from i on end. */
static size_t run_end(const struct held_place *places, size_t i, size_t n)
{
	for (i++; i < n && places[i - 1].ns <= places[i].ns; i++)
		;
	return i;
}

/* Merges each two neighbouring runs of from; those of one time stay as they are. True: all are in
 * order. */
static bool merge_runs(const struct held_place *from, struct held_place *to, size_t n)
{
	bool is_one = true;

	for (size_t begin = 0, end; begin < n; begin = end) {
		size_t middle = run_end(from, begin, n), a = begin, b = middle;

		end = middle < n ? run_end(from, middle, n) : n;
		for (size_t i = begin; i < end; i++)
			to[i] = b == end || (a < middle && from[a].ns <= from[b].ns) ? from[a++]
										     : from[b++];
		is_one &= !begin;
	}
	return is_one;
}

/*
 * Puts the places in order. Each CPU's records come nearly in order, one CPU after the other:
 * merging what is in order costs less than sorting anew.
 */
static struct lane_error *live_sort(struct lane_live *live)
{
	size_t n = live->n - live->next;
	struct held_place *places, *merged, *swapped;
	bool is_sorted;

	if (live->sorted == live->n)
		return NULL;
	places = live->places + live->next;
	live->sorted = live->n;
	if (run_end(places, 0, n) == n)
		return NULL;
	if (!LANE_GROW(live->merged, live->n_merged_room, n))
		return &lane_enomem;
	merged = live->merged;
	do {
		is_sorted = merge_runs(places, merged, n);
		swapped = places;
		places = merged;
		merged = swapped;
	} while (!is_sorted);
	if (places == live->merged)
		memcpy(live->places + live->next, places, n * sizeof(*places));
	return NULL;
}

/* Makes the record the event; false when it is none that anybody is told of. */
static bool live_take(struct lane_live *live, const struct held_record *held)
{
	struct lane_event *event = &live->event;
	enum lane_fixed fixed;

	memset(event, 0, sizeof(*event));
	memcpy(&event->wire, &held->wire,
	       sizeof(held->wire) + lane_kinds[held->wire.kind].payload_bytes);
	event->cpu = (int32_t)held->cpu;
	event->raw.ring = LANE_RING_NONE;
	if (event->wire.ts_ns < live->last_ns) {
		event->wire.ts_ns = live->last_ns;
		live->moved++;
	}
	live->last_ns = event->wire.ts_ns;
	fixed = norm_fix_event(live->fix, event);
	if (fixed == LANE_FIXED_AWAY || fixed == LANE_FIXED_MORE)
		return false;
	if (live->info.submission == LANE_SUBMISSION_UNKNOWN)
		live->info.submission = norm_submission_clue(&live->clues, event);
	return true;
}

struct lane_error *norm_live_next(struct lane_live *live, uint64_t upto_ns,
				  const struct lane_event **event)
{
	bool full = live->bytes > LANE_LIVE_BYTES;
	struct lane_error *err = live_sort(live);

	*event = NULL;
	while (!err && live->next < live->n && (full || live->places[live->next].ns <= upto_ns)) {
		const struct held_record *held =
			(const struct held_record *)(live->data + live->places[live->next++].at);

		if (live_take(live, held)) {
			*event = &live->event;
			return NULL;
		}
	}
	return !err && live->next ? live_compact(live) : err;
}

void norm_live_counts(const struct lane_live *live, uint64_t *lost, uint64_t *moved)
{
	*lost = live->lost;
	*moved = live->moved;
}
