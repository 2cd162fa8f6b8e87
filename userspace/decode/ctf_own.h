/* SPDX-License-Identifier: MIT */
/* The reader of our own CTF traces; lane_format_ctf reads them too, with the same events, slower.
 */
#ifndef LANE_DECODE_CTF_OWN_H
#define LANE_DECODE_CTF_OWN_H

#include "decode/decode.h"

extern const struct lane_format lane_format_ctf_own;

#endif
