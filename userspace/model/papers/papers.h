/* SPDX-License-Identifier: MIT */
/*
 * What three papers say of atomics and of GPUs, computed again. Nobody needs it to predict a kernel
 * of today's; docs/models/papers has why it is here.
 */
#ifndef LANE_MODEL_PAPERS_H
#define LANE_MODEL_PAPERS_H

#include "model/device.h"

/* The papers' devices can be read from now on. */
void model_papers_begin(void);

#endif
