/* SPDX-License-Identifier: MIT */
/*
 * The places of a tracepoint's fields, from its format in tracefs. The text is not trusted.
 */
#ifndef LANE_CAPTURE_BPF_FORMAT_H
#define LANE_CAPTURE_BPF_FORMAT_H

#include <stddef.h>

#include "capture/bpf_shared.h"

/* Formats longer than this are not the kernel's. */
#define LANE_BPF_FORMAT_MAX_BYTES 65536

/*
 * Reads where the fields of one i915 kind lie. text need not end with a NUL. Returns NULL, or why
 * the format is of no use (a static string); *layout is then undefined.
 */
const char *capture_bpf_format_layout(const char *text, size_t bytes, int kind,
				      struct lane_bpf_layout *layout);

/*
 * The same of an event of drm_sched by the name that this kernel has for it. It is refused when it
 * lacks a field by which events of that name tell a job. Before Linux 6.17 they name jobs by
 * addresses, which a recording does not have: then all of *layout is 0.
 */
const char *capture_bpf_format_drm(const char *text, size_t bytes, int kind, const char *name,
				   struct lane_bpf_layout *layout,
				   struct lane_bpf_drm_places *places);

/* The same of a driver's own event, with the place of its text. It is refused when it lacks a field
 * that it needs (lane_needs). */
const char *capture_bpf_format_driver(const char *text, size_t bytes, int kind,
				      struct lane_bpf_layout *layout);

/* The same for the fields of dma_fence_init that cannot be read otherwise. */
const char *capture_bpf_format_names(const char *text, size_t bytes, struct lane_bpf_names *names);

#endif
