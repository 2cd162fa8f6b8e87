/* SPDX-License-Identifier: MIT */
/* Whether a GPU's requests will be recorded: asked before recording begins. */
#ifndef LANE_CAPTURE_REQUESTS_H
#define LANE_CAPTURE_REQUESTS_H

#include "capture/capture.h"

enum lane_requests {
	LANE_REQUESTS_RECORDED,	  /* or not asked for */
	LANE_REQUESTS_UNRECORDED, /* other events are */
	LANE_REQUESTS_NOTHING,	  /* of all that was asked for no event can be recorded */
};

/*
 * Looks at what n captures will record of the groups asked for, and at the GPUs of the machine
 * whose /sys is below root ("": this one). Each of kinds is what a backend's kinds() returned. why
 * says why not, unless it is RECORDED.
 */
enum lane_requests capture_requests_check(const struct lane_capture_kind *const *kinds, size_t n,
					  unsigned int groups, const char *root, char *why,
					  size_t bytes);

#endif
