/* SPDX-License-Identifier: MIT */
/*
 * What could be changed in a kernel, and what that would gain: each change is tried alone, on the
 * addresses that the kernel's warps touched, in a prediction of the whole kernel.
 */
#ifndef LANE_MODEL_CHANGE_H
#define LANE_MODEL_CHANGE_H

#include "model/predict.h"

/* LANE_CHANGES(C) calls C(ID, name) for each kind of change (docs/models/pattern.md). */
#define LANE_CHANGES(C)                                                                            \
	C(COPIES, "copies")                                                                        \
	C(PADDING, "padding")                                                                      \
	C(HASH, "hash")                                                                            \
	C(TOGETHER, "aggregate")                                                                   \
	C(PRIVATE, "privatise")                                                                    \
	C(BY_GROUP, "one atomic a group")                                                          \
	C(GROUP, "group size")

enum lane_change_kind {
#define C(id, name) LANE_CHANGE_##id,
	LANE_CHANGES(C)
#undef C
	LANE_CHANGE_KINDS
};

extern const char *const lane_change_names[LANE_CHANGE_KINDS];

/* One change. A gain is the time now over the time then: 2 is twice as fast. */
struct lane_proposal {
	enum lane_change_kind kind;
	uint32_t array;	 /* index into the kernel's arrays; LANE_NO_ARRAY: the kernel */
	char detail[64]; /* "4 copies, stretched" */
	double gain;	 /* from the mean of the two times below */
	double least;	 /* with all that the change costs besides and the error of both times */
	double most;	 /* without what it costs, and with the error */
};

/* A change that is not proposed, and why. */
struct lane_refusal {
	enum lane_change_kind kind;
	uint32_t array;
	char why[128];
};

#define LANE_PROPOSALS 64
#define LANE_NO_ARRAY  UINT32_MAX
#define LANE_NO_FASTER "no faster" /* why, of a change that was tried */

struct lane_proposals {
	struct lane_lacking missing; /* with any of these nothing is proposed */
	uint32_t n;
	struct lane_proposal proposal[LANE_PROPOSALS]; /* the largest gain first */
	uint32_t n_refused;
	struct lane_refusal refused[LANE_PROPOSALS];
};

/*
 * Tries every change that leaves the kernel's results as they are, each on all atomics of an array;
 * those that may gain nothing (least) are refused. Of what would break the kernel only the changes
 * of global memory's arrays, and copies, are told as refused.
 */
struct lane_error *model_propose(const struct lane_pattern_kernel *kernel,
				 const struct lane_device *device, uint64_t groups,
				 struct lane_proposals *proposals) LANE_MUST_CHECK;

#endif
