/* SPDX-License-Identifier: MIT */
/*
 * A device's own numbers for the models, from micro-benchmarks: what was found, how sure it is, and
 * what could not be concluded and why. docs/calibrate.md says how each number is found.
 */
#ifndef LANE_MODEL_CALIBRATE_H
#define LANE_MODEL_CALIBRATE_H

#include <math.h>
#include <stdio.h>

#include "model/meter.h"

#define LANE_FINDINGS 256

/* One number. Latencies are in cycles of the device's clock. */
struct lane_finding {
	char section[48]; /* of a device file, `op fadd` */
	char key[32];
	double value;
	double uncertainty; /* standard deviation of a single measurement; 0: a whole number */
	int known;
	double completion; /* `at' lines: cycles until the result is there; value is the issue */
	char reason[160];  /* why it is not known, or a remark */
};

/* The conflict curve of local atomics at one stride. */
struct lane_curve {
	uint32_t stride;
	uint32_t n;
	double cycles[LANE_PAD_LANES]; /* by number of conflicting lanes, from 1 */
	double uncertainty[LANE_PAD_LANES];
};

#define LANE_CURVES    3
#define LANE_OP_ERRORS 16

struct lane_calibration {
	struct lane_finding finding[LANE_FINDINGS];
	uint32_t n;
	struct lane_curve curve[LANE_CURVES];
	uint32_t n_curves;
	/* Of the ops whose latencies are known: how far the law is from what was measured, over
	 * all numbers of warps: the mean of model over measurement, less 1, in percent. */
	struct lane_finding error[LANE_OP_ERRORS];
	uint32_t n_errors;
	const char *local_atomics; /* the kind: "unit", or "unknown" */
	double curve_error; /* mean deviation of the model from what was measured with conflicts,
			       part of one; -1: no model */
	double law_error;  /* the largest of these with its deviation, of ops that follow the law */
	uint32_t unknown;  /* findings that are not known */
	uint32_t samples;  /* trials whose spread is small enough to say something */
	uint32_t repeated; /* of these: even and odd rounds agree within what each says */
};

struct lane_calibration_wish {
	uint32_t rounds; /* measurements of each trial, at least 3 */
	int ops;
	int local;
	int global;
	int contention;
};

/* A value whose standard deviation is a larger part of it than this says nothing. */
#define LANE_CALIBRATE_NOISE 0.25

/* Measures and concludes. */
struct lane_error *model_calibrate_meter(struct lane_meter *meter,
					 const struct lane_calibration_wish *wish,
					 struct lane_calibration *calibration) LANE_MUST_CHECK;

/* Writes what is known as a device file, what is not as comments. */
void model_calibration_write(FILE *file, const struct lane_meter *meter,
			     const struct lane_calibration *calibration);

/* For the files of the calibration: a value per operation, from trials of two lengths. */
struct lane_sample {
	struct lane_trial trial; /* its length is chosen by model_sample_all() */
	double cycles;		 /* median */
	double spread;		 /* robust standard deviation of a single measurement */
	double error;		 /* of the median: 1.2533 spread / sqrt(rounds), for normal noise */
	int can;
};

/*
 * Measures all samples in rounds, one after the other in each, so that a slow drift of the machine
 * shows as spread and not as a difference between samples. Counts those that say something, and
 * those that repeat, into c.
 */
struct lane_error *model_sample_all(struct lane_meter *meter, struct lane_sample *sample, size_t n,
				    uint32_t rounds, struct lane_calibration *c) LANE_MUST_CHECK;

/* True when a sample says something; else the reason is written. */
int model_sample_good(const struct lane_sample *sample, char *reason, size_t bytes);

/* Adds a finding; a reason makes it unknown. */
void model_find(struct lane_calibration *c, const char *section, const char *key, double value,
		double uncertainty, const char *reason);

/* The uncertainty of what two uncertain values make. (hypot() is of a newer C library than all
 * else.) */
static inline double model_both(double a, double b)
{
	return sqrt(a * a + b * b);
}

/* The four parts. */
struct lane_error *model_calibrate_ops(struct lane_meter *meter, uint32_t rounds,
				       struct lane_calibration *c) LANE_MUST_CHECK;
struct lane_error *model_calibrate_local(struct lane_meter *meter, uint32_t rounds,
					 struct lane_calibration *c) LANE_MUST_CHECK;
struct lane_error *model_calibrate_global(struct lane_meter *meter, uint32_t rounds,
					  struct lane_calibration *c) LANE_MUST_CHECK;
struct lane_error *model_calibrate_contention(struct lane_meter *meter, uint32_t rounds,
					      struct lane_calibration *c) LANE_MUST_CHECK;

#endif
