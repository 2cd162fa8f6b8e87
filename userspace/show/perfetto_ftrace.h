/* SPDX-License-Identifier: MIT */
/*
 * The scheduler's events, interrupts and jobs of drm_sched in a Perfetto trace, as the kernel's
 * ftrace has them; and the threads and processes of the machine. A bundle holds some hundred events
 * of a CPU. Memory is bounded by the CPUs and the threads that the recording names.
 */
#ifndef LANE_SHOW_PERFETTO_FTRACE_H
#define LANE_SHOW_PERFETTO_FTRACE_H

#include "show/perfetto_packet.h"

struct lane_ftrace;

/* *ftrace is the caller's; to outlives it. */
struct lane_error *show_ftrace_create(struct lane_packets *to, const struct lane_trace_info *info,
				      struct lane_ftrace **ftrace) LANE_MUST_CHECK;

/* Takes an event; what is no event of ftrace's, or of no CPU, is passed over. */
struct lane_error *show_ftrace_event(struct lane_ftrace *ftrace,
				     const struct lane_event *event) LANE_MUST_CHECK;

/* Writes what is held. */
void show_ftrace_finish(struct lane_ftrace *ftrace);

/* Frees everything; NULL is allowed. */
void show_ftrace_destroy(struct lane_ftrace *ftrace);

#endif
