/* SPDX-License-Identifier: MIT */
/* The aliases of aliases.def, for the decoders. */
#ifndef LANE_NORM_NAMES_H
#define LANE_NORM_NAMES_H

#include "decode/decode.h"

extern const struct lane_names lane_norm_names;

#endif
