/* SPDX-License-Identifier: MIT */
/* The text format's reader, for what is open already. */
#ifndef LANE_DECODE_TEXT_H
#define LANE_DECODE_TEXT_H

#include "decode/decode.h"

/*
 * Reads the text format from a file descriptor, which becomes the decoder's whatever happens. path
 * is for messages. Otherwise as struct lane_format's open.
 */
struct lane_error *decode_text_open_fd(int fd, const char *path, const struct lane_names *names,
				       struct lane_decoder **decoder) LANE_MUST_CHECK;

#endif
