/* SPDX-License-Identifier: MIT */
/*
 * The functions that a process has compiled while it runs, as it tells perf: /tmp/perf-PID.map,
 * a line `ADDRESS SIZE NAME` each, both in hexadecimal digits.
 */
#ifndef LANE_CAPTURE_PERF_MAP_H
#define LANE_CAPTURE_PERF_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct lane_compiled {
	uint64_t begin, end;
	uint32_t name; /* where in the text */
};

/* All zero: it has not been read. */
struct lane_perf_map {
	struct lane_compiled *of; /* as they were written */
	uint32_t n, room;
	char *text; /* names, each with its end */
	uint32_t n_text, text_room;
	uint64_t read_to; /* in the file */
	uint64_t read_ns; /* when; 0: never */
	bool is_full;	  /* more is not read */
};

/* Reads what the process has written since. Of one that is gone, and where the file is not of the
 * process's user, nothing. root: before /proc, "" for the machine's own. */
void capture_perf_map_read(struct lane_perf_map *map, const char *root, int32_t pid,
			   uint64_t now_ns);

/* The function at the address, the one that was written last; *offset: how far in it. NULL: none is
 * known. */
const char *capture_perf_map_at(const struct lane_perf_map *map, uint64_t address,
				uint64_t *offset);

void capture_perf_map_free(struct lane_perf_map *map);

#endif
