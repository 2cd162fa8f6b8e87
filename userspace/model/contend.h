/* SPDX-License-Identifier: MIT */
/*
 * Atomics on global memory where several compute units meet: they are done in the cache that all
 * units share, by slices, each a server. docs/models/pattern.md has the law.
 *
 * `chunk_bytes` in a row lie in one slice. A warp's atomic is split into messages, one for each
 * `message_bytes`; a message takes as long as the most lanes on one of its words.
 */
#ifndef LANE_MODEL_CONTEND_H
#define LANE_MODEL_CONTEND_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/device.h"

struct lane_pattern_array;
struct lane_pattern_line;
struct lane_warp_access;

/* What a device says of its slices: [contention]. */
struct lane_contend {
	int is_known;
	double word;	  /* cycles of each lane on one word */
	uint32_t message; /* bytes */
	uint32_t chunk;	  /* likewise */
	double slices;	  /* 0: not known */
	double used;	  /* how much longer a message takes whose results are used */
	double retry;	  /* cycles between two successes of compare-and-exchange on a word */
	int is_retry_known;
	int is_aggregated; /* a compiler adds up lanes of one word that it knows to be one */
	double error;	   /* the time may be 1 + error times as long, or as short */
};

void model_contend_init(struct lane_contend *contend, const struct lane_device *device);

/* Counts by number: two sums for each. Zeroed, it is empty. */
struct lane_tally {
	uint64_t *key; /* plus 1; 0: a free place */
	double (*sum)[2];
	size_t n;
	size_t room;
};

struct lane_error *model_tally_add(struct lane_tally *tally, uint64_t key, double a,
				   double b) LANE_MUST_CHECK;
void model_tally_free(struct lane_tally *tally);

/* What the atomics of all launches give the slices to do, in lanes on one word. */
struct lane_slices_load {
	double most; /* of a chunk */
	double sum;
	double chunks;
};

/* Adds a warp's atomic: to the array, and to the line. */
struct lane_error *model_contend_add(const struct lane_contend *contend,
				     struct lane_pattern_array *array,
				     struct lane_pattern_line *line,
				     const struct lane_warp_access *warp) LANE_MUST_CHECK;

/* Adds a warp's compare-and-exchanges that wrote. */
struct lane_error *model_contend_swap(struct lane_pattern_array *array,
				      const struct lane_warp_access *warp) LANE_MUST_CHECK;

/* At the end: the array's loads from its counts, which are given back. */
void model_contend_end(struct lane_pattern_array *array);

/* The load of a copy in each group's local memory that is added up in the end. */
struct lane_slices_load model_contend_copies(const struct lane_contend *contend, uint64_t bytes,
					     double groups, int is_used);

/* Adds an array's load to that of others: the fullest chunk is the fullest of all. */
void model_contend_join(struct lane_slices_load *all, const struct lane_slices_load *one);

/*
 * The slices' cycles: `least` where each has its share, else where the chunks lie in them by
 * chance. An unknown number of slices is one for each chunk.
 */
double model_contend_cycles(const struct lane_contend *contend, const struct lane_slices_load *load,
			    int least);

/* How many of n things lie in the fullest of so many places, in the mean, by chance. */
double model_contend_fullest(double n, double places);

#endif
