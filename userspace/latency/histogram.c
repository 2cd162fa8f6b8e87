// SPDX-License-Identifier: MIT
// Percentiles in bounded memory: exact for few values, a log-linear histogram for many.
#include "latency/histogram.h"

#include "base/sort.h"

#include <stdlib.h>

enum {
	LEAST = 16
};

static bool to_buckets(struct lane_histogram *h)
{
	h->buckets = calloc(LANE_HISTOGRAM_SLOTS, sizeof(*h->buckets));
	if (!h->buckets)
		return false;
	for (uint64_t i = 0; i < h->count; i++)
		h->buckets[latency_histogram_slot(h->values[i])]++;
	free(h->values);
	h->values = NULL;
	return true;
}

/* The room for values is a power of two, LEAST at least. */
static bool histogram_is_full(const struct lane_histogram *h)
{
	return !h->count || (h->count >= LEAST && !(h->count & (h->count - 1)));
}

static bool histogram_grow(struct lane_histogram *h)
{
	uint64_t *more = realloc(h->values, (h->count ? 2 * h->count : LEAST) * sizeof(*more));

	if (more)
		h->values = more;
	return more;
}

bool latency_histogram_keep(struct lane_histogram *h, uint64_t ns)
{
	if (h->count == LANE_HISTOGRAM_EXACT) {
		if (!to_buckets(h))
			return false;
		return latency_histogram_add(h, ns);
	}
	if (histogram_is_full(h) && !histogram_grow(h))
		return false;
	h->values[h->count++] = ns;
	h->sorted = false;
	if (ns > h->max_ns)
		h->max_ns = ns;
	return true;
}

bool latency_histogram_add_all(struct lane_histogram *h, const struct lane_histogram *others)
{
	for (uint64_t i = 0; others->values && i < others->count; i++)
		if (!latency_histogram_add(h, others->values[i]))
			return false;
	if (!others->buckets)
		return true;
	if (!h->buckets && !to_buckets(h))
		return false;
	for (unsigned int i = 0; i < LANE_HISTOGRAM_SLOTS; i++)
		h->buckets[i] += others->buckets[i];
	h->count += others->count;
	if (others->max_ns > h->max_ns)
		h->max_ns = others->max_ns;
	return true;
}

LANE_ORDER(by_value, uint64_t, LANE_COMPARE(*x, *y))

uint64_t latency_histogram_percentile(struct lane_histogram *h, unsigned int permille)
{
	uint64_t rank = (h->count * permille + 999) / 1000, seen = 0;

	if (!h->count)
		return 0;
	rank = rank ? rank : 1;
	if (h->values) {
		if (!h->sorted)
			qsort(h->values, h->count, sizeof(*h->values), by_value);
		h->sorted = true;
		return h->values[rank - 1];
	}
	for (unsigned int i = 0; i < LANE_HISTOGRAM_SLOTS; i++) {
		seen += h->buckets[i];
		if (seen >= rank)
			return latency_histogram_top(i) < h->max_ns ? latency_histogram_top(i)
								    : h->max_ns;
	}
	return h->max_ns;
}

void latency_histogram_free(struct lane_histogram *h)
{
	free(h->values);
	free(h->buckets);
	*h = (struct lane_histogram){ 0 };
}
