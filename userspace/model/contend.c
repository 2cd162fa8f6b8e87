// SPDX-License-Identifier: MIT
// Contention of global atomics between compute units: what the slices of the shared cache have to
// do.
#include "model/contend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/pattern.h"
#include "model/touch.h"

#define FIRST_ROOM 64
#define MANY	   600 /* things in a place from which the mean of the fullest is taken as normal */

void model_contend_init(struct lane_contend *contend, const struct lane_device *device)
{
	const struct lane_device_section *s = model_device_section(device, "contention", "");

	*contend = (struct lane_contend){ .is_known = s != NULL, .message = 32, .chunk = 128 };
	if (!s)
		return;
	contend->word = model_section_real(s, "word");
	contend->message = model_section_whole(s, "message_bytes");
	contend->chunk = model_section_whole(s, "chunk_bytes");
	contend->slices = model_section_real(s, "slices");
	contend->used = model_section_real(s, "used");
	contend->retry = model_section_real(s, "retry");
	contend->is_retry_known = model_section_gives(s, "retry");
	contend->is_aggregated = model_section_whole(s, "aggregated") == 1;
	contend->error = model_section_real(s, "error_percent") / 100 +
			 fmax(model_section_doubt(s, "word"), model_section_doubt(s, "slices"));
}

static size_t place_of(const struct lane_tally *tally, uint64_t key)
{
	uint64_t mixed = (key + 1) * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)(mixed >> 20) & (tally->room - 1);

	while (tally->key[at] && tally->key[at] != key + 1)
		at = (at + 1) & (tally->room - 1);
	return at;
}

static struct lane_error *contend_grow(struct lane_tally *tally)
{
	struct lane_tally larger = { .room = tally->room ? 2 * tally->room : FIRST_ROOM,
				     .n = tally->n };

	larger.key = calloc(larger.room, sizeof(*larger.key));
	larger.sum = calloc(larger.room, sizeof(*larger.sum));
	if (!larger.key || !larger.sum) {
		model_tally_free(&larger);
		return &lane_enomem;
	}
	for (size_t i = 0; i < tally->room; i++) {
		size_t at;

		if (!tally->key[i])
			continue;
		at = place_of(&larger, tally->key[i] - 1);
		larger.key[at] = tally->key[i];
		memcpy(larger.sum[at], tally->sum[i], sizeof(larger.sum[at]));
	}
	model_tally_free(tally);
	*tally = larger;
	return NULL;
}

struct lane_error *model_tally_add(struct lane_tally *tally, uint64_t key, double a, double b)
{
	size_t at;

	if (2 * tally->n >= tally->room) {
		struct lane_error *err = contend_grow(tally);

		if (err)
			return err;
	}
	at = place_of(tally, key);
	tally->n += !tally->key[at];
	tally->key[at] = key + 1;
	tally->sum[at][0] += a;
	tally->sum[at][1] += b;
	return NULL;
}

void model_tally_free(struct lane_tally *tally)
{
	free(tally->key);
	free(tally->sum);
	*tally = (struct lane_tally){ .n = 0 };
}

/* Lanes on the busiest word of the message that lane i is the first of; 0: it is not the first. */
static uint32_t contend_busiest(const struct lane_warp_access *warp, const uint32_t *same,
				uint32_t i, uint32_t message)
{
	uint32_t most = same[i];

	for (uint32_t j = 0; j < warp->n; j++) {
		if (warp->address[j] / message != warp->address[i] / message)
			continue;
		if (j < i)
			return 0;
		most = same[j] > most ? same[j] : most;
	}
	return most;
}

struct lane_error *model_contend_add(const struct lane_contend *contend,
				     struct lane_pattern_array *array,
				     struct lane_pattern_line *line,
				     const struct lane_warp_access *warp)
{
	double used = line->is_unused || !contend->is_known ? 1 : contend->used;
	uint32_t same[LANE_PAD_LANES] = { 0 };

	for (uint32_t i = 0; i < warp->n; i++)
		for (uint32_t j = 0; j < warp->n; j++)
			same[i] += warp->address[i] == warp->address[j];
	for (uint32_t i = 0; i < warp->n; i++) {
		uint32_t lanes = contend_busiest(warp, same, i, contend->message);
		double once = used * (double)warp->count;
		struct lane_error *err;

		if (!lanes)
			continue;
		line->load += once * lanes;
		err = model_tally_add(&array->by_chunk, warp->address[i] / contend->chunk,
				      once * lanes, once);
		if (err)
			return err;
	}
	return NULL;
}

struct lane_error *model_contend_swap(struct lane_pattern_array *array,
				      const struct lane_warp_access *warp)
{
	struct lane_error *err = NULL;

	for (uint32_t i = 0; !err && i < warp->n; i++)
		err = model_tally_add(&array->by_word, warp->address[i], (double)warp->count, 0);
	return err;
}

static struct lane_slices_load contend_sum_of(const struct lane_tally *tally, int which)
{
	struct lane_slices_load load = { .chunks = (double)tally->n };

	for (size_t i = 0; i < tally->room; i++) {
		load.sum += tally->sum[i][which];
		load.most = fmax(load.most, tally->sum[i][which]);
	}
	return load;
}

void model_contend_end(struct lane_pattern_array *array)
{
	array->now = contend_sum_of(&array->by_chunk, 0);
	array->together = contend_sum_of(&array->by_chunk, 1);
	array->swaps = contend_sum_of(&array->by_word, 0).most;
	model_tally_free(&array->by_chunk);
	model_tally_free(&array->by_word);
}

struct lane_slices_load model_contend_copies(const struct lane_contend *contend, uint64_t bytes,
					     double groups, int is_used)
{
	double messages = ceil((double)bytes / contend->message);
	double in_chunk = fmin(messages, (double)contend->chunk / contend->message);
	double once = groups * (is_used && contend->is_known ? contend->used : 1);

	return (struct lane_slices_load){ .most = once * in_chunk,
					  .sum = once * messages,
					  .chunks = ceil((double)bytes / contend->chunk) };
}

void model_contend_join(struct lane_slices_load *all, const struct lane_slices_load *one)
{
	all->most = fmax(all->most, one->most);
	all->sum += one->sum;
	all->chunks += one->chunks;
}

/*
 * Places are taken as if each had a Poisson number of things of its own, at least one in the
 * fullest. Within 1 % of draws by chance from 33 things in 75 places on.
 */
double model_contend_fullest(double n, double places)
{
	double mean = n / places;
	double part, up_to, fullest = 1;

	if (n <= 0)
		return 0;
	if (places <= 1)
		return n;
	if (mean > MANY)
		return mean + sqrt(2 * mean * log(places));
	part = up_to = exp(-mean);
	for (double k = 1; k < n; k++) {
		double below;

		part *= mean / k;
		up_to += part;
		below = pow(fmin(up_to, 1), places);
		if (below > 1 - 1e-9)
			break;
		fullest += 1 - below;
	}
	return fullest;
}

double model_contend_cycles(const struct lane_contend *contend, const struct lane_slices_load *load,
			    int least)
{
	double share = 0;

	if (!contend->is_known || load->chunks <= 0)
		return 0;
	if (contend->slices > 0)
		share = least ? load->sum / contend->slices
			      : load->sum / load->chunks *
					model_contend_fullest(load->chunks, contend->slices);
	return contend->word * fmax(load->most, share);
}
