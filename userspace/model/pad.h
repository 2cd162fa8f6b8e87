/* SPDX-License-Identifier: MIT */
/*
 * Atomics on scratchpad (local) memory: how long one warp's atomicAdd takes.
 *
 * After G.-J. van den Braak, J. Gómez-Luna, H. Corporaal, J. M. González-Linares, N. Guil,
 * "Simulation and Architecture Improvements of Atomic Operations on GPU Scratchpad Memory",
 * sections II to IV: a warp repeats Read (per bank conflict level), Update, Write (per bank
 * conflict level of the lanes that got their lock) and Branch until every lane has written.
 * docs/models/atomics.md says it in full.
 */
#ifndef LANE_MODEL_PAD_H
#define LANE_MODEL_PAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/device.h"

#define LANE_PAD_LANES 64 /* most lanes of a warp */
#define LANE_PAD_BANKS 64 /* most banks */

/* How a word's bank and lock follow from its address a, with the row r = a / banks. */
enum lane_hash {
	LANE_HASH_NONE, /* bank a, lock r */
	LANE_HASH_XOR,	/* bank a ^ r, lock r ^ (r / locks per bank) */
	LANE_HASH_ADD,	/* the same with + for ^ */
	LANE_HASH_COUNT,
};

extern const char *const lane_hash_names[LANE_HASH_COUNT]; /* none, xor, add */

/* One scratchpad with one hash, ready to evaluate warps; no allocation after the initialisation. */
struct lane_pad {
	uint32_t words;
	uint32_t banks;
	uint32_t locks_per_bank;
	uint32_t lanes;
	enum lane_hash hash;
	double read;	   /* cycles per bank conflict level */
	double update;	   /* cycles */
	double write;	   /* cycles per bank conflict level */
	double branch;	   /* cycles */
	uint16_t *lock_of; /* per word: bank * locks_per_bank + lock within the bank */
	/* Scratch of the evaluation, all zero between two warps. */
	uint8_t *lock_count; /* per lock: lanes seen */
	uint8_t *read_until; /* per word: the rounds in which it is read */
	uint8_t write_rows[LANE_PAD_LANES][LANE_PAD_BANKS]; /* per round and bank: words */
	uint8_t read_rows[LANE_PAD_LANES][LANE_PAD_BANKS];
};

/* What one warp costs: rounds, and the sums of its bank conflict levels over them. */
struct lane_pad_cost {
	uint32_t rounds;
	uint32_t read_levels;
	uint32_t write_levels;
	uint32_t first_levels; /* of the first round's read */
};

/* One warp looked at closely. The four parts of its cycles add up to `cycles`. */
struct lane_pad_warp {
	struct lane_pad_cost cost;
	uint32_t position_degree; /* most lanes on one word */
	uint32_t bank_degree;	  /* most distinct words in one bank */
	uint32_t lock_degree;	  /* most distinct words behind one lock; 1 without locks */
	double cycles;		  /* until the warp has its results, alone on the unit */
	double base_cycles;	  /* a warp without conflicts */
	double position_cycles;	  /* the further rounds that the most wanted word needs */
	double lock_cycles;	  /* the rounds beyond those, from words that share a lock */
	double bank_cycles;	  /* the rest: levels above 1 */
	/* Cycles of them for which no other warp can use the memory (local.h). */
	double service;
	double base_service;
};

/*
 * Prepares a scratchpad as the device's [scratchpad] and [device] say; bytes, banks and locks must
 * be such that banks and locks are powers of two and there is at least a lock per bank.
 * model_pad_free() gives back what it holds, also after an error.
 */
struct lane_error *model_pad_init(struct lane_pad *pad, const struct lane_device *device,
				  enum lane_hash hash) LANE_MUST_CHECK;

void model_pad_free(struct lane_pad *pad);

/*
 * The cost of one warp whose lane i updates the word address[i] (below pad->words), for 1 to
 * pad->lanes lanes. When a lock is wanted by several lanes, the lowest gets it.
 */
struct lane_pad_cost model_pad_evaluate(struct lane_pad *pad, const uint16_t *address,
					uint32_t lanes);

/* The cycles of a cost, or of the sum of many. */
double model_pad_cycles(const struct lane_pad *pad, uint64_t rounds, uint64_t read_levels,
			uint64_t write_levels);

/* The same warp with its conflicts, rounds and the reasons of its cycles; slower. */
void model_pad_explain(struct lane_pad *pad, const uint16_t *address, uint32_t lanes,
		       struct lane_pad_warp *warp);

#endif
