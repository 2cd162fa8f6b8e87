// SPDX-License-Identifier: MIT
// Everything that has ended, counted in a bounded number of rows.
#include "watch/count.h"

#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "base/table.h"

/* Names that want rows of their own, by their hash: how often they came. */
#define CANDIDATES 256
/* So many names are given up for others in a minute: what it costs is bounded, too. */
#define MOVES_A_MINUTE 64
/* The last row: for what finds no other. */
#define CATCH_ALL LANE_COUNT_ROWS

_Static_assert(LANE_COUNT_FIRST + LANE_COUNT_NAMES < 256, "a name's number is a byte");

struct counted_name {
	char text[LANE_COUNT_TEXT];
	uint64_t score; /* how often it came, what is long ago counting less */
	uint64_t used;	/* when it came last: lane_counts.adds */
};

struct candidate {
	uint64_t hash;
	uint64_t score;
};

struct lane_counts {
	struct counted_name names[LANE_COUNT_FIRST + LANE_COUNT_NAMES];
	unsigned int n_names;
	struct candidate candidates[CANDIDATES];
	unsigned int moves; /* in this minute */
	uint64_t adds;
	struct lane_count_engine engines[LANE_COUNT_ENGINES];
	unsigned int n_engines; /* the first one is for those that find no place */
	struct lane_table table;
	struct lane_count_row rows[LANE_COUNT_ROWS + 1];
	bool is_used[LANE_COUNT_ROWS + 1];
	unsigned int free[LANE_COUNT_ROWS];
	unsigned int n_free;
	size_t n_buckets; /* room for so many is allocated */
	struct lane_count_figures figures;
};

/* Causes: none, the stages, the reasons to be idle, and anything else. */
enum {
	CAUSE_NONE,
	CAUSE_STAGE,
	CAUSE_IDLE = CAUSE_STAGE + LANE_STAGE_COUNT,
	CAUSE_OTHER = CAUSE_IDLE + LANE_IDLE_PLACE_END,
};

const char *watch_count_cause(uint8_t cause)
{
	if (cause == CAUSE_NONE)
		return "";
	if (cause < CAUSE_IDLE)
		return lane_stage_names[cause - CAUSE_STAGE];
	return cause < CAUSE_OTHER ? lane_idle_names[cause - CAUSE_IDLE] : "other";
}

static uint8_t count_cause_of(const char *text)
{
	for (unsigned int cause = 0; cause < CAUSE_OTHER; cause++)
		if (!strcmp(text, watch_count_cause((uint8_t)cause)))
			return (uint8_t)cause;
	return CAUSE_OTHER;
}

const char *watch_count_stage(uint8_t stage)
{
	return stage < LANE_STAGE_COUNT ? lane_stage_names[stage] : "total";
}

const char *watch_count_name(const struct lane_counts *counts, uint8_t name)
{
	return counts->names[name].text;
}

const struct lane_count_engine *watch_count_engine(const struct lane_counts *counts, uint8_t engine)
{
	return &counts->engines[engine];
}

struct lane_error *watch_counts_create(struct lane_counts **counts)
{
	struct lane_counts *c = calloc(1, sizeof(*c));

	if (!c)
		return &lane_enomem;
	strcpy(c->names[LANE_COUNT_OTHER].text, "other");
	c->n_names = LANE_COUNT_FIRST;
	c->engines[0] = (struct lane_count_engine){ "other", "other", "other" };
	c->n_engines = 1;
	for (unsigned int i = 0; i < LANE_COUNT_ROWS; i++)
		c->free[i] = LANE_COUNT_ROWS - 1 - i;
	c->n_free = LANE_COUNT_ROWS;
	c->rows[CATCH_ALL].key = (struct lane_count_key){
		.stage = LANE_COUNT_TOTAL,
		.cause = CAUSE_OTHER,
		.process = LANE_COUNT_OTHER,
		.culprit = LANE_COUNT_OTHER,
	};
	*counts = c;
	return NULL;
}

void watch_counts_destroy(struct lane_counts *counts)
{
	if (!counts)
		return;
	for (unsigned int i = 0; i <= LANE_COUNT_ROWS; i++)
		free(counts->rows[i].buckets);
	lane_table_free(&counts->table);
	free(counts);
}

static uint64_t count_number_of(struct lane_count_key key)
{
	uint64_t number = 0;

	memcpy(&number, &key, sizeof(key));
	return number;
}

