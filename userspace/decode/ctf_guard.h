/* SPDX-License-Identifier: MIT */
/* Looks at a CTF trace before libbabeltrace2 does, for what that does not survive. */
#ifndef LANE_DECODE_CTF_GUARD_H
#define LANE_DECODE_CTF_GUARD_H

#include "base/error.h"

/*
 * An error when the metadata in the directory at path cannot be read, or are packets (as LTTng
 * writes them) whose sizes are wrong: libbabeltrace2 2.0.4 reads a packet that is cut off for ever.
 */
struct lane_error *lane_ctf_guard(const char *path) LANE_MUST_CHECK;

#endif
