/* SPDX-License-Identifier: MIT */
/*
 * What a machine offers for recording: a list of checks, each with what it costs when something is
 * missing and how to get it. Looks only; changes nothing, needs no privilege, and says where one
 * would have told more.
 */
#ifndef LANE_CAPTURE_PROBE_H
#define LANE_CAPTURE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "capture/bpf_plan.h"

enum lane_check_state {
	LANE_CHECK_FACT,    /* neither good nor bad */
	LANE_CHECK_OK,	    /* it is there */
	LANE_CHECK_MISSING, /* it is not */
	LANE_CHECK_UNKNOWN, /* it cannot be found out without more privileges */
};

struct lane_check {
	const char *section; /* "kernel", "driver", ... */
	char name[64];
	enum lane_check_state state;
	char value[384];    /* what was found */
	const char *cost;   /* what its absence costs, NULL when it is there */
	const char *remedy; /* how to get it, likewise */
	char *own_remedy;   /* where it is made for this machine: what remedy points to */
};

struct lane_probe {
	struct lane_check *checks; /* in order of their sections */
	size_t n_checks;
	/* What `gpulane record --backend bpf` would record, run as root. */
	struct lane_bpf_plan plan;
	bool planned; /* false: tracefs could not be looked at, the plan is empty */

	/* What the parts of the probe share. */
	const char *root;
	size_t room;
	bool failed; /* no memory */
	char release[65];
	bool has_i915;	/* a GPU is there that is i915's or could be */
	bool has_drm;	/* one whose driver submits to drm_sched is */
	bool has_lttng; /* the modules of LTTng's kernel tracer are */
};

struct lane_probe_options {
	const char *
		root; /* before /proc, /sys, /boot and what else is looked at; "" for the machine */
	bool leaves_out_opencl; /* do not load OpenCL drivers */
};

/*
 * Looks at everything. *probe is the caller's, capture_probe_destroy frees it. Fails for want of
 * memory only: what cannot be looked at is a check that says so.
 */
struct lane_error *capture_probe_run(const struct lane_probe_options *options,
				     struct lane_probe **probe) LANE_MUST_CHECK;

/* Frees; NULL is allowed. */
void capture_probe_destroy(struct lane_probe *probe);

/* CONFIG_HZ of this machine's kernel, whose release is given; 0: not known. */
unsigned int capture_kernel_hz(const char *release);

/* "ok", "missing", "unknown", "fact". */
const char *capture_check_state_name(enum lane_check_state state);

#endif
