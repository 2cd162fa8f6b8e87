/* SPDX-License-Identifier: MIT */
/* The layers for OpenCL and Level Zero in the command that is recorded; their tracer is
 * lane_backend_ust. */
#ifndef LANE_CAPTURE_UST_H
#define LANE_CAPTURE_UST_H

#include "capture/capture.h"
#include "capture/child.h"

/* Debian's package of LTTng-UST's library, for who lacks it. */
#define LANE_UST_PACKAGE "liblttng-ust1, since Debian 13 and Ubuntu 24.04 liblttng-ust1t64"

/* True when a session daemon answers that records for this user. */
bool capture_ust_is_there(void);

/*
 * Finds libgpulane-opencl.so: GPULANE_OPENCL_LAYER, where `make install` puts it, or beside this
 * program. *path is the caller's.
 */
struct lane_error *capture_ust_find_layer(char **path) LANE_MUST_CHECK;

/*
 * A program that is to have the layer has it only where LTTng's libraries are; without them it runs
 * without a word. Fails with what is missing.
 */
struct lane_error *capture_ust_check_layer(const char *layer) LANE_MUST_CHECK;

/* The folder of the Level Zero layer that belongs to that one; *folder is the caller's, NULL where
 * there is none. */
struct lane_error *capture_ust_find_levelzero(const char *layer, char **folder) LANE_MUST_CHECK;

/*
 * Forks a process, as `as` when that is not NULL, that has the layer once capture_child_go is
 * called, and ends: LTTng writes what describes the events when a process that has them ends, or
 * the session. So a recording that is cut short can be read. layer has to last until then.
 */
struct lane_error *capture_ust_fork_describer(const char *layer, const struct lane_identity *as,
					      struct lane_child *child) LANE_MUST_CHECK;

/*
 * Changes this process's environment so that what it executes has the layers: OpenCL's by
 * OPENCL_LAYERS or LD_PRELOAD, Level Zero's by LD_LIBRARY_PATH and ZE_ENABLE_TRACING_LAYER; with
 * has_ranges the library of ranges, by LD_PRELOAD, INTEL_LIBITTNOTIFY64 and NVTX_INJECTION64_PATH.
 * A program with it waits up to ten seconds for the daemon to know it, unless told else.
 */
struct lane_error *capture_ust_environment(const char *layer, bool preload,
					   bool has_ranges) LANE_MUST_CHECK;

#endif
