/* SPDX-License-Identifier: MIT */
/*
 * Atomics on local memory, of either kind that devices have.
 *
 * Locks: a warp repeats read, update, write and branch until each lane has had its lock (pad.h,
 * [scratchpad] of a device). A unit with a queue: the memory itself adds, one warp after the other
 * ([atomic_unit]; R. Dong, S. Pai, "Modeling Utilization to Identify Shared-Memory Atomic
 * Bottlenecks", arXiv 2503.17893: one server, whose service time depends on the conflicts).
 * docs/models/atomics.md has the formulas.
 */
#ifndef LANE_MODEL_LOCAL_H
#define LANE_MODEL_LOCAL_H

#include "model/pad.h"

enum lane_local_kind {
	LANE_LOCAL_LOCKS,
	LANE_LOCAL_UNIT,
	LANE_LOCAL_UNKNOWN, /* the device says nothing: conflicts are counted, cycles are NAN */
};

struct lane_local {
	enum lane_local_kind kind;
	uint32_t words;
	uint32_t banks;
	uint32_t lanes;
	struct lane_pad pad[LANE_HASH_COUNT]; /* locks */
	double a_cycle; /* lanes' atomics that the memory does in a cycle at most; 0: not known */
	double level;	/* locks: cycles that the memory is busy per bank conflict level */
	/* The unit. */
	double latency; /* cycles of an atomic besides its service */
	double service; /* cycles that the unit is busy with a warp that has no conflicts */
	double same_word[LANE_PAD_LANES + 1];	 /* further cycles, by lanes on one word */
	double same_bank[LANE_PAD_LANES + 1];	 /* further cycles, by words in one bank */
	double word_service[LANE_PAD_LANES + 1]; /* those of them for which the unit is busy */
	double bank_service[LANE_PAD_LANES + 1];
};

/* Until when, and how long it keeps others out. */
struct lane_local_cost {
	double cycles;
	double service;
};

/*
 * Prepares the device's local memory: [atomic_unit] where it has one, else [scratchpad]; a device
 * with neither has unknown atomics, on 64 KiB in 32 banks or what its [local_memory] says. The
 * unit's further cycles are those of the measured [curve stride-0] and [curve stride-32], where the
 * device has them, else straight lines; NAN where it has neither. model_local_free() gives back
 * what it holds, also after an error.
 */
struct lane_error *model_local_init(struct lane_local *local,
				    const struct lane_device *device) LANE_MUST_CHECK;

void model_local_free(struct lane_local *local);

/*
 * The same memory for increments whose result nobody uses, which a unit may do in another way
 * ([increments]): NVIDIA's counts the lanes that want the same word. False, and nothing is made,
 * where the device does not tell them apart.
 */
int model_local_increments(struct lane_local *increments, const struct lane_local *local,
			   const struct lane_device *device);

/* Bytes of local memory, NAN: not known. */
double model_local_bytes(const struct lane_device *device);

/* The largest uncertainty of what its atomics cost, as a part of that. */
double model_local_doubt(const struct lane_device *device);

/* One warp whose lane i updates the word address[i], 1 to local->lanes lanes. */
struct lane_local_cost model_local_evaluate(struct lane_local *local, enum lane_hash hash,
					    const uint16_t *address, uint32_t lanes);

/* The same with the reasons, without a hash. */
void model_local_explain(struct lane_local *local, const uint16_t *address, uint32_t lanes,
			 struct lane_pad_warp *warp);

/*
 * The cycles of an atomic when `warps` warps always have one each: the law of a closed queue with
 * one server and constant service, max(cycles, warps * service). utilisation is the part of the
 * time that the server is busy.
 */
double model_local_queue(const struct lane_local_cost *cost, double warps, double *utilisation);

#endif
