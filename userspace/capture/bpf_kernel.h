/* SPDX-License-Identifier: MIT */
/*
 * What the running kernel has to hook: events of tracefs, types and functions of BTF, symbols.
 */
#ifndef LANE_CAPTURE_BPF_KERNEL_H
#define LANE_CAPTURE_BPF_KERNEL_H

#include "capture/bpf_plan.h"

struct lane_bpf_running;

/*
 * Looks at the running kernel. *running is the caller's, capture_bpf_running_close frees it. Fails
 * when the kernel cannot record at all (no BTF) or cannot be looked at (no tracefs, no privilege).
 */
struct lane_error *capture_bpf_running_open(struct lane_bpf_running **running) LANE_MUST_CHECK;

/* The interface for capture_bpf_plan; owned by running. */
const struct lane_bpf_kernel *capture_bpf_running_kernel(struct lane_bpf_running *running);

/* Which argument of sched_switch is prev_state, 0 when none is. */
unsigned int capture_bpf_running_switch_arg(struct lane_bpf_running *running);

/* Where the fields of an i915 kind lie in its event; bytes 0 everywhere when that is not known. */
const struct lane_bpf_layout *capture_bpf_running_layout(struct lane_bpf_running *running,
							 int kind);

/* Where the texts of drm_sched's jobs lie in their events, all 0 when that is not known. */
const struct lane_bpf_drm_places *capture_bpf_running_drm(struct lane_bpf_running *running);

struct btf;

#define LANE_BPF_MAX_DRIVERS 8

struct lane_bpf_btfs {
	struct btf *vmlinux;
	struct btf *i915; /* vmlinux where the driver is built in, NULL without BTF of the driver */
	struct btf *drm_sched;			   /* likewise of gpu-sched */
	struct btf *drm, *kms;			   /* of drm and drm_kms_helper */
	struct btf *drivers[LANE_BPF_MAX_DRIVERS]; /* of the modules that use gpu-sched */
	unsigned int n_drivers;
};

/* Why BTF does not have the function; NULL: it has. */
const char *capture_bpf_btf_function(const struct lane_bpf_btfs *btf, const char *name);

/* Why BTF does not have a typed way's event, with what its program takes; NULL: it has. */
const char *capture_bpf_btf_typed(const struct lane_bpf_btfs *btf, const struct lane_bpf_way *way);

/* BTF of the driver, on drm_sched, that has this; NULL: none has. */
const struct btf *capture_bpf_btf_of_driver(const struct lane_bpf_btfs *btf, const char *name,
					    unsigned int kind);

/*
 * Whether BTF has the tracepoint of a typed way with the argument that its program takes: NULL for
 * yes, otherwise why not.
 */
const char *capture_bpf_btf_event(const struct btf *btf, const struct lane_bpf_way *way);

/* Where the names of dma_fence_init lie, all 0 when that is not known. */
void capture_bpf_running_names(struct lane_bpf_running *running, struct lane_bpf_names *names);

/* The functions of base/works.def that this kernel has, with their addresses. */
void capture_bpf_running_works(struct lane_bpf_running *running, struct lane_bpf_work *to);

/* Frees; NULL is allowed. */
void capture_bpf_running_close(struct lane_bpf_running *running);

#endif
