/* SPDX-License-Identifier: MIT */
/*
 * What ran on GPUs in a Perfetto trace, as Perfetto has it of GPUs: GpuRenderStageEvents for the
 * runs of requests and for commands, GpuCounterEvents, and the GPUs themselves. Memory is bounded
 * by the requests that are open, the contexts and the engines.
 */
#ifndef LANE_SHOW_PERFETTO_GPU_H
#define LANE_SHOW_PERFETTO_GPU_H

#include "show/perfetto_packet.h"
#include "show/tracks.h"

struct lane_gpu;

/* *gpu is the caller's; to and info outlive it. */
struct lane_error *show_gpu_create(struct lane_packets *to, const struct lane_trace_info *info,
				   struct lane_gpu **gpu) LANE_MUST_CHECK;

/* Describes the engine, or the command queue, of a track that is met for the first time. */
void show_gpu_queue(struct lane_gpu *gpu, const struct lane_track *track);

/* A run of a request. It is written with the next one, or as the request is over: with its
 * stages. */
void show_gpu_run(struct lane_gpu *gpu, const struct lane_slice *slice);

/* The event that is being made, of a request that is over, leads to its runs. One without a run has
 * its stages itself. */
void show_gpu_submits(struct lane_gpu *gpu, const struct lane_slice *slice);

/* Its last run leads to the event that is being made. */
void show_gpu_waits(struct lane_gpu *gpu, uint32_t number);

/* A request is over. */
void show_gpu_over(struct lane_gpu *gpu, const struct lane_slice *slice);

void show_gpu_command(struct lane_gpu *gpu, const struct lane_slice *slice);

/* By which a command is known to the calls that make it and wait for it. */
uint64_t show_gpu_command_id(int32_t pid, uint64_t number, bool is_levelzero);

void show_gpu_counter(struct lane_gpu *gpu, const struct lane_counter_point *point);

/* Names the GPUs. */
void show_gpu_finish(struct lane_gpu *gpu);

/* True when there was no memory for something. */
bool show_gpu_failed(const struct lane_gpu *gpu);

/* Frees everything; NULL is allowed. */
void show_gpu_destroy(struct lane_gpu *gpu);

#endif
