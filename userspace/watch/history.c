// SPDX-License-Identifier: MIT
// How long things usually take: two generations of spreads, the older one is forgotten as a whole.
#include "watch/history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "watch/escaped.h"

/* So many must exceed a percentile before it is believed, and so many there must be at least. */
#define ENOUGH_BEYOND 2
#define ENOUGH	      30

/* What was computed stands until there are so many parts more. */
#define STALE_PARTS 16

struct known_value {
	unsigned int ppm; /* 0: not computed */
	uint64_t count;
	uint64_t ns;
};

struct lane_usual {
	char process[16];
	char engine[64];
	uint64_t used; /* when it was asked for last, by the history's count */
	struct lane_spread *spreads[LANE_TRACK_COUNT][2]; /* this hour's, the last hour's */
	struct known_value median[LANE_TRACK_COUNT], limit[LANE_TRACK_COUNT];
};

struct lane_history {
	struct lane_usual *of[LANE_HISTORY_MAX];
	unsigned int n;
	uint64_t uses;
	uint64_t begin_ns; /* of this hour */
};

struct lane_error *watch_history_create(struct lane_history **history)
{
	*history = calloc(1, sizeof(**history));
	return *history ? NULL : &lane_enomem;
}

static void usual_free(struct lane_usual *usual)
{
	for (int i = 0; i < LANE_TRACK_COUNT; i++) {
		free(usual->spreads[i][0]);
		free(usual->spreads[i][1]);
	}
	free(usual);
}

void watch_history_destroy(struct lane_history *history)
{
	if (!history)
		return;
	for (unsigned int i = 0; i < history->n; i++)
		usual_free(history->of[i]);
	free(history);
}

/* A place for one more: behind the others, or that of the one not heard of for longest. */
static unsigned int history_make_room(struct lane_history *history)
{
	unsigned int oldest = 0;

	if (history->n < LANE_HISTORY_MAX)
		return history->n++;
	for (unsigned int i = 1; i < history->n; i++)
		if (history->of[i]->used < history->of[oldest]->used)
			oldest = i;
	usual_free(history->of[oldest]);
	return oldest;
}

struct lane_usual *watch_history_of(struct lane_history *history, const char *process,
				    const char *engine)
{
	struct lane_usual *usual;
	unsigned int at;

	for (unsigned int i = 0; i < history->n; i++) {
		usual = history->of[i];
		if (strncmp(usual->process, process, sizeof(usual->process) - 1) ||
		    strncmp(usual->engine, engine, sizeof(usual->engine) - 1))
			continue;
		usual->used = ++history->uses;
		/* Who is asked for often is found soon. */
		if (i) {
			history->of[i] = history->of[i / 2];
			history->of[i / 2] = usual;
		}
		return usual;
	}
	usual = calloc(1, sizeof(*usual));
	if (!usual)
		return NULL;
	snprintf(usual->process, sizeof(usual->process), "%s", process);
	snprintf(usual->engine, sizeof(usual->engine), "%s", engine);
	usual->used = ++history->uses;
	at = history_make_room(history);
	history->of[at] = usual;
	return usual;
}

static struct lane_spread *spread_of(struct lane_usual *usual, enum lane_usual_track track,
				     int hour)
{
	struct lane_spread **spread = &usual->spreads[track][hour];

	if (!*spread)
		*spread = calloc(1, sizeof(**spread));
	return *spread;
}

bool watch_usual_add(struct lane_usual *usual, enum lane_usual_track track, uint64_t ns)
{
	struct lane_spread *spread = spread_of(usual, track, 0);

	if (spread)
		watch_spread_add(spread, ns);
	return spread;
}

static uint64_t history_count_of(const struct lane_usual *usual, enum lane_usual_track track)
{
	const struct lane_spread *now = usual->spreads[track][0],
				 *before = usual->spreads[track][1];

	return (now ? now->count : 0) + (before ? before->count : 0);
}

static bool compute(struct lane_usual *usual, enum lane_usual_track track,
		    struct known_value *known, unsigned int ppm, uint64_t *ns)
{
	uint64_t count = history_count_of(usual, track);
	struct lane_spread both = { 0 };