/* The row of a key, made when there is none. NULL: there is no more room, or no memory. */
static struct lane_count_row *count_row_of(struct lane_counts *counts, struct lane_count_key key)
{
	struct lane_count_row *row = lane_table_get(&counts->table, count_number_of(key), 0);
	unsigned int place;

	if (row || !counts->n_free)
		return row;
	place = counts->free[counts->n_free - 1];
	row = &counts->rows[place];
	if (!lane_table_put(&counts->table, count_number_of(key), 0, row))
		return NULL;
	counts->n_free--;
	counts->is_used[place] = true;
	*row = (struct lane_count_row){ .key = key };
	return row;
}

/* The row where something is counted: its own, else nobody's in particular, else the last one. */
static struct lane_count_row *place_of(struct lane_counts *counts, struct lane_count_key key)
{
	struct lane_count_row *row = count_row_of(counts, key);

	if (row)
		return row;
	key.process = LANE_COUNT_OTHER;
	key.culprit = key.culprit ? LANE_COUNT_OTHER : LANE_COUNT_NOBODY;
	row = count_row_of(counts, key);
	if (row)
		return row;
	counts->is_used[CATCH_ALL] = true;
	return &counts->rows[CATCH_ALL];
}

/* Where the slot's bucket is, or would be. */
static uint32_t find_bucket(const struct lane_count_row *row, uint32_t slot)
{
	uint32_t from = 0, to = row->n_buckets;

	while (from < to) {
		uint32_t at = (from + to) / 2;

		if (row->buckets[at].slot < slot)
			from = at + 1;
		else
			to = at;
	}
	return from;
}

/* Makes room for one bucket more. False: there is none. */
static bool count_grow(struct lane_counts *counts, struct lane_count_row *row)
{
	uint32_t room = row->room ? 2 * row->room : 8;
	struct lane_count_bucket *buckets;

	if (row->n_buckets < row->room)
		return true;
	if (counts->n_buckets + room - row->room > LANE_COUNT_BUCKETS)
		return false;
	buckets = realloc(row->buckets, room * sizeof(*buckets));
	if (!buckets)
		return false;
	counts->n_buckets += room - row->room;
	row->buckets = buckets;
	row->room = room;
	return true;
}

/* Without room for its own bucket a duration counts in the next one above it, else in the last. */
static void add_bucket(struct lane_counts *counts, struct lane_count_row *row, uint32_t slot,
		       uint32_t count)
{
	uint32_t at = find_bucket(row, slot);

	if (at == row->n_buckets || row->buckets[at].slot != slot) {
		if (count_grow(counts, row)) {
			memmove(row->buckets + at + 1, row->buckets + at,
				(row->n_buckets - at) * sizeof(*row->buckets));
			row->buckets[at] = (struct lane_count_bucket){ .slot = slot };
			row->n_buckets++;
		} else {
			counts->figures.coarse += count;
			if (!row->n_buckets)
				return;
			if (at == row->n_buckets)
				row->buckets[--at].slot = slot;
		}
	}
	row->buckets[at].count += count;
}

static unsigned int step_of(uint64_t ns)
{
	unsigned int step = 0;

	while (step < LANE_COUNT_STEPS - 1 && ns >> (10 + 2 * step))
		step++;
	return step;
}

static void add_sum(struct lane_count_sum *sum, const struct lane_count_sum *more)
{
	sum->count += more->count;
	sum->bounded += more->bounded;
	sum->unknown += more->unknown;
	sum->hits += more->hits;
	timeline_span_add(&sum->ns, more->ns);
	if (more->max_ns > sum->max_ns)
		sum->max_ns = more->max_ns;
}

static void count_in(struct lane_counts *counts, struct lane_count_key key,
		     const struct lane_count_sum *one)
{
	struct lane_count_row *row = place_of(counts, key);

	counts->figures.other += count_number_of(row->key) != count_number_of(key);
	add_sum(&row->minute, one);
	add_sum(&row->all, one);
	if (!one->count)
		return;
	add_bucket(counts, row, latency_histogram_slot(one->max_ns), 1);
	row->steps[step_of(one->max_ns)]++;
}

/* What a row has becomes that of the row of `key`; its place is free. */
static void move_row(struct lane_counts *counts, struct lane_count_row *row,
		     struct lane_count_key key)
{
	struct lane_count_row from = *row, *to;
	unsigned int place = (unsigned int)(row - counts->rows);

