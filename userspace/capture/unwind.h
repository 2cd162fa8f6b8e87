/* SPDX-License-Identifier: MIT */
/*
 * Who called whom in a program without frame pointers: a copy of its stack is unwound by elfutils'
 * libdw, from the tables that its files have for exceptions (.eh_frame). x86-64 alone.
 */
#ifndef LANE_CAPTURE_UNWIND_H
#define LANE_CAPTURE_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/bpf_shared.h"

/* What lies where in one process. */
struct lane_unwinder;

/* False: the library is not installed, or this machine is another one. */
bool capture_unwind_can(void);

/* Reads what the process has mapped now. root: before /proc, "" for the machine's own. NULL: it
 * cannot be had. The caller's, for capture_unwind_close(). */
struct lane_unwinder *capture_unwind_open(const char *root, int32_t pid);

/*
 * Fills the addresses of the frames, the innermost first, as bpf_get_stackid() has them: behind the
 * first one those to which is returned. It ends at the first function of which no table tells.
 * Returns how many. *is_cut: there may be more.
 */
unsigned int capture_unwind(struct lane_unwinder *unwinder, const struct lane_bpf_stack_copy *copy,
			    uint64_t *addresses, unsigned int most, bool *is_cut);

/* NULL is allowed. */
void capture_unwind_close(struct lane_unwinder *unwinder);

#endif
