/* SPDX-License-Identifier: MIT */
/* The options that histogram, hough and kmeans share. */
#ifndef LANE_MODEL_CMD_VERB_VOTE_H
#define LANE_MODEL_CMD_VERB_VOTE_H

#include "model/cmd/verb.h"
#include "model/ways.h"

struct vote_options {
	struct model_common common;
	struct lane_voters_wish images;
	struct lane_ways_wish ways;
	uint32_t bins;	 /* 0: not given */
	uint32_t copies; /* 0: not given */
	int layout;	 /* -1: not given */
	enum lane_hash hash;
	int sweep;
};

/* Parses the options of one of the three; *done as in lane_parse(). */
struct lane_error *vote_parse(int argc, char **argv, struct vote_options *o,
			      int *done) LANE_MUST_CHECK;

#endif