	lane_table_del(&counts->table, count_number_of(from.key), 0);
	*row = (struct lane_count_row){};
	counts->is_used[place] = false;
	counts->free[counts->n_free++] = place;
	to = place_of(counts, key);
	add_sum(&to->minute, &from.minute);
	add_sum(&to->all, &from.all);
	counts->n_buckets -= from.room;
	for (uint32_t i = 0; i < from.n_buckets; i++)
		add_bucket(counts, to, from.buckets[i].slot, from.buckets[i].count);
	for (unsigned int i = 0; i < LANE_COUNT_STEPS; i++)
		to->steps[i] += from.steps[i];
	free(from.buckets);
}

/* The rows of a name become those of "other". */
static void count_give_up(struct lane_counts *counts, uint8_t name)
{
	for (unsigned int i = 0; i < LANE_COUNT_ROWS; i++) {
		struct lane_count_key key = counts->rows[i].key;

		if (!counts->is_used[i] || (key.process != name && key.culprit != name))
			continue;
		if (key.process == name)
			key.process = LANE_COUNT_OTHER;
		if (key.culprit == name)
			key.culprit = LANE_COUNT_OTHER;
		move_row(counts, &counts->rows[i], key);
	}
	counts->figures.moved++;
	counts->moves++;
}

/* Rows where nothing happened in this minute make room. */
static void count_make_room(struct lane_counts *counts)
{
	for (unsigned int i = 0; i < LANE_COUNT_ROWS; i++) {
		struct lane_count_key key = counts->rows[i].key;
		const struct lane_count_sum *minute = &counts->rows[i].minute;

		if (!counts->is_used[i] || minute->count || minute->unknown ||
		    key.process == LANE_COUNT_OTHER)
			continue;
		key.process = LANE_COUNT_OTHER;
		key.culprit = key.culprit ? LANE_COUNT_OTHER : LANE_COUNT_NOBODY;
		move_row(counts, &counts->rows[i], key);
	}
}

/* Whether a name that has no rows of its own comes more often than the one that comes least. */
static bool is_admitted(struct lane_counts *counts, uint64_t hash, uint8_t *least)
{
	struct candidate *candidate = &counts->candidates[hash % CANDIDATES];

	if (candidate->hash != hash) {
		/* Who was there leaves when others have come as often. */
		if (candidate->score && --candidate->score)
			return false;
		*candidate = (struct candidate){ .hash = hash };
	}
	candidate->score++;
	if (counts->moves >= MOVES_A_MINUTE)
		return false;
	*least = LANE_COUNT_NOBODY;
	for (unsigned int i = LANE_COUNT_FIRST; i < counts->n_names; i++)
		if (counts->names[i].used != counts->adds &&
		    (!*least || counts->names[i].score < counts->names[*least].score))
			*least = (uint8_t)i;
	return *least && candidate->score > counts->names[*least].score;
}

/* The number of a name. */
static uint8_t count_name_of(struct lane_counts *counts, const char *text)
{
	char clean[LANE_COUNT_TEXT];
	uint8_t name;

	if (!*text)
		return LANE_COUNT_NOBODY;
	lane_clean_copy(clean, sizeof(clean), text, LANE_CLEAN_LINE);
	for (unsigned int i = LANE_COUNT_OTHER; i < counts->n_names; i++)
		if (!strcmp(counts->names[i].text, clean)) {
			counts->names[i].score++;
			counts->names[i].used = counts->adds;
			return (uint8_t)i;
		}
	if (counts->n_names < LANE_COUNT_FIRST + LANE_COUNT_NAMES) {
		name = (uint8_t)counts->n_names++;
	} else {
		struct candidate *candidate;

		if (!is_admitted(counts, lane_hash_text(clean), &name)) {
			counts->figures.other++;
			return LANE_COUNT_OTHER;
		}
		count_give_up(counts, name);
		candidate = &counts->candidates[lane_hash_text(clean) % CANDIDATES];
		counts->names[name].score = candidate->score;
		*candidate = (struct candidate){};
	}
	memcpy(counts->names[name].text, clean, sizeof(clean));
	counts->names[name].score++;
	counts->names[name].used = counts->adds;
	return name;
}

static uint8_t count_engine_of(struct lane_counts *counts, const struct lane_row *row)
{
	struct lane_count_engine engine = {};

	lane_clean_copy(engine.driver, sizeof(engine.driver), row->driver, LANE_CLEAN_LINE);
	lane_clean_copy(engine.gpu, sizeof(engine.gpu), row->gpu, LANE_CLEAN_LINE);
	lane_clean_copy(engine.engine, sizeof(engine.engine), row->engine, LANE_CLEAN_LINE);
	for (unsigned int i = 0; i < counts->n_engines; i++)
		if (!strcmp(counts->engines[i].engine, engine.engine) &&
		    !strcmp(counts->engines[i].gpu, engine.gpu) &&
		    !strcmp(counts->engines[i].driver, engine.driver))
			return (uint8_t)i;
	if (counts->n_engines == LANE_COUNT_ENGINES)
		return 0;
	counts->engines[counts->n_engines] = engine;
	return (uint8_t)counts->n_engines++;
}

