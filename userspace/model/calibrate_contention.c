// SPDX-License-Identifier: MIT
// Calibration of contention: atomics of all units on few words, in the cache that they share
// (contend.h).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/calibrate.h"
#include "model/contend.h"

#define N_DISTANCES  15 /* 4 bytes to 64 KiB */
#define SPREAD_BYTES 4096
#define AGGREGATED   0.5 /* of the time of lanes that are not added up */
#define MOST_SLICES  4096.0
#define RISEN	     0.75 /* of two lanes on one word: together they take half, apart all of it */

enum {
	ONE_WORD,
	ONE_USED,
	ONE_CONSTANT,
	SPREAD,
	RETRY,
	TWO_SAME,
	TWO_APART, /* N_DISTANCES of them */
	N_SAMPLES = TWO_APART + N_DISTANCES,
};

static struct lane_sample contend_sample(const struct lane_meter *meter, uint32_t lanes,
					 uint32_t distance)
{
	uint32_t warps = meter->max_warps < 8 ? meter->max_warps : 8;

	return (struct lane_sample){ .trial = { .kind = LANE_TRIAL_CONTEND,
						.warps = warps,
						.length = meter->global_length,
						.lanes = lanes,
						.access = LANE_GLOBAL_RED,
						.offset = distance } };
}

/* Lanes of all units and warps that a trial's word or message gets in a round. */
static double lanes_of(const struct lane_meter *meter, const struct lane_sample *s)
{
	return (double)meter->units * s->trial.warps * s->trial.lanes;
}

/* What the section needs of a sample, or why it is not known. */
static int is_good(struct lane_calibration *c, const struct lane_sample *s, const char *key)
{
	char reason[160];

	if (model_sample_good(s, reason, sizeof(reason)))
		return 1;
	model_find(c, "contention", key, 0, 0, reason);
	return 0;
}

/*
 * Two lanes of each warp so many bytes apart. In one message they are done at once, in two messages
 * of one slice one after the other, in two slices side by side. By chance two chunks lie in one
 * slice, so that most of the larger distances decide.
 */
static void conclude_bytes(struct lane_calibration *c, const struct lane_sample *s)
{
	int is_apart[N_DISTANCES], message = 0, chunk;

	for (int i = 0; i < N_DISTANCES; i++) {
		if (!is_good(c, &s[TWO_APART + i], "message_bytes"))
			return;
		is_apart[i] = s[TWO_APART + i].cycles > RISEN * s[TWO_SAME].cycles;
	}
	while (message < N_DISTANCES && !is_apart[message])
		message++;
	if (message == N_DISTANCES) {
		model_find(c, "contention", "message_bytes", 0, 0,
			   "two words cost the same at every distance");
		return;
	}
	model_find(c, "contention", "message_bytes", 4u << message, 0, NULL);
	for (chunk = message + 1; chunk < N_DISTANCES; chunk++) {
		int apart = 0;

		for (int i = chunk; i < N_DISTANCES; i++)
			apart += is_apart[i];
		if (!is_apart[chunk] && 2 * apart < N_DISTANCES - chunk)
			break;
	}
	if (chunk < N_DISTANCES)
		model_find(c, "contention", "chunk_bytes", 4u << chunk, 0, NULL);
	else
		model_find(c, "contention", "chunk_bytes", 0, 0,
			   "no distance up to 64 KiB lets two words be done side by side");
}

/* So many slices that the fullest of them has as many of the chunks as were measured. */
static void conclude_slices(struct lane_calibration *c, const struct lane_meter *meter,
			    const struct lane_sample *s, double word)
{
	double chunks = (double)s[SPREAD].trial.warps * s[SPREAD].trial.lanes;
	double fullest = s[SPREAD].cycles / (word * meter->units);
	double low = 1, high = MOST_SLICES;

	if (!is_good(c, &s[SPREAD], "slices"))
		return;
	if (fullest < 1.2 || fullest > chunks) {
		model_find(c, "contention", "slices", 0, 0,
			   "the trial's chunks do not fill the slices");
		return;
	}
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (model_contend_fullest(chunks, middle) > fullest)
			low = middle;
		else
			high = middle;
	}
	model_find(c, "contention", "slices", low,
		   low * model_both(s[SPREAD].spread / s[SPREAD].cycles,
				    s[ONE_WORD].spread / s[ONE_WORD].cycles),
		   NULL);
}

static void conclude_used(struct lane_calibration *c, const struct lane_sample *s)
{
	double used = s[ONE_USED].cycles / s[ONE_WORD].cycles;

	if (is_good(c, &s[ONE_USED], "used"))
		model_find(c, "contention", "used", used,
			   used * model_both(s[ONE_USED].spread / s[ONE_USED].cycles,
					     s[ONE_WORD].spread / s[ONE_WORD].cycles),
			   NULL);
}

/* A compiler that knows that all lanes want one word may send one message with their sum. */
static void conclude_aggregated(struct lane_calibration *c, const struct lane_sample *s)
{
	if (is_good(c, &s[ONE_CONSTANT], "aggregated"))
		model_find(c, "contention", "aggregated",
			   s[ONE_CONSTANT].cycles < AGGREGATED * s[ONE_WORD].cycles, 0, NULL);
}

struct lane_error *model_calibrate_contention(struct lane_meter *meter, uint32_t rounds,
					      struct lane_calibration *c)
{
	struct lane_sample s[N_SAMPLES];
	struct lane_error *err;
	double word;

	s[ONE_WORD] = contend_sample(meter, meter->warp, 0);
	s[ONE_USED] = s[ONE_WORD];
	s[ONE_USED].trial.access = LANE_GLOBAL_ATOMIC;
	s[ONE_CONSTANT] = s[ONE_WORD];
	s[ONE_CONSTANT].trial.is_constant = 1;
	s[SPREAD] = contend_sample(meter, meter->warp, SPREAD_BYTES);
	s[SPREAD].trial.is_spread = 1;
	s[RETRY] = contend_sample(meter, 1, 0);
	s[RETRY].trial.is_retry = 1;
	s[RETRY].trial.warps = 1;
	s[TWO_SAME] = contend_sample(meter, 2, 0);
	for (uint32_t i = 0; i < N_DISTANCES; i++)
		s[TWO_APART + i] = contend_sample(meter, 2, 4u << i);
	err = model_sample_all(meter, s, N_SAMPLES, rounds, c);
	if (err || !s[ONE_WORD].can)
		return err;
	if (!is_good(c, &s[ONE_WORD], "word") || !is_good(c, &s[TWO_SAME], "message_bytes"))
		return NULL;
	word = s[ONE_WORD].cycles / lanes_of(meter, &s[ONE_WORD]);
	model_find(c, "contention", "word", word,
		   s[ONE_WORD].spread / lanes_of(meter, &s[ONE_WORD]), NULL);
	conclude_bytes(c, s);
	conclude_slices(c, meter, s, word);
	conclude_used(c, s);
	conclude_aggregated(c, s);
	if (s[RETRY].can && is_good(c, &s[RETRY], "retry"))
		model_find(c, "contention", "retry", s[RETRY].cycles / lanes_of(meter, &s[RETRY]),
			   s[RETRY].spread / lanes_of(meter, &s[RETRY]), NULL);
	return NULL;
}
