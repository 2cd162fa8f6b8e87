/* SPDX-License-Identifier: MIT */
/*
 * Which BPF programs record which kinds on this kernel. Pure: what the kernel has comes through an
 * interface, so that every kernel can be played in a test.
 */
#ifndef LANE_CAPTURE_BPF_PLAN_H
#define LANE_CAPTURE_BPF_PLAN_H

#include <stdbool.h>

#include "capture/bpf_shared.h"
#include "capture/capture.h"

/* How a program gets at its events. */
enum lane_bpf_attach {
	LANE_BPF_TYPED,	   /* tracepoint, the program reads the driver's structures by BTF */
	LANE_BPF_FORMAT,   /* tracepoint, the program reads the record by its format */
	LANE_BPF_FUNCTION, /* function's entry or exit */
	LANE_BPF_LIBRARY,  /* functions of the OpenCL loader, at entry or return */
	LANE_BPF_UPROBE,   /* the function that marks a program's frames */
};

#define LANE_BPF_MAX_HOOKS 6

struct lane_bpf_hook {
	const char *program; /* in the BPF object */
	const char *target;  /* event or function */
};

/* One way to record one kind; ways are tried in the order of the table. */
struct lane_bpf_way {
	int kind;
	enum lane_bpf_attach attach;
	enum lane_origin origin;
	bool is_any_enough; /* those of the hooks that exist will do; otherwise all are needed */
	struct lane_bpf_hook hooks[LANE_BPF_MAX_HOOKS];
};

extern const struct lane_bpf_way lane_bpf_ways[];
extern const unsigned int lane_bpf_n_ways;

#define LANE_BPF_MAX_WAYS 176

/* What the kernel has. The functions return NULL for yes, otherwise why not (a static string). */
struct lane_bpf_kernel {
	void *data;
	bool has_i915; /* the driver is there */
	/* The event that the way hooks exists, with the fields that its kind needs. */
	const char *(*event)(void *data, const struct lane_bpf_way *way);
	/* Its hooks and their arguments are known by BTF. */
	const char *(*typed)(void *data, const struct lane_bpf_way *way);
	/* The function can be hooked at its entry and exit. */
	const char *(*function)(void *data, const char *name);
	/* The kernel tells at which address the function is. */
	bool (*has_address)(void *data, const char *name);
	/* There is an OpenCL loader to hook; NULL: there is none to look for. */
	const char *(*library)(void *data);
};

/* What was decided. */
struct lane_bpf_plan {
	struct lane_capture_kind kinds[LANE_KIND_COUNT];
	const struct lane_bpf_way *ways[LANE_KIND_COUNT]; /* NULL: not recorded */
	bool hooked[LANE_KIND_COUNT][LANE_BPF_MAX_HOOKS]; /* which hooks of the way are used */
	char refused[LANE_BPF_MAX_WAYS]
		    [192]; /* why the kernel refused this way, "" if it did not */
};

/* The tracefs system that a kind's event belongs to; NULL for a kind that no tracepoint has. */
const char *capture_bpf_system(int kind);

/* The structure whose address is the first argument of a kind's tracepoint; NULL: any will do. */
const char *capture_bpf_argument(int kind);

/* How many arguments a kind's tracepoint has, of those whose programs take numbers; 0: any will do.
 */
unsigned int capture_bpf_arguments(int kind);

/*
 * Decides on every kind that config asks for. plan->refused is input: ways marked there are passed
 * over. At the first call the plan is all zero.
 */
void capture_bpf_plan(struct lane_bpf_plan *plan, const struct lane_capture_config *config,
		      const struct lane_bpf_kernel *kernel);

/*
 * Notes that the kernel refused a program, for the next plan. False when the program is part of no
 * way that the plan uses.
 */
bool capture_bpf_refuse(struct lane_bpf_plan *plan, const char *program, const char *why);

/* How many kinds the plan records. */
unsigned int capture_bpf_planned(const struct lane_bpf_plan *plan);

/*
 * Fills what the programs read of the configuration; switch_state_arg is the kernel's. Fails on
 * more engines than the programs look at, and on a name that no process can have.
 */
struct lane_error *capture_bpf_settings(const struct lane_capture_config *config, size_t ring_bytes,
					unsigned int switch_state_arg,
					struct lane_bpf_config *settings) LANE_MUST_CHECK;

/* The size of a ring for what was asked for; fails on what is not a power of two of pages. */
struct lane_error *capture_bpf_ring_bytes(size_t asked, size_t page_bytes,
					  size_t *bytes) LANE_MUST_CHECK;

#endif
