/* SPDX-License-Identifier: MIT */
/* A kernel's source with sizes instead of a program: what oclgrind-kernel runs. */
#ifndef LANE_MODEL_CMD_VERB_SOURCE_H
#define LANE_MODEL_CMD_VERB_SOURCE_H

#include <stdio.h>

#include "base/error.h"

/* Whether a file is named as OpenCL C. */
int model_source_is(const char *file);

/*
 * Writes what oclgrind-kernel reads, for the words KERNEL ITEMS GROUP ARG... behind the file's name
 * (docs/atomics.md). What does not suit the kernel's arguments is an error.
 */
struct lane_error *model_source_write(const char *file, char **words, FILE *to) LANE_MUST_CHECK;

#endif
