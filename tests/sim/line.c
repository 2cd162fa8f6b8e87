// SPDX-License-Identifier: MIT
// The words of a scenario file's lines.
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "line.h"

const char *line_word(struct line *l)
{
	return l->at < l->n ? l->words[l->at++] : NULL;
}

bool line_take(struct line *l, const char *expected)
{
	if (l->at >= l->n || strcmp(l->words[l->at], expected))
		return false;
	l->at++;
	return true;
}

/* Adds an element to an array whose length is *n; NULL for want of memory. */
void *line_add(void *array, uint32_t *n, size_t size)
{
	void **v = array;
	char *grown = realloc(*v, (*n + 1) * size);

	if (!grown)
		return NULL;
	*v = grown;
	memset(grown + *n * size, 0, size);
	return grown + (*n)++ * size;
}

struct lane_error *line_number(struct line *l, uint64_t limit, uint64_t *value)
{
	const char *text = line_word(l);
	char *end;

	if (!text || !isdigit((unsigned char)*text))
		return line_fail(l, "a number is expected (see docs/sim.md)");
	*value = strtoull(text, &end, 10);
	if (*end || *value > limit)
		return line_fail(l, "%s: not a number up to %" PRIu64, text, limit);
	return NULL;
}

static bool parse_time(const char *text, const char **rest, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	char *end;
	double value = strtod(text, &end);

	if (end == text || !isdigit((unsigned char)*text) || !(value >= 0 && value < 1e16))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t length = strlen(units[i].unit);

		if (strncmp(end, units[i].unit, length) || isalpha((unsigned char)end[length]))
			continue;
		value *= (double)units[i].ns;
		if (value > 1e15)
			return false;
		*ns = (uint64_t)(value + 0.5);
		*rest = end + length;
		return true;
	}
	*ns = 0;
	*rest = end;
	return value == 0;
}

/* `20us` or `10us..30us` */
struct lane_error *line_range(struct line *l, struct range *range)
{
	const char *text = line_word(l), *rest;

	if (!text || !parse_time(text, &rest, &range->lo))
		goto bad;
	range->hi = range->lo;
	if (!strncmp(rest, "..", 2) && !parse_time(rest + 2, &rest, &range->hi))
		goto bad;
	if (*rest || range->hi < range->lo)
		goto bad;
	return NULL;
bad:
	return line_fail(l, "%s: not a time (20us, or 10us..30us)", text ? text : "nothing");
}

struct lane_error *line_duration(struct line *l, uint64_t *ns)
{
	struct range both;
	struct lane_error *err = line_range(l, &both);

	*ns = both.lo;
	return err;
}

bool line_engine_id(const char *text, struct sim_engine *id)
{
	unsigned int dev, class, instance;
	int length = 0;

	if (!text || sscanf(text, "%3u/%3u:%5u%n", &dev, &class, &instance, &length) != 3 ||
	    text[length] || dev > 15)
		return false;
	*id = (struct sim_engine){ .dev = dev,
				   .class = (uint16_t) class,
				   .instance = (uint16_t)instance };
	return true;
}

struct lane_error *line_engine(struct line *l, uint32_t *index)
{
	const char *text = line_word(l);
	struct sim_engine id;

	if (!line_engine_id(text, &id))
		return line_fail(l, "%s: not an engine (device/class:instance)",
				 text ? text : "nothing");
	for (*index = 0; *index < l->sc->n_engines; ++*index) {
		const struct sc_engine *e = &l->sc->engines[*index];

		if (e->dev == id.dev && e->class == id.class && e->instance == id.instance)
			return NULL;
	}
	return line_fail(l, "%s: no such engine (name it in an `engine` line first)", text);
}

struct lane_error *line_name(struct line *l, char to[16])
{
	const char *text = line_word(l);

	if (!text || strlen(text) > 15)
		return line_fail(l, "a name of at most 15 characters is expected");
	memset(to, 0, 16);
	memcpy(to, text, strlen(text));
	return NULL;
}

/* The index of the thing of this name; names stand first in their structures. */
static struct lane_error *find(struct line *l, const char *what, const void *names, size_t size,
			       uint32_t n, uint32_t *index)
{
	const char *text = line_word(l);

	for (*index = 0; text && *index < n; ++*index)
		if (!strcmp((const char *)names + *index * size, text))
			return NULL;
	return line_fail(l, "%s: no such %s", text ? text : "nothing", what);
}

struct lane_error *line_context(struct line *l, uint32_t *index)
{
	const struct sim_scenario *sc = l->sc;

	return find(l, "context", sc->contexts, sizeof(*sc->contexts), sc->n_contexts, index);
}

struct lane_error *line_lock(struct line *l, uint32_t *index)
{
	const struct sim_scenario *sc = l->sc;

	return find(l, "lock", sc->locks, sizeof(*sc->locks), sc->n_locks, index);
}

struct lane_error *line_thread(struct line *l, uint32_t *index)
{
	const struct sim_scenario *sc = l->sc;

	return find(l, "thread", sc->threads, sizeof(*sc->threads), sc->n_threads, index);
}