	if (count < ENOUGH || (double)count * (1000000 - ppm) < ENOUGH_BEYOND * 1e6)
		return false;
	if (known->ppm != ppm || count < known->count ||
	    count - known->count > known->count / STALE_PARTS) {
		for (int hour = 0; hour < 2; hour++)
			if (usual->spreads[track][hour])
				watch_spread_merge(&both, usual->spreads[track][hour]);
		*known = (struct known_value){ ppm, count, watch_spread_percentile(&both, ppm) };
	}
	*ns = known->ns;
	return true;
}

uint64_t watch_usual_median(struct lane_usual *usual, enum lane_usual_track track)
{
	uint64_t ns = 0;

	return compute(usual, track, &usual->median[track], 500000, &ns) ? ns : 0;
}

bool watch_usual_percentile(struct lane_usual *usual, enum lane_usual_track track, unsigned int ppm,
			    uint64_t *ns)
{
	return compute(usual, track, &usual->limit[track], ppm, ns);
}

void watch_history_advance(struct lane_history *history, uint64_t now_ns)
{
	if (!history->begin_ns)
		history->begin_ns = now_ns;
	if (now_ns - history->begin_ns < LANE_HISTORY_NS || now_ns < history->begin_ns)
		return;
	history->begin_ns = now_ns;
	for (unsigned int i = 0; i < history->n; i++) {
		struct lane_usual *usual = history->of[i];

		for (int track = 0; track < LANE_TRACK_COUNT; track++) {
			free(usual->spreads[track][1]);
			usual->spreads[track][1] = usual->spreads[track][0];
			usual->spreads[track][0] = NULL;
			usual->median[track].ppm = usual->limit[track].ppm = 0;
		}
	}
}

/* --- in a file --- */

static const char *track_name(int track)
{
	static const char *const names[] = { "request", "command", "wait", "frame" };

	return track < LANE_STAGE_COUNT ? lane_stage_names[track] : names[track - LANE_STAGE_COUNT];
}

static void save_spread(const struct lane_usual *usual, int track, int hour, FILE *to)
{
	const struct lane_spread *spread = usual->spreads[track][hour];

	if (!spread || !spread->count)
		return;
	fputs("history", to);
	watch_words_put(to, usual->process);
	watch_words_put(to, usual->engine);
	watch_words_put(to, track_name(track));
	fprintf(to, " %d %" PRIu64 " %" PRIu64, hour, spread->sum_ns, spread->max_ns);
	for (unsigned int i = 0; i < LANE_SPREAD_BUCKETS; i++)
		if (spread->buckets[i])
			fprintf(to, " %u %" PRIu32, i, spread->buckets[i]);
	fputc('\n', to);
}

void watch_history_save(const struct lane_history *history, FILE *to)
{
	for (unsigned int i = 0; i < history->n; i++)
		for (int track = 0; track < LANE_TRACK_COUNT; track++)
			for (int hour = 0; hour < 2; hour++)
				save_spread(history->of[i], track, hour, to);
}

static int track_by_name(const char *name)
{
	int track = 0;

	while (track < LANE_TRACK_COUNT && strcmp(track_name(track), name))
		track++;
	return track;
}

bool watch_history_load(struct lane_history *history, const char *line)
{
	struct lane_spread spread = { 0 }, *to;
	char process[16], engine[64], track[20];
	uint64_t hour, bucket, count;
	struct lane_usual *usual;
	int of;

	if (!watch_words_get(&line, process, sizeof(process)) ||
	    !watch_words_get(&line, engine, sizeof(engine)) ||
	    !watch_words_get(&line, track, sizeof(track)) || !watch_words_number(&line, 1, &hour) ||
	    !watch_words_number(&line, UINT64_MAX, &spread.sum_ns) ||
	    !watch_words_number(&line, UINT64_MAX, &spread.max_ns))
		return false;
	of = track_by_name(track);
	if (of == LANE_TRACK_COUNT)
		return false;
	while (*line) {
		if (!watch_words_number(&line, LANE_SPREAD_BUCKETS - 1, &bucket) ||
		    !watch_words_number(&line, UINT32_MAX, &count))
			return false;
		spread.count += count - spread.buckets[bucket];
		spread.buckets[bucket] = (uint32_t)count;
	}
	usual = watch_history_of(history, process, engine);
	to = usual ? spread_of(usual, (enum lane_usual_track)of, (int)hour) : NULL;
	if (to)
		*to = spread;
	return to;
}
