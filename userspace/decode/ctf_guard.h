/* SPDX-License-Identifier: MIT */
/* Looks at a CTF trace before it is read, for what libbabeltrace2 does not survive. */
#ifndef LANE_DECODE_CTF_GUARD_H
#define LANE_DECODE_CTF_GUARD_H

#include <stdint.h>

#include "base/error.h"

/*
 * An error when the metadata in the directory at path cannot be read, or are packets (as LTTng
 * writes them) whose sizes are wrong: libbabeltrace2 2.0.4 reads a packet that is cut off for ever.
 */
struct lane_error *decode_ctf_guard(const char *path) LANE_MUST_CHECK;

/* What lies in a trace's directory: how much there is to read, and what is no file. */
struct lane_ctf_survey {
	uint64_t bytes, files;
	uint64_t map_bytes;	/* what libbabeltrace2 maps of them at a time */
	struct lane_error *odd; /* NULL: all are files */
};

/* Adds what lies in the directory at path to *survey, whose odd is the caller's. */
struct lane_error *decode_ctf_survey(const char *path,
				     struct lane_ctf_survey *survey) LANE_MUST_CHECK;

#endif
