/* SPDX-License-Identifier: MIT */
/* What lies where in a process: the executable mappings of /proc/PID/maps, with files' build ids.
 */
#ifndef LANE_CAPTURE_PROCESS_MAP_H
#define LANE_CAPTURE_PROCESS_MAP_H

#include <stdint.h>

#include "base/build_id.h"

struct lane_mapping {
	uint64_t begin, end, offset; /* addresses; and in the file */
	char path[128];		     /* cut where it is longer; "": no file's */
	char build[LANE_BUILD_ID_TEXT];
};

/* All zero: nothing is known of it. */
struct lane_process_map {
	struct lane_mapping *of;
	uint32_t n, room;
	uint64_t read_ns; /* 0: it has not been read */
};

/* Reads what the process has now. A process that is gone, or that may not be looked at, keeps what
 * was read of it before. root: before /proc, "" for the machine's own. */
void capture_process_map_read(struct lane_process_map *map, const char *root, int32_t pid,
			      uint64_t now_ns);

/* Opens the file that the process has mapped at the address, now. -1: there is none, or it is not
 * there any more. The caller closes it. */
int capture_process_file_open(const char *root, int32_t pid, uint64_t address);

/* The mapping that the address lies in; NULL: none is known. */
const struct lane_mapping *capture_process_map_at(const struct lane_process_map *map,
						  uint64_t address);

void capture_process_map_free(struct lane_process_map *map);

#endif
