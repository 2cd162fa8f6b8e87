/* SPDX-License-Identifier: MIT */
/* Which file lies where in a process's memory, as perf.data tells it: the frames of call chains. */
#ifndef LANE_DECODE_PERF_MAPS_H
#define LANE_DECODE_PERF_MAPS_H

#include <stdint.h>

#include "base/event.h"
#include "base/table.h"

/* All zero: none is known. */
struct lane_perf_maps {
	struct lane_table of;	 /* by pid: struct process_maps of perf_maps.c */
	struct lane_table files; /* by their path: struct mapped_file */
	uint32_t n;		 /* mappings of all processes */
};

/*
 * The file at `path`, not ended by '\0' within `length` bytes, lies from `begin` on, `bytes` long,
 * its bytes from `offset` on; id_bytes of its build id, 0: not told with it. It takes the place of
 * what was there. Of more mappings than a machine has those beyond are left out. False: no memory.
 */
bool decode_perf_maps_add(struct lane_perf_maps *maps, int32_t pid, uint64_t begin, uint64_t bytes,
			  uint64_t offset, const char *path, size_t length, const uint8_t *id,
			  size_t id_bytes);

/* The build id of a file, of 20 bytes at most, for mappings that come without. Of a path that has
 * two none is known. False: no memory. */
bool decode_perf_maps_build(struct lane_perf_maps *maps, const char *path, size_t length,
			    const uint8_t *id, size_t bytes);

/* A process has what its parent has. False: no memory. */
bool decode_perf_maps_fork(struct lane_perf_maps *maps, int32_t pid, int32_t parent);

/* It ends, or executes another program. */
void decode_perf_maps_drop(struct lane_perf_maps *maps, int32_t pid);

/* Records were lost: nobody knows any more what lies where. */
void decode_perf_maps_forget(struct lane_perf_maps *maps);

/* What lies at an address: the file, and how far in it; or the address alone. */
void decode_perf_maps_frame(const struct lane_perf_maps *maps, int32_t pid, uint64_t address,
			    struct lane_p_gpulane_stack_frame *frame);

void decode_perf_maps_free(struct lane_perf_maps *maps);

#endif
