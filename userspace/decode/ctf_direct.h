/* SPDX-License-Identifier: MIT */
/*
 * Reads CTF traces of other tracers without libbabeltrace2, when their metadata say nothing that is
 * not known here: LTTng's of all versions, perf's. lane_format_ctf asks it first. What of a trace
 * is where is trusted no more than its bytes.
 */
#ifndef LANE_DECODE_CTF_DIRECT_H
#define LANE_DECODE_CTF_DIRECT_H

#include "decode/ctf_schema.h"

/*
 * Opens the trace in the n directories at paths: one, or the chunks and snapshots of one session,
 * whose streams go on from one to the next. *decoder is the caller's; NULL: libbabeltrace2 is to
 * read it, and why (of size bytes) says why.
 */
struct lane_error *decode_ctf_direct_open(const char *const *paths, size_t n,
					  const struct lane_names *names,
					  struct lane_decoder **decoder, char *why,
					  size_t size) LANE_MUST_CHECK;

/* An error, the decoder's from now on, that is told before anything else. */
void decode_ctf_direct_tell(struct lane_decoder *decoder, struct lane_error *err);

extern const struct lane_format lane_format_ctf_direct;

#endif
