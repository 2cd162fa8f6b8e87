/* SPDX-License-Identifier: MIT */
/*
 * How long a kernel takes on a device, from its pattern: the graph of a warp through the
 * pipeline model, its atomics as long as their conflicts make them. Warps queue for the memory:
 * only an atomic's service keeps the others out (local.h).
 */
#ifndef LANE_MODEL_PREDICT_H
#define LANE_MODEL_PREDICT_H

#include "model/graph.h"
#include "model/pattern.h"
#include "model/pipeline.h"

/* LANE_PARTS(P) calls P(ID, name) for each part of a kernel's work, in order. */
#define LANE_PARTS(P)                                                                              \
	P(COMPUTE, "compute")	  /* arithmetic, branches, barriers */                             \
	P(MEMORY, "memory")	  /* loads and stores, of local memory, too */                     \
	P(ATOMICS, "atomics")	  /* atomics, with all their conflicts */                          \
	P(POSITION, "position")	  /* lanes that want the same word of local memory */              \
	P(BANK, "bank")		  /* words in the same bank */                                     \
	P(LOCK, "lock")		  /* words behind the same lock */                                 \
	P(COLLISION, "collision") /* lanes that want the same word of global memory */

enum lane_part {
#define P(id, name) LANE_PART_##id,
	LANE_PARTS(P)
#undef P
	LANE_PART_COUNT
};

#define LANE_UNBOUNDED_BYTES 128

extern const char *const lane_part_names[LANE_PART_COUNT];

/* What the launch would save without the work of a source line. */
struct lane_predicted_line {
	uint32_t line;	  /* 0: not known */
	double saves;	  /* without all of it */
	double conflicts; /* without the conflicts of its atomics */
};

struct lane_prediction {
	double saves[LANE_PART_COUNT]; /* without each part alone: work that overlaps saves little,
					  so they do not add up */
	double total;
	double ns; /* total and a launch's own, by the device's clock */
	double ns_a_cycle;
	double launch_cycles;
	double error;	   /* the time may be 1 + error times as long, or as short */
	double gain_error; /* likewise the ratio of two times: both are wrong in the same way */
	double least_ns;
	double most_ns; /* NAN: not known, for the reason */
	char unbounded[LANE_UNBOUNDED_BYTES];
	double unit_cycles;   /* of total: a compute unit's own; the rest overlaps */
	double slices_cycles; /* those of the cache that all units share (contend.h) */
	double shared_error;  /* of slices_cycles, as error */
	double swap_cycles;   /* compare-and-exchanges of one word, one after the other, at least */
	uint32_t array;	      /* whose atomics take most of slices_cycles or swap_cycles */
	/* What the device does not know costs nothing here: then total is a bound from below, and
	 * what anything saves is NAN. */
	struct lane_lacking missing;
	uint32_t groups_per_unit;
	uint32_t concurrent; /* groups at a time on a compute unit */
	uint32_t warps;	     /* likewise */
	/* Parts of the time that a server was busy. */
	double local_utilisation;   /* the local memory, with atomics alone */
	double busiest_utilisation; /* the pipeline that was busiest, with everything */
	char busiest[LANE_NAME_BYTES];
	uint32_t n_lines;
	struct lane_predicted_line line[LANE_GRAPH_OPS]; /* ascending */
};

/*
 * Predicts a launch of so many work-groups; a kernel without a graph is an error.
 */
struct lane_error *model_predict(const struct lane_pattern_kernel *kernel,
				 const struct lane_device *device, uint64_t groups,
				 struct lane_prediction *prediction) LANE_MUST_CHECK;

/* What is done with an array's atomics. */
enum lane_array_change {
	LANE_ARRAY_AS_IS,
	LANE_ARRAY_WHAT_IF,  /* on local memory: a layout or a hash */
	LANE_ARRAY_PRIVATE,  /* on global memory: a copy in each group's local memory */
	LANE_ARRAY_BY_GROUP, /* the same, and the results are used: base + own */
	LANE_ARRAY_TOGETHER, /* on global memory: lanes on the same word add up first */
};

/* What may be changed before a kernel is predicted, for model_predict_changed(). */
struct lane_change {
	enum lane_array_change kind;
	uint32_t array;		   /* all its atomics change */
	enum lane_what_if what_if; /* LANE_ARRAY_WHAT_IF */
	double further;	      /* cycles of arithmetic besides, of each of the array's atomics */
	uint32_t group_warps; /* 0: as it is */
	double local_bytes;   /* of a group, of which as many run at a time as fit; 0: all fit */
};

/* A launch after a change. */
struct lane_changed {
	double cycles; /* INFINITY where a number is missing */
	int is_shared; /* the cache that all units share bounds it, not a unit's own time */
};

/* Predicts a launch after a change. */
struct lane_error *model_predict_changed(const struct lane_pattern_kernel *kernel,
					 const struct lane_device *device, uint64_t groups,
					 const struct lane_change *change,
					 struct lane_changed *changed) LANE_MUST_CHECK;

#endif
