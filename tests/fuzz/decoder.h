/* SPDX-License-Identifier: MIT */
/* A reader of files, run over an input to its end. */
#ifndef FUZZ_DECODER_H
#define FUZZ_DECODER_H

#include <stdint.h>

#include "decode/decode.h"

/*
 * Reads the bytes as a file of that format to its end, with the names that norm/ knows. What must
 * hold: it ends; times never go back where is_ordered; a loss does not end before it begins; CPUs
 * are numbers or -1.
 */
void fuzz_decoder(const struct lane_format *format, const uint8_t *data, size_t bytes,
		  bool is_ordered);

#endif
