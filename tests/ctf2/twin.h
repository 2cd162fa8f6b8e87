/* SPDX-License-Identifier: MIT */
/* The metadata of a CTF 1.8 trace as CTF 2. */
#ifndef TESTS_CTF2_TWIN_H
#define TESTS_CTF2_TWIN_H

#include <stdio.h>

#include "decode/tsdl.h"

/* Writes them; NULL, or what CTF 2 does not have. */
const char *twin_write(FILE *to, const struct lane_tsdl *tsdl);

#endif
