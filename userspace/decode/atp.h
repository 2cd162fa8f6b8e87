/* SPDX-License-Identifier: MIT */
/* The reader of CodeXL's application traces, for text that is in memory already. */
#ifndef LANE_DECODE_ATP_H
#define LANE_DECODE_ATP_H

#include "decode/decode.h"

/*
 * Reads a whole .atp file from text, which is copied. path is for messages. Otherwise as struct
 * lane_format's open.
 */
struct lane_error *decode_atp_open_text(const char *text, size_t bytes, const char *path,
					struct lane_decoder **decoder) LANE_MUST_CHECK;

#endif