static struct lane_count_sum count_sum_of(bool known, struct lane_span ns, bool is_hit)
{
	struct lane_count_sum sum = { .unknown = !known, .hits = is_hit };

	if (!known)
		return sum;
	sum.count = 1;
	sum.bounded = ns.lo != ns.hi;
	sum.ns = ns;
	sum.max_ns = ns.hi;
	return sum;
}

struct lane_error *watch_counts_add(struct lane_counts *counts, const struct lane_row *row,
				    const char *process)
{
	uint8_t culprits[LANE_STAGE_COUNT] = {};
	struct lane_count_key key = { .what = (uint8_t)row->what };
	struct lane_count_sum one;

	/* Names first: a new one may move the rows of another, but of none that this one has. */
	counts->adds++;
	key.engine = count_engine_of(counts, row);
	key.process = count_name_of(counts, process);
	key.culprit = count_name_of(counts, row->culprit);
	for (unsigned int i = 0; row->what == LANE_ROW_REQUEST && i < LANE_STAGE_COUNT; i++) {
		if (!((row->stages.known | row->stages.unknown) & 1u << i))
			continue;
		culprits[i] = count_name_of(counts, row->culprits[i] ? row->culprits[i] : "");
	}
	key.stage = LANE_COUNT_TOTAL;
	key.cause = count_cause_of(row->cause);
	one = count_sum_of(row->total_known, row->total, row->is_hit);
	count_in(counts, key, &one);
	key.cause = CAUSE_NONE;
	for (unsigned int i = 0; row->what == LANE_ROW_REQUEST && i < LANE_STAGE_COUNT; i++) {
		if (!((row->stages.known | row->stages.unknown) & 1u << i))
			continue;
		key.stage = (uint8_t)i;
		key.culprit = culprits[i];
		one = count_sum_of(row->stages.known & 1u << i, row->stages.ns[i], false);
		count_in(counts, key, &one);
	}
	return NULL;
}

static int by_key(const void *a, const void *b)
{
	const struct lane_count_key *x = &(*(const struct lane_count_row *const *)a)->key;
	const struct lane_count_key *y = &(*(const struct lane_count_row *const *)b)->key;
	const uint8_t first[] = { x->engine, x->process, x->what, x->stage, x->cause, x->culprit };
	const uint8_t second[] = { y->engine, y->process, y->what, y->stage, y->cause, y->culprit };

	return memcmp(first, second, sizeof(first));
}

struct lane_error *watch_counts_rows(const struct lane_counts *counts,
				     const struct lane_count_row ***rows, size_t *n)
{
	const struct lane_count_row **list = malloc((LANE_COUNT_ROWS + 1) * sizeof(*list));

	*n = 0;
	if (!list)
		return &lane_enomem;
	for (unsigned int i = 0; i <= LANE_COUNT_ROWS; i++)
		if (counts->is_used[i])
			list[(*n)++] = &counts->rows[i];
	qsort(list, *n, sizeof(*list), by_key);
	*rows = list;
	return NULL;
}

void watch_counts_next_minute(struct lane_counts *counts)
{
	if (counts->n_free < LANE_COUNT_ROWS / 8)
		count_make_room(counts);
	for (unsigned int i = 0; i <= LANE_COUNT_ROWS; i++) {
		struct lane_count_row *row = &counts->rows[i];

		if (!counts->is_used[i])
			continue;
		row->minute = (struct lane_count_sum){};
		counts->n_buckets -= row->room;
		free(row->buckets);
		row->buckets = NULL;
		row->n_buckets = row->room = 0;
	}
	for (unsigned int i = 0; i < counts->n_names; i++)
		counts->names[i].score -= counts->names[i].score / 4;
	for (unsigned int i = 0; i < CANDIDATES; i++)
		counts->candidates[i].score /= 2;
	counts->moves = 0;
}

void watch_counts_figures(const struct lane_counts *counts, struct lane_count_figures *figures)
{
	*figures = counts->figures;
	figures->names = counts->n_names - LANE_COUNT_FIRST;
	figures->rows = LANE_COUNT_ROWS - counts->n_free + counts->is_used[CATCH_ALL];
}
