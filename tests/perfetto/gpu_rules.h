/* SPDX-License-Identifier: MIT */
/* The rules that a Perfetto trace's events of GPUs keep. */
#ifndef TESTS_PERFETTO_GPU_RULES_H
#define TESTS_PERFETTO_GPU_RULES_H

#include <stddef.h>
#include <stdio.h>

#include "perfetto/trace.pb-c.h"

/*
 * Tells `told` what is wrong, and a line `track` for each queue: the sums of its events. An
 * argument of an event of a request that is a number is given to `arg`. Returns how many faults
 * there are.
 */
size_t perfetto_gpu_rules(const Perfetto__Protos__Trace *trace, FILE *told,
			  void (*arg)(uint64_t name_iid, uint64_t value));

/* Each text of what a packet tells once is given to `text`. */
void perfetto_gpu_texts(const Perfetto__Protos__TracePacket *packet,
			void (*text)(const char *text));

#endif
