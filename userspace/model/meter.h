/* SPDX-License-Identifier: MIT */
/*
 * What measures micro-benchmarks for the calibration: an OpenCL device, or a simulated one.
 *
 * A trial is one run of one micro-benchmark; a meter says how long it took. The calibration knows
 * nothing else of the device.
 */
#ifndef LANE_MODEL_METER_H
#define LANE_MODEL_METER_H

#include <stdint.h>

#include "base/error.h"
#include "model/device.h"
#include "model/pad.h"

enum lane_global_op {
	LANE_GLOBAL_NONE, /* only the clock pair around nothing */
	LANE_GLOBAL_LOAD,
	LANE_GLOBAL_STORE,
	LANE_GLOBAL_LOAD_STORE, /* a load, then a store that needs it */
	LANE_GLOBAL_RED,	/* an atomic whose result nobody uses */
	LANE_GLOBAL_ATOMIC,
	LANE_GLOBAL_OPS,
};

enum lane_global_pattern {
	LANE_GLOBAL_SINGLE,	 /* one word per multiprocessor */
	LANE_GLOBAL_UNCOALESCED, /* a word every 128 bytes */
	LANE_GLOBAL_COALESCED,	 /* neighbouring words */
	LANE_GLOBAL_OFFSET,	 /* 8 lanes, 4096 bytes apart; warp y is y * offset bytes further */
	LANE_GLOBAL_PATTERNS,
};

extern const char *const lane_global_op_names[LANE_GLOBAL_OPS];
extern const char *const lane_global_pattern_names[LANE_GLOBAL_PATTERNS];

enum lane_trial_kind {
	LANE_TRIAL_OP,	    /* dependent instructions of one kind */
	LANE_TRIAL_LOCAL,   /* atomics on local memory */
	LANE_TRIAL_GLOBAL,  /* operations on global memory */
	LANE_TRIAL_CONTEND, /* atomics of all units on few words of it */
};

/* A multiple of all numbers of banks: the warps have the same conflicts, in words of their own. */
#define LANE_TRIAL_SHIFT 64

#define LANE_TRIAL_CHAINS 4

struct lane_trial {
	enum lane_trial_kind kind;
	/* Of the one work-group on each compute unit; LANE_TRIAL_CHAINS times as many stand for as
	 * many chains of an op in each work-item: the pipeline sees no difference. */
	uint32_t warps;
	uint32_t length; /* instructions, or operations, of each lane */
	const char *op;	 /* LANE_TRIAL_OP: an [op] of device files */
	/* LANE_TRIAL_LOCAL: how many lanes of each warp take part, and the word of each; the words
	 * of the next warp lie LANE_TRIAL_SHIFT further. LANE_TRIAL_CONTEND: likewise, and lane i
	 * is i * offset bytes from the first; all warps have the same words, or words of their own.
	 */
	uint32_t lanes;
	int is_spread;	 /* words of their own */
	int is_retry;	 /* compare-and-exchange until it succeeds, instead of access */
	int is_constant; /* one word, which the compiler knows */
	int increments;	 /* increments without a result, else additions that wait for each other */
	uint32_t word[LANE_PAD_LANES];
	/* LANE_TRIAL_GLOBAL */
	enum lane_global_op access;
	enum lane_global_pattern pattern;
	uint32_t offset; /* LANE_TRIAL_CONTEND: bytes */
};

struct lane_meter {
	char name[128];	  /* of the device */
	char how[64];	  /* by what it is measured, for the device file's source */
	uint32_t units;	  /* that have a local memory of their own */
	double clock_mhz; /* 0: not told */
	uint32_t warp;
	uint32_t max_warps;	/* of a trial's work-group */
	uint32_t group_warps;	/* of any work-group, at most */
	uint32_t unit_warps;	/* on a unit, at most; 0: not known */
	uint32_t unit_groups;	/* likewise */
	int is_cpu;		/* one core does everything: there is one pipeline */
	double floor;		/* least spread, as a part of a time: the clock is not constant */
	uint32_t local_bytes;	/* local memory that a work-group can have */
	uint32_t local_words;	/* of it, those that trials use */
	double least_ns;	/* how long a trial should take at least */
	uint32_t global_length; /* least length of trials of global memory, a multiple of 4 */
	void *state;
	/* *can is 0 when the device does not know such a trial; then nothing was measured. */
	struct lane_error *(*measure)(struct lane_meter *meter, const struct lane_trial *trial,
				      double *ns, int *can);
	void (*close)(struct lane_meter *meter);
};

/* Lanes of a warp that take part in trials of local atomics: with more of them than banks some
 * words would always share one. */
static inline uint32_t model_trial_lanes(const struct lane_meter *meter)
{
	return meter->warp < 32 ? meter->warp : 32;
}

/*
 * An OpenCL device, found through libOpenCL.so.1, which is loaded now. device counts the devices of
 * all platforms from 0. model_meter_close() also after an error.
 */
struct lane_error *model_meter_opencl(struct lane_meter *meter, uint32_t device) LANE_MUST_CHECK;

/*
 * A device that takes as long as the models say: [op] by the pipeline model, [scratchpad] by the
 * one of local atomics, the rest by what was measured; what the file lacks, it does not know.
 * Each time comes with normally distributed noise of so many percent; the same seed is the same
 * noise. The device file must outlive the meter.
 */
struct lane_error *model_meter_model(struct lane_meter *meter, const struct lane_device *device,
				     double noise, uint64_t seed) LANE_MUST_CHECK;

void model_meter_close(struct lane_meter *meter);

#endif
