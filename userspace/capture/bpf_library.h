/* SPDX-License-Identifier: MIT */
/*
 * The loaders of OpenCL and Level Zero that programs use, and the functions in them that can be
 * hooked.
 */
#ifndef LANE_CAPTURE_BPF_LIBRARY_H
#define LANE_CAPTURE_BPF_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/opencl.h"
#include "capture/bpf_shared.h"

struct lane_bpf_library {
	char path[256];
	unsigned int n_functions;	  /* how many of the table it exports */
	uint64_t offsets[LANE_CLF_COUNT]; /* in the file, by number; 0: not exported */
};

#define LANE_OPENCL_LOADER    "libOpenCL.so.1"
#define LANE_LEVELZERO_LOADER "libze_loader.so.1"

/*
 * Finds a loader: the file at path, or when that is NULL the one of that name that the dynamic
 * linker's cache has. Fails when there is none and when it exports no function of the table.
 */
struct lane_error *capture_bpf_library_find(const char *path, const char *name,
					    struct lane_bpf_library *library) LANE_MUST_CHECK;

/* Where each function has its arguments, for the programs; entry 0 is nothing. */
void capture_bpf_library_calls(struct lane_bpf_call calls[LANE_CLF_COUNT]);

/*
 * The path of a library in the text of the dynamic linker's cache (the format since glibc 2.2,
 * bytes long); NULL when it is not in it or the text is none. The result points into the text.
 */
const char *capture_ld_cache_find(const char *text, size_t bytes, const char *name);

#endif
