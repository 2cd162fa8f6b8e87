/* SPDX-License-Identifier: MIT */
/*
 * The stacks that the BPF programs keep, as addresses: the frames of each are told once, behind the
 * first event that names it, by their places in files and the kernel's functions. No program's
 * symbols are looked up while recording.
 */
#ifndef LANE_CAPTURE_BPF_STACK_H
#define LANE_CAPTURE_BPF_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/event.h"
#include "capture/bpf_shared.h"

struct lane_bpf_stacks;

struct lane_bpf_stack_source {
	/* Fills the addresses of a stack, up to LANE_BPF_STACK_DEPTH, 0 behind the last one. user:
	 * of which map. False: it cannot be had. */
	bool (*read)(void *arg, bool user, uint32_t id, uint64_t *addresses);
	/* Fills the copy of a program's stack that has this number. False: it is gone. NULL: none
	 * are taken. */
	bool (*copy)(void *arg, uint32_t number, struct lane_bpf_stack_copy *copy);
	void *arg;
	const char
		*root; /* before /proc, "" for the machine's own; NULL: no process is looked at */
};

/*
 * Reads the kernel's functions, which takes privileges. source is copied. *stacks is the caller's,
 * capture_bpf_stacks_close() frees it.
 */
struct lane_error *capture_bpf_stacks_open(const struct lane_bpf_stack_source *source,
					   struct lane_bpf_stacks **stacks) LANE_MUST_CHECK;

/*
 * A record of a stack of which there is a copy gets the number of the stack that it is, unwound,
 * the same for the same frames. Returns that record, the stacks' own until the next call; all
 * others as they are. To be put, and then seen.
 */
const struct lane_wire *capture_bpf_stacks_unwind(struct lane_bpf_stacks *stacks,
						  const struct lane_wire *record);

/*
 * Looks at a record that has just been put: of a stack that was not told before in its process the
 * frames are put, too. Fails on what put says, and without memory.
 */
struct lane_error *
capture_bpf_stacks_see(struct lane_bpf_stacks *stacks, const struct lane_wire *record,
		       struct lane_error *(*put)(void *data, const struct lane_wire *record),
		       void *data) LANE_MUST_CHECK;

/* Parts of stacks whose frames could not be told. */
uint64_t capture_bpf_stacks_lost(const struct lane_bpf_stacks *stacks);

/* NULL is allowed. */
void capture_bpf_stacks_close(struct lane_bpf_stacks *stacks);

#endif
